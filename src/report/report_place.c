#include "report/report_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/report_estimate.h"
#include "report/report_explain.h"

enum { COUNT_TEXT = 32, LINE_TEXT = 1024, STATE_TEXT = 160 };

uint64_t report_place_height(const struct report_place *place)
{
    return place->placement != NULL ? place->placement->plan.height_bytes
                                    : place->result->height_bytes;
}

uint64_t report_place_bound(const struct report_place *place)
{
    return place->placement != NULL ? place->placement->plan.bound_bytes
                                    : place->result->bound_bytes;
}

enum report_place_fit report_place_fit(const struct report_place *place)
{
    return report_place_height(place) <= place->capacity_bytes ? REPORT_PLACE_FITS
           : report_place_bound(place) > place->capacity_bytes ? REPORT_PLACE_DOES_NOT
                                                               : REPORT_PLACE_UNKNOWN;
}

/* ---- words ---- */

/* Of a CSV whole bytes: its sizes may be small, and of any unit. */
static void put_size(char to[REPORT_BYTES_TEXT], const struct report_style *style, bool whole,
                     uint64_t bytes)
{
    if (!whole) {
        report_bytes(to, style, bytes);
        return;
    }
    char count[COUNT_TEXT];
    report_count(count, bytes);
    (void)snprintf(to, REPORT_BYTES_TEXT, "%s B", count);
}

struct figures {
    uint64_t height;
    uint64_t bound;
    uint64_t load;
    bool whole;
};

static void put_percent(char to[COUNT_TEXT], uint64_t part, uint64_t whole)
{
    uint64_t thousandths = 0;
    if (whole != 0) {
        (void)zv_mul_div(part, 100000, whole, &thousandths);
    }
    (void)snprintf(to, COUNT_TEXT, "%" PRIu64 ".%03u %%", thousandths / 1000,
                   (unsigned)(thousandths % 1000));
}

/* "optimal", "best found, gap 12.0 MiB (0.012 %)", with what was proved besides the load. */
static void put_state(char to[STATE_TEXT + LINE_TEXT], const struct report_style *style,
                      const struct figures *figures)
{
    char gap[REPORT_BYTES_TEXT];
    char proved[REPORT_BYTES_TEXT];
    char percent[COUNT_TEXT];
    const uint64_t height = figures->height;
    const uint64_t bound = figures->bound;
    put_size(gap, style, figures->whole, height - bound);
    put_size(proved, style, figures->whole, bound);
    put_percent(percent, height - bound, bound);
    if (height == bound) {
        (void)snprintf(to, STATE_TEXT + LINE_TEXT, "optimal%s",
                       bound > figures->load ? " (above the load: less is proven infeasible)" : "");
    } else if (bound > figures->load) {
        (void)snprintf(to, STATE_TEXT + LINE_TEXT,
                       "best found, gap %s (%s), proven infeasible below %s", gap, percent, proved);
    } else {
        (void)snprintf(to, STATE_TEXT + LINE_TEXT, "best found, gap %s (%s) to the load", gap,
                       percent);
    }
}

static void put_found(char to[STATE_TEXT], const struct zv_place_result *result)
{
    static const char *const ends[ZV_PLACE_END_COUNT] = {
        "", "; the limit of nodes ended it", "; the limit of time ended it",
        "; what is high has too many blocks to be searched"};
    char nodes[COUNT_TEXT];
    const bool is_order =
        strcmp(result->found_by, "search") != 0 && strcmp(result->found_by, "sieve") != 0;
    report_count(nodes, result->nodes);
    (void)snprintf(to, STATE_TEXT, "by %s%s%s%s%s", is_order ? "skyline, order " : "the ",
                   result->found_by, result->nodes != 0 ? ", nodes " : "",
                   result->nodes != 0 ? nodes : "", ends[result->end]);
}

static void put_row(struct zv_sink *sink, const struct report_style *style, const char *name,
                    const char *text, const char *note)
{
    zv_sink_print(sink, "  %-26s %26s", name, text);
    if (note[0] != 0) {
        zv_sink_text(sink, "  ");
        report_fold(sink, style, 4, 57, note);
    } else {
        zv_sink_text(sink, "\n");
    }
}

static void row(struct zv_sink *sink, const struct report_style *style, const char *name,
                uint64_t bytes, const char *note)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    put_row(sink, style, name, text, note);
}

static void put_instant(char to[STATE_TEXT], size_t event, bool is_inherited)
{
    char count[COUNT_TEXT];
    report_count(count, event);
    if (is_inherited) {
        (void)snprintf(to, STATE_TEXT, "inherited from before");
    } else {
        (void)snprintf(to, STATE_TEXT, "after event %s", count);
    }
}

/* ---- parts of the text ---- */

static size_t load_event(const struct zv_placement *placement)
{
    return placement->plan.arena_count == 1 ? (size_t)placement->plan.arenas[0].result.load_time
                                            : 0;
}

