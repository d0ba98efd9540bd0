/* The operations of the language on tensors: from values to the functions of op_table.h. */
#include "step/op_table.h"
#include "step/program_call.h"
#include "step/program_hooks.h"
#include "step/program_parameters.h"
#include "step/program_run.h"
#include "step/tensor_layout.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

/* An operation that hands its tensors, one to four, to the function of op_table.h. */
#define OF_TENSORS(name, function, ...)                                                            \
    static struct step_value name(struct step_call *call)                                          \
    {                                                                                              \
        return step_value_of(function(call->e, __VA_ARGS__));                                      \
    }
#define TENSOR(at)               step_arg_tensor(call, at)
#define OF_ONE(name, function)   OF_TENSORS(name, function, TENSOR(0))
#define OF_TWO(name, function)   OF_TENSORS(name, function, TENSOR(0), TENSOR(1))
#define OF_THREE(name, function) OF_TENSORS(name, function, TENSOR(0), TENSOR(1), TENSOR(2))
#define OF_FOUR(name, function)                                                                    \
    OF_TENSORS(name, function, TENSOR(0), TENSOR(1), TENSOR(2), TENSOR(3))

/* ---- new tensors ---- */

static struct step_value empty(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 0, &shape)
               ? step_value_of(step_empty(call->e, &shape, step_arg_dtype(call, 1, ZV_DTYPE_F32)))
               : none;
}

static struct step_value like(struct step_call *call)
{
    struct step_tensor *const t = step_arg_tensor(call, 0);
    return t != NULL ? step_value_of(step_like(call->e, t, step_arg_dtype(call, 1, t->dtype)))
                     : none;
}

static struct step_value compare(struct step_call *call)
{
    const struct step_tensor *const both[2] = {step_arg_tensor(call, 0), step_arg_tensor(call, 1)};
    return step_value_of(step_elementwise(call->e, both, 2, ZV_DTYPE_BOOL));
}

/* A kernel's own buffer: gone with the statement, unless it is given a name. */
static struct step_value scratch(struct step_call *call)
{
    const bool before = call->e->in_kernel;
    call->e->in_kernel = true;
    struct step_tensor *const t = step_vector(call->e, step_arg_number(call, 0, 0), ZV_DTYPE_U8);
    call->e->in_kernel = before;
    return step_value_of(t);
}

static struct step_value managed(struct step_call *call)
{
    struct step_tensor *const t = step_arg_tensor(call, 0);
    return t != NULL ? step_value_of(step_managed(call->e, t, step_arg_dtype(call, 1, t->dtype)))
                     : none;
}

/* ---- elementwise ---- */

OF_TWO(add_in_place, step_op_add_in_place)
OF_ONE(scale_view_in_place, step_op_scale_view_in_place)
OF_TWO(div_in_place, step_op_div_in_place)
OF_TWO(mul_in_place, step_op_mul_in_place)
OF_TWO(mul_view_in_place, step_op_mul_view_in_place)
OF_ONE(as_complex, step_op_as_complex)
OF_ONE(as_real, step_op_as_real)

static struct step_value to(struct step_call *call)
{
    return step_value_of(
        step_op_to(call->e, step_arg_tensor(call, 0), step_arg_dtype(call, 1, ZV_DTYPE_F32)));
}

static struct step_value clone(struct step_call *call)
{
    return step_value_of(step_op_clone(call->e, step_arg_tensor(call, 0), false));
}

OF_ONE(contiguous, step_op_contiguous)

static struct step_value detach(struct step_call *call)
{
    return step_value_of(step_detach(call->e, step_arg_tensor(call, 0)));
}

OF_THREE(where, step_op_where)
OF_TWO(masked_fill, step_op_masked_fill)

static struct step_value clamp(struct step_call *call)
{
    return step_value_of(
        step_op_clamp(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 2)));
}

static struct step_value dropout(struct step_call *call)
{
    const bool nothing = call->e->evaluating || call->count < 2 ||
                         call->args[1].kind == STEP_IS_NONE ||
                         (call->args[1].kind == STEP_IS_NUMBER && call->args[1].number == 0);
    return step_value_of(nothing ? step_hold(step_arg_tensor(call, 0))
                                 : step_op_dropout(call->e, step_arg_tensor(call, 0)));
}

/* ---- reductions ---- */

static struct step_value mean(struct step_call *call)
{
    return step_value_of(call->count < 2 ? step_op_mean_all(call->e, step_arg_tensor(call, 0))
                                         : step_op_mean(call->e, step_arg_tensor(call, 0),
                                                        step_arg_number(call, 1, 0),
                                                        step_arg_number(call, 2, 0) != 0));
}

