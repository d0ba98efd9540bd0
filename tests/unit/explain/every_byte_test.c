/*
 * Every single-byte change of a file of up to 2 KiB, all 255 of each byte: a snapshot, a capture, a
 * profiler's trace, a memory timeline. Each is read and asked everything that zirve explain and
 * view ask, or ends in an error that says why; all memory comes back, and there is not much of it.
 */
#include <malloc.h>
#include <string.h>

#include "allocator/trace_record.h"
#include "base/buffer.h"
#include "explain/cause.h"
#include "explain/groups.h"
#include "explain/habits.h"
#include "explain/lives.h"
#include "explain/record.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/capture.h"
#include "trace/snapshot_write.h"

enum { MOST_MEMORY = 4 << 20, MOST_FILE = 2048 };

/* A sanitizer makes a reading some thirty times slower: then 19 of the 255 changes of a byte. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { STEP = 14 };
#else
enum { STEP = 1 };
#endif

static enum zv_status ask_heap(const struct zv_record *record, const struct zv_heap *heap,
                               struct zv_arena *arena, struct zv_error *err)
{
    struct zv_groups groups;
    struct zv_habits habits;
    enum zv_status status = ZV_OK;
    for (unsigned by = 0; by < ZV_GROUP_PATTERN && status == ZV_OK; by++) {
        const struct zv_grouping how = {(enum zv_group_by)by, NULL};
        status = zv_groups_make(&groups, record, heap, how, arena, err);
    }
    return status == ZV_OK && record->has_history ? zv_habits_make(&habits, record, arena, err)
                                                  : status;
}

static enum zv_status ask(const struct zv_record *record, struct zv_arena *arena,
                          struct zv_error *err)
{
    struct zv_cause cause;
    struct zv_heap heap;
    struct zv_groups groups;
    struct zv_lives lives = {0};
    enum zv_status status = zv_cause_make(&cause, &heap, record, 0, arena, err);
    if (status == ZV_OK && record->trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        status = ask_heap(record, &heap, arena, err);
    }
    if (status == ZV_OK && record->trace.source == ZV_TRACE_FROM_TIMELINE) {
        status = zv_groups_of_timeline(&groups, record, 1, arena, err);
    }
    status = status == ZV_OK ? zv_lives_make(&lives, record, err) : status;
    zv_lives_close(&lives);
    return status;
}

static enum zv_status explain(struct zv_slice file)
{
    struct zv_record record;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    fail_memory_start(0);
    enum zv_status status = zv_record_open(&record, file, &options, &err);
    status = status == ZV_OK ? ask(&record, &arena, &err) : status;
    zv_record_close(&record);
    zv_arena_free(&arena);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
    assert_true(fail_memory.peak <= MOST_MEMORY);
    assert_int_equal(status, err.status);
    assert_true(status == ZV_OK || (status != ZV_E_BUG && err.text[0] != 0));
    return status;
}

/* Tries all changes and frees the file. */
static void change(struct zv_buffer *file)
{
    const struct zv_slice whole = {file->data, file->size};
    size_t refused = 0;
    assert_in_range(whole.length, 900, MOST_FILE);
    assert_int_equal(explain(whole), ZV_OK);
    for (size_t at = 0; at < whole.length; at++) {
        const char before = file->data[at];
        for (unsigned flip = 1; flip < 256; flip += STEP) {
            file->data[at] = (char)((unsigned char)before ^ flip);
            refused += explain(whole) != ZV_OK;
        }
        file->data[at] = before;
    }
    assert_in_range(refused, 1, whole.length * 255 - 1); /* some are seen, some are other numbers */
    zv_buffer_free(file);
}

/* What a run of so many allocations leaves, half of them freed, on two streams. */
static void record_run(struct zv_trace *trace, unsigned allocations)
{
    struct zv_buffer ops = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&ops);
    for (unsigned i = 1; i <= allocations; i++) {
        zv_sink_print(&sink, "a %u %u %u\n", i, i * 700001 % 4000000, i % 2);
        if (i > 2 && i % 2 == 0) {
            zv_sink_print(&sink, "f %u\n", i - 1);
        }
    }
    const struct zv_allocator_options options = {.conf = "", .capacity_bytes = UINT64_C(1) << 40};
    const struct zv_slice text = {ops.data, ops.size};
    assert_int_equal(zv_trace_record(trace, text, &options, NULL), ZV_OK);
    zv_buffer_free(&ops);
}

static void test_snapshot(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    struct zv_buffer file = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&file);
    record_run(&trace, 5);
    assert_int_equal(zv_snapshot_write(&sink, &trace, NULL), ZV_OK);
    zv_trace_close(&trace);
    change(&file);
}

static void test_capture(void **state)
{
    (void)state;
    struct zv_trace trace = {0};
    struct zv_buffer file = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&file);
    struct zv_trace_rules rules;
    struct allocator_config config;
    record_run(&trace, 28);
    assert_int_equal(zv_trace_rules(&rules, &config, ZV_TORCH_2_6, "", NULL), ZV_OK);
    assert_int_equal(zv_capture_write(&sink, &trace, 0, &rules, NULL), ZV_OK);
    zv_trace_close(&trace);
    change(&file);
}

static void test_profiler(void **state)
{
    (void)state;
    struct zv_buffer file = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&file);
    zv_sink_text(&sink, "{\"deviceProperties\":[{\"id\":0,\"totalGlobalMem\":85899345920}],"
                        "\"traceEvents\":[{\"ph\":\"X\",\"name\":\"aten::mm\",\"args\":{}}");
    for (int i = 0; i < 6; i++) {
        zv_sink_print(
            &sink,
            ",{\"name\":\"[memory]\",\"ts\":17%d.5,\"args\":{\"Device Type\":1,\"Device Id\":"
            "%d,\"Addr\":1396379767275%d2,\"Bytes\":%s4096,\"Total Allocated\":%d,\"Total "
            "Reserved\":2097152}}",
            i, i % 3 == 2, i / 2, i % 2 == 0 ? "" : "-", i % 2 == 0 ? 4096 : 0);
    }
    zv_sink_text(&sink, "]}");
    change(&file);
}

static void test_timeline(void **state)
{
    (void)state;
    struct zv_buffer file = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&file);
    for (int i = 0; i < 52; i++) {
        zv_sink_print(&sink, "%c[%d,%d,%d,%d]", i == 0 ? '[' : ',', i == 0 ? -1 : 1000 * i,
                      1 + i % 4, 4096 * (1 + i / 4) * (i % 4 == 2 ? -1 : 1), i % 8);
    }
    zv_sink_text(&sink, "]");
    change(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_profiler),
        cmocka_unit_test(test_timeline),
    };
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 26); /* a million readings: the heap stays */
    return cmocka_run_group_tests_name("every_byte", tests, NULL, NULL);
}
