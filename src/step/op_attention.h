/* What the kernels of scaled_dot_product_attention share: op_flash.c, op_flash1.c, op_efficient.c.
 */
#ifndef ZIRVE_STEP_OP_ATTENTION_H
#define ZIRVE_STEP_OP_ATTENTION_H

#include "step/engine.h"
#include "step/region.h"

/* q, k and v, in any strides. */
enum { QKV_BATCH, QKV_HEADS, QKV_TOKENS, QKV_SIZE, QKV_DIMS };

/* What is saved, in the order in which it is released: inputs, then results, by their names. */
enum { SAVED_BIAS, SAVED_K, SAVED_Q, SAVED_V, SAVED_SUMS, SAVED_RESULT, SAVED_MORE };
extern const size_t step_saved_qkv[3];

static inline int64_t step_up_to(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

/* Whether their shapes and types go together; false with the error set, or without one of them. */
bool step_attention_fits(struct step_engine *e, const struct step_tensor *q,
                         const struct step_tensor *k, const struct step_tensor *v);

/* t with heads and tokens exchanged, as the kernels see it. */
struct step_tensor step_attention_turned(const struct step_tensor *t);
/* The same as a tensor that takes t's place. */
struct step_tensor *step_attention_turn(struct step_engine *e, struct step_tensor *t, bool is_grad);

struct step_tensor *step_attention_four(struct step_engine *e, int64_t a, int64_t b, int64_t c,
                                        int64_t d, enum zv_dtype dtype);
struct step_tensor *step_attention_three(struct step_engine *e, int64_t a, int64_t b, int64_t c,
                                         enum zv_dtype dtype);

/* As autocast does, from the right (op_matrix.c). */
void step_attention_cast(struct step_engine *e, struct step_tensor *const qkv[3],
                         struct step_tensor *low[3]);

/* low: q, k and v; with the result and the sums of its softmax. */
void step_attention_save(struct step_engine *e, struct step_node *node,
                         struct step_tensor *const low[3], const struct step_tensor *result,
                         const struct step_tensor *sums);

/* A gradient for whom it is for, dropped when nobody asks. */
void step_attention_give(struct step_engine *e, const struct step_node *node, uint32_t edge,
                         struct step_tensor *grad, struct step_tensor **out);

/* A result and its sums that a checkpoint kept; NULL: they are to be made, and kept then. */
struct step_tensor *step_attention_kept(struct step_engine *e, enum step_keeps operation,
                                        struct step_tensor **sums);
void step_attention_keep(struct step_engine *e, enum step_keeps operation,
                         const struct step_tensor *result, const struct step_tensor *sums);

#endif
