#include "explain/record.h"

#include <inttypes.h>
#include <string.h>

#include "allocator/trace_record.h"
#include "base/fail.h"
#include "base/memory.h"
#include "explain/series.h"
#include "trace/crop.h"
#include "trace/op_list.h"
#include "trace/open.h"

struct notes {
    struct zv_record *record;
    size_t odd_capacity;
    bool failed; /* host memory is short */
};

/* A free that gave back more than its request rounded. */
static void note_odd(struct notes *notes, size_t event, const struct zv_trace_usage *usage)
{
    struct zv_record *const record = notes->record;
    const struct zv_trace_event *const one = &zv_record_device(record)->events[event];
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT || notes->failed ||
        one->action != ZV_TRACE_FREE_COMPLETED || record->end.active_bytes <= usage->active_bytes) {
        return;
    }
    const uint64_t bytes = record->end.active_bytes - usage->active_bytes;
    if (bytes == record->rules.round(record->rules.context, one->bytes)) {
        return;
    }
    if (record->odd_count == notes->odd_capacity) {
        const size_t grown = notes->odd_capacity == 0 ? 64 : 2 * notes->odd_capacity;
        struct zv_trace_odd *const odd = zv_memory_resize(record->odd, grown * sizeof *odd);
        notes->failed = odd == NULL;
        if (notes->failed) {
            return;
        }
        record->odd = odd;
        notes->odd_capacity = grown;
    }
    record->odd[record->odd_count++] = (struct zv_trace_odd){event, bytes};
}

static void note_usage(void *context, size_t event, const struct zv_trace_usage *usage, bool proved)
{
    struct notes *const notes = context;
    struct zv_record *const record = notes->record;
    (void)proved;
    note_odd(notes, event, usage);
    if (usage->allocated_bytes > record->peak_allocated.usage.allocated_bytes) {
        record->peak_allocated = (struct zv_record_peak){event + 1, *usage};
    }
    if (usage->reserved_bytes > record->peak_reserved.usage.reserved_bytes) {
        record->peak_reserved = (struct zv_record_peak){event + 1, *usage};
    }
    record->end = *usage;
}

/* What the sums over a record leave out, of an instant that the replay did not reach. */
static enum zv_status complete_usage(const struct zv_record *record, size_t event,
                                     struct zv_trace_usage *usage, struct zv_error *err)
{
    struct zv_trace_start state;
    if (event < record->learned.events) {
        return ZV_OK;
    }
    const enum zv_status status =
        zv_trace_state_at(&state, &record->trace, record->device, event, &record->rules, err);
    if (status == ZV_OK) {
        usage->inactive_split_bytes = series_usage(&state).inactive_split_bytes;
    }
    zv_trace_start_close(&state);
    return status;
}

static enum zv_status complete_usages(struct zv_record *record, struct zv_error *err)
{
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT || record->learned.exact) {
        return ZV_OK;
    }
    enum zv_status status =
        complete_usage(record, record->peak_allocated.event, &record->peak_allocated.usage, err);
    status = status == ZV_OK ? complete_usage(record, record->peak_reserved.event,
                                              &record->peak_reserved.usage, err)
                             : status;
    return status == ZV_OK
               ? complete_usage(record, zv_record_device(record)->event_count, &record->end, err)
               : status;
}

/* What the other recorded settings say; NULL: memory is short. */
static const char *conf_of_keys(struct zv_record *record)
{
    const struct zv_trace_settings *const settings = &record->trace.settings;
    const char *const expandable = settings->expandable_segments ? "expandable_segments:True" : "";
    return settings->has_max_split
               ? zv_arena_print(&record->trace.arena, "%s%smax_split_size_mb:%" PRIu64, expandable,
                                expandable[0] != 0 ? "," : "", settings->max_split_bytes >> 20)
               : expandable;
}

/* Recorded settings that this allocator does not know, or are none: what the file says besides. */
static enum zv_status assume_settings(struct zv_record *record, struct zv_error *err)
{
    record->conf_unread = zv_trace_text(&record->trace, record->trace.settings.conf);
    record->conf = conf_of_keys(record);
    record->conf_known = false;
    return record->conf != NULL
               ? zv_trace_rules(&record->rules, &record->config, record->profile, record->conf, err)
               : zv_fail_memory(err, "settings");
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
    if (options->conf == NULL && trace->settings.conf == 0 && trace->settings.known) {
        record->conf = conf_of_keys(record); /* set while it ran, or by a program of another kind */
        if (record->conf == NULL) {
            return zv_fail_memory(err, "settings");
        }
    }
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

static uint64_t elapsed(const struct zv_trace_device *device, size_t event, uint64_t base)
{
    const uint64_t time = device->events[event].time_us;
    return time > base ? time - base : 0; /* clocks can be set back */
}

static bool has_times(const struct zv_trace_device *device)
{
    return device->event_count != 0 && device->events[device->event_count - 1].time_us != 0;
}

/* The events of a time, as a range of events. */
static void times_to_events(const struct zv_trace_device *device, uint64_t *from, uint64_t *to)
{
    const uint64_t base = device->event_count != 0 ? device->events[0].time_us : 0;
    size_t first = 0;
    while (first < device->event_count && elapsed(device, first, base) < *from) {
        first++;
    }
    size_t end = first;
    while (end < device->event_count && elapsed(device, end, base) < *to) {
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
    if (options->range_is_time && !has_times(device)) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a range of time: the record has no times, expected events");
    }
    if (options->range_is_time) {
        times_to_events(device, &from, &to);
    } else {
        from = from < already ? 0 : from - already;
        to = to < already ? 0 : to - already;
    }
    to = to < device->event_count ? to : device->event_count;
    if (from >= to) {
        return zv_fail(err, ZV_E_USAGE, "no event is in the range: the record has %zu%s",
                       already + device->event_count, already != 0 ? " or more" : "");
    }
    record->has_range = true;
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

/* Peaks, end and sizes, from the state before the record. */
static enum zv_status take_series(struct zv_record *record, struct zv_trace_replay *proof,
                                  struct zv_error *err)
{
    struct notes notes = {.record = record, .odd_capacity = record->odd_count};
    record->odd_count = 0;
    record->end = series_usage(&record->start);
    record->peak_allocated = (struct zv_record_peak){.usage = record->end};
    record->peak_reserved = (struct zv_record_peak){.usage = record->end};
    const enum zv_status status = series_run(record, proof, note_usage, &notes, err);
    record->rules.odd = record->odd;
    record->rules.odd_count = record->odd_count;
    return status == ZV_OK && notes.failed ? zv_fail_memory(err, "the sizes of blocks") : status;
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
    status = take_series(record, &record->proof, err);
    record->learned = record->proof;
    if (status == ZV_OK && !record->proof.exact && record->trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        record->learned_blocks =
            zv_trace_start_learn(&record->start, &record->trace, record->device);
        status = record->learned_blocks != 0 ? take_series(record, &record->learned, err) : ZV_OK;
    }
    return status == ZV_OK ? complete_usages(record, err) : status;
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
    zv_memory_free(record->odd);
    zv_trace_close(&record->trace);
    *record = (struct zv_record){0};
}
