/*
 * scaled_dot_product_attention by kernel. q, k, v are (batch, heads, tokens, size) in any strides.
 * Sources: ATen/native/transformers/cuda/attention.cu, attention_backward.cu, flash_api.cpp
 * (PyTorch 2.1 for the first FlashAttention, 2.2 to 2.6 for the second).
 */
#include <string.h>

#include "step/op_table.h"
#include "step/region.h"
#include "step/tensor_layout.h"

enum { BATCH, HEADS, TOKENS, SIZE, FOUR };

/* What is saved, in the order in which it is released: inputs, then results, by their names. */
enum { SAVED_BIAS, SAVED_K, SAVED_Q, SAVED_V, SAVED_SUMS, SAVED_RESULT, SAVED_MORE };
static const size_t saved_qkv[3] = {SAVED_Q, SAVED_K, SAVED_V};

static int64_t up_to(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

static bool fits(struct step_engine *e, const struct step_tensor *q, const struct step_tensor *k,
                 const struct step_tensor *v)
{
    if (q == NULL || k == NULL || v == NULL) {
        return false;
    }
    if (q->shape.dims != FOUR || k->shape.dims != FOUR || v->shape.dims != FOUR) {
        return step_fail(e, ZV_E_SYNTAX, "attention takes batch, heads, tokens, size");
    }
    if (q->dtype != k->dtype || k->dtype != v->dtype) {
        return step_fail(e, ZV_E_SYNTAX, "attention: q is %s, k %s, v %s", zv_dtype_name(q->dtype),
                         zv_dtype_name(k->dtype), zv_dtype_name(v->dtype));
    }
    if (q->shape.size[SIZE] != k->shape.size[SIZE] ||
        k->shape.size[TOKENS] != v->shape.size[TOKENS] ||
        k->shape.size[HEADS] != v->shape.size[HEADS] || k->shape.size[HEADS] == 0 ||
        q->shape.size[HEADS] % k->shape.size[HEADS] != 0) {
        return step_fail(e, ZV_E_SYNTAX, "attention: the shapes of q, k and v do not fit");
    }
    return true;
}

/* t with heads and tokens exchanged, as the kernels see it. */
static struct step_tensor turned(const struct step_tensor *t)
{
    struct step_tensor view = *t;
    view.shape.size[HEADS] = t->shape.size[TOKENS];
    view.shape.size[TOKENS] = t->shape.size[HEADS];
    view.stride[HEADS] = t->stride[TOKENS];
    view.stride[TOKENS] = t->stride[HEADS];
    return view;
}

/* The same as a tensor that takes t's place. */
static struct step_tensor *turn(struct step_engine *e, struct step_tensor *t, bool is_grad)
{
    if (t == NULL) {
        return NULL;
    }
    const struct step_tensor view = turned(t);
    struct step_tensor *const result = is_grad ? step_grad_view(e, t, &view.shape, view.stride)
                                               : step_alias(e, t, &view.shape, view.stride);
    step_drop(e, t);
    return result;
}

static struct step_tensor *four(struct step_engine *e, int64_t a, int64_t b, int64_t c, int64_t d,
                                enum zv_dtype dtype)
{
    const struct step_shape shape = {.dims = FOUR, .size = {a, b, c, d}};
    return step_empty(e, &shape, dtype);
}

static struct step_tensor *three(struct step_engine *e, int64_t a, int64_t b, int64_t c,
                                 enum zv_dtype dtype)
{
    const struct step_shape shape = {.dims = 3, .size = {a, b, c}};
    return step_empty(e, &shape, dtype);
}

/* As autocast does, from the right (op_matrix.c). */
static void cast(struct step_engine *e, struct step_tensor *const qkv[3],
                 struct step_tensor *low[3])
{
    for (size_t i = 3; i-- > 0;) {
        low[i] = step_low(e, qkv[i]);
    }
}

/* low: q, k and v; with the result and the sums of its softmax. */
static void save_qkv(struct step_engine *e, struct step_node *node,
                     struct step_tensor *const low[3], const struct step_tensor *result,
                     const struct step_tensor *sums)
{
    for (size_t i = 0; i < 3; i++) {
        step_save(e, node, saved_qkv[i], low[i]);
    }
    step_save(e, node, SAVED_SUMS, sums);
    step_save(e, node, SAVED_RESULT, result);
}

static void give(struct step_engine *e, const struct step_node *node, uint32_t edge,
                 struct step_tensor *grad, struct step_tensor **out)
{
    if (step_edge_needed(node, edge)) {
        out[edge] = grad;
    } else {
        step_drop(e, grad);
    }
}

/* A result and its sums that a checkpoint kept; NULL: they are to be made. */
static struct step_tensor *kept_pair(struct step_engine *e, enum step_keeps operation,
                                     struct step_tensor **sums)
{
    struct step_tensor *const result = step_kept(e, operation);
    *sums = result != NULL ? step_region_take_more(e, operation) : NULL;
    return result;
}

static void keep_pair(struct step_engine *e, enum step_keeps operation,
                      const struct step_tensor *result, const struct step_tensor *sums)
{
    step_keep(e, operation, result);
    step_keep(e, operation, sums);
}

/* ---- FlashAttention 2 ---- */

static void flash_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    const struct step_tensor *const q = node->saved[SAVED_Q];
    const struct step_tensor *const k = node->saved[SAVED_K];
    const int64_t batch = q->shape.size[BATCH];
    const int64_t heads = q->shape.size[HEADS];
    const int64_t size = q->shape.size[SIZE];
    const struct step_tensor grad = turned(in[0]);
    const struct step_tensor made = turned(node->saved[SAVED_RESULT]);
    e->in_kernel = true;
    struct step_tensor *const grad_copy =
        step_is_contiguous(&grad) ? NULL : step_empty(e, &grad.shape, grad.dtype);
    struct step_tensor *const made_copy =
        step_is_contiguous(&made) ? NULL : step_empty(e, &made.shape, made.dtype);
    e->in_kernel = false;
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        const struct step_tensor view = turned(node->saved[saved_qkv[i]]);
        grads[i] = step_like(e, &view, view.dtype);
    }
    const int64_t tokens = up_to(q->shape.size[TOKENS], 128);
    e->in_kernel = true;
    struct step_tensor *const softmax = three(e, batch, heads, tokens, ZV_DTYPE_F32);
    struct step_tensor *const sum =
        four(e, batch, tokens, heads, size <= 192 ? up_to(size, 32) : 256, ZV_DTYPE_F32);
    if (k->shape.size[HEADS] != heads) { /* grouped: a gradient for each query head first */
        struct step_tensor *const wide_k =
            four(e, batch, k->shape.size[TOKENS], heads, size, k->dtype);
        struct step_tensor *const wide_v =
            four(e, batch, k->shape.size[TOKENS], heads, size, k->dtype);
        step_drop(e, wide_k);
        step_drop(e, wide_v);
    }
    e->in_kernel = false;
    step_drop(e, sum);
    step_drop(e, softmax);
    step_drop(e, made_copy);
    step_drop(e, grad_copy);
    for (uint32_t i = 0; i < 3; i++) {
        give(e, node, i, turn(e, grads[i], true), out);
    }
}

