#include "report/html_array.h"

#include "report/json_fields.h"

const char *const html_chart_scripts[] = {"html/base.js",
                                          "html/chart.js",
                                          "html/heap.js",
                                          "html/held.js",
                                          "html/boxes.js",
                                          "html/page.js",
                                          NULL};

size_t html_array_begin(struct html_array *array, struct html_page *page)
{
    *array = (struct html_array){.page = page, .out = {.sink = page->sink}};
    zv_sink_print(page->sink, "<script type=\"text/plain\" id=\"a%zu\">", page->arrays);
    return page->arrays++;
}

void html_array_number(struct html_array *array, uint64_t value)
{
    while (value >= 0x80) {
        zv_base64_put(&array->out, (unsigned char)(value | 0x80));
        value >>= 7;
    }
    zv_base64_put(&array->out, (unsigned char)value);
}

void html_array_difference(struct html_array *array, int64_t value)
{
    const uint64_t twice = (uint64_t)value << 1;
    html_array_number(array, value < 0 ? ~twice : twice);
}

void html_array_end(struct html_array *array)
{
    zv_base64_end(&array->out);
    zv_sink_text(array->page->sink, "</script>\n");
}

static size_t write_values(struct html_page *page, const uint64_t *values, size_t count,
                           uint64_t unit)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = values[i] / unit;
        html_array_difference(&array, (int64_t)(value - before));
        if (value == before) {
            size_t more = 0;
            while (i + more + 1 < count && values[i + more + 1] / unit == value) {
                more++;
            }
            html_array_number(&array, more);
            i += more;
        }
        before = value;
    }
    html_array_end(&array);
    return number;
}

/* The least or largest of each column's values. */
static size_t write_column(struct html_page *page, const struct html_series *series,
                           const uint64_t *values, bool largest)
{
    uint64_t column[HTML_COLUMNS];
    for (size_t i = 0; i < series->columns; i++) {
        const size_t from = series->count * i / series->columns;
        const size_t to = series->count * (i + 1) / series->columns;
        column[i] = values[from];
        for (size_t j = from + 1; j < to; j++) {
            const bool takes = largest ? values[j] > column[i] : values[j] < column[i];
            column[i] = takes ? values[j] : column[i];
        }
    }
    return write_values(page, column, series->columns, series->unit);
}

void html_series_write(struct html_page *page, struct html_series *series, const uint64_t *values,
                       size_t count)
{
    uint64_t bits = 0;
    series->count = count;
    series->largest = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= values[i];
        series->largest = values[i] > series->largest ? values[i] : series->largest;
    }
    series->unit = bits == 0 ? 1 : bits & (0 - bits);
    series->columns = count < HTML_COLUMNS ? count : HTML_COLUMNS;
    series->low = write_column(page, series, values, false);
    series->high = write_column(page, series, values, true);
    series->array = write_values(page, values, count, series->unit);
}

void html_series_json(struct html_page *page, const struct html_series *series)
{
    struct zv_json_writer *const json = &page->json;
    zv_json_begin_object(json);
    json_text(json, "name", series->name);
    json_text(json, "role", series->role);
    json_bytes(json, "count", true, series->count);
    json_bytes(json, "unit", true, series->unit);
    json_bytes(json, "array", true, series->array);
    json_bytes(json, "low", true, series->low);
    json_bytes(json, "high", true, series->high);
    json_bytes(json, "columns", true, series->columns);
    json_bytes(json, "largest", true, series->largest);
    zv_json_end_object(json);
}

void html_line_json(struct html_page *page, const char *name, uint64_t value)
{
    zv_json_begin_object(&page->json);
    json_text(&page->json, "name", name);
    json_bytes(&page->json, "value", true, value);
    zv_json_end_object(&page->json);
}
