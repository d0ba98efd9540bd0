#include "report/json_fields.h"
#include "report/report_explain.h"

static void write_usage(struct zv_json_writer *json, const char *key,
                        const struct zv_trace_usage *usage, bool all)
{
    zv_json_write_key(json, key);
    zv_json_begin_object(json);
    json_bytes(json, "allocated_bytes", true, usage->allocated_bytes);
    json_bytes(json, "reserved_bytes", all || usage->reserved_bytes != 0, usage->reserved_bytes);
    json_bytes(json, "active_bytes", all, usage->active_bytes);
    json_bytes(json, "requested_bytes", all, usage->requested_bytes);
    json_bytes(json, "inactive_split_bytes", all, usage->inactive_split_bytes);
    zv_json_end_object(json);
}

static void write_peak(struct zv_json_writer *json, const char *key, const struct zv_record *record,
                       const struct zv_record_peak *peak)
{
    zv_json_write_key(json, key);
    zv_json_begin_object(json);
    json_bytes(json, "after_event", record->has_history, peak->event);
    write_usage(json, "usage", &peak->usage, record->trace.source == ZV_TRACE_FROM_SNAPSHOT);
    zv_json_end_object(json);
}

static void write_verdict(struct zv_json_writer *json, const struct zv_cause *verdict)
{
    zv_json_write_key(json, "verdict");
    zv_json_begin_object(json);
    json_text(json, "kind", zv_cause_name(verdict->kind));
    json_bool(json, "out_of_memory", verdict->is_oom);
    json_bytes(json, "requested_bytes", verdict->is_oom, verdict->requested_bytes);
    json_bytes(json, "device_free_bytes", verdict->device_free_known, verdict->device_free_bytes);
    json_bytes(json, "capacity_bytes", verdict->capacity_bytes != 0, verdict->capacity_bytes);
    json_bytes(json, "outside_bytes", verdict->is_oom && verdict->capacity_bytes != 0,
               verdict->outside_bytes);
    json_bytes(json, "missing_bytes", verdict->is_oom, verdict->missing_bytes);
    json_bytes(json, "pool_free_bytes", verdict->is_oom, verdict->pool_free_bytes);
    json_bytes(json, "pool_largest_hole_bytes", verdict->is_oom, verdict->pool_hole_bytes);
    zv_json_end_object(json);
}

/* [0, 0]: the default pool. */
static void write_pool_id(struct zv_json_writer *json, const struct zv_trace *trace, bool unknown,
                          uint16_t pool)
{
    zv_json_write_key(json, "pool_id");
    if (unknown) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_array(json);
    zv_json_write_u64(json, trace->pools[pool].id[0]);
    zv_json_write_u64(json, trace->pools[pool].id[1]);
    zv_json_end_array(json);
}