static struct step_tensor *flash_of(struct step_engine *e, struct step_tensor *q,
                                    struct step_tensor *k, struct step_tensor *v)
{
    struct step_tensor *sums = NULL;
    struct step_tensor *result = kept_pair(e, STEP_KEEPS_FLASH, &sums);
    if (result == NULL) {
        const struct step_tensor view = turned(q);
        result = step_like(e, &view, q->dtype); /* empty_like: q's own layout */
        sums = three(e, q->shape.size[BATCH], q->shape.size[HEADS], q->shape.size[TOKENS],
                     ZV_DTYPE_F32);
        result = turn(e, result, false);
        keep_pair(e, STEP_KEEPS_FLASH, result, sums);
    }
    struct step_node *const node =
        step_node_new(e, flash_backward, (struct step_tensor *const[]){q, k, v}, 3);
    if (node != NULL) {
        save_qkv(e, node, (struct step_tensor *const[]){q, k, v}, result, sums);
    }
    step_drop(e, sums);
    return step_made_by(e, result, node);
}

/* ---- FlashAttention 1: packed inputs ---- */

/* (batch * tokens, heads, size), a copy where the memory does not lie like that. */
static struct step_tensor *pack(struct step_engine *e, const struct step_tensor *t)
{
    if (t == NULL) {
        return NULL;
    }
    const struct step_tensor view = turned(t);
    const struct step_shape shape = {.dims = 3,
                                     .size = {t->shape.size[BATCH] * t->shape.size[TOKENS],
                                              t->shape.size[HEADS], t->shape.size[SIZE]}};
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
    const int64_t heads = shape->size[HEADS];
    const int64_t size = shape->size[SIZE];
    const int64_t stride[STEP_MAX_DIMS] = {shape->size[TOKENS] * heads * size, size, heads * size,
                                           1};
    struct step_tensor *const view =
        is_grad ? step_grad_view(e, t, shape, stride) : step_alias(e, t, shape, stride);
    step_drop(e, t);
    return view;
}

