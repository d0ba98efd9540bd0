/* Real files: totals are the files' own sums, peaks are those that were recorded. */
#include "explain/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "explain/heap.h"
#include "support/test.h"

static const char *truth(void)
{
    const char *const folder = getenv("ZIRVE_TRUTH_DIR");
    if (folder == NULL) {
        (void)printf("# SKIP: no ZIRVE_TRUTH_DIR: real records are not read\n");
    }
    return folder;
}

static void open_record(struct zv_record *record, const char *folder, const char *name)
{
    char path[512];
    struct zv_file file;
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    (void)snprintf(path, sizeof path, "%s/data/%s", folder, name);
    assert_int_equal(zv_file_open(&file, path, &err), ZV_OK);
    assert_int_equal(zv_record_open(record, zv_file_slice(&file), &options, &err), ZV_OK);
    zv_file_close(&file);
}

static void test_end_state(void **state)
{
    (void)state;
    static const char *const names[] = {
        "g0-block-history", "g0-near-full",    "g1-no-history",        "g3-settings",
        "g4-forward-42gib", "g4-forward-fp32", "g4-small-complete",    "g5-complete-history",
        "g6-from-start",    "g6-idle-cache",   "g6-inexact-event-179", "g6-train-fragmented",
        "g6-train"};
    const char *const folder = truth();
    for (size_t i = 0; i < sizeof names / sizeof names[0] && folder != NULL; i++) {
        struct zv_record record;
        struct zv_arena arena = {0};
        struct zv_heap heap;
        char name[128];
        (void)snprintf(name, sizeof name, "snapshots/%s.pickle", names[i]);
        open_record(&record, folder, name);
        const struct zv_trace_device *const device = zv_record_device(&record);
        struct zv_trace_usage sums = {0};
        for (size_t j = 0; j < device->segment_count; j++) {
            sums.allocated_bytes += device->segments[j].allocated_bytes;
            sums.active_bytes += device->segments[j].active_bytes;
            sums.requested_bytes += device->segments[j].requested_bytes;
            sums.reserved_bytes += device->segments[j].bytes;
        }
        assert_int_equal(zv_heap_at(&heap, &record, device->event_count, &arena, NULL), ZV_OK);
        assert_int_equal(heap.usage.allocated_bytes, sums.allocated_bytes);
        assert_int_equal(heap.usage.active_bytes, sums.active_bytes);
        assert_int_equal(heap.usage.requested_bytes, sums.requested_bytes);
        assert_int_equal(heap.usage.reserved_bytes, sums.reserved_bytes);
        zv_arena_free(&arena);
        zv_record_close(&record);
    }
}

/* The heap found by undoing is the heap that the replay has, at the peak and at the start. */
static void test_heap_is_replay(void **state)
{
    (void)state;
    static const char *const names[] = {"g4-forward-42gib",    "g4-small-complete",
                                        "g5-complete-history", "g6-from-start",
                                        "g6-train-fragmented", "g6-train"};
    const char *const folder = truth();
    for (size_t i = 0; i < sizeof names / sizeof names[0] && folder != NULL; i++) {
        struct zv_record record;
        struct zv_arena arena = {0};
        struct zv_heap heap;
        char name[128];
        (void)snprintf(name, sizeof name, "snapshots/%s.pickle", names[i]);
        open_record(&record, folder, name);
        const struct zv_record_peak *const peaks[] = {&record.peak_allocated,
                                                      &record.peak_reserved};
        for (size_t j = 0; j < 2; j++) {
            assert_int_equal(zv_heap_at(&heap, &record, peaks[j]->event, &arena, NULL), ZV_OK);
            assert_int_equal(heap.usage.allocated_bytes, peaks[j]->usage.allocated_bytes);
            assert_int_equal(heap.usage.reserved_bytes, peaks[j]->usage.reserved_bytes);
            assert_int_equal(heap.usage.active_bytes, peaks[j]->usage.active_bytes);
            assert_int_equal(heap.usage.requested_bytes, peaks[j]->usage.requested_bytes);
        }
        zv_arena_free(&arena);
        zv_record_close(&record);
    }
}

static void test_profilers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t events;
        uint64_t allocated;
        uint64_t reserved;
        uint64_t jumps;
    } rows[] = {
        {"traces/v100-train-28010-memory-events.json.gz", 26770, 6629508096, 12782141440, 0},
        {"traces/a100-switch-transformer.json", 870, 9361328640, 9386852352, 0},
        {"traces/v100-2021-no-totals.json.gz", 8220, 2791636480, 0, 0},
        {"traces/memory-timeline.raw.gz", 16845, 3082832104, 0, 0},
    };
    const char *const folder = truth();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && folder != NULL; i++) {
        struct zv_record record;
        open_record(&record, folder, rows[i].name);
        assert_int_equal(zv_record_device(&record)->event_count, rows[i].events);
        assert_int_equal(record.peak_allocated.usage.allocated_bytes, rows[i].allocated);
        assert_int_equal(record.peak_reserved.usage.reserved_bytes, rows[i].reserved);
        assert_int_equal(record.start.stray_events, rows[i].jumps); /* threads are in one order */
        zv_record_close(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_end_state),
                                       cmocka_unit_test(test_heap_is_replay),
                                       cmocka_unit_test(test_profilers)};
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
