/* Requests of a record on an allocator: the curve's top is the outcome's, and follows the requests.
 */
#include "explain/what_if.h"

#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

#define MIB (UINT64_C(1) << 20)

/* 20 MiB, freed; 40 MiB, freed: a cache that grows, in the end given back. */
static const char ops[] = "a 1 20971520 0\nf 1\na 2 41943040 0\nf 2\ne\n";

static void make(struct zv_record *record, struct zv_requests *requests)
{
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    assert_int_equal(zv_record_of_ops(record, zv_slice_of(ops), &options, &err), ZV_OK);
    assert_int_equal(zv_requests_make(requests, record, &err), ZV_OK);
}

static void test_curve(void **state)
{
    (void)state;
    struct zv_record record;
    struct zv_requests requests;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    static struct zv_curve curve;
    struct zv_replay_outcome outcome;
    const struct zv_allocator_options options = {.capacity_bytes = 1024 * MIB};
    make(&record, &requests);
    assert_int_equal(zv_curve_run(&curve, &outcome, &requests, &options, &arena, &err), ZV_OK);
    assert_int_equal(curve.columns, requests.event_count + 1);
    uint64_t most = 0;
    uint64_t before = 0;
    size_t falls = 0;
    for (size_t i = 0; i < curve.columns; i++) {
        most = curve.reserved_bytes[i] > most ? curve.reserved_bytes[i] : most;
        falls += curve.reserved_bytes[i] < before;
        before = curve.reserved_bytes[i];
    }
    assert_int_equal(curve.reserved_bytes[0], 0);
    assert_int_equal(most, 60 * MIB);
    assert_int_equal(outcome.peak_reserved_bytes, 60 * MIB);
    assert_true(falls <= 1); /* only the cache that was emptied */
    zv_arena_free(&arena);
    zv_requests_close(&requests);
    zv_record_close(&record);
}

static void test_failing_request_is_named(void **state)
{
    (void)state;
    struct zv_record record;
    struct zv_requests requests;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    static struct zv_curve curve;
    struct zv_replay_outcome outcome;
    const struct zv_allocator_options options = {.capacity_bytes = 32 * MIB};
    make(&record, &requests);
    assert_int_equal(zv_curve_run(&curve, &outcome, &requests, &options, &arena, &err), ZV_OK);
    assert_int_equal(outcome.ooms, 1);
    const uint64_t event = zv_requests_event(&requests, outcome.first_oom.line);
    assert_in_range(event, 1, requests.event_count);
    assert_int_equal(zv_record_device(&record)->events[event - 1].bytes, 40 * MIB);
    zv_arena_free(&arena);
    zv_requests_close(&requests);
    zv_record_close(&record);
}

/* What a profiler saw freed but not allocated was there before, and so was the rest of its first
 * total; without addresses a free is of the latest live block of its size. */
static void test_profilers(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *ops;
    } rows[] = {
        {"[{\"name\":\"[memory]\",\"ts\":1,\"args\":{\"Device Type\":1,\"Device Id\":0,"
         "\"Addr\":4096,\"Bytes\":512,\"Total Allocated\":9512,\"Total Reserved\":20000}},"
         "{\"name\":\"[memory]\",\"ts\":2,\"args\":{\"Device Type\":1,\"Device Id\":0,"
         "\"Addr\":8192,\"Bytes\":-1024,\"Total Allocated\":8488,\"Total Reserved\":20000}},"
         "{\"name\":\"[memory]\",\"ts\":3,\"args\":{\"Device Type\":1,\"Device Id\":0,"
         "\"Addr\":4096,\"Bytes\":-512,\"Total Allocated\":7976,\"Total Reserved\":20000}}]",
         "a 1 1024 0\na 2 7976 0\na 3 512 0\nf 1\nf 3\n"},
        {"[{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":512}},"
         "{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":512}},"
         "{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":1024}},"
         "{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":-512}},"
         "{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":-512}},"
         "{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":-512}}]",
         "a 1 512 0\na 2 512 0\na 3 512 0\na 4 1024 0\nf 3\nf 2\nf 1\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_record record;
        const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
        assert_int_equal(zv_record_open(&record, zv_slice_of(rows[i].json), &options, NULL), ZV_OK);
        for (size_t n = 1;; n++) {
            struct zv_requests requests;
            fail_memory_start(n);
            const enum zv_status status = zv_requests_make(&requests, &record, NULL);
            const bool failed = fail_memory.failed != 0;
            assert_int_equal(status, failed ? ZV_E_NOMEM : ZV_OK);
            if (!failed) {
                assert_int_equal(requests.ops.size, strlen(rows[i].ops));
                assert_memory_equal(requests.ops.data, rows[i].ops, requests.ops.size);
            }
            zv_requests_close(&requests);
            fail_memory_stop();
            assert_int_equal(fail_memory.blocks, 0);
            if (!failed) {
                break;
            }
        }
        zv_record_close(&record);
    }
}

static void test_timeline_has_no_requests(void **state)
{
    (void)state;
    struct zv_trace_device device = {0};
    const struct zv_record record = {
        .trace = {.source = ZV_TRACE_FROM_TIMELINE, .devices = &device, .device_count = 1}};
    struct zv_requests requests;
    struct zv_error err = {0};
    assert_int_equal(zv_requests_make(&requests, &record, &err), ZV_E_UNSUPPORTED);
    zv_requests_close(&requests);
}

static void test_memory_runs_short(void **state)
{
    (void)state;
    struct zv_record record;
    struct zv_requests unused;
    make(&record, &unused);
    for (size_t n = 1;; n++) {
        struct zv_requests requests;
        struct zv_error err = {0};
        fail_memory_start(n);
        const enum zv_status status = zv_requests_make(&requests, &record, &err);
        zv_requests_close(&requests);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed == 0 ? ZV_OK : ZV_E_NOMEM);
        if (fail_memory.failed == 0) {
            break;
        }
    }
    zv_requests_close(&unused);
    zv_record_close(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_failing_request_is_named),
        cmocka_unit_test(test_profilers),
        cmocka_unit_test(test_timeline_has_no_requests),
        cmocka_unit_test(test_memory_runs_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
