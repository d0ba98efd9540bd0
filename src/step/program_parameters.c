#include "step/program_parameters.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "step/program_call.h"
#include "step/tensor_layout.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

static struct step_path *path(const struct step_call *call)
{
    return call->args[0].path;
}

struct step_value step_op_exists(struct step_call *call)
{
    return step_number(call->args[0].kind != STEP_IS_NONE);
}

struct step_value step_op_declared(struct step_call *call)
{
    struct step_list *const list = step_list_new(call->run, (uint32_t)call->run->path_count);
    for (size_t i = 0; list != NULL && i < call->run->path_count; i++) {
        if (call->run->path_list[i]->declared != NULL) {
            (void)step_list_add(call->run, list, step_path_value(call->run->path_list[i]));
        }
    }
    return step_list_value(list);
}

struct step_value step_op_is_linear(struct step_call *call)
{
    const struct zv_tensor *const declared = path(call)->declared;
    return step_number(declared != NULL && declared->linear && declared->dims == 2);
}

struct step_value step_op_is_embedding(struct step_call *call)
{
    const struct zv_tensor *const declared = path(call)->declared;
    return step_number(declared != NULL &&
                       (declared->part == ZV_PART_EMBEDDING || declared->part == ZV_PART_POSITION));
}

/* declared_size(weight, dim): of one that the family's table has, on the card or not; without
 * dim its elements */
struct step_value step_op_declared_size(struct step_call *call)
{
    const struct zv_tensor *const declared = path(call)->declared;
    const int64_t dim = step_arg_number(call, 1, 0);
    if (declared != NULL && call->count < 2 && declared->elements <= INT64_MAX) {
        return step_number((int64_t)declared->elements);
    }
    if (declared == NULL || dim < 0 || dim >= declared->dims || declared->shape[dim] > INT64_MAX) {
        step_fail(call->e, ZV_E_SYNTAX, "%.*s has no dimension %lld in the family's table",
                  (int)path(call)->name.length, path(call)->name.at, (long long)dim);
        return none;
    }
    return step_number((int64_t)declared->shape[dim]);
}

/* Puts a parameter on the card. */
static bool place(struct step_call *call, struct step_path *at, struct step_tensor *tensor,
                  bool trains)
{
    if (tensor == NULL) {
        return false;
    }
    tensor->storage->purpose = STEP_WEIGHTS;
    at->tensor = tensor;
    tensor->parameter = at;
    return !trains || step_path_train(call->run, at);
}

static bool declared_shape(struct step_call *call, struct step_shape *to)
{
    const struct zv_tensor *const declared = path(call)->declared;
    if (declared == NULL) {
        return step_fail(call->e, ZV_E_SYNTAX, "%.*s is no tensor of the family",
                         (int)path(call)->name.length, path(call)->name.at);
    }
    if (path(call)->tensor != NULL) {
        return step_fail(call->e, ZV_E_SYNTAX, "%.*s is on the card already",
                         (int)path(call)->name.length, path(call)->name.at);
    }
    *to = (struct step_shape){.dims = declared->dims};
    for (uint32_t i = 0; i < declared->dims; i++) {
        if (declared->shape[i] > INT64_MAX) {
            return step_fail(call->e, ZV_E_OVERFLOW, "a tensor of more than 2^63 bytes");
        }
        to->size[i] = (int64_t)declared->shape[i];
    }
    return true;
}

struct step_value step_op_allocate(struct step_call *call)
{
    struct step_shape shape;
    if (declared_shape(call, &shape)) {
        (void)place(
            call, path(call),
            step_empty(call->e, &shape, step_arg_dtype(call, 1, path(call)->declared->dtype)),
            step_arg_number(call, 2, 0) != 0);
    }
    return none;
}

/* Two values a byte, a scale for 64 of them: fp32, or a byte and an fp32 for 256 scales. */
static bool pack_extra(struct step_call *call, struct step_path *at,
                       const struct step_packed *packed)
{
    enum { CODE_BYTES = 64, CODE2_BYTES = 1024, OFFSET_BYTES = 4, GROUP = 256 };
    struct step_engine *const e = call->e;
    const uint64_t blocks = (uint64_t)packed->blocks;
    e->purpose = STEP_WEIGHTS;
    if (packed->torchao) {
        at->extra[0] = step_storage_new(e, blocks);
        at->extra[1] = step_storage_new(e, blocks / GROUP * 4);
    } else if (packed->double_quant) {
        at->extra[0] = step_storage_new(e, blocks);
        at->extra[1] = step_storage_new(e, (blocks + GROUP - 1) / GROUP * 4);
        at->extra[2] = step_storage_new(e, CODE2_BYTES);
        at->extra[3] = step_storage_new(e, OFFSET_BYTES);
    } else {
        at->extra[0] = step_storage_new(e, blocks * 4);
    }
    if (!packed->torchao) {
        (void)step_storage_new(e, CODE_BYTES); /* lives as long as the step */
    }
    return step_ok(e);
}