static void flash1_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                            struct step_tensor **out)
{
    const struct step_shape shape = node->saved[SAVED_Q]->shape;
    const int64_t rows = shape.size[BATCH] * shape.size[TOKENS];
    const enum zv_dtype dtype = node->saved[SAVED_Q]->dtype;
    struct step_tensor *packed[5];
    packed[0] = pack(e, in[0]);
    for (size_t i = 0; i < 3; i++) {
        packed[i + 1] = pack(e, node->saved[saved_qkv[i]]);
    }
    packed[4] = pack(e, node->saved[SAVED_RESULT]);
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        grads[i] = three(e, rows, shape.size[HEADS], shape.size[SIZE], dtype);
    }
    struct step_tensor *const softmax =
        three(e, shape.size[BATCH], shape.size[HEADS], up_to(shape.size[TOKENS], 16), ZV_DTYPE_F32);
    struct step_tensor *const wide =
        shape.size[TOKENS] > 128 ? three(e, rows, shape.size[HEADS], shape.size[SIZE], ZV_DTYPE_F32)
                                 : NULL;
    step_drop(e, softmax);
    step_drop(e, wide);
    for (size_t i = 0; i < 5; i++) {
        step_drop(e, packed[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        give(e, node, i, unpack(e, grads[i], &node->saved[saved_qkv[i]]->shape, true), out);
    }
}

static struct step_tensor *flash1_of(struct step_engine *e, struct step_tensor *q,
                                     struct step_tensor *k, struct step_tensor *v)
{
    const struct step_shape shape = q->shape;
    const int64_t rows = shape.size[BATCH] * shape.size[TOKENS];
    struct step_tensor *const starts[2] = {step_vector(e, shape.size[BATCH] + 1, ZV_DTYPE_I32),
                                           step_vector(e, shape.size[BATCH] + 1, ZV_DTYPE_I32)};
    struct step_tensor *const packed[3] = {pack(e, q), pack(e, k), pack(e, v)};
    struct step_tensor *result = three(e, rows, shape.size[HEADS], shape.size[SIZE], q->dtype);
    struct step_tensor *const wide =
        shape.size[TOKENS] > 128 ? three(e, rows, shape.size[HEADS], shape.size[SIZE], ZV_DTYPE_F32)
                                 : NULL;
    struct step_tensor *const sums =
        three(e, shape.size[BATCH], shape.size[HEADS], up_to(shape.size[TOKENS], 16), ZV_DTYPE_F32);
    step_drop(e, wide);
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, packed[i]);
    }
    result = unpack(e, result, &shape, false);
    struct step_node *const node =
        step_node_new(e, flash1_backward, (struct step_tensor *const[]){q, k, v}, 3);
    if (node != NULL) {
        save_qkv(e, node, (struct step_tensor *const[]){q, k, v}, result, sums);
        step_save(e, node, SAVED_BIAS, starts[0]);
        step_save(e, node, SAVED_MORE, starts[1]);
    }
    step_drop(e, sums);
    step_drop(e, starts[0]);
    step_drop(e, starts[1]);
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
    if (t == NULL || t->shape.size[SIZE] == size) {
        return step_hold(t);
    }
    struct step_shape shape = t->shape;
    shape.size[SIZE] = size;
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
    cast(e, (struct step_tensor *const[]){q, k, v}, low);
    struct step_tensor *result = NULL;
    if (fits(e, low[0], low[1], low[2])) {
        const int64_t size = low[0]->shape.size[SIZE];
        for (size_t i = 0; i < 3; i++) {
            struct step_tensor *const wide = padded(e, low[i], up_to(size, 8));
            step_drop(e, low[i]);
            low[i] = wide;
        }
        result = low[0] != NULL && low[1] != NULL && low[2] != NULL
                     ? flash_of(e, low[0], low[1], low[2])
                     : NULL;
        if (result != NULL && size % 8 != 0) {
            struct step_tensor *const whole = result;
            result = step_op_slice(e, whole, SIZE, 0, size);
            step_drop(e, whole);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, low[i]);
    }
    return result;
}

struct step_tensor *step_op_flash1(struct step_engine *e, struct step_tensor *q,
                                   struct step_tensor *k, struct step_tensor *v)
{
    struct step_tensor *low[3] = {NULL};
    cast(e, (struct step_tensor *const[]){q, k, v}, low);
    struct step_tensor *const result =
        fits(e, low[0], low[1], low[2]) ? flash1_of(e, low[0], low[1], low[2]) : NULL;
    for (size_t i = 0; i < 3; i++) {
        step_drop(e, low[i]);
    }
    return result;
}

/* ---- memory-efficient attention (CUTLASS) ---- */

