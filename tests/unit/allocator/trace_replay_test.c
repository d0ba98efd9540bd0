#include "allocator/trace_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator/config.h"
#include "base/file.h"
#include "support/fail_memory.h"
#include "support/test.h"
#include "trace/snapshot.h"

struct proof {
    struct zv_trace_replay result;
    struct zv_trace_usage end;  /* after the last event */
    struct zv_trace_usage file; /* sums of the file */
    uint64_t stray;
};

static void keep_usage(void *context, size_t event, const struct zv_trace_usage *usage)
{
    (void)event;
    *(struct zv_trace_usage *)context = *usage;
}

static enum zv_status prove(struct proof *proof, const char *path, struct zv_error *err)
{
    struct zv_file file;
    struct zv_trace trace = {0};
    struct zv_trace_start start = {0};
    struct zv_trace_rules rules;
    struct allocator_config config;
    *proof = (struct proof){0};
    enum zv_status status = zv_file_open(&file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    status = zv_snapshot_read(&trace, zv_file_slice(&file), err);
    zv_file_close(&file);
    const size_t device = trace.device_count == 2 ? 1 : 0;
    const enum zv_torch_profile profile = zv_trace_profile(&trace);
    const char *const conf = zv_trace_text(&trace, trace.settings.conf).at;
    if (status == ZV_OK) {
        status = zv_trace_rules(&rules, &config, profile, conf, err);
        status = status == ZV_OK ? zv_trace_start(&start, &trace, device, &rules, err) : status;
    }
    if (status == ZV_OK) {
        const struct zv_trace_replay_options options = {
            .profile = profile, .conf = conf, .on_usage = keep_usage, .context = &proof->end};
        status = zv_trace_replay(&proof->result, &trace, device, &start, &options, err);
        proof->stray = start.stray_events;
    }
    for (size_t i = 0; i < trace.segment_count; i++) {
        proof->file.allocated_bytes += trace.segments[i].allocated_bytes;
        proof->file.active_bytes += trace.segments[i].active_bytes;
        proof->file.requested_bytes += trace.segments[i].requested_bytes;
        proof->file.reserved_bytes += trace.segments[i].bytes;
    }
    zv_trace_start_close(&start);
    zv_trace_close(&trace);
    return status;
}

struct row {
    const char *name;
    size_t events;
    size_t total_events;
    size_t allocations;
    size_t segments;
};

static void check(const struct row *row, const char *path)
{
    struct proof proof;
    struct zv_error err = {0};
    assert_int_equal(prove(&proof, path, &err), ZV_OK);
    const struct zv_trace_replay *const result = &proof.result;
    if (result->events != row->events || result->allocations != row->allocations) {
        fail_msg("%s: %zu of %zu events, %s", row->name, result->events, result->total_events,
                 result->why != NULL ? result->why : "exact");
    }
    assert_int_equal(result->total_events, row->total_events);
    assert_int_equal(result->segments, row->segments);
    assert_int_equal(result->exact, row->events == row->total_events);
    assert_int_equal(result->why == NULL, result->exact);
    assert_int_equal(proof.stray, 0);
    if (result->exact && row->total_events != 0) {
        assert_int_equal(proof.end.allocated_bytes, proof.file.allocated_bytes);
        assert_int_equal(proof.end.active_bytes, proof.file.active_bytes);
        assert_int_equal(proof.end.reserved_bytes, proof.file.reserved_bytes);
        assert_int_equal(proof.end.requested_bytes, proof.file.requested_bytes);
    }
}

static void test_small(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"gen0", 5, 5, 2, 1},          {"gen1", 5, 5, 2, 1},    {"gen2", 5, 5, 2, 1},
        {"gen3", 5, 5, 2, 1},          {"gen4", 5, 5, 2, 1},    {"gen5", 5, 5, 2, 1},
        {"gen6", 5, 5, 2, 1},          {"pending", 1, 1, 0, 0}, {"expandable", 2, 2, 1, 1},
        {"second-device", 5, 5, 2, 1}, {"empty", 0, 0, 0, 0},   {"bare-list", 0, 0, 0, 0},
    };
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/%s.pickle",
                       root != NULL ? root : ".", rows[i].name);
        check(&rows[i], path);
    }
}

/* Public files of real runs: every one exact, but for the one that is known not to be. */
static void test_real(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"g0-block-history", 1, 1, 0, 0},
        {"g0-near-full", 1, 1, 0, 0},
        {"g1-no-history", 0, 0, 0, 0},
        {"g3-settings", 1, 1, 0, 0},
        {"g4-forward-42gib", 7600, 7600, 3368, 0},
        {"g4-forward-fp32", 2043, 2043, 681, 0},
        {"g4-small-complete", 97, 97, 36, 9},
        {"g5-complete-history", 23105, 23105, 7946, 61},
        {"g6-from-start", 9670, 9670, 3221, 9},
        {"g6-idle-cache", 5163, 5163, 1721, 0},
        {"g6-inexact-event-179", 179, 22332, 91, 0},
        {"g6-train-fragmented", 22331, 22331, 7591, 0},
        {"g6-train", 6486, 6486, 2162, 0},
    };
    const char *const truth = getenv("ZIRVE_TRUTH_DIR");
    if (truth == NULL) {
        (void)printf("# SKIP: no ZIRVE_TRUTH_DIR: real snapshots are not replayed\n");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/data/snapshots/%s.pickle", truth, rows[i].name);
        check(&rows[i], path);
    }
}

static void test_memory(void **state)
{
    (void)state;
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/expandable.pickle",
                   root != NULL ? root : ".");
    for (size_t n = 1;; n++) {
        struct proof proof;
        fail_memory_start(n);
        const enum zv_status status = prove(&proof, path, NULL);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        if (fail_memory.failed == 0) {
            assert_true(proof.result.exact);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_real),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("trace_replay", tests, NULL, NULL);
}
