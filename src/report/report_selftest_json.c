#include "format/json_writer.h"
#include "report/report_selftest.h"

static void write_text(struct zv_json_writer *json, const char *key, const char *text)
{
    zv_json_write_key(json, key);
    zv_json_write_string(json, text[0] != 0 ? text : NULL);
}

static void write_check(struct zv_json_writer *json, const struct zv_check *check)
{
    const bool known = check->status != ZV_CHECK_UNCHECKED;
    zv_json_begin_object(json);
    write_text(json, "id", check->id);
    write_text(json, "kind", check->kind);
    write_text(json, "item", check->item);
    write_text(json, "runtime", check->runtime);
    write_text(json, "architecture", check->arch);
    write_text(json, "unit", check->unit);
    write_text(json, "predicted", check->predicted);
    write_text(json, "measured", check->measured);
    zv_json_write_key(json, "predicted_value");
    if (known) {
        zv_json_write_u64(json, check->predicted_value);
    } else {
        zv_json_write_null(json);
    }
    zv_json_write_key(json, "measured_value");
    if (known) {
        zv_json_write_u64(json, check->measured_value);
    } else {
        zv_json_write_null(json);
    }
    write_text(json, "status", zv_check_status_name(check->status));
    write_text(json, "group", check->group);
    write_text(json, "set", check->set);
    write_text(json, "reason", check->reason);
    zv_json_end_object(json);
}

static void write_counts(struct zv_json_writer *json, const size_t count[ZV_CHECK_COUNT])
{
    for (int status = 0; status < ZV_CHECK_COUNT; status++) {
        zv_json_write_key(json, zv_check_status_name((enum zv_check_status)status));
        zv_json_write_u64(json, count[status]);
    }
}

static void write_group(struct zv_json_writer *json, const struct zv_step_group *group)
{
    const struct {
        const char *key;
        uint64_t value;
        bool known;
    } fields[] = {
        {"rows", group->rows, true},
        {"median_millionths", group->median_millionths, group->rows != 0},
        {"percentile_95_millionths", group->most_millionths, group->rows != 0},
        {"worst_millionths", group->worst_millionths, group->rows != 0},
        {"out_of_memory", group->ran_out, true},
        {"out_of_memory_predicted", group->ran_out_predicted, true},
    };
    zv_json_begin_object(json);
    write_text(json, group->is_set ? "set" : "group", group->name);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        zv_json_write_key(json, fields[i].key);
        if (fields[i].known) {
            zv_json_write_u64(json, fields[i].value);
        } else {
            zv_json_write_null(json);
        }
    }
    zv_json_end_object(json);
}

void report_selftest_json(struct zv_sink *sink, const struct zv_selftest *result)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    write_text(&json, "schema", "zirve.selftest/1");
    zv_json_write_key(&json, "counts");
    zv_json_begin_object(&json);
    write_counts(&json, result->count);
    zv_json_end_object(&json);
    zv_json_write_key(&json, "summaries");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < result->summary_count; i++) {
        zv_json_begin_object(&json);
        write_text(&json, "by", result->summaries[i].by);
        write_text(&json, "name", result->summaries[i].name);
        write_counts(&json, result->summaries[i].count);
        zv_json_write_key(&json, "worst_millionths");
        zv_json_write_u64(&json, result->summaries[i].worst_millionths);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_write_key(&json, "steps");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < result->group_count; i++) {
        write_group(&json, &result->groups[i]);
    }
    zv_json_end_array(&json);
    zv_json_write_key(&json, "rows");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < result->check_count; i++) {
        write_check(&json, &result->checks[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
