/*
 * Procedures that backward runs: torch.utils.checkpoint, and an autograd.Function's own backward.
 *
 * Reentrant, a checkpointed procedure runs without a graph, its tensors are kept, and backward runs
 * it with one, all of it, and that graph backwards. Otherwise it runs with a graph whose saved
 * tensors are not kept (region.h), and is run again only as far as the last of them. The program's
 * kept_operations() says which: none is reentrant; a text names operations whose results are kept,
 * as "mm/2,flash".
 */
#include <stdio.h>
#include <string.h>

#include "step/program_call.h"
#include "step/program_run.h"
#include "step/region.h"

struct step_again {
    struct step_run *run;
    const struct step_expression *at;
    uint32_t procedure;
    struct step_position position;
    enum zv_dtype autocast;
    bool autocast_cache;
    /* what functools.partial has of keyword arguments, in its order; NONE: all are positional */
    struct step_value keywords;
    size_t result_count; /* reentrant: what it gave, for gradients that do not come */
    struct step_edge *results;
    size_t count;
    struct step_value args[STEP_MAX_ARGUMENTS];
};

/* An argument is kept as what is saved is. */
static void let_go(struct step_run *run, struct step_value *value)
{
    struct step_tensor *const t = value->kind == STEP_IS_TENSOR ? value->tensor : NULL;
    if (t != NULL) {
        t->storage->saved--;
    }
    step_value_drop(run, value);
}

static struct step_value keep(struct step_value value)
{
    if (value.kind == STEP_IS_TENSOR && value.tensor != NULL) {
        value.tensor->storage->saved++;
    }
    return step_value_hold(value);
}

/* Positional tensors are saved for backward: they go when that has run. */
void step_again_release(struct step_engine *e, struct step_again *again)
{
    (void)e;
    const size_t count = again->keywords.kind == STEP_IS_LIST ? 1 : again->count;
    for (size_t i = 0; i < count && i < again->count; i++) {
        if (step_tensor_of(&again->args[i]) != NULL) {
            let_go(again->run, &again->args[i]);
        }
    }
}

