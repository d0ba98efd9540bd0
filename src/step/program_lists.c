/* Operations of the language on lists. */
#include "step/op_table.h"
#include "step/program_call.h"
#include "step/tensor_layout.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

struct step_value step_call_append(struct step_call *call)
{
    (void)step_list_add(call->run, call->args[0].list, step_value_hold(call->args[1]));
    return none;
}

struct step_value step_call_count(struct step_call *call)
{
    return step_number(call->args[0].list->count);
}

/* [procedure(x, …) for x in list] */
struct step_value step_call_map(struct step_call *call)
{
    const struct step_list *const from = call->args[1].list;
    struct step_list *const to_list = step_list_new(call->run, from->count);
    for (uint32_t i = 0; to_list != NULL && i < from->count && step_ok(call->e); i++) {
        struct step_value args[STEP_MAX_ARGUMENTS];
        size_t given = 0;
        args[given++] = step_value_hold(from->items[i]);
        for (size_t k = 2; k < call->count; k++) {
            args[given++] = step_value_hold(call->args[k]);
        }
        (void)step_list_add(
            call->run, to_list,
            step_call_module(call->run, (uint32_t)call->args[0].number, args, given, call->at));
        for (size_t k = 0; k < given; k++) {
            step_value_drop(call->run, &args[k]);
        }
    }
    return step_list_value(to_list);
}

struct step_value step_call_clear_list(struct step_call *call)
{
    struct step_list *const list = call->args[0].list;
    while (list->count != 0) { /* as CPython does, from the end */
        list->count--;
        step_value_drop(call->run, &list->items[list->count]);
    }
    return none;
}

struct step_value step_call_pop(struct step_call *call)
{
    struct step_list *const list = call->args[0].list;
    return list->count != 0 ? list->items[--list->count] : none;
}

static bool has_path(const struct step_list *list, const struct step_path *path)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].path == path) {
            return true;
        }
    }
    return false;
}

/* has(list, parameter) */
struct step_value step_call_has(struct step_call *call)
{
    return step_number(has_path(call->args[0].list, call->args[1].path));
}

/* without(list, other): parameters that are not in the other list */
struct step_value step_call_without(struct step_call *call)
{
    const struct step_list *const from = call->args[0].list;
    struct step_list *const list = step_list_new(call->run, from->count);
    for (uint32_t i = 0; list != NULL && i < from->count; i++) {
        if (from->items[i].kind != STEP_IS_PATH ||
            !has_path(call->args[1].list, from->items[i].path)) {
            (void)step_list_add(call->run, list, step_value_hold(from->items[i]));
        }
    }
    return step_list_value(list);
}

/* ---- by type, and to a type ---- */

enum { FEW_TYPES = 8 };

/* Lists of the entries of each type; the type that came last is the first. */
static struct step_value turned(struct step_call *call, struct step_list **groups, size_t count)
{
    struct step_list *const all = step_list_new(call->run, (uint32_t)count);
    for (size_t i = count; i-- > 0;) {
        struct step_value group = step_list_value(groups[i]);
        if (all != NULL) {
            (void)step_list_add(call->run, all, group);
        } else {
            step_value_drop(call->run, &group);
        }
    }
    return step_list_value(all);
}

/*
 * _group_tensors_by_device_and_dtype (torch/csrc, foreach_utils): its hash table gives the type
 * that came last first.
 */
struct step_value step_call_by_type(struct step_call *call)
{
    const struct step_list *const from = call->args[0].list;
    struct step_list *groups[FEW_TYPES];
    enum zv_dtype types[FEW_TYPES];
    size_t count = 0;
    for (uint32_t i = 0; step_ok(call->e) && i < from->count; i++) {
        const struct step_tensor *const t = step_tensor_of(&from->items[i]);
        size_t at = 0;
        while (t != NULL && at < count && types[at] != t->dtype) {
            at++;
        }
        if (t == NULL || at == FEW_TYPES) {
            step_fail(call->e, ZV_E_SYNTAX,
                      "entry %u of the list is no tensor, or of a type too many", i);
            break;
        }
        if (at == count) {
            groups[at] = step_list_new(call->run, from->count);
            types[at] = t->dtype;
            count += groups[at] != NULL;
        }
        (void)(at < count && step_list_add(call->run, groups[at], step_value_hold(from->items[i])));
    }
    return turned(call, groups, count);
}

/* NOLINTBEGIN(misc-no-recursion): lists in lists, STEP_MAX_NESTING at most */
static struct step_value cast(struct step_call *call, const struct step_value *value,
                              enum zv_dtype dtype, uint32_t depth)
{
    if (depth == STEP_MAX_NESTING) {
        step_fail(call->e, ZV_E_LIMIT, "lists in each other, more than %d", STEP_MAX_NESTING);
        return none;
    }
    if (value->kind == STEP_IS_TENSOR && step_is_float(value->tensor->dtype)) {
        return step_value_of(step_op_to(call->e, value->tensor, dtype));
    }
    if (value->kind != STEP_IS_LIST) {
        return step_value_hold(*value);
    }
    struct step_list *const list = step_list_new(call->run, value->list->count);
    for (uint32_t i = 0; list != NULL && i < value->list->count; i++) {
        (void)step_list_add(call->run, list, cast(call, &value->list->items[i], dtype, depth + 1));
    }
    return step_list_value(list);
}
/* NOLINTEND(misc-no-recursion) */

/* cast(x, type): a tensor of floats, or those in a list and in its lists; all else as it is */
struct step_value step_call_cast(struct step_call *call)
{
    return cast(call, &call->args[0], step_arg_dtype(call, 1, ZV_DTYPE_F32), 0);
}
