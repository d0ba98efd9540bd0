/* The heap at an instant: its counters, pools, who holds it, and what is reserved but unused. */
#include "report/report_heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/report_estimate.h"

enum { COUNT_TEXT = 32, STREAM_TEXT = 32, PART_TEXT = 96, PART_WIDTH = 14, MOST_CALLERS = 4 };

void report_share(char to[REPORT_SHARE_TEXT], uint64_t part, uint64_t whole)
{
    uint64_t twice = 0; /* thousandths, to be rounded */
    if (whole != 0) {
        (void)zv_mul_div(part, 2000, whole, &twice);
    }
    const uint64_t thousandths = (twice + 1) / 2;
    (void)snprintf(to, REPORT_SHARE_TEXT, "%3u.%u%%", (unsigned)(thousandths / 10),
                   (unsigned)(thousandths % 10));
}

static void put_row(struct zv_sink *sink, const struct report_style *style, const char *name,
                    uint64_t bytes, const char *note)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    zv_sink_print(sink, "  %-16s %-*s%s%s\n", name, note[0] != 0 ? 26 : 0, text,
                  note[0] != 0 ? " " : "", note);
}

void report_usage_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_record *record, const struct zv_heap *heap)
{
    char instant[REPORT_INSTANT_TEXT];
    const struct zv_trace_usage *const usage = &heap->usage;
    report_instant(instant, record, heap->event);
    zv_sink_print(sink, "\nDevice %zu, %s:\n", record->device, instant);
    put_row(sink, style, "reserved", usage->reserved_bytes,
            heap->loose_count != 0 ? "at least" : "from the driver");
    if (heap->loose_count != 0) {
        put_row(sink, style, "  unrecorded", heap->loose_bytes, "live, in no recorded segment");
    }
    put_row(sink, style, "  free in cache", heap->free_bytes, "reserved less active");
    put_row(sink, style, "  largest hole", heap->largest_hole_bytes, "");
    put_row(sink, style, "  inactive split", usage->inactive_split_bytes,
            "free, but not releasable");
    put_row(sink, style, "active", usage->active_bytes, "");
    if (usage->active_bytes != usage->allocated_bytes) {
        put_row(sink, style, "  pending", usage->active_bytes - usage->allocated_bytes,
                "freed, in use on other streams");
    }
    put_row(sink, style, "allocated", usage->allocated_bytes, "");
    put_row(sink, style, "requested", usage->requested_bytes, "");
    put_row(sink, style, "  rounding", usage->active_bytes - usage->requested_bytes,
            "active less requested");
}

/* ---- pools and streams ---- */

void report_stream(char *to, size_t size, const struct zv_trace *trace, bool is_known,
                   uint16_t stream)
{
    const uint64_t handle = trace->streams[stream];
    if (!is_known) {
        (void)snprintf(to, size, "unknown");
    } else {
        (void)snprintf(to, size, "%s%" PRIx64, handle != 0 ? "0x" : "", handle);
    }
}

static void put_part_name(char to[PART_TEXT], const struct zv_trace *trace,
                          const struct zv_heap_part *part)
{
    const struct zv_trace_pool *const pool = &trace->pools[part->pool];
    const char *const kind = part->is_loose ? "unrecorded" : part->is_small ? "small" : "large";
    char stream[STREAM_TEXT];
    report_stream(stream, sizeof stream, trace, part->has_stream, part->stream);
    if (part->is_loose && !part->has_stream) {
        (void)snprintf(to, PART_TEXT, "%s", kind);
    } else if (part->is_loose || part->pool == 0) {
        (void)snprintf(to, PART_TEXT, "%s, %s", kind, stream);
    } else {
        (void)snprintf(to, PART_TEXT, "%s %" PRIu64 ".%" PRIu64 ", %s", kind, pool->id[0],
                       pool->id[1], stream);
    }
}

