/* zirve replay: an op list or a record under one or several settings and cards. */
#include <string.h>

#include "allocator/replay.h"
#include "allocator/trace_record.h"
#include "base/fail.h"
#include "base/file.h"
#include "cli/card_files.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/replay_against.h"
#include "cli/replay_case.h"
#include "cli/replay_plan.h"
#include "cli/replay_record.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "explain/settings.h"
#include "report/memory_summary.h"
#include "report/report_explain.h"
#include "report/report_replay.h"
#include "trace/snapshot_write.h"

static const struct option_spec options[] = {
    {"Replay", "alloc-conf", "pytorch-alloc-conf pytorch-cuda-alloc-conf", "CONF",
     "settings as in PYTORCH_ALLOC_CONF; repeat to compare", OPTION_LIST},
    {"Replay", "capacity", NULL, "SIZE", "memory of the card, such as 24GB; repeat to compare",
     OPTION_LIST},
    {"Replay", "card", NULL, "NAME",
     "a card from 'zirve cards': the lowest size a runtime was seen to have; repeat to compare",
     OPTION_LIST},
    {"Replay", "baseline", NULL, "SIZE", "memory of the card that others use", OPTION_VALUE},
    {"Replay", "torch", NULL, "VERSION",
     "the PyTorch whose allocator it is (2.6); repeat to compare", OPTION_LIST},
    {"Replay", "policy", NULL, "POLICY",
     "caching, cuda-malloc-async or direct (caching); repeat to compare", OPTION_LIST},
    {"Replay", "advise", NULL, NULL,
     "try settings that change fragmentation, and the best of two kinds together; best first (one "
     "card, no --alloc-conf)",
     OPTION_FLAG},
    {"Replay", "budget", NULL, "N",
     "of --advise: at most N replays, or none begun after so many seconds (30s)", OPTION_VALUE},
    {"Replay", "against", NULL, "FILE",
     "instead of running it: compare its requests with this file's, by order, size and lifetime; "
     "exit status 1 when they differ",
     OPTION_VALUE},
    {"Replay", "device", NULL, "N", "device of a record (the one with most events)", OPTION_VALUE},
    {"Results", "write-ops", NULL, "FILE", "the record's requests as an op list", OPTION_VALUE},
    {"Results", "snapshot", NULL, "FILE",
     "the run as a memory snapshot that PyTorch's viewer reads (one run)", OPTION_VALUE},
    {"Results", "stats", NULL, NULL, "torch.cuda.memory_stats() at the end", OPTION_FLAG},
    {"Results", "summary", NULL, NULL, "torch.cuda.memory_summary() at the end", OPTION_FLAG},
    {"Results", "counters", NULL, "FILE", "counters after every operation (tab-separated)",
     OPTION_VALUE},
    {"Results", "events", NULL, "FILE", "every entry of the allocator's trace (tab-separated)",
     OPTION_VALUE},
    {"Results", "case", NULL, "DIR",
     "compare with what a real allocator answered; exit status 1 when it differs", OPTION_LIST},
};

static struct zv_allocator_options allocator_options(const struct report_replay *run)
{
    return (struct zv_allocator_options){
        .policy = run->policy,
        .profile = run->profile,
        .conf = run->conf,
        .capacity_bytes = run->capacity_bytes != 0 ? run->capacity_bytes : REPLAY_NO_LIMIT,
        .baseline_bytes = run->baseline_bytes};
}

/* counters and events may be NULL. */
static enum zv_status run_one(struct report_replay *run, struct zv_arena *arena,
                              struct zv_slice ops, struct zv_sink *counters, struct zv_sink *events,
                              struct zv_error *err)
{
    const struct zv_allocator_options made = allocator_options(run);
    struct zv_replay replay;
    enum zv_status status = zv_replay_open(&replay, &made, events, err);
    if (status == ZV_OK) {
        run->policy = zv_allocator_policy(replay.allocator);
        replay.arena = arena;
        status = zv_replay_run(&replay, ops, counters, err);
    }
    run->outcome = replay.outcome;
    zv_replay_close(&replay);
    return status;
}

