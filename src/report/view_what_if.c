#include "report/view_what_if.h"

#include "report/json_fields.h"

static const char *name_of(const struct report_replay *run)
{
    return run->conf[0] != 0 ? run->conf : "default settings";
}

void view_what_if_write(struct html_page *page, struct view_what_if *what_if,
                        const struct report_view *view)
{
    static const char *const roles[VIEW_CURVES] = {"reserved", "c0", "c2", "c4", "c6"};
    *what_if = (struct view_what_if){0};
    for (size_t i = 0; i < view->run_count; i++) {
        if (view->runs[i].order == 0) {
            what_if->runs[what_if->count++] = &view->runs[i];
        }
    }
    for (size_t i = 0; i < view->run_count && what_if->count < VIEW_CURVES; i++) {
        if (view->runs[i].order != 0) {
            what_if->runs[what_if->count++] = &view->runs[i];
        }
    }
    for (size_t i = 0; i < what_if->count; i++) {
        const struct zv_curve *const curve = &view->curves[what_if->runs[i]->order];
        what_if->series[i] =
            (struct html_series){.name = name_of(what_if->runs[i]), .role = roles[i]};
        html_series_write(page, &what_if->series[i], curve->reserved_bytes, curve->columns);
    }
}

static void put_run(struct zv_json_writer *json, const struct view_what_if *what_if,
                    const struct report_replay *run)
{
    const char *role = NULL;
    for (size_t i = 0; i < what_if->count; i++) {
        role = what_if->runs[i] == run ? what_if->series[i].role : role;
    }
    zv_json_begin_object(json);
    json_text(json, "name", name_of(run));
    json_text(json, "role", role);
    json_bool(json, "asRun", run->order == 0);
    json_bytes(json, "reserved", true, run->outcome.peak_reserved_bytes);
    json_bytes(json, "failures", true, run->outcome.ooms);
    json_bytes(json, "firstFailure", run->outcome.first_oom.happened, run->oom_event);
    json_bytes(json, "calls", true, report_replay_calls(run));
    zv_json_end_object(json);
}

void view_what_if_json(struct html_page *page, const struct view_what_if *what_if,
                       const struct report_view *view)
{
    struct zv_json_writer *const json = &page->json;
    const uint64_t capacity = view->explain->verdict->capacity_bytes;
    const bool is_bound = view->explain->record->trace.source != ZV_TRACE_FROM_SNAPSHOT;
    zv_json_begin_object(json);
    json_text(json, "id", "what-if");
    json_text(json, "title", "What if: reserved memory under other settings");
    json_text(json, "unit", "bytes");
    json_bytes(json, "count", true, what_if->series[0].count);
    json_text(json, "note",
              is_bound ? "Emulated, and bounds only: a profiler records neither requests nor "
                         "streams. Each run begins with an empty allocator."
                       : "Emulated: the record's requests on a simulated card. Each run begins "
                         "with an empty allocator, so its start differs from the record's.");
    zv_json_write_key(json, "series");
    zv_json_begin_array(json);
    for (size_t i = 0; i < what_if->count; i++) {
        html_series_json(page, &what_if->series[i]);
    }
    zv_json_end_array(json);
    zv_json_write_key(json, "lines");
    zv_json_begin_array(json);
    if (capacity != 0) {
        html_line_json(page, "card", capacity);
    }
    zv_json_end_array(json);
    zv_json_write_key(json, "runs");
    zv_json_begin_array(json);
    for (size_t i = 0; i < view->run_count; i++) {
        put_run(json, what_if, &view->runs[i]);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}
