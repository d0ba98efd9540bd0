#include "place/sieve.h"

#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/place_cases.h"
#include "support/test.h"

enum { COUNT = 40000, FEW = 300 };

struct sieved {
    uint64_t height_bytes;
    uint64_t load_bytes;
};

/* Places blocks by the sieve alone, and looks at the answer. */
static struct sieved sieve(struct zv_place_block *blocks, size_t count)
{
    struct zv_arena arena = {0};
    struct place_problem problem;
    struct sieved sieved = {0};
    uint64_t height = 0;
    assert_int_equal(place_problem_make(&problem, blocks, count, &arena, NULL), ZV_OK);
    uint64_t *const offsets = zv_arena_array(&arena, count, sizeof *offsets);
    assert_non_null(offsets);
    assert_int_equal(sieve_run(&problem, offsets, &sieved.height_bytes, NULL), ZV_OK);
    for (size_t i = 0; i < count; i++) {
        blocks[i].offset = offsets[i];
    }
    assert_int_equal(zv_place_check(blocks, count, &height, NULL), ZV_OK);
    assert_int_equal(height, sieved.height_bytes);
    sieved.load_bytes = problem.load_bytes;
    zv_arena_free(&arena);
    return sieved;
}

/* Whatever the sizes and alignments: close to the load. */
static void heavy_tails_lie_low(void **state)
{
    static const struct {
        unsigned shift;      /* of sizes */
        unsigned alignment;  /* in bits, of every third block */
        uint64_t millionths; /* above the load, at most */
    } rows[] = {{0, 0, 20000}, {0, 12, 20000}, {18, 0, 20000}};
    struct zv_place_block *const blocks = calloc(COUNT, sizeof *blocks);
    (void)state;
    assert_non_null(blocks);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t random = 7;
        place_draw_heavy(blocks, COUNT, &random);
        for (size_t k = 0; k < COUNT; k++) {
            blocks[k].bytes <<= rows[i].shift;
            blocks[k].alignment = k % 3 == 0 ? UINT64_C(1) << rows[i].alignment : 0;
        }
        const struct sieved sieved = sieve(blocks, COUNT);
        assert_true(sieved.height_bytes - sieved.load_bytes <=
                    sieved.load_bytes / 1000000 * rows[i].millionths);
    }
    free(blocks);
}

/* Any blocks, however few or alike. */
static void any_blocks_are_placed(void **state)
{
    static const struct place_shape shapes[] = {
        {3, 6, 1}, {9, 400, 1}, {5, 40, 4}, {UINT64_C(1) << 50, 60, 1}, {1, 2, 1}};
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < 1500; i++) {
        struct zv_place_block blocks[FEW];
        const size_t count = 1 + i % FEW;
        place_draw(blocks, count, &shapes[i % (sizeof shapes / sizeof shapes[0])], &random);
        const struct sieved sieved = sieve(blocks, count);
        assert_true(sieved.height_bytes >= sieved.load_bytes);
        assert_true(place_is_valid(blocks, count));
    }
}

static void the_same_blocks_the_same_answer(void **state)
{
    static struct zv_place_block once[FEW];
    static struct zv_place_block again[FEW];
    uint64_t random = 3;
    (void)state;
    place_draw_heavy(once, FEW, &random);
    memcpy(again, once, sizeof once);
    (void)sieve(once, FEW);
    (void)sieve(again, FEW);
    assert_memory_equal(once, again, sizeof once);
}

static void survives_a_failure_of_each_allocation(void **state)
{
    struct zv_place_block blocks[FEW];
    uint64_t offsets[FEW];
    struct zv_arena arena = {0};
    struct place_problem problem;
    uint64_t random = 30;
    (void)state;
    place_draw_heavy(blocks, FEW, &random);
    assert_int_equal(place_problem_make(&problem, blocks, FEW, &arena, NULL), ZV_OK);
    for (size_t n = 1;; n++) {
        uint64_t height = 0;
        fail_memory_start(n);
        const enum zv_status status = sieve_run(&problem, offsets, &height, NULL);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_tails_lie_low),
        cmocka_unit_test(any_blocks_are_placed),
        cmocka_unit_test(the_same_blocks_the_same_answer),
        cmocka_unit_test(survives_a_failure_of_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
