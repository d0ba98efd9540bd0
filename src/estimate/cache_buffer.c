#include "estimate/cache_buffer.h"

#include "base/checked.h"
#include "base/fail.h"

/* Kernels read quantised rows in steps of 512 values; tensors start at multiples of 128 bytes; a
 * buffer on the host is allocated with room to align its start. */
enum { ROW_STEP = 512, CARD_ALIGNMENT = 128, HOST_ALIGNMENT = 32 };

/* Values in a row of the K tensor: one head, or a latent. V is one long row and needs no more. */
static uint64_t row_values(const struct zv_layer *layer, const struct zv_cache_form *form)
{
    if (layer->shares_cache) {
        return 0;
    }
    if (layer->attention == ZV_ATTENTION_LATENT && form->mla != ZV_MLA_PER_HEAD) {
        return (uint64_t)layer->latent_rank + layer->rope_dim;
    }
    return layer->attention == ZV_ATTENTION_NONE ? 0 : layer->head_dim_k;
}

enum zv_status zv_cache_buffer_extra(uint64_t *bytes, enum zv_buffer_kind kind,
                                     const struct zv_layer *layers, size_t count,
                                     const struct zv_cache_form *form, struct zv_error *err)
{
    uint64_t block;
    uint64_t block_bytes;
    *bytes = kind == ZV_BUFFER_HOST ? HOST_ALIGNMENT : 0;
    if (!zv_dtype_block(form->k, &block, &block_bytes)) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "%s has no size", zv_dtype_name(form->k));
    }
    if (kind == ZV_BUFFER_HOST || block == 1) {
        return ZV_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t beyond = row_values(&layers[i], form) % ROW_STEP;
        uint64_t padding;
        if (beyond == 0) {
            continue;
        }
        if (!zv_dtype_bytes(form->k, ROW_STEP - beyond, &padding) ||
            !zv_add(*bytes, zv_ceil_div(padding, CARD_ALIGNMENT) * CARD_ALIGNMENT, bytes)) {
            return zv_fail(err, ZV_E_UNSUPPORTED, "%llu values cannot be stored as %s",
                           (unsigned long long)(ROW_STEP - beyond), zv_dtype_name(form->k));
        }
    }
    return ZV_OK;
}
