/*
 * CSV reader: rows by their header, one at a time, without copying. Quotes (RFC 4180: "" inside is
 * one), CRLF, newlines inside quotes, a byte-order mark; empty lines are passed over.
 *
 *     struct zv_csv csv;
 *     if (zv_csv_open(&csv, text, &arena, err) == ZV_OK) …
 *     const int price = zv_csv_column(&csv, "price");
 *     while ((status = zv_csv_next(&csv, err)) == ZV_OK && !csv.at_end)
 *         … zv_csv_cell(&csv, price) …
 */
#ifndef ZIRVE_FORMAT_CSV_H
#define ZIRVE_FORMAT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum { ZV_CSV_MAX_COLUMNS = 64, ZV_CSV_MAX_CELL = 64 * 1024 };

struct zv_csv {
    struct zv_slice columns[ZV_CSV_MAX_COLUMNS]; /* names, trimmed */
    size_t column_count;
    struct zv_slice cells[ZV_CSV_MAX_COLUMNS]; /* of the current row */
    uint64_t line;                             /* 1-based, where the current row starts */
    bool at_end;

    /* private */
    struct zv_slice rest;
    uint64_t next_line;
    struct zv_arena *arena; /* cells with doubled quotes live there */
};

/* Reads the header. Errors: ZV_E_SYNTAX (empty, a name twice), ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_csv_open(struct zv_csv *csv, struct zv_slice text, struct zv_arena *arena,
                           struct zv_error *err);

/* The next row, or at_end. Cells point into the text or the arena. Errors, with the line:
 * ZV_E_SYNTAX for an open quote or a row with another number of cells than the header. */
enum zv_status zv_csv_next(struct zv_csv *csv, struct zv_error *err);

/* The column of this name, any case; -1 when there is none. */
int zv_csv_column(const struct zv_csv *csv, const char *name);

/* The cell of the current row, white space off its ends; empty when column is -1. */
struct zv_slice zv_csv_cell(const struct zv_csv *csv, int column);

#endif
