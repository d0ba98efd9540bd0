/* cat and stack: one new tensor; the gradients of the parts are views of the whole one. */
#include <string.h>

#include "step/op_table.h"
#include "step/tensor_layout.h"

static void cat_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    for (uint32_t i = 0; i < node->edge_count; i++) {
        if (step_edge_needed(node, i)) {
            struct step_shape shape = in[0]->shape;
            shape.size[node->number[0]] = node->sizes[i];
            out[i] = step_grad_view(e, in[0], &shape, in[0]->stride);
        }
    }
}

/* unbind */
static void stack_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    struct step_shape shape = {.dims = in[0]->shape.dims - 1};
    int64_t stride[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < shape.dims; i++) {
        const uint32_t from = i < (uint32_t)node->number[0] ? i : i + 1;
        shape.size[i] = in[0]->shape.size[from];
        stride[i] = in[0]->stride[from];
    }
    for (uint32_t i = 0; i < node->edge_count; i++) {
        out[i] = step_edge_needed(node, i) ? step_grad_view(e, in[0], &shape, stride) : NULL;
    }
}

static bool joins(struct step_engine *e, struct step_tensor *const *t, size_t count, int64_t dims,
                  int64_t *dim)
{
    for (size_t i = 0; i < count; i++) {
        if (t[i] == NULL) {
            return false;
        }
    }
    if (count == 0) {
        return step_fail(e, ZV_E_SYNTAX, "nothing to join");
    }
    *dim += *dim < 0 ? dims : 0;
    return (*dim >= 0 && *dim < dims && dims <= STEP_MAX_DIMS) ||
           step_fail(e, ZV_E_SYNTAX, "tensors cannot be joined along that dimension");
}

struct step_tensor *step_op_cat(struct step_engine *e, struct step_tensor *const *t, size_t count,
                                int64_t dim, enum zv_dtype least)
{
    if (!joins(e, t, count, count != 0 && t[0] != NULL ? t[0]->shape.dims : 0, &dim)) {
        return NULL;
    }
    int64_t *const sizes = zv_arena_array(e->arena, count, sizeof *sizes);
    if (sizes == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for the step's graph");
        return NULL;
    }
    struct step_shape shape = t[0]->shape;
    enum zv_dtype dtype =
        least != ZV_DTYPE_UNKNOWN ? step_promote(least, t[0]->dtype) : t[0]->dtype;
    shape.size[dim] = 0;
    for (size_t i = 0; i < count; i++) {
        struct step_shape part = t[i]->shape;
        sizes[i] = part.size[dim];
        part.size[dim] = shape.size[dim];
        if (!step_same_shape(&part, &shape)) {
            step_fail(e, ZV_E_SYNTAX, "cat: part %zu differs in another dimension", i + 1);
            return NULL;
        }
        shape.size[dim] += sizes[i];
        dtype = step_promote(dtype, t[i]->dtype);
    }
    struct step_tensor *const result = step_empty(e, &shape, dtype);
    struct step_node *const node = step_node_new(e, cat_backward, t, count);
    if (node != NULL) {
        node->number[0] = dim;
        node->sizes = sizes;
    }
    return step_made_by(e, result, node);
}

struct step_tensor *step_op_stack(struct step_engine *e, struct step_tensor *const *t, size_t count,
                                  int64_t dim)
{
    if (!joins(e, t, count, count != 0 && t[0] != NULL ? (int64_t)t[0]->shape.dims + 1 : 0, &dim)) {
        return NULL;
    }
    struct step_shape shape = {.dims = t[0]->shape.dims + 1};
    for (uint32_t i = 0; i < shape.dims; i++) {
        shape.size[i] =
            i == (uint32_t)dim ? (int64_t)count : t[0]->shape.size[i < (uint32_t)dim ? i : i - 1];
    }
    for (size_t i = 1; i < count; i++) {
        if (!step_same_shape(&t[i]->shape, &t[0]->shape)) {
            step_fail(e, ZV_E_SYNTAX, "stack: part %zu has another shape", i + 1);
            return NULL;
        }
    }
    struct step_tensor *const result = step_empty(e, &shape, t[0]->dtype);
    struct step_node *const node = step_node_new(e, stack_backward, t, count);
    if (node != NULL) {
        node->number[0] = dim;
    }
    return step_made_by(e, result, node);
}