static void efficient_backward(struct step_engine *e, struct step_node *node,
                               struct step_tensor **in, struct step_tensor **out)
{
    (void)in;
    const struct step_tensor *const q = node->saved[SAVED_Q];
    const int64_t size = q->shape.size[SIZE];
    const int64_t tokens = node->saved[SAVED_K]->shape.size[TOKENS];
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        const struct step_tensor view = turned(node->saved[saved_qkv[i]]);
        grads[i] = step_empty(e, &view.shape, q->dtype);
    }
    const int64_t groups = q->shape.size[BATCH] * q->shape.size[HEADS];
    e->in_kernel = true;
    struct step_tensor *const delta =
        three(e, q->shape.size[BATCH], q->shape.size[HEADS], q->shape.size[TOKENS], ZV_DTYPE_F32);
    e->in_kernel = false;
    int64_t workspace = groups * up_to(q->shape.size[TOKENS], 64) * up_to(size, 32) * 4;
    workspace += size > 64 ? groups * up_to(tokens, 64) * up_to(size, 32) * 4 * 2 : 0;
    step_scratch(e, (uint64_t)workspace);
    step_drop(e, delta);
    for (uint32_t i = 0; i < 3; i++) {
        give(e, node, i, turn(e, grads[i], true), out);
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
        shape.size[last] = up_to(shape.size[last], ALIGNED);
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
    const int64_t width = v->shape.size[SIZE];
    struct step_tensor *const result =
        four(e, shape.size[BATCH], shape.size[TOKENS], shape.size[HEADS], width, q->dtype);
    *sums = three(e, shape.size[BATCH], shape.size[HEADS],
                  trains ? up_to(shape.size[TOKENS], 32) : 0, ZV_DTYPE_F32);
    if (shape.size[SIZE] > 128) { /* the accumulator does not fit into registers */
        e->in_kernel = true;
        step_drop(e, four(e, shape.size[BATCH], shape.size[TOKENS], shape.size[HEADS], width,
                          ZV_DTYPE_F32));
        e->in_kernel = false;
    }
    return turn(e, result, false);
}

struct step_tensor *step_op_efficient(struct step_engine *e, struct step_tensor *q,
                                      struct step_tensor *k, struct step_tensor *v,
                                      struct step_tensor *mask)
{
    struct step_tensor *const given =
        mask != NULL && step_is_float(mask->dtype) ? step_low(e, mask) : step_hold(mask);
    struct step_tensor *low[3] = {NULL};
    cast(e, (struct step_tensor *const[]){q, k, v}, low);
    struct step_tensor *result = NULL;
    if (fits(e, low[0], low[1], low[2])) {
        const bool trains = step_needs(e, low, 3);
        struct step_tensor *const bias = bias_of(e, given, low[0]->dtype);
        struct step_tensor *sums = NULL;
        result = kept_pair(e, STEP_KEEPS_EFFICIENT, &sums);
        if (result == NULL) {
            result = efficient_of(e, low[0], low[2], trains, &sums);
            keep_pair(e, STEP_KEEPS_EFFICIENT, result, sums);
        }
        struct step_node *const node = step_node_new(e, efficient_backward, low, 3);
        if (node != NULL) {
            save_qkv(e, node, low, result, sums);
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

/* ---- flex_attention: a compiled kernel of its own; its masks are not modelled ---- */

static void flex_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    (void)in;
    const struct step_shape shape = node->saved[SAVED_Q]->shape;
    struct step_tensor *const delta =
        three(e, shape.size[BATCH], shape.size[HEADS], shape.size[TOKENS], ZV_DTYPE_F32);
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        grads[i] = step_like(e, node->saved[saved_qkv[i]], node->saved[saved_qkv[i]]->dtype);
    }
    step_drop(e, delta);
    for (uint32_t i = 0; i < 3; i++) {
        give(e, node, i, grads[i], out);
    }
}

struct step_tensor *step_op_flex(struct step_engine *e, struct step_tensor *q,
                                 struct step_tensor *k, struct step_tensor *v)
{
    if (!fits(e, q, k, v)) {
        return NULL;
    }
    struct step_tensor *const result = step_like(e, q, q->dtype);
    struct step_tensor *const sums =
        three(e, q->shape.size[BATCH], q->shape.size[HEADS], q->shape.size[TOKENS], ZV_DTYPE_F32);
    struct step_node *const node =
        step_node_new(e, flex_backward, (struct step_tensor *const[]){q, k, v}, 3);
    if (node != NULL) {
        save_qkv(e, node, (struct step_tensor *const[]){q, k, v}, result, sums);
    }
    step_drop(e, sums);
    return step_made_by(e, result, node);
}
