/*
 * Procedures that are called when something happens, as PyTorch's hooks are: around a module's
 * call, before a gradient goes on, when a parameter has its gradient, when backward is over. What a
 * wrapper of modules does (data/steps/fsdp2.step) is a program over these.
 */
#include <string.h>

#include "base/fail.h"
#include "step/op_table.h"
#include "step/program_call.h"
#include "step/program_hooks.h"
#include "step/tensor_layout.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

enum { MAX_GIVEN = 4 };

struct step_hook {
    struct step_hook *next;
    struct step_run *run;
    const struct step_expression *at;
    uint32_t procedure;
    int64_t layer;
    size_t count;
    struct step_value args[MAX_GIVEN];
};

struct step_around {
    const struct step_expression *at;
    uint32_t before;
    uint32_t after;
    struct step_value given;
};

/* ---- keeping and calling ---- */

/* One for procedure argument `first` and what follows it, at the end of a list. */
static bool add(struct step_call *call, struct step_hook **list, size_t first)
{
    struct step_hook *const hook = zv_arena_alloc(call->run->arena, sizeof *hook);
    if (hook == NULL) {
        return step_fail(call->e, ZV_E_NOMEM, "no host memory for a hook");
    }
    if (call->count - first - 1 > MAX_GIVEN) {
        return step_fail(call->e, ZV_E_LIMIT, "a hook keeps at most %d arguments", MAX_GIVEN);
    }
    *hook = (struct step_hook){.run = call->run,
                               .at = call->at,
                               .procedure = (uint32_t)call->args[first].number,
                               .layer = call->run->layer,
                               .count = call->count - first - 1};
    for (size_t i = 0; i < hook->count; i++) {
        hook->args[i] = step_value_hold(call->args[first + 1 + i]);
    }
    while (*list != NULL) {
        list = &(*list)->next;
    }
    *list = hook;
    return true;
}

void step_hooks_call(struct step_engine *e, const struct step_hook *hooks)
{
    for (const struct step_hook *hook = hooks; hook != NULL && step_ok(e); hook = hook->next) {
        struct step_run *const run = hook->run;
        const struct step_position before = step_position_of(run);
        struct step_value args[MAX_GIVEN];
        for (size_t i = 0; i < hook->count; i++) {
            args[i] = step_value_hold(hook->args[i]);
        }
        struct step_value result = none;
        if (step_position_set(run, (struct step_position){{"", 0}, hook->layer})) {
            result = step_call_procedure(run, hook->procedure, args, hook->count, hook->at);
        }
        step_value_drop(run, &result);
        for (size_t i = 0; i < hook->count; i++) {
            step_value_drop(run, &args[i]);
        }
        (void)step_position_set(run, before);
    }
}

void step_hooks_drop(struct step_engine *e, struct step_hook *hooks)
{
    (void)e;
    for (struct step_hook *hook = hooks; hook != NULL; hook = hook->next) {
        for (size_t i = 0; i < hook->count; i++) {
            step_value_drop(hook->run, &hook->args[i]);
        }
    }
}

/* ---- around a module ---- */

/* around(procedure, before, after, x): before(x, [arguments]) gives the arguments with which it is
 * called, after(x, result) its result. */
struct step_value step_op_around(struct step_call *call)
{
    struct step_run *const run = call->run;
    if (call->args[0].kind != STEP_IS_PROCEDURE) {
        step_fail(call->e, ZV_E_UNSUPPORTED,
                  "no program says what a layer is: none can be wrapped");
        return none;
    }
    struct step_around *const around = zv_arena_alloc(run->arena, sizeof *around);
    if (around == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a hook");
        return none;
    }
    *around = (struct step_around){.at = call->at,
                                   .before = (uint32_t)call->args[1].number,
                                   .after = (uint32_t)call->args[2].number,
                                   .given = step_value_hold(call->args[3])};
    run->around[call->args[0].number] = around;
    return none;
}

