/* What operations of the language are given, and those that stand in files of their own. */
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

/* ---- tensors looked at, taken apart and joined (program_views.c) ---- */

struct step_value step_call_size(struct step_call *call);
struct step_value step_call_dims(struct step_call *call);
struct step_value step_call_elements(struct step_call *call);
struct step_value step_call_type(struct step_call *call);
struct step_value step_call_needs_grad(struct step_call *call);
struct step_value step_call_shape(struct step_call *call); /* sizes, as a list */
struct step_value step_call_bytes(struct step_call *call);
struct step_value step_call_is_packed(struct step_call *call);
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

/* ---- lists (program_lists.c) ---- */

struct step_value step_call_append(struct step_call *call);
struct step_value step_call_count(struct step_call *call);
struct step_value step_call_map(struct step_call *call);
struct step_value step_call_clear_list(struct step_call *call); /* all entries dropped */
struct step_value step_call_pop(struct step_call *call);        /* the last entry, taken off */
struct step_value step_call_has(struct step_call *call);        /* whether a parameter is in it */
struct step_value step_call_without(struct step_call *call); /* a list without another's entries */
struct step_value step_call_by_type(struct step_call *call);
struct step_value step_call_cast(struct step_call *call); /* all tensors of floats in it */

/* ---- surroundings (program_surroundings.c) ---- */

struct step_value step_call_no_grad(struct step_call *call);
struct step_value step_call_inference(struct step_call *call);
struct step_value step_call_evaluating(struct step_call *call);
struct step_value step_call_enable_grad(struct step_call *call);
struct step_value step_call_autocast(struct step_call *call);
struct step_value step_call_purpose(struct step_call *call);
struct step_value step_call_stream(struct step_call *call);
struct step_value step_call_host(struct step_call *call);
struct step_value step_call_is_training(struct step_call *call);

/* ---- op_given.c, op_liger.c ---- */

struct step_value step_call_given_grads(struct step_call *call);
struct step_value step_call_liger_rms(struct step_call *call);
struct step_value step_call_liger_rope(struct step_call *call);
struct step_value step_call_liger_swiglu(struct step_call *call);

#endif
