#include "explain/series.h"

#include "trace/sums.h"

/* Usage that is handed on once for each event: the replay may correct itself until the next. */
struct series {
    const struct zv_record *record;
    zv_record_series_fn *tell;
    void *context;
    bool has_pending;
    size_t event;
    struct zv_trace_usage usage;
    struct zv_trace_usage loose; /* beside what the replay knows */
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
    series->usage.allocated_bytes += series->loose.allocated_bytes;
    series->usage.active_bytes += series->loose.active_bytes;
    series->usage.requested_bytes += series->loose.requested_bytes;
    series->usage.reserved_bytes += series->loose.reserved_bytes;
}

static void add_block(struct zv_trace_usage *usage, const struct zv_trace_block *block)
{
    usage->active_bytes += block->bytes;
    usage->requested_bytes += block->requested_bytes;
    usage->allocated_bytes += block->state == ZV_BLOCK_ALLOCATED ? block->bytes : 0;
}

/* What lies in no recorded segment; it is reserved, too. */
static struct zv_trace_usage usage_of_loose(const struct zv_trace_start *state)
{
    struct zv_trace_usage usage = {0};
    for (size_t i = 0; i < state->loose_count; i++) {
        add_block(&usage, &state->loose[i]);
    }
    usage.reserved_bytes = usage.active_bytes;
    return usage;
}

struct zv_trace_usage series_usage(const struct zv_trace_start *state)
{
    struct zv_trace_usage usage = usage_of_loose(state);
    usage.reserved_bytes += state->reserved_bytes;
    for (size_t i = 0; i < state->segment_count; i++) {
        const struct zv_trace_segment *const segment = &state->segments[i];
        const uint64_t before = usage.active_bytes;
        for (uint32_t j = 0; j < segment->block_count; j++) {
            add_block(&usage, &state->blocks[segment->first_block + j]);
        }
        if (!segment->is_expandable && segment->block_count != 0) {
            usage.inactive_split_bytes += segment->bytes - (usage.active_bytes - before);
        }
    }
    return usage;
}

static struct zv_trace_usage usage_of_sums(const struct zv_trace_sums *sums)
{
    return (struct zv_trace_usage){.allocated_bytes = sums->allocated_bytes,
                                   .active_bytes = sums->active_bytes,
                                   .requested_bytes = sums->requested_bytes,
                                   .reserved_bytes = sums->reserved_bytes};
}

/* From where the replay left the record, only the record counts. */
static enum zv_status sums_series(const struct zv_record *record, size_t from,
                                  zv_record_series_fn *tell, void *context, struct zv_error *err)
{
    const size_t events = zv_record_device(record)->event_count;
    struct zv_trace_sums sums;
    enum zv_status status = zv_trace_sums_open(&sums, &record->trace, record->device,
                                               &record->start, &record->rules, err);
    for (size_t i = 0; i < events && status == ZV_OK; i++) {
        if (!zv_trace_sums_step(&sums, err)) {
            status = ZV_E_NOMEM;
        } else if (i + 1 >= from) {
            const struct zv_trace_usage usage = usage_of_sums(&sums);
            tell(context, i, &usage, false);
        }
    }
    zv_trace_sums_close(&sums);
    return status;
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

enum zv_status series_run(const struct zv_record *record, struct zv_trace_replay *proof,
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
    series.loose = usage_of_loose(&record->start);
    const struct zv_trace_replay_options options = {
        .profile = record->profile, .conf = record->conf, .on_usage = on_usage, .context = &series};
    const enum zv_status status =
        zv_trace_replay(proof, &record->trace, record->device, &record->start, &options, err);
    if (status != ZV_OK) {
        return status;
    }
    if (proof->exact) {
        flush(&series);
        return ZV_OK;
    }
    /* The call that left the record may have changed what its first events had told. */
    return sums_series(record, proof->events, tell, context, err);
}

enum zv_status zv_record_series(const struct zv_record *record, zv_record_series_fn *tell,
                                void *context, struct zv_error *err)
{
    struct zv_trace_replay proof;
    return series_run(record, &proof, tell, context, err);
}
