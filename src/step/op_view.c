/* Views: the same storage in another shape. Their gradients are views as well, or copies. */
#include "step/op_view.h"

#include <string.h>

#include "step/op_table.h"
#include "step/tensor_layout.h"

struct step_tensor *step_view_of(struct step_engine *e, struct step_tensor *a,
                                 const struct step_shape *shape, const int64_t *stride,
                                 step_backward_fn *backward, struct step_node **to)
{
    *to = NULL;
    if (a == NULL || !step_ok(e)) {
        return NULL;
    }
    struct step_node *const node = step_node_new(e, backward, (struct step_tensor *const[]){a}, 1);
    struct step_tensor *const view = step_alias(e, a, shape, stride);
    if (node != NULL) {
        node->shape = a->shape;
    }
    *to = node;
    step_attach(view, node, 0);
    step_node_drop(e, node);
    return view;
}

/* -1 in new stands for what is left; the sizes must come to the elements of a. */
static bool resolve(struct step_engine *e, const struct step_tensor *a,
                    const struct step_shape *shape, struct step_shape *to)
{
    *to = *shape;
    int64_t known = 1;
    uint32_t open = STEP_MAX_DIMS;
    for (uint32_t i = 0; i < to->dims; i++) {
        if (to->size[i] == -1 && open == STEP_MAX_DIMS) {
            open = i;
        } else if (to->size[i] < 0 || __builtin_mul_overflow(known, to->size[i], &known)) {
            return step_fail(e, ZV_E_SYNTAX, "a size of a shape makes no sense");
        }
    }
    const int64_t elements = step_count(&a->shape);
    if (open != STEP_MAX_DIMS) {
        to->size[open] = known != 0 ? elements / known : 0;
        known *= to->size[open];
    }
    return known == elements ||
           step_fail(e, ZV_E_SYNTAX, "%lld elements cannot be seen as a shape of %lld",
                     (long long)elements, (long long)known);
}

static struct step_tensor *reshape_grad(struct step_engine *e, const struct step_tensor *grad,
                                        const struct step_shape *shape)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    return step_view_strides(grad, shape, stride) ? step_grad_view(e, grad, shape, stride)
                                                  : step_empty(e, shape, grad->dtype);
}

static void reshape_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    out[0] = reshape_grad(e, in[0], &node->shape);
}

struct step_tensor *step_unsafe_view(struct step_engine *e, struct step_tensor *a,
                                     const struct step_shape *shape)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_node *node;
    step_contiguous_strides(shape, stride);
    return step_view_of(e, a, shape, stride, reshape_backward, &node);
}

struct step_tensor *step_op_view(struct step_engine *e, struct step_tensor *a,
                                 const struct step_shape *shape)
{
    struct step_shape whole;
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_node *node;
    if (a == NULL || !resolve(e, a, shape, &whole)) {
        return NULL;
    }
    if (!step_view_strides(a, &whole, stride)) {
        step_fail(e, ZV_E_SYNTAX,
                  "view of a tensor whose memory does not lie in that order: "
                  "reshape copies it");
        return NULL;
    }
    return step_view_of(e, a, &whole, stride, reshape_backward, &node);
}

struct step_tensor *step_op_reshape(struct step_engine *e, struct step_tensor *a,
                                    const struct step_shape *shape)
{
    struct step_shape whole;
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_node *node;
    if (a == NULL || !resolve(e, a, shape, &whole)) {
        return NULL;
    }
    if (step_view_strides(a, &whole, stride)) {
        return step_view_of(e, a, &whole, stride, reshape_backward, &node);
    }
    struct step_tensor *const copy = step_op_clone(e, a, true);
    struct step_tensor *const view = copy != NULL ? step_unsafe_view(e, copy, &whole) : NULL;
    step_drop(e, copy);
    return view;
}

/* ---- dimensions ---- */

bool step_dim_of(struct step_engine *e, const struct step_tensor *a, int64_t *dim, int64_t more)
{
    const int64_t dims = (int64_t)a->shape.dims + more;
    if (*dim < -dims || *dim >= dims) {
        return step_fail(e, ZV_E_SYNTAX, "there is no dimension %lld of %lld", (long long)*dim,
                         (long long)dims);
    }
    *dim += *dim < 0 ? dims : 0;
    return true;
}

static void permute_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    struct step_shape shape = {.dims = in[0]->shape.dims};
    int64_t stride[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < shape.dims; i++) {
        shape.size[node->stride[i]] = in[0]->shape.size[i];
        stride[node->stride[i]] = in[0]->stride[i];
    }
    out[0] = step_grad_view(e, in[0], &shape, stride);
}

