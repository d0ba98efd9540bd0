#include "report/json_fields.h"
#include "report/report_explain.h"
#include "report/report_place.h"

static void write_result(struct zv_json_writer *json, const struct zv_place_result *result)
{
    json_text(json, "state", zv_place_state_name(result->state));
    json_bytes(json, "load_bytes", true, result->load_bytes);
    json_bytes(json, "infeasible_below_bytes", true, result->bound_bytes);
    json_bytes(json, "height_bytes", true, result->height_bytes);
    json_bytes(json, "gap_bytes", true, result->height_bytes - result->bound_bytes);
    json_text(json, "found_by", result->found_by);
    json_text(json, "ended_by", zv_place_end_name(result->end));
    json_bytes(json, "nodes", true, result->nodes);
    json_bytes(json, "sections", true, result->sections);
}

/* The value behind a key. */
static void write_plan(struct zv_json_writer *json, const struct zv_place_plan *plan,
                       bool by_stream)
{
    zv_json_begin_object(json);
    json_bytes(json, "load_bytes", true, plan->load_bytes);
    json_bytes(json, "infeasible_below_bytes", true, plan->bound_bytes);
    json_bytes(json, "height_bytes", true, plan->height_bytes);
    zv_json_write_key(json, "arenas");
    zv_json_begin_array(json);
    for (size_t i = 0; i < plan->arena_count; i++) {
        const struct zv_place_arena *const arena = &plan->arenas[i];
        zv_json_begin_object(json);
        zv_json_write_key(json, "pool");
        zv_json_begin_array(json);
        zv_json_write_u64(json, arena->pool[0]);
        zv_json_write_u64(json, arena->pool[1]);
        zv_json_end_array(json);
        json_bytes(json, "stream", by_stream, arena->stream);
        json_bytes(json, "blocks", true, arena->blocks);
        write_result(json, &arena->result);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void write_fixed(struct zv_json_writer *json, const struct zv_placement *placement)
{
    zv_json_write_key(json, "fixed");
    if (!placement->has_fixed) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_object(json);
    json_bytes(json, "blocks", true, placement->fixed_blocks);
    json_bytes(json, "pinned_bytes", true, placement->pinned_bytes);
    write_result(json, &placement->fixed);
    zv_json_end_object(json);
}

static void write_placement(struct zv_json_writer *json, const struct report_place *place)
{
    const struct zv_placement *const placement = place->placement;
    report_known_json(json, &place->record->trace);
    json_bytes(json, "peak_reserved_bytes", true, placement->peak_reserved_bytes);
    json_bytes(json, "peak_reserved_after_event", true, placement->peak_reserved_event);
    json_bool(json, "peak_reserved_is_inherited", placement->is_inherited);
    json_bytes(json, "peak_non_empty_bytes", placement->has_segments, placement->non_empty_bytes);
    json_bytes(json, "peak_non_empty_after_event", placement->has_segments,
               placement->non_empty_event);
    json_bool(json, "expandable", placement->has_expandable);
    json_bytes(json, "in_no_event_bytes", true, placement->unseen_bytes);
    json_bytes(json, "blocks", true, placement->block_count);
    zv_json_write_key(json, "plan");
    write_plan(json, &placement->plan, false);
    zv_json_write_key(json, "plan_by_stream");
    if (placement->by_stream.arena_count != 0) {
        write_plan(json, &placement->by_stream, true);
    } else {
        zv_json_write_null(json);
    }
    write_fixed(json, placement);
}

static void write_capacity(struct zv_json_writer *json, const struct report_place *place)
{
    const bool asked = place->capacity_bytes != 0;
    json_bytes(json, "capacity_bytes", asked, place->capacity_bytes);
    zv_json_write_key(json, "fits");
    if (!asked || report_place_fit(place) == REPORT_PLACE_UNKNOWN) {
        zv_json_write_null(json);
    } else {
        zv_json_write_bool(json, report_place_fit(place) == REPORT_PLACE_FITS);
    }
}

void report_place_json(struct zv_sink *sink, const struct report_place *place)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.place/1");
    if (place->placement != NULL) {
        write_placement(&json, place);
    } else {
        json_bytes(&json, "blocks", true, place->blocks);
        json_bytes(&json, "fixed_blocks", true, place->fixed_blocks);
        write_result(&json, place->result);
    }
    write_capacity(&json, place);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