static void write_parts(struct zv_json_writer *json, const struct zv_trace *trace,
                        const struct zv_heap_parts *parts)
{
    zv_json_write_key(json, "pools");
    zv_json_begin_array(json);
    for (size_t i = 0; i < parts->count; i++) {
        const struct zv_heap_part *const part = &parts->at[i];
        zv_json_begin_object(json);
        json_text(json, "pool", part->is_loose ? NULL : part->is_small ? "small" : "large");
        write_pool_id(json, trace, part->is_loose, part->pool);
        json_bytes(json, "stream", part->has_stream, trace->streams[part->stream]);
        json_bytes(json, "segments", true, part->segment_count);
        write_usage(json, "usage", &part->usage, true);
        json_bytes(json, "largest_hole_bytes", true, part->largest_hole_bytes);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_heap(struct zv_json_writer *json, const struct report_explain *explain)
{
    const struct zv_record *const record = explain->record;
    const struct zv_heap *const heap = explain->heap;
    zv_json_write_key(json, "instant");
    zv_json_begin_object(json);
    json_bytes(json, "after_event", true, heap->event);
    write_usage(json, "usage", &heap->usage, true);
    json_bytes(json, "free_in_cache_bytes", true, heap->free_bytes);
    json_bytes(json, "largest_hole_bytes", true, heap->largest_hole_bytes);
    json_bytes(json, "rounding_bytes", true,
               heap->usage.active_bytes - heap->usage.requested_bytes);
    json_bytes(json, "live_since_before_the_record_bytes", true, heap->before_bytes);
    json_bytes(json, "without_stack_bytes", true, heap->no_stack_bytes);
    json_bytes(json, "in_no_recorded_segment_bytes", true, heap->loose_bytes);
    write_parts(json, &record->trace, explain->parts);
    zv_json_write_key(json, "segments");
    zv_json_begin_array(json);
    for (size_t i = 0; i < heap->segment_count; i++) {
        const struct zv_heap_segment *const segment = &heap->segments[i];
        zv_json_begin_object(json);
        json_bytes(json, "address", true, segment->facts.address);
        json_bytes(json, "bytes", true, segment->facts.bytes);
        json_bytes(json, "live_bytes", true, segment->live_bytes);
        json_bytes(json, "free_bytes", true, segment->free_bytes);
        json_bytes(json, "largest_hole_bytes", true, segment->largest_hole_bytes);
        const struct zv_trace_usage usage = zv_segment_usage(heap, segment);
        json_bytes(json, "allocated_bytes", true, usage.allocated_bytes);
        json_bytes(json, "requested_bytes", true, usage.requested_bytes);
        json_bytes(json, "inactive_split_bytes", true, usage.inactive_split_bytes);
        json_text(json, "pool",
                  segment->is_loose         ? NULL
                  : segment->facts.is_small ? "small"
                                            : "large");
        write_pool_id(json, &record->trace, segment->is_loose, segment->facts.pool);
        json_bytes(json, "stream", segment->has_stream,
                   record->trace.streams[segment->facts.stream]);
        json_bool(json, "expandable", segment->facts.is_expandable);
        json_bool(json, "recorded", !segment->is_loose);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

/* Innermost frame first, every one as the file has it. */
static void write_stack(struct zv_json_writer *json, const struct zv_trace *trace, uint32_t stack)
{
    zv_json_write_key(json, "frames");
    zv_json_begin_array(json);
    for (; stack != 0; stack = trace->stacks[stack].outer) {
        const struct zv_trace_frame *const frame = &trace->frames[trace->stacks[stack].frame];
        zv_json_begin_object(json);
        json_slice(json, "file", zv_trace_text(trace, frame->file));
        json_bytes(json, "line", true, frame->line);
        json_slice(json, "function", zv_trace_text(trace, frame->name));
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_groups(struct zv_json_writer *json, const struct report_explain *explain)
{
    zv_json_write_key(json, "held_by");
    zv_json_begin_object(json);
    for (size_t i = 0; i < explain->group_count; i++) {
        const struct zv_groups *const groups = &explain->groups[i].groups;
        zv_json_write_key(json, explain->groups[i].by);
        zv_json_begin_array(json);
        for (size_t j = 0; j < groups->count; j++) {
            zv_json_begin_object(json);
            json_slice(json, "label", groups->at[j].label);
            json_bytes(json, "bytes", true, groups->at[j].bytes);
            json_bytes(json, "requested_bytes", true, groups->at[j].requested_bytes);
            json_bytes(json, "blocks", true, groups->at[j].blocks);
            if (explain->groups[i].by == zv_group_words[ZV_GROUP_STACK]) {
                write_stack(json, &explain->record->trace, groups->at[j].stack);
            }
            zv_json_end_object(json);
        }
        zv_json_end_array(json);
    }
    zv_json_end_object(json);
}

void report_explain_json(struct zv_sink *sink, const struct report_explain *explain)
{
    static const char *const sources[] = {"snapshot", "profiler", "timeline"};
    const struct zv_record *const record = explain->record;
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.explain/1");
    json_text(&json, "source", sources[record->trace.source]);
    report_known_json(&json, &record->trace);
    json_text(&json, "backend", record->trace.source == ZV_TRACE_FROM_SNAPSHOT ? "native" : NULL);
    json_bytes(&json, "device", true, record->device);
    json_bytes(&json, "devices", true, record->trace.device_count);
    json_bytes(&json, "events_left_out_before", true, record->first_event);
    write_verdict(&json, explain->verdict);
    write_peak(&json, "peak_allocated", record, &record->peak_allocated);
    write_peak(&json, "peak_reserved", record, &record->peak_reserved);
    zv_json_write_key(&json, "end");
    zv_json_begin_object(&json);
    write_usage(&json, "usage", &record->end, record->trace.source == ZV_TRACE_FROM_SNAPSHOT);
    zv_json_end_object(&json);
    if (record->trace.source == ZV_TRACE_FROM_SNAPSHOT) {
        write_heap(&json, explain);
    }
    if (record->trace.source == ZV_TRACE_FROM_SNAPSHOT || explain->group_count != 0) {
        write_groups(&json, explain);
    }
    if (record->config.expandable_segments) {
        report_caveats_json(&json);
    }
    zv_json_write_key(&json, "replay");
    zv_json_begin_object(&json);
    report_proof_json(&json, record);
    zv_json_end_object(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}

void report_difference_json(struct zv_sink *sink, const struct zv_difference *difference)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.explain_difference/1");
    json_text(&json, "before_known", zv_trace_known_name(difference->before_known));
    json_text(&json, "after_known", zv_trace_known_name(difference->after_known));
    write_usage(&json, "before", &difference->before, true);
    write_usage(&json, "after", &difference->after, true);
    zv_json_write_key(&json, "changes");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < difference->count; i++) {
        const struct zv_changed *const one = &difference->at[i];
        zv_json_begin_object(&json);
        json_slice(&json, "label", one->label);
        json_bytes(&json, "before_bytes", true, one->before_bytes);
        json_bytes(&json, "after_bytes", true, one->after_bytes);
        json_bytes(&json, "before_blocks", true, one->before_blocks);
        json_bytes(&json, "after_blocks", true, one->after_blocks);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
