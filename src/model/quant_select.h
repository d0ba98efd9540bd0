/* Which weights a scheme quantises. */
#ifndef ZIRVE_MODEL_QUANT_SELECT_H
#define ZIRVE_MODEL_QUANT_SELECT_H

#include "model/model.h"

/* A weight as the quantisers see it: count matrices of rows outputs by columns inputs. */
struct quant_matrix {
    uint64_t count;
    uint64_t rows;
    uint64_t columns;
};

/* Whether quant takes this tensor; *matrix is filled when it does. */
bool quant_takes(const struct zv_quant *quant, const struct zv_tensor *tensor,
                 struct quant_matrix *matrix);

/* Rows and columns of a linear weight or fused experts, whichever way it is stored. */
bool quant_matrix_of(const struct zv_tensor *tensor, struct quant_matrix *matrix);

#endif