/* Puts other arguments in the place of those given, which it drops. */
static void replace(struct step_run *run, struct step_value *arguments, size_t count,
                    const struct step_value *list, const struct step_expression *at)
{
    if (!step_ok(&run->engine)) {
        return;
    }
    if (list->kind != STEP_IS_LIST || list->list->count != count) {
        (void)step_run_fail(run, at, ZV_E_SYNTAX, "what is called before gives a list of %zu",
                            count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct step_value old = arguments[i];
        arguments[i] = step_value_hold(list->list->items[i]);
        step_value_drop(run, &old);
    }
}

bool step_around_before(struct step_run *run, uint32_t index, struct step_value *arguments,
                        size_t count)
{
    const struct step_around *const around = run->around[index];
    struct step_list *const list = around != NULL ? step_list_new(run, (uint32_t)count) : NULL;
    if (list == NULL) {
        return step_ok(&run->engine);
    }
    for (size_t i = 0; i < count; i++) {
        (void)step_list_add(run, list, step_value_hold(arguments[i]));
    }
    struct step_value args[2] = {step_value_hold(around->given), step_list_value(list)};
    struct step_value given = step_call_procedure(run, around->before, args, 2, around->at);
    replace(run, arguments, count, &given, around->at);
    step_value_drop(run, &given);
    step_value_drop(run, &args[0]);
    step_value_drop(run, &args[1]);
    return step_ok(&run->engine);
}

struct step_value step_around_after(struct step_run *run, uint32_t index, struct step_value result)
{
    const struct step_around *const around = run->around[index];
    if (around == NULL || !step_ok(&run->engine)) {
        return result;
    }
    struct step_value args[2] = {step_value_hold(around->given), result};
    const struct step_value other = step_call_procedure(run, around->after, args, 2, around->at);
    step_value_drop(run, &args[0]);
    step_value_drop(run, &args[1]);
    return other;
}

struct step_value step_call_module(struct step_run *run, uint32_t index,
                                   struct step_value *arguments, size_t count,
                                   const struct step_expression *at)
{
    if (run->around[index] == NULL) {
        return step_call_procedure(run, index, arguments, count, at);
    }
    /* what the caller gives lives until the call is over, as in nn.Module's __call__ */
    struct step_value args[STEP_MAX_ARGUMENTS];
    for (size_t i = 0; i < count; i++) {
        args[i] = step_value_hold(arguments[i]);
    }
    struct step_value result = none;
    if (step_around_before(run, index, args, count)) {
        result = step_call_procedure(run, index, args, count, at);
    }
    result = step_around_after(run, index, result);
    for (size_t i = 0; i < count; i++) {
        step_value_drop(run, &args[i]);
    }
    return result;
}

/* ---- in the graph ---- */

/* NOLINTBEGIN(misc-no-recursion): lists in lists, STEP_MAX_NESTING at most */
static int64_t hook_results(struct step_call *call, const struct step_value *value, uint32_t depth)
{
    int64_t added = 0;
    if (depth == STEP_MAX_NESTING) {
        step_fail(call->e, ZV_E_LIMIT, "lists in each other, more than %d", STEP_MAX_NESTING);
    } else if (value->kind == STEP_IS_LIST) {
        for (uint32_t i = 0; i < value->list->count; i++) {
            added += hook_results(call, &value->list->items[i], depth + 1);
        }
    } else if (value->kind == STEP_IS_TENSOR && value->tensor->node != NULL) {
        added += add(call, &value->tensor->node->hooks, 1);
    }
    return added;
}
/* NOLINTEND(misc-no-recursion) */

/* before_backward(x, procedure, …): called before what made x (or the tensors of a list) runs
 * backwards: register_hook() on it. Gives how often that will be. */
struct step_value step_op_before_backward(struct step_call *call)
{
    return step_number(call->e->grad_enabled ? hook_results(call, &call->args[0], 0) : 0);
}

static void pass_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    (void)e;
    for (uint32_t i = 0; i < node->edge_count; i++) {
        out[i] = step_hold(in[i]);
    }
}

/* passed([x, …], procedure, …): the same values, the tensors that need a gradient through one node
 * that does nothing but call procedure in backward: an autograd.Function */
struct step_value step_op_passed(struct step_call *call)
{
    struct step_list *const from = call->args[0].list;
    struct step_tensor *inputs[STEP_MAX_ARGUMENTS];
    uint32_t places[STEP_MAX_ARGUMENTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->count && count < STEP_MAX_ARGUMENTS; i++) {
        if (from->items[i].kind == STEP_IS_TENSOR && from->items[i].tensor->needs_grad) {
            inputs[count] = from->items[i].tensor;
            places[count++] = i;
        }
    }
    struct step_node *const node = step_node_new(call->e, pass_backward, inputs, count);
    if (node == NULL) {
        return step_value_hold(call->args[0]);
    }
    node->outputs = count;
    (void)add(call, &node->hooks, 1);
    struct step_list *const to = step_list_new(call->run, from->count);
    for (uint32_t i = 0; to != NULL && i < from->count; i++) {
        (void)step_list_add(call->run, to, step_value_hold(from->items[i]));
    }
    for (uint32_t k = 0; to != NULL && k < count; k++) {
        struct step_tensor *const same = step_detach(call->e, inputs[k]);
        step_attach(same, node, k);
        step_value_drop(call->run, &to->items[places[k]]);
        to->items[places[k]] = step_value_of(same);
    }
    step_node_drop(call->e, node);
    return step_list_value(to);
}

/* when_grad(tensor, procedure, …): called each time a gradient has been added to a leaf's */
struct step_value step_op_when_grad(struct step_call *call)
{
    (void)add(call, &step_arg_tensor(call, 0)->hooks, 1);
    return none;
}

/* after_backward(procedure, …): called when the backward that runs is over */
struct step_value step_op_after_backward(struct step_call *call)
{
    (void)add(call, &call->e->after, 0);
    return none;
}
