/*
 * Autocast: operands are cast where they are used, and fp32 weights that train are cast once and
 * kept until the outermost autocast ends. Source: ATen/autocast_mode.cpp (PyTorch 2.6).
 */
#include "base/memory.h"
#include "step/engine.h"
#include "step/op_table.h"
#include "step/tensor_layout.h"

enum { FEW_LEAVES = 64 };

static bool remember(struct step_engine *e, struct step_tensor *leaf, struct step_tensor *low)
{
    if (e->low_count == e->low_capacity) {
        const size_t capacity = e->low_capacity == 0 ? FEW_LEAVES : e->low_capacity * 2;
        struct step_tensor **const more =
            zv_memory_resize(e->low_leaves, capacity * sizeof(struct step_tensor *));
        if (more == NULL) {
            return step_fail(e, ZV_E_NOMEM, "no host memory for the autocast cache");
        }
        e->low_leaves = more;
        e->low_capacity = capacity;
    }
    e->low_leaves[e->low_count++] = step_hold(leaf);
    leaf->low = step_hold(low);
    return true;
}

struct step_tensor *step_low(struct step_engine *e, struct step_tensor *t)
{
    if (t == NULL || e->autocast == ZV_DTYPE_UNKNOWN || t->dtype == e->autocast ||
        !step_is_float(t->dtype) || t->dtype == ZV_DTYPE_F64) {
        return step_hold(t);
    }
    /* under inference_mode the cache is not used */
    const bool keeps = t->needs_grad && t->node == NULL && t->dtype == ZV_DTYPE_F32 &&
                       e->autocast_cache && !e->inference_mode;
    if (keeps && t->low != NULL) {
        return step_hold(t->low);
    }
    struct step_tensor *const low = step_op_to(e, t, e->autocast);
    if (keeps && low != NULL && !remember(e, t, low)) {
        step_drop(e, low);
        return NULL;
    }
    return low;
}

struct step_tensor *step_wide(struct step_engine *e, struct step_tensor *t)
{
    if (t == NULL || e->autocast == ZV_DTYPE_UNKNOWN ||
        (t->dtype != ZV_DTYPE_F16 && t->dtype != ZV_DTYPE_BF16)) {
        return step_hold(t);
    }
    return step_op_to(e, t, ZV_DTYPE_F32);
}

void step_autocast_clear(struct step_engine *e)
{
    for (size_t i = 0; i < e->low_count; i++) {
        step_clear(e, &e->low_leaves[i]->low);
        step_drop(e, e->low_leaves[i]);
    }
    e->low_count = 0;
}
