/* Rows and columns picked by indices, and the sorting that their gradients need. */
#include <string.h>

#include "step/op_table.h"
#include "step/tensor_layout.h"

/* Above this many indices embedding_dense_backward sorts them. Source: Embedding.cu. */
enum { EMBEDDING_SORTS_ABOVE = 3072 };

/* The rows of weight that indices name: indices' shape, then the row. */
static struct step_tensor *rows_of(struct step_engine *e, struct step_tensor *weight,
                                   struct step_tensor *indices, step_backward_fn *backward)
{
    if (weight == NULL || indices == NULL) {
        return NULL;
    }
    if (weight->shape.dims != 2 || indices->shape.dims >= STEP_MAX_DIMS) {
        step_fail(e, ZV_E_SYNTAX, "rows of a table of %u dimensions", weight->shape.dims);
        return NULL;
    }
    struct step_shape shape = indices->shape;
    shape.size[shape.dims++] = weight->shape.size[1];
    struct step_tensor *const result = step_empty(e, &shape, weight->dtype);
    struct step_node *const node =
        step_node_new(e, backward, (struct step_tensor *const[]){weight}, 1);
    if (node != NULL) {
        step_save(e, node, 0, indices);
        node->shape = weight->shape;
    }
    return step_made_by(e, result, node);
}

static void embedding_backward(struct step_engine *e, struct step_node *node,
                               struct step_tensor **in, struct step_tensor **out)
{
    const int64_t count = step_count(&node->saved[0]->shape);
    e->in_kernel = true;
    struct step_tensor *const dense =
        step_is_contiguous(in[0]) ? NULL : step_empty(e, &in[0]->shape, in[0]->dtype);
    e->in_kernel = false;
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
    if (count > EMBEDDING_SORTS_ABOVE) {
        struct step_tensor *buffers[3];
        e->in_kernel = true;
        for (size_t i = 0; i < 3; i++) { /* sorted, positions, counts */
            buffers[i] = step_vector(e, count, ZV_DTYPE_I64);
        }
        for (size_t i = 0; i < 3; i++) {
            step_drop(e, buffers[i]);
        }
        e->in_kernel = false;
    }
    step_drop(e, dense);
}

struct step_tensor *step_op_embedding(struct step_engine *e, struct step_tensor *weight,
                                      struct step_tensor *indices)
{
    return rows_of(e, weight, indices, embedding_backward);
}

/*
 * The radix sort's own buffer (cub), as traces show it: 1 byte up to 3072 indices, 72,191 at 4096,
 * 138,751 at 8192; between and beyond those it is drawn through the two points.
 */
static uint64_t sort_bytes(int64_t count)
{
    enum { SMALL = 3072, KNOWN = 4096, KNOWN_BYTES = 72191 };
    if (count <= SMALL) {
        return 1;
    }
    const int64_t more = count - KNOWN;
    const int64_t bytes = KNOWN_BYTES + 16 * more + (more >= 0 ? more / 4 : -((-more + 3) / 4));
    return (uint64_t)bytes;
}

/* What index_put_ with accumulate takes: indices made linear and sorted. Source: Indexing.cu. */
static void sort_places(struct step_engine *e, int64_t count)
{
    e->in_kernel = true;
    struct step_tensor *const rest = step_vector(e, count, ZV_DTYPE_I64);
    struct step_tensor *const linear = step_vector(e, count, ZV_DTYPE_I64);
    step_drop(e, rest);
    struct step_tensor *const sorted = step_vector(e, count, ZV_DTYPE_I64);
    struct step_tensor *const places = step_vector(e, count, ZV_DTYPE_I64);
    struct step_tensor *const range = step_vector(e, count, ZV_DTYPE_I64);
    step_scratch(e, sort_bytes(count));
    step_drop(e, range);
    step_drop(e, places);
    step_drop(e, sorted);
    step_drop(e, linear);
    e->in_kernel = false;
}

