/* zirve explain: why this peak, why out of memory? */
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "cli/explain_advise.h"
#include "cli/explain_diff.h"
#include "cli/explain_file.h"
#include "cli/explain_instant.h"
#include "cli/output.h"
#include "cli/record_options.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "report/report_next.h"
#include "report/report_place.h"
#include "trace/capture.h"

enum { DEFAULT_TOP = 10 };

static const struct option_spec options[] = {
    RECORD_OPTIONS,
    {"Question", "at", NULL, "WHEN",
     "an event number, a time (1.5s), peak, reserved-peak, oom, end (where the verdict looks)",
     OPTION_VALUE},
    {"Question", "by", NULL, "WORD",
     "who holds it: stack, frame, function, file, role, size, age, annotation, context, pool, "
     "stream, pattern (frame and role); repeat for more",
     OPTION_LIST},
    {"Question", "pattern", NULL, "REGEX",
     "group by what this extended regular expression matches in 'file:line function'",
     OPTION_VALUE},
    {"Question", "segments", NULL, NULL, "every segment at that instant, fullest last (--top rows)",
     OPTION_FLAG},
    {"Question", "diff", NULL, "FILE", "what changed from this earlier file", OPTION_VALUE},
    {"Question", "habits", NULL, NULL, "what grows, what is freed late, which segments never empty",
     OPTION_FLAG},
    {"Question", "against", NULL, "FILE",
     "item by item beside this estimate (zirve estimate --json)", OPTION_VALUE},
    {"After a failure", "advise", NULL, NULL,
     "its phase, what is suspect there, and one change at a time; FILE may be a result of zirve "
     "run",
     OPTION_FLAG},
    {"After a failure", "phase", NULL, "PHASE",
     "load, prefill, generation, forward, backward, update, evaluation or export", OPTION_VALUE},
    {"After a failure", "job", NULL, "JOB.yaml",
     "what its estimate says each change frees in that phase", OPTION_VALUE},
    {"Results", "capture", NULL, "FILE",
     "the record in zirve's own form: compact, with an index for --range", OPTION_VALUE},
    {"Results", "top", NULL, "N", "rows of a table (10)", OPTION_VALUE},
};

static enum zv_status read_pattern(struct explain_session *session, const struct arguments *args,
                                   struct zv_error *err)
{
    const char *const text = arguments_value(args, "pattern");
    if (text == NULL) {
        return ZV_OK;
    }
    const int code = regcomp(&session->pattern, text, REG_EXTENDED);
    if (code != 0) {
        char why[128];
        (void)regerror(code, &session->pattern, why, sizeof why);
        return zv_fail(err, ZV_E_USAGE, "--pattern %.80s: %s", text, why);
    }
    session->has_pattern = true;
    return ZV_OK;
}

static enum zv_status add_groups(struct explain_session *session, const struct zv_heap *heap,
                                 unsigned which, struct zv_error *err)
{
    if (session->group_count == EXPLAIN_GROUPS) {
        return zv_fail(err, ZV_E_USAGE, "--by: at most %d of them", (int)EXPLAIN_GROUPS);
    }
    if (which == ZV_GROUP_PATTERN && !session->has_pattern) {
        return zv_fail(err, ZV_E_USAGE, "--by pattern needs --pattern");
    }
    struct report_groups *const to = &session->groups[session->group_count++];
    to->by = zv_group_words[which];
    return zv_groups_make(&to->groups, &session->record, heap, explain_grouping(session, which),
                          &session->arena, err);
}

static enum zv_status make_groups(struct explain_session *session, const struct arguments *args,
                                  struct zv_error *err)
{
    size_t at = 0;
    enum zv_status status = ZV_OK;
    const char *word = arguments_next(args, "by", &at);
    if (word == NULL && session->has_pattern) {
        return add_groups(session, &session->heap, ZV_GROUP_PATTERN, err);
    }
    if (word == NULL) {
        status = add_groups(session, &session->heap, ZV_GROUP_FRAME, err);
        return status == ZV_OK ? add_groups(session, &session->heap, ZV_GROUP_ROLE, err) : status;
    }
    for (; word != NULL && status == ZV_OK; word = arguments_next(args, "by", &at)) {
        unsigned which;
        status = explain_by(word, &which, err);
        status = status == ZV_OK ? add_groups(session, &session->heap, which, err) : status;
    }
    return status;
}

