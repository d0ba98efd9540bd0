#include "step/tensor_layout.h"

#include <string.h>

uint64_t step_element_bytes(enum zv_dtype dtype)
{
    uint64_t elements = 0;
    uint64_t bytes = 0;
    return zv_dtype_block(dtype, &elements, &bytes) && elements == 1 ? bytes : 0;
}

bool step_is_float(enum zv_dtype dtype)
{
    return dtype == ZV_DTYPE_F32 || dtype == ZV_DTYPE_BF16 || dtype == ZV_DTYPE_F16 ||
           dtype == ZV_DTYPE_F64;
}

enum zv_dtype step_promote(enum zv_dtype a, enum zv_dtype b)
{
    static const enum zv_dtype order[] = {
        ZV_DTYPE_BOOL,    ZV_DTYPE_U8,  ZV_DTYPE_I8,   ZV_DTYPE_I32, ZV_DTYPE_I64, ZV_DTYPE_F8_E4M3,
        ZV_DTYPE_F8_E5M2, ZV_DTYPE_F16, ZV_DTYPE_BF16, ZV_DTYPE_F32, ZV_DTYPE_F64};
    if (a == b) {
        return a;
    }
    if ((a == ZV_DTYPE_F16 && b == ZV_DTYPE_BF16) || (a == ZV_DTYPE_BF16 && b == ZV_DTYPE_F16)) {
        return ZV_DTYPE_F32;
    }
    size_t at[2] = {0, 0};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at[0] = order[i] == a ? i : at[0];
        at[1] = order[i] == b ? i : at[1];
    }
    return at[0] > at[1] ? a : b;
}

bool step_elements(const struct step_shape *shape, int64_t *to)
{
    int64_t product = 1;
    bool empty = false;
    for (uint32_t i = 0; i < shape->dims; i++) {
        empty |= shape->size[i] == 0;
        if (shape->size[i] < 0 ||
            (shape->size[i] != 0 && __builtin_mul_overflow(product, shape->size[i], &product)) ||
            product > INT64_MAX / 2) {
            return false;
        }
    }
    *to = empty ? 0 : product;
    return true;
}

int64_t step_count(const struct step_shape *shape)
{
    int64_t count = 0;
    (void)step_elements(shape, &count);
    return count;
}

bool step_same_shape(const struct step_shape *a, const struct step_shape *b)
{
    if (a->dims != b->dims) {
        return false;
    }
    for (uint32_t i = 0; i < a->dims; i++) {
        if (a->size[i] != b->size[i]) {
            return false;
        }
    }
    return true;
}

void step_contiguous_strides(const struct step_shape *shape, int64_t *to)
{
    int64_t step = 1;
    for (uint32_t i = shape->dims; i-- > 0;) {
        to[i] = step;
        step *= shape->size[i] > 1 ? shape->size[i] : 1;
    }
}

bool step_is_contiguous(const struct step_tensor *t)
{
    int64_t step = 1;
    for (uint32_t i = t->shape.dims; i-- > 0;) {
        if (t->shape.size[i] != 1) {
            if (t->stride[i] != step) {
                return false;
            }
            step *= t->shape.size[i];
        }
    }
    return true;
}

bool step_is_dense(const struct step_tensor *t)
{
    int64_t step = 1;
    uint32_t left = 0;
    for (uint32_t i = 0; i < t->shape.dims; i++) {
        left |= t->shape.size[i] != 1 ? 1U << i : 0;
    }
    while (left != 0) { /* the next dimension outwards starts where the last one ends */
        uint32_t next = STEP_MAX_DIMS;
        for (uint32_t i = 0; i < t->shape.dims; i++) {
            if ((left >> i & 1) != 0 && t->stride[i] == step) {
                next = i;
            }
        }
        if (next == STEP_MAX_DIMS) {
            return false;
        }
        step *= t->shape.size[next];
        left &= ~(1U << next);
    }
    return true;
}

bool step_broadcast(const struct step_tensor *const *t, size_t count, struct step_shape *to)
{
    *to = (struct step_shape){0};
    for (size_t k = 0; k < count; k++) {
        if (t[k] != NULL && t[k]->shape.dims > to->dims) {
            to->dims = t[k]->shape.dims;
        }
    }
    for (uint32_t i = 0; i < to->dims; i++) {
        to->size[i] = 1;
        for (size_t k = 0; k < count; k++) {
            if (t[k] == NULL || i < to->dims - t[k]->shape.dims) {
                continue;
            }
            const int64_t size = t[k]->shape.size[i - (to->dims - t[k]->shape.dims)];
            if (size != 1 && to->size[i] != 1 && to->size[i] != size) {
                return false;
            }
            to->size[i] = size != 1 ? size : to->size[i];
        }
    }
    return true;
}

/* ---- TensorIterator ---- */

/* Strides of the operands in the result's dimensions: 0 where an operand is repeated. */
struct spread {
    int64_t stride[4][STEP_MAX_DIMS];
    size_t count;
};

