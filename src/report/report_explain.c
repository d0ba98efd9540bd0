#include "report/report_explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/report_estimate.h"

enum { COUNT_TEXT = 32, LINE_TEXT = 1024, LABEL_TEXT = 256 };

/* Texts of the file may hold anything: nothing that a terminal acts on gets through. */
static void put_safe(char *to, size_t size, struct zv_slice text)
{
    size_t length = 0;
    for (; length < text.length && length + 1 < size; length++) {
        const unsigned char c = (unsigned char)text.at[length];
        to[length] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    to[length] = 0;
}

static void put_share(char to[16], uint64_t part, uint64_t whole)
{
    uint64_t thousandths = 0;
    if (whole != 0) {
        (void)zv_mul_div(part, 1000, whole, &thousandths);
    }
    (void)snprintf(to, 16, "%3u.%u%%", (unsigned)(thousandths / 10), (unsigned)(thousandths % 10));
}

/* ---- the verdict ---- */

static void put_instant(char *to, size_t size, const struct zv_record *record, size_t event)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    char at[COUNT_TEXT];
    char total[COUNT_TEXT];
    report_count(at, event);
    report_count(total, device->event_count);
    if (event == 0) {
        (void)snprintf(to, size, "before the first of %s events", total);
        return;
    }
    int used = snprintf(to, size, "after event %s of %s", at, total);
    const uint64_t first = device->events[0].time_us;
    const uint64_t time = device->events[event - 1].time_us;
    if (first != 0 && time >= first && used > 0 && (size_t)used < size) {
        const uint64_t us = time - first;
        (void)snprintf(to + used, size - (size_t)used, ", %" PRIu64 ".%03u s into the record",
                       us / 1000000, (unsigned)(us / 1000 % 1000));
    }
}

static void oom_line(char *line, size_t size, const struct report_style *style,
                     const struct report_explain *explain)
{
    const struct zv_cause *const verdict = explain->verdict;
    const struct zv_trace_usage *const usage = &explain->cause_heap->usage;
    char requested[REPORT_BYTES_TEXT];
    char card[REPORT_BYTES_TEXT];
    char cached[REPORT_BYTES_TEXT];
    char hole[REPORT_BYTES_TEXT];
    char missing[REPORT_BYTES_TEXT];
    char active[REPORT_BYTES_TEXT];
    char outside[REPORT_BYTES_TEXT];
    report_bytes(requested, style, verdict->requested_bytes);
    report_bytes(card, style, verdict->device_free_bytes);
    report_bytes(cached, style, usage->reserved_bytes - usage->active_bytes);
    report_bytes(hole, style, verdict->pool_hole_bytes);
    report_bytes(missing, style, verdict->missing_bytes);
    report_bytes(active, style, usage->active_bytes);
    report_bytes(outside, style, verdict->outside_bytes);
    if (verdict->kind == ZV_CAUSE_FRAGMENTATION) {
        (void)snprintf(line, size,
                       "OUT OF MEMORY by fragmentation: %s asked for; %s free in the cache and "
                       "%s on the card, but the largest hole is %s.",
                       requested, cached, card, hole);
    } else if (verdict->kind == ZV_CAUSE_LIMIT) {
        (void)snprintf(line, size,
                       "OUT OF MEMORY although the card had room: %s asked for, %s free on it. A "
                       "limit of the process or the system, or memory that came free too late.",
                       requested, card);
    } else if (verdict->kind == ZV_CAUSE_OUTSIDE) {
        (void)snprintf(line, size,
                       "OUT OF MEMORY because of memory outside this allocator: %s live and %s "
                       "asked for would fit the card, but %s of it is used by others (contexts, "
                       "libraries, other processes).",
                       active, requested, outside);
    } else {
        (void)snprintf(line, size,
                       "OUT OF MEMORY for want of capacity: %s live and %s asked for are at "
                       "least %s more than this process could get.",
                       active, requested, missing);
    }
}

