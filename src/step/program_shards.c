/* What wrappers do with tensors and parameters: objects, storages that come and go, shards. */
#include <string.h>

#include "step/op_table.h"
#include "step/program_call.h"
#include "step/program_hooks.h"
#include "step/tensor_layout.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

/* ---- objects, and procedures as values ---- */

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

/* outside(what): memory of the job that no allocator hands out, and of which nothing is known */
struct step_value step_op_outside(struct step_call *call)
{
    struct step_run *const run = call->run;
    if (run->outside_count < sizeof run->outside / sizeof *run->outside) {
        run->outside[run->outside_count++] = call->args[0].text;
    }
    return none;
}