static void spread_out(const struct step_shape *shape, const struct step_tensor *const *t,
                       size_t count, struct spread *to)
{
    to->count = 0;
    for (size_t k = 0; k < count && to->count < 4; k++) {
        if (t[k] == NULL) {
            continue;
        }
        int64_t *const stride = to->stride[to->count++];
        const uint32_t ahead = shape->dims - t[k]->shape.dims;
        for (uint32_t i = 0; i < shape->dims; i++) {
            const bool own =
                i >= ahead && (t[k]->shape.size[i - ahead] != 1 || shape->size[i] == 1);
            stride[i] = own ? t[k]->stride[i - ahead] : 0;
        }
    }
}

/* Whether dimension a belongs outside b: 1, inside: -1, no operand tells: 0. */
static int compare_dims(const struct step_shape *shape, const struct spread *spread, uint32_t a,
                        uint32_t b)
{
    for (size_t k = 0; k < spread->count; k++) {
        const int64_t first = spread->stride[k][a];
        const int64_t second = spread->stride[k][b];
        if (first == 0 || second == 0) {
            continue;
        }
        if (first != second) {
            return first < second ? -1 : 1;
        }
        if (shape->size[a] > shape->size[b]) {
            return 1;
        }
    }
    return 0;
}

static void permuted_strides(const struct step_shape *shape, const struct spread *spread,
                             int64_t *to)
{
    uint32_t order[STEP_MAX_DIMS] = {0}; /* from the innermost outwards */
    for (uint32_t i = 0; i < shape->dims; i++) {
        order[i] = shape->dims - 1 - i;
    }
    for (uint32_t i = 1; i < shape->dims; i++) { /* an insertion sort that may not decide */
        uint32_t at = i;
        for (uint32_t other = i; other-- > 0;) {
            const int compared = compare_dims(shape, spread, order[other], order[at]);
            if (compared > 0) {
                const uint32_t kept = order[other];
                order[other] = order[at];
                order[at] = kept;
                at = other;
            } else if (compared < 0) {
                break;
            }
        }
    }
    int64_t step = 1;
    for (uint32_t i = 0; i < shape->dims; i++) {
        to[order[i]] = step;
        step *= shape->size[order[i]] > 1 ? shape->size[order[i]] : 1;
    }
}

void step_result_strides(const struct step_shape *shape, const struct step_tensor *const *t,
                         size_t count, int64_t *to)
{
    bool contiguous = true;
    bool alike = true;
    const struct step_tensor *first = NULL;
    for (size_t k = 0; k < count; k++) {
        if (t[k] == NULL) {
            continue;
        }
        first = first == NULL ? t[k] : first;
        const bool whole = step_same_shape(&t[k]->shape, shape);
        contiguous &= whole && step_is_contiguous(t[k]);
        alike &= whole && memcmp(t[k]->stride, first->stride, shape->dims * sizeof *to) == 0;
    }
    if (shape->dims <= 1 || contiguous || first == NULL) {
        step_contiguous_strides(shape, to);
    } else if (alike && step_is_dense(first)) {
        memcpy(to, first->stride, shape->dims * sizeof *to);
    } else {
        struct spread spread;
        spread_out(shape, t, count, &spread);
        permuted_strides(shape, &spread, to);
    }
}

/* ---- views ---- */

bool step_view_strides(const struct step_tensor *t, const struct step_shape *shape, int64_t *to)
{
    if (step_count(&t->shape) == 0) {
        step_contiguous_strides(shape, to);
        return true;
    }
    if (t->shape.dims == 0) {
        for (uint32_t i = 0; i < shape->dims; i++) {
            to[i] = 1;
        }
        return true;
    }
    int64_t left = shape->dims;
    int64_t base = t->stride[t->shape.dims - 1];
    int64_t run = 1;     /* elements of the old dimensions that lie in one run */
    int64_t covered = 1; /* elements of the new ones */
    for (uint32_t i = t->shape.dims; i-- > 0;) {
        run *= t->shape.size[i];
        if (i != 0 && (t->shape.size[i - 1] == 1 || t->stride[i - 1] == run * base)) {
            continue;
        }
        while (left > 0 && (covered < run || shape->size[left - 1] == 1)) {
            left--;
            to[left] = covered * base;
            covered *= shape->size[left];
        }
        if (covered != run) {
            return false;
        }
        base = i != 0 ? t->stride[i - 1] : base;
        run = covered = 1;
    }
    return left == 0;
}

bool step_expand_strides(const struct step_tensor *t, const struct step_shape *shape, int64_t *to)
{
    if (t->shape.dims > shape->dims) {
        return false;
    }
    const uint32_t ahead = shape->dims - t->shape.dims;
    for (uint32_t i = 0; i < shape->dims; i++) {
        const int64_t size = i >= ahead ? t->shape.size[i - ahead] : 1;
        if (size != 1 && size != shape->size[i]) {
            return false;
        }
        to[i] = i < ahead || (size == 1 && shape->size[i] != 1) ? 0 : t->stride[i - ahead];
    }
    return true;
}
