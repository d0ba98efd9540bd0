#include "format/json_writer.h"
#include "report/memory_summary.h"
#include "report/report_explain.h"
#include "report/report_replay.h"

static void write_u64(struct zv_json_writer *json, const char *key, uint64_t value)
{
    zv_json_write_key(json, key);
    zv_json_write_u64(json, value);
}

static void write_text(struct zv_json_writer *json, const char *key, const char *value)
{
    zv_json_write_key(json, key);
    zv_json_write_string(json, value);
}

static void write_calls(struct zv_json_writer *json, const struct zv_driver_calls *calls)
{
    zv_json_write_key(json, "driver_calls");
    zv_json_begin_object(json);
    write_u64(json, "allocate", calls->allocate);
    write_u64(json, "allocate_failed", calls->allocate_failed);
    write_u64(json, "release", calls->release);
    write_u64(json, "reserve", calls->reserve);
    write_u64(json, "unreserve", calls->unreserve);
    write_u64(json, "map", calls->map);
    write_u64(json, "map_failed", calls->map_failed);
    write_u64(json, "map_pages", calls->map_pages);
    write_u64(json, "unmap", calls->unmap);
    write_u64(json, "unmap_pages", calls->unmap_pages);
    write_u64(json, "memory_info", calls->memory_info);
    write_u64(json, "wait", calls->wait);
    write_u64(json, "assumed_time_ns", calls->time_ns);
    zv_json_end_object(json);
}

static void write_oom(struct zv_json_writer *json, const struct report_replay *run)
{
    const struct zv_replay_oom *const oom = &run->outcome.first_oom;
    zv_json_write_key(json, "first_oom");
    if (!oom->happened) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_object(json);
    write_u64(json, "line", oom->line);
    if (run->record != NULL) {
        write_u64(json, "event", run->oom_event);
    }
    write_u64(json, "requested_bytes", oom->requested_bytes);
    write_u64(json, "device_free_bytes", oom->device_free_bytes);
    write_u64(json, "cached_free_bytes", oom->cached_free_bytes);
    write_u64(json, "largest_hole_bytes", oom->largest_hole_bytes);
    zv_json_end_object(json);
}

static void write_stat(void *context, const struct zv_stat_entry *entry)
{
    zv_json_write_key(context, entry->name);
    zv_json_write_i64(context, entry->value);
}

static void write_stats(struct zv_json_writer *json, const struct report_replay *run)
{
    const struct report_stats stats = {&run->outcome.stats, run->profile, run->outcome.pools,
                                       run->outcome.pool_count};
    zv_json_write_key(json, "memory_stats");
    zv_json_begin_object(json);
    report_each_stat(&stats, write_stat, json);
    zv_json_end_object(json);
}

static void write_yes(struct zv_json_writer *json, const char *key, bool value)
{
    zv_json_write_key(json, key);
    zv_json_write_bool(json, value);
}

/* A bound on what any placement could save, and no promise. */
static void write_plan(struct zv_json_writer *json, const struct zv_placement *placement,
                       const struct zv_replay_outcome *best)
{
    zv_json_write_key(json, "perfect_plan");
    if (placement == NULL) {
        zv_json_write_null(json);
        return;
    }
    const struct zv_place_plan *const plan = &placement->plan;
    const uint64_t reserved = best->peak_reserved_bytes;
    zv_json_begin_object(json);
    write_text(json, "known", "calculated");
    write_u64(json, "bytes", plan->height_bytes);
    write_u64(json, "bound_bytes", plan->bound_bytes);
    write_yes(json, "optimal", plan->height_bytes == plan->bound_bytes);
    zv_json_write_key(json, "less_than_best_bytes");
    if (best->ooms == 0) {
        zv_json_write_u64(json, plan->height_bytes < reserved ? reserved - plan->height_bytes : 0);
    } else {
        zv_json_write_null(json); /* the best did not serve all requests */
    }
    zv_json_end_object(json);
}