/* Who held it at the verdict's instant, and the pools of the instant that is shown. */
static enum zv_status find_holders(struct explain_session *session, struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    if (record->trace.source == ZV_TRACE_FROM_TIMELINE) {
        return zv_groups_of_timeline(&session->holders, record, session->cause.event,
                                     &session->arena, err);
    }
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        return ZV_OK;
    }
    enum zv_status status =
        zv_groups_make(&session->holders, record, &session->cause_heap,
                       (struct zv_grouping){.by = ZV_GROUP_FRAME}, &session->arena, err);
    if (status == ZV_OK) {
        status = zv_groups_make(&session->roles, record, &session->cause_heap,
                                (struct zv_grouping){.by = ZV_GROUP_ROLE}, &session->arena, err);
    }
    return status == ZV_OK
               ? zv_heap_parts_make(&session->parts, &session->heap, &session->arena, err)
               : status;
}

/* The estimate's items beside what was there at the peak of allocated bytes. */
static enum zv_status read_estimate(struct explain_session *session, const struct arguments *args,
                                    struct zv_error *err)
{
    const char *const path = arguments_value(args, "against");
    const struct zv_record *const record = &session->record;
    const size_t end = zv_record_device(record)->event_count;
    struct zv_file file;
    struct zv_heap heap;
    if (path == NULL) {
        return ZV_OK;
    }
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "--against needs a memory snapshot");
    }
    enum zv_status status =
        zv_heap_at(&heap, record, record->has_history ? record->peak_allocated.event : end,
                   &session->arena, err);
    status = status == ZV_OK ? zv_file_open(&file, path, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    session->has_against = true;
    status = zv_against_make(&session->against, zv_file_slice(&file), record, &heap,
                             &session->arena, err);
    zv_file_close(&file);
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, path);
}

/* The record in our own form. */
static enum zv_status write_capture(const struct zv_record *record, const struct arguments *args,
                                    struct zv_error *err)
{
    struct result_file file = {0};
    const char *const path = arguments_value(args, "capture");
    if (path == NULL) {
        return ZV_OK;
    }
    enum zv_status status = result_file_open(&file, path, err);
    if (status == ZV_OK) {
        status = zv_capture_write(&file.sink, &record->trace, record->device, &record->rules, err);
    }
    status = status == ZV_OK ? result_file_keep(&file, err) : status;
    result_file_close(&file);
    return status;
}

/* What a perfect plan would have needed: the fast answer only, and none without a history. */
static enum zv_status read_placement(struct explain_session *session, const struct output *out,
                                     struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    if (out->json || record->trace.source != ZV_TRACE_FROM_SNAPSHOT || !record->has_history ||
        record->peak_reserved.usage.reserved_bytes == 0 ||
        zv_record_device(record)->event_count > ZV_LIVES_MAX_EVENTS) {
        return ZV_OK;
    }
    struct zv_error own = {0};
    const enum zv_status status =
        zv_placement_make_fast(&session->placement, record, &session->arena, &own);
    session->has_placement = status == ZV_OK;
    if (status == ZV_E_NOMEM) {
        *err = own;
    }
    return status == ZV_E_NOMEM ? status : ZV_OK; /* sizes that cannot be are no blocks to place */
}

static void show_placement(const struct explain_session *session, struct output *out)
{
    if (session->has_placement) {
        zv_sink_text(&out->sink, "\n");
        report_placement_line(&out->sink, &out->style, &session->placement);
    }
}

/* Options that ask for what only some files hold. */
static enum zv_status refuse_options(const struct arguments *args, const char *const *names,
                                     const char *what, struct zv_error *err)
{
    for (; *names != NULL; names++) {
        if (arguments_has(args, *names)) {
            return zv_fail(err, ZV_E_UNSUPPORTED, "--%s: %s", *names, what);
        }
    }
    return ZV_OK;
}

