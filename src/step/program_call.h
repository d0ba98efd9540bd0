/* What operations of the language are given, and those of program_views.c and program_lists.c. */
#ifndef ZIRVE_STEP_PROGRAM_CALL_H
#define ZIRVE_STEP_PROGRAM_CALL_H

#include "step/program_run.h"

/* Argument `at`, borrowed; NULL when there is none or it is none. */
struct step_tensor *step_arg_tensor(const struct step_call *call, size_t at);

/* Argument `at`, or `otherwise` when it was left out. */
int64_t step_arg_number(const struct step_call *call, size_t at, int64_t otherwise);
enum zv_dtype step_arg_dtype(const struct step_call *call, size_t at, enum zv_dtype otherwise);

/* A list argument as a shape; false with the error set. */
bool step_shape_of(struct step_call *call, size_t at, struct step_shape *to);

/* The tensors of a list argument, borrowed, in the arena; NULL with the error set. */
struct step_tensor **step_arg_tensors(struct step_call *call, size_t at, size_t *count);

/* A list of tensors that are given away. */
struct step_value step_list_of(struct step_call *call, struct step_tensor **t, size_t count);

/* Makes a dimension that counts from the end count from the start; false with the error set. */
bool step_wrap_dim(struct step_call *call, const struct step_tensor *t, int64_t *dim);

struct step_value step_call_size(struct step_call *call);
struct step_value step_call_dims(struct step_call *call);
struct step_value step_call_elements(struct step_call *call);
struct step_value step_call_type(struct step_call *call);
struct step_value step_call_needs_grad(struct step_call *call);
struct step_value step_call_view(struct step_call *call);
struct step_value step_call_reshape(struct step_call *call);
struct step_value step_call_expand(struct step_call *call);
struct step_value step_call_permute(struct step_call *call);
struct step_value step_call_transpose(struct step_call *call);
struct step_value step_call_unsqueeze(struct step_call *call);
struct step_value step_call_squeeze(struct step_call *call);
struct step_value step_call_slice(struct step_call *call);
struct step_value step_call_every(struct step_call *call);
struct step_value step_call_select_one(struct step_call *call);
struct step_value step_call_split(struct step_call *call);
struct step_value step_call_split_every(struct step_call *call);
struct step_value step_call_unbind(struct step_call *call);
struct step_value step_call_cat(struct step_call *call);
struct step_value step_call_stack(struct step_call *call);
struct step_value step_call_given_grads(struct step_call *call); /* op_given.c */
struct step_value step_call_liger_rms(struct step_call *call);   /* op_liger.c */
struct step_value step_call_liger_rope(struct step_call *call);
struct step_value step_call_liger_swiglu(struct step_call *call);
struct step_value step_call_append(struct step_call *call);
struct step_value step_call_count(struct step_call *call);
struct step_value step_call_map(struct step_call *call);
struct step_value step_call_by_type(struct step_call *call);

#endif
