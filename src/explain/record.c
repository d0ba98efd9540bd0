#include "explain/record.h"

#include <string.h>

#include "allocator/trace_record.h"
#include "base/fail.h"
#include "trace/crop.h"
#include "trace/op_list.h"
#include "trace/open.h"

/* Usage that is handed on once for each event: the replay may correct itself until the next. */
struct series {
    const struct zv_record *record;
    zv_record_series_fn *tell;
    void *context;
    bool has_pending;
    size_t event;
    struct zv_trace_usage usage;
};

static void flush(struct series *series)
{
    if (series->has_pending) {
        series->tell(series->context, series->event, &series->usage, true);
        series->has_pending = false;
    }
}

static void on_usage(void *context, size_t event, const struct zv_trace_usage *usage)
{
    struct series *const series = context;
    if (series->has_pending && series->event != event) {
        flush(series);
    }
    series->has_pending = true;
    series->event = event;
    series->usage = *usage;
}

static struct zv_trace_usage usage_at_start(const struct zv_trace_start *start)
{
    struct zv_trace_usage usage = {.reserved_bytes = start->reserved_bytes};
    for (size_t i = 0; i < start->block_count; i++) {
        usage.active_bytes += start->blocks[i].bytes;
        usage.requested_bytes += start->blocks[i].requested_bytes;
        usage.allocated_bytes +=
            start->blocks[i].state == ZV_BLOCK_ALLOCATED ? start->blocks[i].bytes : 0;
    }
    return usage;
}

/* What an event does to the sums when only the record is known; never below 0. */
static void add_event(const struct zv_record *record, const struct zv_trace_event *event,
                      struct zv_trace_usage *usage)
{
    const uint64_t size = record->rules.round(record->rules.context, event->bytes);
    const uint64_t bytes = event->bytes;
    switch ((enum zv_trace_action)event->action) {
    case ZV_TRACE_ALLOC:
        usage->allocated_bytes += size;
        usage->active_bytes += size;
        usage->requested_bytes += bytes;
        break;
    case ZV_TRACE_FREE_REQUESTED:
        usage->allocated_bytes -= size < usage->allocated_bytes ? size : usage->allocated_bytes;
        break;
    case ZV_TRACE_FREE_COMPLETED:
        usage->active_bytes -= size < usage->active_bytes ? size : usage->active_bytes;
        usage->requested_bytes -= bytes < usage->requested_bytes ? bytes : usage->requested_bytes;
        break;
    case ZV_TRACE_SEGMENT_ALLOC:
    case ZV_TRACE_SEGMENT_MAP:
        usage->reserved_bytes += bytes;
        break;
    case ZV_TRACE_SEGMENT_FREE:
    case ZV_TRACE_SEGMENT_UNMAP:
        usage->reserved_bytes -= bytes < usage->reserved_bytes ? bytes : usage->reserved_bytes;
        break;
    case ZV_TRACE_OOM:
    case ZV_TRACE_SNAPSHOT:
    case ZV_TRACE_OTHER:
    case ZV_TRACE_ACTION_COUNT:
        break;
    }
}

/* How far a running sum falls below where it began: at least that much was live before. */
static uint64_t live_before(const struct zv_trace_device *device)
{
    uint64_t sum = 0;
    uint64_t below = 0;
    for (size_t i = 0; i < device->event_count; i++) {
        const struct zv_trace_event *const event = &device->events[i];
        if (event->action == ZV_TRACE_ALLOC) {
            sum += event->bytes;
        } else if (event->action == ZV_TRACE_FREE_REQUESTED) {
            below += event->bytes > sum ? event->bytes - sum : 0;
            sum -= event->bytes > sum ? sum : event->bytes;
        }
    }
    return below;
}

/* Where the recorded totals do not follow from each other: events are missing there. */
static uint64_t count_jumps(const struct zv_record *record)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    uint64_t jumps = 0;
    for (size_t i = 1; i < device->event_count; i++) {
        const struct zv_trace_event *const event = &device->events[i];
        const struct zv_trace_total *const total =
            &record->trace.totals[event - record->trace.events];
        const uint64_t change =
            event->action == ZV_TRACE_FREE_REQUESTED ? 0 - event->bytes : event->bytes;
        jumps += event->action != ZV_TRACE_OOM && total->known && (total - 1)->known &&
                 (total - 1)->allocated_bytes + change != total->allocated_bytes;
    }
    return jumps;
}

