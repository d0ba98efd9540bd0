#include "report/html_boxes.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "report/html_array.h"
#include "report/json_fields.h"

/* Of all boxes. */
struct extent {
    uint64_t from;
    uint64_t until;
    uint64_t height;
    uint64_t unit; /* places and bytes are multiples of it */
};

static int by_from(const void *a, const void *b)
{
    const struct html_box *const left = a;
    const struct html_box *const right = b;
    return left->from != right->from ? (left->from > right->from) - (left->from < right->from)
                                     : (left->low > right->low) - (left->low < right->low);
}

static struct extent extent_of(const struct html_boxes *boxes)
{
    struct extent extent = {.from = boxes->boxes[0].from};
    uint64_t bits = 0;
    for (size_t i = 0; i < boxes->count; i++) {
        const struct html_box *const box = &boxes->boxes[i];
        extent.until = box->until > extent.until ? box->until : extent.until;
        extent.height =
            box->low + box->bytes > extent.height ? box->low + box->bytes : extent.height;
        bits |= box->low | box->bytes;
    }
    for (size_t i = 0; i < boxes->level_count; i++) {
        extent.height =
            boxes->levels[i].bytes > extent.height ? boxes->levels[i].bytes : extent.height;
    }
    extent.unit = bits == 0 ? 1 : bits & (0 - bits);
    return extent;
}

/* The first time of a column. */
static uint64_t start_of(const struct extent *extent, size_t column, size_t columns)
{
    uint64_t offset = 0;
    (void)zv_mul_div(column, extent->until - extent->from + 1, columns, &offset);
    return extent->from + offset;
}

struct change {
    uint64_t time;
    uint64_t bytes;
    bool is_end;
};

/* Of one time what ends comes before what begins: it makes room. */
static int by_time(const void *a, const void *b)
{
    const struct change *const left = a;
    const struct change *const right = b;
    return left->time != right->time ? (left->time > right->time) - (left->time < right->time)
                                     : (int)right->is_end - (int)left->is_end;
}

static uint64_t after(uint64_t live, const struct change *change)
{
    return change->is_end ? live - change->bytes : live + change->bytes;
}

/* The largest sum of what lives in each column. */
static enum zv_status sum_up(const struct html_boxes *boxes, const struct extent *extent,
                             uint64_t *columns, size_t count, struct zv_error *err)
{
    struct change *const changes = zv_memory_alloc(2 * boxes->count * sizeof *changes);
    if (changes == NULL) {
        return zv_fail_memory(err, "a page");
    }
    for (size_t i = 0; i < boxes->count; i++) {
        const struct html_box *const box = &boxes->boxes[i];
        changes[2 * i] = (struct change){box->from, box->bytes, false};
        changes[2 * i + 1] = (struct change){box->until, box->bytes, true};
    }
    qsort(changes, 2 * boxes->count, sizeof *changes, by_time);
    uint64_t live = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t start = start_of(extent, i, count);
        const uint64_t end = start_of(extent, i + 1, count);
        while (at < 2 * boxes->count && changes[at].time <= start) {
            live = after(live, &changes[at++]);
        }
        columns[i] = live;
        while (at < 2 * boxes->count && changes[at].time < end) {
            live = after(live, &changes[at++]);
            columns[i] = live > columns[i] ? live : columns[i];
        }
    }
    zv_memory_free(changes);
    return ZV_OK;
}

static size_t write_boxes(struct html_page *page, const struct html_boxes *boxes,
                          const struct extent *extent)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    uint64_t from = extent->from;
    for (size_t i = 0; i < boxes->count; i++) {
        const struct html_box *const box = &boxes->boxes[i];
        html_array_number(&array, box->from - from);
        html_array_number(&array, box->until - box->from);
        html_array_number(&array, box->low / extent->unit);
        html_array_number(&array, box->bytes / extent->unit);
        from = box->from;
    }
    html_array_end(&array);
    return number;
}

static void put_levels(struct html_page *page, const struct html_boxes *boxes)
{
    zv_json_write_key(&page->json, "lines");
    zv_json_begin_array(&page->json);
    for (size_t i = 0; i < boxes->level_count; i++) {
        html_line_json(page, boxes->levels[i].name, boxes->levels[i].bytes);
    }
    zv_json_end_array(&page->json);
}

static void put_data(struct html_page *page, const struct html_boxes *boxes,
                     const struct extent *extent, const struct html_series *live, size_t array)
{
    struct zv_json_writer *const json = &page->json;
    html_page_begin_data(page);
    json_text(json, "schema", "zirve.page/1");
    json_text(json, "unit", "both");
    json_bytes(json, "instants", true, live->count);
    json_bytes(json, "steps", true, extent->until - extent->from + 1);
    json_bytes(json, "firstStep", true, extent->from);
    json_text(json, "basis", boxes->basis);
    zv_json_write_key(json, "charts");
    zv_json_begin_array(json);
    zv_json_begin_object(json);
    json_text(json, "title", "What lives over time");
    json_text(json, "unit", "bytes");
    json_bytes(json, "count", true, live->count);
    zv_json_write_key(json, "series");
    zv_json_begin_array(json);
    html_series_json(page, live);
    zv_json_end_array(json);
    put_levels(page, boxes);
    zv_json_end_object(json);
    zv_json_end_array(json);
    zv_json_write_key(json, "boxes");
    zv_json_begin_object(json);
    json_text(json, "title", "Where it lies");
    json_text(json, "note", boxes->note);
    json_bytes(json, "array", true, array);
    json_bytes(json, "count", true, boxes->count);
    json_bytes(json, "unit", true, extent->unit);
    json_bytes(json, "first", true, extent->from);
    json_bytes(json, "height", true, extent->height);
    put_levels(page, boxes);
    zv_json_end_object(json);
    html_page_end_data(page);
}

static void put_body(struct html_page *page, struct zv_sink *sink, const struct html_boxes *boxes)
{
    html_page_heading(page, boxes->title);
    html_page_text(page, "p", "verdict", boxes->verdict);
    zv_sink_text(sink, "<div id=\"panels\"></div>\n");
    if (boxes->words.length != 0) {
        zv_sink_text(sink, "<details open><summary>In words</summary>\n");
        html_page_text(page, "pre", "words", boxes->words);
        zv_sink_text(sink, "</details>\n");
    }
    zv_sink_text(sink, "</main>\n");
}

enum zv_status html_boxes_page(struct zv_sink *sink, const struct html_boxes *boxes,
                               struct zv_error *err)
{
    struct html_page page = {0};
    uint64_t columns[HTML_COLUMNS];
    if (boxes->count == 0) {
        return zv_fail(err, ZV_E_USAGE, "no blocks: there is nothing to draw");
    }
    qsort(boxes->boxes, boxes->count, sizeof *boxes->boxes, by_from);
    const struct extent extent = extent_of(boxes);
    const uint64_t times = extent.until - extent.from + 1;
    const size_t count = times < HTML_COLUMNS ? (size_t)times : HTML_COLUMNS;
    enum zv_status status = sum_up(boxes, &extent, columns, count, err);
    status = status == ZV_OK ? html_page_begin(&page, sink, boxes->title, html_chart_scripts, err)
                             : status;
    if (status == ZV_OK) {
        struct html_series live = {.name = "live", .role = "allocated"};
        put_body(&page, sink, boxes);
        html_series_write(&page, &live, columns, count);
        const size_t array = write_boxes(&page, boxes, &extent);
        put_data(&page, boxes, &extent, &live, array);
    }
    html_page_end(&page);
    return status;
}
