/*
 * Matrix products. Which of mm, bmm and addmm a linear layer comes to, and what is copied first,
 * as in ATen/native/Linear.cpp and LinearAlgebra.cpp (PyTorch 2.6).
 *
 * A tensor that only one derivative needs is saved only if that derivative is needed: a frozen
 * weight leaves no trace of its input.
 *
 * Autocast casts the last operand first: the casts are arguments of one call (autocast_mode.h,
 * WrapFunction_), which gcc, that PyTorch is built with, evaluates from the right. They die from
 * the left. A list of tensors, as einsum has, is cast from the left.
 */
#include <string.h>

#include "step/op_table.h"
#include "step/region.h"
#include "step/tensor_layout.h"

static struct step_tensor *product(struct step_engine *e, const struct step_shape *shape,
                                   enum zv_dtype dtype)
{
    struct step_tensor *const result = step_empty(e, shape, dtype);
    step_uses_cublas(e);
    return result;
}

/* One of the forward pass, which a checkpoint may have kept. */
static struct step_tensor *kept_product(struct step_engine *e, enum step_keeps operation,
                                        const struct step_shape *shape, enum zv_dtype dtype)
{
    struct step_tensor *result = step_kept(e, operation);
    if (result == NULL) {
        result = product(e, shape, dtype);
        step_keep(e, operation, result);
    }
    return result;
}

/* The gradient of a column-major operand is made in its layout, as the transpose of a product. */
static struct step_tensor *operand_grad(struct step_engine *e, const struct step_shape *shape,
                                        const int64_t *stride, enum zv_dtype dtype, bool follows)
{
    if (!follows || stride[0] != 1 || stride[1] != shape->size[0]) {
        return product(e, shape, dtype);
    }
    const struct step_shape turned = {.dims = 2, .size = {shape->size[1], shape->size[0]}};
    struct step_tensor *const result = product(e, &turned, dtype);
    if (result == NULL) {
        return NULL;
    }
    const int64_t strides[STEP_MAX_DIMS] = {result->stride[1], result->stride[0]};
    struct step_tensor *const view = step_alias(e, result, shape, strides);
    step_drop(e, result);
    return view;
}

/* Released by their names: self and mat2 of mm and bmm, mat1 and mat2 of addmm, batch1 and batch2.
 */
static void keep_operands(struct step_engine *e, struct step_node *node, uint32_t first,
                          const struct step_tensor *a, const struct step_tensor *b)
{
    if (node == NULL) {
        return;
    }
    const size_t is_addmm = first;
    if (step_edge_needed(node, first)) {
        step_save(e, node, is_addmm, b);
    }
    if (step_edge_needed(node, first + 1)) {
        step_save(e, node, 1 - is_addmm, a);
    }
    node->shape = a->shape;
    node->other = b->shape;
    memcpy(node->stride, a->stride, sizeof node->stride);
    memcpy(node->other_stride, b->stride, sizeof node->other_stride);
}

static bool multiply(struct step_engine *e, const struct step_tensor *a,
                     const struct step_tensor *b, uint32_t dims)
{
    if (a == NULL || b == NULL) {
        return false;
    }
    if (a->shape.dims != dims || b->shape.dims != dims) {
        return step_fail(e, ZV_E_SYNTAX, "a product of %u and %u dimensions", a->shape.dims,
                         b->shape.dims);
    }
    if (a->shape.size[dims - 1] != b->shape.size[dims - 2] ||
        (dims == 3 && a->shape.size[0] != b->shape.size[0])) {
        return step_fail(e, ZV_E_SYNTAX, "a product of %lld columns with %lld rows",
                         (long long)a->shape.size[dims - 1], (long long)b->shape.size[dims - 2]);
    }
    if (a->dtype != b->dtype) {
        return step_fail(e, ZV_E_SYNTAX, "a product of %s with %s", zv_dtype_name(a->dtype),
                         zv_dtype_name(b->dtype));
    }
    return true;
}

/* ---- mm ---- */

static void mm_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                        struct step_tensor **out)
{
    if (step_edge_needed(node, 1)) { /* mat2 */
        out[1] = operand_grad(e, &node->other, node->other_stride, in[0]->dtype, true);
    }
    if (step_edge_needed(node, 0)) { /* self */
        out[0] = operand_grad(e, &node->shape, node->stride, in[0]->dtype, true);
    }
}

