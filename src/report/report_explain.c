#include "report/report_explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report_estimate.h"
#include "report/report_heap.h"

enum { COUNT_TEXT = 32, LINE_TEXT = 1024 };

/* ---- the verdict ---- */

void report_instant(char to[REPORT_INSTANT_TEXT], const struct zv_record *record, size_t event)
{
    const size_t size = REPORT_INSTANT_TEXT;
    const struct zv_trace_device *const device = zv_record_device(record);
    char at[COUNT_TEXT];
    char total[COUNT_TEXT];
    report_count(at, event);
    report_count(total, device->event_count);
    if (device->event_count == 0) {
        (void)snprintf(to, size, "the one state there is");
        return;
    }
    if (event == 0) {
        (void)snprintf(to, size, "before event 1 of %s", total);
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
                       "OUT OF MEMORY by fragmentation: %s requested; %s free in the cache and %s "
                       "on the card, but the largest hole is %s.",
                       requested, cached, card, hole);
    } else if (verdict->kind == ZV_CAUSE_LIMIT) {
        (void)snprintf(line, size,
                       "OUT OF MEMORY although the card had room: %s requested, %s free on it. A "
                       "limit of the process or the system, or memory that was freed too late.",
                       requested, card);
    } else if (verdict->kind == ZV_CAUSE_OUTSIDE) {
        (void)snprintf(line, size,
                       "OUT OF MEMORY because of memory outside this allocator: %s live and %s "
                       "requested would fit the card, but %s of it is used outside (contexts, "
                       "libraries, other processes).",
                       active, requested, outside);
    } else {
        (void)snprintf(line, size,
                       "OUT OF MEMORY for lack of capacity: %s live and %s requested are at "
                       "least %s more than this process could get.",
                       active, requested, missing);
    }
}

/* "Held by: optimizer 36.0%, forward 27.7%. Largest call site: train.py:88 step, 7.58 GiB." */
static void put_holders(struct zv_sink *sink, const struct report_style *style,
                        const struct report_explain *explain)
{
    enum { MOST_ROLES = 3 };
    const struct zv_groups *const roles = explain->roles;
    const struct zv_groups *const holders = explain->holders;
    char line[LINE_TEXT] = "Held by: ";
    size_t used = strlen(line);
    if (holders == NULL || holders->count == 0) {
        return;
    }
    const struct zv_groups *const shares =
        roles != NULL && roles->count != 0 && !zv_slice_equal(roles->at[0].label, "other")
            ? roles
            : holders;
    for (size_t i = 0; i < shares->count && i < MOST_ROLES; i++) {
        if (i != 0 && shares->at[i].bytes < shares->total_bytes / 100) {
            break; /* sorted: what follows is less still */
        }
        char label[REPORT_LABEL_TEXT];
        char share[REPORT_SHARE_TEXT];
        report_label(label, shares->at[i].label, 40);
        report_share(share, shares->at[i].bytes, shares->total_bytes);
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", i != 0 ? ", " : "",
                                 label, share);
    }
    line[used++] = '.';
    line[used] = 0;
    for (size_t i = 0; i < holders->count && shares != holders; i++) {
        char label[REPORT_LABEL_TEXT];
        char bytes[REPORT_BYTES_TEXT];
        if (holders->at[i].stack != 0) {
            report_label(label, holders->at[i].label, 48);
            report_bytes(bytes, style, holders->at[i].bytes);
            (void)snprintf(line + used, sizeof line - used, " Largest call site: %s, %s.", label,
                           bytes);
            break;
        }
    }
    report_fold(sink, style, 0, 0, line);
}

void report_verdict_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_explain *explain)
{
    const struct zv_record *const record = explain->record;
    const struct zv_heap *const heap = explain->cause_heap;
    char line[LINE_TEXT];
    char first[REPORT_BYTES_TEXT];
    char second[REPORT_BYTES_TEXT];
    char instant[REPORT_INSTANT_TEXT];
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
        report_instant(instant, record, record->peak_allocated.event);
        (void)snprintf(line, sizeof line, "PEAK %s allocated, %s. No allocation failed.", first,
                       instant);
    }
    report_fold(sink, style, 0, 0, line);
    put_holders(sink, style, explain);
}

/* ---- what the record does not say ---- */

static void put_peaks(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_record *record)
{
    char allocated[REPORT_BYTES_TEXT];
    char reserved[REPORT_BYTES_TEXT];
    char instant[REPORT_INSTANT_TEXT];
    char line[LINE_TEXT];
    if (!record->has_history) {
        return;
    }
    report_bytes(allocated, style, record->peak_allocated.usage.allocated_bytes);
    report_bytes(reserved, style, record->peak_reserved.usage.reserved_bytes);
    report_instant(instant, record, record->peak_reserved.event);
    zv_sink_text(sink, "\n");
    if (record->peak_reserved.usage.reserved_bytes == 0) {
        report_fold(
            sink, style, 0, 0,
            "Peaks: reserved bytes are not recorded; allocated bytes are sums of the events, a "
            "lower bound.");
        return;
    }
    (void)snprintf(line, sizeof line, "Peaks: %s allocated, %s reserved (first reached %s).%s",
                   allocated, reserved, instant,
                   record->peak_allocated.event != record->peak_reserved.event
                       ? " They are of different instants and must not be subtracted."
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
        (void)snprintf(line, sizeof line, "%s of the active bytes has no%s stack.", bytes,
                       explain->record->trace.known == ZV_TRACE_RECORDED ? " recorded" : "");
        report_fold(sink, style, 2, 0, line);
    }
    if (explain->record->start.stray_events != 0) {
        (void)snprintf(line, sizeof line,
                       explain->record->trace.source == ZV_TRACE_FROM_SNAPSHOT
                           ? "%" PRIu64
                             " events contradict the end state: the history is incomplete."
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
        "in the file: a higher reading in nvidia-smi alone is no sign of a leak.");
}

/* The part that --range asked for. */
static void put_range(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_record *record)
{
    char first[COUNT_TEXT];
    char last[COUNT_TEXT];
    char line[LINE_TEXT];
    if (!record->has_range) {
        return;
    }
    const size_t count = zv_record_device(record)->event_count;
    report_count(first, record->first_event + (count != 0));
    report_count(last, record->first_event + count);
    (void)snprintf(line, sizeof line,
                   "Only events %s to %s of the file; they are counted from 1 here.", first, last);
    report_fold(sink, style, 0, 0, line);
}

void report_explain_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_explain *explain)
{
    const struct zv_record *const record = explain->record;
    const bool has_heap = record->trace.source == ZV_TRACE_FROM_SNAPSHOT;
    report_verdict_text(sink, style, explain);
    put_range(sink, style, record);
    if (has_heap) {
        report_usage_text(sink, style, record, explain->heap);
    }
    if (explain->parts != NULL) {
        report_parts_text(sink, style, record, explain->parts, explain->top);
    }
    for (size_t i = 0; i < explain->group_count; i++) {
        report_groups_text(sink, style, record, &explain->groups[i], explain->top);
    }
    if (has_heap && explain->heap->event == explain->verdict->event) {
        report_fragmentation_text(sink, style, explain);
    }
    if (has_heap && explain->with_segments) {
        report_segments_text(sink, style, record, explain->heap, explain->top);
    }
    put_peaks(sink, style, record);
    report_proof_text(sink, style, record);
    if (record->config.expandable_segments) {
        report_caveats_text(sink, style);
    }
    put_limits(sink, style, explain);
}
