/*
 * Liger's kernels (liger_kernel/ops, 0.8.5): an autograd.Function each, which makes one tensor
 * where PyTorch makes several, and puts gradients where something is no longer needed.
 */
#include "step/op_table.h"
#include "step/program_call.h"

enum { LIGER_X, LIGER_WEIGHT, LIGER_RATE };

/* As a Function sees an argument: without a graph, and contiguous. */
static struct step_tensor *dense(struct step_engine *e, const struct step_tensor *t)
{
    struct step_tensor *const plain = step_detach(e, t);
    struct step_tensor *const result = step_op_contiguous(e, plain);
    step_drop(e, plain);
    return result;
}

/* ---- rms_norm.py: the gradient of x is put where that of the result is ---- */

/* The weight's: a row for each multiprocessor, summed up. */
static struct step_tensor *weight_grad(struct step_engine *e, const struct step_tensor *weight)
{
    const struct step_shape rows = {.dims = 2, .size = {e->card.processors, weight->shape.size[0]}};
    struct step_tensor *const parts = step_empty(e, &rows, ZV_DTYPE_F32);
    struct step_tensor *const sum = step_empty(e, &weight->shape, ZV_DTYPE_F32);
    struct step_tensor *const result = step_op_to(e, sum, weight->dtype);
    step_drop(e, sum);
    step_drop(e, parts);
    return result;
}

static void rms_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    struct step_tensor *const grad = dense(e, in[0]);
    if (grad != NULL && step_edge_needed(node, 1)) {
        out[1] = weight_grad(e, node->saved[LIGER_WEIGHT]);
    }
    if (grad != NULL && step_edge_needed(node, 0)) {
        out[0] = step_grad_view(e, grad, &grad->shape, grad->stride);
    }
    step_drop(e, grad);
}

/* liger_rms(x, weight) */
struct step_value step_call_liger_rms(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_tensor *const both[2] = {step_arg_tensor(call, 0), step_arg_tensor(call, 1)};
    if (!step_ok(e) || both[0] == NULL || both[1] == NULL) {
        return step_value_of(NULL);
    }
    struct step_tensor *const x = dense(e, both[0]);
    struct step_tensor *const result = x != NULL ? step_empty(e, &x->shape, x->dtype) : NULL;
    struct step_shape rows = both[0]->shape;
    rows.dims--;
    struct step_tensor *const rate = step_empty(e, &rows, ZV_DTYPE_F32);
    struct step_node *const node = step_node_new(e, rms_backward, both, 2);
    if (node != NULL) {
        step_save(e, node, LIGER_X, x);
        step_save(e, node, LIGER_WEIGHT, both[1]);
        step_save(e, node, LIGER_RATE, rate);
    }
    step_drop(e, rate);
    step_drop(e, x);
    return step_value_of(step_made_by(e, result, node));
}

/* ---- rope.py: queries and keys are turned where they are ---- */

/* Of batch, heads, tokens, size: contiguous with tokens before heads. */
static struct step_tensor *dense_by_tokens(struct step_engine *e, const struct step_tensor *t)
{
    struct step_tensor *const plain = step_detach(e, t);
    struct step_tensor *const turned = step_op_transpose(e, plain, 1, 2);
    struct step_tensor *const packed = step_op_contiguous(e, turned);
    struct step_tensor *const result = step_op_transpose(e, packed, 1, 2);
    step_drop(e, packed);
    step_drop(e, turned);
    step_drop(e, plain);
    return result;
}

static void rope_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct step_tensor *const grad = in[i] != NULL ? dense_by_tokens(e, in[i]) : NULL;
        if (grad != NULL && step_edge_needed(node, i)) {
            out[i] = step_grad_view(e, grad, &grad->shape, grad->stride);
        }
        step_drop(e, grad);
    }
}

/* liger_rope(q, k, cos, sin) */
struct step_value step_call_liger_rope(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_tensor *const both[2] = {step_arg_tensor(call, 0), step_arg_tensor(call, 1)};
    if (!step_ok(e) || both[0] == NULL || both[1] == NULL) {
        return step_value_of(NULL);
    }
    struct step_tensor *turned[2];
    for (size_t i = 0; i < 2; i++) {
        turned[i] = dense_by_tokens(e, both[i]);
    }
    struct step_node *const node = step_node_new(e, rope_backward, both, 2);
    if (node != NULL) {
        node->outputs = 2;
        step_save(e, node, 0, step_arg_tensor(call, 2));
        step_save(e, node, 1, step_arg_tensor(call, 3));
    }
    for (uint32_t i = 0; i < 2; i++) {
        step_attach(turned[i], node, i);
    }
    step_node_drop(e, node);
    return step_list_of(call, turned, 2);
}

/* ---- swiglu.py: gradients are put where gate and up are ---- */

static void swiglu_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                            struct step_tensor **out)
{
    struct step_tensor *const grad = dense(e, in[0]);
    for (uint32_t i = 0; grad != NULL && i < 2; i++) {
        const struct step_tensor *const to = node->saved[i];
        out[i] = step_edge_needed(node, i) ? step_grad_view(e, to, &to->shape, to->stride) : NULL;
    }
    step_drop(e, grad);
}

/* liger_swiglu(gate, up) */
struct step_value step_call_liger_swiglu(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_tensor *const both[2] = {step_arg_tensor(call, 0), step_arg_tensor(call, 1)};
    if (!step_ok(e) || both[0] == NULL || both[1] == NULL) {
        return step_value_of(NULL);
    }
    struct step_tensor *const gate = dense(e, both[0]);
    struct step_tensor *const up = dense(e, both[1]);
    struct step_tensor *const result =
        gate != NULL ? step_empty(e, &gate->shape, gate->dtype) : NULL;
    struct step_node *const node = step_node_new(e, swiglu_backward, both, 2);
    if (node != NULL) {
        step_save(e, node, 0, gate);
        step_save(e, node, 1, up);
    }
    step_drop(e, up);
    step_drop(e, gate);
    return step_value_of(step_made_by(e, result, node));
}
