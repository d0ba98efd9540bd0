/* Softmax, layer norm and the losses over logits. */
#include <string.h>

#include "step/op_table.h"
#include "step/region.h"
#include "step/tensor_layout.h"

static void softmax_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    (void)in;
    out[0] = step_empty(e, &node->saved[0]->shape, node->dtype);
}

/*
 * A type that is stated is the type of the input first, of whatever autocast would make; without
 * one autocast states fp32. Only fp16 to fp32 is one kernel (ATen/native/SoftMax.cpp, softmax()).
 */
static struct step_tensor *softmax_of(struct step_engine *e, struct step_tensor *a,
                                      enum zv_dtype dtype)
{
    if (a == NULL) {
        return NULL;
    }
    const bool is_low = a->dtype == ZV_DTYPE_F16 || a->dtype == ZV_DTYPE_BF16;
    if (dtype == ZV_DTYPE_UNKNOWN) {
        dtype = is_low && e->autocast != ZV_DTYPE_UNKNOWN ? ZV_DTYPE_F32 : a->dtype;
    }
    const bool fused = a->dtype == ZV_DTYPE_F16 && dtype == ZV_DTYPE_F32;
    struct step_tensor *const input = fused ? step_hold(a) : step_op_to(e, a, dtype);
    if (input == NULL) {
        return NULL;
    }
    struct step_tensor *result = step_kept(e, STEP_KEEPS_SOFTMAX);
    if (result == NULL) {
        result = step_empty(e, &input->shape, dtype);
        step_keep(e, STEP_KEEPS_SOFTMAX, result);
    }
    struct step_node *const node =
        step_node_new(e, softmax_backward, (struct step_tensor *const[]){input}, 1);
    if (node != NULL) {
        node->dtype = input->dtype;
        step_save(e, node, 0, result);
    }
    struct step_tensor *const made = step_made_by(e, result, node);
    step_drop(e, input);
    return made;
}

struct step_tensor *step_op_softmax(struct step_engine *e, struct step_tensor *a,
                                    enum zv_dtype dtype)
{
    return softmax_of(e, a, dtype);
}

/*
 * _safe_softmax (ATen transformers/attention.cpp): a softmax, then rows of -inf alone are picked
 * out and the whole is chosen anew; all of that in one operation, whose result alone is saved.
 */
struct step_tensor *step_op_safe_softmax(struct step_engine *e, struct step_tensor *a)
{
    if (a == NULL || a->shape.dims == 0) {
        return NULL;
    }
    struct step_shape rows = a->shape;
    rows.size[rows.dims - 1] = 1;
    e->in_kernel = true;
    struct step_tensor *const plain = step_empty(e, &a->shape, a->dtype);
    struct step_tensor *const infinity = step_scalar(e, a->dtype);
    struct step_tensor *const masked = step_empty(e, &a->shape, ZV_DTYPE_BOOL);
    struct step_tensor *const masked_rows = step_empty(e, &rows, ZV_DTYPE_BOOL);
    struct step_tensor *const zero = step_scalar(e, a->dtype);
    e->in_kernel = false;
    struct step_tensor *const result = step_empty(e, &a->shape, a->dtype);
    step_drop(e, zero);
    step_drop(e, masked_rows);
    step_drop(e, masked);
    step_drop(e, infinity);
    step_drop(e, plain);
    struct step_node *const node =
        step_node_new(e, softmax_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        node->dtype = a->dtype;
        step_save(e, node, 0, result);
    }
    return step_made_by(e, result, node);
}

struct step_tensor *step_op_log_softmax(struct step_engine *e, struct step_tensor *a,
                                        enum zv_dtype dtype)
{
    return softmax_of(e, a, dtype);
}

static void nll_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    (void)in;
    out[0] = step_empty(e, &node->shape, node->dtype);
}

struct step_tensor *step_op_nll_loss(struct step_engine *e, struct step_tensor *a,
                                     struct step_tensor *target, bool mean)
{
    if (a == NULL || target == NULL) {
        return NULL;
    }
    const struct step_shape point = {0};
    struct step_tensor *const result = step_empty(e, mean ? &point : &target->shape, a->dtype);
    struct step_tensor *const weight = step_scalar(e, a->dtype); /* total_weight */
    struct step_node *const node =
        step_node_new(e, nll_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        step_save(e, node, 0, a);
        step_save(e, node, 1, target);
        step_save(e, node, 2, weight);
        node->shape = a->shape;
        node->dtype = a->dtype;
    }
    step_drop(e, weight);
    return step_made_by(e, result, node);
}

/* ---- layer norm ---- */

static void layer_norm_backward(struct step_engine *e, struct step_node *node,
                                struct step_tensor **in, struct step_tensor **out)
{
    const struct step_tensor *const x = node->saved[1];
    struct step_tensor *const grad_copy = step_kernel_copy(e, in[0]);
    struct step_tensor *const x_copy = step_kernel_copy(e, x);
    const int64_t width = x->shape.size[x->shape.dims - 1];
    if (step_edge_needed(node, 0)) {
        out[0] = step_empty(e, &x->shape, x->dtype);
    }
    for (uint32_t i = 1; i <= 2; i++) {
        if (step_edge_needed(node, i)) {
            out[i] = step_vector(e, width, node->dtype);
        }
    }
    step_drop(e, x_copy);
    step_drop(e, grad_copy);
}

/* native_layer_norm, whose three results a checkpoint may have kept. */
static void normalise(struct step_engine *e, const struct step_tensor *input,
                      struct step_tensor *made[3])
{
    made[0] = step_kept(e, STEP_KEEPS_LAYER_NORM);
    if (made[0] != NULL) {
        made[1] = step_region_take_more(e, STEP_KEEPS_LAYER_NORM);
        made[2] = step_region_take_more(e, STEP_KEEPS_LAYER_NORM);
        return;
    }
    const int64_t rows = step_count(&input->shape) / input->shape.size[input->shape.dims - 1];
    struct step_tensor *const copy = step_kernel_copy(e, input);
    made[0] = step_empty(e, &input->shape, input->dtype);
    made[1] = step_vector(e, rows, ZV_DTYPE_F32);
    made[2] = step_vector(e, rows, ZV_DTYPE_F32);
    step_drop(e, copy);
    for (size_t i = 0; i < 3; i++) {
        step_keep(e, STEP_KEEPS_LAYER_NORM, made[i]);
    }
}

struct step_tensor *step_op_layer_norm(struct step_engine *e, struct step_tensor *x,
                                       struct step_tensor *weight, struct step_tensor *bias)
{
    struct step_tensor *const input = step_wide(e, x);
    if (input == NULL) {
        return NULL;
    }
    if (input->shape.dims == 0) {
        step_fail(e, ZV_E_SYNTAX, "layer_norm of a single number");
        step_drop(e, input);
        return NULL;
    }
    struct step_tensor *made[3]; /* the result, mean and deviation of each row */
    normalise(e, input, made);
    struct step_node *const node = step_node_new(
        e, layer_norm_backward, (struct step_tensor *const[]){input, weight, bias}, 3);
    if (node != NULL) {
        step_save(e, node, 0, bias);
        step_save(e, node, 1, input);
        step_save(e, node, 2, weight);
        step_save(e, node, 3, made[1]);
        step_save(e, node, 4, made[2]);
        node->dtype = weight != NULL ? weight->dtype : input->dtype;
    }
    step_drop(e, made[1]);
    step_drop(e, made[2]);
    struct step_tensor *const result = step_made_by(e, made[0], node);
    step_drop(e, input);
    return result;
}