/* A profiler wrote totals beside its events, or only the sums of its events are known. */
static void profiler_series(const struct zv_record *record, zv_record_series_fn *tell,
                            void *context)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    struct zv_trace_usage usage = {.allocated_bytes = live_before(device)};
    for (size_t i = 0; i < device->event_count; i++) {
        const struct zv_trace_event *const event = &device->events[i];
        const struct zv_trace_total *const total =
            &record->trace.totals[event - record->trace.events];
        if (total->known) {
            usage.allocated_bytes = total->allocated_bytes;
            usage.reserved_bytes = total->reserved_bytes;
        } else if (event->action == ZV_TRACE_ALLOC) {
            usage.allocated_bytes += event->bytes;
        } else if (event->action == ZV_TRACE_FREE_REQUESTED) {
            usage.allocated_bytes -= event->bytes;
        }
        tell(context, i, &usage, false);
    }
}

static enum zv_status run_series(const struct zv_record *record, struct zv_trace_replay *proof,
                                 zv_record_series_fn *tell, void *context, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    struct series series = {.record = record, .tell = tell, .context = context};
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        *proof = (struct zv_trace_replay){.total_events = device->event_count,
                                          .why = "a profiler writes no streams and no requests"};
        profiler_series(record, tell, context);
        return ZV_OK;
    }
    series.usage = usage_at_start(&record->start);
    const struct zv_trace_replay_options options = {
        .profile = record->profile, .conf = record->conf, .on_usage = on_usage, .context = &series};
    const enum zv_status status =
        zv_trace_replay(proof, &record->trace, record->device, &record->start, &options, err);
    if (status != ZV_OK) {
        return status;
    }
    struct zv_trace_usage usage =
        proof->events != 0 ? series.usage : usage_at_start(&record->start);
    flush(&series);
    for (size_t i = proof->events; i < device->event_count; i++) {
        add_event(record, &device->events[i], &usage);
        tell(context, i, &usage, false);
    }
    return ZV_OK;
}

enum zv_status zv_record_series(const struct zv_record *record, zv_record_series_fn *tell,
                                void *context, struct zv_error *err)
{
    struct zv_trace_replay proof;
    return run_series(record, &proof, tell, context, err);
}

static void note_peaks(void *context, size_t event, const struct zv_trace_usage *usage, bool proved)
{
    struct zv_record *const record = context;
    (void)proved;
    if (usage->allocated_bytes > record->peak_allocated.usage.allocated_bytes) {
        record->peak_allocated = (struct zv_record_peak){event + 1, *usage};
    }
    if (usage->reserved_bytes > record->peak_reserved.usage.reserved_bytes) {
        record->peak_reserved = (struct zv_record_peak){event + 1, *usage};
    }
    record->end = *usage;
}

/* Recorded settings that this allocator does not know, or are none: what the file says besides. */
static enum zv_status assume_settings(struct zv_record *record, struct zv_error *err)
{
    const struct zv_trace_settings *const settings = &record->trace.settings;
    record->conf_unread = zv_trace_text(&record->trace, settings->conf);
    record->conf = settings->expandable_segments ? "expandable_segments:True" : "";
    record->conf_known = false;
    return zv_trace_rules(&record->rules, &record->config, record->profile, record->conf, err);
}

static enum zv_status choose(struct zv_record *record, const struct zv_record_options *options,
                             struct zv_error *err)
{
    const struct zv_trace *const trace = &record->trace;
    record->device =
        options->device == ZV_RECORD_ANY_DEVICE ? zv_trace_main_device(trace) : options->device;
    if (record->device >= trace->device_count) {
        return zv_fail(err, ZV_E_NOT_FOUND, "device %zu: the file has %zu (0 to %zu)",
                       record->device, trace->device_count, trace->device_count - 1);
    }
    if (options->capacity_bytes != 0) {
        record->trace.devices[record->device].total_bytes = options->capacity_bytes;
    }
    record->profile = options->has_profile ? options->profile : zv_trace_profile(trace);
    record->conf =
        options->conf != NULL ? options->conf : zv_trace_text(trace, trace->settings.conf).at;
    record->conf_known = options->conf != NULL || trace->settings.known;
    struct zv_error own = {0};
    enum zv_status status =
        zv_trace_rules(&record->rules, &record->config, record->profile, record->conf, &own);
    if (options->conf == NULL && (status == ZV_E_SYNTAX || status == ZV_E_UNSUPPORTED ||
                                  status == ZV_E_USAGE || status == ZV_E_LIMIT)) {
        return assume_settings(record, err);
    }
    if (status != ZV_OK) {
        *err = own;
    }
    return status;
}