struct step_tensor *step_op_permute(struct step_engine *e, struct step_tensor *a,
                                    const int64_t *order)
{
    if (a == NULL) {
        return NULL;
    }
    struct step_shape shape = {.dims = a->shape.dims};
    int64_t stride[STEP_MAX_DIMS] = {0};
    int64_t from[STEP_MAX_DIMS] = {0};
    uint32_t seen = 0;
    for (uint32_t i = 0; i < shape.dims; i++) {
        from[i] = order[i];
        if (!step_dim_of(e, a, &from[i], 0)) {
            return NULL;
        }
        seen |= 1U << from[i];
        shape.size[i] = a->shape.size[from[i]];
        stride[i] = a->stride[from[i]];
    }
    if (seen + 1 != 1U << shape.dims) {
        step_fail(e, ZV_E_SYNTAX, "a permutation must name each dimension once");
        return NULL;
    }
    struct step_node *node;
    struct step_tensor *const view = step_view_of(e, a, &shape, stride, permute_backward, &node);
    if (node != NULL) {
        memcpy(node->stride, from, sizeof from);
    }
    return view;
}

struct step_tensor *step_op_transpose(struct step_engine *e, struct step_tensor *a, int64_t first,
                                      int64_t second)
{
    if (a == NULL || !step_dim_of(e, a, &first, 0) || !step_dim_of(e, a, &second, 0)) {
        return NULL;
    }
    int64_t order[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < a->shape.dims; i++) {
        order[i] = i == (uint32_t)first ? second : i == (uint32_t)second ? first : i;
    }
    return step_op_permute(e, a, order);
}

void step_resize_dims(const struct step_tensor *t, uint32_t at, bool in, struct step_shape *shape,
                      int64_t *stride)
{
    shape->dims = 0;
    for (uint32_t i = 0; i < t->shape.dims + (in ? 1 : 0); i++) {
        if (in && i == at) {
            shape->size[shape->dims] = 1;
            stride[shape->dims++] = at < t->shape.dims ? t->stride[at] * t->shape.size[at] : 1;
        }
        if (i < t->shape.dims && (in || i != at)) {
            shape->size[shape->dims] = t->shape.size[i];
            stride[shape->dims++] = t->stride[i];
        }
    }
}

static void unsqueeze_backward(struct step_engine *e, struct step_node *node,
                               struct step_tensor **in, struct step_tensor **out)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    step_resize_dims(in[0], (uint32_t)node->number[0], false, &shape, stride);
    out[0] = step_grad_view(e, in[0], &shape, stride);
}

struct step_tensor *step_op_unsqueeze(struct step_engine *e, struct step_tensor *a, int64_t dim)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 1)) {
        return NULL;
    }
    if (a->shape.dims == STEP_MAX_DIMS) {
        step_fail(e, ZV_E_LIMIT, "a tensor of more than %d dimensions", STEP_MAX_DIMS);
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    step_resize_dims(a, (uint32_t)dim, true, &shape, stride);
    struct step_node *node;
    struct step_tensor *const view = step_view_of(e, a, &shape, stride, unsqueeze_backward, &node);
    if (node != NULL) {
        node->number[0] = dim;
    }
    return view;
}

static void squeeze_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    step_resize_dims(in[0], (uint32_t)node->number[0], true, &shape, stride);
    out[0] = step_grad_view(e, in[0], &shape, stride);
}

struct step_tensor *step_op_squeeze(struct step_engine *e, struct step_tensor *a, int64_t dim)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    if (a->shape.size[dim] != 1) {
        return step_hold(a);
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    step_resize_dims(a, (uint32_t)dim, false, &shape, stride);
    struct step_node *node;
    struct step_tensor *const view = step_view_of(e, a, &shape, stride, squeeze_backward, &node);
    if (node != NULL) {
        node->number[0] = dim;
    }
    return view;
}

static void expand_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                            struct step_tensor **out)
{
    out[0] = step_same_shape(&in[0]->shape, &node->shape) ? step_hold(in[0])
                                                          : step_sum_to(e, in[0], &node->shape);
}

struct step_tensor *step_op_expand(struct step_engine *e, struct step_tensor *a,
                                   const struct step_shape *shape)
{
    if (a == NULL) {
        return NULL;
    }
    struct step_shape whole = *shape;
    int64_t stride[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < whole.dims; i++) {
        if (whole.size[i] == -1 && i + a->shape.dims >= whole.dims) {
            whole.size[i] = a->shape.size[i + a->shape.dims - whole.dims];
        }
    }
    if (!step_expand_strides(a, &whole, stride)) {
        step_fail(e, ZV_E_SYNTAX, "a tensor cannot be expanded to that shape");
        return NULL;
    }
    struct step_node *node;
    return step_view_of(e, a, &whole, stride, expand_backward, &node);
}
