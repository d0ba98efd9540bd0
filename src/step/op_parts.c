/* Views of a part: slices, one of each several, selections and splits. A part's gradient is as
 * large as the whole. */
#include <string.h>

#include "step/op_table.h"
#include "step/op_view.h"

/* What sees the whole passes the gradient on as it is. */
static void whole_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    (void)e;
    (void)node;
    out[0] = step_hold(in[0]);
}

/* zeros of the whole shape, with the gradient copied into its part */
static void part_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
}

struct step_tensor *step_op_slice(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                  int64_t from, int64_t to)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    const int64_t size = a->shape.size[dim];
    const bool to_end = to == INT64_MAX;
    from = from < 0 ? from + size : from < size ? from : size;
    to = to < 0 ? to + size : to < size ? to : size;
    if (from < 0 || to < from) {
        step_fail(e, ZV_E_SYNTAX, "a slice that ends before it starts");
        return NULL;
    }
    struct step_shape shape = a->shape;
    shape.size[dim] = to - from;
    struct step_node *node;
    /* x[:size] is x, whose gradient passes through; x[:] is a slice (TensorIndexing.h, applySlice)
     */
    const bool whole = from == 0 && to == size && !to_end;
    return step_view_of(e, a, &shape, a->stride, whole ? whole_backward : part_backward, &node);
}

struct step_tensor *step_op_every(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                  int64_t from, int64_t step)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    if (from < 0 || step <= 0) {
        step_fail(e, ZV_E_SYNTAX, "every: a first place and a step of at least 1");
        return NULL;
    }
    const int64_t left = a->shape.size[dim] > from ? a->shape.size[dim] - from : 0;
    struct step_shape shape = a->shape;
    int64_t stride[STEP_MAX_DIMS];
    memcpy(stride, a->stride, sizeof stride);
    shape.size[dim] = left / step + (left % step != 0);
    if (__builtin_mul_overflow(stride[dim], step, &stride[dim])) {
        step_fail(e, ZV_E_LIMIT, "every: a step of %lld", (long long)step);
        return NULL;
    }
    struct step_node *node;
    return step_view_of(e, a, &shape, stride, part_backward, &node);
}

struct step_tensor *step_op_select(struct step_engine *e, struct step_tensor *a, int64_t dim)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    step_resize_dims(a, (uint32_t)dim, false, &shape, stride);
    struct step_node *node;
    return step_view_of(e, a, &shape, stride, part_backward, &node);
}

/* zeros for the parts that no gradient came from, then a cat (or stack) of all */
static void split_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    const uint32_t dim = (uint32_t)node->number[0];
    struct step_tensor **const zeros =
        zv_arena_array(e->arena, node->outputs, sizeof(struct step_tensor *));
    enum zv_dtype dtype = ZV_DTYPE_UNKNOWN;
    for (uint32_t i = 0; i < node->outputs; i++) {
        dtype = in[i] != NULL ? in[i]->dtype : dtype;
    }
    if (zeros == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for a backward pass");
        return;
    }
    for (uint32_t i = 0; i < node->outputs; i++) {
        if (in[i] == NULL) {
            struct step_shape part = node->other;
            if (node->sizes != NULL) {
                part.size[dim] = node->sizes[i];
            }
            zeros[i] = step_empty(e, &part, dtype);
        }
    }
    out[0] = step_empty(e, &node->shape, dtype);
    for (uint32_t i = 0; i < node->outputs; i++) {
        step_drop(e, zeros[i]);
    }
}

static struct step_node *parts_node(struct step_engine *e, struct step_tensor *a, size_t count)
{
    struct step_node *const node =
        step_node_new(e, split_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        node->outputs = (uint32_t)count;
        node->shape = a->shape;
    }
    return node;
}

bool step_op_split(struct step_engine *e, struct step_tensor *a, int64_t dim, const int64_t *sizes,
                   size_t count, struct step_tensor **to)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return false;
    }
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += sizes[i];
    }
    if (sum != a->shape.size[dim]) {
        return step_fail(e, ZV_E_SYNTAX, "parts of %lld in a dimension of %lld", (long long)sum,
                         (long long)a->shape.size[dim]);
    }
    struct step_node *const node = parts_node(e, a, count);
    if (node != NULL) {
        node->number[0] = dim;
        node->other = a->shape;
        node->sizes = zv_arena_array(e->arena, count, sizeof *sizes);
        if (node->sizes == NULL) {
            step_node_drop(e, node);
            return step_fail(e, ZV_E_NOMEM, "no host memory for the step's graph");
        }
        memcpy(node->sizes, sizes, count * sizeof *sizes);
    }
    for (size_t i = 0; i < count; i++) {
        struct step_shape shape = a->shape;
        shape.size[dim] = sizes[i];
        to[i] = step_alias(e, a, &shape, a->stride);
        step_attach(to[i], node, (uint32_t)i);
    }
    step_node_drop(e, node);
    return step_ok(e);
}

bool step_op_unbind(struct step_engine *e, struct step_tensor *a, int64_t dim, size_t count,
                    struct step_tensor **to)
{
    if (a == NULL || !step_dim_of(e, a, &dim, 0)) {
        return false;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    step_resize_dims(a, (uint32_t)dim, false, &shape, stride);
    struct step_node *const node = parts_node(e, a, count);
    if (node != NULL) {
        node->other = shape;
    }
    for (size_t i = 0; i < count; i++) {
        to[i] = step_alias(e, a, &shape, stride);
        step_attach(to[i], node, (uint32_t)i);
    }
    step_node_drop(e, node);
    return step_ok(e);
}