void report_verdict_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_explain *explain)
{
    const struct zv_record *const record = explain->record;
    const struct zv_heap *const heap = explain->cause_heap;
    char line[LINE_TEXT];
    char first[REPORT_BYTES_TEXT];
    char second[REPORT_BYTES_TEXT];
    char instant[LABEL_TEXT];
    if (explain->verdict->is_oom) {
        oom_line(line, sizeof line, style, explain);
    } else if (explain->verdict->kind == ZV_CAUSE_STATIC) {
        report_bytes(first, style, heap->usage.allocated_bytes);
        report_bytes(second, style, heap->usage.reserved_bytes);
        (void)snprintf(line, sizeof line,
                       "ONE STATE, no history: %s allocated of %s reserved. What the peak was, "
                       "the file cannot say.",
                       first, second);
    } else {
        report_bytes(first, style, record->peak_allocated.usage.allocated_bytes);
        put_instant(instant, sizeof instant, record, record->peak_allocated.event);
        (void)snprintf(line, sizeof line, "PEAK %s allocated, %s. It did not run out of memory.",
                       first, instant);
    }
    report_fold(sink, style, 0, 0, line);
}

/* ---- the instant ---- */

static void put_row(struct zv_sink *sink, const struct report_style *style, const char *name,
                    uint64_t bytes, const char *note)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    zv_sink_print(sink, "  %-16s %-*s%s%s\n", name, note[0] != 0 ? 26 : 0, text,
                  note[0] != 0 ? " " : "", note);
}

static void put_usage(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_record *record, const struct zv_heap *heap)
{
    char instant[LABEL_TEXT];
    const struct zv_trace_usage *const usage = &heap->usage;
    put_instant(instant, sizeof instant, record, heap->event);
    zv_sink_print(sink, "\nDevice %zu, %s:\n", record->device, instant);
    put_row(sink, style, "reserved", usage->reserved_bytes,
            heap->loose_count != 0 ? "at least" : "from the driver");
    if (heap->loose_count != 0) {
        put_row(sink, style, "  unrecorded", heap->loose_bytes, "live, in no recorded segment");
    }
    put_row(sink, style, "  free in cache", heap->free_bytes, "reserved less active");
    put_row(sink, style, "  largest hole", heap->largest_hole_bytes, "");
    put_row(sink, style, "  inactive split", usage->inactive_split_bytes,
            "free, but not to be given back");
    put_row(sink, style, "active", usage->active_bytes, "");
    if (usage->active_bytes != usage->allocated_bytes) {
        put_row(sink, style, "  pending", usage->active_bytes - usage->allocated_bytes,
                "freed, other streams hold it");
    }
    put_row(sink, style, "allocated", usage->allocated_bytes, "");
    put_row(sink, style, "requested", usage->requested_bytes, "");
    put_row(sink, style, "  rounding", usage->active_bytes - usage->requested_bytes,
            "active less requested");
}

