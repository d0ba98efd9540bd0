/*
 * Elementwise operations. Backward of each as in tools/autograd/derivatives.yaml and
 * FunctionsManual.cpp; gradients are computed in alphabetical order of the arguments' names
 * ("other" before "self").
 */
#include <string.h>

#include "step/op_table.h"
#include "step/region.h"
#include "step/tensor_layout.h"

struct step_tensor *step_elementwise(struct step_engine *e, const struct step_tensor *const *t,
                                     size_t count, enum zv_dtype dtype)
{
    struct step_shape shape;
    if (!step_ok(e)) {
        return NULL;
    }
    if (!step_broadcast(t, count, &shape)) {
        step_fail(e, ZV_E_SYNTAX, "shapes do not fit each other");
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    step_result_strides(&shape, t, count, stride);
    return step_empty_strided(e, &shape, stride, dtype);
}

static struct step_tensor *of_one(struct step_engine *e, const struct step_tensor *a,
                                  enum zv_dtype dtype)
{
    return step_elementwise(e, &a, 1, dtype);
}

static struct step_tensor *of_two(struct step_engine *e, const struct step_tensor *a,
                                  const struct step_tensor *b, enum zv_dtype dtype)
{
    const struct step_tensor *const both[2] = {a, b};
    return step_elementwise(e, both, 2, dtype);
}

/* The same of the forward pass, which a checkpoint may have kept. */
static struct step_tensor *kept_of(struct step_engine *e, uint32_t operation,
                                   const struct step_tensor *a, const struct step_tensor *b,
                                   enum zv_dtype dtype)
{
    struct step_tensor *result = step_kept(e, operation);
    if (result == NULL) {
        result = of_two(e, a, b, dtype);
        step_keep(e, operation, result);
    }
    return result;
}

/* A tensor without dimensions counts only when its kind of type is higher. */
static enum zv_dtype type_of(const struct step_tensor *a, const struct step_tensor *b)
{
    if (a == NULL || b == NULL) {
        return a != NULL ? a->dtype : b->dtype;
    }
    if ((a->shape.dims == 0) != (b->shape.dims == 0)) {
        const struct step_tensor *const whole = a->shape.dims != 0 ? a : b;
        const struct step_tensor *const point = a->shape.dims != 0 ? b : a;
        if (step_is_float(whole->dtype) || !step_is_float(point->dtype)) {
            return whole->dtype;
        }
    }
    return step_promote(a->dtype, b->dtype);
}

/* ---- unary operations: one table ---- */

static const struct step_unary unary_ops[] = {
    /* name, wide, saves, temporaries of backward */
    {"neg", false, '-', ""},         {"exp", true, 'r', ""},
    {"sigmoid", false, 'r', ""},     {"tanh", false, 'r', ""},
    {"relu", false, 'r', ""},        {"sqrt", false, 'r', "s"}, /* grad / (2 * result) */
    {"rsqrt", true, 'r', "sg"},                                 /* -0.5 * grad * result.pow(3) */
    {"reciprocal", true, 'r', "gs"},                            /* -grad * (result * result) */
    {"log", true, 's', ""},                                     /* grad.div(self) */
    {"pow", true, 's', "ss"},    /* grad * (exponent * self.pow(exponent - 1)) */
    {"square", true, 's', "ss"}, /* calls pow */
    {"silu", false, 's', ""},        {"gelu", false, 's', ""},
    {"sin", false, 's', "s"},  /* grad * self.cos() */
    {"cos", false, 's', "ss"}, /* grad * -self.sin() */
    {"erf", false, 's', "sss"},
};

int step_unary_index(struct zv_slice name)
{
    for (size_t i = 0; i < sizeof unary_ops / sizeof *unary_ops; i++) {
        if (zv_slice_equal(name, unary_ops[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

const char *step_unary_name(uint32_t index)
{
    return index < sizeof unary_ops / sizeof *unary_ops ? unary_ops[index].name : "";
}

static void unary_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    const struct step_unary *const row = &unary_ops[node->number[0]];
    struct step_tensor *made[4] = {NULL};
    const struct step_tensor *grad = in[0];
    const struct step_tensor *last = node->saved[0];
    for (size_t i = 0; row->temporary[i] != 0; i++) {
        const bool saved = row->temporary[i] == 's';
        const struct step_tensor *const like = saved ? node->saved[0] : in[0];
        made[i] = of_one(e, like, like->dtype);
        last = saved ? made[i] : last;
        grad = saved ? grad : made[i];
    }
    const bool widened = row->temporary[0] != 0 && last != NULL;
    out[0] = of_two(e, grad, last, widened ? last->dtype : in[0]->dtype);
    for (size_t i = strlen(row->temporary); i-- > 0;) {
        step_drop(e, made[i]);
    }
}

struct step_tensor *step_op_unary(struct step_engine *e, uint32_t index, struct step_tensor *a)
{
    const struct step_unary *const row = &unary_ops[index];
    struct step_tensor *const input = row->wide ? step_wide(e, a) : step_hold(a);
    if (input == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, unary_backward, (struct step_tensor *const[]){input}, 1);
    if (node != NULL) {
        node->number[0] = index;
        if (row->saves == 's') {
            step_save(e, node, 0, input);
        }
    }
    struct step_tensor *result = kept_of(e, STEP_KEEPS_UNARY + index, input, NULL, input->dtype);
    if (row->saves == 'r') {
        step_save(e, node, 0, result);
    }
    result = step_made_by(e, result, node);
    step_drop(e, input);
    return result;
}

/* ---- sums and differences: nothing is saved ---- */

static void add_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    (void)e;
    for (uint32_t i = 0; i < node->edge_count; i++) {
        out[i] = step_edge_needed(node, i) ? step_hold(in[0]) : NULL;
    }
}

static void sub_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    out[1] = step_edge_needed(node, 1) ? of_one(e, in[0], in[0]->dtype) : NULL;
    out[0] = step_edge_needed(node, 0) ? step_hold(in[0]) : NULL;
}

static struct step_tensor *sum_like(struct step_engine *e, struct step_tensor *a,
                                    struct step_tensor *b, step_backward_fn *backward,
                                    enum step_keeps operation)
{
    if (!step_ok(e) || (a == NULL && b == NULL)) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, backward, (struct step_tensor *const[]){a, b}, 2);
    return step_made_by(e, kept_of(e, operation, a, b, type_of(a, b)), node);
}

struct step_tensor *step_op_add(struct step_engine *e, struct step_tensor *a, struct step_tensor *b)
{
    return sum_like(e, a, b, add_backward, STEP_KEEPS_ADD);
}

struct step_tensor *step_op_sub(struct step_engine *e, struct step_tensor *a, struct step_tensor *b)
{
    return sum_like(e, a, b, sub_backward, STEP_KEEPS_SUB);
}

struct step_tensor *step_op_add_in_place(struct step_engine *e, struct step_tensor *a,
                                         struct step_tensor *b)
{
    if (!step_ok(e) || a == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, add_backward, (struct step_tensor *const[]){a, b}, 2);
    return step_made_by(e, step_alias(e, a, &a->shape, a->stride), node);
}

/*
 * x.mul_(number) of a view: CopySlices (torch/csrc/autograd/functions/tensor.cpp) gives on a copy
 * of the whole gradient, and hands a contiguous copy of the view's part to the product's own
 * backward.
 */
static void scale_view_backward(struct step_engine *e, struct step_node *node,
                                struct step_tensor **in, struct step_tensor **out)
{
    (void)node;
    struct step_tensor *const whole = of_one(e, in[0], in[0]->dtype);
    struct step_tensor *const part = of_one(e, in[0], in[0]->dtype);
    struct step_tensor *const scaled = of_one(e, in[0], in[0]->dtype);
    step_drop(e, part);
    step_drop(e, scaled);
    out[0] = whole;
}

struct step_tensor *step_op_scale_view_in_place(struct step_engine *e, struct step_tensor *a)
{
    if (!step_ok(e) || a == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, scale_view_backward, (struct step_tensor *const[]){a}, 1);
    return step_made_by(e, step_alias(e, a, &a->shape, a->stride), node);
}

/* ---- products: each operand is saved when the other needs a gradient ---- */

/* grad * other; of complex numbers other's conjugate, a copy */
static struct step_tensor *product_grad(struct step_engine *e, const struct step_tensor *grad,
                                        const struct step_tensor *other)
{
    if (other == NULL) { /* a number */
        return of_one(e, grad, grad->dtype);
    }
    struct step_tensor *const conjugate =
        other->dtype == ZV_DTYPE_C64 ? of_one(e, other, other->dtype) : NULL;
    struct step_tensor *const made = of_two(e, grad, other, type_of(grad, other));
    step_drop(e, conjugate);
    return made;
}

static void mul_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    for (uint32_t i = 2; i-- > 0;) {
        if (step_edge_needed(node, i)) {
            out[i] = product_grad(e, in[0], node->saved[i]);
        }
    }
}

struct step_tensor *step_op_mul(struct step_engine *e, struct step_tensor *a, struct step_tensor *b)
{
    if (!step_ok(e) || (a == NULL && b == NULL)) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, mul_backward, (struct step_tensor *const[]){a, b}, 2);
    if (node != NULL) {
        if (step_edge_needed(node, 0)) { /* saved, and released, in the order of the names */
            step_save(e, node, 0, b);
        }
        if (step_edge_needed(node, 1)) {
            step_save(e, node, 1, a);
        }
    }
    return step_made_by(e, kept_of(e, STEP_KEEPS_MUL, a, b, type_of(a, b)), node);
}

