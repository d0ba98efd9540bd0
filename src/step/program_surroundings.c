/* Operations of the language that change what the engine does, for `with`, whose end undoes it
 * (program_run.c). */
#include "step/program_call.h"

static const struct step_value none = {.kind = STEP_IS_NONE};

struct step_value step_call_no_grad(struct step_call *call)
{
    call->e->grad_enabled = false;
    return none;
}

struct step_value step_call_inference(struct step_call *call)
{
    call->e->grad_enabled = false;
    call->e->inference_mode = true;
    return none;
}

struct step_value step_call_evaluating(struct step_call *call)
{
    call->e->evaluating = true;
    return none;
}

struct step_value step_call_enable_grad(struct step_call *call)
{
    call->e->grad_enabled = true;
    return none;
}

/* autocast(none) is one that is switched off. */
struct step_value step_call_autocast(struct step_call *call)
{
    call->e->autocast = step_arg_dtype(call, 0, ZV_DTYPE_UNKNOWN);
    call->e->autocast_depth++;
    call->e->autocast_cache = true;
    return none;
}

struct step_value step_call_purpose(struct step_call *call)
{
    static const char *const names[STEP_PURPOSE_COUNT] = {
        "activations", "weights", "inputs", "gradients", "states", "workspace", "exchanged"};
    for (int i = 0; i < STEP_PURPOSE_COUNT; i++) {
        if (zv_slice_equal(call->args[0].text, names[i])) {
            call->e->purpose = (enum step_purpose)i;
            return none;
        }
    }
    step_fail(call->e, ZV_E_SYNTAX, "no such purpose");
    return none;
}

struct step_value step_call_stream(struct step_call *call)
{
    (void)step_stream_set(call->e, call->args[0].text);
    return none;
}

/* host(yes): what is made has no memory on the card */
struct step_value step_call_host(struct step_call *call)
{
    call->e->on_host = step_arg_number(call, 0, 1) != 0;
    return none;
}

struct step_value step_call_is_training(struct step_call *call)
{
    return step_number(!call->e->evaluating);
}
