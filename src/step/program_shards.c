/* What wrappers do with tensors and parameters: objects, storages that come and go, shards. */
#include <string.h>

#include "step/op_table.h"
#include "step/program_call.h"
#include "step/program_hooks.h"
#include "step/tensor_layout.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

/* ---- objects and lists ---- */

/* object(): members are what was assigned to them, none before */
struct step_value step_op_object(struct step_call *call)
{
    struct step_list *const list = step_list_new(call->run, 0);
    return list != NULL ? (struct step_value){.kind = STEP_IS_OBJECT, .list = list} : none;
}

/* procedure(name): to be handed on */
struct step_value step_op_procedure(struct step_call *call)
{
    return call->args[0];
}

struct step_value step_op_clear(struct step_call *call)
{
    struct step_list *const list = call->args[0].list;
    while (list->count != 0) { /* as CPython does, from the end */
        list->count--;
        step_value_drop(call->run, &list->items[list->count]);
    }
    return none;
}

struct step_value step_op_shape(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    struct step_list *const list = step_list_new(call->run, t->shape.dims);
    for (uint32_t i = 0; list != NULL && i < t->shape.dims; i++) {
        (void)step_list_add(call->run, list, step_number(t->shape.size[i]));
    }
    return step_list_value(list);
}

struct step_value step_op_pop(struct step_call *call)
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
struct step_value step_op_has(struct step_call *call)
{
    return step_number(has_path(call->args[0].list, call->args[1].path));
}

/* without(list, other): parameters that are not in the other list */
struct step_value step_op_without(struct step_call *call)
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

/* ---- parameters ---- */

/* Whether a name is a parameter: one that the family declares or that trains; buffers are none. */
static bool is_parameter(const struct step_path *path)
{
    return path->tensor != NULL && (path->declared != NULL || path->tensor->needs_grad);
}

/* buffers_there(): what modules have on the card beside their parameters */
struct step_value step_op_buffers_there(struct step_call *call)
{
    struct step_run *const run = call->run;
    struct step_list *const list = step_list_new(run, 0);
    for (size_t i = 0; list != NULL && i < run->path_count; i++) {
        if (run->path_list[i]->tensor != NULL && !is_parameter(run->path_list[i])) {
            (void)step_list_add(run, list, step_path_value(run->path_list[i]));
        }
    }
    return step_list_value(list);
}

/* bytes(x): of a dense tensor of its shape and type */
struct step_value step_op_bytes(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    return step_number(step_count(&t->shape) * (int64_t)step_element_bytes(t->dtype));
}

struct step_value step_op_is_packed(struct step_call *call)
{
    return step_number(step_arg_tensor(call, 0)->packed != NULL);
}

/* parts(): all parameters, in the order of the model's names */
struct step_value step_op_parts(struct step_call *call)
{
    struct step_run *const run = call->run;
    struct step_list *const list = step_list_new(run, 0);
    for (size_t i = 0; list != NULL && i < run->path_count; i++) {
        if (is_parameter(run->path_list[i])) {
            (void)step_list_add(run, list, step_path_value(run->path_list[i]));
        }
    }
    return step_list_value(list);
}

/* parts_of(procedure): those below the names that its `at` gives, for the layer where the run is */
struct step_value step_op_parts_of(struct step_call *call)
{
    struct step_run *const run = call->run;
    struct step_list *const list = step_list_new(run, 0);
    char text[STEP_NAME_LIMIT];
    struct zv_slice prefix;
    if (list == NULL || call->args[0].kind != STEP_IS_PROCEDURE) {
        return step_list_value(list);
    }
    const struct step_procedure *const procedure = run->link->procedures[call->args[0].number];
    if (!procedure->at.given || !step_spell_prefix(run, &procedure->at, text, &prefix)) {
        return step_list_value(list);
    }
    for (size_t i = 0; i < run->path_count; i++) {
        struct step_path *const path = run->path_list[i];
        if (is_parameter(path) && path->name.length > prefix.length &&
            memcmp(path->name.at, prefix.at, prefix.length) == 0) {
            (void)step_list_add(run, list, step_path_value(path));
        }
    }
    return step_list_value(list);
}