/* other: -grad * ((self / other) / other); self: grad / other */
static void div_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    const struct step_tensor *const divisor = node->saved[0];
    if (step_edge_needed(node, 1)) {
        const enum zv_dtype dtype = type_of(node->saved[1], divisor);
        struct step_tensor *const once = of_two(e, node->saved[1], divisor, dtype);
        struct step_tensor *const twice = of_two(e, once, divisor, dtype);
        struct step_tensor *const negative = of_one(e, in[0], in[0]->dtype);
        out[1] = of_two(e, negative, twice, type_of(negative, twice));
        step_drop(e, negative);
        step_drop(e, twice);
        step_drop(e, once);
    }
    if (step_edge_needed(node, 0)) {
        out[0] = of_two(e, in[0], divisor, type_of(in[0], divisor));
    }
}

struct step_tensor *step_op_div(struct step_engine *e, struct step_tensor *a, struct step_tensor *b)
{
    if (!step_ok(e) || (a == NULL && b == NULL)) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, div_backward, (struct step_tensor *const[]){a, b}, 2);
    if (node != NULL && b != NULL) {
        step_save(e, node, 0, b);
        if (step_edge_needed(node, 1)) {
            step_save(e, node, 1, a);
        }
    }
    return step_made_by(e, kept_of(e, STEP_KEEPS_DIV, a, b, type_of(a, b)), node);
}

