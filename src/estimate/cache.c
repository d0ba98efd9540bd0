#include "estimate/cache.h"

#include "base/checked.h"
#include "base/fail.h"

static enum zv_status fail_overflow(struct zv_error *err)
{
    return zv_fail(err, ZV_E_OVERFLOW, "the cache passes 2^64 bytes");
}

uint32_t zv_kv_heads_of_rank(uint32_t kv_heads, uint32_t tp)
{
    const uint32_t ranks = tp == 0 ? 1 : tp;
    return kv_heads == 0 ? 0 : (uint32_t)zv_ceil_div(kv_heads, ranks);
}

static enum zv_status row_bytes(enum zv_dtype dtype, uint64_t elements, uint64_t *to,
                                struct zv_error *err)
{
    if (elements == 0) {
        *to = 0;
        return ZV_OK;
    }
    uint64_t block;
    uint64_t block_bytes;
    if (!zv_dtype_bytes(dtype, elements, to)) {
        if (zv_dtype_block(dtype, &block, &block_bytes) && elements % block == 0) {
            return fail_overflow(err);
        }
        return zv_fail(
            err, ZV_E_UNSUPPORTED,
            "a cache row of %llu values cannot be stored as %s: no whole number of blocks",
            (unsigned long long)elements, zv_dtype_name(dtype));
    }
    return ZV_OK;
}

/* Rows of heads. A type with a scale per row (ik_llama.cpp's q8_KV) has one for each head. */
static enum zv_status heads_bytes(enum zv_dtype dtype, uint64_t heads, uint64_t dim, uint64_t *to,
                                  struct zv_error *err)
{
    uint64_t one;
    uint64_t two;
    if (zv_dtype_bytes(dtype, dim, &one) && zv_dtype_bytes(dtype, dim * 2, &two) &&
        two != one * 2) {
        return zv_mul(heads, one, to) ? ZV_OK : fail_overflow(err);
    }
    return row_bytes(dtype, heads * dim, to, err);
}

static enum zv_status latent_cell(struct zv_cache_cell *cell, const struct zv_layer *layer,
                                  const struct zv_cache_form *form, struct zv_error *err)
{
    if (form->mla == ZV_MLA_PER_HEAD) {
        const uint64_t heads = zv_ceil_div(layer->heads, form->tp == 0 ? 1 : form->tp);
        enum zv_status status = heads_bytes(form->k, heads, layer->head_dim_k, &cell->k, err);
        return status == ZV_OK ? heads_bytes(form->v, heads, layer->head_dim_v, &cell->v, err)
                               : status;
    }
    enum zv_status status = ZV_OK;
    if (form->latent_token_bytes != 0) {
        cell->k = form->latent_token_bytes;
    } else {
        const uint64_t values = (uint64_t)layer->latent_rank + layer->rope_dim;
        status = row_bytes(form->k, values, &cell->k, err);
    }
    if (status == ZV_OK && form->mla == ZV_MLA_LATENT_AND_COPY) {
        status = row_bytes(form->v, layer->latent_rank, &cell->v, err);
    }
    if (status == ZV_OK && layer->index_dim != 0) {
        cell->index = form->index_token_bytes;
        if (form->index_token_bytes == 0) {
            status = row_bytes(form->k, layer->index_dim, &cell->index, err);
        }
    }
    return status;
}

/* Values in the rolling convolution input and in the scan of one sequence, of all ranks. */
static bool state_of_all(const struct zv_layer *layer, bool whole, uint64_t *conv, uint64_t *scan)
{
    const uint64_t taps = layer->d_conv == 0 || whole ? layer->d_conv : layer->d_conv - UINT64_C(1);
    const uint64_t groups = (uint64_t)layer->state_groups * layer->d_state;
    const uint64_t keys = (uint64_t)layer->key_heads * layer->key_head_dim;
    uint64_t width = 0;
    *conv = 0;
    *scan = 0;
    switch (layer->state) {
    case ZV_STATE_MAMBA1:
        *scan = (uint64_t)layer->d_state * layer->d_inner;
        return zv_mul(taps, layer->d_inner, conv);
    case ZV_STATE_MAMBA2:
        *scan = (uint64_t)layer->d_state * layer->d_inner;
        return zv_mul(2, groups, &width) && zv_add(width, layer->d_inner, &width) &&
               zv_mul(taps, width, conv);
    case ZV_STATE_DELTA:
        return zv_mul(2, keys, &width) &&
               zv_add(width, (uint64_t)layer->state_heads * layer->state_head_dim, &width) &&
               zv_mul(taps, width, conv) &&
               zv_mul((uint64_t)layer->state_heads * layer->key_head_dim, layer->state_head_dim,
                      scan);
    case ZV_STATE_CONV:
        return zv_mul(taps, layer->d_inner, conv);
    case ZV_STATE_NONE:
        break;
    }
    return true;
}