static void put_peaks(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_placement *placement)
{
    char note[STATE_TEXT];
    put_instant(note, placement->peak_reserved_event, placement->is_inherited);
    row(sink, style, "reserved", placement->peak_reserved_bytes, note);
    if (placement->has_segments) {
        put_instant(note, placement->non_empty_event, placement->non_empty_event == 0);
        row(sink, style,
            placement->has_expandable ? "in non-empty pieces" : "in non-empty segments",
            placement->non_empty_bytes, note);
    } else {
        put_row(sink, style, "in non-empty segments", "unknown", "");
    }
    put_instant(note, load_event(placement), load_event(placement) == 0);
    if (placement->plan.arena_count != 1) {
        (void)snprintf(note, sizeof note, "of %zu pools, one each", placement->plan.arena_count);
    }
    row(sink, style, "load", placement->plan.load_bytes, note);
    if (placement->unseen_bytes != 0) {
        row(sink, style, "  of it in no event", placement->unseen_bytes, "live throughout");
    }
}

/* What lies between the peaks, when they are in their order. */
static void put_differences(struct zv_sink *sink, const struct report_style *style,
                            const struct zv_placement *placement)
{
    char line[LINE_TEXT];
    char idle[REPORT_BYTES_TEXT];
    char stranded[REPORT_BYTES_TEXT];
    const uint64_t height = placement->plan.height_bytes;
    if (!placement->has_segments || placement->peak_reserved_bytes < placement->non_empty_bytes ||
        placement->non_empty_bytes < height) {
        return;
    }
    const uint64_t empty = placement->peak_reserved_bytes - placement->non_empty_bytes;
    report_bytes(idle, style, empty);
    report_bytes(stranded, style, placement->non_empty_bytes - height);
    (void)snprintf(
        line, sizeof line,
        "Between the peaks: %s%s; %s is stranded between live blocks or in them beyond "
        "what was asked for, which only another placement would save.",
        empty != 0 ? idle : "no",
        empty != 0 ? " is cached segments that hold nothing, which an out-of-memory would release"
                   : " cached segments that hold nothing",
        stranded);
    report_fold(sink, style, 0, 0, line);
}

static void put_fixed(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_placement *placement)
{
    char line[LINE_TEXT];
    char height[REPORT_BYTES_TEXT];
    char pinned[REPORT_BYTES_TEXT];
    char count[COUNT_TEXT];
    const struct zv_place_result *const fixed = &placement->fixed;
    if (!placement->has_fixed) {
        return;
    }
    report_bytes(height, style, fixed->height_bytes);
    report_bytes(pinned, style, placement->pinned_bytes);
    report_count(count, placement->fixed_blocks);
    (void)snprintf(line, sizeof line,
                   "Kept where it was, what was live before the record (%s block%s, segments of "
                   "%s): %s, %s.",
                   count, placement->fixed_blocks == 1 ? "" : "s", pinned, height,
                   fixed->state == ZV_PLACE_OPTIMAL ? "optimal" : "best found");
    report_fold(sink, style, 0, 0, line);
}

static void put_streams(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_placement *placement)
{
    char line[LINE_TEXT];
    char height[REPORT_BYTES_TEXT];
    if (!placement->has_streams) {
        return;
    }
    report_bytes(height, style, placement->by_stream.height_bytes);
    (void)snprintf(line, sizeof line,
                   "One arena lets memory go from stream to stream, which takes a wait; an arena "
                   "for each stream (%zu of them) takes none and needs %s.",
                   placement->by_stream.arena_count, height);
    report_fold(sink, style, 0, 0, line);
}

static void put_arenas(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_place_plan *plan, bool by_stream)
{
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct zv_place_arena *const arena = &plan->arenas[i];
        char height[REPORT_BYTES_TEXT];
        char count[COUNT_TEXT];
        char name[2 * COUNT_TEXT];
        report_bytes(height, style, arena->result.height_bytes);
        report_count(count, arena->blocks);
        const int used = snprintf(name, sizeof name, "  pool %" PRIu64 ",%" PRIu64, arena->pool[0],
                                  arena->pool[1]);
        if (by_stream && used > 0) {
            (void)snprintf(name + used, sizeof name - (size_t)used, " stream %" PRIx64,
                           arena->stream);
        }
        zv_sink_print(sink, "%-28s %26s  %s blocks, %s\n", name, height, count,
                      zv_place_state_name(arena->result.state));
    }
}

