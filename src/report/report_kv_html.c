/*
 * Occupancy over time as a page: the memory in use under all policies in one chart, and of the
 * policy that is chosen there its pages, its requests and its pre-emptions. All charts share their
 * columns: equal parts of the longest run.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kv/request_queue.h"
#include "report/html_array.h"
#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/report_kv.h"

enum { MAX_TEXT = 1 << 22, LINE_TEXT = 256, PER_RUN = 6, TENTHS = 1000 };

/* What is drawn of a point. */
enum drawn { DRAWN_SHARE, DRAWN_USED, DRAWN_CACHED, DRAWN_RUNNING, DRAWN_WAITING, DRAWN_PREEMPTED };

struct kv_page {
    struct html_page page;
    const struct report_kv *report;
    uint64_t steps; /* of the longest run */
    size_t columns;
    struct html_series *series; /* PER_RUN of each policy, in the order of the report */
    char (*names)[LINE_TEXT];   /* of policies */
    size_t run_count;
};

static uint64_t whole_of(const struct zv_kv_run *run)
{
    return run->layout == ZV_KV_PAGED ? run->options.cache.pool.pages : run->options.slots;
}

static uint64_t value_of(const struct zv_kv_run *run, size_t point, enum drawn drawn)
{
    const struct kv_occupancy *const over = &run->result.occupancy;
    const struct kv_moment *const peak = &over->points[point].peak;
    const uint64_t whole = whole_of(run);
    switch (drawn) {
    case DRAWN_SHARE:
        return whole == 0 ? 0 : peak->used * TENTHS / whole;
    case DRAWN_USED:
        return peak->used;
    case DRAWN_CACHED:
        return peak->cached;
    case DRAWN_RUNNING:
        return peak->running;
    case DRAWN_WAITING:
        return peak->waiting;
    case DRAWN_PREEMPTED:
        break;
    }
    return peak->preemptions - (point == 0 ? 0 : over->points[point - 1].peak.preemptions);
}

/* Columns are parts of the longest run: a shorter one ends in nothing. */
static void write_run(struct kv_page *to, const struct zv_kv_run *run, size_t at)
{
    static const struct {
        const char *name;
        const char *role;
    } lines[PER_RUN] = {{"", ""},
                        {"in use", "allocated"},
                        {"with a key, in use or free", "c4"},
                        {"running", "allocated"},
                        {"waiting", "reserved"},
                        {"pre-empted", "alarm"}};
    static const char *const colours[] = {"c0", "c1", "c2", "c3", "c4",
                                          "c5", "c6", "c7", "c8", "c9"};
    uint64_t values[KV_OCCUPANCY_POINTS];
    const struct kv_occupancy *const over = &run->result.occupancy;
    for (unsigned line = 0; line < PER_RUN; line++) {
        struct html_series *const series = &to->series[at * PER_RUN + line];
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < to->columns; i++) {
            const uint64_t step = to->steps * i / to->columns;
            const size_t point = over->span == 0 ? SIZE_MAX : (size_t)(step / over->span);
            const bool is_new = point != last; /* what is counted is counted once */
            values[i] = point < over->count && (is_new || line != DRAWN_PREEMPTED)
                            ? value_of(run, point, (enum drawn)line)
                            : 0;
            last = point;
        }
        *series = (struct html_series){.name = line == 0 ? to->names[at] : lines[line].name,
                                       .role = line == 0 ? colours[at % 10] : lines[line].role};
        html_series_write(&to->page, series, values, to->columns);
    }
}

static void begin_chart(struct kv_page *to, const char *title, const char *unit, const char *choice)
{
    struct zv_json_writer *const json = &to->page.json;
    zv_json_begin_object(json);
    json_text(json, "title", title);
    json_text(json, "unit", unit);
    json_bytes(json, "count", true, to->columns);
    json_text(json, "choice", choice);
}

/* series: of the table, step apart. */
static void put_series(struct kv_page *to, size_t from, size_t count, size_t step)
{
    struct zv_json_writer *const json = &to->page.json;
    zv_json_write_key(json, "series");
    zv_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        html_series_json(&to->page, &to->series[from + i * step]);
    }
    zv_json_end_array(json);
}

