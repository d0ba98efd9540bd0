#include "report/report_view.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "report/html_page.h"
#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/view_arrays.h"
#include "report/view_what_if.h"

enum { MAX_OOMS = 200, MAX_TEXT = 1 << 24, ONE_LINE = 1 << 20 };

struct page_arrays {
    struct html_series series[3];
    struct view_arrays tables;
    struct view_what_if what_if;
};

static const struct zv_record *record_of(const struct report_view *view)
{
    return view->explain->record;
}

/* ---- what is readable without the script ---- */

/* The words of zirve explain, as they are: the verdict, or all. */
static void put_words(struct html_page *page, const struct report_style *style,
                      const struct report_view *view, bool all)
{
    struct zv_buffer text = {.limit = MAX_TEXT};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct report_style plain = *style;
    plain.color = false;
    plain.width = all ? 100 : ONE_LINE;
    if (all) {
        report_explain_text(&sink, &plain, view->explain);
        zv_sink_text(page->sink, "<details id=\"words\"><summary>In words: what zirve explain "
                                 "says of it</summary>\n");
        html_page_text(page, "pre", "words", (struct zv_slice){text.data, text.size});
        zv_sink_text(page->sink, "</details>\n");
    } else {
        report_verdict_text(&sink, &plain, view->explain);
        html_page_text(page, "p", "verdict",
                       zv_slice_trim((struct zv_slice){text.data, text.size}));
    }
    page->sink->failed |= sink.failed;
    zv_buffer_free(&text);
}

static void put_body(struct html_page *page, const struct report_style *style,
                     const struct report_view *view)
{
    html_page_heading(page, view->file);
    put_words(page, style, view, false);
    zv_sink_text(page->sink,
                 "<noscript><p>The pictures need the script in this file. It asks nobody for "
                 "anything.</p></noscript>\n<div id=\"panels\"></div>\n");
    put_words(page, style, view, true);
    zv_sink_text(page->sink, "</main>\n");
}

/* ---- data ---- */

static void put_mark(struct zv_json_writer *json, const char *name, const char *key, size_t instant)
{
    zv_json_begin_object(json);
    json_text(json, "name", name);
    json_text(json, "key", key);
    json_bytes(json, "at", true, instant);
    zv_json_end_object(json);
}

static void put_marks(struct zv_json_writer *json, const struct zv_record *record)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    size_t ooms = 0;
    zv_json_write_key(json, "marks");
    zv_json_begin_array(json);
    if (record->has_history) {
        put_mark(json, "peak of allocated", "p", record->peak_allocated.event);
    }
    if (record->has_history && record->peak_reserved.usage.reserved_bytes != 0) {
        put_mark(json, "peak of reserved", "r", record->peak_reserved.event);
    }
    for (size_t i = device->event_count; i != 0 && ooms < MAX_OOMS; i--) {
        if (device->events[i - 1].action == ZV_TRACE_OOM) {
            put_mark(json, "out of memory", "o", i - 1);
            ooms++;
        }
    }
    zv_json_end_array(json);
}

static void put_chart(struct html_page *page, const struct report_view *view,
                      const struct html_series *series, size_t count)
{
    struct zv_json_writer *const json = &page->json;
    const uint64_t capacity = view->explain->verdict->capacity_bytes;
    zv_json_begin_object(json);
    json_text(json, "id", "memory");
    json_text(json, "title", "Memory over time");
    json_text(json, "unit", "bytes");
    json_bytes(json, "count", true, view->lives->instant_count);
    zv_json_write_key(json, "series");
    zv_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        html_series_json(page, &series[i]);
    }
    zv_json_end_array(json);
    zv_json_write_key(json, "lines");
    zv_json_begin_array(json);
    if (capacity != 0) {
        html_line_json(page, "card", capacity);
    }
    zv_json_end_array(json);
    put_marks(json, record_of(view));
    zv_json_end_object(json);
}