static void put_groups(struct zv_sink *sink, const struct report_style *style,
                       const struct report_groups *one, size_t top)
{
    const struct zv_groups *const groups = &one->groups;
    zv_sink_print(sink, "\nHeld then, by %s:\n", one->by);
    uint64_t shown = 0;
    for (size_t i = 0; i < groups->count && i < top; i++) {
        const struct zv_group *const group = &groups->at[i];
        char bytes[ZV_BYTES_TEXT];
        char share[16];
        char label[LABEL_TEXT];
        char count[COUNT_TEXT];
        report_bytes_short(bytes, style, group->bytes);
        put_share(share, group->bytes, groups->total_bytes);
        put_safe(label, sizeof label, group->label);
        report_count(count, group->blocks);
        const int width = style->width > 46 ? (int)style->width - 40 : 40;
        zv_sink_print(sink, "  %12s %s %7s x  %.*s\n", bytes, share, count, width, label);
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
}

/* ---- fragmentation ---- */

static void put_pinning(struct zv_sink *sink, const struct report_style *style,
                        const struct report_explain *explain, const struct zv_heap *heap,
                        struct zv_arena *arena, const uint32_t *users)
{
    const struct zv_cause *const verdict = explain->verdict;
    for (size_t i = 0; i < verdict->pinned_count && i < explain->top; i++) {
        const struct zv_pinned *const pinned = &verdict->pinned[i];
        const struct zv_heap_segment *const segment = &heap->segments[pinned->segment];
        char free_text[ZV_BYTES_TEXT];
        char size_text[ZV_BYTES_TEXT];
        report_bytes_short(free_text, style, pinned->free_bytes);
        report_bytes_short(size_text, style, segment->facts.bytes);
        zv_sink_print(sink, "  %s free of %s at 0x%" PRIx64 ", pinned by %u block%s:\n", free_text,
                      size_text, segment->facts.address, pinned->live_blocks,
                      pinned->live_blocks == 1 ? "" : "s");
        unsigned shown = 0;
        for (uint32_t j = 0; j < segment->facts.block_count && shown < 3; j++) {
            const struct zv_heap_block *const block = &heap->blocks[segment->facts.first_block + j];
            if (block->state == ZV_BLOCK_FREE) {
                continue;
            }
            const char *const text =
                users != NULL ? zv_frame_label(&explain->record->trace, users[block->stack], arena)
                              : NULL;
            char bytes[ZV_BYTES_TEXT];
            char label[LABEL_TEXT];
            report_bytes_short(bytes, style, block->bytes);
            put_safe(label, sizeof label, zv_slice_of(text));
            zv_sink_print(sink, "    %12s  %.60s\n", bytes, label);
            shown++;
        }
    }
}

static void put_fragmentation(struct zv_sink *sink, const struct report_style *style,
                              const struct report_explain *explain)
{
    const struct zv_cause *const verdict = explain->verdict;
    const struct zv_heap *const heap = explain->heap;
    struct zv_arena arena = {0};
    if (verdict->pinned_count == 0 && verdict->idle_bytes == 0) {
        return;
    }
    if (verdict->kind != ZV_CAUSE_FRAGMENTATION &&
        heap->free_bytes < heap->usage.reserved_bytes / 10) {
        return;
    }
    zv_sink_text(sink, "\nRoom that is reserved and not used:\n");
    put_row(sink, style, "in use elsewhere", heap->free_bytes - verdict->idle_bytes,
            "in segments with live blocks");
    put_row(sink, style, "idle", verdict->idle_bytes, "whole: empty_cache frees it");
    if (verdict->pinned_count != 0) {
        zv_sink_print(sink, "Pinned by the least (of %zu segments):\n", verdict->pinned_count);
        put_pinning(sink, style, explain, heap, &arena,
                    zv_user_frames(&explain->record->trace, &arena));
    }
    zv_arena_free(&arena);
}

/* ---- what the record does not say ---- */

static void put_peaks(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_record *record)
{
    char allocated[REPORT_BYTES_TEXT];
    char reserved[REPORT_BYTES_TEXT];
    char instant[LABEL_TEXT];
    char line[LINE_TEXT];
    if (!record->has_history) {
        return;
    }
    report_bytes(allocated, style, record->peak_allocated.usage.allocated_bytes);
    report_bytes(reserved, style, record->peak_reserved.usage.reserved_bytes);
    put_instant(instant, sizeof instant, record, record->peak_reserved.event);
    zv_sink_text(sink, "\n");
    if (record->peak_reserved.usage.reserved_bytes == 0) {
        report_fold(
            sink, style, 0, 0,
            "Peaks: reserved bytes are not recorded; allocated ones are sums of the events, "
            "at least what is shown.");
        return;
    }
    (void)snprintf(line, sizeof line, "Peaks: %s allocated, %s reserved (first %s).%s", allocated,
                   reserved, instant,
                   record->peak_allocated.event != record->peak_reserved.event
                       ? " They are of different instants: their difference means nothing."
                       : "");
    report_fold(sink, style, 0, 0, line);
}

static void put_limits(struct zv_sink *sink, const struct report_style *style,
                       const struct report_explain *explain)
{
    char line[LINE_TEXT];
    char bytes[REPORT_BYTES_TEXT];
    const struct zv_heap *const heap = explain->heap;
    if (heap->no_stack_bytes != 0) {
        report_bytes(bytes, style, heap->no_stack_bytes);
        (void)snprintf(line, sizeof line, "%s of it has no%s stack.", bytes,
                       explain->record->trace.known == ZV_TRACE_RECORDED ? " recorded" : "");
        report_fold(sink, style, 2, 0, line);
    }
    if (explain->record->start.stray_events != 0) {
        (void)snprintf(line, sizeof line,
                       explain->record->trace.source == ZV_TRACE_FROM_SNAPSHOT
                           ? "%" PRIu64 " events contradict the end state: the record is not whole."
                           : "At %" PRIu64 " places the totals jump: events are missing there.",
                       explain->record->start.stray_events);
        report_fold(sink, style, 2, 0, line);
    }
    if (explain->record->trace.source == ZV_TRACE_FROM_PROFILER) {
        report_fold(sink, style, 2, 0,
                    "The allocator's backend is not in the file: with cudaMallocAsync reserved "
                    "peaks are upper bounds.");
    }
    report_fold(
        sink, style, 2, 0,
        "Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is not "
        "in the file: a larger reading of nvidia-smi alone is no leak.");
}

void report_explain_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_explain *explain)
{
    const struct zv_record *const record = explain->record;
    if (record->first_event != 0) {
        char before[COUNT_TEXT];
        report_count(before, record->first_event);
        zv_sink_print(sink, "A part of the record: %s events before it are left out.\n", before);
    }
    report_verdict_text(sink, style, explain);
    if (record->trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        put_usage(sink, style, record, explain->heap);
        for (size_t i = 0; i < explain->group_count; i++) {
            put_groups(sink, style, &explain->groups[i], explain->top);
        }
        if (explain->heap->event == explain->verdict->event) {
            put_fragmentation(sink, style, explain);
        }
        if (explain->with_segments) {
            report_segments_text(sink, style, record, explain->heap, explain->top);
        }
    } else {
        for (size_t i = 0; i < explain->group_count; i++) {
            put_groups(sink, style, &explain->groups[i], explain->top);
        }
    }
    put_peaks(sink, style, record);
    report_proof_text(sink, style, record);
    if (record->config.expandable_segments) {
        report_caveats_text(sink, style);
    }
    put_limits(sink, style, explain);
}

