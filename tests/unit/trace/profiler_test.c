#include "trace/profiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/open.h"

static const char chrome[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":1,\"name\":\"X\",\"totalGlobalMem\":1000,"
    "\"more\":[1,{\"a\":[]}]}],\"traceEvents\":[{\"ph\":\"X\",\"name\":\"aten::view\",\"args\":"
    "{\"Input Dims\":[[10,1000000],[]],\"Bytes\":5}},{\"name\":\"[memory]\",\"ts\":12.75,\"args\":"
    "{\"Device Type\":1,\"Device Id\":1,\"Addr\":140000000000000,\"Bytes\":512,\"Total Allocated\":"
    "512,\"Total Reserved\":2097152}},{\"name\":\"[memory]\",\"args\":{\"Device Type\":0,\"Device "
    "Id\":-1,\"Bytes\":7}},{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":0,"
    "\"Bytes\":1024}},{\"name\":\"[OutOfMemory]\",\"ts\":20,\"args\":{\"Device Type\":1,\"Device "
    "Id\":1,\"Bytes\":4096}},{\"name\":\"[memory]\",\"ts\":21,\"args\":{\"Device Type\":1,\"Device "
    "Id\":1,\"Addr\":140000000000000,\"Bytes\":-512,\"Total Allocated\":0,\"Total Reserved\":"
    "2097152}}],\"traceName\":\"t\"}";
static const char rows[] = "[[-1,1,1000,0],[5000,2,300,4],[6000,3,-300,4],[6000,3,300,5],"
                           "[7000,4,-300,5]]";

static void check_chrome(const struct zv_trace *trace)
{
    assert_int_equal(trace->source, ZV_TRACE_FROM_PROFILER);
    assert_int_equal(trace->device_count, 2);
    assert_int_equal(trace->devices[0].event_count, 1);
    assert_int_equal(trace->devices[1].event_count, 3);
    assert_int_equal(trace->devices[1].total_bytes, 1000);
    const struct zv_trace_event *const events = trace->devices[1].events;
    assert_int_equal(events[0].action, ZV_TRACE_ALLOC);
    assert_int_equal(events[0].time_us, 12);
    assert_int_equal(events[0].address, UINT64_C(140000000000000));
    assert_int_equal(events[1].action, ZV_TRACE_OOM);
    assert_int_equal(events[2].action, ZV_TRACE_FREE_REQUESTED);
    assert_int_equal(events[2].bytes, 512);
    const struct zv_trace_total *const total = &trace->totals[events - trace->events];
    assert_true(total->known);
    assert_int_equal(total->reserved_bytes, 2097152);
}

static void test_chrome(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    assert_int_equal(zv_profiler_read(&trace, zv_slice_of(chrome), NULL), ZV_OK);
    check_chrome(&trace);
    zv_trace_close(&trace);
    char bare[sizeof chrome]; /* the array alone is a trace too */
    const char *const from = strstr(chrome, "[{\"ph\"");
    const char *const to = strstr(chrome, ",\"traceName\"");
    memcpy(bare, from, (size_t)(to - from));
    const struct zv_slice input = {bare, (size_t)(to - from)};
    size_t first;
    const struct zv_capture_range all = {0, SIZE_MAX};
    assert_int_equal(zv_trace_open(&trace, input, all, &first, NULL), ZV_OK);
    assert_int_equal(trace.devices[1].event_count, 3);
    zv_trace_close(&trace);
}

/* The same as .json: what each category holds at each time. */
static const char sizes[] = "[[10,20,30],[[0,100,0,0,0,0,0,0,0],[0,100,0,0,0,2500,300,0,0],"
                            "[0,100,7,0,0,0,300,0,0]]]";

static void test_sizes(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    assert_int_equal(zv_profiler_read(&trace, zv_slice_of(sizes), NULL), ZV_OK);
    assert_int_equal(trace.source, ZV_TRACE_FROM_TIMELINE);
    assert_int_equal(trace.event_count, 5);
    assert_int_equal(trace.events[2].time_us, 20);
    assert_true(zv_slice_equal(zv_trace_text(&trace, trace.events[2].context), "gradient"));
    assert_int_equal(trace.events[4].action, ZV_TRACE_FREE_REQUESTED);
    assert_int_equal(trace.events[4].bytes, 2500);
    zv_trace_close(&trace);
    static const char *const bad[] = {"[[10],[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,0,0,0,0]]]",
                                      "[[10,20],[[0,1,0,0,0,0,0,0,0]]]",
                                      "[[10],[[0,1,0]]]",
                                      "[[10],[[0,1,0,0,0,0,0,0,0,0]]]",
                                      "[[10],[10]]",
                                      "[[10]]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct zv_error err = {0};
        assert_int_equal(zv_profiler_read(&trace, zv_slice_of(bad[i]), &err), ZV_E_SYNTAX);
        assert_true(err.has_offset);
        zv_trace_close(&trace);
    }
}

static void test_timeline(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    assert_int_equal(zv_profiler_read(&trace, zv_slice_of(rows), NULL), ZV_OK);
    assert_int_equal(trace.source, ZV_TRACE_FROM_TIMELINE);
    assert_int_equal(trace.event_count, 5);
    assert_int_equal(trace.events[1].time_us, 5);
    assert_int_equal(trace.events[2].action, ZV_TRACE_FREE_REQUESTED);
    assert_int_equal(trace.events[3].action, ZV_TRACE_ALLOC);
    assert_true(zv_slice_equal(zv_trace_text(&trace, trace.events[3].context), "gradient"));
    zv_trace_close(&trace);
}

static void test_prefixes_and_changes(void **state)
{
    (void)state;
    static const char *const texts[] = {chrome, rows, sizes};
    for (size_t i = 0; i < 3; i++) {
        const size_t length = strlen(texts[i]);
        for (size_t cut = 0; cut < length; cut++) {
            struct zv_trace trace = {0};
            struct zv_error err = {0};
            const struct zv_slice input = {texts[i], cut};
            assert_int_not_equal(zv_profiler_read(&trace, input, &err), ZV_OK);
            assert_int_not_equal(err.status, ZV_OK);
            zv_trace_close(&trace);
        }
        char *const changed = malloc(length);
        assert_non_null(changed);
        memcpy(changed, texts[i], length);
        for (size_t at = 0; at < length; at++) {
            static const char values[] = {'{', '}', '[', ']', ',', ':', '"', '9', '-', 'x', 0};
            for (size_t j = 0; j < sizeof values; j++) {
                struct zv_trace trace = {0};
                struct zv_error err = {0};
                changed[at] = values[j];
                const struct zv_slice input = {changed, length};
                const enum zv_status status = zv_profiler_read(&trace, input, &err);
                assert_int_equal(status, err.status);
                zv_trace_close(&trace);
            }
            changed[at] = texts[i][at];
        }
        free(changed);
    }
}

enum { MANY = 5000 };

/* The most memory that a trace of so many devices takes, whose events come in no order of them. */
static size_t peak_of(size_t devices)
{
    struct zv_buffer text = {.limit = 1 << 24};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct zv_trace trace = {0};
    size_t last[8] = {0};
    size_t seen = 0;
    for (size_t i = 1; i <= MANY; i++) {
        zv_sink_print(&sink,
                      "%c{\"name\":\"[memory]\",\"args\":{\"Device Type\":1,\"Device Id\":%zu,"
                      "\"Bytes\":%zu,\"Total Allocated\":%zu}}",
                      i == 1 ? '[' : ',', i * i / 3 % devices, i, i);
    }
    zv_sink_text(&sink, "]");
    fail_memory_start(0);
    assert_int_equal(zv_profiler_read(&trace, (struct zv_slice){text.data, text.size}, NULL),
                     ZV_OK);
    const size_t peak = fail_memory.peak;
    for (size_t device = 0; device < trace.device_count; device++) {
        const struct zv_trace_device *const part = &trace.devices[device];
        for (size_t i = 0; i < part->event_count; i++, seen++) {
            const size_t number = part->events[i].bytes;
            assert_int_equal(number * number / 3 % devices, device);
            assert_true(number > last[device]); /* in the order of the file */
            assert_int_equal(trace.totals[seen].allocated_bytes, number);
            assert_int_equal(trace.totals[seen].device, device);
            last[device] = number;
        }
    }
    assert_int_equal(seen, MANY);
    zv_trace_close(&trace);
    fail_memory_stop();
    zv_buffer_free(&text);
    return peak;
}

/* Several devices take no second table of events. */
static void test_devices_apart(void **state)
{
    (void)state;
    const size_t one = peak_of(1);
    for (size_t devices = 2; devices <= 8; devices++) {
        assert_in_range(peak_of(devices), one, one + MANY * sizeof(uint32_t) + 4096);
    }
}

/* One thread's events after another's, as Chrome traces have them: in order of time, of one time
 * as in the file; totals beside them. Devices stay apart. */
static void test_threads_in_one_order(void **state)
{
    (void)state;
    static const struct {
        unsigned device;
        unsigned time;
        unsigned bytes;
    } events[] = {{0, 10, 1}, {1, 40, 2}, {0, 30, 3}, {0, 50, 4},
                  {1, 20, 5}, {0, 20, 6}, {0, 30, 7}};
    static const unsigned order[] = {1, 6, 3, 7, 4, 5, 2};
    enum { ROWS = sizeof events / sizeof events[0] };
    struct zv_buffer text = {.limit = 1 << 16};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct zv_trace trace = {0};
    for (size_t i = 0; i < ROWS; i++) {
        zv_sink_print(&sink,
                      "%c{\"name\":\"[memory]\",\"ts\":%u,\"args\":{\"Device Type\":1,"
                      "\"Device Id\":%u,\"Bytes\":%u,\"Total Allocated\":%u}}",
                      i == 0 ? '[' : ',', events[i].time, events[i].device, events[i].bytes,
                      events[i].bytes * 10);
    }
    zv_sink_text(&sink, "]");
    for (size_t n = 1;; n++) {
        struct zv_error err = {0};
        fail_memory_start(n);
        const enum zv_status status =
            zv_profiler_read(&trace, (struct zv_slice){text.data, text.size}, &err);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
        zv_trace_close(&trace);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        trace = (struct zv_trace){0};
    }
    assert_int_equal(trace.event_count, ROWS);
    assert_int_equal(trace.devices[0].event_count, 5);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(trace.events[i].bytes, order[i]);
        assert_int_equal(trace.totals[i].allocated_bytes, order[i] * 10);
        assert_int_equal(trace.totals[i].device, i >= 5);
    }
    zv_trace_close(&trace);
    fail_memory_stop();
    zv_buffer_free(&text);
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_trace trace = {0};
        struct zv_error err = {0};
        fail_memory_start(n);
        const enum zv_status status = zv_profiler_read(&trace, zv_slice_of(chrome), &err);
        zv_trace_close(&trace);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, err.status);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chrome),        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_timeline),      cmocka_unit_test(test_prefixes_and_changes),
        cmocka_unit_test(test_devices_apart), cmocka_unit_test(test_threads_in_one_order),
        cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("profiler", tests, NULL, NULL);
}