/* pack(weight, double, keeps_input, unpacked, torchao) */
struct step_value step_op_pack(struct step_call *call)
{
    enum { BLOCK = 64 };
    struct step_shape shape = {0};
    if (!declared_shape(call, &shape)) {
        return none;
    }
    const int64_t elements = step_count(&shape);
    struct step_packed *const packed = zv_arena_alloc(call->run->arena, sizeof *packed);
    if (packed == NULL || shape.dims != 2) {
        step_fail(call->e, packed == NULL ? ZV_E_NOMEM : ZV_E_SYNTAX,
                  "only a weight of two dimensions is packed");
        return none;
    }
    *packed = (struct step_packed){.rows = shape.size[0],
                                   .columns = shape.size[1],
                                   .blocks = (elements + BLOCK - 1) / BLOCK,
                                   .double_quant = step_arg_number(call, 1, 0) != 0,
                                   .keeps_input = step_arg_number(call, 2, 0) != 0,
                                   .unpacked = step_arg_dtype(call, 3, ZV_DTYPE_UNKNOWN),
                                   .torchao = step_arg_number(call, 4, 0) != 0};
    /* the whole weight is moved to the card, packed there and dropped: its place stays cached */
    struct step_tensor *const whole = step_empty(
        call->e, &shape,
        packed->unpacked != ZV_DTYPE_UNKNOWN ? packed->unpacked : path(call)->declared->dtype);
    const struct step_shape bytes = {.dims = 2, .size = {(elements + 1) / 2, 1}};
    struct step_tensor *const tensor = step_empty(call->e, &bytes, ZV_DTYPE_U8);
    const enum step_purpose before = call->e->purpose;
    if (tensor != NULL) {
        tensor->packed = packed;
        (void)place(call, path(call), tensor, false);
        (void)pack_extra(call, path(call), packed);
    }
    step_drop(call->e, whole);
    call->e->purpose = before;
    return none;
}

/* parameter(module, "name", [shape], type, trains): one that the family's table does not have */
struct step_value step_op_parameter(struct step_call *call)
{
    struct step_shape shape;
    char name[STEP_NAME_LIMIT];
    const struct zv_slice module = path(call)->name;
    const struct zv_slice part = call->args[1].text;
    if (!step_shape_of(call, 2, &shape)) {
        return none;
    }
    if (module.length + part.length + 1 > sizeof name) {
        step_fail(call->e, ZV_E_LIMIT, "a name of more than %d bytes", STEP_NAME_LIMIT);
        return none;
    }
    memcpy(name, module.at, module.length);
    name[module.length] = '.';
    memcpy(name + module.length + 1, part.at, part.length);
    struct step_path *const made =
        step_path_make(call->run, (struct zv_slice){name, module.length + 1 + part.length});
    if (made == NULL) {
        return none;
    }
    if (made->tensor != NULL) {
        step_fail(call->e, ZV_E_SYNTAX, "%.*s is there already", (int)made->name.length,
                  made->name.at);
        return none;
    }
    (void)place(call, made, step_empty(call->e, &shape, step_arg_dtype(call, 3, ZV_DTYPE_F32)),
                step_arg_number(call, 4, 1) != 0);
    return step_path_value(made);
}

struct step_value step_op_module_of(struct step_call *call)
{
    struct zv_slice name = path(call)->name;
    do {
        name.length -= name.length != 0;
    } while (name.length != 0 && name.at[name.length] != '.');
    return step_path_value(step_path_find(call->run, name));
}

/* Whether the last parts of the module's name are one of the words in a text. */
struct step_value step_op_named(struct step_call *call)
{
    const struct zv_slice name = path(call)->name;
    struct zv_slice rest = call->args[1].text;
    while (rest.length != 0) {
        const struct zv_slice word = zv_slice_trim(zv_slice_cut(&rest, ','));
        if (word.length == 0 || word.length > name.length ||
            memcmp(name.at + name.length - word.length, word.at, word.length) != 0) {
            continue;
        }
        if (word.length == name.length || name.at[name.length - word.length - 1] == '.') {
            return step_number(1);
        }
    }
    return step_number(0);
}

/* ---- gradients and the optimizer's states ---- */

struct step_value step_op_trained(struct step_call *call)
{
    struct step_list *const list = step_list_new(call->run, (uint32_t)call->run->trained_count);
    for (size_t i = 0; list != NULL && i < call->run->trained_count; i++) {
        (void)step_list_add(call->run, list, step_path_value(call->run->trained[i]));
    }
    return step_list_value(list);
}

