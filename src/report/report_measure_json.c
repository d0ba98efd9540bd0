#include <stdio.h>

#include "format/json_writer.h"
#include "report/json_fields.h"
#include "report/report_measure.h"

static void put_reading(struct zv_json_writer *json, const char *key, struct zv_reading reading)
{
    json_bytes(json, key, reading.known, reading.value);
}

static void put_count(struct zv_json_writer *json, const char *key, uint64_t value)
{
    json_bytes(json, key, true, value);
}

static void put_levels(struct zv_json_writer *json, const char *key, const struct zv_levels *levels)
{
    zv_json_write_key(json, key);
    zv_json_begin_object(json);
    put_reading(json, "allocated_bytes", levels->allocated);
    put_reading(json, "reserved_bytes", levels->reserved);
    put_reading(json, "device_free_bytes", levels->free);
    put_reading(json, "device_total_bytes", levels->total);
    zv_json_end_object(json);
}

static void put_phase(struct zv_json_writer *json, const struct zv_phase *phase)
{
    zv_json_begin_object(json);
    json_text(json, "name", phase->name);
    put_count(json, "repeat", phase->repeat);
    zv_json_write_key(json, "dimensions");
    zv_json_begin_object(json);
    for (uint32_t i = 0; i < phase->dimension_count; i++) {
        put_count(json, phase->dimensions[i].name, phase->dimensions[i].value);
    }
    zv_json_end_object(json);
    put_levels(json, "before", &phase->before);
    zv_json_write_key(json, "peak");
    zv_json_begin_object(json);
    put_reading(json, "allocated_bytes", phase->peak_allocated);
    put_reading(json, "reserved_bytes", phase->peak_reserved);
    zv_json_end_object(json);
    put_levels(json, "after", &phase->after);
    put_reading(json, "duration_ns", phase->duration_ns);
    json_bool(json, "succeeded", phase->succeeded);
    json_text(json, "message", phase->succeeded ? NULL : phase->message);
    zv_json_end_object(json);
}

static void put_device(struct zv_json_writer *json, const struct measure_run *run)
{
    const struct zv_device_facts *const device = &run->device;
    char text[REPORT_MEASURE_DEVICE];
    const bool is_known = device->backend != NULL;
    zv_json_write_key(json, "device");
    zv_json_begin_object(json);
    report_measure_device(text, run);
    json_text(json, "name", is_known ? text : NULL);
    json_text(json, "backend", device->backend);
    json_text(json, "model", device->name[0] != 0 ? device->name : NULL);
    json_bytes(json, "total_bytes", is_known, device->total_bytes);
    json_bytes(json, "memory_bytes", is_known, device->memory_bytes);
    json_bytes(json, "free_bytes_at_start", is_known, device->free_bytes);
    json_bytes(json, "driver_version", is_known, (uint64_t)device->driver_version);
    (void)snprintf(text, sizeof text, "%u.%u", device->compute_major, device->compute_minor);
    json_text(json, "compute_capability", device->compute_major != 0 ? text : NULL);
    json_bool(json, "compute_capability_assumed", device->assumes_compute);
    json_bool(json, "virtual_memory", device->has_vmm);
    json_text(json, "emulated_by", device->is_emulated ? device->emulated_by : NULL);
    zv_json_end_object(json);
}

static void put_allocator(struct zv_json_writer *json, const struct measure_run *run)
{
    zv_json_write_key(json, "allocator");
    zv_json_begin_object(json);
    json_text(json, "engine", "zirve");
    json_text(json, "policy", zv_policy_name(run->policy));
    json_text(json, "profile", zv_torch_profile_name(run->condition.profile));
    json_text(json, "settings", run->condition.conf);
    zv_json_write_key(json, "alloc_retries");
    zv_json_write_i64(json, run->alloc_retries);
    zv_json_write_key(json, "ooms");
    zv_json_write_i64(json, run->ooms);
    zv_json_end_object(json);
}