static enum zv_status run_all(struct replay_runs *runs, const struct arguments *args,
                              struct zv_slice ops, struct zv_error *err)
{
    struct result_file counters = {0};
    struct result_file events = {0};
    const char *const counters_path = arguments_value(args, "counters");
    const char *const events_path = arguments_value(args, "events");
    if (runs->count > 1 && (counters_path != NULL || events_path != NULL)) {
        return zv_fail(err, ZV_E_USAGE, "--counters and --events need one run, not %zu",
                       runs->count);
    }
    enum zv_status status = result_file_open(&counters, counters_path, err);
    if (status == ZV_OK) {
        status = result_file_open(&events, events_path, err);
    }
    const uint64_t begin = replay_now_us();
    for (size_t i = 0; i < runs->count && status == ZV_OK; i++) {
        status =
            run_one(&runs->at[i], &runs->arena, ops, counters_path != NULL ? &counters.sink : NULL,
                    events_path != NULL ? &events.sink : NULL, err);
        if (status == ZV_OK && runs->advises && i + 1 == runs->count) {
            status = replay_plan_next(runs, begin, err);
        }
    }
    if (status == ZV_OK) {
        status = result_file_keep(&counters, err);
    }
    if (status == ZV_OK) {
        status = result_file_keep(&events, err);
    }
    result_file_close(&counters);
    result_file_close(&events);
    return status;
}

/* Lines of the op list that was made of a record mean nothing to the reader; its events do. */
static void name_events(struct replay_runs *runs)
{
    for (size_t i = 0; i < runs->count && runs->record.is_record; i++) {
        struct report_replay *const run = &runs->at[i];
        run->record = &runs->record.record;
        run->oom_event = zv_requests_event(&runs->record.requests, run->outcome.first_oom.line);
    }
}

static void write_results(const struct replay_runs *runs, const struct arguments *args,
                          struct output *out)
{
    const bool stats = arguments_has(args, "stats");
    const bool summary = arguments_has(args, "summary");
    const struct report_replay_advice advice = {
        .is_cut = runs->is_cut, .placement = runs->has_placement ? &runs->placement : NULL};
    if (out->json) {
        report_replays_json(&out->sink, runs->at, runs->count, stats,
                            runs->advises ? &advice : NULL);
        return;
    }
    if (runs->advises && !stats && !summary) {
        if (runs->record.is_record) {
            report_proof_text(&out->sink, &out->style, &runs->record.record);
        }
        report_replay_advice_text(&out->sink, &out->style, runs->at, runs->count, &advice);
        return;
    }
    if (!stats && !summary) {
        report_replays_text(&out->sink, &out->style, runs->at, runs->count);
    }
    for (size_t i = 0; i < runs->count && (stats || summary); i++) {
        if (runs->count > 1) {
            zv_sink_print(&out->sink, "[%zu] %s\n", i + 1, runs->at[i].conf);
        }
        if (summary) {
            report_memory_summary(&out->sink, &runs->at[i].outcome.stats, 0, false);
        }
        if (stats) {
            const struct zv_replay_outcome *const outcome = &runs->at[i].outcome;
            const struct report_stats all = {&outcome->stats, runs->at[i].profile, outcome->pools,
                                             outcome->pool_count};
            report_memory_stats(&out->sink, &all);
        }
    }
}

/* What a perfect plan of the requests would need, failed ones served too. More of them than it can
 * be told of are no failure. */
static enum zv_status read_placement(struct replay_runs *runs, struct zv_slice ops,
                                     struct zv_error *err)
{
    const struct zv_record_options unlimited = {0};
    struct zv_record record;
    struct zv_error own = {0};
    enum zv_status status = zv_record_of_ops(&record, ops, &unlimited, &own);
    if (status == ZV_OK && zv_record_device(&record)->event_count <= ZV_LIVES_MAX_EVENTS) {
        status = zv_placement_make_fast(&runs->placement, &record, &runs->arena, &own);
        runs->has_placement = status == ZV_OK;
    }
    zv_record_close(&record);
    if (status == ZV_E_NOMEM) {
        *err = own;
    }
    return status == ZV_E_NOMEM ? status : ZV_OK;
}

static enum zv_status write_ops_file(const struct replay_runs *runs, const struct arguments *args,
                                     struct zv_error *err)
{
    struct result_file file = {0};
    const char *const path = arguments_value(args, "write-ops");
    if (path == NULL) {
        return ZV_OK;
    }
    if (!runs->record.is_record) {
        return zv_fail(err, ZV_E_USAGE, "--write-ops needs a record, not an op list");
    }
    enum zv_status status = result_file_open(&file, path, err);
    if (status == ZV_OK) {
        zv_sink_write(&file.sink, runs->record.requests.ops.data, runs->record.requests.ops.size);
        status = result_file_keep(&file, err);
    }
    result_file_close(&file);
    return status;
}

