#include "report/report_sheet.h"

#include <stdio.h>
#include <string.h>

#include "report/html_page.h"
#include "report/json_fields.h"

static const char *value_of(char to[REPORT_BYTES_TEXT], const struct report_style *style,
                            const struct zv_sheet_row *row)
{
    if (row->value != NULL) {
        return row->value;
    }
    if (!row->has_bytes) {
        return "unknown";
    }
    report_bytes(to, style, row->bytes);
    return to;
}

void report_sheet_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_sheet *sheet)
{
    const char *section = "";
    report_bold(sink, style, sheet->title);
    zv_sink_text(sink, "\n");
    for (size_t i = 0; i < sheet->count; i++) {
        const struct zv_sheet_row *const row = &sheet->rows[i];
        char bytes[REPORT_BYTES_TEXT];
        char text[512];
        if (strcmp(section, row->section) != 0) {
            section = row->section;
            (void)snprintf(text, sizeof text, "\n%s\n", section);
            report_bold(sink, style, text);
        }
        const bool tagged = row->known != NULL && strcmp(row->known, "unknown") != 0;
        (void)snprintf(text, sizeof text, "%.380s%s%s%s%.80s%s", value_of(bytes, style, row),
                       tagged ? " (" : "", tagged ? row->known : "",
                       tagged && row->note != NULL ? "; " : "",
                       tagged && row->note != NULL ? row->note : "", tagged ? ")" : "");
        zv_sink_print(sink, "  %-32s", row->label);
        const size_t column = strlen(row->label) > 32 ? 80 : 34;
        report_fold(sink, style, 36, (unsigned)column, text);
    }
}

enum zv_status report_sheet_html(struct zv_sink *sink, const struct report_style *style,
                                 const struct zv_sheet *sheet, struct zv_error *err)
{
    static const char *const no_scripts[] = {NULL};
    const char *section = "";
    struct html_page page = {0};
    const struct zv_slice title = zv_slice_of(sheet->title);
    const enum zv_status status = html_page_begin(&page, sink, title, no_scripts, err);
    if (status != ZV_OK) {
        html_page_end(&page);
        return status;
    }
    zv_sink_text(sink, "<main class=\"sheet\">\n");
    html_page_text(&page, "h1", "title", title);
    zv_sink_text(sink, "<table>\n");
    for (size_t i = 0; i < sheet->count; i++) {
        const struct zv_sheet_row *const row = &sheet->rows[i];
        char bytes[REPORT_BYTES_TEXT];
        if (strcmp(section, row->section) != 0) {
            section = row->section;
            zv_sink_text(sink, "<tr><th colspan=\"3\">");
            html_escape(sink, zv_slice_of(section));
            zv_sink_text(sink, "</th></tr>\n");
        }
        zv_sink_text(sink, "<tr>");
        html_page_text(&page, "td", "label", zv_slice_of(row->label));
        html_page_text(&page, "td", "value", zv_slice_of(value_of(bytes, style, row)));
        html_page_text(&page, "td", "known",
                       zv_slice_of(row->known != NULL ? row->known
                                   : row->variable    ? "declared"
                                                      : ""));
        if (row->note != NULL) {
            html_page_text(&page, "td", "note", zv_slice_of(row->note));
        }
        zv_sink_text(sink, "</tr>\n");
    }
    zv_sink_text(sink, "</table>\n</main>\n");
    html_page_end(&page);
    return ZV_OK;
}

static void write_row(struct zv_json_writer *json, const struct zv_sheet_row *row)
{
    zv_json_begin_object(json);
    json_text(json, "section", row->section);
    json_text(json, "label", row->label);
    json_text(json, "value", row->value);
    json_bytes(json, "bytes", row->has_bytes, row->bytes);
    json_text(json, "known", row->known);
    json_text(json, "note", row->note);
    zv_json_end_object(json);
}

void report_sheet_json(struct zv_sink *sink, const struct zv_sheet *sheet)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.sheet/1");
    json_text(&json, "title", sheet->title);
    zv_json_write_key(&json, "rows");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < sheet->count; i++) {
        write_row(&json, &sheet->rows[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}

void report_findings_text(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_findings *findings)
{
    size_t tampered = 0;
    for (size_t i = 0; i < findings->count; i++) {
        char text[512];
        const struct zv_finding *const finding = &findings->items[i];
        tampered += finding->tampered;
        (void)snprintf(text, sizeof text, "%s%.120s: %.300s", finding->tampered ? "CHANGED " : "",
                       finding->where, finding->text);
        report_fold(sink, style, 2, 0, text);
    }
    if (findings->count == 0) {
        zv_sink_text(sink, "complete, and as it was put in\n");
    } else {
        zv_sink_print(sink, "%zu changed, %zu open\n", tampered, findings->count - tampered);
    }
}

void report_findings_json(struct zv_sink *sink, const struct zv_findings *findings)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.check/1");
    zv_json_write_key(&json, "findings");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < findings->count; i++) {
        zv_json_begin_object(&json);
        json_bool(&json, "changed", findings->items[i].tampered);
        json_text(&json, "where", findings->items[i].where);
        json_text(&json, "text", findings->items[i].text);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