static struct step_value sum(struct step_call *call)
{
    return step_value_of(step_op_sum(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 0),
                                     step_arg_number(call, 2, 0) != 0));
}

/* Of all values, or along a dimension, which is kept. */
static struct step_value vector_norm(struct step_call *call)
{
    return step_value_of(call->count < 2 ? step_op_norm_all(call->e, step_arg_tensor(call, 0))
                                         : step_op_mean(call->e, step_arg_tensor(call, 0),
                                                        step_arg_number(call, 1, 0), true));
}

/* Values and their indices; the dimension is kept. */
static struct step_value maximum(struct step_call *call)
{
    struct step_tensor *t[2] = {NULL, NULL};
    t[0] = step_op_max(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 0), &t[1]);
    return t[0] != NULL ? step_list_of(call, t, 2) : none;
}

/* ---- matrices ---- */

OF_TWO(matmul, step_op_matmul)

/* The type in which autocast multiplies it. */
static struct step_value matmul_type(struct step_call *call)
{
    const struct step_tensor *const t = step_arg_tensor(call, 0);
    if (t == NULL) {
        return none;
    }
    const bool cast = call->e->autocast != ZV_DTYPE_UNKNOWN && step_is_float(t->dtype) &&
                      t->dtype != ZV_DTYPE_F64;
    return (struct step_value){.kind = STEP_IS_DTYPE,
                               .number = (int64_t)(cast ? call->e->autocast : t->dtype)};
}

OF_THREE(linear, step_op_linear)
OF_THREE(addmm, step_op_addmm)
OF_TWO(bmm, step_op_bmm)
OF_THREE(baddbmm, step_op_baddbmm)

static struct step_value einsum(struct step_call *call)
{
    return step_value_of(step_op_einsum(call->e, call->args[0].text, step_arg_tensor(call, 1),
                                        step_arg_tensor(call, 2)));
}

static struct step_value convolve(struct step_call *call, uint32_t dims)
{
    const struct step_window window = {dims, step_arg_number(call, 3, 1),
                                       step_arg_number(call, 4, 0)};
    return step_value_of(step_op_convolve(call->e, step_arg_tensor(call, 0),
                                          step_arg_tensor(call, 1), step_arg_tensor(call, 2),
                                          &window));
}

static struct step_value conv1d(struct step_call *call)
{
    return convolve(call, 1);
}

static struct step_value conv2d(struct step_call *call)
{
    return convolve(call, 2);
}

/* ---- tables ---- */

OF_TWO(embedding, step_op_embedding)
OF_TWO(index_rows, step_op_index)

static struct step_value gather(struct step_call *call)
{
    return step_value_of(step_op_gather(call->e, step_arg_tensor(call, 0),
                                        step_arg_number(call, 1, 0), step_arg_tensor(call, 2)));
}

static struct step_value take(struct step_call *call)
{
    return step_value_of(step_op_take(call->e, step_arg_tensor(call, 0),
                                      step_arg_number(call, 1, 0), step_arg_tensor(call, 2)));
}

OF_TWO(take_each, step_op_take_each)
OF_THREE(index_add_in_place, step_op_index_add)

/* Values and their places. */
static struct step_value scatter_in_place(struct step_call *call)
{
    return step_value_of(step_op_scatter(call->e, step_arg_tensor(call, 0),
                                         step_arg_tensor(call, 2), step_arg_tensor(call, 3)));
}

static struct step_value topk(struct step_call *call)
{
    struct step_tensor *t[2] = {NULL, NULL};
    t[0] = step_op_topk(call->e, step_arg_tensor(call, 0), step_arg_number(call, 1, 1), &t[1]);
    return t[0] != NULL ? step_list_of(call, t, 2) : none;
}

static struct step_value index_copy(struct step_call *call)
{
    return step_value_of(step_op_index_copy(call->e, step_arg_tensor(call, 0),
                                            step_arg_number(call, 1, 0), step_arg_tensor(call, 2),
                                            step_arg_tensor(call, 3), false));
}

static struct step_value index_copy_in_place(struct step_call *call)
{
    return step_value_of(step_op_index_copy(call->e, step_arg_tensor(call, 0),
                                            step_arg_number(call, 1, 0), step_arg_tensor(call, 2),
                                            step_arg_tensor(call, 3), true));
}

/* ---- softmax, norms, losses ---- */

static struct step_value softmax(struct step_call *call)
{
    return step_value_of(step_op_softmax(call->e, step_arg_tensor(call, 0),
                                         step_arg_dtype(call, 1, ZV_DTYPE_UNKNOWN)));
}

