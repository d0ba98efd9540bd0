/* What operations on dimensions share: op_view.c has it, op_parts.c and op_reduce.c use it. */
#ifndef ZIRVE_STEP_OP_VIEW_H
#define ZIRVE_STEP_OP_VIEW_H

#include "step/engine.h"

/* Makes a dimension that counts from either end count from the start, among so many more than a
 * has; false with the error set. */
bool step_dim_of(struct step_engine *e, const struct step_tensor *a, int64_t *dim, int64_t more);

/* A dimension of size 1 put in or taken out at `at`. */
void step_resize_dims(const struct step_tensor *t, uint32_t at, bool in, struct step_shape *shape,
                      int64_t *stride);

/* A view of a with a node; the caller fills in what backward needs. *to may be NULL. */
struct step_tensor *step_view_of(struct step_engine *e, struct step_tensor *a,
                                 const struct step_shape *shape, const int64_t *stride,
                                 step_backward_fn *backward, struct step_node **to);

#endif
