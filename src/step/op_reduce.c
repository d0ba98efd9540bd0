/* Sums, means and maxima over a dimension. */
#include "step/op_table.h"
#include "step/op_view.h"
#include "step/region.h"
#include "step/tensor_layout.h"

/* Without the dimension, which has size 1. */
static struct step_tensor *without(struct step_engine *e, struct step_tensor *t, int64_t dim)
{
    if (t == NULL) {
        return NULL;
    }
    struct step_shape shape = {.dims = t->shape.dims - 1};
    int64_t stride[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < shape.dims; i++) {
        const uint32_t from = i < (uint32_t)dim ? i : i + 1;
        shape.size[i] = t->shape.size[from];
        stride[i] = t->stride[from];
    }
    struct step_tensor *const view = step_alias(e, t, &shape, stride);
    step_drop(e, t);
    return view;
}

/* The gradient seen in the input's shape; with the dimension put back when it was not kept. */
static struct step_tensor *spread(struct step_engine *e, const struct step_node *node,
                                  struct step_tensor *grad)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    const uint32_t dim = (uint32_t)node->number[0];
    for (uint32_t i = 0; i < node->shape.dims; i++) {
        if (i != dim) {
            const uint32_t from = node->number[1] != 0 || i < dim ? i : i - 1;
            stride[i] =
                grad->shape.size[from] == 1 && node->shape.size[i] != 1 ? 0 : grad->stride[from];
        } else if (node->number[1] != 0 && node->shape.size[i] == 1) {
            stride[i] = grad->stride[i];
        }
    }
    return step_grad_view(e, grad, &node->shape, stride);
}

static void sum_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    out[0] = spread(e, node, in[0]);
}

/* The expanded gradient divided by the count: a dense tensor of the input's shape. */
static void mean_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
}

static struct step_node *reduction(struct step_engine *e, struct step_tensor *a,
                                   step_backward_fn *backward, int64_t dim, bool keep)
{
    struct step_node *const node = step_node_new(e, backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        node->shape = a->shape;
        node->number[0] = dim;
        node->number[1] = keep;
    }
    return node;
}

struct step_tensor *step_op_mean(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                 bool keep)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    struct step_node *const node = reduction(e, a, mean_backward, dim, keep);
    struct step_tensor *const result = step_sum(e, a, 1U << dim, a->dtype);
    return step_made_by(e, keep ? result : without(e, result, dim), node);
}

struct step_tensor *step_op_mean_all(struct step_engine *e, struct step_tensor *a)
{
    if (a == NULL) {
        return NULL;
    }
    struct step_node *const node = reduction(e, a, mean_backward, 0, false);
    return step_made_by(e, step_scalar(e, a->dtype), node);
}

/* Without a graph. */
struct step_tensor *step_op_norm_all(struct step_engine *e, struct step_tensor *a)
{
    const struct step_shape point = {0};
    const int64_t stride[STEP_MAX_DIMS] = {0};
    if (a == NULL) {
        return NULL;
    }
    struct step_tensor *const sum = step_sum(e, a, (1U << a->shape.dims) - 1, a->dtype);
    struct step_tensor *const norm = step_alias(e, sum, &point, stride);
    step_drop(e, sum);
    return norm;
}

struct step_tensor *step_op_sum(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                bool keep)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    /* autocast asks the kernel for a sum in fp32 (fp32_set_opt_dtype); it makes no copy */
    const bool widens =
        e->autocast != ZV_DTYPE_UNKNOWN && (a->dtype == ZV_DTYPE_F16 || a->dtype == ZV_DTYPE_BF16);
    struct step_node *const node = reduction(e, a, sum_backward, dim, keep);
    struct step_tensor *const result = step_sum(e, a, 1U << dim, widens ? ZV_DTYPE_F32 : a->dtype);
    return step_made_by(e, keep ? result : without(e, result, dim), node);
}

/* zeros of the input's shape, then scattered into */
static void max_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
}

struct step_tensor *step_op_max(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                struct step_tensor **indices)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    struct step_shape shape = a->shape;
    shape.size[dim] = 1;
    struct step_tensor *values = step_kept(e, STEP_KEEPS_MAX);
    struct step_tensor *at = values != NULL ? step_region_take_more(e, STEP_KEEPS_MAX) : NULL;
    if (values == NULL) {
        values = step_empty(e, &shape, a->dtype);
        at = step_empty(e, &shape, ZV_DTYPE_I64);
        step_keep(e, STEP_KEEPS_MAX, values);
        step_keep(e, STEP_KEEPS_MAX, at);
    }
    struct step_node *const node = reduction(e, a, max_backward, dim, true);
    step_save(e, node, 0, at);
    if (indices != NULL) {
        *indices = at;
    } else {
        step_drop(e, at);
    }
    return step_made_by(e, values, node);
}
