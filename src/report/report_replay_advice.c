/* Settings ranked by what a replay came to: zirve replay --advise. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "report/report_explain.h"
#include "report/report_replay.h"

uint64_t report_replay_calls(const struct report_replay *run)
{
    const struct zv_driver_calls *const calls = &run->outcome.calls;
    return calls->allocate + calls->allocate_failed + calls->release + calls->reserve +
           calls->unreserve + calls->map + calls->map_failed + calls->unmap;
}

struct zv_tried report_replay_tried(const struct report_replay *run)
{
    return (struct zv_tried){run->conf, run->outcome.ooms, run->outcome.peak_reserved_bytes,
                             report_replay_calls(run)};
}

static int by_result(const struct report_replay *left, const struct report_replay *right)
{
    const struct zv_tried a = report_replay_tried(left);
    const struct zv_tried b = report_replay_tried(right);
    return zv_tried_order(&a, &b);
}

static int by_merit(const void *a, const void *b)
{
    const struct report_replay *const left = a;
    const struct report_replay *const right = b;
    const int order = by_result(left, right);
    return order != 0 ? order : (left->order > right->order) - (left->order < right->order);
}

void report_replay_rank(struct report_replay *runs, size_t count)
{
    qsort(runs, count, sizeof *runs, by_merit);
}

/* Against the settings that ran: the run of order 0. */
static const struct report_replay *find_base(const struct report_replay *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (runs[i].order == 0) {
            return &runs[i];
        }
    }
    return &runs[0];
}

static void put_sentence(char *to, size_t size, const struct report_style *style,
                         const struct report_replay *run, const struct report_replay *base)
{
    char bytes[REPORT_BYTES_TEXT];
    const uint64_t its = run->outcome.peak_reserved_bytes;
    const uint64_t known = base->outcome.peak_reserved_bytes;
    int used = 0;
    if (run->outcome.ooms != 0) {
        used = snprintf(to, size, "fails %" PRIu64 " request%s, ", run->outcome.ooms,
                        run->outcome.ooms == 1 ? "" : "s");
    }
    if (used < 0 || (size_t)used >= size) {
        return;
    }
    to += used;
    size -= (size_t)used;
    report_bytes(bytes, style, its < known ? known - its : its - known);
    if (run == base) {
        (void)snprintf(to, size, "as it was run, %" PRIu64 " driver calls",
                       report_replay_calls(run));
    } else if (its == known) {
        (void)snprintf(to, size, "the same reserved, %" PRIu64 " driver calls",
                       report_replay_calls(run));
    } else {
        (void)snprintf(to, size, "%s %s reserved, %" PRIu64 " driver calls", bytes,
                       its < known ? "less" : "more", report_replay_calls(run));
    }
}

/* What no setting can go below, against the best of those that were tried. */
static void put_plan(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_place_plan *plan, const struct zv_replay_outcome *best)
{
    char line[512];
    char height[REPORT_BYTES_TEXT];
    char saved[REPORT_BYTES_TEXT];
    const uint64_t reserved = best->peak_reserved_bytes;
    const bool is_less = best->ooms == 0 && plan->height_bytes < reserved;
    report_bytes(height, style, plan->height_bytes);
    report_bytes(saved, style, is_less ? reserved - plan->height_bytes : 0);
    (void)snprintf(line, sizeof line,
                   "A perfect plan of all these requests: %s, %s%s%s%s. That is an upper bound on "
                   "what any placement could save for this trace, not a promise.",
                   height,
                   plan->height_bytes == plan->bound_bytes ? "optimal" : "the best that was found",
                   is_less ? ", " : "", is_less ? saved : "",
                   is_less ? " less than the best of them reserves" : "");
    report_fold(sink, style, 0, 0, line);
}

/* How many runs from here on came to the same: they follow each other. */
static size_t same_results(const struct report_replay *runs, size_t count)
{
    size_t same = 1;
    while (same < count && by_result(&runs[same], &runs[0]) == 0) {
        same++;
    }
    return same;
}

static const char *name_of(const struct report_replay *run)
{
    return run->conf[0] != 0 ? run->conf : "default settings";
}

/* "the same with ...": other settings that came to what the one before them did. */
static void put_same(struct zv_sink *sink, const struct report_style *style,
                     const struct report_replay *runs, size_t count)
{
    struct zv_buffer text = {.limit = 1 << 16};
    struct zv_sink line = zv_buffer_sink(&text);
    for (size_t i = 1; i < count; i++) {
        zv_sink_print(&line, "%s%s", i == 1 ? "the same with " : "; ", name_of(&runs[i]));
    }
    zv_sink_write(&line, "", 1);
    if (count > 1 && !line.failed) {
        report_fold(sink, style, 5, 0, text.data);
    }
    sink->failed |= line.failed;
    zv_buffer_free(&text);
}

void report_replay_advice_text(struct zv_sink *sink, const struct report_style *style,
                               const struct report_replay *runs, size_t count,
                               const struct report_replay_advice *advice)
{
    const struct report_replay *const base = find_base(runs, count);
    char head[128];
    size_t rank = 0;
    (void)snprintf(head, sizeof head,
                   "Settings by requests that fail, then bytes reserved, then driver calls (%zu "
                   "tried%s):",
                   count, advice->is_cut ? " within the budget" : "");
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0, head);
    for (size_t i = 0, same; i < count; i += same) {
        char reserved[REPORT_BYTES_TEXT];
        char sentence[256];
        char line[sizeof reserved + sizeof sentence + 2];
        same = same_results(&runs[i], count - i);
        report_bytes(reserved, style, runs[i].outcome.peak_reserved_bytes);
        put_sentence(sentence, sizeof sentence, style, &runs[i], base);
        zv_sink_print(sink, "%3zu. %s\n", ++rank, name_of(&runs[i]));
        (void)snprintf(line, sizeof line, "%s: %s", reserved, sentence);
        report_fold(sink, style, 5, 0, line);
        put_same(sink, style, &runs[i], same);
    }
    report_fold(sink, style, 0, 0,
                "Emulated, from an empty allocator. Driver calls cost time: about 0.1 ms each.");
    if (advice->placement != NULL) {
        put_plan(sink, style, &advice->placement->plan, &runs[0].outcome);
    }
    report_caveats_text(sink, style);
}