static struct step_tensor *mm(struct step_engine *e, struct step_tensor *a, struct step_tensor *b)
{
    struct step_tensor *const right = step_low(e, b);
    struct step_tensor *const left = step_low(e, a);
    struct step_tensor *result = NULL;
    if (multiply(e, left, right, 2)) {
        struct step_node *const node =
            step_node_new(e, mm_backward, (struct step_tensor *const[]){left, right}, 2);
        keep_operands(e, node, 0, left, right);
        const struct step_shape shape = {.dims = 2,
                                         .size = {left->shape.size[0], right->shape.size[1]}};
        result = step_made_by(e, kept_product(e, STEP_KEEPS_MM, &shape, left->dtype), node);
    }
    step_drop(e, left);
    step_drop(e, right);
    return result;
}

/* ---- addmm ---- */

static void addmm_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    if (step_edge_needed(node, 1)) { /* mat1 */
        out[1] = operand_grad(e, &node->shape, node->stride, in[0]->dtype, false);
    }
    if (step_edge_needed(node, 2)) { /* mat2 */
        out[2] = operand_grad(e, &node->other, node->other_stride, in[0]->dtype, true);
    }
    out[0] = step_edge_needed(node, 0) ? step_hold(in[0]) : NULL; /* self: summed where it goes */
}

struct step_tensor *step_op_addmm(struct step_engine *e, struct step_tensor *bias,
                                  struct step_tensor *a, struct step_tensor *b)
{
    struct step_tensor *const right = step_low(e, b);
    struct step_tensor *const left = step_low(e, a);
    struct step_tensor *const added = step_low(e, bias);
    struct step_tensor *result = NULL;
    if (added != NULL && multiply(e, left, right, 2)) {
        struct step_node *const node =
            step_node_new(e, addmm_backward, (struct step_tensor *const[]){added, left, right}, 3);
        keep_operands(e, node, 1, left, right);
        const struct step_shape shape = {.dims = 2,
                                         .size = {left->shape.size[0], right->shape.size[1]}};
        result = step_kept(e, STEP_KEEPS_ADDMM);
        if (result == NULL) {
            result = step_empty(e, &shape, left->dtype);
            step_scratch(e, e->card.addmm_bytes);
            step_keep(e, STEP_KEEPS_ADDMM, result);
        }
        result = step_made_by(e, result, node);
    }
    step_drop(e, added);
    step_drop(e, left);
    step_drop(e, right);
    return result;
}

/* ---- bmm ---- */

static struct step_tensor *left_grad(struct step_engine *e, const struct step_node *node,
                                     const struct step_tensor *grad)
{
    const struct step_shape shape = {
        .dims = 3, .size = {grad->shape.size[0], grad->shape.size[1], node->other.size[1]}};
    return product(e, &shape, grad->dtype);
}

static struct step_tensor *right_grad(struct step_engine *e, const struct step_node *node,
                                      const struct step_tensor *grad)
{
    const struct step_shape shape = {
        .dims = 3, .size = {node->shape.size[0], node->shape.size[2], grad->shape.size[2]}};
    return product(e, &shape, grad->dtype);
}

static void bmm_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    if (step_edge_needed(node, 1)) { /* mat2 */
        out[1] = right_grad(e, node, in[0]);
    }
    if (step_edge_needed(node, 0)) { /* self */
        out[0] = left_grad(e, node, in[0]);
    }
}

static struct step_tensor *batch_product(struct step_engine *e, enum step_keeps operation,
                                         const struct step_tensor *left,
                                         const struct step_tensor *right)
{
    const struct step_shape shape = {
        .dims = 3, .size = {left->shape.size[0], left->shape.size[1], right->shape.size[2]}};
    return kept_product(e, operation, &shape, left->dtype);
}

struct step_tensor *step_op_bmm(struct step_engine *e, struct step_tensor *a, struct step_tensor *b)
{
    struct step_tensor *const right = step_low(e, b);
    struct step_tensor *const left = step_low(e, a);
    struct step_tensor *result = NULL;
    if (multiply(e, left, right, 3)) {
        struct step_node *const node =
            step_node_new(e, bmm_backward, (struct step_tensor *const[]){left, right}, 2);
        keep_operands(e, node, 0, left, right);
        result = step_made_by(e, batch_product(e, STEP_KEEPS_BMM, left, right), node);
    }
    step_drop(e, left);
    step_drop(e, right);
    return result;
}