static void put_heap(struct zv_json_writer *json, const struct report_view *view,
                     const struct view_arrays *arrays)
{
    const struct zv_trace *const trace = &record_of(view)->trace;
    zv_json_write_key(json, "heap");
    zv_json_begin_object(json);
    json_bytes(json, "unit", true, arrays->unit);
    json_bytes(json, "blocks", true, arrays->blocks);
    json_bytes(json, "blockCount", true, view->lives->block_count);
    json_bytes(json, "spans", true, arrays->spans);
    json_bytes(json, "spanCount", true, view->lives->span_count);
    json_bytes(json, "scopes", zv_has_scopes(record_of(view)), arrays->scopes);
    json_bool(json, "isSnapshot", trace->source == ZV_TRACE_FROM_SNAPSHOT);
    zv_json_write_key(json, "streams");
    zv_json_begin_array(json);
    for (size_t i = 0; i < trace->stream_count; i++) {
        zv_json_write_u64(json, trace->streams[i]);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void put_stacks(struct zv_json_writer *json, const struct report_view *view,
                       const struct view_arrays *arrays)
{
    const struct zv_trace *const trace = &record_of(view)->trace;
    zv_json_write_key(json, "stacks");
    zv_json_begin_object(json);
    json_bytes(json, "frames", true, arrays->frames);
    json_bytes(json, "frameCount", true, trace->frame_count);
    json_bytes(json, "stacks", true, arrays->stacks);
    json_bytes(json, "stackCount", true, trace->stack_count);
    json_bytes(json, "roles", true, arrays->roles);
    zv_json_write_key(json, "roleNames");
    zv_json_begin_array(json);
    for (size_t i = 0; i < ZV_ROLE_COUNT; i++) {
        zv_json_write_slice(json, zv_slice_of(zv_role_names[i]));
    }
    zv_json_end_array(json);
    zv_json_write_key(json, "texts");
    zv_json_begin_array(json);
    for (size_t i = 0; i < trace->text_count; i++) {
        zv_json_write_slice(json, trace->texts[i]);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

/* Where the figures come from, as a sentence below the chart. */
static void put_basis(struct zv_json_writer *json, const struct report_view *view)
{
    char text[256];
    char exact[32];
    char total[32];
    const struct zv_record *const record = record_of(view);
    const struct zv_trace_replay *const proof = &record->learned;
    const struct zv_slice by = zv_trace_text(&record->trace, record->trace.known_by);
    if (record->trace.known != ZV_TRACE_RECORDED) {
        (void)snprintf(text, sizeof text, "%s%s%.*s.",
                       record->trace.known == ZV_TRACE_EMULATED ? "Emulated" : "Calculated",
                       by.length != 0 ? ": " : "", (int)(by.length < 200 ? by.length : 200), by.at);
    } else if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        (void)snprintf(text, sizeof text,
                       "As a profiler recorded it: neither streams, requests nor stacks.");
    } else if (!record->has_history) {
        (void)snprintf(text, sizeof text, "As recorded: one state, no history.");
    } else {
        report_count(exact, proof->events);
        report_count(total, proof->total_events);
        (void)snprintf(text, sizeof text,
                       "Recorded events; sizes by replay, which is exact for %s of %s events%s.",
                       exact, total, proof->exact ? "" : ", then sums of the record");
    }
    json_text(json, "basis", text);
}

static void put_data(struct html_page *page, const struct report_style *style,
                     const struct report_view *view, const struct page_arrays *arrays)
{
    struct zv_json_writer *const json = &page->json;
    const bool is_snapshot = record_of(view)->trace.source == ZV_TRACE_FROM_SNAPSHOT;
    html_page_begin_data(page);
    json_text(json, "schema", "zirve.page/1");
    json_text(json, "unit", style->units == REPORT_UNITS_ONE ? zv_unit_name(style->unit) : "both");
    json_bytes(json, "instants", true, view->lives->instant_count);
    put_basis(json, view);
    zv_json_write_key(json, "times");
    if (arrays->tables.has_times) {
        html_series_json(page, &arrays->tables.times);
    } else {
        zv_json_write_null(json);
    }
    zv_json_write_key(json, "charts");
    zv_json_begin_array(json);
    put_chart(page, view, arrays->series, is_snapshot ? 3 : arrays->series[1].largest != 0 ? 2 : 1);
    if (view->run_count != 0) {
        view_what_if_json(page, &arrays->what_if, view);
    }
    zv_json_end_array(json);
    zv_json_write_key(json, "start");
    zv_json_write_u64(json, view->explain->verdict->event);
    if (view->lives->has_addresses) {
        put_heap(json, view, &arrays->tables);
        put_stacks(json, view, &arrays->tables);
    }
    html_page_end_data(page);
}

static bool find_labels(struct view_labels *labels, const struct zv_record *record,
                        struct zv_arena *arena)
{
    const bool has_scopes = zv_has_scopes(record);
    labels->users = zv_user_frames(&record->trace, arena);
    labels->roles = zv_roles(&record->trace, arena);
    labels->scopes = has_scopes ? zv_scopes(record, arena) : NULL;
    return labels->users != NULL && labels->roles != NULL &&
           (!has_scopes || labels->scopes != NULL);
}

enum zv_status report_view_html(struct zv_sink *sink, const struct report_style *style,
                                const struct report_view *view, struct zv_error *err)
{
    struct html_page page = {0};
    struct zv_arena arena = {0};
    const struct zv_lives *const lives = view->lives;
    struct page_arrays arrays = {.series = {{.name = "allocated", .role = "allocated"},
                                            {.name = "reserved", .role = "reserved"},
                                            {.name = "active", .role = "active"}}};
    const uint64_t *const values[3] = {lives->allocated_bytes, lives->reserved_bytes,
                                       lives->active_bytes};
    struct view_labels labels;
    enum zv_status status =
        find_labels(&labels, record_of(view), &arena) ? ZV_OK : zv_fail_memory(err, "a page");
    status = status == ZV_OK ? html_page_begin(&page, sink, view->file, html_chart_scripts, err)
                             : status;
    if (status == ZV_OK) {
        put_body(&page, style, view);
        for (size_t i = 0; i < 3; i++) {
            html_series_write(&page, &arrays.series[i], values[i], lives->instant_count);
        }
        status = view_arrays_write(&page, &arrays.tables, record_of(view), lives, &labels, err);
    }
    if (status == ZV_OK) {
        view_what_if_write(&page, &arrays.what_if, view);
        put_data(&page, style, view, &arrays);
    }
    html_page_end(&page);
    zv_arena_free(&arena);
    return status;
}

void report_view_json(struct zv_sink *sink, const struct report_view *view)
{
    struct zv_json_writer json = {.sink = sink};
    const struct zv_record *const record = record_of(view);
    const struct zv_lives *const lives = view->lives;
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.view/1");
    json_slice(&json, "file", view->file);
    report_known_json(&json, &record->trace);
    json_text(&json, "verdict", zv_cause_name(view->explain->verdict->kind));
    json_bytes(&json, "events", true, lives->instant_count - 1);
    json_bytes(&json, "blocks", lives->has_addresses, lives->block_count);
    json_bytes(&json, "segments", record->trace.source == ZV_TRACE_FROM_SNAPSHOT,
               lives->span_count);
    json_bytes(&json, "peak_allocated_bytes", true, record->peak_allocated.usage.allocated_bytes);
    json_bytes(&json, "peak_reserved_bytes", record->peak_reserved.usage.reserved_bytes != 0,
               record->peak_reserved.usage.reserved_bytes);
    json_bytes(&json, "capacity_bytes", view->explain->verdict->capacity_bytes != 0,
               view->explain->verdict->capacity_bytes);
    zv_json_write_key(&json, "replay");
    zv_json_begin_object(&json);
    report_proof_json(&json, record);
    zv_json_end_object(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