/* The one run, recorded. */
static enum zv_status write_snapshot(const struct replay_runs *runs, const struct arguments *args,
                                     struct zv_slice ops, struct zv_error *err)
{
    struct result_file file = {0};
    struct zv_trace trace = {0};
    const struct report_replay *const run = &runs->at[0];
    const char *const path = arguments_value(args, "snapshot");
    const struct zv_allocator_options made = allocator_options(run);
    if (path == NULL) {
        return ZV_OK;
    }
    if (runs->count > 1) {
        return zv_fail(err, ZV_E_USAGE, "--snapshot needs one run, not %zu", runs->count);
    }
    enum zv_status status = result_file_open(&file, path, err);
    status = status == ZV_OK ? zv_trace_record(&trace, ops, &made, err) : status;
    if (status == ZV_OK && runs->record.is_record &&
        !zv_trace_mark(&trace, ZV_TRACE_EMULATED,
                       zv_slice_of("the requests of a record, run on the simulated card"), err)) {
        status = ZV_E_NOMEM;
    }
    status = status == ZV_OK ? zv_snapshot_write(&file.sink, &trace, err) : status;
    status = status == ZV_OK ? result_file_keep(&file, err) : status;
    result_file_close(&file);
    zv_trace_close(&trace);
    return status;
}

static enum zv_status replay_file(struct replay_runs *runs, const struct arguments *args,
                                  struct zv_slice file, struct zv_error *err)
{
    enum zv_status status = replay_record_open(&runs->record, file, args, err);
    if (status != ZV_OK) {
        return zv_fail_where(err, args->operands[0]);
    }
    const struct zv_buffer *const ops = &runs->record.requests.ops;
    if (runs->record.is_record) {
        file = (struct zv_slice){ops->data, ops->size};
    }
    status = write_ops_file(runs, args, err);
    status = status == ZV_OK ? replay_plan(runs, args, err) : status;
    status = status == ZV_OK ? replay_budget_read(&runs->budget, args, err) : status;
    runs->advises = arguments_has(args, "advise");
    static const char *const alone[] = {"counters", "events", "snapshot"};
    for (size_t i = 0; i < 3 && runs->advises; i++) {
        if (arguments_has(args, alone[i])) {
            return zv_fail(err, ZV_E_USAGE, "--%s needs one run, not the many of --advise",
                           alone[i]);
        }
    }
    if (status == ZV_OK && runs->advises && runs->count != 1) {
        return zv_fail(err, ZV_E_USAGE,
                       "--advise tries settings itself: one card and no --alloc-conf beside it");
    }
    status = status == ZV_OK ? run_all(runs, args, file, err) : status;
    status = status == ZV_OK ? write_snapshot(runs, args, file, err) : status;
    if (status != ZV_OK && err->line != 0) {
        (void)zv_fail_where(err, args->operands[0]);
    }
    name_events(runs);
    if (status == ZV_OK && runs->advises) {
        report_replay_rank(runs->at, runs->count);
        status = read_placement(runs, file, err);
    }
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct replay_runs runs;
    struct zv_file file;
    if (arguments_has(args, "case")) {
        return replay_cases(args, out, err);
    }
    if (args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one op list or record ('-' for standard input)");
    }
    if (arguments_has(args, "against")) {
        return replay_against(args, out, err);
    }
    enum zv_status status = input_file_open(&file, args->operands[0], err);
    if (status == ZV_OK) {
        status = replay_file(&runs, args, zv_file_slice(&file), err);
        zv_file_close(&file);
    }
    if (status == ZV_OK) {
        write_results(&runs, args, out);
    }
    if (runs.has_cards) {
        card_files_close(&runs.cards);
    }
    replay_record_close(&runs.record);
    zv_arena_free(&runs.arena);
    return status;
}

const struct verb verb_replay = {
    .name = "replay",
    .question = "what if another setting, another card?",
    .usage = "[options] OPS | SNAPSHOT | TRACE",
    .about =
        "Runs what a program asked of its allocator (an op list: one allocation, free or "
        "synchronisation a line) through PyTorch's caching allocator over a simulated card, under "
        "one or several settings, and prints the outcomes side by side. The allocator of PyTorch "
        "2.6 is reproduced event by event; the one of 2.14 is written from its sources and "
        "unchecked; cuda-malloc-async is a lower bound. Without --capacity or --card the card "
        "never fills. A record (a memory snapshot, or a profiler trace) first proves itself: it is "
        "run under its own settings and every address compared; then its requests meet the "
        "settings that are asked for, from an empty allocator.",
    .examples = "  zirve replay ops.txt --capacity 24GB\n"
                "  zirve replay ops.txt --card 4090 --alloc-conf \"\" --alloc-conf "
                "expandable_segments:True\n"
                "  zirve replay ops.txt --capacity 8GB --summary\n"
                "  zirve replay ops.txt --capacity 8GB --counters after.tsv --events trace.tsv\n"
                "  zirve replay snapshot.pickle --card 4090 --alloc-conf \"\" --alloc-conf "
                "expandable_segments:True\n"
                "  zirve replay snapshot.pickle --card 4090 --advise\n"
                "  zirve replay snapshot.pickle --against ops.txt\n"
                "  zirve replay --case golden/mixed-gc\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
