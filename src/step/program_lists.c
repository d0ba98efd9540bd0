/* Operations of the language on lists. */
#include "step/program_call.h"

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

/* ---- by type ---- */

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
