/* Shapes, strides and element types: the arithmetic that decides what an operation allocates. */
#ifndef ZIRVE_STEP_TENSOR_LAYOUT_H
#define ZIRVE_STEP_TENSOR_LAYOUT_H

#include "step/engine.h"

/* Bytes of one element; 0 for a type that no tensor of a step has. */
uint64_t step_element_bytes(enum zv_dtype dtype);
bool step_is_float(enum zv_dtype dtype);

/* The type of a result of both (torch.promote_types; f16 with bf16 gives f32). */
enum zv_dtype step_promote(enum zv_dtype a, enum zv_dtype b);

/* Elements; false when they are more than 2^62. */
bool step_elements(const struct step_shape *shape, int64_t *to);
int64_t step_count(const struct step_shape *shape); /* of a shape that exists */
bool step_same_shape(const struct step_shape *a, const struct step_shape *b);

void step_contiguous_strides(const struct step_shape *shape, int64_t *to);
bool step_is_contiguous(const struct step_tensor *t);
/* No gaps and no overlaps, in any order of dimensions. */
bool step_is_dense(const struct step_tensor *t);

/* The shape that operands broadcast to; false when they do not fit. NULL operands are left out. */
bool step_broadcast(const struct step_tensor *const *t, size_t count, struct step_shape *to);

/* The strides that TensorIterator gives the result of an elementwise operation (its shape given).
 * Source: ATen/TensorIterator.cpp, reorder_dimensions and allocate_or_resize_outputs. */
void step_result_strides(const struct step_shape *shape, const struct step_tensor *const *t,
                         size_t count, int64_t *to);

/* The strides of t seen in another shape; false when that needs a copy. Source: ATen/TensorUtils
 * computeStride. */
bool step_view_strides(const struct step_tensor *t, const struct step_shape *shape, int64_t *to);

/* Source: ATen/native/ExpandUtils: strides of t seen in the larger shape. */
bool step_expand_strides(const struct step_tensor *t, const struct step_shape *shape, int64_t *to);

#endif
