/*
 * Memory-efficient attention (CUTLASS). Sources: ATen/native/transformers/cuda/attention.cu,
 * attention_backward.cu.
 */
#include "step/op_attention.h"
#include "step/op_table.h"
#include "step/tensor_layout.h"

static void efficient_backward(struct step_engine *e, struct step_node *node,
                               struct step_tensor **in, struct step_tensor **out)
{
    (void)in;
    const struct step_tensor *const q = node->saved[SAVED_Q];
    const int64_t size = q->shape.size[QKV_SIZE];
    const int64_t tokens = node->saved[SAVED_K]->shape.size[QKV_TOKENS];
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        const struct step_tensor view = step_attention_turned(node->saved[step_saved_qkv[i]]);
        grads[i] = step_empty(e, &view.shape, q->dtype);
    }
    const int64_t groups = q->shape.size[QKV_BATCH] * q->shape.size[QKV_HEADS];
    e->in_kernel = true;
    struct step_tensor *const delta =
        step_attention_three(e, q->shape.size[QKV_BATCH], q->shape.size[QKV_HEADS],
                             q->shape.size[QKV_TOKENS], ZV_DTYPE_F32);
    e->in_kernel = false;
    int64_t workspace =
        groups * step_up_to(q->shape.size[QKV_TOKENS], 64) * step_up_to(size, 32) * 4;
    workspace += size > 64 ? groups * step_up_to(tokens, 64) * step_up_to(size, 32) * 4 * 2 : 0;
    step_scratch(e, (uint64_t)workspace);
    step_drop(e, delta);
    for (uint32_t i = 0; i < 3; i++) {
        step_attention_give(e, node, i, step_attention_turn(e, grads[i], true), out);
    }
}

/*
 * The mask as the kernel takes it: a bool one as numbers (convert_boolean_attn_mask), and rows that
 * are no multiple of 8 long in rows that are (pad_bias).
 */
static struct step_tensor *bias_of(struct step_engine *e, const struct step_tensor *mask,
                                   enum zv_dtype dtype)
{
    enum { ALIGNED = 8 };
    if (mask == NULL || !step_ok(e)) {
        return NULL;
    }
    struct step_tensor *bias = step_detach(e, mask);
    if (mask->dtype == ZV_DTYPE_BOOL) {
        struct step_tensor *const allowed = step_scalar(e, dtype);
        struct step_tensor *const masked = step_scalar(e, dtype);
        step_drop(e, bias);
        bias = step_elementwise(e, (const struct step_tensor *const[]){mask}, 1, dtype);
        step_drop(e, masked);
        step_drop(e, allowed);
    }
    const uint32_t last = mask->shape.dims - 1;
    if (bias != NULL && mask->shape.dims != 0 && mask->shape.size[last] % ALIGNED != 0) {
        struct step_shape shape = bias->shape;
        shape.size[last] = step_up_to(shape.size[last], ALIGNED);
        step_drop(e, bias);
        bias = step_empty(e, &shape, dtype);
    }
    return bias;
}

static struct step_tensor *efficient_of(struct step_engine *e, const struct step_tensor *q,
                                        const struct step_tensor *v, bool trains,
                                        struct step_tensor **sums)
{
    const struct step_shape shape = q->shape;
    const int64_t width = v->shape.size[QKV_SIZE];
    struct step_tensor *const result = step_attention_four(
        e, shape.size[QKV_BATCH], shape.size[QKV_TOKENS], shape.size[QKV_HEADS], width, q->dtype);
    *sums = step_attention_three(e, shape.size[QKV_BATCH], shape.size[QKV_HEADS],
                                 trains ? step_up_to(shape.size[QKV_TOKENS], 32) : 0, ZV_DTYPE_F32);
    if (shape.size[QKV_SIZE] > 128) { /* the accumulator does not fit into registers */
        e->in_kernel = true;
        step_drop(e, step_attention_four(e, shape.size[QKV_BATCH], shape.size[QKV_TOKENS],
                                         shape.size[QKV_HEADS], width, ZV_DTYPE_F32));
        e->in_kernel = false;
    }
    return step_attention_turn(e, result, false);
}

struct step_tensor *step_op_efficient(struct step_engine *e, struct step_tensor *q,
                                      struct step_tensor *k, struct step_tensor *v,
                                      struct step_tensor *mask)
{
    struct step_tensor *const given =
        mask != NULL && step_is_float(mask->dtype) ? step_low(e, mask) : step_hold(mask);
    struct step_tensor *low[3] = {NULL};
    step_attention_cast(e, (struct step_tensor *const[]){q, k, v}, low);
    struct step_tensor *result = NULL;
    if (step_attention_fits(e, low[0], low[1], low[2])) {
        const bool trains = step_needs(e, low, 3);
        struct step_tensor *const bias = bias_of(e, given, low[0]->dtype);
        struct step_tensor *sums = NULL;
        result = step_attention_kept(e, STEP_KEEPS_EFFICIENT, &sums);
        if (result == NULL) {
            result = efficient_of(e, low[0], low[2], trains, &sums);
            step_attention_keep(e, STEP_KEEPS_EFFICIENT, result, sums);
        }
        struct step_node *const node = step_node_new(e, efficient_backward, low, 3);
        if (node != NULL) {
            step_attention_save(e, node, low, result, sums);
            step_save(e, node, SAVED_BIAS, bias);
        }
        step_drop(e, sums);
        step_drop(e, bias);
        result = step_made_by(e, result, node);
    }
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, low[i]);
    }
    step_drop(e, given);
    return result;
}
