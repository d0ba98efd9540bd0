/*
 * Procedures that backward runs. torch.utils.checkpoint: one runs without a graph, its tensors are
 * kept, and backward runs it again with one. An autograd.Function's own backward.
 */
#include <string.h>

#include "step/program_call.h"
#include "step/program_run.h"

struct step_again {
    struct step_run *run;
    const struct step_expression *at;
    uint32_t procedure;
    struct step_position position;
    enum zv_dtype autocast;
    size_t count;
    struct step_value args[STEP_MAX_ARGUMENTS];
};

void step_again_drop(struct step_engine *e, struct step_again *again)
{
    (void)e;
    for (size_t i = 0; i < again->count; i++) {
        step_value_drop(again->run, &again->args[i]);
    }
}

/* Copies of the arguments without the graph that made them. */
static void detach_all(struct step_engine *e, const struct step_again *again, struct step_value *to)
{
    for (size_t i = 0; i < again->count; i++) {
        to[i] = step_value_hold(again->args[i]);
        if (to[i].kind == STEP_IS_TENSOR) {
            struct step_tensor *const copy = step_detach(e, to[i].tensor);
            if (copy != NULL) {
                copy->needs_grad = to[i].tensor->needs_grad;
            }
            step_drop(e, to[i].tensor);
            to[i] = step_value_of(copy);
        }
    }
}

/* The i-th tensor of a result, which is one or a list; NULL: there is none. */
static struct step_tensor *result_at(const struct step_value *result, size_t i)
{
    if (result->kind == STEP_IS_LIST) {
        return i < result->list->count ? step_tensor_of(&result->list->items[i]) : NULL;
    }
    return i == 0 ? step_tensor_of(result) : NULL;
}

static size_t result_count(const struct step_value *result)
{
    return result->kind == STEP_IS_LIST ? result->list->count : 1;
}

/* Only the first of several results may be what a loss depends on. */
static void go_back(struct step_engine *e, const struct step_node *node,
                    const struct step_value *result, struct step_tensor *const *in)
{
    struct step_tensor *const first = result_at(result, 0);
    for (uint32_t i = 1; i < node->outputs; i++) {
        if (in[i] != NULL) {
            step_fail(e, ZV_E_SYNTAX, "checkpoint: a gradient of result %u; only the first has one",
                      i + 1);
        }
    }
    if (step_ok(e) && first != NULL && first->needs_grad && in[0] != NULL) {
        step_backward(e, first, step_hold(in[0]));
    }
}

static void again_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    struct step_again *const again = node->again;
    struct step_run *const run = again->run;
    const struct step_position before = step_position_of(run);
    const enum zv_dtype autocast_before = e->autocast;
    struct step_value args[STEP_MAX_ARGUMENTS];
    struct step_value copies[STEP_MAX_ARGUMENTS];
    detach_all(e, again, copies);
    for (size_t i = 0; i < again->count; i++) {
        args[i] = step_value_hold(copies[i]);
    }
    e->grad_enabled = true;
    e->autocast = again->autocast;
    struct step_value result = {.kind = STEP_IS_NONE};
    if (step_position_set(run, again->position)) {
        result = step_call_procedure(run, again->procedure, args, again->count, again->at);
    }
    for (size_t i = 0; i < again->count; i++) {
        step_value_drop(run, &args[i]);
    }
    e->grad_enabled = false;
    e->autocast = autocast_before;
    go_back(e, node, &result, in);
    step_value_drop(run, &result);
    for (size_t i = 0; i < again->count; i++) {
        if (copies[i].kind == STEP_IS_TENSOR && step_edge_needed(node, (uint32_t)i)) {
            out[i] = step_hold(copies[i].tensor->grad);
        }
    }
    for (size_t i = 0; i < again->count; i++) {
        step_value_drop(run, &copies[i]);
    }
    (void)step_position_set(run, before);
}

/* Of the call's arguments the procedure and the `count` after it. */
static bool remember(struct step_call *call, struct step_node *node, size_t count)
{
    struct step_run *const run = call->run;
    struct step_again *const again = zv_arena_alloc(run->arena, sizeof *again);
    char *const prefix = zv_arena_copy(run->arena, run->prefix.at, run->prefix.length);
    if (again == NULL || prefix == NULL) {
        return step_fail(call->e, ZV_E_NOMEM, "no host memory for a checkpoint");
    }
    *again = (struct step_again){.run = run,
                                 .at = call->at,
                                 .procedure = (uint32_t)call->args[0].number,
                                 .position = {{prefix, run->prefix.length}, run->layer},
                                 .autocast = call->e->autocast,
                                 .count = count};
    for (size_t i = 0; i < again->count; i++) {
        again->args[i] = step_value_hold(call->args[i + 1]);
    }
    node->again = again;
    return true;
}

struct step_value step_op_checkpoint(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_tensor *inputs[STEP_MAX_ARGUMENTS] = {NULL};
    struct step_value args[STEP_MAX_ARGUMENTS];
    const size_t count = call->count - 1;
    const uint32_t procedure = (uint32_t)call->args[0].number;
    /* what is around the procedure is around its checkpoint, and not called when it runs again */
    (void)step_around_before(call->run, procedure, call->args + 1, count);
    for (size_t i = 0; i < count; i++) {
        args[i] = step_value_hold(call->args[i + 1]);
        inputs[i] = step_tensor_of(&args[i]);
    }
    const bool grad_before = e->grad_enabled;
    e->grad_enabled = false;
    struct step_value result = step_call_procedure(call->run, procedure, args, count, call->at);
    e->grad_enabled = grad_before;
    const bool may_train = e->grad_enabled && call->run->trained_count != 0;
    struct step_node *const node = step_ok(e) && result_at(&result, 0) != NULL && may_train
                                       ? step_node_always(e, again_backward, inputs, count)
                                       : NULL;
    if (node != NULL && remember(call, node, count)) {
        node->outputs = (uint32_t)result_count(&result);
        for (uint32_t i = 0; i < node->outputs; i++) {
            step_attach(result_at(&result, i), node, i);
        }
    }
    step_node_drop(e, node);
    for (size_t i = 0; i < count; i++) {
        step_value_drop(call->run, &args[i]);
    }
    return step_around_after(call->run, procedure, result);
}

/* The gradient is what the procedure makes of the one that comes in and what was saved. */
static void own_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                         struct step_tensor **out)
{
    struct step_again *const again = node->again;
    struct step_run *const run = again->run;
    const struct step_position before = step_position_of(run);
    struct step_value args[2] = {step_value_of(step_hold(in[0])), step_value_hold(again->args[0])};
    struct step_value result = {.kind = STEP_IS_NONE};
    if (step_position_set(run, again->position)) {
        result = step_call_procedure(run, again->procedure, args, 2, again->at);
    }
    out[0] = step_hold(step_tensor_of(&result));
    step_value_drop(run, &result);
    step_value_drop(run, &args[0]);
    step_value_drop(run, &args[1]);
    (void)step_position_set(run, before);
    if (step_ok(e) && out[0] == NULL) {
        step_fail(e, ZV_E_SYNTAX, "own_backward: the procedure gives no gradient");
    }
}

struct step_value step_op_own_backward(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_tensor *const x = step_arg_tensor(call, 1);
    struct step_tensor *const result = step_hold(step_arg_tensor(call, 2));
    struct step_node *const node =
        step_node_new(e, own_backward, (struct step_tensor *const[]){x}, 1);
    if (node != NULL && !remember(call, node, 1)) {
        step_node_drop(e, node);
        return step_value_of(result);
    }
    return step_value_of(step_made_by(e, result, node));
}
