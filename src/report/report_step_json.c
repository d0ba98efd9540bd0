#include <stdio.h>

#include "report/json_fields.h"
#include "report/report_step.h"

static void json_phases(struct zv_json_writer *json, const struct zv_step_result *result)
{
    zv_json_write_key(json, "phases");
    zv_json_begin_array(json);
    for (size_t i = 0; i < result->phase_count; i++) {
        const struct step_phase *const phase = &result->phases[i];
        zv_json_begin_object(json);
        json_slice(json, "name", phase->name);
        json_bytes(json, "begin_allocated_bytes", true, phase->begin_allocated_bytes);
        json_bytes(json, "peak_allocated_bytes", true, phase->peak_allocated_bytes);
        json_bytes(json, "peak_active_bytes", true, phase->peak_active_bytes);
        json_bytes(json, "peak_reserved_bytes", true, phase->peak_reserved_bytes);
        json_bytes(json, "end_allocated_bytes", true, phase->end_allocated_bytes);
        json_bytes(json, "events", true, phase->events);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void json_known(struct zv_json_writer *json, const char *key, bool known,
                       struct zv_slice text)
{
    if (known) {
        json_slice(json, key, text);
    } else {
        json_text(json, key, NULL);
    }
}

/* Peaks of all cases; no highest one where a case runs out. */
static void json_range(struct zv_json_writer *json, const char *key,
                       const struct zv_step_peak *peak, const uint64_t range[2])
{
    zv_json_write_key(json, key);
    zv_json_begin_object(json);
    json_bytes(json, "lowest", true, range[0]);
    json_bytes(json, "highest", !peak->high.out_of_memory, range[1]);
    zv_json_end_object(json);
}

static void json_result(struct zv_json_writer *json, const char *key,
                        const struct zv_step_result *result)
{
    zv_json_write_key(json, key);
    zv_json_begin_object(json);
    json_bytes(json, "peak_allocated_bytes", true, result->peak_allocated_bytes);
    json_bytes(json, "peak_active_bytes", true, result->peak_active_bytes);
    json_bytes(json, "peak_reserved_bytes", true, result->peak_reserved_bytes);
    json_bytes(json, "segments", true, result->segments);
    json_bytes(json, "events", true, result->events);
    json_bool(json, "out_of_memory", result->out_of_memory);
    json_bytes(json, "failed_request_bytes", result->out_of_memory, result->oom_bytes);
    json_bytes(json, "end_allocated_bytes", true, result->end_allocated_bytes);
    json_bytes(json, "managed_bytes", true, result->managed_bytes);
    json_phases(json, result);
    json_known(json, "part_not_run", result->not_run.length != 0, result->not_run);
    zv_json_write_key(json, "outside");
    zv_json_begin_array(json);
    for (size_t i = 0; i < result->outside_count; i++) {
        zv_json_begin_object(json);
        json_slice(json, "what", result->outside[i]);
        json_bytes(json, "bytes", false, 0);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void json_holders(struct zv_json_writer *json, const struct zv_step_peak *peak)
{
    zv_json_write_key(json, "activations");
    zv_json_begin_array(json);
    for (size_t i = 0; i < peak->holder_count; i++) {
        zv_json_begin_object(json);
        json_slice(json, "operation", peak->holders[i].operation);
        json_bool(json, "saved", peak->holders[i].saved);
        json_bytes(json, "bytes", true, peak->holders[i].bytes);
        json_bytes(json, "tensors", true, peak->holders[i].count);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void json_held(struct zv_json_writer *json, const struct zv_step_peak *peak)
{
    static const char *const keys[STEP_PURPOSE_COUNT] = {
        "activation_bytes", "weight_bytes",    "input_bytes",    "gradient_bytes",
        "state_bytes",      "workspace_bytes", "exchanged_bytes"};
    zv_json_write_key(json, "held");
    zv_json_begin_object(json);
    for (int i = 0; i < STEP_PURPOSE_COUNT; i++) {
        json_bytes(json, keys[i], true, peak->held[i]);
    }
    json_bytes(json, "saved_bytes", true, peak->saved_bytes);
    json_bytes(json, "temporary_bytes", true, peak->temporary_bytes);
    json_bytes(json, "rounding_bytes", true, peak->rounding_bytes);
    zv_json_end_object(json);
    json_holders(json, peak);
}

static void json_levers(struct zv_json_writer *json, const struct report_step *report)
{
    const struct zv_step_advice *const advice = report->advice;
    zv_json_write_key(json, "levers");
    zv_json_begin_array(json);
    for (size_t i = 0; i < advice->count; i++) {
        const struct zv_step_lever *const lever = &advice->levers[i];
        zv_json_begin_object(json);
        json_slice(json, "setting", lever->setting);
        json_slice(json, "value", lever->value);
        json_text(json, "what", lever->what);
        json_bytes(json, "peak_allocated_bytes", true, lever->peak_allocated_bytes);
        json_bytes(json, "managed_bytes", true, lever->managed_bytes);
        json_bytes(json, "saved_bytes", true, lever->saved_bytes);
        if (advice->runs_out) {
            json_bool(json, "goes_in", lever->fits);
        }
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    json_bytes(json, "needed_bytes", true, advice->needed_bytes);
    zv_json_write_key(json, "levers_together");
    zv_json_begin_array(json);
    for (size_t i = 0; i < advice->together_count; i++) {
        zv_json_write_slice(json, advice->levers[advice->together[i]].setting);
    }
    zv_json_end_array(json);
    json_bytes(json, "together_peak_allocated_bytes", advice->together_bytes != 0,
               advice->together_bytes);
}

static void json_layers(struct zv_json_writer *json, const struct zv_step_peak *peak)
{
    zv_json_write_key(json, "layers");
    zv_json_begin_array(json);
    for (size_t i = 0; i < peak->layer_count; i++) {
        if (peak->layers[i].tensors == 0) {
            continue;
        }
        zv_json_begin_object(json);
        json_bytes(json, "layer", i != 0, (uint64_t)i - 1);
        json_bytes(json, "saved_bytes", true, peak->layers[i].bytes[ZV_STEP_SAVED]);
        json_bytes(json, "temporary_bytes", true, peak->layers[i].bytes[ZV_STEP_TEMPORARY]);
        json_bytes(json, "tensors", true, peak->layers[i].tensors);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void json_defaults(struct zv_json_writer *json, const struct zv_step_peak *peak)
{
    zv_json_write_key(json, "defaults");
    zv_json_begin_array(json);
    for (size_t i = 0; i < peak->default_count; i++) {
        zv_json_begin_object(json);
        json_slice(json, "setting", peak->defaults[i].name);
        json_slice(json, "value", peak->defaults[i].value);
        json_slice(json, "of", peak->defaults[i].basis);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void json_search(struct zv_json_writer *json, const struct zv_step_search *search)
{
    const bool ended = !search->at_limit;
    zv_json_write_key(json, "search");
    zv_json_begin_object(json);
    json_slice(json, "setting", search->setting);
    json_bytes(json, "value", search->found, search->value);
    json_bytes(json, "limit", true, search->limit);
    json_bool(json, "at_limit", search->at_limit);
    json_bytes(json, "next_value", ended, search->value + search->found);
    json_bytes(json, "failed_request_bytes", ended, search->next_request_bytes);
    json_bytes(json, "contrary_value", search->contrary, search->contrary_value);
    json_bytes(json, "values", true, search->values);
    json_bytes(json, "runs", true, search->runs);
    zv_json_end_object(json);
}

static void json_open(struct zv_json_writer *json, const struct zv_step_peak *peak)
{
    zv_json_write_key(json, "open");
    zv_json_begin_array(json);
    for (size_t i = 0; i < peak->open_count; i++) {
        zv_json_begin_object(json);
        json_slice(json, "setting", peak->open[i].name);
        json_slice(json, "values", peak->open[i].values);
        json_known(json, "lowest", !peak->low.out_of_memory, peak->open[i].lowest);
        json_known(json, "highest", !peak->low.out_of_memory, peak->open[i].highest);
        json_bytes(json, "width_bytes", !peak->high.out_of_memory, peak->open[i].width_bytes);
        json_bytes(json, "reserved_width_bytes", !peak->high.out_of_memory,
                   peak->open[i].reserved_width_bytes);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

void report_step_json(struct zv_sink *sink, const struct report_step *report)
{
    const struct zv_step_peak *const peak = report->peak;
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.step/1");
    json_slice(&json, "model", report->model->family);
    json_slice(&json, "framework", report->habit);
    json_text(&json, "known", "calculated");
    json_text(&json, "kernels_of", report->card_basis);
    json_bytes(&json, "capacity_bytes", report->capacity != NULL,
               report->capacity != NULL ? report->capacity->low : 0);
    json_text(&json, "alloc_conf", report->conf);
    zv_json_write_key(&json, "settings");
    zv_json_begin_object(&json);
    for (size_t i = 0; i < report->setting_count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)report->settings[i].name.length,
                       report->settings[i].name.at);
        json_slice(&json, name, report->settings[i].value);
    }
    zv_json_end_object(&json);
    if (report->search != NULL) {
        json_search(&json, report->search);
    }
    json_bytes(&json, "cases", true, peak->runs);
    json_bytes(&json, "cases_out_of_memory", true, peak->out_of_memory_runs);
    json_result(&json, "lowest", &peak->low);
    json_result(&json, "highest", &peak->high);
    json_range(&json, "active_bytes", peak, peak->active_bytes);
    json_range(&json, "reserved_bytes", peak, peak->reserved_bytes);
    json_open(&json, peak);
    json_defaults(&json, peak);
    zv_json_write_key(&json, "when");
    zv_json_begin_object(&json);
    json_bytes(&json, "event", true, peak->when.event);
    json_bool(&json, "backward", peak->when.in_backward);
    json_bytes(&json, "layer", peak->when.layer >= 0, (uint64_t)peak->when.layer);
    json_slice(&json, "operation", peak->when.operation);
    zv_json_end_object(&json);
    json_held(&json, peak);
    json_layers(&json, peak);
    json_levers(&json, report);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
