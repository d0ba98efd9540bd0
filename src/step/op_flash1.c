/*
 * The first FlashAttention (PyTorch 2.1), whose inputs are packed. Sources as those of op_flash.c.
 */
#include "step/op_attention.h"
#include "step/op_table.h"
#include "step/tensor_layout.h"

/* (batch * tokens, heads, size), a copy where the memory does not lie like that. */
static struct step_tensor *pack(struct step_engine *e, const struct step_tensor *t)
{
    if (t == NULL) {
        return NULL;
    }
    const struct step_tensor view = step_attention_turned(t);
    const struct step_shape shape = {.dims = 3,
                                     .size = {t->shape.size[QKV_BATCH] * t->shape.size[QKV_TOKENS],
                                              t->shape.size[QKV_HEADS], t->shape.size[QKV_SIZE]}};
    int64_t stride[STEP_MAX_DIMS] = {0};
    return step_view_strides(&view, &shape, stride) ? step_alias(e, t, &shape, stride)
                                                    : step_empty(e, &shape, t->dtype);
}

/* A packed tensor seen as batch, heads, tokens, size. */
static struct step_tensor *unpack(struct step_engine *e, struct step_tensor *t,
                                  const struct step_shape *shape, bool is_grad)
{
    if (t == NULL) {
        return NULL;
    }
    const int64_t heads = shape->size[QKV_HEADS];
    const int64_t size = shape->size[QKV_SIZE];
    const int64_t stride[STEP_MAX_DIMS] = {shape->size[QKV_TOKENS] * heads * size, size,
                                           heads * size, 1};
    struct step_tensor *const view =
        is_grad ? step_grad_view(e, t, shape, stride) : step_alias(e, t, shape, stride);
    step_drop(e, t);
    return view;
}

static void flash1_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                            struct step_tensor **out)
{
    const struct step_shape shape = node->saved[SAVED_Q]->shape;
    const int64_t rows = shape.size[QKV_BATCH] * shape.size[QKV_TOKENS];
    const enum zv_dtype dtype = node->saved[SAVED_Q]->dtype;
    struct step_tensor *packed[5];
    packed[0] = pack(e, in[0]);
    for (size_t i = 0; i < 3; i++) {
        packed[i + 1] = pack(e, node->saved[step_saved_qkv[i]]);
    }
    packed[4] = pack(e, node->saved[SAVED_RESULT]);
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        grads[i] =
            step_attention_three(e, rows, shape.size[QKV_HEADS], shape.size[QKV_SIZE], dtype);
    }
    struct step_tensor *const softmax =
        step_attention_three(e, shape.size[QKV_BATCH], shape.size[QKV_HEADS],
                             step_up_to(shape.size[QKV_TOKENS], 16), ZV_DTYPE_F32);
    struct step_tensor *const wide = shape.size[QKV_TOKENS] > 128
                                         ? step_attention_three(e, rows, shape.size[QKV_HEADS],
                                                                shape.size[QKV_SIZE], ZV_DTYPE_F32)
                                         : NULL;
    step_drop(e, softmax);
    step_drop(e, wide);
    for (size_t i = 0; i < 5; i++) {
        step_drop(e, packed[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        step_attention_give(e, node, i,
                            unpack(e, grads[i], &node->saved[step_saved_qkv[i]]->shape, true), out);
    }
}

static struct step_tensor *flash1_of(struct step_engine *e, struct step_tensor *q,
                                     struct step_tensor *k, struct step_tensor *v)
{
    const struct step_shape shape = q->shape;
    const int64_t rows = shape.size[QKV_BATCH] * shape.size[QKV_TOKENS];
    struct step_tensor *const starts[2] = {step_vector(e, shape.size[QKV_BATCH] + 1, ZV_DTYPE_I32),
                                           step_vector(e, shape.size[QKV_BATCH] + 1, ZV_DTYPE_I32)};
    struct step_tensor *const packed[3] = {pack(e, q), pack(e, k), pack(e, v)};
    struct step_tensor *result =
        step_attention_three(e, rows, shape.size[QKV_HEADS], shape.size[QKV_SIZE], q->dtype);
    struct step_tensor *const wide = shape.size[QKV_TOKENS] > 128
                                         ? step_attention_three(e, rows, shape.size[QKV_HEADS],
                                                                shape.size[QKV_SIZE], ZV_DTYPE_F32)
                                         : NULL;
    struct step_tensor *const sums =
        step_attention_three(e, shape.size[QKV_BATCH], shape.size[QKV_HEADS],
                             step_up_to(shape.size[QKV_TOKENS], 16), ZV_DTYPE_F32);
    step_drop(e, wide);
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, packed[i]);
    }
    result = unpack(e, result, &shape, false);
    struct step_node *const node =
        step_node_new(e, flash1_backward, (struct step_tensor *const[]){q, k, v}, 3);
    if (node != NULL) {
        step_attention_save(e, node, (struct step_tensor *const[]){q, k, v}, result, sums);
        step_save(e, node, SAVED_BIAS, starts[0]);
        step_save(e, node, SAVED_MORE, starts[1]);
    }
    step_drop(e, sums);
    step_drop(e, starts[0]);
    step_drop(e, starts[1]);
    return step_made_by(e, result, node);
}

struct step_tensor *step_op_flash1(struct step_engine *e, struct step_tensor *q,
                                   struct step_tensor *k, struct step_tensor *v)
{
    struct step_tensor *low[3] = {NULL};
    step_attention_cast(e, (struct step_tensor *const[]){q, k, v}, low);
    struct step_tensor *const result = step_attention_fits(e, low[0], low[1], low[2])
                                           ? flash1_of(e, low[0], low[1], low[2])
                                           : NULL;
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, low[i]);
    }
    return result;
}
