/*
 * The operations on tensors: what each makes, saves and frees, forward and backward.
 *
 * A unary one is a row of data (op_pointwise.c): what is cast, what is saved, what backward
 * allocates. The others are functions here, which call each other as ATen's do. By which names
 * programs call them: step_operations (program_ops.c).
 */
#ifndef ZIRVE_STEP_OP_TABLE_H
#define ZIRVE_STEP_OP_TABLE_H

#include "step/engine.h"

/* ---- elementwise (op_pointwise.c) ---- */

/* A number has no type of its own: it does not change the result's. b NULL: a number. */
struct step_tensor *step_op_add(struct step_engine *e, struct step_tensor *a,
                                struct step_tensor *b);
struct step_tensor *step_op_sub(struct step_engine *e, struct step_tensor *a,
                                struct step_tensor *b);
/* a += b, without a new tensor; b NULL: a number. Also a -= b. */
struct step_tensor *step_op_scale_view_in_place(struct step_engine *e, struct step_tensor *a);
struct step_tensor *step_op_add_in_place(struct step_engine *e, struct step_tensor *a,
                                         struct step_tensor *b);
struct step_tensor *step_op_mul(struct step_engine *e, struct step_tensor *a,
                                struct step_tensor *b);
struct step_tensor *step_op_div(struct step_engine *e, struct step_tensor *a,
                                struct step_tensor *b);
/* a /= b: what a was is copied when b needs a gradient. b NULL: a number, also a *= one. */
struct step_tensor *step_op_div_in_place(struct step_engine *e, struct step_tensor *a,
                                         struct step_tensor *b);
struct step_tensor *step_op_mul_in_place(struct step_engine *e, struct step_tensor *a,
                                         struct step_tensor *b);
struct step_tensor *step_op_mul_view_in_place(struct step_engine *e, struct step_tensor *a,
                                              struct step_tensor *b);
struct step_tensor *step_op_to(struct step_engine *e, struct step_tensor *a, enum zv_dtype dtype);
struct step_tensor *step_op_clone(struct step_engine *e, struct step_tensor *a, bool contiguous);
struct step_tensor *step_op_contiguous(struct step_engine *e, struct step_tensor *a);
/* other: of what is masked; NULL: a number, for which a tensor is made. It gets no gradient. */
struct step_tensor *step_op_where(struct step_engine *e, struct step_tensor *mask,
                                  struct step_tensor *a, struct step_tensor *other);
/* Pairs of fp32 as complex numbers, and back. */
struct step_tensor *step_op_as_complex(struct step_engine *e, struct step_tensor *a);
struct step_tensor *step_op_as_real(struct step_engine *e, struct step_tensor *a);
/* Between two bounds, or below one (bounds: 1). */
struct step_tensor *step_op_clamp(struct step_engine *e, struct step_tensor *x, int64_t bounds);
struct step_tensor *step_op_masked_fill(struct step_engine *e, struct step_tensor *a,
                                        struct step_tensor *mask);
struct step_tensor *step_op_dropout(struct step_engine *e, struct step_tensor *a);
/* Without a graph: a new tensor of the operands' broadcast shape. */
struct step_tensor *step_elementwise(struct step_engine *e, const struct step_tensor *const *t,
                                     size_t count, enum zv_dtype dtype);

/* One row of the table of unary operations. */
struct step_unary {
    const char *name;
    bool wide;             /* autocast runs it in fp32 */
    char saves;            /* 's' its input, 'r' its result, '-' nothing */
    const char *temporary; /* of backward, in order: 's' as what was saved, 'g' as the gradient */
};
/* The row's index, -1 when there is none. */
int step_unary_index(struct zv_slice name);
const char *step_unary_name(uint32_t index); /* "" when there is none */
struct step_tensor *step_op_unary(struct step_engine *e, uint32_t index, struct step_tensor *a);

/* ---- views (op_view.c, op_parts.c) ---- */

/* -1 in one size of shape stands for the rest. */
struct step_tensor *step_op_view(struct step_engine *e, struct step_tensor *a,
                                 const struct step_shape *shape);
struct step_tensor *step_op_reshape(struct step_engine *e, struct step_tensor *a,
                                    const struct step_shape *shape);
struct step_tensor *step_op_permute(struct step_engine *e, struct step_tensor *a,
                                    const int64_t *order);
struct step_tensor *step_op_transpose(struct step_engine *e, struct step_tensor *a, int64_t first,
                                      int64_t second);
struct step_tensor *step_op_unsqueeze(struct step_engine *e, struct step_tensor *a, int64_t dim);
struct step_tensor *step_op_squeeze(struct step_engine *e, struct step_tensor *a, int64_t dim);
struct step_tensor *step_op_expand(struct step_engine *e, struct step_tensor *a,
                                   const struct step_shape *shape);
/* to INT64_MAX: to the end, as x[from:]. */
struct step_tensor *step_op_slice(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                  int64_t from, int64_t to);
/* x[from::step] along dim. */
struct step_tensor *step_op_every(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                  int64_t from, int64_t step);
struct step_tensor *step_op_select(struct step_engine *e, struct step_tensor *a, int64_t dim);
/* Parts along dim; sizes has count entries. to gets count references. */
bool step_op_split(struct step_engine *e, struct step_tensor *a, int64_t dim, const int64_t *sizes,
                   size_t count, struct step_tensor **to);
bool step_op_unbind(struct step_engine *e, struct step_tensor *a, int64_t dim, size_t count,
                    struct step_tensor **to);
/* For operations with a backward that reshapes (matmul). */
struct step_tensor *step_unsafe_view(struct step_engine *e, struct step_tensor *a,
                                     const struct step_shape *shape);

/* ---- joining (op_join.c) ---- */

