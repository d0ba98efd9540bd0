/* The lives of a record at any instant are the heap that undoing finds there. */
#include "explain/lives.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "explain/heap.h"
#include "support/fail_memory.h"
#include "support/test.h"

static void open_record(struct zv_record *record, const char *path)
{
    struct zv_file file;
    struct zv_error err = {0};
    const struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    assert_int_equal(zv_file_open(&file, path, &err), ZV_OK);
    assert_int_equal(zv_record_open(record, zv_file_slice(&file), &options, &err), ZV_OK);
    zv_file_close(&file);
}

static bool is_there(uint32_t born, uint32_t died, size_t instant)
{
    return born <= instant && instant < died;
}

/* Bytes of blocks and of segments that are there. */
static void sum_lives(const struct zv_lives *lives, size_t instant, struct zv_trace_usage *usage,
                      size_t *blocks)
{
    *usage = (struct zv_trace_usage){0};
    *blocks = 0;
    for (size_t i = 0; i < lives->block_count; i++) {
        const struct zv_life *const life = &lives->blocks[i];
        if (is_there(life->born, life->died, instant)) {
            usage->active_bytes += life->bytes;
            usage->allocated_bytes += life->freed > instant ? life->bytes : 0;
            usage->requested_bytes += life->requested_bytes;
            (*blocks)++;
        }
    }
    for (size_t i = 0; i < lives->span_count; i++) {
        if (is_there(lives->spans[i].born, lives->spans[i].died, instant)) {
            usage->reserved_bytes += lives->spans[i].bytes;
        }
    }
}

static void assert_same(const struct zv_record *record, const struct zv_lives *lives,
                        size_t instant)
{
    struct zv_arena arena = {0};
    struct zv_heap heap;
    struct zv_trace_usage usage;
    size_t blocks;
    size_t expected = 0;
    sum_lives(lives, instant, &usage, &blocks);
    assert_int_equal(zv_heap_at(&heap, record, instant, &arena, NULL), ZV_OK);
    for (size_t i = 0; i < heap.block_count; i++) {
        expected += heap.blocks[i].state != ZV_BLOCK_FREE;
    }
    assert_int_equal(blocks, expected);
    assert_int_equal(usage.active_bytes, heap.usage.active_bytes);
    assert_int_equal(usage.allocated_bytes, heap.usage.allocated_bytes);
    assert_int_equal(usage.requested_bytes, heap.usage.requested_bytes);
    assert_int_equal(usage.reserved_bytes, heap.usage.reserved_bytes);
    assert_int_equal(usage.allocated_bytes, lives->allocated_bytes[instant]);
    assert_int_equal(usage.active_bytes, lives->active_bytes[instant]);
    assert_int_equal(usage.reserved_bytes, lives->reserved_bytes[instant]);
    zv_arena_free(&arena);
}

/* At `most` instants, the first and the last among them. */
static void check_file(const char *path, size_t most)
{
    struct zv_record record;
    struct zv_lives lives;
    struct zv_error err = {0};
    open_record(&record, path);
    assert_int_equal(zv_lives_make(&lives, &record, &err), ZV_OK);
    const size_t last = lives.instant_count - 1;
    const size_t step = last / most + 1;
    for (size_t instant = 0; instant < last; instant += step) {
        assert_same(&record, &lives, instant);
    }
    assert_same(&record, &lives, last);
    zv_lives_close(&lives);
    zv_record_close(&record);
}

static void test_small_files(void **state)
{
    (void)state;
    static const char *const names[] = {"gen0", "gen1",  "gen3",       "gen4",    "gen5",
                                        "gen6", "empty", "expandable", "pending", "second-device"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/%s.pickle",
                       getenv("ZIRVE_SOURCE_DIR"), names[i]);
        check_file(path, SIZE_MAX);
    }
}

static void test_real_files(void **state)
{
    (void)state;
    static const char *const names[] = {
        "g0-block-history",     "g4-forward-42gib",    "g4-small-complete",
        "g5-complete-history",  "g6-from-start",       "g6-idle-cache",
        "g6-inexact-event-179", "g6-train-fragmented", "g6-train"};
    const char *const folder = getenv("ZIRVE_TRUTH_DIR");
    if (folder == NULL) {
        (void)printf("# SKIP: no ZIRVE_TRUTH_DIR: real records are not read\n");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/data/snapshots/%s.pickle", folder, names[i]);
        check_file(path, 60);
    }
}

/* A part of a mapped range goes: what is left on either side lives on. */
static void test_unmap_in_the_middle(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    struct zv_record record = {.trace = {.source = ZV_TRACE_FROM_SNAPSHOT, .device_count = 1}};
    const struct zv_trace_event events[] = {
        {.address = 1 << 30, .bytes = 60 * MIB, .action = ZV_TRACE_SEGMENT_MAP},
        {.address = (1 << 30) + 20 * MIB, .bytes = 20 * MIB, .action = ZV_TRACE_SEGMENT_UNMAP},
        {.address = 1 << 30, .bytes = 60 * MIB, .action = ZV_TRACE_SEGMENT_UNMAP}};
    uint64_t streams[] = {0};
    struct zv_trace_device device = {.events = events, .event_count = 3};
    struct zv_lives lives;
    struct zv_error err = {0};
    struct zv_trace_usage usage;
    size_t blocks;
    record.trace.devices = &device;
    record.trace.streams = streams;
    record.trace.stream_count = 1;
    record.conf = "expandable_segments:True";
    assert_int_equal(zv_trace_rules(&record.rules, &record.config, ZV_TORCH_2_6, record.conf, &err),
                     ZV_OK);
    assert_int_equal(zv_lives_make(&lives, &record, &err), ZV_OK);
    assert_int_equal(lives.span_count, 3);
    static const uint64_t expected[] = {0, 60, 40, 0};
    for (size_t i = 0; i < 4; i++) {
        sum_lives(&lives, i, &usage, &blocks);
        assert_int_equal(usage.reserved_bytes, expected[i] * MIB);
    }
    assert_int_equal(lives.spans[1].address, 1 << 30);
    assert_int_equal(lives.spans[1].born, 2);
    zv_lives_close(&lives);
}

static void test_memory_runs_short(void **state)
{
    (void)state;
    char path[512];
    struct zv_record record;
    (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/expandable.pickle",
                   getenv("ZIRVE_SOURCE_DIR"));
    open_record(&record, path);
    for (size_t n = 1;; n++) {
        struct zv_lives lives;
        struct zv_error err = {0};
        fail_memory_start(n);
        const enum zv_status status = zv_lives_make(&lives, &record, &err);
        zv_lives_close(&lives);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
    zv_record_close(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_files),
        cmocka_unit_test(test_real_files),
        cmocka_unit_test(test_unmap_in_the_middle),
        cmocka_unit_test(test_memory_runs_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
