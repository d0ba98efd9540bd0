/*
 * Parts: where a tensor belongs, from its name alone, by one table for Hugging Face and GGUF names
 * (data/tensor_parts.tsv). Used for families without a table and for what a table does not list.
 */
#ifndef ZIRVE_MODEL_TENSOR_PARTS_H
#define ZIRVE_MODEL_TENSOR_PARTS_H

#include "base/strmap.h"
#include "base/text_table.h"
#include "model/model.h"

struct tensor_place {
    enum zv_part part;
    enum zv_split split;
    bool linear;  /* if it is the weight of a linear layer when it has two dimensions */
    bool rebuilt; /* a buffer that loading does not keep */
};

struct tensor_parts {
    struct zv_table table;
    struct tensor_place *places; /* one for each row */
    struct zv_strmap seen;       /* names with # for numbers -> row + 1 */
    struct zv_arena *arena;
};

/* Errors: ZV_E_NOMEM; ZV_E_BUG when the built-in table is wrong. Free with tensor_parts_close. */
enum zv_status tensor_parts_open(struct tensor_parts *parts, struct zv_arena *arena,
                                 struct zv_error *err);
void tensor_parts_close(struct tensor_parts *parts);

/* The place of a name; the first pattern that matches counts. No match: OTHER. */
struct tensor_place tensor_parts_find(struct tensor_parts *parts, struct zv_slice name);

/* The first whole number that is a segment of its own after "layers", "h", "blk", "block" …; -1. */
int64_t tensor_layer_of(struct zv_slice name);

#endif
