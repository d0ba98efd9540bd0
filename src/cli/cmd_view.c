/* zirve view: a record as one page to look at and move through. */
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/record_options.h"
#include "cli/verbs.h"
#include "explain/settings.h"
#include "report/report_view.h"
#include "trace/open.h"

enum { TOP = 20, GROUPINGS = 2, MAX_RUNS = 12 }; /* the settings as they were and 11 others */
#define NO_LIMIT_BYTES (UINT64_C(1) << 48)

static const struct option_spec options[] = {
    RECORD_OPTIONS,
};

struct session {
    struct zv_arena arena;
    struct zv_record record;
    struct zv_cause cause;
    struct zv_heap heap;
    struct zv_lives lives;
    struct report_groups groups[GROUPINGS];
    struct zv_groups categories; /* of a timeline */
    struct zv_heap_parts parts;
    struct report_replay runs[MAX_RUNS];
    struct zv_curve curves[MAX_RUNS];
    size_t run_count;
};

static enum zv_status make_groups(struct session *session, struct zv_error *err)
{
    static const enum zv_group_by by[GROUPINGS] = {ZV_GROUP_FRAME, ZV_GROUP_ROLE};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < GROUPINGS && status == ZV_OK; i++) {
        session->groups[i].by = zv_group_words[by[i]];
        status = zv_groups_make(&session->groups[i].groups, &session->record, &session->heap,
                                (struct zv_grouping){by[i], NULL}, &session->arena, err);
    }
    return status == ZV_OK
               ? zv_heap_parts_make(&session->parts, &session->heap, &session->arena, err)
               : status;
}

/* The last part of a path: folders are nobody's business whom the page is handed to. */
static struct zv_slice name_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return zv_slice_of(strcmp(path, "-") == 0 ? "standard input"
                       : slash != NULL        ? slash + 1
                                              : path);
}

static enum zv_status try_settings(struct session *session, const struct zv_requests *requests,
                                   const char *conf, uint64_t capacity_bytes, struct zv_error *err)
{
    const size_t at = session->run_count++;
    struct report_replay *const run = &session->runs[at];
    *run = (struct report_replay){.profile = session->record.profile,
                                  .conf = conf,
                                  .capacity_bytes = capacity_bytes,
                                  .record = &session->record,
                                  .order = at};
    const struct zv_allocator_options made = {
        .profile = run->profile,
        .conf = conf,
        .capacity_bytes = capacity_bytes != 0 ? capacity_bytes : NO_LIMIT_BYTES};
    const enum zv_status status =
        zv_curve_run(&session->curves[at], &run->outcome, requests, &made, &session->arena, err);
    run->oom_event = zv_requests_event(requests, run->outcome.first_oom.line);
    return status;
}

/* The record's own settings first, then those worth trying; best first at the end. */
static enum zv_status try_all(struct session *session, uint64_t capacity_bytes,
                              struct zv_error *err)
{
    struct zv_requests requests;
    enum zv_status status = zv_requests_make(&requests, &session->record, err);
    if (status == ZV_OK) {
        status = try_settings(session, &requests, session->record.conf, capacity_bytes, err);
    }
    while (status == ZV_OK && session->run_count < MAX_RUNS) {
        struct zv_tried tried[MAX_RUNS];
        const char *conf;
        for (size_t i = 0; i < session->run_count; i++) {
            tried[i] = report_replay_tried(&session->runs[i]);
        }
        status = zv_setting_next(&conf, tried, session->run_count, &session->arena, err);
        if (status != ZV_OK || conf == NULL) {
            break;
        }
        status = try_settings(session, &requests, conf, capacity_bytes, err);
    }
    zv_requests_close(&requests);
    report_replay_rank(session->runs, session->run_count);
    return status;
}