enum zv_status zv_cache_cell_of(struct zv_cache_cell *cell, const struct zv_layer *layer,
                                const struct zv_cache_form *form, struct zv_error *err)
{
    *cell = (struct zv_cache_cell){0};
    enum zv_status status = ZV_OK;
    if (!layer->shares_cache && layer->attention == ZV_ATTENTION_LATENT) {
        status = latent_cell(cell, layer, form, err);
    } else if (!layer->shares_cache && layer->attention == ZV_ATTENTION_HEADS) {
        const bool repeats = form->transformers && layer->repeats_heads;
        const uint64_t heads =
            zv_kv_heads_of_rank(repeats ? layer->heads : layer->kv_heads, form->tp);
        status = heads_bytes(form->k, heads, layer->head_dim_k, &cell->k, err);
        if (status == ZV_OK) {
            status = heads_bytes(form->v, heads, layer->head_dim_v, &cell->v, err);
        }
    }
    const uint64_t ranks = form->tp == 0 ? 1 : form->tp;
    uint64_t conv;
    uint64_t scan;
    if (status == ZV_OK && !state_of_all(layer, form->transformers, &conv, &scan)) {
        return fail_overflow(err);
    }
    if (status == ZV_OK) {
        status = row_bytes(form->conv_state, zv_ceil_div(conv, ranks), &cell->conv, err);
    }
    if (status == ZV_OK) {
        const bool wide = form->transformers && layer->state == ZV_STATE_DELTA;
        status = row_bytes(wide ? ZV_DTYPE_F32 : form->scan_state, zv_ceil_div(scan, ranks),
                           &cell->scan, err);
    }
    return status;
}

/* ---- llama.cpp ---- */

static bool add_product(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t product;
    return zv_mul(a, b, &product) && zv_add(*sum, product, sum);
}

/* Cells per stream of a sliding layer: the window of every sequence in it, and a ubatch more. */
static bool sliding_cells(const struct zv_llamacpp_request *request, uint64_t window, uint64_t full,
                          uint64_t *cells)
{
    const uint64_t sequences = request->unified ? request->n_seq : 1;
    uint64_t need;
    if (request->swa_full || !request->iswa) {
        *cells = full;
        return true;
    }
    if (!zv_mul(window, sequences, &need) || !zv_add(need, request->n_ubatch, &need)) {
        return false;
    }
    return zv_round_up(need < full ? need : full, request->multiple, cells);
}

static bool add_layer(struct zv_llamacpp_cache *cache, const struct zv_layer *layer,
                      const struct zv_cache_cell *cell, const struct zv_llamacpp_request *request,
                      uint64_t stream_cells)
{
    uint64_t states;
    bool fits = zv_add(request->n_rs_seq, 1, &states) && zv_mul(request->n_seq, states, &states) &&
                add_product(&cache->conv, cell->conv, states) &&
                add_product(&cache->scan, cell->scan, states);
    if (layer->window == 0 || layer->chunked || !request->iswa) {
        return fits && add_product(&cache->k, cell->k, cache->cells) &&
               add_product(&cache->k, cell->index, cache->cells) &&
               add_product(&cache->v, cell->v, cache->cells);
    }
    uint64_t cells;
    fits = fits && sliding_cells(request, layer->window, stream_cells, &cells) &&
           zv_mul(cells, cache->streams, &cache->swa_cells);
    return fits && add_product(&cache->swa_k, cell->k, cache->swa_cells) &&
           add_product(&cache->swa_v, cell->v, cache->swa_cells);
}

enum zv_status zv_cache_llamacpp(struct zv_llamacpp_cache *cache, const struct zv_layer *layers,
                                 size_t count, const struct zv_llamacpp_request *request,
                                 struct zv_error *err)
{
    struct zv_llamacpp_request used = *request;
    used.multiple = request->multiple == 0 ? 1 : request->multiple;
    *cache = (struct zv_llamacpp_cache){.streams = 1};
    const uint64_t sequences = request->n_seq == 0 ? 1 : request->n_seq;
    uint64_t stream_cells = request->n_ctx;
    if (!request->unified) {
        cache->streams = sequences;
        stream_cells =
            used.multiple > 1 ? zv_ceil_div(request->n_ctx, sequences) : request->n_ctx / sequences;
    }
    if (!zv_round_up(stream_cells, used.multiple, &stream_cells) ||
        !zv_mul(stream_cells, cache->streams, &cache->cells)) {
        return fail_overflow(err);
    }
    used.n_seq = sequences;
    for (size_t i = 0; i < count; i++) {
        struct zv_cache_cell cell;
        const enum zv_status status = zv_cache_cell_of(&cell, &layers[i], &used.form, err);
        if (status != ZV_OK) {
            return status;
        }
        if (!add_layer(cache, &layers[i], &cell, &used, stream_cells)) {
            return fail_overflow(err);
        }
    }
    return ZV_OK;
}

/* ---- SGLang ---- */

enum zv_status zv_cache_sglang(struct zv_sglang_cache *cache, const struct zv_layer *layers,
                               size_t count, const struct zv_sglang_request *request,
                               struct zv_error *err)
{
    *cache = (struct zv_sglang_cache){0};
    if (!zv_add(request->tokens, request->page_tokens, &cache->slots)) {
        return fail_overflow(err);
    }
    for (size_t i = 0; i < count; i++) {
        struct zv_cache_cell cell;
        const enum zv_status status = zv_cache_cell_of(&cell, &layers[i], &request->form, err);
        if (status != ZV_OK) {
            return status;
        }
        if (!add_product(&cache->k, cell.k, cache->slots) ||
            !add_product(&cache->v, cell.v, cache->slots) ||
            !add_product(&cache->index, cell.index, cache->slots)) {
            return fail_overflow(err);
        }
    }
    return ZV_OK;
}
