/* Complex numbers of two fp32: pairs seen as one number, and a number as its pair. */
#include "step/op_table.h"
#include "step/tensor_layout.h"

/* Pairs of neighbours in the last dimension as one number each (view_as_complex); NULL where they
 * are none. */
static struct step_tensor *joined(struct step_engine *e, const struct step_tensor *t)
{
    struct step_shape shape = t->shape;
    int64_t stride[STEP_MAX_DIMS] = {0};
    bool pairs = shape.dims > 0 && shape.size[shape.dims - 1] == 2 &&
                 t->stride[shape.dims - 1] == 1 && t->dtype == ZV_DTYPE_F32;
    for (uint32_t i = 0; pairs && i + 1 < shape.dims; i++) {
        pairs = t->stride[i] % 2 == 0;
        stride[i] = t->stride[i] / 2;
    }
    if (!pairs) {
        step_fail(e, ZV_E_SYNTAX, "as_complex: no pairs of fp32 in the last dimension");
        return NULL;
    }
    shape.dims--;
    struct step_tensor *const view = step_grad_view(e, t, &shape, stride);
    if (view != NULL) {
        view->dtype = ZV_DTYPE_C64;
    }
    return view;
}

/* view_as_real */
static struct step_tensor *parted(struct step_engine *e, const struct step_tensor *t)
{
    struct step_shape shape = t->shape;
    int64_t stride[STEP_MAX_DIMS] = {0};
    if (t->dtype != ZV_DTYPE_C64 || shape.dims == STEP_MAX_DIMS) {
        step_fail(e, ZV_E_SYNTAX, "as_real: no complex numbers, or of too many dimensions");
        return NULL;
    }
    for (uint32_t i = 0; i < shape.dims; i++) {
        stride[i] = 2 * t->stride[i];
    }
    stride[shape.dims] = 1;
    shape.size[shape.dims++] = 2;
    struct step_tensor *const view = step_grad_view(e, t, &shape, stride);
    if (view != NULL) {
        view->dtype = ZV_DTYPE_F32;
    }
    return view;
}

static void complex_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                             struct step_tensor **out)
{
    (void)node;
    out[0] = parted(e, in[0]);
}

/* view_as_complex(grad.contiguous()) */
static void real_backward(struct step_engine *e, struct step_node *node, struct step_tensor **in,
                          struct step_tensor **out)
{
    (void)node;
    struct step_tensor *const copy =
        step_is_contiguous(in[0]) ? NULL : step_empty(e, &in[0]->shape, in[0]->dtype);
    out[0] = joined(e, copy != NULL ? copy : in[0]);
    step_drop(e, copy);
}

struct step_tensor *step_op_as_complex(struct step_engine *e, struct step_tensor *a)
{
    return a == NULL || !step_ok(e)
               ? NULL
               : step_made_by(
                     e, joined(e, a),
                     step_node_new(e, complex_backward, (struct step_tensor *const[]){a}, 1));
}

struct step_tensor *step_op_as_real(struct step_engine *e, struct step_tensor *a)
{
    return a == NULL || !step_ok(e)
               ? NULL
               : step_made_by(e, parted(e, a),
                              step_node_new(e, real_backward, (struct step_tensor *const[]){a}, 1));
}
