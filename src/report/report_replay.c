#include "report/report_replay.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "report/report_explain.h"

enum { NAME_WIDTH = 20, CELL_WIDTH = 28, RUNS_A_ROW = 2, CELL_TEXT = 128 };

/* What one line of the comparison says about a run. */
typedef void cell_fn(char to[CELL_TEXT], const struct report_style *style,
                     const struct report_replay *run);

static void put_bytes(char to[CELL_TEXT], const struct report_style *style, uint64_t bytes)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    (void)snprintf(to, CELL_TEXT, "%s", text);
}

static void allocator_cell(char to[CELL_TEXT], const struct report_style *style,
                           const struct report_replay *run)
{
    (void)style;
    (void)snprintf(to, CELL_TEXT, "%s, %s%s", zv_policy_name(run->policy),
                   zv_torch_profile_name(run->profile), run->profile != ZV_TORCH_2_6 ? " *" : "");
}

static void card_cell(char to[CELL_TEXT], const struct report_style *style,
                      const struct report_replay *run)
{
    if (run->capacity_bytes == 0) {
        (void)snprintf(to, CELL_TEXT, "no limit");
    } else {
        put_bytes(to, style, run->capacity_bytes);
    }
}

static void peak_allocated_cell(char to[CELL_TEXT], const struct report_style *style,
                                const struct report_replay *run)
{
    put_bytes(to, style, run->outcome.peak_allocated_bytes);
}

static void peak_reserved_cell(char to[CELL_TEXT], const struct report_style *style,
                               const struct report_replay *run)
{
    put_bytes(to, style, run->outcome.peak_reserved_bytes);
}

/* Reserved at its peak and not asked for, in bytes and thousandths of reserved. */
static void fragmentation_cell(char to[CELL_TEXT], const struct report_style *style,
                               const struct report_replay *run)
{
    const struct zv_replay_outcome *const outcome = &run->outcome;
    const uint64_t lost = outcome->peak_reserved_bytes - outcome->requested_at_peak_bytes;
    uint64_t thousandths = 0;
    char text[CELL_TEXT];
    if (outcome->peak_reserved_bytes != 0) {
        (void)zv_mul_div(lost, 1000, outcome->peak_reserved_bytes, &thousandths);
    }
    put_bytes(text, style, lost);
    (void)snprintf(to, CELL_TEXT, "%.100s %" PRIu64 ".%" PRIu64 "%%", text, thousandths / 10,
                   thousandths % 10);
}

static uint64_t call_count(const struct zv_driver_calls *calls)
{
    return calls->allocate + calls->allocate_failed + calls->release + calls->reserve +
           calls->unreserve + calls->map + calls->map_failed + calls->unmap;
}

static void calls_cell(char to[CELL_TEXT], const struct report_style *style,
                       const struct report_replay *run)
{
    (void)style;
    const struct zv_driver_calls *const calls = &run->outcome.calls;
    (void)snprintf(to, CELL_TEXT, "%" PRIu64 ", about %" PRIu64 " ms", call_count(calls),
                   calls->time_ns / 1000000);
}

static void retries_cell(char to[CELL_TEXT], const struct report_style *style,
                         const struct report_replay *run)
{
    (void)style;
    (void)snprintf(to, CELL_TEXT, "%" PRId64, run->outcome.stats.num_alloc_retries);
}

static void ooms_cell(char to[CELL_TEXT], const struct report_style *style,
                      const struct report_replay *run)
{
    (void)style;
    if (run->outcome.ooms == 0) {
        (void)snprintf(to, CELL_TEXT, "never");
    } else if (run->record != NULL) {
        (void)snprintf(to, CELL_TEXT, "%" PRIu64 ", first at event %" PRIu64, run->outcome.ooms,
                       run->oom_event);
    } else {
        (void)snprintf(to, CELL_TEXT, "%" PRIu64 ", first in line %" PRIu64, run->outcome.ooms,
                       run->outcome.first_oom.line);
    }
}

/* A size that only a run that ran out of memory has. */
static void oom_bytes(char to[CELL_TEXT], const struct report_style *style,
                      const struct report_replay *run, uint64_t bytes)
{
    if (run->outcome.first_oom.happened) {
        put_bytes(to, style, bytes);
    } else {
        (void)snprintf(to, CELL_TEXT, "-");
    }
}

static void oom_request_cell(char to[CELL_TEXT], const struct report_style *style,
                             const struct report_replay *run)
{
    oom_bytes(to, style, run, run->outcome.first_oom.requested_bytes);
}

static void oom_device_cell(char to[CELL_TEXT], const struct report_style *style,
                            const struct report_replay *run)
{
    oom_bytes(to, style, run, run->outcome.first_oom.device_free_bytes);
}

static void oom_cached_cell(char to[CELL_TEXT], const struct report_style *style,
                            const struct report_replay *run)
{
    oom_bytes(to, style, run, run->outcome.first_oom.cached_free_bytes);
}

static void oom_hole_cell(char to[CELL_TEXT], const struct report_style *style,
                          const struct report_replay *run)
{
    oom_bytes(to, style, run, run->outcome.first_oom.largest_hole_bytes);
}

