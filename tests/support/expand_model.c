#include "support/expand_model.h"

bool expand_model(struct zv_model *to, const struct zv_model *from, struct zv_arena *arena)
{
    const size_t total = (size_t)zv_model_tensors(from);
    struct zv_tensor *const tensors = zv_arena_array(arena, total, sizeof *tensors);
    size_t count = 0;
    size_t end = 0;
    for (size_t first = 0; tensors != NULL && first < from->tensor_count; first = end) {
        end = zv_tensor_run(from, first);
        for (uint32_t copy = 0; copy <= from->tensors[first].more; copy++) {
            for (size_t i = first; i < end; i++) {
                char name[ZV_TENSOR_NAME];
                struct zv_tensor *const one = &tensors[count++];
                *one = zv_tensor_copy(&from->tensors[i], copy, name);
                one->name.at = zv_arena_copy(arena, one->name.at, one->name.length);
                if (one->name.at == NULL) {
                    return false;
                }
            }
        }
    }
    *to = *from;
    to->tensors = tensors;
    to->tensor_count = count;
    return tensors != NULL && count == total;
}
