/*
 * The golden op lists recorded, written as snapshots, read again and replayed: the whole way there
 * and back, with failed requests, streams and expandable segments, must be exact.
 */
#include "allocator/trace_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator/config.h"
#include "allocator/trace_replay.h"
#include "base/buffer.h"
#include "support/packed_case.h"
#include "support/test.h"
#include "trace/golden_case.h"
#include "trace/snapshot.h"
#include "trace/snapshot_write.h"

static void prove(const char *name, const struct zv_trace *trace)
{
    struct allocator_config config;
    struct zv_trace_rules rules;
    struct zv_trace_start start;
    struct zv_trace_replay result;
    const enum zv_torch_profile profile = ZV_TORCH_2_6;
    const char *const conf = zv_trace_text(trace, trace->settings.conf).at;
    assert_int_equal(zv_trace_rules(&rules, &config, profile, conf, NULL), ZV_OK);
    assert_int_equal(zv_trace_start(&start, trace, 0, &rules, NULL), ZV_OK);
    if (start.segment_count != 0 || start.stray_events != 0) {
        fail_msg("%s: %zu segments before the first event, %llu stray events", name,
                 start.segment_count, (unsigned long long)start.stray_events);
    }
    const struct zv_trace_replay_options options = {.profile = profile, .conf = conf};
    assert_int_equal(zv_trace_replay(&result, trace, 0, &start, &options, NULL), ZV_OK);
    if (!result.exact) {
        fail_msg("%s: exact up to event %zu of %zu (%s): recorded %s of %llu, replayed %s", name,
                 result.events, result.total_events, result.why,
                 zv_allocator_action_name(result.recorded.action),
                 (unsigned long long)result.recorded.size_bytes,
                 result.replayed.action < ZV_ACTION_COUNT
                     ? zv_allocator_action_name(result.replayed.action)
                     : "nothing");
    }
    zv_trace_start_close(&start);
}

static void there_and_back(const char *name)
{
    char path[4096];
    struct packed_case packed;
    struct zv_golden_case facts;
    struct zv_arena arena = {0};
    struct zv_trace trace = {0};
    struct zv_trace again = {0};
    struct zv_error err = {0};
    struct zv_buffer file = {.limit = (size_t)1 << 30};
    struct zv_sink sink = zv_buffer_sink(&file);
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/tests/golden/%s.tar.zst", root != NULL ? root : ".",
                   name);
    assert_true(packed_case_open(&packed, path));
    assert_int_equal(zv_golden_case_read(&facts, packed.input.case_json, &arena, NULL), ZV_OK);
    const struct zv_allocator_options options = {.profile = facts.profile,
                                                 .conf = facts.conf,
                                                 .capacity_bytes = facts.capacity_bytes,
                                                 .baseline_bytes = facts.baseline_bytes};
    assert_int_equal(zv_trace_record(&trace, packed.input.ops, &options, &err), ZV_OK);
    assert_true(trace.event_count > 100);
    assert_int_equal(zv_snapshot_write(&sink, &trace, NULL), ZV_OK);
    assert_false(sink.failed);
    const struct zv_slice written = {file.data, file.size};
    assert_int_equal(zv_snapshot_read(&again, written, &err), ZV_OK);
    assert_int_equal(again.event_count, trace.event_count);
    assert_int_equal(again.segment_count, trace.segment_count);
    assert_int_equal(again.block_count, trace.block_count);
    assert_int_equal(trace.known, ZV_TRACE_EMULATED);
    assert_int_equal(again.known, ZV_TRACE_EMULATED);
    assert_true(zv_slice_equal(zv_trace_text(&again, again.known_by),
                               "an op list, run on the simulated card"));
    again.devices[0].total_bytes = facts.capacity_bytes; /* reservations follow from it */
    prove(name, &again);
    zv_trace_close(&again);
    zv_trace_close(&trace);
    zv_buffer_free(&file);
    zv_arena_free(&arena);
    packed_case_close(&packed);
}

/* Those whose settings and limits a record holds: no fraction, no change of settings. */
static void test_golden_cases(void **state)
{
    (void)state;
    static const char *const names[] = {"edges-default",
                                        "mixed-default",
                                        "mixed-empty-cache",
                                        "mixed-streams",
                                        "mixed-streams-expandable",
                                        "mixed-tight",
                                        "mixed-tight-expandable",
                                        "mixed-tight-maxsplit",
                                        "mixed-maxsplit-nonsplit",
                                        "mixed-roundup-16",
                                        "decode-roundup-list",
                                        "decode-concat-expandable",
                                        "maxsplit-release-available",
                                        "maxsplit-streams-tight",
                                        "expandable-remade",
                                        "train-default",
                                        "train-checkpoint",
                                        "train-varlen-oom",
                                        "train-varlen-oom-expandable",
                                        "train-varlen-maxsplit"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        there_and_back(names[i]);
    }
}

/* A mark that is not understood is no recording. */
static void test_strange_mark(void **state)
{
    (void)state;
    static const char ops[] = "a 1 512 0\nf 1\n";
    const struct zv_allocator_options options = {.conf = "", .capacity_bytes = 1 << 30};
    struct zv_trace trace = {0};
    struct zv_trace again = {0};
    struct zv_error err = {0};
    struct zv_buffer file = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&file);
    assert_int_equal(zv_trace_record(&trace, zv_slice_of(ops), &options, NULL), ZV_OK);
    assert_int_equal(zv_snapshot_write(&sink, &trace, NULL), ZV_OK);
    char *const word = memmem(file.data, file.size, "emulated", 8);
    assert_non_null(word);
    word[0] = 'x';
    const struct zv_slice written = {file.data, file.size};
    assert_int_equal(zv_snapshot_read(&again, written, &err), ZV_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "\"xmulated\""));
    zv_trace_close(&again);
    zv_trace_close(&trace);
    zv_buffer_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_cases),
                                       cmocka_unit_test(test_strange_mark)};
    return cmocka_run_group_tests_name("trace_record", tests, NULL, NULL);
}
