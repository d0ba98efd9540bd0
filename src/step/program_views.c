/* Operations of the language that look at tensors, take parts of them or join them. */
#include "step/op_table.h"
#include "step/program_call.h"
#include "step/tensor_layout.h"

enum { MANY = 4096 };

static const struct step_value none = {.kind = STEP_IS_NONE};

/* ---- facts about tensors ---- */

struct step_value step_call_size(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    int64_t dim = step_arg_number(call, 1, 0);
    if (t != NULL && t->packed != NULL && dim >= 0 && dim < 2) {
        return step_number(dim == 0 ? t->packed->rows : t->packed->columns);
    }
    return t != NULL && step_wrap_dim(call, t, &dim) ? step_number(t->shape.size[dim]) : none;
}

struct step_value step_call_dims(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    return t != NULL ? step_number(t->shape.dims) : none;
}

struct step_value step_call_elements(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    return t != NULL ? step_number(step_count(&t->shape)) : none;
}

struct step_value step_call_type(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    return t != NULL ? (struct step_value){.kind = STEP_IS_DTYPE, .number = (int64_t)t->dtype}
                     : none;
}

struct step_value step_call_needs_grad(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    return t != NULL ? step_number(t->needs_grad) : none;
}

struct step_value step_call_shape(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    struct step_list *const list = step_list_new(call->run, t->shape.dims);
    for (uint32_t i = 0; list != NULL && i < t->shape.dims; i++) {
        (void)step_list_add(call->run, list, step_number(t->shape.size[i]));
    }
    return step_list_value(list);
}

/* bytes(x): of a dense tensor of its shape and type */
struct step_value step_call_bytes(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    return step_number(step_count(&t->shape) * (int64_t)step_element_bytes(t->dtype));
}

struct step_value step_call_is_packed(struct step_call *call)
{
    return step_number(step_arg_tensor(call, 0)->packed != NULL);
}

/* ---- views ---- */

struct step_value step_call_view(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 1, &shape)
               ? step_value_of(step_op_view(call->e, step_arg_tensor(call, 0), &shape))
               : none;
}

struct step_value step_call_reshape(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 1, &shape)
               ? step_value_of(step_op_reshape(call->e, step_arg_tensor(call, 0), &shape))
               : none;
}

struct step_value step_call_expand(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 1, &shape)
               ? step_value_of(step_op_expand(call->e, step_arg_tensor(call, 0), &shape))
               : none;
}

struct step_value step_call_permute(struct step_call *call)
{
    struct step_shape order;
    if (!step_shape_of(call, 1, &order)) {
        return none;
    }
    struct step_tensor *const t = step_arg_tensor(call, 0);
    if (t == NULL || order.dims != t->shape.dims) {
        step_fail(call->e, ZV_E_SYNTAX, "permute: an order of %u for another number of dimensions",
                  order.dims);
        return none;
    }
    return step_value_of(step_op_permute(call->e, t, order.size));
}

struct step_value step_call_transpose(struct step_call *call)
{
    return step_value_of(step_op_transpose(call->e, step_arg_tensor(call, 0),
                                           step_arg_number(call, 1, 0),
                                           step_arg_number(call, 2, 0)));
}

struct step_value step_call_unsqueeze(struct step_call *call)
{
    return step_value_of(
        step_op_unsqueeze(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 0)));
}

struct step_value step_call_squeeze(struct step_call *call)
{
    return step_value_of(
        step_op_squeeze(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 0)));
}

struct step_value step_call_slice(struct step_call *call)
{
    return step_value_of(step_op_slice(call->e, step_arg_tensor(call, 0),
                                       step_arg_number(call, 1, 0), step_arg_number(call, 2, 0),
                                       step_arg_number(call, 3, INT64_MAX)));
}

struct step_value step_call_every(struct step_call *call)
{
    return step_value_of(step_op_every(call->e, step_arg_tensor(call, 0),
                                       step_arg_number(call, 1, 0), step_arg_number(call, 2, 0),
                                       step_arg_number(call, 3, 1)));
}

struct step_value step_call_select_one(struct step_call *call)
{
    return step_value_of(
        step_op_select(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 0)));
}

static struct step_value parts(struct step_call *call, int64_t dim, const int64_t *sizes,
                               size_t count)
{
    struct step_tensor **const t =
        zv_arena_array(call->run->arena, count, sizeof(struct step_tensor *));
    if (t == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a split");
        return none;
    }
    return step_op_split(call->e, step_arg_tensor(call, 0), dim, sizes, count, t)
               ? step_list_of(call, t, count)
               : none;
}

struct step_value step_call_split(struct step_call *call)
{
    const struct step_list *const list = call->args[1].list;
    int64_t *const sizes = zv_arena_array(call->run->arena, list->count + (size_t)1, sizeof *sizes);
    for (uint32_t i = 0; sizes != NULL && i < list->count; i++) {
        if (list->items[i].kind != STEP_IS_NUMBER) {
            step_fail(call->e, ZV_E_SYNTAX, "split: size %u is no whole number", i + 1);
            return none;
        }
        sizes[i] = list->items[i].number;
    }
    if (sizes == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a split");
        return none;
    }
    return parts(call, step_arg_number(call, 2, -1), sizes, list->count);
}

/* Parts of each `number` along a dimension, the last perhaps smaller. */
struct step_value step_call_split_every(struct step_call *call)
{
    int64_t dim = step_arg_number(call, 2, -1);
    const int64_t each = step_arg_number(call, 1, 1);
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    if (t == NULL || !step_wrap_dim(call, t, &dim)) {
        return none;
    }
    const int64_t whole = t->shape.size[dim];
    if (each <= 0 || whole / each >= MANY * 16) {
        step_fail(call->e, ZV_E_LIMIT, "a split into parts of %lld", (long long)each);
        return none;
    }
    const size_t count = (size_t)((whole + each - 1) / each);
    int64_t *const sizes = zv_arena_array(call->run->arena, count, sizeof *sizes);
    for (size_t i = 0; sizes != NULL && i < count; i++) {
        const int64_t left = whole - (int64_t)i * each;
        sizes[i] = left < each ? left : each;
    }
    return sizes != NULL ? parts(call, dim, sizes, count) : none;
}

struct step_value step_call_unbind(struct step_call *call)
{
    struct step_tensor *t[MANY];
    struct step_tensor *const whole = step_arg_tensor(call, 0);
    int64_t dim = step_arg_number(call, 1, 0);
    if (whole == NULL || !step_wrap_dim(call, whole, &dim)) {
        return none;
    }
    const int64_t count = whole->shape.size[dim];
    if (count > MANY) {
        step_fail(call->e, ZV_E_LIMIT, "unbind of more than %d parts", MANY);
        return none;
    }
    return step_op_unbind(call->e, whole, dim, (size_t)count, t)
               ? step_list_of(call, t, (size_t)count)
               : none;
}

struct step_value step_call_cat(struct step_call *call)
{
    size_t count;
    struct step_tensor **const t = step_arg_tensors(call, 0, &count);
    return t != NULL ? step_value_of(step_op_cat(call->e, t, count, step_arg_number(call, 1, 0),
                                                 step_arg_dtype(call, 2, ZV_DTYPE_UNKNOWN)))
                     : none;
}

struct step_value step_call_stack(struct step_call *call)
{
    size_t count;
    struct step_tensor **const t = step_arg_tensors(call, 0, &count);
    return t != NULL ? step_value_of(step_op_stack(call->e, t, count, step_arg_number(call, 1, 0)))
                     : none;
}
