/*
 * Linear layers with packed weights: each use makes the whole weight anew, and drops it.
 *
 * bitsandbytes (autograd/_functions.py): the scales of a doubly quantised weight are unpacked
 * first; when the type it was quantised from differs from the input's (Fabric quantises from
 * fp16), the unpacked weight is cast: two whole weights at once. Older versions keep each layer's
 * input as an attribute of the Python context, which backward does not release.
 * torchao (NF4Tensor): one whole weight for each use, the input is not kept.
 */
#include "step/op_table.h"
#include "step/tensor_layout.h"

static struct step_tensor *unpack(struct step_engine *e, const struct step_packed *packed,
                                  enum zv_dtype dtype)
{
    struct step_tensor *const scales = packed->double_quant && !packed->torchao
                                           ? step_vector(e, packed->blocks, ZV_DTYPE_F32)
                                           : NULL;
    const struct step_shape shape = {.dims = 2, .size = {packed->rows, packed->columns}};
    const enum zv_dtype first = packed->unpacked != ZV_DTYPE_UNKNOWN ? packed->unpacked : dtype;
    struct step_tensor *weight = step_empty(e, &shape, first);
    step_drop(e, scales);
    if (weight != NULL && first != dtype) {
        struct step_tensor *const other = weight;
        weight = step_like(e, other, dtype);
        step_drop(e, other);
    }
    return weight;
}

static void packed_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                            struct step_tensor **out)
{
    struct step_tensor *const weight = unpack(e, node->saved[0]->packed, in[0]->dtype);
    out[0] = step_op_matmul(e, in[0], weight);
    step_drop(e, weight);
}

struct step_tensor *step_op_linear_packed(struct step_engine *e, struct step_tensor *x,
                                          struct step_tensor *weight, struct step_tensor *bias)
{
    if (x == NULL || weight == NULL) {
        return NULL;
    }
    const bool grad_before = e->grad_enabled;
    struct step_tensor *const whole = unpack(e, weight->packed, x->dtype);
    e->grad_enabled = false;
    struct step_tensor *const result = step_op_linear(e, x, whole, bias);
    e->grad_enabled = grad_before;
    step_drop(e, whole);
    struct step_node *const node =
        step_node_new(e, packed_backward, (struct step_tensor *const[]){x}, 1);
    if (node != NULL) {
        step_save(e, node, 0, weight);
        if (weight->packed->keeps_input) {
            node->attribute = step_hold(x);
            x->storage->saved++;
        }
    }
    return step_made_by(e, result, node);
}
