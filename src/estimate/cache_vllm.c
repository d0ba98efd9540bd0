/* vLLM's KV groups: layers of a kind share block ids, every group has blocks of the same bytes. */
#include <assert.h>

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/cache.h"

enum { MAX_KINDS = ZV_VLLM_MAX_KINDS };

/* Layers with the same page and the same reach. */
struct kind {
    uint64_t token_bytes; /* K, V and index of one token; 0 for states */
    uint64_t state_bytes; /* of one sequence */
    uint64_t window;
    bool chunked;
    uint64_t layers;
};

struct kinds {
    struct kind rows[MAX_KINDS];
    size_t count;
};

static enum zv_status add_kind(struct kinds *kinds, const struct kind *new, struct zv_error *err)
{
    for (size_t i = 0; i < kinds->count; i++) {
        struct kind *const kind = &kinds->rows[i];
        if (kind->token_bytes == new->token_bytes && kind->state_bytes == new->state_bytes &&
            kind->window == new->window && kind->chunked == new->chunked) {
            kind->layers++;
            return ZV_OK;
        }
    }
    if (kinds->count == MAX_KINDS) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "more than %d kinds of cache layers", MAX_KINDS);
    }
    kinds->rows[kinds->count] = *new;
    kinds->rows[kinds->count++].layers = 1;
    return ZV_OK;
}

