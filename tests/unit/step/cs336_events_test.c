/*
 * Four recorded runs of CS336 students' code on an H100, event by event: the same allocations and
 * frees in the same order, each free of the same allocation. The two that record a whole script are
 * also held to the segments that the run came to.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "support/step_peak.h"
#include "support/test.h"
#include "trace/open.h"

enum { H100_PROCESSORS = 132 };

struct event {
    bool is_free;
    uint32_t of; /* the allocation's number in its record; UINT32_MAX: made before it */
    uint64_t bytes;
};

struct record {
    struct event *at;
    size_t count;
    size_t capacity;
    uint64_t *keys; /* of each allocation: address or id, 0 once it is freed */
    uint32_t made;
};

static void add(struct record *record, bool is_free, uint64_t key, uint64_t bytes)
{
    if (record->count == record->capacity) {
        record->capacity = record->capacity == 0 ? 4096 : record->capacity * 2;
        record->at = realloc(record->at, record->capacity * sizeof *record->at);
        record->keys = realloc(record->keys, record->capacity * sizeof *record->keys);
        assert_non_null(record->at);
        assert_non_null(record->keys);
    }
    struct event event = {is_free, UINT32_MAX, bytes};
    if (!is_free) {
        event.of = record->made;
        record->keys[record->made++] = key;
    }
    for (uint32_t i = record->made; is_free && i-- > 0;) {
        if (record->keys[i] == key) {
            record->keys[i] = 0;
            event.of = i;
            break;
        }
    }
    record->at[record->count++] = event;
}

static void drop(struct record *record)
{
    free(record->at);
    free(record->keys);
    *record = (struct record){.at = NULL};
}

/* Allocations and frees of a snapshot, and what its segments come to. */
static bool read_snapshot(const char *name, struct record *to, uint64_t *reserved, size_t *segments)
{
    const char *const truth = getenv("ZIRVE_TRUTH_DIR"); /* NOLINT(concurrency-mt-unsafe) */
    char path[4096];
    struct zv_error err = {0};
    struct zv_file file;
    (void)snprintf(path, sizeof path, "%s/data/snapshots/%s.pickle", truth != NULL ? truth : "",
                   name);
    if (truth == NULL || zv_file_open(&file, path, &err) != ZV_OK) {
        return false;
    }
    struct zv_trace trace = {0};
    size_t first;
    assert_int_equal(
        zv_trace_open(&trace, zv_file_slice(&file), (struct zv_capture_range){0}, &first, &err),
        ZV_OK);
    const struct zv_trace_device *device = &trace.devices[0];
    for (size_t i = 1; i < trace.device_count; i++) {
        device = trace.devices[i].event_count > device->event_count ? &trace.devices[i] : device;
    }
    for (size_t i = 0; i < device->event_count; i++) {
        const struct zv_trace_event *const event = &device->events[i];
        if (event->action == ZV_TRACE_ALLOC || event->action == ZV_TRACE_FREE_REQUESTED) {
            add(to, event->action != ZV_TRACE_ALLOC, event->address, event->bytes);
        }
    }
    *reserved = 0;
    *segments = device->segment_count;
    for (size_t i = 0; i < device->segment_count; i++) {
        *reserved += device->segments[i].bytes;
    }
    zv_trace_close(&trace);
    zv_file_close(&file);
    return true;
}

struct all {
    struct step_event *at;
    size_t count;
    size_t capacity;
};

static void note(void *context, const struct step_event *event)
{
    struct all *const all = context;
    if (all->count == all->capacity) {
        all->capacity = all->capacity == 0 ? 4096 : all->capacity * 2;
        all->at = realloc(all->at, all->capacity * sizeof *all->at);
        assert_non_null(all->at);
    }
    all->at[all->count++] = *event;
}

static const struct {
    const char *snapshot;
    const char *config;
    const char *settings;
    bool whole; /* the warm-up is the script's own: its segments too */
} cases[] = {
    {"g6-inexact-event-179", "medium512", "batch=4 tokens=512 autocast=bf16", true},
    {"g6-train-fragmented", "medium1024", "batch=4 tokens=1024 autocast=bf16", true},
    {"g6-idle-cache", "small256",
     "batch=32 tokens=256 warmup=1 optimize=false zero_grads=false del_outputs=false", false},
    {"g6-from-start", "small512", "batch=4 tokens=512 warmup=0 steps=5 train=false loss=false",
     false},
};

static void compare(const char *name, const struct record *recorded, const struct record *run)
{
    for (size_t i = 0; i < recorded->count && i < run->count; i++) {
        const struct event *const a = &recorded->at[i];
        const struct event *const b = &run->at[i];
        if (a->is_free != b->is_free || a->of != b->of || a->bytes != b->bytes) {
            fail_msg("%s: event %zu: %s %llu of %u, here %s %llu of %u", name, i,
                     a->is_free ? "free" : "alloc", (unsigned long long)a->bytes, a->of,
                     b->is_free ? "free" : "alloc", (unsigned long long)b->bytes, b->of);
        }
    }
    assert_int_equal(recorded->count, run->count);
}

static void test_events(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record recorded = {.at = NULL};
        struct record run = {.at = NULL};
        struct all all = {NULL, 0, 0};
        struct zv_step_result result;
        struct zv_error err = {0};
        char config[128];
        uint64_t reserved;
        size_t segments;
        if (!read_snapshot(cases[i].snapshot, &recorded, &reserved, &segments)) {
            print_message("# SKIP: no %s: ZIRVE_TRUTH_DIR is not set or has none\n",
                          cases[i].snapshot);
            continue;
        }
        (void)snprintf(config, sizeof config, "tests/data/steps/cs336-%s.json", cases[i].config);
        const struct step_case of = {.config = config,
                                     .habit = "cs336",
                                     .settings = cases[i].settings,
                                     .processors = H100_PROCESSORS,
                                     .on_event = note,
                                     .context = &all};
        if (step_case_run(&of, &result, &err) != ZV_OK) {
            fail_msg("%s:%llu: %s", err.where, (unsigned long long)err.line, err.text);
        }
        assert_true(result.marks[2] <= all.count);
        for (size_t k = result.marks[1]; k < result.marks[2]; k++) {
            add(&run, all.at[k].is_free, all.at[k].id, all.at[k].bytes);
        }
        compare(cases[i].snapshot, &recorded, &run);
        print_message("# %s: %zu events equal\n", cases[i].snapshot, run.count);
        if (cases[i].whole) {
            assert_int_equal(result.peak_reserved_bytes, reserved);
            assert_int_equal(result.segments, segments);
        }
        drop(&recorded);
        drop(&run);
        free(all.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