static enum zv_status show(struct session *session, const struct arguments *args,
                           uint64_t capacity_bytes, struct output *out, struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    enum zv_status status = zv_cause_make(&session->cause, &session->heap, record, capacity_bytes,
                                          &session->arena, err);
    const bool has_heap = record->trace.source == ZV_TRACE_FROM_SNAPSHOT;
    if (status == ZV_OK && has_heap) {
        status = make_groups(session, err);
    }
    if (status == ZV_OK && record->trace.source == ZV_TRACE_FROM_TIMELINE) {
        status = zv_groups_of_timeline(&session->categories, record, session->cause.event,
                                       &session->arena, err);
    }
    status = status == ZV_OK ? zv_lives_make(&session->lives, record, err) : status;
    if (status == ZV_OK && !out->json && record->has_history && session->lives.has_addresses) {
        status = try_all(session, capacity_bytes, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    const struct report_explain explain = {.record = record,
                                           .verdict = &session->cause,
                                           .cause_heap = &session->heap,
                                           .heap = &session->heap,
                                           .groups = session->groups,
                                           .group_count = has_heap ? GROUPINGS : 0,
                                           .holders = has_heap ? &session->groups[0].groups
                                                               : &session->categories,
                                           .roles = has_heap ? &session->groups[1].groups : NULL,
                                           .parts = has_heap ? &session->parts : NULL,
                                           .top = TOP};
    const struct report_view view = {.file = name_of(args->operands[0]),
                                     .explain = &explain,
                                     .lives = &session->lives,
                                     .runs = session->runs,
                                     .run_count = session->run_count,
                                     .curves = session->curves};
    if (out->json) {
        report_view_json(&out->sink, &view);
        return ZV_OK;
    }
    return report_view_html(&out->raw, &out->style, &view, err);
}

static enum zv_status open_record(struct session *session, const struct arguments *args,
                                  const struct zv_record_options *wanted, struct zv_error *err)
{
    struct zv_file file;
    bool is_ops;
    enum zv_status status = input_file_open(&file, args->operands[0], err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice content = zv_file_slice(&file);
    status = zv_trace_or_ops(content, "", &is_ops, err);
    if (status == ZV_OK) {
        status = is_ops ? zv_record_of_ops(&session->record, content, wanted, err)
                        : zv_record_open(&session->record, content, wanted, err);
    }
    zv_file_close(&file);
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, args->operands[0]);
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct session session;
    struct zv_record_options record_options;
    if (args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one file ('-' for standard input)");
    }
    if (!out->json && out->path == NULL && arguments_value(args, "output") == NULL &&
        isatty(STDOUT_FILENO) == 1) {
        return zv_fail(err, ZV_E_USAGE, "a page is not for a terminal: expected -o FILE");
    }
    enum zv_status status = record_options_read(args, &record_options, &session.arena, err);
    status = status == ZV_OK ? open_record(&session, args, &record_options, err) : status;
    if (status == ZV_OK) {
        status = show(&session, args, record_options.capacity_bytes, out, err);
    }
    zv_lives_close(&session.lives);
    zv_record_close(&session.record);
    zv_arena_free(&session.arena);
    return status;
}

const struct verb verb_view = {
    .name = "view",
    .question = "show me",
    .usage = "[options] FILE -o PAGE.html",
    .about =
        "Writes one HTML file that shows what a run left behind (a PyTorch memory snapshot of any "
        "age, our capture, a profiler trace, or an op list, which is run on the simulated card): "
        "the verdict of zirve explain, memory over time, the heap map at any instant, who held it, "
        "with a search over all stacks, and what would have been reserved under other settings "
        "(emulated, as zirve replay --advise). The file holds its data and asks nobody for "
        "anything: no network, no server. '?' in the page lists its keys. --json says what the "
        "page would hold.",
    .examples = "  zirve view snapshot.pickle -o page.html\n"
                "  zirve view snapshot.pickle --card 4090 --range 0s-60s -o part.html\n"
                "  zirve view trace.json.gz -o trace.html\n"
                "  zirve view ops.txt --capacity 8GB -o ops.html\n"
                "  zirve view snapshot.pickle --json\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