/* ---- two heaps ---- */

static void put_change(char to[ZV_BYTES_TEXT + 2], const struct report_style *style,
                       uint64_t before, uint64_t after)
{
    char text[ZV_BYTES_TEXT];
    const uint64_t change = after > before ? after - before : before - after;
    report_bytes_short(text, style, change);
    (void)snprintf(to, ZV_BYTES_TEXT + 2, "%s%s",
                   after > before   ? "+"
                   : before > after ? "-"
                                    : "",
                   text);
}

void report_difference_text(struct zv_sink *sink, const struct report_style *style,
                            const struct zv_difference *difference, size_t top)
{
    char before[REPORT_BYTES_TEXT];
    char after[REPORT_BYTES_TEXT];
    char change[ZV_BYTES_TEXT + 2];
    char line[LINE_TEXT];
    report_bytes(before, style, difference->before.active_bytes);
    report_bytes(after, style, difference->after.active_bytes);
    put_change(change, style, difference->before.active_bytes, difference->after.active_bytes);
    (void)snprintf(line, sizeof line, "ACTIVE %s: from %s to %s.", change, before, after);
    report_fold(sink, style, 0, 0, line);
    report_bytes(before, style, difference->before.reserved_bytes);
    report_bytes(after, style, difference->after.reserved_bytes);
    put_change(change, style, difference->before.reserved_bytes, difference->after.reserved_bytes);
    (void)snprintf(line, sizeof line, "Reserved %s: from %s to %s.", change, before, after);
    report_fold(sink, style, 0, 0, line);
    if (difference->before_known != ZV_TRACE_RECORDED ||
        difference->after_known != ZV_TRACE_RECORDED) {
        (void)snprintf(line, sizeof line, "The earlier file is %s, this one %s.",
                       report_known_word(difference->before_known),
                       report_known_word(difference->after_known));
        report_fold(sink, style, 0, 0, line);
    }
    zv_sink_text(sink, "\n");
    size_t shown = 0;
    for (size_t i = 0; i < difference->count && shown < top; i++) {
        const struct zv_changed *const one = &difference->at[i];
        char label[LABEL_TEXT];
        if (one->before_bytes == one->after_bytes) {
            break;
        }
        put_change(change, style, one->before_bytes, one->after_bytes);
        put_safe(label, sizeof label, one->label);
        zv_sink_print(sink, "  %14s  %6" PRIu64 " to %6" PRIu64 " x  %.48s\n", change,
                      one->before_blocks, one->after_blocks, label);
        shown++;
    }
    if (shown == 0) {
        zv_sink_text(sink, "  nobody holds more or less\n");
    }
}
