/* A grouped convolution of width 1, by cuDNN; its workspace is taken as 0. */
#include "step/op_table.h"
#include "step/tensor_layout.h"

static struct step_tensor *dense(struct step_engine *e, const struct step_tensor *t)
{
    return t == NULL || step_is_contiguous(t) ? NULL : step_empty(e, &t->shape, t->dtype);
}

static void conv_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    struct step_tensor *const grad = dense(e, in[0]);
    struct step_tensor *const x = dense(e, node->saved[0]);
    for (uint32_t i = 0; i < 2; i++) {
        if (step_edge_needed(node, i)) {
            out[i] = step_empty(e, &node->saved[i]->shape, node->saved[i]->dtype);
        }
    }
    step_drop(e, grad);
    step_drop(e, x);
}

struct step_tensor *step_op_conv1d(struct step_engine *e, struct step_tensor *x,
                                   struct step_tensor *weight)
{
    if (x == NULL || weight == NULL) {
        return NULL;
    }
    if (x->shape.dims != 3 || weight->shape.dims != 3) {
        step_fail(e, ZV_E_SYNTAX, "conv1d takes batch, channels, tokens");
        return NULL;
    }
    struct step_tensor *const copy = dense(e, x);
    const struct step_shape shape = {
        .dims = 3, .size = {x->shape.size[0], weight->shape.size[0], x->shape.size[2]}};
    struct step_tensor *const result = step_empty(e, &shape, x->dtype);
    step_drop(e, copy);
    struct step_node *const node =
        step_node_new(e, conv_backward, (struct step_tensor *const[]){x, weight}, 2);
    step_save(e, node, 0, x);
    step_save(e, node, 1, weight);
    return step_made_by(e, result, node);
}
