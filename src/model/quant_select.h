/* Which weights a scheme quantises. */
#ifndef ZIRVE_MODEL_QUANT_SELECT_H
#define ZIRVE_MODEL_QUANT_SELECT_H

#include "base/strmap.h"
#include "model/model.h"

/* A weight as the quantisers see it: count matrices of rows outputs by columns inputs. */
struct quant_matrix {
    uint64_t count;
    uint64_t rows;
    uint64_t columns;
};

/*
 * A scheme with its list of modules to leave alone, ready for many tensors. Lists of thousands of
 * names are usual and looked up; patterns are tried one by one, so that there is a limit to them.
 */
struct quant_selector {
    const struct zv_quant *quant;
    struct zv_strmap names;
    size_t name_segments;      /* of the longest name */
    struct zv_strmap numbered; /* segments that a number stands behind in a name; "": in front */
    struct quant_skip *skips;
    size_t count;
};

enum { QUANT_MAX_TRIES = 16 * 1024 * 1024 }; /* patterns times tensors */

/* For tensor_count tensors. Errors: ZV_E_NOMEM, ZV_E_LIMIT. Close it in any case. */
enum zv_status quant_select_open(struct quant_selector *selector, const struct zv_quant *quant,
                                 size_t tensor_count, struct zv_arena *arena, struct zv_error *err);
void quant_select_close(struct quant_selector *selector);

/* Whether the scheme takes this tensor; *matrix is filled when it does. */
bool quant_takes(const struct quant_selector *selector, const struct zv_tensor *tensor,
                 struct quant_matrix *matrix);

/* Whether it takes all that tensor stands for, or none of them. */
bool quant_takes_alike(const struct quant_selector *selector, const struct zv_tensor *tensor);

/* Rows and columns of a linear weight or fused experts, whichever way it is stored. */
bool quant_matrix_of(const struct zv_tensor *tensor, struct quant_matrix *matrix);

#endif