OF_ONE(safe_softmax, step_op_safe_softmax)

static struct step_value log_softmax(struct step_call *call)
{
    return step_value_of(step_op_log_softmax(call->e, step_arg_tensor(call, 0),
                                             step_arg_dtype(call, 1, ZV_DTYPE_UNKNOWN)));
}

static struct step_value nll_loss(struct step_call *call)
{
    return step_value_of(step_op_nll_loss(call->e, step_arg_tensor(call, 0),
                                          step_arg_tensor(call, 1),
                                          step_arg_number(call, 2, 1) != 0));
}

/*
 * cross_entropy(logits, targets, mean): a log_softmax that states the logits' own type, so that
 * autocast leaves it alone, and a nll_loss, which autocast runs in fp32 (ATen/native/LossNLL.cpp).
 */
static struct step_value cross_entropy(struct step_call *call)
{
    struct step_tensor *const logits = step_arg_tensor(call, 0);
    struct step_tensor *const own =
        step_op_log_softmax(call->e, logits, logits != NULL ? logits->dtype : ZV_DTYPE_UNKNOWN);
    struct step_tensor *const logs = step_wide(call->e, own);
    step_drop(call->e, own);
    struct step_tensor *const loss =
        step_op_nll_loss(call->e, logs, step_arg_tensor(call, 1), step_arg_number(call, 2, 1) != 0);
    step_drop(call->e, logs);
    return step_value_of(loss);
}

OF_THREE(layer_norm, step_op_layer_norm)

/* ---- attention ---- */

OF_THREE(flash, step_op_flash)
OF_THREE(flash1, step_op_flash1)
OF_FOUR(efficient, step_op_efficient)
OF_THREE(flex, step_op_flex)

/* ---- others ---- */

static struct step_value is_number(struct step_call *call)
{
    return step_number(call->args[0].kind == STEP_IS_NUMBER);
}

/* Settings that do not go together. */
static struct step_value refuse(struct step_call *call)
{
    step_fail(call->e, ZV_E_USAGE, "%.*s", (int)call->args[0].text.length, call->args[0].text.at);
    return none;
}

/* ---- the table ---- */