void report_parts_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_record *record, const struct zv_heap_parts *parts,
                       size_t top)
{
    if (parts->count == 0) {
        return;
    }
    zv_sink_print(sink, "\n%-*s %11s %11s %11s %14s %12s\n", PART_WIDTH + 2, "Pool, stream",
                  "reserved", "allocated", "requested", "inactive split", "largest hole");
    for (size_t i = 0; i < parts->count && i < top; i++) {
        const struct zv_heap_part *const part = &parts->at[i];
        const uint64_t figures[] = {part->usage.reserved_bytes, part->usage.allocated_bytes,
                                    part->usage.requested_bytes, part->usage.inactive_split_bytes,
                                    part->largest_hole_bytes};
        static const int widths[] = {11, 11, 11, 14, 12};
        char name[PART_TEXT];
        put_part_name(name, &record->trace, part);
        const bool is_long = strlen(name) > PART_WIDTH; /* then on a line of its own */
        zv_sink_print(sink, "  %-*s", PART_WIDTH, name);
        if (is_long) {
            zv_sink_print(sink, "\n  %-*s", PART_WIDTH, "");
        }
        for (size_t j = 0; j < sizeof figures / sizeof figures[0]; j++) {
            char text[ZV_BYTES_TEXT];
            report_bytes_short(text, style, figures[j]);
            zv_sink_print(sink, " %*s", widths[j], text);
        }
        zv_sink_text(sink, "\n");
    }
    if (parts->count > top) {
        zv_sink_print(sink, "  and %zu more\n", parts->count - top);
    }
}

/* ---- who holds it ---- */

/* Where the user's code was called from, a line each: "< train.py:80 loop". */
static void put_callers(struct zv_sink *sink, const struct report_style *style, unsigned indent,
                        const struct zv_trace *trace, uint32_t stack, uint32_t user_frame)
{
    enum { LEAST_WIDTH = 20 };
    uint32_t callers[MOST_CALLERS];
    struct zv_arena arena = {0};
    const size_t count = zv_callers(callers, MOST_CALLERS, trace, stack, user_frame);
    const unsigned width =
        style->width > indent + LEAST_WIDTH ? style->width - indent - 2 : LEAST_WIDTH;
    for (size_t i = 0; i < count && i < MOST_CALLERS; i++) {
        char label[REPORT_LABEL_TEXT];
        report_label(label, zv_slice_of(zv_frame_label(trace, callers[i], &arena)), width);
        zv_sink_repeat(sink, ' ', indent);
        zv_sink_print(sink, "< %s\n", label);
    }
    if (count > MOST_CALLERS) {
        zv_sink_repeat(sink, ' ', indent);
        zv_sink_print(sink, "< %zu more\n", count - MOST_CALLERS);
    }
    zv_arena_free(&arena);
}

void report_groups_text(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_record *record, const struct report_groups *one, size_t top)
{
    enum { LABEL_COLUMN = 33, LEAST_LABEL = 40 };
    const struct zv_groups *const groups = &one->groups;
    const bool of_timeline = record->trace.source == ZV_TRACE_FROM_TIMELINE;
    const bool by_stack = one->by == zv_group_words[ZV_GROUP_STACK];
    const unsigned width =
        style->width > LABEL_COLUMN + LEAST_LABEL ? style->width - LABEL_COLUMN : LEAST_LABEL;
    struct zv_arena arena = {0};
    const uint32_t *const users = by_stack ? zv_user_frames(&record->trace, &arena) : NULL;
    uint64_t shown = 0;
    zv_sink_print(sink, "\n%s bytes by %s:\n", of_timeline ? "Allocated" : "Active", one->by);
    for (size_t i = 0; i < groups->count && i < top; i++) {
        const struct zv_group *const group = &groups->at[i];
        char bytes[ZV_BYTES_TEXT];
        char share[REPORT_SHARE_TEXT];
        char label[REPORT_LABEL_TEXT];
        char count[COUNT_TEXT];
        report_bytes_short(bytes, style, group->bytes);
        report_share(share, group->bytes, groups->total_bytes);
        report_label(label, group->label, width);
        report_count(count, group->blocks);
        zv_sink_print(sink, "  %12s %s %7s x  %s\n", bytes, share, count, label);
        if (users != NULL && group->stack != 0) {
            put_callers(sink, style, LABEL_COLUMN, &record->trace, group->stack,
                        users[group->stack]);
        }
        shown += group->bytes;
    }
    if (groups->count > top) {
        char rest[REPORT_BYTES_TEXT];
        report_bytes(rest, style, groups->total_bytes - shown);
        zv_sink_print(sink, "  and %zu more with %s\n", groups->count - top, rest);
    }
    if (groups->count == 0) {
        zv_sink_text(sink, "  nothing\n");
    }
    zv_arena_free(&arena);
}