/* zeros, then what was picked is put into them (FunctionsManual.cpp, index_backward). */
static void index_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
    sort_places(e, step_count(&node->saved[0]->shape));
}

struct step_tensor *step_op_index(struct step_engine *e, struct step_tensor *weight,
                                  struct step_tensor *indices)
{
    return rows_of(e, weight, indices, index_backward);
}

/* ---- gather ---- */

static void whole_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
}

struct step_tensor *step_op_gather(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                   struct step_tensor *indices)
{
    (void)dim;
    if (a == NULL || indices == NULL) {
        return NULL;
    }
    struct step_tensor *const result = step_empty(e, &indices->shape, a->dtype);
    struct step_node *const node =
        step_node_new(e, whole_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        step_save(e, node, 0, indices);
        step_save(e, node, 1, a); /* the formula names it, so all of it is kept */
        node->shape = a->shape;
    }
    return step_made_by(e, result, node);
}

/* ---- scatter ---- */

/* self: grad.scatter(dim, index, 0); src: grad.gather(dim, index) */
static void scatter_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    if (step_edge_needed(node, 0)) {
        out[0] = step_like(e, in[0], in[0]->dtype);
    }
    if (step_edge_needed(node, 1)) {
        out[1] = step_empty(e, &node->saved[0]->shape, in[0]->dtype);
    }
}

struct step_tensor *step_op_scatter(struct step_engine *e, struct step_tensor *base,
                                    struct step_tensor *indices, struct step_tensor *source)
{
    if (base == NULL || source == NULL || indices == NULL) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, scatter_backward, (struct step_tensor *const[]){base, source}, 2);
    step_save(e, node, 0, indices);
    return step_made_by(e, step_alias(e, base, &base->shape, base->stride), node);
}

/* ---- index_copy ---- */

static struct step_tensor *columns_grad(struct step_engine *e, const struct step_node *node,
                                        const struct step_tensor *grad)
{
    struct step_shape shape = grad->shape;
    shape.size[node->number[0]] = node->number[1];
    struct step_tensor *const result = step_empty(e, &shape, grad->dtype);
    if (result != NULL) {
        result->is_view = true; /* index_select, then expand_as(source) */
    }
    return result;
}

static void index_copy_backward(struct step_engine *e, struct step_node *node,
                                struct step_tensor **in, struct step_tensor **out)
{
    if (step_edge_needed(node, 0)) {
        out[0] = step_like(e, in[0], in[0]->dtype);
    }
    if (step_edge_needed(node, 1)) {
        out[1] = columns_grad(e, node, in[0]);
    }
}

struct step_tensor *step_op_index_copy(struct step_engine *e, struct step_tensor *base, int64_t dim,
                                       struct step_tensor *indices, struct step_tensor *source,
                                       bool in_place)
{
    if (base == NULL || source == NULL || indices == NULL) {
        return NULL;
    }
    dim += dim < 0 ? base->shape.dims : 0;
    if (dim < 0 || dim >= base->shape.dims || source->shape.dims != base->shape.dims) {
        step_fail(e, ZV_E_SYNTAX, "index_copy: the shapes do not fit");
        return NULL;
    }
    struct step_tensor *const result = in_place ? step_hold(base) : step_like(e, base, base->dtype);
    struct step_node *const node = step_node_new(
        e, index_copy_backward,
        (struct step_tensor *const[]){in_place && !base->needs_grad ? NULL : base, source}, 2);
    if (node != NULL) {
        step_save(e, node, 0, indices);
        if (step_edge_needed(node, 1)) {
            step_save(e, node, 1, source); /* named by expand_as(source): all of it is kept */
        }
        node->number[0] = dim;
        node->number[1] = source->shape.size[dim];
    }
    return step_made_by(e, result, node);
}

/* ---- rows of any tensor, and what a mixture of experts does with them ---- */