/* untrain(parameter): the optimizer does not see it; another that stands for it may be there */
struct step_value step_op_untrain(struct step_call *call)
{
    struct step_run *const run = call->run;
    size_t kept = 0;
    for (size_t i = 0; i < run->trained_count; i++) {
        if (run->trained[i] != path(call)) {
            run->trained[kept++] = run->trained[i];
        }
    }
    run->trained_count = kept;
    return none;
}

static struct step_tensor *parameter_of(struct step_call *call)
{
    struct step_tensor *const tensor = path(call)->tensor;
    if (tensor == NULL) {
        step_fail(call->e, ZV_E_SYNTAX, "%.*s is no parameter on the card",
                  (int)path(call)->name.length, path(call)->name.at);
    }
    return tensor;
}

struct step_value step_op_grad(struct step_call *call)
{
    return step_value_of(step_hold(step_arg_tensor(call, 0)->grad));
}

struct step_value step_op_clear_grad(struct step_call *call)
{
    struct step_tensor *const tensor = parameter_of(call);
    if (tensor != NULL) {
        step_clear(call->e, &tensor->grad);
    }
    return none;
}

static int state_index(struct step_call *call, bool make)
{
    struct step_path *const of = path(call);
    const struct zv_slice name = call->args[1].text;
    for (int i = 0; i < STEP_MAX_STATES; i++) {
        if (zv_slice_same(of->state_names[i], name)) {
            return i;
        }
        if (of->state_names[i].length == 0) {
            of->state_names[i] = make ? name : of->state_names[i];
            return make ? i : -1;
        }
    }
    if (make) {
        step_fail(call->e, ZV_E_LIMIT, "more than %d states of a parameter", STEP_MAX_STATES);
    }
    return -1;
}

/* A module that no family has, for what belongs to a layer and not to a part of it. */
struct step_value step_op_this_layer(struct step_call *call)
{
    char name[32];
    const int length = snprintf(name, sizeof name, "layer %lld", (long long)call->run->layer);
    if (call->run->layer < 0) {
        step_fail(call->e, ZV_E_SYNTAX, "in no layer here");
        return none;
    }
    return step_path_value(step_path_make(call->run, (struct zv_slice){name, (size_t)length}));
}

struct step_value step_op_state(struct step_call *call)
{
    const int index = state_index(call, false);
    return index >= 0 ? step_value_of(step_hold(path(call)->states[index])) : none;
}

struct step_value step_op_set_state(struct step_call *call)
{
    const int index = state_index(call, true);
    if (index < 0) {
        return none;
    }
    struct step_tensor *const old = path(call)->states[index];
    path(call)->states[index] = step_hold(step_tensor_of(&call->args[2]));
    path(call)->states[index]->storage->purpose = STEP_STATES;
    step_drop(call->e, old);
    return none;
}

/* ---- the graph ---- */

/* The procedure runs inside backward, with the parameter whose gradient is there. */
static void run_after_grad(struct step_engine *e, struct step_tensor *leaf)
{
    static const struct step_expression outside = {.kind = STEP_CALL};
    struct step_run *const run = e->after_context;
    struct step_value argument = step_path_value(leaf->parameter);
    const uint32_t label = e->label;
    if (leaf->parameter != NULL) {
        struct step_value result =
            step_call_procedure(run, run->after_grad, &argument, 1, &outside);
        step_value_drop(run, &result);
    }
    e->label = label;
}

/* after_grad(procedure) */
struct step_value step_op_after_grad(struct step_call *call)
{
    call->run->after_grad = (uint32_t)call->args[0].number;
    call->e->after_context = call->run;
    call->e->after_grad = run_after_grad;
    return none;
}

/* Autograd runs in a thread of its own, which has its own cuBLAS handle. */
struct step_value step_op_backward(struct step_call *call)
{
    const bool before = call->e->in_backward;
    call->e->in_backward = true;
    struct step_tensor *const loss = step_tensor_of(&call->args[0]);
    struct step_tensor *grad = call->count > 1 ? step_tensor_of(&call->args[1]) : NULL;
    if (grad != NULL && loss != NULL) {
        grad = step_hold(grad);
        step_backward_from(call->e, &loss, &grad, 1);
    } else {
        step_backward(call->e, loss);
    }
    call->e->in_backward = before;
    return none;
}

struct step_value step_op_mark(struct step_call *call)
{
    const int64_t mark = step_arg_number(call, 0, 0);
    if (mark >= 0 && mark < (int64_t)(sizeof call->run->marks / sizeof *call->run->marks)) {
        call->run->marks[mark] = call->e->events;
    }
    return none;
}

struct step_value step_op_phase(struct step_call *call)
{
    (void)step_phase_begin(call->e, call->args[0].text);
    return none;
}
