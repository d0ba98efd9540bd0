/*
 * scaled_dot_product_attention: what its kernels share, and the one that torch.compile makes.
 * q, k, v are (batch, heads, tokens, size) in any strides.
 */
#include "step/op_attention.h"

#include "step/op_table.h"

const size_t step_saved_qkv[3] = {SAVED_Q, SAVED_K, SAVED_V};

bool step_attention_fits(struct step_engine *e, const struct step_tensor *q,
                         const struct step_tensor *k, const struct step_tensor *v)
{
    if (q == NULL || k == NULL || v == NULL) {
        return false;
    }
    if (q->shape.dims != QKV_DIMS || k->shape.dims != QKV_DIMS || v->shape.dims != QKV_DIMS) {
        return step_fail(e, ZV_E_SYNTAX, "attention takes batch, heads, tokens, size");
    }
    if (q->dtype != k->dtype || k->dtype != v->dtype) {
        return step_fail(e, ZV_E_SYNTAX, "attention: q is %s, k %s, v %s", zv_dtype_name(q->dtype),
                         zv_dtype_name(k->dtype), zv_dtype_name(v->dtype));
    }
    if (q->shape.size[QKV_SIZE] != k->shape.size[QKV_SIZE] ||
        k->shape.size[QKV_TOKENS] != v->shape.size[QKV_TOKENS] ||
        k->shape.size[QKV_HEADS] != v->shape.size[QKV_HEADS] || k->shape.size[QKV_HEADS] == 0 ||
        q->shape.size[QKV_HEADS] % k->shape.size[QKV_HEADS] != 0) {
        return step_fail(e, ZV_E_SYNTAX, "attention: the shapes of q, k and v do not fit");
    }
    return true;
}

struct step_tensor step_attention_turned(const struct step_tensor *t)
{
    struct step_tensor view = *t;
    view.shape.size[QKV_HEADS] = t->shape.size[QKV_TOKENS];
    view.shape.size[QKV_TOKENS] = t->shape.size[QKV_HEADS];
    view.stride[QKV_HEADS] = t->stride[QKV_TOKENS];
    view.stride[QKV_TOKENS] = t->stride[QKV_HEADS];
    return view;
}

struct step_tensor *step_attention_turn(struct step_engine *e, struct step_tensor *t, bool is_grad)
{
    if (t == NULL) {
        return NULL;
    }
    const struct step_tensor view = step_attention_turned(t);
    struct step_tensor *const result = is_grad ? step_grad_view(e, t, &view.shape, view.stride)
                                               : step_alias(e, t, &view.shape, view.stride);
    step_drop(e, t);
    return result;
}

struct step_tensor *step_attention_four(struct step_engine *e, int64_t a, int64_t b, int64_t c,
                                        int64_t d, enum zv_dtype dtype)
{
    const struct step_shape shape = {.dims = QKV_DIMS, .size = {a, b, c, d}};
    return step_empty(e, &shape, dtype);
}

struct step_tensor *step_attention_three(struct step_engine *e, int64_t a, int64_t b, int64_t c,
                                         enum zv_dtype dtype)
{
    const struct step_shape shape = {.dims = 3, .size = {a, b, c}};
    return step_empty(e, &shape, dtype);
}

void step_attention_cast(struct step_engine *e, struct step_tensor *const qkv[3],
                         struct step_tensor *low[3])
{
    for (size_t i = 3; i-- > 0;) {
        low[i] = step_low(e, qkv[i]);
    }
}

void step_attention_save(struct step_engine *e, struct step_node *node,
                         struct step_tensor *const low[3], const struct step_tensor *result,
                         const struct step_tensor *sums)
{
    for (size_t i = 0; i < 3; i++) {
        step_save(e, node, step_saved_qkv[i], low[i]);
    }
    step_save(e, node, SAVED_SUMS, sums);
    step_save(e, node, SAVED_RESULT, result);
}

void step_attention_give(struct step_engine *e, const struct step_node *node, uint32_t edge,
                         struct step_tensor *grad, struct step_tensor **out)
{
    if (step_edge_needed(node, edge)) {
        out[edge] = grad;
    } else {
        step_drop(e, grad);
    }
}

struct step_tensor *step_attention_kept(struct step_engine *e, enum step_keeps operation,
                                        struct step_tensor **sums)
{
    struct step_tensor *const result = step_kept(e, operation);
    *sums = result != NULL ? step_region_take_more(e, operation) : NULL;
    return result;
}

void step_attention_keep(struct step_engine *e, enum step_keeps operation,
                         const struct step_tensor *result, const struct step_tensor *sums)
{
    step_keep(e, operation, result);
    step_keep(e, operation, sums);
}

/* ---- flex_attention: a compiled kernel of its own; its masks are not modelled ---- */

static void flex_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    (void)in;
    const struct step_shape shape = node->saved[SAVED_Q]->shape;
    struct step_tensor *const delta = step_attention_three(
        e, shape.size[QKV_BATCH], shape.size[QKV_HEADS], shape.size[QKV_TOKENS], ZV_DTYPE_F32);
    struct step_tensor *grads[3];
    for (size_t i = 0; i < 3; i++) {
        grads[i] =
            step_like(e, node->saved[step_saved_qkv[i]], node->saved[step_saved_qkv[i]]->dtype);
    }
    step_drop(e, delta);
    for (uint32_t i = 0; i < 3; i++) {
        step_attention_give(e, node, i, grads[i], out);
    }
}

struct step_tensor *step_op_flex(struct step_engine *e, struct step_tensor *q,
                                 struct step_tensor *k, struct step_tensor *v)
{
    if (!step_attention_fits(e, q, k, v)) {
        return NULL;
    }
    struct step_tensor *const result = step_like(e, q, q->dtype);
    struct step_tensor *const sums =
        step_attention_three(e, q->shape.size[QKV_BATCH], q->shape.size[QKV_HEADS],
                             q->shape.size[QKV_TOKENS], ZV_DTYPE_F32);
    struct step_node *const node =
        step_node_new(e, flex_backward, (struct step_tensor *const[]){q, k, v}, 3);
    if (node != NULL) {
        step_attention_save(e, node, (struct step_tensor *const[]){q, k, v}, result, sums);
    }
    step_drop(e, sums);
    return step_made_by(e, result, node);
}
