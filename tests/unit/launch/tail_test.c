#include "launch/tail.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static void expect(const struct zv_tail *tail, size_t i, unsigned stream, const char *text)
{
    const struct zv_tail_line *const line = zv_tail_at(tail, i);
    assert_int_equal(line->stream, stream);
    assert_int_equal(line->length, strlen(text));
    assert_memory_equal(line->text, text, line->length);
}

/* The same whatever the pieces that the bytes come in. */
static void pieces(void **state)
{
    (void)state;
    static const char text[] = "one\n\n 10%\r 20%\rdone\r\nlast";
    for (size_t size = 1; size <= sizeof text; size++) {
        struct zv_arena arena = {0};
        struct zv_tail tail;
        assert_int_equal(zv_tail_make(&tail, 10, &arena, NULL), ZV_OK);
        for (size_t at = 0; at < sizeof text - 1; at += size) {
            const size_t left = sizeof text - 1 - at;
            zv_tail_feed(&tail, 0, text + at, left < size ? left : size);
        }
        assert_int_equal(zv_tail_count(&tail), 3);
        zv_tail_end(&tail);
        assert_int_equal(zv_tail_count(&tail), 4);
        assert_int_equal(tail.bytes[0], sizeof text - 1);
        expect(&tail, 0, 0, "one");
        expect(&tail, 1, 0, "");
        expect(&tail, 2, 0, "done");
        expect(&tail, 3, 0, "last");
        zv_arena_free(&arena);
    }
}

/* Lines of two streams are not mixed; only the last are kept. */
static void streams_and_ring(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_tail tail;
    assert_int_equal(zv_tail_make(&tail, 3, &arena, NULL), ZV_OK);
    zv_tail_feed(&tail, 0, "a", 1);
    zv_tail_feed(&tail, 1, "x\ny\n", 4);
    zv_tail_feed(&tail, 0, "b\nc\n", 4);
    zv_tail_end(&tail);
    assert_int_equal(tail.lines, 4);
    assert_int_equal(zv_tail_count(&tail), 3);
    expect(&tail, 0, 1, "y");
    expect(&tail, 1, 0, "ab");
    expect(&tail, 2, 0, "c");
    assert_null(tail.sign);
    zv_arena_free(&arena);
}

/* The first line about memory stays, though its place in the ring is long taken. */
static void memory_line(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_tail tail;
    assert_int_equal(zv_tail_make(&tail, 1, &arena, NULL), ZV_OK);
    static const char first[] = "RuntimeError: CUDA out of memory. Tried to allocate 1.00 GiB\n";
    static const char second[] = "std::bad_alloc\nbye\n";
    zv_tail_feed(&tail, 1, first, sizeof first - 1);
    zv_tail_feed(&tail, 1, second, sizeof second - 1);
    assert_non_null(tail.sign);
    assert_string_equal(tail.sign->who, "PyTorch");
    assert_int_equal(tail.memory.length, sizeof first - 2);
    assert_int_equal(tail.memory_lines, 2);
    zv_arena_free(&arena);
}

/* No line is longer than the room for it; what is cut is counted. No lines kept is fine too. */
static void limits(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_tail tail;
    char block[1000];
    memset(block, 'z', sizeof block);
    assert_int_equal(zv_tail_make(&tail, 2, &arena, NULL), ZV_OK);
    for (int i = 0; i < 5; i++) {
        zv_tail_feed(&tail, 0, block, sizeof block);
    }
    zv_tail_end(&tail);
    assert_int_equal(zv_tail_at(&tail, 0)->length, ZV_TAIL_LINE);
    assert_int_equal(zv_tail_at(&tail, 0)->cut, 5000 - ZV_TAIL_LINE);
    assert_int_equal(zv_tail_make(&tail, 0, &arena, NULL), ZV_OK);
    zv_tail_feed(&tail, 0, "CUDA out of memory\n", 19);
    assert_int_equal(zv_tail_count(&tail), 0);
    assert_non_null(tail.sign);
    assert_int_equal(zv_tail_make(&tail, SIZE_MAX, &arena, NULL), ZV_OK);
    assert_int_equal(tail.capacity, ZV_TAIL_MAX_LINES);
    zv_arena_free(&arena);
}

static void no_memory(void **state)
{
    (void)state;
    struct zv_arena arena = {.limit = 1000};
    struct zv_error err = {0};
    struct zv_tail tail;
    assert_int_equal(zv_tail_make(&tail, 10, &arena, &err), ZV_E_NOMEM);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces), cmocka_unit_test(streams_and_ring),
                                       cmocka_unit_test(memory_line), cmocka_unit_test(limits),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
