#include <stdio.h>
#include <string.h>

#include "report/json_fields.h"
#include "report/report_sheet.h"

static const struct zv_sheet_row *row_in(const struct report_compare *report, size_t sheet,
                                         const struct zv_sheet_row *row)
{
    return zv_sheet_find(&report->comparison->sheets[sheet], row->section, row->label);
}

static void print_value(char *to, size_t size, const struct report_style *style,
                        const struct zv_sheet_row *row)
{
    char bytes[ZV_BYTES_TEXT];
    if (row == NULL) {
        (void)snprintf(to, size, "-");
    } else if (row->value != NULL) {
        (void)snprintf(to, size, "%.200s", row->value);
    } else if (!row->has_bytes) {
        (void)snprintf(to, size, "unknown");
    } else {
        report_bytes_short(bytes, style, row->bytes);
        (void)snprintf(to, size, "%.40s", bytes);
    }
}

static bool same_in_all(const struct report_compare *report, const struct report_style *style,
                        const struct zv_sheet_row *row)
{
    char first[256];
    char other[256];
    print_value(first, sizeof first, style, row_in(report, 0, row));
    for (size_t i = 1; i < report->comparison->sheet_count; i++) {
        print_value(other, sizeof other, style, row_in(report, i, row));
        if (strcmp(first, other) != 0) {
            return false;
        }
    }
    return true;
}

/* '*' marks what differs; long values are cut with "..". */
static void print_rows(struct zv_sink *sink, const struct report_style *style,
                       const struct report_compare *report)
{
    const struct zv_comparison *const comparison = report->comparison;
    const char *section = "";
    const size_t count = comparison->sheet_count;
    const unsigned width =
        style->width > 36 ? (unsigned)((style->width - 34) / (count != 0 ? count : 1)) - 1 : 10;
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct zv_sheet_row *const row = comparison->rows[i];
        if (strcmp(section, row->section) != 0) {
            section = row->section;
            zv_sink_print(sink, "\n%s\n", section);
        }
        zv_sink_print(sink, "%c %-31.31s", same_in_all(report, style, row) ? ' ' : '*', row->label);
        for (size_t k = 0; k < count; k++) {
            char value[256];
            print_value(value, sizeof value, style, row_in(report, k, row));
            const bool cut = strlen(value) > width;
            if (cut && width > 2) {
                value[width - 2] = '.';
                value[width - 1] = '.';
                value[width] = 0;
            }
            zv_sink_print(sink, k + 1 < count ? " %-*s" : " %.*s", (int)width, value);
        }
        zv_sink_text(sink, "\n");
    }
}

/* What figures must not be compared without: "2: 0004 reserved_peak: backend ..." */
static void print_notes(struct zv_sink *sink, const struct report_style *style,
                        const struct report_compare *report)
{
    const struct zv_comparison *const comparison = report->comparison;
    for (size_t i = 0; i < comparison->row_count; i++) {
        for (size_t k = 0; k < comparison->sheet_count; k++) {
            const struct zv_sheet_row *const row = row_in(report, k, comparison->rows[i]);
            char text[256];
            if (row != NULL && row->note != NULL) {
                (void)snprintf(text, sizeof text, "in %zu, %.100s: %.100s", k + 1, row->label,
                               row->note);
                report_fold(sink, style, 2, 0, text);
            }
        }
    }
}

static bool is_comparison(const struct zv_comparison *comparison)
{
    return comparison->reason_count == 0;
}

void report_compare_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_compare *report)
{
    const struct zv_comparison *const comparison = report->comparison;
    char text[256];
    for (size_t i = 0; i < comparison->sheet_count; i++) {
        zv_sink_print(sink, "%zu  %s: %s\n", i + 1, report->names[i], comparison->sheets[i].title);
    }
    print_rows(sink, style, report);
    zv_sink_text(sink, "\n");
    print_notes(sink, style, report);
    for (size_t i = 0; i < comparison->variable_count && i < ZV_COMPARE_MAX_REASONS; i++) {
        zv_sink_print(sink, "varied: %s\n", comparison->variables[i]);
    }
    if (comparison->variable_count == 0) {
        zv_sink_text(sink, "varied: nothing, the same job again\n");
    }
    for (size_t i = 0; i < comparison->reason_count; i++) {
        (void)snprintf(text, sizeof text, "no comparison: %s", comparison->reasons[i]);
        report_fold(sink, style, 2, 0, text);
    }
    if (comparison->crosses_backends) {
        report_fold(sink, style, 0, 0,
                    "CUDA and HIP: the same calls prove no equal kernels, precision or results.");
    }
    if (is_comparison(comparison)) {
        zv_sink_text(sink, "comparable\n");
    } else if (report->exploratory) {
        report_fold(sink, style, 0, 0, "shown side by side to explore; nothing follows from it");
    }
}

static void write_names(struct zv_json_writer *json, const char *key, const char *const *names,
                        size_t count)
{
    zv_json_write_key(json, key);
    zv_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        zv_json_write_string(json, names[i]);
    }
    zv_json_end_array(json);
}

void report_compare_json(struct zv_sink *sink, const struct report_compare *report)
{
    const struct zv_comparison *const comparison = report->comparison;
    struct zv_json_writer json = {.sink = sink};
    const size_t shown = comparison->variable_count < ZV_COMPARE_MAX_REASONS
                             ? comparison->variable_count
                             : ZV_COMPARE_MAX_REASONS;
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.compare/1");
    write_names(&json, "records", report->names, comparison->sheet_count);
    json_bool(&json, "comparable", is_comparison(comparison));
    json_bool(&json, "exploratory", report->exploratory);
    json_bool(&json, "crosses_backends", comparison->crosses_backends);
    write_names(&json, "varied", comparison->variables, shown);
    write_names(&json, "reasons", comparison->reasons, comparison->reason_count);
    zv_json_write_key(&json, "rows");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct zv_sheet_row *const row = comparison->rows[i];
        zv_json_begin_object(&json);
        json_text(&json, "section", row->section);
        json_text(&json, "label", row->label);
        zv_json_write_key(&json, "values");
        zv_json_begin_array(&json);
        for (size_t k = 0; k < comparison->sheet_count; k++) {
            const struct zv_sheet_row *const one = row_in(report, k, row);
            if (one != NULL && one->has_bytes) {
                zv_json_write_u64(&json, one->bytes);
            } else {
                zv_json_write_string(&json, one != NULL ? one->value : NULL);
            }
        }
        zv_json_end_array(&json);
        zv_json_write_key(&json, "known");
        zv_json_begin_array(&json);
        for (size_t k = 0; k < comparison->sheet_count; k++) {
            const struct zv_sheet_row *const one = row_in(report, k, row);
            zv_json_write_string(&json, one != NULL ? one->known : NULL);
        }
        zv_json_end_array(&json);
        zv_json_write_key(&json, "notes");
        zv_json_begin_array(&json);
        for (size_t k = 0; k < comparison->sheet_count; k++) {
            const struct zv_sheet_row *const one = row_in(report, k, row);
            zv_json_write_string(&json, one != NULL ? one->note : NULL);
        }
        zv_json_end_array(&json);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