static const struct {
    const char *name;
    cell_fn *cell;
    bool only_oom;
} lines[] = {
    {"allocator", allocator_cell, false},
    {"card", card_cell, false},
    {"peak allocated", peak_allocated_cell, false},
    {"peak reserved", peak_reserved_cell, false},
    {"  not requested", fragmentation_cell, false},
    {"driver calls", calls_cell, false},
    {"retries", retries_cell, false},
    {"out of memory", ooms_cell, false},
    {"  request", oom_request_cell, true},
    {"  free on the card", oom_device_cell, true},
    {"  free in the cache", oom_cached_cell, true},
    {"  largest hole there", oom_hole_cell, true},
};

static bool any_oom(const struct report_replay *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (runs[i].outcome.ooms != 0) {
            return true;
        }
    }
    return false;
}

/* Names of runs are letters when there are several: a, b, ... */
static void write_block(struct zv_sink *sink, const struct report_style *style,
                        const struct report_replay *runs, size_t count, size_t first)
{
    const bool with_oom = any_oom(runs, count);
    for (size_t line = 0; line < sizeof lines / sizeof lines[0]; line++) {
        if (lines[line].only_oom && !with_oom) {
            continue;
        }
        if (line == 0 && (first != 0 || count > 1)) {
            zv_sink_print(sink, "%-*s", NAME_WIDTH, "");
            for (size_t i = 0; i < count; i++) {
                char text[CELL_TEXT];
                (void)snprintf(text, sizeof text, "[%zu]", first + i + 1);
                zv_sink_print(sink, "  %-*s", i + 1 < count ? CELL_WIDTH : 0, text);
            }
            zv_sink_text(sink, "\n");
        }
        zv_sink_print(sink, "%-*s", NAME_WIDTH, lines[line].name);
        for (size_t i = 0; i < count; i++) {
            char text[CELL_TEXT];
            lines[line].cell(text, style, &runs[i]);
            zv_sink_print(sink, "  %-*s", i + 1 < count ? CELL_WIDTH : 0, text);
        }
        zv_sink_text(sink, "\n");
    }
}

/* What the record proves, and what its requests may say under other settings. */
static void write_record(struct zv_sink *sink, const struct report_style *style,
                         const struct zv_record *record)
{
    report_proof_text(sink, style, record);
    zv_sink_text(sink, "\n");
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        report_fold(sink, style, 0, 0,
                    "Bounds only: the requests below are rounded blocks on one stream. What was "
                    "live before the first event comes first: blocks that are freed later, the "
                    "rest as one block.");
        if (!zv_trace_has_addresses(zv_record_device(record))) {
            report_fold(sink, style, 0, 0,
                        "No addresses were recorded: a free is taken to be of the latest live "
                        "block of its size.");
        }
    } else if (record->start.block_count != 0) {
        report_fold(sink, style, 0, 0,
                    "The same requests from an empty allocator; what was live before the first "
                    "event is allocated first, in address order: older fragmentation is not "
                    "reproduced.");
    } else {
        report_fold(sink, style, 0, 0, "The same requests from an empty allocator:");
    }
}

/* number 0: it is the only run. */
static void write_settings(struct zv_sink *sink, const struct report_replay *run, size_t number)
{
    const char *const card = run->card != NULL ? run->card : "";
    if (number == 0) {
        zv_sink_print(sink, "settings: %s\n", run->conf[0] != 0 ? run->conf : "default");
        return;
    }
    zv_sink_print(sink, "  [%zu] %s%s%s\n", number,
                  run->conf[0] != 0 ? run->conf : "default settings", card[0] != 0 ? ", " : "",
                  card);
}

void report_replays_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_replay *runs, size_t count)
{
    bool is_unchecked = false;
    bool is_bound = false;
    if (count != 0 && runs[0].record != NULL) {
        write_record(sink, style, runs[0].record);
    }
    zv_sink_print(sink, "%" PRIu64 " operations\n", count != 0 ? runs[0].outcome.operations : 0);
    for (size_t i = 0; i < count; i++) {
        write_settings(sink, &runs[i], count > 1 ? i + 1 : 0);
        is_unchecked = is_unchecked || runs[i].profile != ZV_TORCH_2_6;
        is_bound = is_bound || runs[i].policy == ZV_POLICY_ASYNC;
    }
    for (size_t first = 0; first < count; first += RUNS_A_ROW) {
        const size_t left = count - first;
        zv_sink_text(sink, "\n");
        write_block(sink, style, runs + first, left < RUNS_A_ROW ? left : RUNS_A_ROW, first);
    }
    if (is_unchecked) {
        zv_sink_text(sink, "\n");
        report_fold(sink, style, 0, 0,
                    "* unchecked: written from the sources of PyTorch 2.13 and 2.14, not yet "
                    "compared with a run of them.");
    }
    if (is_bound) {
        zv_sink_text(sink, "\n");
        report_fold(sink, style, 0, 0,
                    "cuda-malloc-async: what it reserves is a lower bound; the driver does not "
                    "document where it places blocks.");
    }
}

void report_replay_cases_text(struct zv_sink *sink, const struct report_replay_case *cases,
                              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct zv_conformance *const result = &cases[i].result;
        if (result->equal) {
            zv_sink_print(sink, "%s: exact, %" PRIu64 " operations, %" PRIu64 " events (%s)\n",
                          cases[i].name, result->operations, result->events,
                          zv_torch_profile_name(result->profile));
        } else {
            zv_sink_print(sink, "%s: differs in %s\n  replayed  %s\n  recorded  %s\n",
                          cases[i].name, result->where, result->got, result->expected);
        }
    }
}