/* What FunctionsManual.cpp's maybe_multiply() makes of a product when alpha is not 1. */
static struct step_tensor *times_alpha(struct step_engine *e, struct step_tensor *grad)
{
    struct step_tensor *const result = grad != NULL ? step_like(e, grad, grad->dtype) : NULL;
    step_drop(e, grad);
    return result;
}

/* derivatives.yaml, baddbmm: batch1, batch2, self; beta is 1 */
static void baddbmm_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    if (step_edge_needed(node, 1)) {
        out[1] = times_alpha(e, left_grad(e, node, in[0]));
    }
    if (step_edge_needed(node, 2)) {
        out[2] = times_alpha(e, right_grad(e, node, in[0]));
    }
    out[0] = step_edge_needed(node, 0) ? step_hold(in[0]) : NULL;
}

struct step_tensor *step_op_baddbmm(struct step_engine *e, struct step_tensor *base,
                                    struct step_tensor *a, struct step_tensor *b)
{
    struct step_tensor *const right = step_low(e, b);
    struct step_tensor *const left = step_low(e, a);
    struct step_tensor *const added = step_low(e, base);
    struct step_tensor *result = NULL;
    if (added != NULL && multiply(e, left, right, 3)) {
        struct step_node *const node = step_node_new(
            e, baddbmm_backward, (struct step_tensor *const[]){added, left, right}, 3);
        keep_operands(e, node, 1, left, right);
        result = step_made_by(e, batch_product(e, STEP_KEEPS_BADDBMM, left, right), node);
    }
    step_drop(e, added);
    step_drop(e, left);
    step_drop(e, right);
    return result;
}

/* ---- matmul and linear ---- */

/* should_fold(): the leading dimensions of a become rows of one mm. */
static bool folds(const struct step_engine *e, const struct step_tensor *a,
                  const struct step_tensor *b)
{
    if (b->needs_grad && e->grad_enabled) {
        return true;
    }
    for (uint32_t i = 0; i + 2 < a->shape.dims; i++) {
        if (a->stride[i] != a->stride[i + 1] * a->shape.size[i + 1] && a->shape.size[i] != 1) {
            return false;
        }
    }
    return true;
}

static struct step_tensor *folded(struct step_engine *e, struct step_tensor *a,
                                  struct step_tensor *b)
{
    const uint32_t last = a->shape.dims - 1;
    const struct step_shape flat = {.dims = 2, .size = {-1, a->shape.size[last]}};
    struct step_tensor *const rows = step_op_reshape(e, a, &flat);
    struct step_tensor *const y = mm(e, rows, b);
    step_drop(e, rows);
    struct step_shape shape = a->shape;
    shape.size[last] = b->shape.size[1];
    struct step_tensor *const view = y != NULL ? step_unsafe_view(e, y, &shape) : NULL;
    step_drop(e, y);
    return view;
}

/* An operand expanded to the batch dimensions of both, then seen as three dimensions. */
static struct step_tensor *batched(struct step_engine *e, struct step_tensor *t,
                                   const struct step_shape *batch, int64_t count)
{
    struct step_shape whole = *batch;
    whole.size[whole.dims++] = t->shape.size[t->shape.dims - 2];
    whole.size[whole.dims++] = t->shape.size[t->shape.dims - 1];
    const struct step_shape flat = {
        .dims = 3, .size = {count, whole.size[whole.dims - 2], whole.size[whole.dims - 1]}};
    struct step_tensor *const expanded = step_op_expand(e, t, &whole);
    struct step_tensor *const result =
        expanded != NULL ? step_op_reshape(e, expanded, &flat) : NULL;
    step_drop(e, expanded);
    return result;
}

