/*
 * Blocks as CSV, the form that MiniMalloc and the benchmarks of the field use: columns by name.
 *
 *     id,lower,upper,size[,alignment][,offset]
 *
 * id (also buffer, buffer_id) once each; lower (begin, start); upper, which is not included, or
 * end, which is; size; alignment; offset, which fixes the block there unless it is empty. Numbers
 * are decimal, below 2^64. The same with every offset filled in is a plan.
 */
#ifndef ZIRVE_PLACE_PLACE_CSV_H
#define ZIRVE_PLACE_PLACE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "base/stream.h"
#include "zirve/arena.h"
#include "zirve/place.h"

struct place_table {
    struct zv_place_block *blocks;
    struct zv_slice *ids; /* parts of the text; NULL: blocks are numbered from 0 */
    size_t count;
    bool has_alignment;
    const char *unused; /* a column that means nothing here, NULL: none */
};

/* Whether the text starts with a header of such columns. */
bool zv_place_csv_is(struct zv_slice text);

/*
 * Reads blocks into the arena. Errors, with the line: ZV_E_SYNTAX (a column that is missing or
 * there twice in other words, no number, a life that ends before it starts, 0 bytes, an id twice,
 * an offset off its alignment), ZV_E_OVERFLOW (sums above 2^62), ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_place_csv_read(struct place_table *table, struct zv_slice text,
                                 struct zv_arena *arena, struct zv_error *err);

/* Writes the plan; ids with a comma or quotes are quoted. */
void zv_place_csv_write(struct zv_sink *sink, const struct place_table *table);

#endif
