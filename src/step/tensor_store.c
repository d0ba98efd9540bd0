/* Tensors: counted references to storages (storage_store.c), with a shape. */
#include <string.h>

#include "base/fail.h"
#include "step/engine.h"
#include "step/tensor_layout.h"

enum { POOL_ENTRIES = 256 };

static struct step_tensor *take_tensor(struct step_engine *e)
{
    if (e->unused_tensors == NULL) {
        struct step_tensor *const more = zv_arena_array(e->arena, POOL_ENTRIES, sizeof *more);
        for (size_t i = 0; more != NULL && i < POOL_ENTRIES; i++) {
            more[i].grad = e->unused_tensors;
            e->unused_tensors = &more[i];
        }
    }
    struct step_tensor *const t = e->unused_tensors;
    if (t == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for the step's tensors");
        return NULL;
    }
    e->unused_tensors = t->grad;
    return t;
}

/* Takes over the use of storage, also when it fails. */
static struct step_tensor *over(struct step_engine *e, struct step_storage *storage,
                                const struct step_shape *shape, const int64_t *stride,
                                enum zv_dtype dtype)
{
    struct step_tensor *const t = storage != NULL ? take_tensor(e) : NULL;
    if (t == NULL) {
        step_storage_drop(e, storage);
        return NULL;
    }
    *t = (struct step_tensor){.refs = 1, .dtype = dtype, .storage = storage, .shape = *shape};
    memcpy(t->stride, stride, sizeof t->stride);
    return t;
}

struct step_tensor *step_empty_strided(struct step_engine *e, const struct step_shape *shape,
                                       const int64_t *stride, enum zv_dtype dtype)
{
    if (!step_ok(e)) {
        return NULL;
    }
    int64_t elements = 0;
    const int64_t each = (int64_t)step_element_bytes(dtype);
    if (each == 0) {
        step_fail(e, ZV_E_UNSUPPORTED, "no tensor of a step has the type %s", zv_dtype_name(dtype));
        return NULL;
    }
    if (!step_elements(shape, &elements) || elements > INT64_MAX / each) {
        step_fail(e, ZV_E_OVERFLOW, "a tensor of more than 2^63 bytes");
        return NULL;
    }
    return over(e, step_storage_new(e, (uint64_t)(elements * each)), shape, stride, dtype);
}

struct step_tensor *step_empty(struct step_engine *e, const struct step_shape *shape,
                               enum zv_dtype dtype)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    int64_t elements;
    if (step_elements(shape, &elements)) {
        step_contiguous_strides(shape, stride);
    }
    return step_empty_strided(e, shape, stride, dtype);
}

struct step_tensor *step_kernel_copy(struct step_engine *e, const struct step_tensor *t)
{
    const bool in_kernel = e->in_kernel;
    e->in_kernel = true;
    struct step_tensor *const copy =
        t == NULL || step_is_contiguous(t) ? NULL : step_empty(e, &t->shape, t->dtype);
    e->in_kernel = in_kernel;
    return copy;
}

struct step_tensor *step_like(struct step_engine *e, const struct step_tensor *t,
                              enum zv_dtype dtype)
{
    if (t == NULL) {
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    if (step_is_dense(t)) {
        memcpy(stride, t->stride, sizeof stride);
    } else {
        step_result_strides(&t->shape, &t, 1, stride);
    }
    return step_empty_strided(e, &t->shape, stride, dtype);
}

struct step_tensor *step_managed(struct step_engine *e, const struct step_tensor *t,
                                 enum zv_dtype dtype)
{
    int64_t elements = 0;
    int64_t stride[STEP_MAX_DIMS] = {0};
    const uint64_t each = step_element_bytes(dtype);
    if (t == NULL || !step_ok(e)) {
        return NULL;
    }
    if (!step_elements(&t->shape, &elements) || each == 0 ||
        (uint64_t)elements > INT64_MAX / each) {
        step_fail(e, ZV_E_OVERFLOW, "a tensor of more than 2^63 bytes");
        return NULL;
    }
    step_contiguous_strides(&t->shape, stride);
    return over(e, step_storage_managed(e, (uint64_t)elements * each), &t->shape, stride, dtype);
}

struct step_tensor *step_vector(struct step_engine *e, int64_t size, enum zv_dtype dtype)
{
    const struct step_shape shape = {.dims = 1, .size = {size}};
    return step_empty(e, &shape, dtype);
}

struct step_tensor *step_scalar(struct step_engine *e, enum zv_dtype dtype)
{
    const struct step_shape shape = {0};
    return step_empty(e, &shape, dtype);
}

struct step_tensor *step_alias(struct step_engine *e, const struct step_tensor *t,
                               const struct step_shape *shape, const int64_t *stride)
{
    if (t == NULL || !step_ok(e)) {
        return NULL;
    }
    t->storage->refs++;
    return over(e, t->storage, shape, stride, t->dtype);
}

struct step_tensor *step_grad_view(struct step_engine *e, const struct step_tensor *t,
                                   const struct step_shape *shape, const int64_t *stride)
{
    struct step_tensor *const view = step_alias(e, t, shape, stride);
    if (view != NULL) {
        view->is_view = true;
    }
    return view;
}

struct step_tensor *step_detach(struct step_engine *e, const struct step_tensor *t)
{
    if (t == NULL) {
        return NULL;
    }
    struct step_tensor *const copy = step_alias(e, t, &t->shape, t->stride);
    if (copy != NULL) {
        copy->packed = t->packed;
    }
    return copy;
}

struct step_tensor *step_hold(struct step_tensor *t)
{
    if (t != NULL) {
        t->refs++;
    }
    return t;
}

/* NOLINTNEXTLINE(misc-no-recursion): a gradient has none of its own; nodes wait in a list */
void step_drop(struct step_engine *e, struct step_tensor *t)
{
    if (t == NULL || --t->refs != 0) {
        return;
    }
    struct step_storage *const storage = t->storage;
    struct step_node *const node = t->node;
    struct step_tensor *const grad = t->grad;
    if (t->hooks != NULL) {
        step_hooks_drop(e, t->hooks);
    }
    t->grad = e->unused_tensors;
    e->unused_tensors = t;
    step_drop(e, grad); /* TensorImpl::release_resources: what autograd has of it goes first */
    step_node_drop(e, node);
    step_storage_drop(e, storage);
}

void step_clear(struct step_engine *e, struct step_tensor **t)
{
    struct step_tensor *const old = *t;
    *t = NULL;
    step_drop(e, old);
}