static enum zv_status collect(struct kinds *kinds, const struct zv_layer *layers, size_t count,
                              const struct zv_vllm_request *request, struct zv_error *err)
{
    *kinds = (struct kinds){0};
    for (size_t i = 0; i < count; i++) {
        struct zv_cache_cell cell;
        enum zv_status status = zv_cache_cell_of(&cell, &layers[i], &request->form, err);
        struct kind attention = {
            .window = request->hybrid_groups ? layers[i].window : 0,
            .chunked = request->hybrid_groups && layers[i].chunked,
        };
        struct kind state = {0};
        if (status == ZV_OK &&
            (!zv_add(cell.k, cell.v, &attention.token_bytes) ||
             !zv_add(attention.token_bytes, cell.index, &attention.token_bytes) ||
             !zv_add(cell.conv, cell.scan, &state.state_bytes))) {
            status = zv_fail(err, ZV_E_OVERFLOW, "a cache row passes 2^64 bytes");
        }
        if (status == ZV_OK && attention.token_bytes != 0) {
            status = add_kind(kinds, &attention, err);
        }
        if (status == ZV_OK && state.state_bytes != 0) {
            status = add_kind(kinds, &state, err);
        }
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/*
 * Layers in a group: the fewest of any kind, so that short groups waste little; but when the counts
 * are within a factor 1.5 the largest, so that there are few groups.
 */
static uint64_t group_size_of(const struct kinds *kinds)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 1; /* a kind has a layer */
    for (size_t i = 0; i < kinds->count; i++) {
        least = kinds->rows[i].layers < least ? kinds->rows[i].layers : least;
        most = kinds->rows[i].layers > most ? kinds->rows[i].layers : most;
    }
    return 2 * most < 3 * least ? most : least;
}

/* The page that all kinds are brought to. With states the attention block grows until it holds one.
 */
static bool page_of(const struct kinds *kinds, struct zv_vllm_cache *cache)
{
    uint64_t token = 0;
    uint64_t state = 0;
    for (size_t i = 0; i < kinds->count; i++) {
        token = kinds->rows[i].token_bytes > token ? kinds->rows[i].token_bytes : token;
        state = kinds->rows[i].state_bytes > state ? kinds->rows[i].state_bytes : state;
    }
    if (token == 0) {
        cache->page_bytes = state;
        return true;
    }
    if (state != 0) {
        const uint64_t step = cache->block_tokens;
        uint64_t step_bytes;
        if (!zv_mul(step, token, &step_bytes)) {
            return false;
        }
        if (!zv_mul(step, zv_ceil_div(state, step_bytes), &cache->block_tokens)) {
            return false;
        }
    }
    return zv_mul(cache->block_tokens, token, &cache->page_bytes);
}

/* Blocks that one sequence of max_tokens holds in a group of this kind; at most 2^64 - 1. */
static uint64_t request_blocks(const struct kind *kind, const struct zv_vllm_request *request,
                               const struct zv_vllm_cache *cache)
{
    if (kind->token_bytes == 0) {
        return 1;
    }
    /* a kind with smaller rows gets larger blocks, so that the pages are equal */
    const uint64_t block = cache->page_bytes / kind->token_bytes;
    assert(block > 0); /* a page holds the widest kind's tokens */
    if (kind->window == 0) {
        return zv_ceil_div(request->max_tokens, block);
    }
    const uint64_t past = kind->chunked ? kind->window : kind->window - 1;
    uint64_t reach = request->max_tokens;
    if (past < reach && request->batched_tokens < reach - past) {
        reach = past + request->batched_tokens;
    }
    uint64_t blocks = zv_ceil_div(reach, block);
    if (!kind->chunked && blocks != UINT64_MAX) {
        blocks++; /* the window seldom starts where a block does */
    }
    return blocks;
}

/* Every group has its own table of blocks: false when they pass 2^64. */
static bool count_blocks(struct zv_vllm_cache *cache, const struct kinds *kinds,
                         const struct zv_vllm_request *request)
{
    for (size_t i = 0; i < kinds->count; i++) {
        const uint64_t groups = zv_ceil_div(kinds->rows[i].layers, cache->group_size);
        uint64_t blocks;
        if (!zv_mul(groups, request_blocks(&kinds->rows[i], request, cache), &blocks) ||
            !zv_add(cache->blocks_per_request, blocks, &cache->blocks_per_request)) {
            return false;
        }
        cache->groups += groups;
        const struct kind *const kind = &kinds->rows[i];
        cache->kinds[i] = (struct zv_vllm_kind){
            .is_state = kind->token_bytes == 0,
            .chunked = kind->chunked,
            .window = kind->window,
            .layers = kind->layers,
            .groups = groups,
            .token_bytes = kind->token_bytes,
            .block_tokens = kind->token_bytes != 0 ? cache->page_bytes / kind->token_bytes : 0,
        };
    }
    cache->kind_count = kinds->count;
    return true;
}

enum zv_status zv_cache_vllm(struct zv_vllm_cache *cache, const struct zv_layer *layers,
                             size_t count, const struct zv_vllm_request *request,
                             struct zv_error *err)
{
    struct kinds kinds;
    *cache = (struct zv_vllm_cache){.block_tokens = request->block_tokens};
    if (request->block_tokens == 0) {
        return zv_fail(err, ZV_E_USAGE, "a block of 0 tokens");
    }
    const enum zv_status status = collect(&kinds, layers, count, request, err);
    if (status != ZV_OK || kinds.count == 0) {
        return status;
    }
    cache->group_size = group_size_of(&kinds);
    if (!page_of(&kinds, cache) ||
        !zv_mul(cache->page_bytes, cache->group_size, &cache->block_bytes)) {
        return zv_fail(err, ZV_E_OVERFLOW, "a cache block passes 2^64 bytes");
    }
    if (!count_blocks(cache, &kinds, request) ||
        !zv_mul(cache->blocks_per_request, cache->block_bytes, &cache->request_bytes)) {
        return zv_fail(err, ZV_E_OVERFLOW, "the cache of one request passes 2^64 bytes");
    }
    return ZV_OK;
}

uint64_t zv_cache_vllm_blocks(const struct zv_vllm_cache *cache, uint64_t available_bytes)
{
    return cache->block_bytes == 0 ? 0 : available_bytes / cache->page_bytes / cache->group_size;
}

uint64_t zv_cache_vllm_tokens(const struct zv_vllm_cache *cache, uint64_t blocks,
                              uint64_t max_tokens, enum zv_token_form form)
{
    uint64_t tokens = 0;
    switch (form) {
    case ZV_TOKENS_BLOCKS:
        return zv_mul(blocks, cache->block_tokens, &tokens) ? tokens : UINT64_MAX;
    case ZV_TOKENS_PER_GROUP:
        return cache->groups == 0 || !zv_mul(blocks / cache->groups, cache->block_tokens, &tokens)
                   ? 0
                   : tokens;
    case ZV_TOKENS_BY_CONCURRENCY:
        return cache->blocks_per_request == 0 ||
                       !zv_mul_div(blocks, max_tokens, cache->blocks_per_request, &tokens)
                   ? 0
                   : tokens;
    }
    return 0;
}