static struct step_tensor *batches(struct step_engine *e, struct step_tensor *a,
                                   struct step_tensor *b)
{
    struct step_tensor outer[2] = {*a, *b};
    outer[0].shape.dims -= 2;
    outer[1].shape.dims -= 2;
    struct step_shape batch;
    const struct step_tensor *const both[2] = {&outer[0], &outer[1]};
    if (!step_broadcast(both, 2, &batch)) {
        step_fail(e, ZV_E_SYNTAX, "matmul: the batches do not fit each other");
        return NULL;
    }
    const int64_t count = step_count(&batch);
    struct step_tensor *const left = batched(e, a, &batch, count);
    struct step_tensor *const right = batched(e, b, &batch, count);
    struct step_tensor *const y = step_op_bmm(e, left, right);
    step_drop(e, right); /* variables, of which C++ destroys the last one first */
    step_drop(e, left);
    batch.size[batch.dims++] = a->shape.size[a->shape.dims - 2];
    batch.size[batch.dims++] = b->shape.size[b->shape.dims - 1];
    struct step_tensor *const view = y != NULL ? step_unsafe_view(e, y, &batch) : NULL;
    step_drop(e, y);
    return view;
}

struct step_tensor *step_op_matmul(struct step_engine *e, struct step_tensor *a,
                                   struct step_tensor *b)
{
    struct step_tensor *const right = step_low(e, b);
    struct step_tensor *const left = step_low(e, a);
    struct step_tensor *result = NULL;
    if (left != NULL && right != NULL) {
        if (left->shape.dims < 2 || right->shape.dims < 2) {
            step_fail(e, ZV_E_SYNTAX, "matmul of vectors");
        } else if (left->shape.dims == 2 && right->shape.dims == 2) {
            result = mm(e, left, right);
        } else if (right->shape.dims == 2 && folds(e, left, right)) {
            result = folded(e, left, right);
        } else {
            result = batches(e, left, right);
        }
    }
    step_drop(e, left);
    step_drop(e, right);
    return result;
}

static struct step_tensor *linear_of(struct step_engine *e, struct step_tensor *x,
                                     struct step_tensor *weight, struct step_tensor *bias)
{
    const bool flattens = bias != NULL && x->shape.dims == 3 && step_is_contiguous(x);
    const struct step_shape flat = {.dims = 2, .size = {-1, x->shape.size[x->shape.dims - 1]}};
    /* before the weight is turned (_flatten_nd_linear), so it is behind it in backward */
    struct step_tensor *const rows = flattens ? step_op_view(e, x, &flat) : NULL;
    struct step_tensor *const turned = step_op_transpose(e, weight, 0, 1);
    struct step_tensor *result = NULL;
    if (x->shape.dims == 2) {
        result = bias != NULL ? step_op_addmm(e, bias, x, turned) : mm(e, x, turned);
    } else if (flattens) {
        struct step_shape shape = x->shape;
        shape.size[2] = weight->shape.size[0];
        struct step_tensor *const y = step_op_addmm(e, bias, rows, turned);
        step_drop(e, rows);
        result = y != NULL ? step_op_view(e, y, &shape) : NULL;
        step_drop(e, y);
    } else {
        result = step_op_matmul(e, x, turned);
        if (bias != NULL) {
            struct step_tensor *const y = result;
            result = step_op_add(e, y, bias);
            step_drop(e, y);
        }
    }
    step_drop(e, turned);
    return result;
}

struct step_tensor *step_op_linear(struct step_engine *e, struct step_tensor *x,
                                   struct step_tensor *weight, struct step_tensor *bias)
{
    if (weight != NULL && weight->packed != NULL) {
        return step_op_linear_packed(e, x, weight, bias);
    }
    struct step_tensor *const added = step_low(e, bias);
    struct step_tensor *const low = step_low(e, weight);
    struct step_tensor *const input = step_low(e, x);
    struct step_tensor *result = NULL;
    if (input != NULL && low != NULL && step_ok(e)) {
        if (low->shape.dims != 2 || input->shape.dims < 2 ||
            low->shape.size[1] != input->shape.size[input->shape.dims - 1]) {
            step_fail(
                e, ZV_E_SYNTAX, "linear: %lld inputs meet a weight of %lld",
                (long long)(input->shape.dims != 0 ? input->shape.size[input->shape.dims - 1] : 0),
                (long long)low->shape.size[1]);
        } else {
            result = linear_of(e, input, low, added);
        }
    }
    step_drop(e, input);
    step_drop(e, low);
    step_drop(e, added);
    return result;
}