static struct step_tensor *in_place(struct step_engine *e, struct step_tensor *a,
                                    struct step_tensor *b, step_backward_fn *backward)
{
    if (!step_ok(e) || a == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, backward, (struct step_tensor *const[]){a, b}, 2);
    if (node != NULL && b != NULL) {
        step_save(e, node, 0, b);
        if (step_edge_needed(node, 1)) {
            struct step_tensor *const was = step_like(e, a, a->dtype);
            step_save(e, node, 1, was);
            step_drop(e, was);
        }
    }
    return step_made_by(e, step_alias(e, a, &a->shape, a->stride), node);
}

struct step_tensor *step_op_div_in_place(struct step_engine *e, struct step_tensor *a,
                                         struct step_tensor *b)
{
    return in_place(e, a, b, div_backward);
}

struct step_tensor *step_op_mul_in_place(struct step_engine *e, struct step_tensor *a,
                                         struct step_tensor *b)
{
    return in_place(e, a, b, mul_backward);
}

/* x.mul_(y) of what all of x is a view of, as in scale_view_backward. */
static void mul_view_backward(struct step_engine *e, struct step_node *node,
                              struct step_tensor **in, struct step_tensor **out)
{
    struct step_tensor *const whole = of_one(e, in[0], in[0]->dtype);
    struct step_tensor *part = of_one(e, in[0], in[0]->dtype);
    mul_backward(e, node, &part, out);
    step_drop(e, part);
    step_drop(e, out[0]);
    out[0] = whole;
}

