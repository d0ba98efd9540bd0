/* What a checkpoint of a scheme holds for one weight: quantize.c asks, quant_layout.c answers. */
#ifndef ZIRVE_MODEL_QUANT_LAYOUT_H
#define ZIRVE_MODEL_QUANT_LAYOUT_H

#include "model/quant_select.h"

struct quant_writer {
    const struct zv_quant *quant;
    struct quant_selector selector;
    enum zv_dtype dtype; /* of scales that take the model's */
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_tensor *tensors; /* NULL while counting */
    size_t count;
    uint64_t total; /* what they stand for */
    uint64_t unfit; /* weights whose width the group does not divide */
    const struct zv_tensor *from;
    char *pool; /* names */
    size_t pool_left;
    bool failed;
};

/* One tensor of the scheme: stem + ending, shape of dims. A weight keeps the values, others none.
 */
void quant_put(struct quant_writer *writer, const char *ending, enum zv_dtype dtype, bool weight,
               uint8_t dims, const uint64_t *shape);
void quant_put1(struct quant_writer *writer, const char *ending, enum zv_dtype dtype, uint64_t a);

/* ---- quant_layout.c ---- */

/* Whether the scheme's words and groups divide the matrix. */
bool quant_divides(const struct zv_quant *quant, const struct quant_matrix *matrix);

/* Puts the tensors that stand for the weight `from`. */
void quant_write(struct quant_writer *writer, const struct quant_matrix *matrix);

#endif
