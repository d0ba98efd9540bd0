#include "zirve/arena.h"

#include <stdint.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

static void test_blocks(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 15, 16, 17, 4000, 4096, 100, 300000, 5, 262144, 262145};
    struct zv_arena arena = {0};
    unsigned char *got[sizeof sizes / sizeof sizes[0]];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        got[i] = zv_arena_alloc(&arena, sizes[i]);
        assert_non_null(got[i]);
        assert_int_equal((uintptr_t)got[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(got[i][k], 0);
        }
        memset(got[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) { /* none touched another */
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(got[i][k], i + 1);
        }
    }
    zv_arena_free(&arena);
    assert_int_equal(arena.used, 0);
    assert_non_null(zv_arena_alloc(&arena, 1)); /* usable again */
    zv_arena_free(&arena);
}

static void test_refusals(void **state)
{
    (void)state;
    struct zv_arena arena = {.limit = 64};
    fail_memory_start(0);
    assert_non_null(zv_arena_alloc(&arena, 33)); /* takes 48 */
    assert_null(zv_arena_alloc(&arena, 17));
    assert_non_null(zv_arena_alloc(&arena, 16));
    assert_null(zv_arena_alloc(&arena, 1));
    assert_non_null(zv_arena_alloc(&arena, 0));
    zv_arena_free(&arena);
    arena.limit = 0;
    assert_null(zv_arena_alloc(&arena, SIZE_MAX));
    assert_null(zv_arena_alloc(&arena, SIZE_MAX - 64));
    assert_null(zv_arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(zv_arena_copy(&arena, "", SIZE_MAX));
    zv_arena_free(&arena);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

static void test_text(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    assert_string_equal(zv_arena_copy(&arena, "abc", 2), "ab");
    assert_string_equal(zv_arena_copy(&arena, NULL, 0), "");
    assert_string_equal(zv_arena_print(&arena, "%d-%s", 7, "x"), "7-x");
    char *const wide = zv_arena_print(&arena, "%5000d", 1);
    assert_int_equal(strlen(wide), 5000);
    zv_arena_free(&arena);
}

static void test_clear(void **state)
{
    (void)state;
    struct zv_arena arena = {.limit = 400000};
    zv_arena_clear(&arena); /* nothing in it */
    fail_memory_start(0);
    const char *const large = zv_arena_alloc(&arena, 300000);
    assert_non_null(large);
    assert_non_null(zv_arena_alloc(&arena, 100));
    zv_arena_clear(&arena);
    assert_int_equal(fail_memory.blocks, 1);
    assert_int_equal(arena.used, 0);
    const char *const again = zv_arena_alloc(&arena, 300000);
    assert_ptr_equal(again, large); /* the largest block, zeroed anew */
    assert_int_equal(again[299999], 0);
    zv_arena_free(&arena);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    fail_memory_start(2);
    assert_non_null(zv_arena_alloc(&arena, 100));
    assert_null(zv_arena_alloc(&arena, 100000));
    assert_non_null(zv_arena_alloc(&arena, 100)); /* still whole */
    zv_arena_free(&arena);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_text),          cmocka_unit_test(test_clear),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
