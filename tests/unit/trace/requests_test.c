#include "trace/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

static const char base[] = "a 1 100 0\na 2 200 0\nf 1\na 3 300 0\na 4 400 0\nf 2\nf 3\n";

static struct zv_request_comparison compare_ops(const char *a, const char *b)
{
    struct zv_arena arena = {0};
    struct zv_request_list left;
    struct zv_request_list right;
    struct zv_request_comparison result;
    assert_int_equal(zv_requests_of_ops(&left, zv_slice_of(a), &arena, NULL), ZV_OK);
    assert_int_equal(zv_requests_of_ops(&right, zv_slice_of(b), &arena, NULL), ZV_OK);
    assert_int_equal(zv_requests_compare(&result, &left, &right, NULL), ZV_OK);
    zv_arena_free(&arena);
    return result;
}

static void test_what_differs(void **state)
{
    (void)state;
    static const struct {
        const char *b;
        size_t common;
        uint64_t counts[ZV_REQUEST_CHANGES];
        struct zv_request_difference first;
    } rows[] = {
        {base, 4, {4, 0, 0, 0, 0}, {ZV_REQUEST_EQUAL, 0, 0}},
        /* other ids, streams and settings, a free in another order between the same requests */
        {"r\na 7 100 1\na 8 200 1\nf 7\ne\na 9 300 1\na 1 400 2\nf 9\nf 8",
         4,
         {4, 0, 0, 0, 0},
         {0}},
        {"a 1 100 0\na 2 201 0\nf 1\na 3 300 0\na 4 400 0\nf 2\nf 3",
         1,
         {3, 1, 0, 0, 0},
         {ZV_REQUEST_SIZE, 1, 1}},
        {"a 1 100 0\na 2 200 0\na 3 300 0\nf 1\na 4 400 0\nf 2\nf 3",
         0,
         {3, 0, 1, 0, 0},
         {ZV_REQUEST_LIFETIME, 0, 0}},
        {"a 1 100 0\na 2 200 0\nf 1\na 3 300 0\na 4 400 0\nf 3",
         1,
         {3, 0, 1, 0, 0},
         {ZV_REQUEST_LIFETIME, 1, 1}},
        {"a 1 100 0\na 2 200 0\nf 1\na 4 400 0\nf 2\n",
         2,
         {3, 0, 0, 1, 0},
         {ZV_REQUEST_ONLY_A, 2, 2}},
        {"a 1 100 0\na 5 7 0\na 2 200 0\nf 1\na 3 300 0\na 4 400 0\na 6 8 0\nf 2\nf 3",
         1,
         {4, 0, 0, 0, 2},
         {ZV_REQUEST_ONLY_B, 1, 1}},
        {"", 0, {0, 0, 0, 4, 0}, {ZV_REQUEST_ONLY_A, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_request_comparison got = compare_ops(base, rows[i].b);
        assert_int_equal(got.common, rows[i].common);
        uint64_t differences = 0;
        for (int change = 0; change < ZV_REQUEST_CHANGES; change++) {
            assert_int_equal(got.counts[change], rows[i].counts[change]);
            differences += change != ZV_REQUEST_EQUAL ? got.counts[change] : 0;
        }
        assert_int_equal(got.difference_count, differences);
        if (differences != 0) {
            assert_int_equal(got.differences[0].change, rows[i].first.change);
            assert_int_equal(got.differences[0].a, rows[i].first.a);
            assert_int_equal(got.differences[0].b, rows[i].first.b);
        }
    }
}

/* The fewest insertions and deletions between sizes, by the table of all prefixes. */
static size_t fewest(const struct zv_request_list *a, const struct zv_request_list *b)
{
    static uint32_t rows[2][512];
    for (size_t i = 0; i <= a->count; i++) {
        for (size_t j = 0; j <= b->count; j++) {
            uint32_t *const cell = &rows[i % 2][j];
            if (i == 0 || j == 0) {
                *cell = (uint32_t)(i + j);
            } else if (a->at[i - 1].bytes == b->at[j - 1].bytes) {
                *cell = rows[(i - 1) % 2][j - 1];
            } else {
                const uint32_t over_a = rows[(i - 1) % 2][j];
                const uint32_t over_b = rows[i % 2][j - 1];
                *cell = 1 + (over_a < over_b ? over_a : over_b);
            }
        }
    }
    return rows[a->count % 2][b->count];
}

static void fill(struct zv_request_list *to, struct zv_request *at, uint32_t *seed, size_t most)
{
    *to = (struct zv_request_list){.at = at};
    *seed = *seed * 1664525 + 1013904223;
    to->count = (*seed >> 8) % most;
    for (size_t i = 0; i < to->count; i++) {
        *seed = *seed * 1664525 + 1013904223;
        at[i] = (struct zv_request){.bytes = 1 + (*seed >> 24) % 4, .freed_at = ZV_REQUEST_KEPT};
    }
}

static void test_fewest_edits(void **state)
{
    (void)state;
    static struct zv_request left[512];
    static struct zv_request right[512];
    uint32_t seed = 7;
    for (int round = 0; round < 300; round++) {
        struct zv_request_list a;
        struct zv_request_list b;
        struct zv_request_comparison got;
        fill(&a, left, &seed, round < 200 ? 20 : 200);
        fill(&b, right, &seed, round < 200 ? 20 : 200);
        assert_int_equal(zv_requests_compare(&got, &a, &b, NULL), ZV_OK);
        const uint64_t pairs = got.counts[ZV_REQUEST_EQUAL] + got.counts[ZV_REQUEST_SIZE] +
                               got.counts[ZV_REQUEST_LIFETIME];
        assert_int_equal(pairs + got.counts[ZV_REQUEST_ONLY_A], a.count);
        assert_int_equal(pairs + got.counts[ZV_REQUEST_ONLY_B], b.count);
        assert_int_equal(2 * got.counts[ZV_REQUEST_SIZE] + got.counts[ZV_REQUEST_ONLY_A] +
                             got.counts[ZV_REQUEST_ONLY_B],
                         fewest(&a, &b));
    }
}

/* More edits than one piece: still every request counted once, in bounded time. */
static void test_nothing_in_common(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct zv_request *const at = calloc(2 * COUNT, sizeof *at);
    assert_non_null(at);
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++) {
        at[i] = (struct zv_request){.bytes = i, .freed_at = ZV_REQUEST_KEPT};
    }
    const struct zv_request_list a = {.at = at, .count = COUNT};
    const struct zv_request_list b = {.at = at + COUNT, .count = COUNT};
    struct zv_request_comparison got;
    assert_int_equal(zv_requests_compare(&got, &a, &b, NULL), ZV_OK);
    assert_int_equal(got.counts[ZV_REQUEST_SIZE], COUNT);
    assert_int_equal(got.difference_count, COUNT);
    free(at);
}

static void test_traces(void **state)
{
    (void)state;
    struct zv_trace_event events[] = {
        {.address = 4096, .bytes = 9, .action = ZV_TRACE_FREE_REQUESTED},
        {.address = 512, .bytes = 100, .action = ZV_TRACE_ALLOC},
        {.address = 1024, .bytes = 700, .action = ZV_TRACE_ALLOC},
        {.address = 512, .bytes = 100, .action = ZV_TRACE_FREE_REQUESTED},
        {.address = 512, .bytes = 100, .action = ZV_TRACE_FREE_COMPLETED},
    };
    struct zv_trace_device device = {.events = events, .event_count = 5};
    struct zv_trace trace = {.devices = &device, .device_count = 1};
    struct zv_arena arena = {0};
    struct zv_request_list a;
    struct zv_request_list b;
    struct zv_request_comparison got;
    assert_int_equal(zv_requests_of_trace(&a, &trace, 0, &arena, NULL), ZV_OK);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.other_frees, 1);
    assert_int_equal(a.at[0].place, 1);
    assert_int_equal(a.at[0].freed_at, 2);
    assert_int_equal(a.at[1].freed_at, ZV_REQUEST_KEPT);
    /* A profiler rounds sizes; before 2022 it wrote no addresses. */
    events[1].bytes = 512;
    events[2].bytes = 1024;
    trace.source = ZV_TRACE_FROM_PROFILER;
    assert_int_equal(zv_requests_of_trace(&b, &trace, 0, &arena, NULL), ZV_OK);
    assert_int_equal(zv_requests_compare(&got, &a, &b, NULL), ZV_OK);
    assert_true(got.rounded && got.lifetimes_compared);
    assert_int_equal(got.common, 2);
    for (size_t i = 0; i < 5; i++) {
        events[i].address = 0;
    }
    assert_int_equal(zv_requests_of_trace(&b, &trace, 0, &arena, NULL), ZV_OK);
    assert_int_equal(zv_requests_compare(&got, &a, &b, NULL), ZV_OK);
    assert_false(got.lifetimes_compared);
    assert_int_equal(got.common, 2);
    trace.source = ZV_TRACE_FROM_TIMELINE;
    assert_int_equal(zv_requests_of_trace(&b, &trace, 0, &arena, NULL), ZV_E_UNSUPPORTED);
    zv_arena_free(&arena);
}