/* set_tensor(parameter, tensor): what the name stands for from here on */
struct step_value step_op_set_tensor(struct step_call *call)
{
    struct step_tensor *const old = call->args[0].path->tensor;
    call->args[0].path->tensor = step_hold(step_arg_tensor(call, 1));
    step_drop(call->e, old);
    return none;
}

/* set_grad(tensor, gradient) */
struct step_value step_op_set_grad(struct step_call *call)
{
    struct step_tensor *const tensor = step_arg_tensor(call, 0);
    struct step_tensor *const old = tensor->grad;
    tensor->grad = step_hold(step_arg_tensor(call, 1));
    if (tensor->grad != NULL) {
        tensor->grad->storage->purpose = STEP_GRADIENTS;
    }
    step_drop(call->e, old);
    return none;
}

/* ---- storages ---- */

struct step_value step_op_release(struct step_call *call)
{
    step_release(call->e, step_arg_tensor(call, 0)->storage);
    return none;
}

struct step_value step_op_refill(struct step_call *call)
{
    step_refill(call->e, step_arg_tensor(call, 0)->storage);
    return none;
}

/* used_here(tensor [, late]): record_stream() of the current stream */
struct step_value step_op_used_here(struct step_call *call)
{
    step_use_here(call->e, step_arg_tensor(call, 0)->storage, step_arg_number(call, 1, 0) != 0);
    return none;
}

/* queued(): an event that the host can wait for */
struct step_value step_op_queued(struct step_call *call)
{
    return step_number((int64_t)zv_allocator_queued(call->e->allocator));
}

/* wait_for(event): what was queued before it is done */
struct step_value step_op_wait_for(struct step_call *call)
{
    step_finish_until(call->e, (uint64_t)step_arg_number(call, 0, 0));
    return none;
}

/* as_strided(tensor, shape): its storage from the beginning, dense, without a graph */
struct step_value step_op_as_strided(struct step_call *call)
{
    struct step_shape shape;
    int64_t stride[STEP_MAX_DIMS] = {0};
    int64_t elements;
    if (!step_shape_of(call, 1, &shape)) {
        return none;
    }
    if (!step_elements(&shape, &elements)) {
        step_fail(call->e, ZV_E_OVERFLOW, "a tensor of more than 2^63 bytes");
        return none;
    }
    step_contiguous_strides(&shape, stride);
    return step_value_of(step_alias(call->e, step_arg_tensor(call, 0), &shape, stride));
}

/* leaf(tensor, trains): a parameter of its own over the same storage */
struct step_value step_op_leaf(struct step_call *call)
{
    struct step_tensor *const t = step_detach(call->e, step_arg_tensor(call, 0));
    if (t != NULL) {
        t->needs_grad = step_arg_number(call, 1, 0) != 0;
    }
    return step_value_of(t);
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
struct step_value step_op_cast(struct step_call *call)
{
    return cast(call, &call->args[0], step_arg_dtype(call, 1, ZV_DTYPE_F32), 0);
}

/* ---- surroundings, and an end ---- */

struct step_value step_op_stream(struct step_call *call)
{
    (void)step_stream_set(call->e, call->args[0].text);
    return none;
}

/* host(yes): what is made has no memory on the card */
struct step_value step_op_host(struct step_call *call)
{
    call->e->on_host = step_arg_number(call, 0, 1) != 0;
    return none;
}

/* outside(what): memory of the job that no allocator hands out, and of which nothing is known */
struct step_value step_op_outside(struct step_call *call)
{
    struct step_run *const run = call->run;
    if (run->outside_count < sizeof run->outside / sizeof *run->outside) {
        run->outside[run->outside_count++] = call->args[0].text;
    }
    return none;
}
