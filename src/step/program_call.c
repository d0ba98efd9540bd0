#include "step/program_call.h"

#include "base/fail.h"

struct step_tensor *step_arg_tensor(const struct step_call *call, size_t at)
{
    return at < call->count ? step_tensor_of(&call->args[at]) : NULL;
}

int64_t step_arg_number(const struct step_call *call, size_t at, int64_t otherwise)
{
    return at < call->count && call->args[at].kind == STEP_IS_NUMBER ? call->args[at].number
                                                                     : otherwise;
}

enum zv_dtype step_arg_dtype(const struct step_call *call, size_t at, enum zv_dtype otherwise)
{
    return at < call->count && call->args[at].kind == STEP_IS_DTYPE
               ? (enum zv_dtype)call->args[at].number
               : otherwise;
}

bool step_shape_of(struct step_call *call, size_t at, struct step_shape *to)
{
    const struct step_list *const list = call->args[at].list;
    *to = (struct step_shape){.dims = list->count};
    if (list->count > STEP_MAX_DIMS) {
        return step_fail(call->e, ZV_E_LIMIT, "a shape of more than %d dimensions", STEP_MAX_DIMS);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != STEP_IS_NUMBER) {
            return step_fail(call->e, ZV_E_SYNTAX, "size %u of a shape is no whole number", i + 1);
        }
        to->size[i] = list->items[i].number;
    }
    return true;
}

struct step_tensor **step_arg_tensors(struct step_call *call, size_t at, size_t *count)
{
    const struct step_list *const list = call->args[at].list;
    struct step_tensor **const to =
        zv_arena_array(call->run->arena, list->count, sizeof(struct step_tensor *));
    if (to == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a list");
        return NULL;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        to[i] = step_tensor_of(&list->items[i]);
        if (to[i] == NULL) {
            step_fail(call->e, ZV_E_SYNTAX, "entry %u of the list is no tensor", i);
            return NULL;
        }
    }
    *count = list->count;
    return to;
}

/* A list of tensors that are given away. */
struct step_value step_list_of(struct step_call *call, struct step_tensor **t, size_t count)
{
    struct step_list *const list = step_list_new(call->run, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        if (list == NULL) {
            step_drop(call->e, t[i]);
        } else {
            (void)step_list_add(call->run, list, step_value_of(t[i]));
        }
    }
    return step_list_value(list);
}

bool step_wrap_dim(struct step_call *call, const struct step_tensor *t, int64_t *dim)
{
    if (t == NULL) {
        return false;
    }
    *dim += *dim < 0 ? t->shape.dims : 0;
    return (*dim >= 0 && *dim < t->shape.dims) ||
           step_fail(call->e, ZV_E_SYNTAX, "there is no such dimension of %u", t->shape.dims);
}