const struct step_operation step_operations[] = {
    {"size", "Ti", step_call_size},
    {"dims", "T", step_call_dims},
    {"elements", "T", step_call_elements},
    {"type", "T", step_call_type},
    {"matmul_type", "T", matmul_type},
    {"needs_grad", "T", step_call_needs_grad},
    {"empty", "L?d", empty},
    {"like", "T?d", like},
    {"compare", "T?T", compare},
    {"scratch", "i", scratch},
    {"managed", "T?d", managed},
    {"add_in_place", "T?O", add_in_place},
    {"scale_view_in_place", "T", scale_view_in_place},
    {"div_in_place", "T?O", div_in_place},
    {"mul_in_place", "TT", mul_in_place},
    {"mul_view_in_place", "TT", mul_view_in_place},
    {"to", "Td", to},
    {"clone", "T", clone},
    {"contiguous", "T", contiguous},
    {"detach", "T", detach},
    {"where", "TT?O", where},
    {"masked_fill", "TT", masked_fill},
    {"dropout", "T?n", dropout},
    {"as_complex", "T", as_complex},
    {"as_real", "T", as_real},
    {"clamp", "T?i", clamp},
    {"view", "TL", step_call_view},
    {"reshape", "TL", step_call_reshape},
    {"expand", "TL", step_call_expand},
    {"permute", "TL", step_call_permute},
    {"transpose", "Tii", step_call_transpose},
    {"unsqueeze", "Ti", step_call_unsqueeze},
    {"squeeze", "Ti", step_call_squeeze},
    {"slice", "Tii?i", step_call_slice},
    {"every", "Tiii", step_call_every},
    {"select", "Ti?v", step_call_select_one},
    {"split", "TL?i", step_call_split},
    {"split_every", "Ti?i", step_call_split_every},
    {"unbind", "T?i", step_call_unbind},
    {"cat", "L?id", step_call_cat},
    {"stack", "L?i", step_call_stack},
    {"mean", "T?ii", mean},
    {"vector_norm", "T?i", vector_norm},
    {"sum", "Ti?i", sum},
    {"max", "Ti", maximum},
    {"matmul", "TT", matmul},
    {"linear", "TT?O", linear},
    {"addmm", "TTT", addmm},
    {"bmm", "TT", bmm},
    {"baddbmm", "TTT", baddbmm},
    {"einsum", "sTT", einsum},
    {"conv1d", "TT?Oii", conv1d},
    {"conv2d", "TTO?ii", conv2d},
    {"embedding", "TT", embedding},
    {"index", "TT", index_rows},
    {"gather", "TiT", gather},
    {"take", "TiT", take},
    {"take_each", "TT", take_each},
    {"index_add_in_place", "TTT", index_add_in_place},
    {"topk", "Ti", topk},
    {"scatter_in_place", "TiTT", scatter_in_place},
    {"index_copy", "TiTT", index_copy},
    {"index_copy_in_place", "TiTT", index_copy_in_place},
    {"softmax", "T?d", softmax},
    {"safe_softmax", "T", safe_softmax},
    {"log_softmax", "T?d", log_softmax},
    {"nll_loss", "TT?i", nll_loss},
    {"cross_entropy", "TT?i", cross_entropy},
    {"layer_norm", "T?OO", layer_norm},
    {"flash", "TTT", flash},
    {"flash1", "TTT", flash1},
    {"efficient", "TTT?O", efficient},
    {"flex", "TTT", flex},
    {"append", "Lv", step_call_append},
    {"count", "L", step_call_count},
    {"map", "PL?*", step_call_map},
    {"by_type", "L", step_call_by_type},
    {"checkpoint", "P*", step_op_checkpoint},
    {"own_backward", "PTT", step_op_own_backward},
    {"given_grads", "TTTTO", step_call_given_grads},
    {"liger_rms", "TT", step_call_liger_rms},
    {"liger_rope", "TTTT", step_call_liger_rope},
    {"liger_swiglu", "TT", step_call_liger_swiglu},
    {"no_grad", "", step_call_no_grad},
    {"inference", "", step_call_inference},
    {"evaluating", "", step_call_evaluating},
    {"is_training", "", step_call_is_training},
    {"enable_grad", "", step_call_enable_grad},
    {"autocast", "?d", step_call_autocast},
    {"purpose", "s", step_call_purpose},
    {"refuse", "s", refuse},
    {"exists", "v", step_op_exists},
    {"is_number", "v", is_number},
    {"declared", "", step_op_declared},
    {"is_linear", "M", step_op_is_linear},
    {"is_embedding", "M", step_op_is_embedding},
    {"declared_size", "M?i", step_op_declared_size},
    {"allocate", "M?di", step_op_allocate},
    {"pack", "M?iidi", step_op_pack},
    {"parameter", "MsL?di", step_op_parameter},
    {"module_of", "M", step_op_module_of},
    {"named", "Ms", step_op_named},
    {"trained", "", step_op_trained},
    {"untrain", "M", step_op_untrain},
    {"grad", "T", step_op_grad},
    {"clear_grad", "M", step_op_clear_grad},
    {"this_layer", "", step_op_this_layer},
    {"state", "Ms", step_op_state},
    {"set_state", "MsT", step_op_set_state},
    {"after_grad", "P", step_op_after_grad},
    {"backward", "T?T", step_op_backward},
    {"mark", "i", step_op_mark},
    {"phase", "s", step_op_phase},
    {"object", "", step_op_object},
    {"procedure", "Q", step_op_procedure},
    {"shape", "T", step_call_shape},
    {"clear_list", "L", step_call_clear_list},
    {"pop", "L", step_call_pop},
    {"has", "LM", step_call_has},
    {"without", "LL", step_call_without},
    {"buffers_there", "", step_op_buffers_there},
    {"bytes", "T", step_call_bytes},
    {"is_packed", "T", step_call_is_packed},
    {"parts", "", step_op_parts},
    {"parts_of", "Q", step_op_parts_of},
    {"set_tensor", "MT", step_op_set_tensor},
    {"set_grad", "TO", step_op_set_grad},
    {"release", "T", step_op_release},
    {"refill", "T", step_op_refill},
    {"used_here", "T?v", step_op_used_here},
    {"queued", "", step_op_queued},
    {"wait_for", "i", step_op_wait_for},
    {"as_strided", "TL", step_op_as_strided},
    {"leaf", "T?i", step_op_leaf},
    {"cast", "vd", step_call_cast},
    {"stream", "s", step_call_stream},
    {"host", "?i", step_call_host},
    {"outside", "s", step_op_outside},
    {"around", "QPPv", step_op_around},
    {"before_backward", "vP?*", step_op_before_backward},
    {"passed", "LP?*", step_op_passed},
    {"when_grad", "TP?*", step_op_when_grad},
    {"after_backward", "P?*", step_op_after_backward},
};
const size_t step_operation_count = sizeof step_operations / sizeof *step_operations;