static void end_chart(struct kv_page *to, const char *line, uint64_t level)
{
    struct zv_json_writer *const json = &to->page.json;
    zv_json_write_key(json, "lines");
    zv_json_begin_array(json);
    if (line != NULL) {
        html_line_json(&to->page, line, level);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

static void put_run_charts(struct kv_page *to, const struct zv_kv_run *run, size_t at)
{
    const bool is_paged = run->layout == ZV_KV_PAGED;
    const bool has_keys = is_paged && run->options.cache.pool.caching;
    const size_t from = at * PER_RUN;
    begin_chart(to, is_paged ? "Pages" : "Slots, a token each", "count", to->names[at]);
    put_series(to, from + DRAWN_USED, has_keys ? 2 : 1, 1);
    end_chart(to, "all there are", whole_of(run));
    begin_chart(to, "Requests", "count", to->names[at]);
    put_series(to, from + DRAWN_RUNNING, 2, 1);
    end_chart(to, NULL, 0);
    if (is_paged) {
        begin_chart(to, "Pre-emptions", "count", to->names[at]);
        put_series(to, from + DRAWN_PREEMPTED, 1, 1);
        end_chart(to, NULL, 0);
    }
}

typedef void run_fn(struct kv_page *to, const struct zv_kv_run *run, size_t at);

/* Every policy that runs in steps; act NULL counts them. */
static size_t each_run(struct kv_page *to, run_fn *act)
{
    size_t at = 0;
    for (size_t i = 0; i < to->report->count; i++) {
        const struct report_kv_scenario *const scenario = &to->report->scenarios[i];
        for (size_t j = 0; j < scenario->run_count; j++) {
            const struct zv_kv_run *const run = &scenario->runs[j].run;
            if (run->layout == ZV_KV_STATIC || run->result.occupancy.count == 0) {
                continue;
            }
            if (act != NULL) {
                (void)snprintf(to->names[at], LINE_TEXT, "%.150s%s%s", scenario->name,
                               scenario->name[0] != 0 ? ": " : "", scenario->runs[j].name);
                act(to, run, at);
            }
            at++;
        }
    }
    return at;
}

static void note_steps(struct kv_page *to, const struct zv_kv_run *run, size_t at)
{
    const uint64_t steps = zv_kv_figure(&run->result.figures, "steps");
    (void)at;
    to->steps = steps > to->steps ? steps : to->steps;
}

static void put_data(struct kv_page *to)
{
    struct html_page *const page = &to->page;
    struct zv_json_writer *const json = &page->json;
    html_page_begin_data(page);
    json_text(json, "schema", "zirve.page/1");
    json_text(json, "unit", "both");
    json_bytes(json, "instants", true, to->columns);
    json_bytes(json, "steps", true, to->steps);
    json_text(json, "basis",
              "Simulated. Each column is a part of the longest run, by its busiest step; steps in "
              "which nothing runs or waits are passed over.");
    zv_json_write_key(json, "charts");
    zv_json_begin_array(json);
    begin_chart(to, "Memory in use, by policy", "share", NULL);
    put_series(to, DRAWN_SHARE, to->run_count, PER_RUN);
    end_chart(to, NULL, 0);
    (void)each_run(to, put_run_charts);
    zv_json_end_array(json);
    html_page_end_data(page);
}

/* The trace's name: its folder is nobody's business whom the page is handed to. */
static struct zv_slice title_of(const struct report_kv *report)
{
    const char *const slash = strrchr(report->trace, '/');
    return zv_slice_of(slash != NULL ? slash + 1 : report->trace);
}

static void put_body(struct kv_page *to, struct zv_sink *sink, const struct report_style *style)
{
    struct zv_buffer text = {.limit = MAX_TEXT};
    struct zv_sink words = zv_buffer_sink(&text);
    struct report_style plain = *style;
    char line[LINE_TEXT];
    char requests[32];
    char steps[32];
    plain.color = false;
    plain.width = 100;
    report_count(requests, to->report->scenarios[0].facts.requests);
    report_count(steps, to->steps);
    (void)snprintf(line, sizeof line,
                   "%s requests under %zu policies; the longest takes %s steps of %llu ms.",
                   requests, to->run_count, steps,
                   (unsigned long long)(KV_STEP_TICKS / (ZV_TICKS_PER_SECOND / 1000)));
    html_page_heading(&to->page, title_of(to->report));
    html_page_text(&to->page, "p", "verdict", zv_slice_of(line));
    zv_sink_text(sink, "<div id=\"panels\"></div>\n<details open><summary>In words</summary>\n");
    report_kv_text(&words, &plain, to->report);
    html_page_text(&to->page, "pre", "words", (struct zv_slice){text.data, text.size});
    zv_sink_text(sink, "</details>\n</main>\n");
    sink->failed |= words.failed;
    zv_buffer_free(&text);
}

enum zv_status report_kv_html(struct zv_sink *sink, const struct report_style *style,
                              const struct report_kv *report, struct zv_error *err)
{
    struct kv_page to = {.report = report};
    to.run_count = each_run(&to, NULL);
    if (to.run_count == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "no policy ran in steps: there is nothing to draw");
    }
    to.series = zv_memory_alloc(to.run_count * PER_RUN * sizeof *to.series);
    to.names = zv_memory_alloc(to.run_count * sizeof *to.names);
    enum zv_status status =
        to.series != NULL && to.names != NULL
            ? html_page_begin(&to.page, sink, title_of(report), html_chart_scripts, err)
            : zv_fail_memory(err, "a page");
    if (status == ZV_OK) {
        (void)each_run(&to, note_steps);
        to.columns = to.steps < KV_OCCUPANCY_POINTS ? (size_t)to.steps : KV_OCCUPANCY_POINTS;
        put_body(&to, sink, style);
        (void)each_run(&to, write_run);
        put_data(&to);
    }
    html_page_end(&to.page);
    zv_memory_free(to.series);
    zv_memory_free(to.names);
    return status;
}
