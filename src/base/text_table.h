/*
 * Text tables: the project's own data files. Tab-separated, first line that is no comment = column
 * names, '#' starts a comment line, "-" or an empty cell = not known. Built-in tables are compiled
 * in.
 */
#ifndef ZIRVE_BASE_TEXT_TABLE_H
#define ZIRVE_BASE_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum { ZV_TABLE_MAX_COLUMNS = 32 };

struct zv_table {
    struct zv_slice columns[ZV_TABLE_MAX_COLUMNS];
    size_t column_count;
    size_t row_count;
    struct zv_slice *cells; /* row_count * column_count, trimmed */
    uint64_t *lines;        /* 1-based line of each row */
};

/* Cells point into text. Errors: ZV_E_SYNTAX with the line, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_table_read(struct zv_table *table, struct zv_slice text, struct zv_arena *arena,
                             struct zv_error *err);

/* The column's index, or -1. */
int zv_table_column(const struct zv_table *table, const char *name);

/* The cell, empty when not known ("-") or when column is -1. */
struct zv_slice zv_table_cell(const struct zv_table *table, size_t row, int column);

#endif