static void put_plan(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_placement *placement)
{
    const struct zv_place_plan *const plan = &placement->plan;
    char line[2 * LINE_TEXT];
    char state[STATE_TEXT + LINE_TEXT];
    char found[STATE_TEXT] = "";
    char height[REPORT_BYTES_TEXT];
    report_bytes(height, style, plan->height_bytes);
    const struct figures figures = {plan->height_bytes, plan->bound_bytes, plan->load_bytes, false};
    put_state(state, style, &figures);
    if (plan->arena_count == 1) {
        put_found(found, &plan->arenas[0].result);
    }
    (void)snprintf(line, sizeof line, "A perfect plan: %s, %s%s%s.", height, state,
                   found[0] != 0 ? ", " : "", found);
    report_fold(sink, style, 0, 0, line);
}

static void put_fit(struct zv_sink *sink, const struct report_style *style,
                    const struct report_place *place)
{
    static const char *const words[] = {"fits", "does not fit, whatever the placement",
                                        "no plan found that fits, none excluded either"};
    char capacity[REPORT_BYTES_TEXT];
    char line[LINE_TEXT];
    if (place->capacity_bytes == 0) {
        return;
    }
    put_size(capacity, style, place->placement == NULL, place->capacity_bytes);
    (void)snprintf(line, sizeof line, "Capacity %s%s%s%s: %s.", capacity,
                   place->capacity_name != NULL ? " (" : "",
                   place->capacity_name != NULL ? place->capacity_name : "",
                   place->capacity_name != NULL ? ")" : "", words[report_place_fit(place)]);
    report_fold(sink, style, 0, 0, line);
}

static void put_csv(struct zv_sink *sink, const struct report_style *style,
                    const struct report_place *place)
{
    const struct zv_place_result *const result = place->result;
    char state[STATE_TEXT + LINE_TEXT];
    char found[STATE_TEXT];
    char count[COUNT_TEXT];
    char sections[COUNT_TEXT];
    char line[2 * LINE_TEXT];
    report_count(count, place->blocks);
    report_count(sections, result->sections);
    zv_sink_print(sink, "%s blocks, %zu of them fixed, in %s sections of time\n\n", count,
                  place->fixed_blocks, sections);
    const struct figures figures = {result->height_bytes, result->bound_bytes, result->load_bytes,
                                    true};
    const struct {
        const char *name;
        uint64_t bytes;
    } rows[] = {{"load", result->load_bytes},
                {"proven infeasible below", result->bound_bytes},
                {"height", result->height_bytes}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[REPORT_BYTES_TEXT];
        put_size(text, style, true, rows[i].bytes);
        put_row(sink, style, rows[i].name, text, "");
    }
    put_state(state, style, &figures);
    put_found(found, result);
    zv_sink_text(sink, "\n");
    (void)snprintf(line, sizeof line, "The plan is %s, %s.", state, found);
    report_fold(sink, style, 0, 0, line);
}

void report_placement_line(struct zv_sink *sink, const struct report_style *style,
                           const struct zv_placement *placement)
{
    char line[LINE_TEXT];
    char reserved[REPORT_BYTES_TEXT];
    char non_empty[REPORT_BYTES_TEXT];
    char height[REPORT_BYTES_TEXT];
    char plan[REPORT_BYTES_TEXT + 64];
    const bool is_optimal = placement->plan.height_bytes == placement->plan.bound_bytes;
    report_bytes(reserved, style, placement->peak_reserved_bytes);
    report_bytes(non_empty, style, placement->non_empty_bytes);
    report_bytes(height, style, placement->plan.height_bytes);
    (void)snprintf(plan, sizeof plan, "%s %s%s",
                   is_optimal ? "a perfect plan" : "the best plan found", height,
                   is_optimal ? ": no placement needs less" : "");
    (void)snprintf(
        line, sizeof line,
        "Placement: peak reserved %s%s, peak of non-empty segments %s, %s (zirve place).", reserved,
        placement->is_inherited ? " (from before)" : "",
        placement->has_segments ? non_empty : "unknown", plan);
    report_fold(sink, style, 0, 0, line);
}

void report_place_text(struct zv_sink *sink, const struct report_style *style,
                       const struct report_place *place)
{
    const struct zv_placement *const placement = place->placement;
    if (placement == NULL) {
        put_csv(sink, style, place);
        put_fit(sink, style, place);
        return;
    }
    if (place->record->trace.known == ZV_TRACE_RECORDED) {
        report_proof_text(sink, style, place->record);
    } else {
        report_source_text(sink, style, place->record);
    }
    zv_sink_text(sink, "\nPeaks, each of its own instant:\n");
    put_peaks(sink, style, placement);
    zv_sink_text(sink, "\n");
    put_plan(sink, style, placement);
    if (placement->plan.arena_count > 1) {
        put_arenas(sink, style, &placement->plan, false);
    }
    put_differences(sink, style, placement);
    put_fixed(sink, style, placement);
    put_streams(sink, style, placement);
    if (placement->has_streams) {
        put_arenas(sink, style, &placement->by_stream, true);
    }
    put_fit(sink, style, place);
    report_fold(sink, style, 0, 0,
                "This bounds from above what any placement could save for this record; it is no "
                "promise about another run.");
}