struct step_tensor *step_op_mul_view_in_place(struct step_engine *e, struct step_tensor *a,
                                              struct step_tensor *b)
{
    return in_place(e, a, b, mul_view_backward);
}

/* ---- casts and copies ---- */

static void to_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                        struct step_tensor **out)
{
    out[0] = in[0]->dtype == node->dtype ? step_hold(in[0]) : step_like(e, in[0], node->dtype);
}

struct step_tensor *step_op_to(struct step_engine *e, struct step_tensor *a, enum zv_dtype dtype)
{
    if (a == NULL || a->dtype == dtype) {
        return step_hold(a);
    }
    struct step_node *const node =
        step_node_new(e, to_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        node->dtype = a->dtype;
    }
    struct step_tensor *result = step_kept(e, STEP_KEEPS_TO);
    if (result == NULL) {
        result = step_like(e, a, dtype);
        step_keep(e, STEP_KEEPS_TO, result);
    }
    return step_made_by(e, result, node);
}

struct step_tensor *step_op_clone(struct step_engine *e, struct step_tensor *a, bool contiguous)
{
    if (a == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, add_backward, (struct step_tensor *const[]){a}, 1);
    return step_made_by(
        e, contiguous ? step_empty(e, &a->shape, a->dtype) : step_like(e, a, a->dtype), node);
}

struct step_tensor *step_op_contiguous(struct step_engine *e, struct step_tensor *a)
{
    return a == NULL || step_is_contiguous(a) ? step_hold(a) : step_op_clone(e, a, true);
}

/* ---- masks ---- */

/* where(mask, grad, 0): the number is a tensor on the card for as long as the kernel runs. */
static void where_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    struct step_tensor *const number = step_scalar(e, in[0]->dtype);
    out[0] = of_two(e, node->saved[0], in[0], in[0]->dtype);
    step_drop(e, number);
}

struct step_tensor *step_op_where(struct step_engine *e, struct step_tensor *mask,
                                  struct step_tensor *a, struct step_tensor *other)
{
    if (mask == NULL || a == NULL) {
        return NULL;
    }
    struct step_tensor *const number = other != NULL ? NULL : step_scalar(e, a->dtype);
    const struct step_tensor *const all[3] = {mask, a, other};
    struct step_node *const node =
        step_node_new(e, where_backward, (struct step_tensor *const[]){a}, 1);
    step_save(e, node, 0, mask);
    struct step_tensor *const result = step_elementwise(e, all, other != NULL ? 3 : 2, a->dtype);
    step_drop(e, number);
    return step_made_by(e, result, node);
}

static void masked_fill_backward(struct step_engine *e, struct step_node *node,
                                 struct step_tensor **in, struct step_tensor **out)
{
    (void)node;
    out[0] = of_one(e, in[0], in[0]->dtype);
}

struct step_tensor *step_op_masked_fill(struct step_engine *e, struct step_tensor *a,
                                        struct step_tensor *mask)
{
    if (mask == NULL || a == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, masked_fill_backward, (struct step_tensor *const[]){a}, 1);
    step_save(e, node, 0, mask);
    return step_made_by(e, of_one(e, a, a->dtype), node);
}

static void dropout_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    out[0] = of_two(e, in[0], node->saved[0], in[0]->dtype);
}

struct step_tensor *step_op_dropout(struct step_engine *e, struct step_tensor *a)
{
    if (a == NULL) {
        return NULL;
    }
    struct step_tensor *const kept = step_kept(e, STEP_KEEPS_DROPOUT);
    struct step_tensor *const result = kept != NULL ? kept : step_like(e, a, a->dtype);
    struct step_tensor *mask = kept != NULL ? step_region_take_more(e, STEP_KEEPS_DROPOUT) : NULL;
    if (kept == NULL && result != NULL) {
        mask = step_empty_strided(e, &a->shape, result->stride, ZV_DTYPE_BOOL);
        step_keep(e, STEP_KEEPS_DROPOUT, result);
        step_keep(e, STEP_KEEPS_DROPOUT, mask);
    }
    struct step_node *const node =
        step_node_new(e, dropout_backward, (struct step_tensor *const[]){a}, 1);
    step_save(e, node, 0, mask);
    step_drop(e, mask);
    return step_made_by(e, result, node);
}