/* The events of a time, as a range of events. */
static void times_to_events(const struct zv_trace_device *device, uint64_t *from, uint64_t *to)
{
    const uint64_t base = device->event_count != 0 ? device->events[0].time_us : 0;
    size_t first = 0;
    while (first < device->event_count && device->events[first].time_us - base < *from) {
        first++;
    }
    size_t end = first;
    while (end < device->event_count && device->events[end].time_us - base < *to) {
        end++;
    }
    *from = first;
    *to = end;
}

/* Leaves only the part that was asked for; a capture may have been read in part already. */
static enum zv_status crop(struct zv_record *record, const struct zv_record_options *options,
                           size_t already, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    uint64_t from = options->from;
    uint64_t to = options->to;
    if (!options->has_range) {
        return ZV_OK;
    }
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "a range needs a memory snapshot or a capture");
    }
    if (options->range_is_time) {
        times_to_events(device, &from, &to);
    } else {
        from = from < already ? 0 : from - already;
        to = to < already ? 0 : to - already;
    }
    to = to < device->event_count ? to : device->event_count;
    from = from < to ? from : to;
    record->first_event = already + (size_t)from;
    return zv_trace_crop(&record->trace, record->device, (size_t)from, (size_t)to, &record->rules,
                         err);
}

static void find_oom(struct zv_record *record)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    for (size_t i = device->event_count; i != 0 && !record->has_oom; i--) {
        record->has_oom = device->events[i - 1].action == ZV_TRACE_OOM;
        record->last_oom = i - 1;
    }
    record->has_history = device->event_count > 1;
}

/* The trace is in the record; already: events of it that were not read. */
static enum zv_status prepare(struct zv_record *record, const struct zv_record_options *options,
                              size_t already, struct zv_error *err)
{
    enum zv_status status = choose(record, options, err);
    status = status == ZV_OK ? crop(record, options, already, err) : status;
    if (status == ZV_OK && record->trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        status =
            zv_trace_start(&record->start, &record->trace, record->device, &record->rules, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (record->trace.source == ZV_TRACE_FROM_PROFILER) {
        record->start.stray_events = count_jumps(record);
    }
    find_oom(record);
    record->end = usage_at_start(&record->start);
    record->peak_allocated.usage = record->end;
    record->peak_reserved.usage = record->end;
    return run_series(record, &record->proof, note_peaks, record, err);
}

enum zv_status zv_record_open(struct zv_record *record, struct zv_slice input,
                              const struct zv_record_options *options, struct zv_error *err)
{
    *record = (struct zv_record){0};
    size_t already = 0;
    struct zv_capture_range range = {0, SIZE_MAX};
    if (options->has_range && !options->range_is_time) {
        range = (struct zv_capture_range){(size_t)options->from, (size_t)options->to};
    }
    const enum zv_status status = zv_trace_open(&record->trace, input, range, &already, err);
    return status == ZV_OK ? prepare(record, options, already, err) : status;
}

enum zv_status zv_record_of_ops(struct zv_record *record, struct zv_slice ops,
                                const struct zv_record_options *options, struct zv_error *err)
{
    const struct zv_allocator_options run = {
        .profile = options->has_profile ? options->profile : ZV_TORCH_2_6,
        .conf = options->conf != NULL ? options->conf : "",
        .capacity_bytes = options->capacity_bytes != 0 ? options->capacity_bytes : ZV_OP_MAX_BYTES};
    *record = (struct zv_record){0};
    const enum zv_status status = zv_trace_record(&record->trace, ops, &run, err);
    if (status == ZV_OK && options->capacity_bytes == 0) {
        record->trace.devices[0].total_bytes = 0; /* the simulated card never fills */
    }
    return status == ZV_OK ? prepare(record, options, 0, err) : status;
}

void zv_record_close(struct zv_record *record)
{
    zv_trace_start_close(&record->start);
    zv_trace_close(&record->trace);
    *record = (struct zv_record){0};
}
