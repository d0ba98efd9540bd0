/* Views: the same storage in another shape. Their gradients are views as well, or copies. */
#include <string.h>

#include "step/op_table.h"
#include "step/tensor_layout.h"

/* A view of a with a node; the caller fills in what backward needs. node may be NULL. */
static struct step_tensor *view_of(struct step_engine *e, struct step_tensor *a,
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
    return view_of(e, a, shape, stride, reshape_backward, &node);
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
    return view_of(e, a, &whole, stride, reshape_backward, &node);
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
        return view_of(e, a, &whole, stride, reshape_backward, &node);
    }
    struct step_tensor *const copy = step_op_clone(e, a, true);
    struct step_tensor *const view = copy != NULL ? step_unsafe_view(e, copy, &whole) : NULL;
    step_drop(e, copy);
    return view;
}

/* ---- dimensions ---- */

/* A dimension counted from either end; room for one more with `more`. */
static bool wrap(struct step_engine *e, const struct step_tensor *a, int64_t *dim, int64_t more)
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
        if (!wrap(e, a, &from[i], 0)) {
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
    struct step_tensor *const view = view_of(e, a, &shape, stride, permute_backward, &node);
    if (node != NULL) {
        memcpy(node->stride, from, sizeof from);
    }
    return view;
}

struct step_tensor *step_op_transpose(struct step_engine *e, struct step_tensor *a, int64_t first,
                                      int64_t second)
{
    if (a == NULL || !wrap(e, a, &first, 0) || !wrap(e, a, &second, 0)) {
        return NULL;
    }
    int64_t order[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < a->shape.dims; i++) {
        order[i] = i == (uint32_t)first ? second : i == (uint32_t)second ? first : i;
    }
    return step_op_permute(e, a, order);
}

/* A dimension of size 1 put in or taken out at `at`. */
static void resize_dims(const struct step_tensor *t, uint32_t at, bool in, struct step_shape *shape,
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
    resize_dims(in[0], (uint32_t)node->number[0], false, &shape, stride);
    out[0] = step_grad_view(e, in[0], &shape, stride);
}

struct step_tensor *step_op_unsqueeze(struct step_engine *e, struct step_tensor *a, int64_t dim)
{
    if (a == NULL || !wrap(e, a, &dim, 1)) {
        return NULL;
    }
    if (a->shape.dims == STEP_MAX_DIMS) {
        step_fail(e, ZV_E_LIMIT, "a tensor of more than %d dimensions", STEP_MAX_DIMS);
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    resize_dims(a, (uint32_t)dim, true, &shape, stride);
    struct step_node *node;
    struct step_tensor *const view = view_of(e, a, &shape, stride, unsqueeze_backward, &node);
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
    resize_dims(in[0], (uint32_t)node->number[0], true, &shape, stride);
    out[0] = step_grad_view(e, in[0], &shape, stride);
}

struct step_tensor *step_op_squeeze(struct step_engine *e, struct step_tensor *a, int64_t dim)
{
    if (a == NULL || !wrap(e, a, &dim, 0)) {
        return NULL;
    }
    if (a->shape.size[dim] != 1) {
        return step_hold(a);
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    resize_dims(a, (uint32_t)dim, false, &shape, stride);
    struct step_node *node;
    struct step_tensor *const view = view_of(e, a, &shape, stride, squeeze_backward, &node);
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
    return view_of(e, a, &whole, stride, expand_backward, &node);
}

/* ---- parts ---- */

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
    if (a == NULL || !wrap(e, a, &dim, 0)) {
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
    return view_of(e, a, &shape, a->stride, whole ? whole_backward : part_backward, &node);
}

struct step_tensor *step_op_every(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                  int64_t from, int64_t step)
{
    if (a == NULL || !wrap(e, a, &dim, 0)) {
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
    return view_of(e, a, &shape, stride, part_backward, &node);
}

struct step_tensor *step_op_select(struct step_engine *e, struct step_tensor *a, int64_t dim)
{
    if (a == NULL || !wrap(e, a, &dim, 0)) {
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    resize_dims(a, (uint32_t)dim, false, &shape, stride);
    struct step_node *node;
    return view_of(e, a, &shape, stride, part_backward, &node);
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
    if (a == NULL || !wrap(e, a, &dim, 0)) {
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
    if (a == NULL || !wrap(e, a, &dim, 0)) {
        return false;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    struct step_shape shape = {0};
    resize_dims(a, (uint32_t)dim, false, &shape, stride);
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
