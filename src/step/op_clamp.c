/* clamp: what lies outside has no gradient. */
#include "step/op_table.h"
#include "step/tensor_layout.h"

/* where((self >= min).logical_and_(self <= max), grad, zero): FunctionsManual.cpp, clamp_backward
 */
static void clamp_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                           struct step_tensor **out)
{
    const struct step_tensor *const x = node->saved[0];
    struct step_tensor *const zero = step_scalar(e, in[0]->dtype);
    struct step_tensor *const inside = step_elementwise(e, &x, 1, ZV_DTYPE_BOOL);
    struct step_tensor *const below =
        node->number[0] == 2 ? step_elementwise(e, &x, 1, ZV_DTYPE_BOOL) : NULL;
    const struct step_tensor *const both[2] = {inside, in[0]};
    out[0] = step_elementwise(e, both, 2, in[0]->dtype);
    step_drop(e, below);
    step_drop(e, inside);
    step_drop(e, zero);
}

struct step_tensor *step_op_clamp(struct step_engine *e, struct step_tensor *x, int64_t bounds)
{
    if (x == NULL) {
        return NULL;
    }
    struct step_tensor *const result =
        step_elementwise(e, (const struct step_tensor *const[]){x}, 1, x->dtype);
    struct step_node *const node =
        step_node_new(e, clamp_backward, (struct step_tensor *const[]){x}, 1);
    if (node != NULL) {
        step_save(e, node, 0, x);
        node->number[0] = bounds;
    }
    return step_made_by(e, result, node);
}
