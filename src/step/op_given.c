/* A result whose gradients were made with it: an autograd.Function that saved them. */
#include "step/program_call.h"

static void given_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    (void)in;
    /* what comes in is compared with a 1 on the card (Liger's ..._cross_entropy_backward) */
    step_drop(e, step_scalar(e, ZV_DTYPE_F32));
    for (uint32_t i = 0; i < node->edge_count; i++) {
        out[i] = step_edge_needed(node, i) ? step_detach(e, node->saved[i]) : NULL;
    }
}

/* given_grads(result, a, gradient of a, b, gradient of b) */
struct step_value step_call_given_grads(struct step_call *call)
{
    struct step_engine *const e = call->e;
    struct step_tensor *const result = step_arg_tensor(call, 0);
    struct step_tensor *const inputs[2] = {step_arg_tensor(call, 1), step_arg_tensor(call, 3)};
    struct step_node *const node = step_node_new(e, given_backward, inputs, 2);
    for (size_t i = 0; node != NULL && i < 2; i++) {
        step_save(e, node, i, step_arg_tensor(call, 2 * i + 2));
    }
    return step_value_of(step_made_by(e, step_hold(result), node));
}
