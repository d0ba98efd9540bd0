#include "report/json_fields.h"
#include "report/report_log.h"

static void write_reading(struct zv_json_writer *json, const struct zv_reading *reading)
{
    zv_json_begin_object(json);
    json_text(json, "id", reading->id);
    json_slice(json, "device", reading->device);
    json_bool(json, "host", reading->host);
    json_bool(json, "sliding", reading->sliding);
    json_bytes(json, "bytes", true, reading->bytes);
    json_bytes(json, "half_unit_bytes", true, reading->half_unit_bytes);
    json_slice(json, "printed", reading->printed);
    json_bytes(json, "line", true, reading->line);
    zv_json_end_object(json);
}

static void write_fact(struct zv_json_writer *json, const char *name,
                       const struct zv_log_fact *fact)
{
    if (fact->found && fact->text.length != 0) {
        json_slice(json, name, fact->text);
    } else if (fact->found) {
        json_bytes(json, name, true, fact->value);
    }
}

static void write_facts(struct zv_json_writer *json, const struct zv_log *log)
{
    zv_json_write_key(json, "facts");
    zv_json_begin_object(json);
#define WRITE_FACT(name) write_fact(json, #name, &log->name);
    ZV_LOG_FACT_LIST(WRITE_FACT)
#undef WRITE_FACT
    zv_json_end_object(json);
}

static void write_scope(struct zv_json_writer *json, int scope)
{
    zv_json_write_key(json, "scope");
    if (scope == ZV_SCOPE_HOST) {
        zv_json_write_string(json, "host");
    } else if (scope == FROM_LOG_ALL) {
        zv_json_write_string(json, "all");
    } else {
        zv_json_write_u64(json, (uint64_t)scope);
    }
}

static void write_rows(struct zv_json_writer *json, const struct zv_from_log *from)
{
    zv_json_write_key(json, "comparisons");
    zv_json_begin_array(json);
    for (size_t i = 0; i < from->row_count; i++) {
        const struct zv_log_row *const row = &from->rows[i];
        const bool below = row->measured < row->calculated;
        zv_json_begin_object(json);
        json_text(json, "id", row->id);
        json_text(json, "unit", row->tokens ? "count" : "bytes");
        write_scope(json, row->scope);
        json_bytes(json, "calculated", true, row->calculated);
        json_text(json, "calculated_known", zv_known_name(row->known));
        json_bytes(json, "measured", true, row->measured);
        json_bytes(json, "half_unit", true, row->half_unit);
        json_signed(json, "difference", below,
                    below ? row->calculated - row->measured : row->measured - row->calculated);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

static void write_total(struct zv_json_writer *json, const char *key,
                        const struct zv_reading *reading)
{
    json_bytes(json, key, reading != NULL, reading != NULL ? reading->bytes : 0);
}

static void write_devices(struct zv_json_writer *json, const struct zv_from_log *from)
{
    zv_json_write_key(json, "devices");
    zv_json_begin_array(json);
    for (size_t i = 0; i < from->device_count; i++) {
        zv_json_begin_object(json);
        json_slice(json, "name", from->devices[i].name);
        json_bytes(json, "scope", true, i);
        write_total(json, "total_bytes", from->devices[i].total);
        write_total(json, "free_before_bytes", from->devices[i].free_before);
        write_total(json, "free_after_bytes", from->devices[i].free_after);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

void report_log_json(struct zv_json_writer *json, const struct zv_from_log *from)
{
    const struct zv_log *const log = from->log;
    zv_json_write_key(json, "log");
    zv_json_begin_object(json);
    json_text(json, "runtime", zv_runtime_name(log->runtime));
    json_slice(json, "version", log->version);
    json_bytes(json, "first_line", true, log->first_line);
    json_bytes(json, "last_line", true, log->last_line);
    json_bytes(json, "starts", true, log->starts);
    json_bytes(json, "start_taken", true, log->start_taken);
    json_bool(json, "complete", log->complete);
    json_bool(json, "failed", log->failed);
    json_bool(json, "out_of_memory", log->out_of_memory);
    json_slice(json, "failure", log->failure);
    write_facts(json, log);
    write_devices(json, from);
    write_rows(json, from);
    zv_json_write_key(json, "readings");
    zv_json_begin_array(json);
    for (size_t i = 0; i < log->reading_count; i++) {
        write_reading(json, &log->readings[i]);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}
