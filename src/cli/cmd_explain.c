/* zirve explain: why this peak, why out of memory? */
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "cli/explain_advise.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/record_options.h"
#include "cli/result_file.h"
#include "cli/verbs.h"
#include "report/report_explain.h"
#include "report/report_place.h"
#include "trace/capture.h"
#include "trace/op_list.h"
#include "trace/open.h"

enum { MAX_GROUPS = 8, DEFAULT_TOP = 10 };

static const struct option_spec options[] = {
    RECORD_OPTIONS,
    {"Question", "at", NULL, "WHEN",
     "an event number, or peak, reserved-peak, oom, end (where the verdict looks)", OPTION_VALUE},
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

struct session {
    struct zv_arena arena;
    struct zv_record record;
    struct zv_record before; /* of --diff */
    struct zv_cause cause;
    struct zv_heap cause_heap;
    struct zv_heap heap;
    struct report_groups groups[MAX_GROUPS];
    size_t group_count;
    struct zv_against against;
    bool has_against;
    struct zv_habits habits;
    bool has_placement;
    struct zv_placement placement;
    uint64_t capacity_bytes;
    uint32_t top;
    regex_t pattern;
    bool has_pattern;
};

static bool has_message(struct zv_slice text)
{
    struct zv_oom_message message;
    struct zv_engine_message stop;
    return zv_oom_message_find(&message, text) || zv_engine_message_find(&stop, text);
}

/*
 * *is_text: it is no record; nothing was read. What begins like JSON may be a log all the same: a
 * line of {...} after the other, or what zirve run kept.
 */
static enum zv_status open_record(struct zv_record *record, const char *path,
                                  const struct zv_record_options *record_options,
                                  struct zv_file *file, bool *is_text, struct zv_error *err)
{
    enum zv_status status = input_file_open(file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice content = zv_file_slice(file);
    const bool is_ops = !zv_trace_is(content) && zv_ops_are(content);
    *is_text = !zv_trace_is(content) && !is_ops;
    if (is_ops) {
        status = zv_record_of_ops(record, content, record_options, err);
    } else if (!*is_text) {
        struct zv_error cause = {0};
        status = zv_record_open(record, content, record_options, &cause);
        if (status == ZV_E_SYNTAX || status == ZV_E_UNSUPPORTED) {
            input_file_unpack(file);
            *is_text = has_message(zv_file_slice(file));
        }
        if (*is_text) {
            zv_record_close(record);
            return ZV_OK;
        }
        if (status != ZV_OK) {
            *err = cause;
        }
    }
    return status == ZV_OK ? ZV_OK : zv_fail_where(err, path);
}

static enum zv_status read_pattern(struct session *session, const struct arguments *args,
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

/* The instant that --at means. */
static enum zv_status find_instant(const struct session *session, const struct arguments *args,
                                   size_t *to, struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    const size_t end = zv_record_device(record)->event_count;
    const char *const text = arguments_value(args, "at");
    uint64_t number;
    *to = session->cause.event;
    if (text == NULL) {
        return ZV_OK;
    }
    if (strcmp(text, "peak") == 0) {
        *to = record->peak_allocated.event;
    } else if (strcmp(text, "reserved-peak") == 0) {
        *to = record->peak_reserved.event;
    } else if (strcmp(text, "end") == 0) {
        *to = end;
    } else if (strcmp(text, "oom") == 0) {
        if (!record->has_oom) {
            return zv_fail(err, ZV_E_USAGE, "--at oom: no request failed in this record");
        }
        *to = record->last_oom;
    } else if (zv_slice_u64(zv_slice_of(text), &number) && number <= end) {
        *to = (size_t)number;
    } else {
        return zv_fail(err, ZV_E_USAGE,
                       "--at %s: expected 0 to %zu, peak, reserved-peak, oom or end", text, end);
    }
    return ZV_OK;
}

static struct zv_grouping grouping(const struct session *session, unsigned which)
{
    return (struct zv_grouping){(enum zv_group_by)which,
                                session->has_pattern ? &session->pattern : NULL};
}

static enum zv_status add_groups(struct session *session, const struct zv_heap *heap,
                                 unsigned which, struct zv_error *err)
{
    if (session->group_count == MAX_GROUPS) {
        return zv_fail(err, ZV_E_USAGE, "--by: at most %d of them", (int)MAX_GROUPS);
    }
    if (which == ZV_GROUP_PATTERN && !session->has_pattern) {
        return zv_fail(err, ZV_E_USAGE, "--by pattern needs --pattern");
    }
    struct report_groups *const to = &session->groups[session->group_count++];
    to->by = zv_group_words[which];
    return zv_groups_make(&to->groups, &session->record, heap, grouping(session, which),
                          &session->arena, err);
}

static enum zv_status make_groups(struct session *session, const struct arguments *args,
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
        unsigned which = 0;
        while (zv_group_words[which] != NULL && strcmp(zv_group_words[which], word) != 0) {
            which++;
        }
        if (zv_group_words[which] == NULL) {
            return zv_fail(err, ZV_E_USAGE, "--by %s: no such word (see zirve explain --help)",
                           word);
        }
        status = add_groups(session, &session->heap, which, err);
    }
    return status;
}

/* The estimate's items beside what was there at the peak of allocated bytes. */
static enum zv_status read_estimate(struct session *session, const struct arguments *args,
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
static enum zv_status read_placement(struct session *session, const struct output *out,
                                     struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    if (out->json || record->trace.source != ZV_TRACE_FROM_SNAPSHOT || !record->has_history ||
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

static void show_placement(const struct session *session, struct output *out)
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

static enum zv_status one_document(const struct arguments *args, const struct output *out,
                                   struct zv_error *err)
{
    return out->json && arguments_has(args, "habits") && arguments_has(args, "against")
               ? zv_fail(err, ZV_E_USAGE,
                         "--json: --habits and --against are a document each, expected one of them")
               : ZV_OK;
}

static enum zv_status explain(struct session *session, const struct arguments *args,
                              struct output *out, struct zv_error *err)
{
    size_t instant;
    enum zv_status status = one_document(args, out, err);
    status = status == ZV_OK
                 ? zv_cause_make(&session->cause, &session->cause_heap, &session->record,
                                 session->capacity_bytes, &session->arena, err)
                 : status;
    status = status == ZV_OK ? read_estimate(session, args, err) : status;
    if (status == ZV_OK && arguments_has(args, "habits")) {
        status = zv_habits_make(&session->habits, &session->record, &session->arena, err);
    }
    status = status == ZV_OK ? write_capture(&session->record, args, err) : status;
    status = status == ZV_OK ? find_instant(session, args, &instant, err) : status;
    status = status == ZV_OK ? read_placement(session, out, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    session->heap = session->cause_heap;
    if (session->record.trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        if (instant != session->cause.event) {
            status = zv_heap_at(&session->heap, &session->record, instant, &session->arena, err);
        }
        status = status == ZV_OK ? make_groups(session, args, err) : status;
    } else if (session->record.trace.source == ZV_TRACE_FROM_TIMELINE) {
        session->groups[0].by = "category";
        session->group_count = 1;
        session->heap.event = instant;
        status = zv_groups_of_timeline(&session->groups[0].groups, &session->record, instant,
                                       &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    const struct report_explain result = {.record = &session->record,
                                          .verdict = &session->cause,
                                          .cause_heap = &session->cause_heap,
                                          .heap = &session->heap,
                                          .groups = session->groups,
                                          .group_count = session->group_count,
                                          .top = session->top,
                                          .with_segments = arguments_has(args, "segments")};
    const bool habits = arguments_has(args, "habits");
    if (out->json && habits) {
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
        if (habits) {
            report_habits_text(&out->sink, &out->style, &session->habits, session->top);
        }
    }
    return ZV_OK;
}

/* Text instead of a file of events: an out-of-memory message somewhere in it. */
static enum zv_status explain_text(const char *path, struct zv_slice text, struct output *out,
                                   struct zv_error *err)
{
    struct zv_oom_message message;
    struct zv_engine_message stop;
    const bool has_message = zv_oom_message_find(&message, text);
    /* What an engine says of a failed allocation is no more than the allocator's own message. */
    if (zv_engine_message_find(&stop, text) &&
        (!has_message || (stop.line > message.line && stop.stop != ZV_ENGINE_BUFFER))) {
        if (out->json) {
            report_engine_message_json(&out->sink, &stop);
        } else {
            report_engine_message_text(&out->sink, &out->style, &stop);
        }
        return ZV_OK;
    }
    if (!has_message) {
        (void)zv_fail(
            err, ZV_E_UNSUPPORTED,
            "neither a memory snapshot (pickle), a profiler trace (JSON), an op list nor a "
            "text with an out-of-memory message");
        return zv_fail_where(err, path);
    }
    if (out->json) {
        report_oom_message_json(&out->sink, &message);
    } else {
        report_oom_message_text(&out->sink, &out->style, &message);
    }
    return ZV_OK;
}

/* The heap at the end of a record, by what --by says first. */
static enum zv_status end_groups(struct session *session, const struct arguments *args,
                                 const struct zv_record *record, struct zv_groups *groups,
                                 struct zv_trace_usage *usage, struct zv_error *err)
{
    size_t at = 0;
    const char *const word = arguments_next(args, "by", &at);
    unsigned which = session->has_pattern ? ZV_GROUP_PATTERN : ZV_GROUP_FRAME;
    for (unsigned i = 0; word != NULL && zv_group_words[i] != NULL; i++) {
        which = strcmp(zv_group_words[i], word) == 0 ? i : which;
    }
    struct zv_heap heap;
    enum zv_status status =
        zv_heap_at(&heap, record, zv_record_device(record)->event_count, &session->arena, err);
    *usage = heap.usage;
    return status == ZV_OK ? zv_groups_make(groups, record, &heap, grouping(session, which),
                                            &session->arena, err)
                           : status;
}

static enum zv_status compare(struct session *session, const struct arguments *args,
                              const struct zv_record_options *record_options, struct output *out,
                              struct zv_error *err)
{
    struct zv_groups before;
    struct zv_groups after;
    struct zv_trace_usage usage[2];
    struct zv_difference difference;
    struct zv_file file = {0};
    bool is_text = false;
    enum zv_status status = open_record(&session->before, arguments_value(args, "diff"),
                                        record_options, &file, &is_text, err);
    zv_file_close(&file);
    if (status == ZV_OK && (is_text || session->before.trace.source != ZV_TRACE_FROM_SNAPSHOT)) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "--diff needs two memory snapshots");
    }
    if (status == ZV_OK) {
        status = end_groups(session, args, &session->before, &before, &usage[0], err);
    }
    if (status == ZV_OK) {
        status = end_groups(session, args, &session->record, &after, &usage[1], err);
    }
    if (status == ZV_OK) {
        status = zv_difference_make(&difference, &before, &after, &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    difference.before = usage[0];
    difference.after = usage[1];
    difference.before_known = session->before.trace.known;
    difference.after_known = session->record.trace.known;
    if (out->json) {
        report_difference_json(&out->sink, &difference);
    } else {
        report_difference_text(&out->sink, &out->style, &difference, session->top);
    }
    return ZV_OK;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static struct session session;
    struct zv_record_options record_options;
    if (args->operand_count != 1) {
        return zv_fail(err, ZV_E_USAGE, "expected one file ('-' for standard input)");
    }
    if (arguments_has(args, "advise")) {
        return explain_advise(args, out, err);
    }
    session.top = DEFAULT_TOP;
    enum zv_status status = arguments_u32(args, "top", &session.top, err);
    status =
        status == ZV_OK ? record_options_read(args, &record_options, &session.arena, err) : status;
    session.capacity_bytes = status == ZV_OK ? record_options.capacity_bytes : 0;
    status = status == ZV_OK ? read_pattern(&session, args, err) : status;
    struct zv_file file = {0};
    bool is_text = false;
    if (status == ZV_OK) {
        status =
            open_record(&session.record, args->operands[0], &record_options, &file, &is_text, err);
    }
    if (status == ZV_OK) {
        status = check_options(args, &session.record, is_text, err);
    }
    if (status == ZV_OK && is_text) {
        status = explain_text(args->operands[0], zv_file_slice(&file), out, err);
    } else if (status == ZV_OK) {
        status = arguments_has(args, "diff") ? compare(&session, args, &record_options, out, err)
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
