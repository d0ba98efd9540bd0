/*
 * FlashAttention 2 (PyTorch 2.2 to 2.6). Sources: ATen/native/transformers/cuda/attention.cu,
 * attention_backward.cu, flash_api.cpp.
 */
#include "step/op_attention.h"
#include "step/op_table.h"
#include "step/tensor_layout.h"

static void flash_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    const struct step_tensor *const q = node->saved[SAVED_Q];
    const struct step_tensor *const k = node->saved[SAVED_K];
    const int64_t batch = q->shape.size[QKV_BATCH];
    const int64_t heads = q->shape.size[QKV_HEADS];
    const int64_t size = q->shape.size[QKV_SIZE];
    const struct step_tensor grad = step_attention_turned(in[0]);
    const struct step_tensor made = step_attention_turned(node->saved[SAVED_RESULT]);
    struct step_tensor *const grad_copy = step_kernel_copy(e, &grad);
    struct step_tensor *const made_copy = step_kernel_copy(e, &made);
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        const struct step_tensor view = step_attention_turned(node->saved[step_saved_qkv[i]]);
        grads[i] = step_like(e, &view, view.dtype);
    }
    const int64_t tokens = step_up_to(q->shape.size[QKV_TOKENS], 128);
    e->in_kernel = true;
    struct step_tensor *const softmax = step_attention_three(e, batch, heads, tokens, ZV_DTYPE_F32);
    struct step_tensor *const sum = step_attention_four(
        e, batch, tokens, heads, size <= 192 ? step_up_to(size, 32) : 256, ZV_DTYPE_F32);
    if (k->shape.size[QKV_HEADS] != heads) { /* grouped: a gradient for each query head first */
        struct step_tensor *const wide_k =
            step_attention_four(e, batch, k->shape.size[QKV_TOKENS], heads, size, k->dtype);
        struct step_tensor *const wide_v =
            step_attention_four(e, batch, k->shape.size[QKV_TOKENS], heads, size, k->dtype);
        step_drop(e, wide_k);
        step_drop(e, wide_v);
    }
    e->in_kernel = false;
    step_drop(e, sum);
    step_drop(e, softmax);
    step_drop(e, made_copy);
    step_drop(e, grad_copy);
    for (uint32_t i = 0; i < 3; i++) {
        step_attention_give(e, node, i, step_attention_turn(e, grads[i], true), out);
    }
}

static struct step_tensor *flash_of(struct step_engine *e, struct step_tensor *q,
                                    struct step_tensor *k, struct step_tensor *v)
{
    struct step_tensor *sums = NULL;
    struct step_tensor *result = step_attention_kept(e, STEP_KEEPS_FLASH, &sums);
    if (result == NULL) {
        const struct step_tensor view = step_attention_turned(q);
        result = step_like(e, &view, q->dtype); /* empty_like: q's own layout */
        sums = step_attention_three(e, q->shape.size[QKV_BATCH], q->shape.size[QKV_HEADS],
                                    q->shape.size[QKV_TOKENS], ZV_DTYPE_F32);
        result = step_attention_turn(e, result, false);
        step_attention_keep(e, STEP_KEEPS_FLASH, result, sums);
    }
    struct step_node *const node =
        step_node_new(e, flash_backward, (struct step_tensor *const[]){q, k, v}, 3);
    if (node != NULL) {
        step_attention_save(e, node, (struct step_tensor *const[]){q, k, v}, result, sums);
    }
    step_drop(e, sums);
    return step_made_by(e, result, node);
}

/* ---- a head size that is no multiple of 8 is padded first ---- */

static void pad_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    out[0] = step_grad_view(e, in[0], &node->shape, in[0]->stride);
}

static struct step_tensor *padded(struct step_engine *e, struct step_tensor *t, int64_t size)
{
    if (t == NULL || t->shape.size[QKV_SIZE] == size) {
        return step_hold(t);
    }
    struct step_shape shape = t->shape;
    shape.size[QKV_SIZE] = size;
    struct step_tensor *const result = step_empty(e, &shape, t->dtype);
    struct step_node *const node =
        step_node_new(e, pad_backward, (struct step_tensor *const[]){t}, 1);
    if (node != NULL) {
        node->shape = t->shape;
    }
    return step_made_by(e, result, node);
}

struct step_tensor *step_op_flash(struct step_engine *e, struct step_tensor *q,
                                  struct step_tensor *k, struct step_tensor *v)
{
    struct step_tensor *low[3] = {NULL};
    step_attention_cast(e, (struct step_tensor *const[]){q, k, v}, low);
    struct step_tensor *result = NULL;
    if (step_attention_fits(e, low[0], low[1], low[2])) {
        const int64_t size = low[0]->shape.size[QKV_SIZE];
        for (size_t i = 0; i < 3; i++) {
            struct step_tensor *const wide = padded(e, low[i], step_up_to(size, 8));
            step_drop(e, low[i]);
            low[i] = wide;
        }
        result = low[0] != NULL && low[1] != NULL && low[2] != NULL
                     ? flash_of(e, low[0], low[1], low[2])
                     : NULL;
        if (result != NULL && size % 8 != 0) {
            struct step_tensor *const whole = result;
            result = step_op_slice(e, whole, QKV_SIZE, 0, size);
            step_drop(e, whole);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, low[i]);
    }
    return result;
}