static struct step_tensor *taken(struct step_engine *e, struct step_tensor *a,
                                 const struct step_shape *shape, struct step_tensor *indices)
{
    struct step_tensor *const result = step_empty(e, shape, a->dtype);
    struct step_node *const node =
        step_node_new(e, index_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        step_save(e, node, 0, indices);
        node->shape = a->shape;
    }
    return step_made_by(e, result, node);
}

struct step_tensor *step_op_take(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                 struct step_tensor *indices)
{
    if (a == NULL || indices == NULL) {
        return NULL;
    }
    dim += dim < 0 ? a->shape.dims : 0;
    if (dim < 0 || dim >= a->shape.dims || indices->shape.dims != 1) {
        step_fail(e, ZV_E_SYNTAX, "take: a dimension of the tensor and a list of places in it");
        return NULL;
    }
    struct step_shape shape = a->shape;
    shape.size[dim] = indices->shape.size[0];
    return taken(e, a, &shape, indices);
}

struct step_tensor *step_op_take_each(struct step_engine *e, struct step_tensor *a,
                                      struct step_tensor *indices)
{
    if (a == NULL || indices == NULL) {
        return NULL;
    }
    if (indices->shape.dims != 1 || a->shape.dims < 2) {
        step_fail(e, ZV_E_SYNTAX, "take_each: two dimensions and a list of places in them");
        return NULL;
    }
    struct step_shape shape = {.dims = a->shape.dims - 1, .size = {indices->shape.size[0]}};
    for (uint32_t i = 1; i < shape.dims; i++) {
        shape.size[i] = a->shape.size[i + 1];
    }
    return taken(e, a, &shape, indices);
}

static void index_add_backward(struct step_engine *e, struct step_node *node,
                               struct step_tensor **in, struct step_tensor **out)
{
    if (step_edge_needed(node, 1)) { /* source: grad.index_select(), expanded as the source */
        out[1] = step_empty(e, &node->shape, in[0]->dtype);
        if (out[1] != NULL) {
            out[1]->is_view = true;
        }
    }
    out[0] = step_edge_needed(node, 0) ? step_hold(in[0]) : NULL;
}

struct step_tensor *step_op_index_add(struct step_engine *e, struct step_tensor *base,
                                      struct step_tensor *indices, struct step_tensor *source)
{
    if (base == NULL || source == NULL || indices == NULL) {
        return NULL;
    }
    if (source->shape.dims != base->shape.dims || indices->shape.dims != 1) {
        step_fail(e, ZV_E_SYNTAX, "index_add_in_place: the shapes do not fit");
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, index_add_backward, (struct step_tensor *const[]){base, source}, 2);
    if (node != NULL) {
        step_save(e, node, 0, indices);
        step_save(e, node, 1, source); /* named by expand_as(source) */
        node->shape = source->shape;
    }
    return step_made_by(e, step_alias(e, base, &base->shape, base->stride), node);
}

/* value_selecting_reduction_backward: zeros, then scattered into. */
static void topk_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    out[0] = step_empty(e, &node->shape, in[0]->dtype);
}

struct step_tensor *step_op_topk(struct step_engine *e, struct step_tensor *a, int64_t count,
                                 struct step_tensor **indices)
{
    *indices = NULL;
    if (a == NULL) {
        return NULL;
    }
    if (a->shape.dims == 0 || count < 0 || count > a->shape.size[a->shape.dims - 1]) {
        step_fail(e, ZV_E_SYNTAX, "topk: %lld of fewer", (long long)count);
        return NULL;
    }
    struct step_shape shape = a->shape;
    shape.size[shape.dims - 1] = count;
    struct step_tensor *const values = step_empty(e, &shape, a->dtype);
    *indices = step_empty(e, &shape, ZV_DTYPE_I64);
    struct step_node *const node =
        step_node_new(e, topk_backward, (struct step_tensor *const[]){a}, 1);
    if (node != NULL) {
        node->shape = a->shape;
        step_save(e, node, 0, *indices);
    }
    return step_made_by(e, values, node);
}
