#include "format/csv.h"

#include <string.h>

#include "base/fail.h"

static void skip(struct zv_csv *csv, size_t count)
{
    csv->rest.at += count;
    csv->rest.length -= count;
}

/* Takes a doubled quote out of every pair. */
static enum zv_status undouble(struct zv_csv *csv, struct zv_slice *cell, struct zv_error *err)
{
    char *const copy = zv_arena_copy(csv->arena, cell->at, cell->length);
    if (copy == NULL) {
        return zv_fail_memory(err, "a CSV cell");
    }
    size_t used = 0;
    for (size_t i = 0; i < cell->length; i++) {
        copy[used++] = cell->at[i];
        i += cell->at[i] == '"'; /* its twin follows */
    }
    *cell = (struct zv_slice){copy, used};
    return ZV_OK;
}

/* The cell behind an opening quote, which is cut already. */
static enum zv_status quoted_cell(struct zv_csv *csv, struct zv_slice *cell, struct zv_error *err)
{
    bool doubled = false;
    const uint64_t line = csv->next_line;
    *cell = (struct zv_slice){csv->rest.at, 0};
    for (;;) {
        const char *const quote =
            csv->rest.length == 0 ? NULL : memchr(csv->rest.at, '"', csv->rest.length);
        if (quote == NULL) {
            return zv_fail_line(err, ZV_E_SYNTAX, line, "CSV: a quote that does not close");
        }
        const size_t length = (size_t)(quote - csv->rest.at);
        for (size_t i = 0; i < length; i++) {
            csv->next_line += csv->rest.at[i] == '\n';
        }
        skip(csv, length + 1);
        if (csv->rest.length == 0 || csv->rest.at[0] != '"') {
            cell->length = (size_t)(quote - cell->at);
            break;
        }
        doubled = true;
        skip(csv, 1);
    }
    return doubled ? undouble(csv, cell, err) : ZV_OK;
}

static void plain_cell(struct zv_csv *csv, struct zv_slice *cell)
{
    size_t length = 0;
    while (length < csv->rest.length && csv->rest.at[length] != ',' &&
           csv->rest.at[length] != '\n') {
        length++;
    }
    *cell = (struct zv_slice){csv->rest.at, length};
    skip(csv, length);
    if (cell->length != 0 && cell->at[cell->length - 1] == '\r') {
        cell->length--;
    }
}

/* One cell and what ends it; *last when that is the end of the row. */
static enum zv_status read_cell(struct zv_csv *csv, struct zv_slice *cell, bool *last,
                                struct zv_error *err)
{
    const bool quoted = csv->rest.length != 0 && csv->rest.at[0] == '"';
    if (quoted) {
        skip(csv, 1);
        const enum zv_status status = quoted_cell(csv, cell, err);
        if (status != ZV_OK) {
            return status;
        }
        if (zv_slice_starts(csv->rest, "\r")) {
            skip(csv, 1);
        }
    } else {
        plain_cell(csv, cell);
    }
    *last = csv->rest.length == 0 || csv->rest.at[0] == '\n';
    if (!*last && csv->rest.at[0] != ',') {
        return zv_fail_line(err, ZV_E_SYNTAX, csv->next_line,
                            "CSV: expected a comma or the end of the line behind a quote");
    }
    if (cell->length > ZV_CSV_MAX_CELL) {
        return zv_fail_line(err, ZV_E_LIMIT, csv->line, "CSV: a cell of more than %d bytes",
                            ZV_CSV_MAX_CELL);
    }
    csv->next_line += *last;
    if (csv->rest.length != 0) {
        skip(csv, 1);
    }
    return ZV_OK;
}

static void skip_empty_lines(struct zv_csv *csv)
{
    while (csv->rest.length != 0) {
        const size_t cr = csv->rest.at[0] == '\r' ? 1 : 0;
        const bool newline = csv->rest.length > cr && csv->rest.at[cr] == '\n';
        if (!newline && !(cr == 1 && csv->rest.length == 1)) {
            return;
        }
        skip(csv, newline ? cr + 1 : 1);
        csv->next_line++;
    }
}

static enum zv_status read_row(struct zv_csv *csv, size_t *count, struct zv_error *err)
{
    bool last = false;
    *count = 0;
    csv->line = csv->next_line;
    while (!last) {
        if (*count == ZV_CSV_MAX_COLUMNS) {
            return zv_fail_line(err, ZV_E_LIMIT, csv->line, "CSV: more than %d columns",
                                ZV_CSV_MAX_COLUMNS);
        }
        const enum zv_status status = read_cell(csv, &csv->cells[(*count)++], &last, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

enum zv_status zv_csv_open(struct zv_csv *csv, struct zv_slice text, struct zv_arena *arena,
                           struct zv_error *err)
{
    *csv = (struct zv_csv){.rest = text, .next_line = 1, .arena = arena};
    if (zv_slice_starts(csv->rest, "\xEF\xBB\xBF")) {
        skip(csv, 3);
    }
    skip_empty_lines(csv);
    if (csv->rest.length == 0) {
        return zv_fail(err, ZV_E_SYNTAX, "CSV: empty: expected a row of column names");
    }
    const enum zv_status status = read_row(csv, &csv->column_count, err);
    if (status != ZV_OK) {
        return status;
    }
    for (size_t i = 0; i < csv->column_count; i++) {
        csv->columns[i] = zv_slice_trim(csv->cells[i]);
        for (size_t k = 0; k < i; k++) {
            if (csv->columns[i].length != 0 && zv_slice_same(csv->columns[i], csv->columns[k])) {
                return zv_fail_line(
                    err, ZV_E_SYNTAX, csv->line, "CSV: the column \"%.*s\" is there twice",
                    (int)(csv->columns[i].length < 100 ? csv->columns[i].length : 100),
                    csv->columns[i].at);
            }
        }
    }
    return ZV_OK;
}

enum zv_status zv_csv_next(struct zv_csv *csv, struct zv_error *err)
{
    size_t count = 0;
    skip_empty_lines(csv);
    csv->at_end = csv->rest.length == 0;
    if (csv->at_end) {
        return ZV_OK;
    }
    const enum zv_status status = read_row(csv, &count, err);
    if (status == ZV_OK && count != csv->column_count) {
        return zv_fail_line(err, ZV_E_SYNTAX, csv->line,
                            "CSV: %zu cells, but the header names %zu columns", count,
                            csv->column_count);
    }
    return status;
}

int zv_csv_column(const struct zv_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->column_count; i++) {
        if (zv_slice_equal_nocase(csv->columns[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

struct zv_slice zv_csv_cell(const struct zv_csv *csv, int column)
{
    const struct zv_slice unknown = {0};
    return column < 0 ? unknown : zv_slice_trim(csv->cells[column]);
}