static void put_run(struct zv_json_writer *json, const struct measure_run *run)
{
    zv_json_begin_object(json);
    put_count(json, "process", run->process);
    put_count(json, "batch", run->condition.batch);
    put_count(json, "context", run->condition.context);
    put_count(json, "width", run->condition.width);
    json_bool(json, "synchronised", !run->condition.is_unsynchronised);
    put_device(json, run);
    put_allocator(json, run);
    json_text(json, "kernels", measure_check_name(run->check));
    json_text(json, "outcome", run->is_complete ? "complete" : "partial");
    json_text(json, "failed_phase", run->is_complete ? NULL : run->failed_phase);
    json_text(json, "message", run->is_complete ? NULL : run->message);
    zv_json_write_key(json, "phases");
    zv_json_begin_array(json);
    for (size_t i = 0; i < run->phase_count; i++) {
        put_phase(json, &run->phases[i]);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void put_exercise(struct zv_json_writer *json, const struct measure_condition *condition)
{
    zv_json_write_key(json, "exercise");
    zv_json_begin_object(json);
    put_count(json, "batch", condition->batch);
    put_count(json, "context", condition->context);
    put_count(json, "width", condition->width);
    put_count(json, "depth", condition->depth);
    json_text(json, "dtype", measure_dtype_name(condition->dtype));
    put_count(json, "parameters", measure_parameters(condition));
    put_count(json, "parameter_bytes",
              measure_parameters(condition) * measure_dtype_bytes(condition->dtype));
    json_bool(json, "train", condition->trains);
    json_text(json, "optimizer",
              condition->trains ? measure_optimizer_name(condition->optimizer) : NULL);
    put_count(json, "warmup", condition->warmup);
    put_count(json, "repeats", condition->repeats);
    put_count(json, "seed", condition->seed);
    json_text(json, "alloc_conf", condition->conf);
    json_text(json, "empty_cache", condition->empties_cache ? "between" : "never");
    zv_json_end_object(json);
}

static void put_series(struct zv_json_writer *json, const struct report_measure *result)
{
    const struct report_measure_search *const search = &result->search;
    zv_json_write_key(json, "series");
    zv_json_begin_object(json);
    put_count(json, "processes", result->processes);
    put_count(json, "repeats_in_each", result->runs[0].condition.repeats);
    put_count(json, "devices", result->device_count);
    zv_json_end_object(json);
    zv_json_write_key(json, "search");
    if (search->dimension == NULL) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_object(json);
    json_text(json, "dimension", search->dimension);
    json_bytes(json, "largest_passed", search->largest_passed != 0, search->largest_passed);
    json_bytes(json, "smallest_failed", search->smallest_failed != 0, search->smallest_failed);
    zv_json_end_object(json);
}

/* One emulated device makes a result an emulated one; "unknown" when no process said a word. */
static const char *known_of(const struct report_measure *result)
{
    const char *known = "unknown";
    for (size_t i = 0; i < result->run_count; i++) {
        const struct zv_device_facts *const device = &result->runs[i].device;
        if (device->is_emulated) {
            return "emulated";
        }
        known = device->backend != NULL ? "measured" : known;
    }
    return known;
}

void report_measure_json(struct zv_sink *sink, const struct report_measure *result)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.measure/1");
    json_text(&json, "zirve", ZV_VERSION);
    json_text(&json, "known", known_of(result));
    json_text(&json, "outcome", report_measure_is_complete(result) ? "complete" : "partial");
    put_exercise(&json, &result->runs[0].condition);
    put_series(&json, result);
    zv_json_write_key(&json, "cautions");
    zv_json_begin_array(&json);
    for (size_t i = 0; report_measure_caution(result, i) != NULL; i++) {
        zv_json_write_string(&json, report_measure_caution(result, i));
    }
    zv_json_end_array(&json);
    zv_json_write_key(&json, "runs");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < result->run_count; i++) {
        put_run(&json, &result->runs[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