/* ---- reserved but unused ---- */

/* The blocks that keep a segment, at most three, with the stacks where fragmentation is the cause.
 */
static void put_pins(struct zv_sink *sink, const struct report_style *style,
                     const struct report_explain *explain, const struct zv_heap_segment *segment,
                     const uint32_t *users, struct zv_arena *arena)
{
    enum { MOST_BLOCKS = 3, LABEL_COLUMN = 18, LABEL_WIDTH = 60 };
    const struct zv_trace *const trace = &explain->record->trace;
    const struct zv_heap *const heap = explain->heap;
    unsigned shown = 0;
    for (uint32_t i = 0; i < segment->facts.block_count && shown < MOST_BLOCKS; i++) {
        const struct zv_heap_block *const block = &heap->blocks[segment->facts.first_block + i];
        if (block->state == ZV_BLOCK_FREE) {
            continue;
        }
        const uint32_t user = users != NULL ? users[block->stack] : 0;
        char bytes[ZV_BYTES_TEXT];
        char label[REPORT_LABEL_TEXT];
        report_bytes_short(bytes, style, block->bytes);
        report_label(label, zv_slice_of(zv_frame_label(trace, user, arena)), LABEL_WIDTH);
        zv_sink_print(sink, "    %12s  %s\n", bytes, label);
        if (explain->verdict->kind == ZV_CAUSE_FRAGMENTATION && user != 0) {
            put_callers(sink, style, LABEL_COLUMN, trace, block->stack, user);
        }
        shown++;
    }
}

void report_fragmentation_text(struct zv_sink *sink, const struct report_style *style,
                               const struct report_explain *explain)
{
    const struct zv_cause *const verdict = explain->verdict;
    const struct zv_heap *const heap = explain->heap;
    struct zv_arena arena = {0};
    char line[128];
    if (verdict->pinned_count == 0 && verdict->idle_bytes == 0) {
        return;
    }
    if (verdict->kind != ZV_CAUSE_FRAGMENTATION &&
        heap->free_bytes < heap->usage.reserved_bytes / 10) {
        return;
    }
    zv_sink_text(sink, "\nReserved but unused:\n");
    put_row(sink, style, "free parts", heap->free_bytes - verdict->idle_bytes,
            "of segments with live blocks");
    put_row(sink, style, "empty segments", verdict->idle_bytes, "empty_cache() releases them");
    if (verdict->pinned_count != 0) {
        const uint32_t *const users = zv_user_frames(&explain->record->trace, &arena);
        (void)snprintf(line, sizeof line,
                       "Segments that cannot be released, least live bytes first (%zu in all):",
                       verdict->pinned_count);
        report_fold(sink, style, 0, 0, line);
        for (size_t i = 0; i < verdict->pinned_count && i < explain->top; i++) {
            const struct zv_pinned *const pinned = &verdict->pinned[i];
            const struct zv_heap_segment *const segment = &heap->segments[pinned->segment];
            char free_text[ZV_BYTES_TEXT];
            char size_text[ZV_BYTES_TEXT];
            report_bytes_short(free_text, style, pinned->free_bytes);
            report_bytes_short(size_text, style, segment->facts.bytes);
            zv_sink_print(sink, "  %s free of %s at 0x%" PRIx64 ", pinned by %u block%s:\n",
                          free_text, size_text, segment->facts.address, pinned->live_blocks,
                          pinned->live_blocks == 1 ? "" : "s");
            put_pins(sink, style, explain, segment, users, &arena);
        }
    }
    zv_arena_free(&arena);
}