static void test_bad_lists(void **state)
{
    (void)state;
    static const struct {
        const char *ops;
        uint64_t line;
    } rows[] = {{"a 1 5 0\nf 2", 2}, {"a 1 5 0\n\na 1 5 0", 3}, {"f 1", 1}, {"a 1", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_request_list requests;
        struct zv_error err = {0};
        assert_int_equal(zv_requests_of_ops(&requests, zv_slice_of(rows[i].ops), &arena, &err),
                         ZV_E_SYNTAX);
        assert_int_equal(err.line, rows[i].line);
        zv_arena_free(&arena);
    }
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    size_t fails = 0;
    for (size_t nth = 1;; nth++) {
        struct zv_arena arena = {0};
        struct zv_request_list a;
        struct zv_request_comparison got;
        fail_memory_start(nth);
        enum zv_status status = zv_requests_of_ops(&a, zv_slice_of(base), &arena, NULL);
        status = status == ZV_OK ? zv_requests_compare(&got, &a, &a, NULL) : status;
        zv_arena_free(&arena);
        fail_memory_stop();
        if (status == ZV_OK) {
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
        fails++;
    }
    assert_true(fails >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_differs),      cmocka_unit_test(test_fewest_edits),
        cmocka_unit_test(test_nothing_in_common), cmocka_unit_test(test_traces),
        cmocka_unit_test(test_bad_lists),         cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
