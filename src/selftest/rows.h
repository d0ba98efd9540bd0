/*
 * Rows: published, measured figures, one JSON object a line (data/measured.jsonl and any file of
 * that schema). Only syntax: what a field means is decided by the predictions.
 */
#ifndef ZIRVE_SELFTEST_ROWS_H
#define ZIRVE_SELFTEST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    ZV_ROWS_LIMIT = 100000,
    ZV_ROW_MAX_LINE = 256 * 1024 /* bytes */
};

/* A pair of a device and a figure: [["CUDA0", "2320.00"], …]. */
struct zv_row_pair {
    struct zv_slice name;
    struct zv_slice value;
};

struct zv_row_field {
    struct zv_slice name;
    struct zv_slice text; /* a string's text or a number's digits; empty for null, objects, lists */
    const struct zv_row_pair *pairs; /* for a list of pairs */
    size_t pair_count;
};

struct zv_row_fields {
    const struct zv_row_field *fields;
    size_t count;
};

struct zv_row {
    struct zv_slice id;
    struct zv_slice kind;
    struct zv_slice source;
    struct zv_slice model;
    struct zv_slice arch;
    struct zv_slice runtime;
    struct zv_slice version;
    struct zv_row_fields config;
    struct zv_row_fields settings;
    struct zv_row_fields measured;
    struct zv_row_fields check; /* where the facts come from: meta_origin, basis */
    bool citable;
    uint64_t line; /* 1-based */
};

struct zv_rows {
    const struct zv_row *rows;
    size_t count;
};

/* Everything is copied to arena. Errors: ZV_E_SYNTAX with the line, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_rows_read(struct zv_rows *rows, struct zv_slice text, struct zv_arena *arena,
                            struct zv_error *err);

/* The built-in rows. */
enum zv_status zv_rows_builtin(struct zv_rows *rows, struct zv_arena *arena, struct zv_error *err);

const struct zv_row_field *zv_row_find(const struct zv_row_fields *fields, const char *name);

/* The field's text; empty when absent. */
struct zv_slice zv_row_text(const struct zv_row_fields *fields, const char *name);

/* A whole number ("8", "476,016"); false when absent or not one. */
bool zv_row_u64(const struct zv_row_fields *fields, const char *name, uint64_t *to);

#endif
