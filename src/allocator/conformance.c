#include "allocator/conformance.h"

#include <stdio.h>
#include <string.h>

#include "allocator/replay.h"
#include "base/fail.h"
#include "trace/golden_case.h"

/* What is written, held against a file, byte by byte; the first line that differs is kept. */
struct comparison {
    struct zv_slice file;
    size_t at;                /* bytes of the file that were equal */
    size_t line_start;        /* in the file */
    uint64_t line;            /* 1-based line being written */
    char text[ZV_REPLAY_ROW]; /* what was written of it */
    size_t length;
    bool differs; /* text and line_start stand */
    bool ended;   /* text is the whole line */
};

static bool compare(void *context, const char *data, size_t size)
{
    struct comparison *const c = context;
    for (size_t i = 0; i < size && !c->ended; i++) {
        if (c->at >= c->file.length || c->file.at[c->at] != data[i]) {
            c->differs = true;
        }
        c->at += !c->differs;
        if (data[i] != '\n') {
            c->text[c->length] = data[i];
            c->length += c->length + 1 < sizeof c->text;
        } else if (c->differs) {
            c->ended = true;
        } else {
            c->length = 0;
            c->line_start = c->at;
            c->line++;
        }
    }
    return true;
}

/* After the last line: the file must be over too. */
static void end_comparison(struct comparison *c)
{
    if (!c->differs && c->at != c->file.length) {
        c->differs = true;
        c->length = 0;
    }
}

static void report_comparison(struct zv_conformance *to, const struct comparison *c,
                              const char *file)
{
    struct zv_slice rest = {c->file.at + c->line_start, c->file.length - c->line_start};
    struct zv_slice line = {0};
    const bool is_over = !zv_slice_line(&rest, &line);
    to->equal = false;
    (void)snprintf(to->where, sizeof to->where, "%s, line %llu", file, (unsigned long long)c->line);
    (void)snprintf(to->got, sizeof to->got, "%.*s", (int)c->length, c->length != 0 ? c->text : "");
    (void)snprintf(to->expected, sizeof to->expected, "%.*s",
                   (int)(line.length < ZV_CONFORMANCE_TEXT ? line.length : ZV_CONFORMANCE_TEXT - 1),
                   is_over ? "" : line.at);
}

/* The operation that a line of either file belongs to: its first column. */
static uint64_t operation_of(const struct comparison *c)
{
    struct zv_slice rest = {c->length != 0 ? c->text : c->file.at + c->line_start,
                            c->length != 0 ? c->length : c->file.length - c->line_start};
    uint64_t op;
    return zv_slice_u64(zv_slice_cut(&rest, '\t'), &op) ? op : 0;
}

static void compare_number(struct zv_conformance *to, const char *where, uint64_t got,
                           uint64_t expected)
{
    if (to->equal && got != expected) {
        to->equal = false;
        (void)snprintf(to->where, sizeof to->where, "case.json, %s", where);
        (void)snprintf(to->got, sizeof to->got, "%llu", (unsigned long long)got);
        (void)snprintf(to->expected, sizeof to->expected, "%llu", (unsigned long long)expected);
    }
}

static void compare_totals(struct zv_conformance *to, const struct zv_golden_case *golden,
                           const struct zv_replay_outcome *outcome)
{
    static const char *const names[ZV_STAT_COUNT] = {
        [ZV_STAT_SEGMENT] = "peak segments",
        [ZV_STAT_ALLOCATED_BYTES] = "peak allocated",
        [ZV_STAT_RESERVED_BYTES] = "peak reserved",
        [ZV_STAT_ACTIVE_BYTES] = "peak active",
        [ZV_STAT_INACTIVE_SPLIT_BYTES] = "peak inactive_split",
        [ZV_STAT_REQUESTED_BYTES] = "peak requested",
    };
    for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
        if (golden->peaks[stat].known && names[stat] != NULL) {
            compare_number(to, names[stat],
                           (uint64_t)outcome->stats.counters[stat][ZV_STAT_ALL].peak,
                           golden->peaks[stat].value);
        }
    }
    if (golden->ooms_known) {
        compare_number(to, "ooms", outcome->ooms, golden->ooms);
    }
    if (golden->operations_known) {
        compare_number(to, "ops", outcome->operations, golden->operations);
    }
}

static enum zv_status run(struct zv_conformance *to, const struct zv_conformance_input *input,
                          const struct zv_golden_case *golden, struct zv_error *err)
{
    struct comparison counters = {.file = input->expected, .line = 1};
    struct comparison events = {.file = input->events, .line = 1};
    struct zv_sink counter_sink = {.write = compare, .context = &counters};
    struct zv_sink event_sink = {.write = compare, .context = &events};
    const struct zv_allocator_options options = {.profile = golden->profile,
                                                 .conf = golden->conf,
                                                 .capacity_bytes = golden->capacity_bytes,
                                                 .baseline_bytes = golden->baseline_bytes};
    struct zv_replay replay;
    enum zv_status status = zv_replay_open(&replay, &options, &event_sink, err);
    if (status == ZV_OK) {
        status = zv_replay_run(&replay, input->ops, &counter_sink, err);
        (void)zv_fail_where(status == ZV_OK ? NULL : err, "ops.txt");
    }
    if (status == ZV_OK) {
        status = zv_allocator_check(replay.allocator, err);
    }
    if (status == ZV_OK) {
        end_comparison(&counters);
        end_comparison(&events);
        to->events = events.line - 2; /* less the head and the line not begun */
        to->operations = replay.outcome.operations;
        if (events.differs &&
            (!counters.differs || operation_of(&events) <= operation_of(&counters))) {
            report_comparison(to, &events, "events.tsv");
        } else if (counters.differs) {
            report_comparison(to, &counters, "expected.tsv");
        }
        compare_totals(to, golden, &replay.outcome);
    }
    zv_replay_close(&replay);
    return status;
}

enum zv_status zv_conformance_run(struct zv_conformance *to,
                                  const struct zv_conformance_input *input, struct zv_error *err)
{
    *to = (struct zv_conformance){.equal = true};
    struct zv_arena arena = {0};
    struct zv_golden_case golden;
    enum zv_status status = zv_golden_case_read(&golden, input->case_json, &arena, err);
    if (status != ZV_OK) {
        (void)zv_fail_where(err, "case.json");
    } else {
        to->profile = golden.profile;
        status = run(to, input, &golden, err);
    }
    zv_arena_free(&arena);
    return status;
}