/* least: a type that an empty part has; ZV_DTYPE_UNKNOWN: there is none. */
struct step_tensor *step_op_cat(struct step_engine *e, struct step_tensor *const *t, size_t count,
                                int64_t dim, enum zv_dtype least);
struct step_tensor *step_op_stack(struct step_engine *e, struct step_tensor *const *t, size_t count,
                                  int64_t dim);

/* ---- reductions (op_reduce.c) ---- */

struct step_tensor *step_op_mean(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                 bool keep);
struct step_tensor *step_op_mean_all(struct step_engine *e, struct step_tensor *a);
struct step_tensor *step_op_norm_all(struct step_engine *e, struct step_tensor *a);
struct step_tensor *step_op_sum(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                bool keep);
/* indices may be NULL. */
struct step_tensor *step_op_max(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                struct step_tensor **indices);

/* ---- matrices (op_matrix.c, op_einsum.c) ---- */

struct step_tensor *step_op_addmm(struct step_engine *e, struct step_tensor *bias,
                                  struct step_tensor *a, struct step_tensor *b);
struct step_tensor *step_op_bmm(struct step_engine *e, struct step_tensor *a,
                                struct step_tensor *b);
/* base.baddbmm(a, b, alpha=…), base broadcast */
struct step_tensor *step_op_baddbmm(struct step_engine *e, struct step_tensor *base,
                                    struct step_tensor *a, struct step_tensor *b);
struct step_tensor *step_op_matmul(struct step_engine *e, struct step_tensor *a,
                                   struct step_tensor *b);
struct step_tensor *step_op_linear(struct step_engine *e, struct step_tensor *x,
                                   struct step_tensor *weight, struct step_tensor *bias);
struct step_tensor *step_op_einsum(struct step_engine *e, struct zv_slice equation,
                                   struct step_tensor *a, struct step_tensor *b);
/* In so many dimensions behind the channels, every `step` places, `padding` zeros at both ends. */
struct step_window {
    uint32_t dims;
    int64_t step;
    int64_t padding;
};
/* bias may be NULL. */
struct step_tensor *step_op_convolve(struct step_engine *e, struct step_tensor *x,
                                     struct step_tensor *weight, struct step_tensor *bias,
                                     const struct step_window *window);

/* ---- tables (op_lookup.c) ---- */

struct step_tensor *step_op_embedding(struct step_engine *e, struct step_tensor *weight,
                                      struct step_tensor *indices);
struct step_tensor *step_op_index(struct step_engine *e, struct step_tensor *weight,
                                  struct step_tensor *indices);
struct step_tensor *step_op_gather(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                   struct step_tensor *indices);
/* a[…, indices, …] at one dimension; and of the first two at once (routing[rows, columns]). */
struct step_tensor *step_op_take(struct step_engine *e, struct step_tensor *a, int64_t dim,
                                 struct step_tensor *indices);
struct step_tensor *step_op_take_each(struct step_engine *e, struct step_tensor *a,
                                      struct step_tensor *indices);
/* base.index_add_(0, indices, source) */
struct step_tensor *step_op_index_add(struct step_engine *e, struct step_tensor *base,
                                      struct step_tensor *indices, struct step_tensor *source);
/* The largest of the last dimension. */
struct step_tensor *step_op_topk(struct step_engine *e, struct step_tensor *a, int64_t count,
                                 struct step_tensor **indices);
/* base.scatter_(dim, indices, source) */
struct step_tensor *step_op_scatter(struct step_engine *e, struct step_tensor *base,
                                    struct step_tensor *indices, struct step_tensor *source);
/* The columns of source put into a copy of base (in_place: into base itself). */
struct step_tensor *step_op_index_copy(struct step_engine *e, struct step_tensor *base, int64_t dim,
                                       struct step_tensor *indices, struct step_tensor *source,
                                       bool in_place);

/* ---- softmax, norms, losses (op_normalise.c) ---- */

/* dtype UNKNOWN: the input's. */
struct step_tensor *step_op_softmax(struct step_engine *e, struct step_tensor *a,
                                    enum zv_dtype dtype);
/* What scaled_dot_product_attention uses where it has no kernel. */
struct step_tensor *step_op_safe_softmax(struct step_engine *e, struct step_tensor *a);
struct step_tensor *step_op_log_softmax(struct step_engine *e, struct step_tensor *a,
                                        enum zv_dtype dtype);
struct step_tensor *step_op_nll_loss(struct step_engine *e, struct step_tensor *a,
                                     struct step_tensor *target, bool mean);
struct step_tensor *step_op_layer_norm(struct step_engine *e, struct step_tensor *x,
                                       struct step_tensor *weight, struct step_tensor *bias);

/* ---- attention (op_attention.h): q, k, v are batch, heads, tokens, head size ---- */

/* FlashAttention 2 (PyTorch 2.2 and later), and the first one (2.1). */
struct step_tensor *step_op_flash(struct step_engine *e, struct step_tensor *q,
                                  struct step_tensor *k, struct step_tensor *v);
struct step_tensor *step_op_flash1(struct step_engine *e, struct step_tensor *q,
                                   struct step_tensor *k, struct step_tensor *v);
/* mask NULL: none, or a causal one that is not stated. */
struct step_tensor *step_op_efficient(struct step_engine *e, struct step_tensor *q,
                                      struct step_tensor *k, struct step_tensor *v,
                                      struct step_tensor *mask);
/* flex_attention, compiled by itself. */
struct step_tensor *step_op_flex(struct step_engine *e, struct step_tensor *q,
                                 struct step_tensor *k, struct step_tensor *v);

/* ---- packed weights (op_packed.c) ---- */

struct step_tensor *step_op_linear_packed(struct step_engine *e, struct step_tensor *x,
                                          struct step_tensor *weight, struct step_tensor *bias);

#endif
