#include <string.h>

#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/report_log.h"

static void write_lines(struct zv_json_writer *json, const char *key, const char *const *lines,
                        size_t count)
{
    zv_json_write_key(json, key);
    zv_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        zv_json_write_string(json, lines[i]);
    }
    zv_json_end_array(json);
}

static void write_scope(struct zv_json_writer *json, int scope)
{
    zv_json_write_key(json, "scope");
    if (scope == ZV_SCOPE_HOST) {
        zv_json_write_string(json, "host");
    } else {
        zv_json_write_u64(json, (uint64_t)scope);
    }
}

static void write_items(struct zv_json_writer *json, const struct zv_ledger *ledger)
{
    zv_json_write_key(json, "items");
    zv_json_begin_array(json);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        zv_json_begin_object(json);
        json_text(json, "id", item->id);
        json_text(json, "name", item->name);
        json_text(json, "group", item->group);
        write_scope(json, item->scope);
        json_text(json, "phase", item->phase);
        json_bytes(json, "bytes", item->quantity.known != ZV_UNKNOWN, item->quantity.bytes);
        json_text(json, "known", zv_known_name(item->quantity.known));
        json_text(json, "basis", item->quantity.basis);
        if (item->reclaimable) {
            zv_json_write_key(json, "reclaimable");
            zv_json_write_bool(json, true);
        }
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_total(struct zv_json_writer *json, const struct zv_ledger *ledger, int scope)
{
    struct zv_total total;
    const bool known = zv_ledger_total(ledger, scope, &total, NULL) == ZV_OK;
    zv_json_begin_object(json);
    write_scope(json, scope);
    if (scope >= 0) {
        zv_json_write_key(json, "devices");
        zv_json_begin_array(json);
        zv_json_write_u64(json, ledger->groups[scope].first);
        zv_json_write_u64(json,
                          (uint64_t)ledger->groups[scope].first + ledger->groups[scope].count - 1);
        zv_json_end_array(json);
        json_text(json, "role", ledger->groups[scope].role);
    }
    json_bytes(json, "at_least_bytes", known, total.at_least);
    json_bytes(json, "expected_bytes", known, total.expected);
    json_text(json, "phase", total.phase);
    zv_json_write_key(json, "unknown");
    zv_json_begin_array(json);
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->items[i].scope == scope && ledger->items[i].quantity.known == ZV_UNKNOWN) {
            zv_json_write_string(json, ledger->items[i].id);
        }
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void write_totals(struct zv_json_writer *json, const struct zv_ledger *ledger)
{
    bool host = false;
    zv_json_write_key(json, "totals");
    zv_json_begin_array(json);
    for (size_t i = 0; i < ledger->group_count; i++) {
        write_total(json, ledger, (int)i);
    }
    for (size_t i = 0; i < ledger->count; i++) {
        host = host || ledger->items[i].scope == ZV_SCOPE_HOST;
    }
    if (host) {
        write_total(json, ledger, ZV_SCOPE_HOST);
    }
    zv_json_end_array(json);
}

static void write_fit(struct zv_json_writer *json, const struct zv_capacity *capacity,
                      const struct zv_fit *fit)
{
    zv_json_write_key(json, "fit");
    if (capacity == NULL) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_object(json);
    json_slice(json, "card", capacity->name);
    json_bytes(json, "capacity_low_bytes", true, capacity->low);
    json_bytes(json, "capacity_high_bytes", true, capacity->high);
    json_text(json, "capacity_known", zv_known_name(capacity->known));
    json_text(json, "capacity_basis", capacity->basis);
    zv_json_write_key(json, "unified");
    zv_json_write_bool(json, capacity->card != NULL && capacity->card->unified);
    json_bytes(json, "usable_bytes", true, fit->usable_low);
    json_text(json, "verdict", zv_verdict_name(fit->verdict));
    json_text(json, "by", "calculation");
    write_scope(json, fit->scope);
    zv_json_write_key(json, fit->over ? "missing_bytes" : "margin_bytes");
    zv_json_write_u64(json, fit->margin);
    zv_json_end_object(json);
}

static void write_model(struct zv_json_writer *json, const struct zv_model *model,
                        const struct zv_model *stored)
{
    static const char *const sources[] = {"config", "safetensors", "gguf"};
    zv_json_write_key(json, "model");
    zv_json_begin_object(json);
    json_slice(json, "name", model->name);
    json_slice(json, "family", model->family);
    zv_json_write_key(json, "family_known");
    zv_json_write_bool(json, model->family_known);
    json_text(json, "source", sources[model->source]);
    json_bytes(json, "parameters", model->tensor_count != 0, model->parameters);
    json_bytes(json, "tensor_bytes", model->tensor_count != 0, model->tensor_bytes);
    json_bytes(json, "stored_bytes", stored != NULL && stored->tensor_count != 0,
               stored != NULL ? stored->tensor_bytes : 0);
    json_bytes(json, "tensors", true, zv_model_tensors(model));
    json_bytes(json, "layers", model->layer_count != 0, model->layer_count);
    json_text(json, "dtype", model->dtype != ZV_DTYPE_UNKNOWN ? zv_dtype_name(model->dtype) : NULL);
    json_bytes(json, "max_context_tokens", model->max_context != 0, model->max_context);
    write_lines(json, "unknown", model->unknown, model->unknown_count);
    write_lines(json, "notes", model->notes, model->note_count);
    zv_json_end_object(json);
}

static void write_job(struct zv_json_writer *json, const struct report_estimate *report)
{
    zv_json_write_key(json, "job");
    zv_json_begin_object(json);
    json_text(json, "task", report->job->task == ZV_TASK_TRAIN ? "train" : "serve");
    json_text(json, "runtime",
              report->rules != NULL ? zv_runtime_name(report->job->runtime) : NULL);
    json_text(json, "version", report->rules != NULL ? report->rules->version : NULL);
    json_bytes(json, "context_tokens", report->estimate->context_tokens != 0,
               report->estimate->context_tokens);
    json_bytes(json, "sequences", true, report->estimate->sequences);
    zv_json_end_object(json);
}

static void write_pool(struct zv_json_writer *json, const struct zv_estimate *estimate)
{
    zv_json_write_key(json, "pool");
    if (!estimate->pool.known) {
        zv_json_write_null(json);
        return;
    }
    zv_json_begin_object(json);
    json_bytes(json, "budget_bytes", true, estimate->pool.budget_bytes);
    json_bytes(json, "cache_bytes", true, estimate->pool.cache_bytes);
    json_bytes(json, "block_tokens", true, estimate->pages.block_tokens);
    json_bytes(json, "block_bytes", true, estimate->pages.block_bytes);
    json_bytes(json, "blocks", true, estimate->pool.blocks);
    json_bytes(json, "tokens", true, estimate->pool.tokens);
    json_bytes(json, "concurrency_millionths", true, estimate->pool.concurrency);
    json_text(json, "known", "assumed");
    json_text(json, "basis", estimate->pool.basis);
    zv_json_end_object(json);
}

void report_estimate_json(struct zv_sink *sink, const struct report_estimate *report)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.estimate/1");
    if (report->model != NULL) {
        write_model(&json, report->model, report->stored);
    } else {
        json_text(&json, "model", NULL);
    }
    write_job(&json, report);
    write_items(&json, &report->estimate->ledger);
    write_totals(&json, &report->estimate->ledger);
    zv_json_write_key(&json, "upper_bound");
    zv_json_write_bool(&json, report->estimate->upper_bound);
    write_pool(&json, report->estimate);
    write_fit(&json, report->capacity, report->fit);
    if (report->log != NULL) {
        report_log_json(&json, report->log);
    }
    if (report->search != NULL) {
        report_search_json(&json, report->search);
    }
    if (report->advice != NULL) {
        report_levers_json(&json, report->advice);
    }
    write_lines(&json, "assumptions", report->estimate->assumptions,
                report->estimate->assumption_count);
    write_lines(&json, "invalid_if", report->estimate->invalid_if, report->estimate->invalid_count);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}

void report_numbers_json(struct zv_sink *sink, const struct report_numbers *report)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.estimate/1");
    zv_json_write_key(&json, "formats");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < report->count; i++) {
        const struct zv_numbers *const numbers = &report->numbers[i];
        zv_json_begin_object(&json);
        json_bytes(&json, "parameters", numbers->parameters != 0, numbers->parameters);
        json_bytes(&json, "bits", numbers->parameters != 0, numbers->bits);
        json_bytes(&json, "sequences", numbers->layers != 0, numbers->sequences);
        write_items(&json, &report->ledgers[i]);
        write_totals(&json, &report->ledgers[i]);
        write_fit(&json, report->capacity, &report->fits[i]);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
