#include "base/text_table.h"

#include "base/fail.h"

static bool next_row(struct zv_slice *rest, struct zv_slice *line, uint64_t *number)
{
    while (zv_slice_line(rest, line)) {
        (*number)++;
        if (zv_slice_trim(*line).length != 0 && line->at[0] != '#') {
            return true;
        }
    }
    return false;
}

static size_t count_rows(struct zv_slice rest)
{
    struct zv_slice line;
    uint64_t number = 0;
    size_t count = 0;
    while (next_row(&rest, &line, &number)) {
        count++;
    }
    return count;
}

static enum zv_status read_columns(struct zv_table *table, struct zv_slice line, uint64_t number,
                                   struct zv_error *err)
{
    while (line.length != 0) {
        if (table->column_count == ZV_TABLE_MAX_COLUMNS) {
            return zv_fail_line(err, ZV_E_LIMIT, number, "more than %d columns",
                                ZV_TABLE_MAX_COLUMNS);
        }
        table->columns[table->column_count++] = zv_slice_trim(zv_slice_cut(&line, '\t'));
    }
    return ZV_OK;
}

static enum zv_status read_cells(struct zv_table *table, struct zv_slice line, size_t row,
                                 struct zv_error *err)
{
    struct zv_slice *const cells = table->cells + row * table->column_count;
    for (size_t i = 0; i < table->column_count; i++) {
        cells[i] = zv_slice_trim(zv_slice_cut(&line, '\t'));
        if (zv_slice_equal(cells[i], "-")) {
            cells[i].length = 0;
        }
    }
    if (line.length != 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, table->lines[row],
                            "more cells than the %zu columns named in the first row",
                            table->column_count);
    }
    return ZV_OK;
}

enum zv_status zv_table_read(struct zv_table *table, struct zv_slice text, struct zv_arena *arena,
                             struct zv_error *err)
{
    *table = (struct zv_table){0};
    const size_t rows = count_rows(text);
    struct zv_slice line;
    uint64_t number = 0;
    if (!next_row(&text, &line, &number)) {
        return zv_fail(err, ZV_E_SYNTAX, "an empty table: expected a row of column names");
    }
    enum zv_status status = read_columns(table, line, number, err);
    table->cells = zv_arena_array(arena, rows * table->column_count, sizeof *table->cells);
    table->lines = zv_arena_array(arena, rows, sizeof *table->lines);
    if (table->cells == NULL || table->lines == NULL) {
        return zv_fail_memory(err, "a table");
    }
    while (status == ZV_OK && next_row(&text, &line, &number)) {
        table->lines[table->row_count] = number;
        status = read_cells(table, line, table->row_count, err);
        table->row_count++;
    }
    return status;
}

int zv_table_column(const struct zv_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (zv_slice_equal(table->columns[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

struct zv_slice zv_table_cell(const struct zv_table *table, size_t row, int column)
{
    const struct zv_slice unknown = {0};
    return column < 0 ? unknown : table->cells[row * table->column_count + (size_t)column];
}
