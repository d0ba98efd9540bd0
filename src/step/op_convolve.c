/* Convolutions by cuDNN; its workspace is taken as 0. */
#include "step/op_table.h"
#include "step/region.h"
#include "step/tensor_layout.h"

enum { BIAS = 2 }; /* the edge after input and weight */

static void conv_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    struct step_tensor *const grad = step_kernel_copy(e, in[0]);
    struct step_tensor *const x = step_kernel_copy(e, node->saved[0]);
    for (uint32_t i = 0; i < 2; i++) {
        if (step_edge_needed(node, i)) {
            out[i] = step_empty(e, &node->saved[i]->shape, node->saved[i]->dtype);
        }
    }
    if (node->edge_count > BIAS && step_edge_needed(node, BIAS)) {
        out[BIAS] = step_vector(e, in[0]->shape.size[1], in[0]->dtype);
    }
    step_drop(e, grad);
    step_drop(e, x);
}

/* The result, which a checkpoint may have kept. */
static struct step_tensor *kept_convolution(struct step_engine *e, const struct step_tensor *x,
                                            const struct step_shape *shape)
{
    struct step_tensor *result = step_kept(e, STEP_KEEPS_CONVOLUTION);
    if (result == NULL) {
        struct step_tensor *const copy = step_kernel_copy(e, x);
        result = step_empty(e, shape, x->dtype);
        step_drop(e, copy);
        step_keep(e, STEP_KEEPS_CONVOLUTION, result);
    }
    return result;
}

/* Of the dimensions behind the channels. */
static bool result_shape(struct step_engine *e, const struct step_tensor *x,
                         const struct step_tensor *weight, const struct step_window *window,
                         struct step_shape *shape)
{
    *shape = (struct step_shape){.dims = x->shape.dims,
                                 .size = {x->shape.size[0], weight->shape.size[0]}};
    for (uint32_t i = 2; i < shape->dims; i++) {
        const int64_t room = x->shape.size[i] + 2 * window->padding - weight->shape.size[i];
        if (room < 0) {
            return step_fail(e, ZV_E_SYNTAX, "a convolution's window of %lld in %lld",
                             (long long)weight->shape.size[i], (long long)x->shape.size[i]);
        }
        shape->size[i] = room / window->step + 1;
    }
    return true;
}

static struct step_tensor *convolved(struct step_engine *e, struct step_tensor *x,
                                     struct step_tensor *weight, struct step_tensor *bias,
                                     const struct step_window *window)
{
    struct step_shape shape;
    if (x == NULL || weight == NULL || !result_shape(e, x, weight, window, &shape)) {
        return NULL;
    }
    struct step_node *const node =
        step_node_new(e, conv_backward, (struct step_tensor *const[]){x, weight, bias}, 3);
    step_save(e, node, 0, x);
    step_save(e, node, 1, weight);
    return step_made_by(e, kept_convolution(e, x, &shape), node);
}

struct step_tensor *step_op_convolve(struct step_engine *e, struct step_tensor *x,
                                     struct step_tensor *weight, struct step_tensor *bias,
                                     const struct step_window *window)
{
    if (x == NULL || weight == NULL) {
        return NULL;
    }
    if (x->shape.dims != window->dims + 2 || weight->shape.dims != window->dims + 2 ||
        window->step <= 0 || window->padding < 0) {
        step_fail(e, ZV_E_SYNTAX, "conv%ud takes batch, channels, %s, and a step", window->dims,
                  window->dims == 1 ? "tokens" : "height, width");
        return NULL;
    }
    struct step_tensor *const low_bias = step_low(e, bias);
    struct step_tensor *const low_weight = step_low(e, weight);
    struct step_tensor *const low_x = step_low(e, x);
    struct step_tensor *const result = convolved(e, low_x, low_weight, low_bias, window);
    step_drop(e, low_x);
    step_drop(e, low_weight);
    step_drop(e, low_bias);
    return result;
}