/* Which of the runs before it, ranked, came to the same; itself: none. */
static const struct report_replay *first_same(const struct report_replay *runs, size_t at)
{
    const struct zv_tried own = report_replay_tried(&runs[at]);
    for (; at != 0; at--) {
        const struct zv_tried before = report_replay_tried(&runs[at - 1]);
        if (zv_tried_order(&before, &own) != 0) {
            break;
        }
    }
    return &runs[at];
}

static void write_run(struct zv_json_writer *json, const struct report_replay *run, bool with_stats,
                      const struct report_replay *same)
{
    const struct zv_replay_outcome *const outcome = &run->outcome;
    zv_json_begin_object(json);
    write_text(json, "policy", zv_policy_name(run->policy));
    write_text(json, "profile", zv_torch_profile_name(run->profile));
    zv_json_write_key(json, "checked");
    zv_json_write_bool(json, run->profile == ZV_TORCH_2_6 && run->policy == ZV_POLICY_CACHING);
    zv_json_write_key(json, "lower_bound");
    zv_json_write_bool(json, run->policy == ZV_POLICY_ASYNC);
    write_text(json, "alloc_conf", run->conf);
    write_text(json, "card", run->card);
    zv_json_write_key(json, "capacity_bytes");
    if (run->capacity_bytes != 0) {
        zv_json_write_u64(json, run->capacity_bytes);
    } else {
        zv_json_write_null(json);
    }
    write_u64(json, "baseline_bytes", run->baseline_bytes);
    write_u64(json, "operations", outcome->operations);
    write_u64(json, "peak_allocated_bytes", outcome->peak_allocated_bytes);
    write_u64(json, "peak_reserved_bytes", outcome->peak_reserved_bytes);
    write_u64(json, "allocated_at_peak_reserved_bytes", outcome->allocated_at_peak_bytes);
    write_u64(json, "requested_at_peak_reserved_bytes", outcome->requested_at_peak_bytes);
    write_u64(json, "ooms", outcome->ooms);
    write_oom(json, run);
    write_calls(json, &outcome->calls);
    if (with_stats) {
        write_stats(json, run);
    }
    if (same != NULL) {
        write_text(json, "same_as", same != run ? same->conf : NULL);
    }
    zv_json_end_object(json);
}

void report_replays_json(struct zv_sink *sink, const struct report_replay *runs, size_t count,
                         bool with_stats, const struct report_replay_advice *advice)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    write_text(&json, "schema", "zirve.replay/1");
    write_text(&json, "known", "emulated");
    if (count != 0 && runs[0].record != NULL) {
        zv_json_write_key(&json, "record");
        zv_json_begin_object(&json);
        report_known_json(&json, &runs[0].record->trace);
        report_proof_json(&json, runs[0].record);
        zv_json_end_object(&json);
    }
    zv_json_write_key(&json, "runs");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < count; i++) {
        write_run(&json, &runs[i], with_stats, advice != NULL ? first_same(runs, i) : NULL);
    }
    zv_json_end_array(&json);
    if (advice != NULL) {
        write_yes(&json, "within_budget", !advice->is_cut);
        write_plan(&json, advice->placement, &runs[0].outcome);
    }
    zv_json_end_object(&json);
    zv_json_finish(&json);
}

void report_replay_cases_json(struct zv_sink *sink, const struct report_replay_case *cases,
                              size_t count)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    write_text(&json, "schema", "zirve.replay_case/1");
    zv_json_write_key(&json, "cases");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < count; i++) {
        const struct zv_conformance *const result = &cases[i].result;
        zv_json_begin_object(&json);
        write_text(&json, "name", cases[i].name);
        write_text(&json, "profile", zv_torch_profile_name(result->profile));
        zv_json_write_key(&json, "exact");
        zv_json_write_bool(&json, result->equal);
        write_u64(&json, "operations", result->operations);
        write_u64(&json, "events", result->events);
        write_text(&json, "where", result->equal ? NULL : result->where);
        write_text(&json, "replayed", result->equal ? NULL : result->got);
        write_text(&json, "recorded", result->equal ? NULL : result->expected);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