/* The procedure with its keyword arguments comes first, then what was saved. */
void step_again_drop(struct step_engine *e, struct step_again *again)
{
    (void)e;
    if (again->keywords.kind == STEP_IS_LIST) {
        for (size_t i = again->count; i-- > 1;) {
            let_go(again->run, &again->args[i]);
        }
        const struct step_list *const list = again->keywords.list;
        for (uint32_t i = 0; list->refs == 1 && i < list->count; i++) {
            step_value_drop(again->run, &list->items[i]);
        }
        step_value_drop(again->run, &again->keywords);
    }
    for (size_t i = 0; i < again->count; i++) {
        let_go(again->run, &again->args[i]);
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

/* What does not need one is left out. */
static void go_back(struct step_engine *e, const struct step_node *node,
                    const struct step_value *result, struct step_tensor *const *in)
{
    struct step_tensor *tensors[STEP_MAX_ARGUMENTS];
    struct step_tensor *grads[STEP_MAX_ARGUMENTS];
    size_t count = 0;
    for (uint32_t i = 0; step_ok(e) && i < node->outputs; i++) {
        struct step_tensor *const t = result_at(result, i);
        if (t != NULL && t->needs_grad) {
            tensors[count] = t;
            grads[count++] = step_hold(in[i]);
        }
    }
    if (count != 0) {
        step_backward_from(e, tensors, grads, count);
    }
}

/* Functions of autograd are given zeros for results that no gradient came for; to: as long as they
 * run. */
static void make_zeros(struct step_engine *e, const struct step_again *again,
                       struct step_tensor *const *in, struct step_tensor **to)
{
    for (size_t i = 0; i < again->result_count; i++) {
        const struct step_edge *const of = &again->results[i];
        to[i] = in[i] != NULL || of->dtype == ZV_DTYPE_UNKNOWN
                    ? step_hold(in[i])
                    : step_empty(e, &of->shape, of->dtype);
    }
}

/* The procedure as it was called, with a graph, in an autocast of its own. */
static struct step_value call_again(struct step_engine *e, const struct step_again *again,
                                    struct step_value *args)
{
    struct step_run *const run = again->run;
    const struct step_position before = step_position_of(run);
    const enum zv_dtype autocast_before = e->autocast;
    const bool cache_before = e->autocast_cache;
    const bool grad_before = e->grad_enabled;
    e->grad_enabled = true;
    e->autocast = again->autocast;
    e->autocast_cache = again->autocast_cache;
    struct step_value result = {.kind = STEP_IS_NONE};
    if (step_position_set(run, again->position)) {
        result = step_call_procedure(run, again->procedure, args, again->count, again->at);
    }
    if (e->autocast_depth == 0) {
        step_autocast_clear(e);
    }
    e->grad_enabled = grad_before;
    e->autocast = autocast_before;
    e->autocast_cache = cache_before;
    (void)step_position_set(run, before);
    return result;
}

/* ---- reentrant ---- */

static void again_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    struct step_again *const again = node->again;
    struct step_run *const run = again->run;
    struct step_value args[STEP_MAX_ARGUMENTS];
    struct step_value copies[STEP_MAX_ARGUMENTS];
    struct step_tensor *grads[STEP_MAX_ARGUMENTS] = {NULL};
    make_zeros(e, again, in, grads);
    detach_all(e, again, copies);
    for (size_t i = 0; i < again->count; i++) {
        args[i] = step_value_hold(copies[i]);
    }
    struct step_value result = call_again(e, again, args);
    for (size_t i = 0; i < again->count; i++) {
        step_value_drop(run, &args[i]);
    }
    go_back(e, node, &result, grads);
    step_value_drop(run, &result);
    for (size_t i = 0; i < again->count; i++) {
        if (copies[i].kind == STEP_IS_TENSOR && step_edge_needed(node, (uint32_t)i)) {
            out[i] = step_hold(copies[i].tensor->grad);
        }
    }
    for (size_t i = 0; i < again->count; i++) {
        step_value_drop(run, &copies[i]);
    }
    for (size_t i = again->result_count; i-- > 0;) { /* a tuple's entries */
        step_drop(e, grads[i]);
    }
}

/* Of the call's arguments the procedure and the `count` from `first` on. */
static struct step_again *remember(struct step_call *call, size_t first, size_t count)
{
    struct step_run *const run = call->run;
    struct step_again *const again = zv_arena_alloc(run->arena, sizeof *again);
    char *const prefix = zv_arena_copy(run->arena, run->prefix.at, run->prefix.length);
    if (again == NULL || prefix == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a checkpoint");
        return NULL;
    }
    *again = (struct step_again){.run = run,
                                 .at = call->at,
                                 .procedure = (uint32_t)call->args[0].number,
                                 .position = {{prefix, run->prefix.length}, run->layer},
                                 .autocast = call->e->autocast,
                                 .autocast_cache = call->e->autocast_cache,
                                 .keywords = first != 1 ? step_value_hold(call->args[1])
                                                        : (struct step_value){.kind = STEP_IS_NONE},
                                 .count = count};
    for (size_t i = 0; i < again->count; i++) {
        again->args[i] = keep(call->args[i + first]);
    }
    return again;
}

/* A result that is an argument is seen anew, as autograd does with a Function's own input. */
static void separate(struct step_engine *e, const struct step_again *again,
                     struct step_value *result)
{
    for (uint32_t i = 0; result->kind == STEP_IS_LIST && i < result->list->count; i++) {
        struct step_value *const item = &result->list->items[i];
        for (size_t k = 0; item->kind == STEP_IS_TENSOR && k < again->count; k++) {
            if (step_tensor_of(&again->args[k]) == item->tensor) {
                struct step_tensor *const view = step_detach(e, item->tensor);
                step_drop(e, item->tensor);
                *item = step_value_of(view);
            }
        }
    }
}

static void attach_results(struct step_engine *e, struct step_node *node, struct step_value *result)
{
    struct step_again *const again = node->again;
    separate(e, again, result);
    node->outputs = (uint32_t)result_count(result);
    if (node->outputs > STEP_MAX_ARGUMENTS) {
        step_fail(e, ZV_E_LIMIT, "checkpoint: more than %d results", STEP_MAX_ARGUMENTS);
        return;
    }
    again->results = zv_arena_array(e->arena, node->outputs, sizeof *again->results);
    if (again->results == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for a checkpoint");
        return;
    }
    again->result_count = node->outputs;
    for (uint32_t i = 0; i < node->outputs; i++) {
        struct step_tensor *const t = result_at(result, i);
        again->results[i] = (struct step_edge){.dtype = ZV_DTYPE_UNKNOWN};
        if (t != NULL) {
            again->results[i].dtype = t->dtype;
            again->results[i].shape = t->shape;
            step_attach(t, node, i);
        }
    }
}

/* args are the procedure's, borrowed. */
static struct step_value reentrant(struct step_call *call, struct step_value *args, size_t count)
{
    struct step_engine *const e = call->e;
    struct step_tensor *inputs[STEP_MAX_ARGUMENTS] = {NULL};
    for (size_t i = 0; i < count; i++) {
        inputs[i] = step_tensor_of(&args[i]);
    }
    const bool grad_before = e->grad_enabled;
    e->grad_enabled = false;
    struct step_value result =
        step_call_procedure(call->run, (uint32_t)call->args[0].number, args, count, call->at);
    e->grad_enabled = grad_before;
    struct step_node *const node = step_ok(e) && result_at(&result, 0) != NULL
                                       ? step_node_always(e, again_backward, inputs, count)
                                       : NULL;
    if (node != NULL) {
        node->again = remember(call, call->count - count, count);
        if (node->again != NULL) {
            attach_results(e, node, &result);
        }
    }
    step_node_drop(e, node);
    return result;
}

/* ---- not reentrant ---- */

static void run_region(struct step_engine *e, struct step_region *region)
{
    const struct step_again *const again = region->again;
    struct step_run *const run = again->run;
    struct step_value args[STEP_MAX_ARGUMENTS];
    for (size_t i = 0; i < again->count; i++) {
        args[i] = step_value_hold(again->args[i]);
    }
    struct step_value result = call_again(e, again, args);
    e->stopped = false;
    step_wreck_drop(run); /* the frames that the exception's traceback held */
    step_value_drop(run, &result);
    for (size_t i = 0; i < again->count; i++) {
        step_value_drop(run, &args[i]);
    }
}

static bool no_policy(struct step_call *call, struct zv_slice word)
{
    char known[320];
    size_t length = 0;
    for (size_t i = 0; step_keeps_name(i) != NULL; i++) {
        const int more = snprintf(known + length, sizeof known - length, "%s%s", i != 0 ? ", " : "",
                                  step_keeps_name(i));
        length += more > 0 && (size_t)more < sizeof known - length ? (size_t)more : 0;
    }
    return step_fail(call->e, ZV_E_USAGE,
                     "selective: \"%.*s\" is no operation that a checkpoint keeps (op, products, "
                     "a number of layers, or of %s; with /N: of N results the first)",
                     (int)word.length, word.at, known);
}

/* "mm/2,flash": all results of an operation, or of so many the first. */
static const struct step_policy *policy_of(struct step_call *call, struct zv_slice text)
{
    struct step_policy *const policy = zv_arena_alloc(call->run->arena, sizeof *policy);
    if (policy == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a checkpoint");
        return NULL;
    }
    *policy = (struct step_policy){{0}};
    while (text.length != 0) {
        const struct zv_slice word = zv_slice_trim(zv_slice_cut(&text, ','));
        struct zv_slice number = word;
        const int at = step_keeps_find(zv_slice_cut(&number, '/'));
        uint64_t every = 1;
        if (at < 0 || (number.length != 0 &&
                       (!zv_slice_u64(number, &every) || every == 0 || every > UINT32_MAX))) {
            (void)no_policy(call, word);
            return NULL;
        }
        policy->every[at] = (uint32_t)every;
    }
    return policy;
}

static struct step_value not_reentrant(struct step_call *call, struct step_value *args,
                                       size_t count, struct zv_slice kept)
{
    struct step_engine *const e = call->e;
    struct step_region *const region = step_region_new(e);
    if (region == NULL) {
        return (struct step_value){.kind = STEP_IS_NONE};
    }
    region->run = run_region;
    region->again = remember(call, call->count - count, count);
    region->policy = kept.length != 0 ? policy_of(call, kept) : NULL;
    struct step_region *const around = e->region;
    e->region = region;
    struct step_value result =
        step_call_procedure(call->run, (uint32_t)call->args[0].number, args, count, call->at);
    e->region = around;
    step_region_drop(e, region);
    return result;
}

/* What the program's kept_operations() says; none where there is no such procedure. */
static struct step_value kept_operations(struct step_call *call)
{
    const int index = step_link_procedure(call->run->link, zv_slice_of("kept_operations"));
    struct step_value nothing[1] = {{.kind = STEP_IS_NONE}};
    return index >= 0 ? step_call_procedure(call->run, (uint32_t)index, nothing, 0, call->at)
                      : nothing[0];
}

struct step_value step_op_checkpoint(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_value args[STEP_MAX_ARGUMENTS];
    const size_t first = call->count > 1 && call->args[1].kind == STEP_IS_LIST ? 2 : 1;
    const size_t count = call->count - first;
    const uint32_t procedure = (uint32_t)call->args[0].number;
    /* what is around the procedure is around its checkpoint, and not called when it runs again */
    (void)step_around_before(call->run, procedure, call->args + first, count);
    for (size_t i = 0; i < count; i++) {
        args[i] = step_value_hold(call->args[i + first]);
    }
    const bool may_train = e->grad_enabled && call->run->trained_count != 0;
    if (may_train && e->region != NULL) {
        step_fail(e, ZV_E_UNSUPPORTED, "a checkpoint inside one that is not reentrant");
    }
    struct step_value kept =
        may_train ? kept_operations(call) : (struct step_value){.kind = STEP_IS_NONE};
    struct step_value result;
    if (!may_train) {
        result = step_call_procedure(call->run, procedure, args, count, call->at);
    } else if (kept.kind == STEP_IS_TEXT) {
        result = not_reentrant(call, args, count, kept.text);
    } else {
        result = reentrant(call, args, count);
    }
    step_value_drop(call->run, &kept);
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
    struct step_value args[2] = {step_value_of(step_hold(in[0])),
                                 step_value_of(step_hold(node->saved[0]))};
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
    if (node != NULL) {
        node->again = remember(call, 1, 0);
        step_save(e, node, 0, x);
    }
    return step_value_of(step_made_by(e, result, node));
}