static enum zv_status check_options(const struct arguments *args, const struct zv_record *record,
                                    bool is_text, struct zv_error *err)
{
    static const char *const of_events[] = {"at",    "by",     "pattern", "segments",
                                            "diff",  "habits", "against", "capture",
                                            "range", "device", NULL};
    static const char *const of_stacks[] = {"by", "pattern", "segments", "diff", NULL};
    if (is_text) {
        return refuse_options(args, of_events, "the file is a message and has no events", err);
    }
    return record->trace.source == ZV_TRACE_FROM_SNAPSHOT
               ? ZV_OK
               : refuse_options(args, of_stacks,
                                "a profiler records neither stacks nor segments: expected a memory "
                                "snapshot",
                                err);
}

/* Options that say nothing of what was asked for would be passed over in silence. */
static enum zv_status check_question(const struct arguments *args, struct zv_error *err)
{
    static const struct {
        const char *question;
        const char *others[9];
    } rows[] = {
        {"diff", {"at", "segments", "habits", "against", "capture", NULL}},
        {"advise",
         {"at", "by", "pattern", "segments", "habits", "against", "capture", "diff", NULL}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const *other = rows[i].others;
        for (; arguments_has(args, rows[i].question) && *other != NULL; other++) {
            if (arguments_has(args, *other)) {
                return zv_fail(err, ZV_E_USAGE,
                               "--%s and --%s are questions of their own: expected one of them",
                               rows[i].question, *other);
            }
        }
    }
    const char *const only = arguments_has(args, "phase") ? "phase" : "job";
    return arguments_has(args, only) && !arguments_has(args, "advise")
               ? zv_fail(err, ZV_E_USAGE, "--%s needs --advise", only)
               : ZV_OK;
}

static enum zv_status one_document(const struct arguments *args, const struct output *out,
                                   struct zv_error *err)
{
    return out->json && arguments_has(args, "habits") && arguments_has(args, "against")
               ? zv_fail(err, ZV_E_USAGE,
                         "--json: --habits and --against are a document each, expected one of them")
               : ZV_OK;
}

/* Everything that is asked of the whole record. */
static enum zv_status read_record(struct explain_session *session, const struct arguments *args,
                                  const struct output *out, struct zv_error *err)
{
    enum zv_status status = one_document(args, out, err);
    status = status == ZV_OK
                 ? zv_cause_make(&session->cause, &session->cause_heap, &session->record,
                                 session->capacity_bytes, &session->arena, err)
                 : status;
    status = status == ZV_OK ? read_estimate(session, args, err) : status;
    session->has_habits = arguments_has(args, "habits");
    if (status == ZV_OK && session->has_habits) {
        status = zv_habits_make(&session->habits, &session->record, &session->arena, err);
    }
    return status == ZV_OK ? write_capture(&session->record, args, err) : status;
}

/* The heap at the instant of --at, and who holds it. */
static enum zv_status read_instant(struct explain_session *session, const struct arguments *args,
                                   struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    size_t instant;
    enum zv_status status = explain_instant(session, arguments_value(args, "at"), &instant, err);
    if (status != ZV_OK) {
        return status;
    }
    session->heap = session->cause_heap;
    if (record->trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        if (instant != session->cause.event) {
            status = zv_heap_at(&session->heap, record, instant, &session->arena, err);
        }
        status = status == ZV_OK ? make_groups(session, args, err) : status;
    } else if (record->trace.source == ZV_TRACE_FROM_TIMELINE) {
        session->groups[0].by = "category";
        session->group_count = 1;
        session->heap.event = instant;
        status = zv_groups_of_timeline(&session->groups[0].groups, record, instant, &session->arena,
                                       err);
    }
    return status == ZV_OK ? find_holders(session, err) : status;
}

static void show(const struct explain_session *session, const struct arguments *args,
                 struct output *out)
{
    const bool has_heap = session->record.trace.source == ZV_TRACE_FROM_SNAPSHOT;
    const struct report_explain result = {.record = &session->record,
                                          .verdict = &session->cause,
                                          .cause_heap = &session->cause_heap,
                                          .heap = &session->heap,
                                          .groups = session->groups,
                                          .group_count = session->group_count,
                                          .holders = &session->holders,
                                          .roles = has_heap ? &session->roles : NULL,
                                          .parts = has_heap ? &session->parts : NULL,
                                          .path = args->operands[0],
                                          .top = session->top,
                                          .with_segments = arguments_has(args, "segments"),
                                          .with_habits = session->has_habits};
    if (out->json && session->has_habits) {
        report_habits_json(&out->sink, &session->habits);
    } else if (out->json && session->has_against) {
        report_against_json(&out->sink, &session->against);
    } else if (out->json) {
        report_explain_json(&out->sink, &result);
    } else {
        report_explain_text(&out->sink, &out->style, &result);
        show_placement(session, out);
        if (session->has_against) {
            report_against_text(&out->sink, &out->style, &session->against);
        }
        if (session->has_habits) {
            report_habits_text(&out->sink, &out->style, &session->habits, session->top);
        }
        report_next_text(&out->sink, &result);
    }
}

static enum zv_status explain(struct explain_session *session, const struct arguments *args,
                              struct output *out, struct zv_error *err)
{
    enum zv_status status = read_record(session, args, out, err);
    status = status == ZV_OK ? read_instant(session, args, err) : status;
    status = status == ZV_OK ? read_placement(session, out, err) : status;
    if (status == ZV_OK) {
        show(session, args, out);
    }
    return status;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct explain_session session;
    struct zv_record_options record_options;
    if (args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one file ('-' for standard input)");
    }
    enum zv_status status = check_question(args, err);
    if (status != ZV_OK || arguments_has(args, "advise")) {
        return status == ZV_OK ? explain_advise(args, out, err) : status;
    }
    session.top = DEFAULT_TOP;
    status = arguments_u32(args, "top", &session.top, err);
    status =
        status == ZV_OK ? record_options_read(args, &record_options, &session.arena, err) : status;
    session.capacity_bytes = status == ZV_OK ? record_options.capacity_bytes : 0;
    status = status == ZV_OK ? read_pattern(&session, args, err) : status;
    struct zv_file file = {0};
    bool is_text = false;
    if (status == ZV_OK) {
        status =
            explain_open(&session.record, args->operands[0], &record_options, &file, &is_text, err);
    }
    if (status == ZV_OK) {
        status = check_options(args, &session.record, is_text, err);
    }
    if (status == ZV_OK && is_text) {
        status = explain_text(args->operands[0], zv_file_slice(&file), out, err);
    } else if (status == ZV_OK) {
        status = arguments_has(args, "diff")
                     ? explain_diff(&session, args, &record_options, out, err)
                     : explain(&session, args, out, err);
    }
    zv_file_close(&file);
    if (session.has_pattern) {
        regfree(&session.pattern);
    }
    zv_record_close(&session.before);
    zv_record_close(&session.record);
    zv_arena_free(&session.arena);
    return status;
}

const struct verb verb_explain = {
    .name = "explain",
    .question = "why this peak, why out of memory?",
    .usage = "[options] FILE",
    .about =
        "Reads what a run left behind, plain, .gz or .zst (a PyTorch memory snapshot of any age, a "
        "profiler trace; an op list, which is run on the simulated card; or the failing log of a "
        "runtime, a pasted out-of-memory message), and says first why "
        "memory ran out, or where the peak was; then what "
        "was allocated, reserved and free at that instant, and who held it. A snapshot's history "
        "is run through the caching allocator again: how exactly it comes out is printed, and "
        "figures that are only bounds are called so. Nothing in the file is executed.",
    .examples = "  zirve explain snapshot.pickle\n"
                "  zirve explain snapshot.pickle --at end --by function --by size\n"
                "  zirve explain snapshot.pickle --pattern 'layers\\.[0-9]+'\n"
                "  zirve explain snapshot.pickle --against estimate.json\n"
                "  zirve explain after.pickle --diff before.pickle\n"
                "  zirve explain error.txt --advise --phase backward --job job.yaml\n"
                "  zirve explain trace.json.gz --json\n"
                "  zirve explain error.txt --unit GiB\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
