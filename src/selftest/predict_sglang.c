/* SGLang: the pools for a number of tokens, out of a row's facts. Its GB are GiB. */
#include "estimate/cache.h"
#include "selftest/checks.h"
#include "selftest/facts.h"

enum { DSA_LATENT_BYTES = 656, DSA_INDEX_BYTES = 132, DSA_PAGE = 64 };

struct pool {
    struct facts facts;
    struct zv_cache_form form;
    uint64_t page;
    bool sparse; /* DeepSeek's sparse attention: packed latent and an indexer */
};

static bool open_pool(struct pool *pool, struct checks *checks)
{
    const struct zv_row *const row = checks->row;
    uint64_t tp = 1;
    bool attention_dp = false;
    *pool = (struct pool){.page = 1};
    if (!facts_read(&pool->facts, row, checks->arena)) {
        checks->out_of_memory = true;
        return false;
    }
    (void)zv_row_u64(&row->settings, "tp", &tp);
    (void)facts_yes_no(&row->settings, "dp_attention", &attention_dp);
    pool->form = (struct zv_cache_form){.k = ZV_DTYPE_BF16, .v = ZV_DTYPE_BF16};
    pool->form.tp = attention_dp || tp > UINT32_MAX ? 1 : (uint32_t)tp;
    pool->form.mla = ZV_MLA_LATENT;
    pool->form.conv_state = ZV_DTYPE_F32;
    pool->form.scan_state = ZV_DTYPE_F32;
    pool->sparse = zv_row_find(&row->config, "index_head_dim") != NULL;
    if (pool->sparse) {
        pool->form.latent_token_bytes = DSA_LATENT_BYTES;
        pool->form.index_token_bytes = DSA_INDEX_BYTES;
        pool->page = DSA_PAGE;
    }
    (void)zv_row_u64(&row->settings, "page_size", &pool->page);
    return true;
}

/* The count after "#tokens: ". */
static bool tokens_of(struct zv_slice text, uint64_t *tokens)
{
    struct zv_slice word;
    while (zv_slice_word(&text, &word)) {
        if (zv_slice_equal(word, "#tokens:") && zv_slice_word(&text, &word)) {
            return zv_slice_u64(zv_slice_cut(&word, ','), tokens);
        }
    }
    return false;
}

/* "K size: 1.42 GB" or "K 5.22 GB". */
static bool side_of(struct zv_slice text, const char *size, const char *plain, struct measured *to)
{
    return measured_after(text, size, true, to) || measured_after(text, plain, true, to);
}

static void check_pool(struct checks *checks, const struct pool *pool, struct zv_slice text)
{
    struct zv_sglang_cache cache;
    struct measured figure;
    uint64_t tokens;
    if (!tokens_of(text, &tokens)) {
        check_skip(checks, "kv_pool", text, "the number of tokens is not recorded");
        return;
    }
    const char *missing = pool->facts.missing;
    const struct zv_sglang_request request = {tokens, pool->page, pool->form};
    if (missing == NULL && zv_cache_sglang(&cache, pool->facts.layers, pool->facts.layer_count,
                                           &request, NULL) != ZV_OK) {
        missing = "the pool cannot be calculated";
    }
    if (missing != NULL) {
        check_skip(checks, "kv_pool", text, missing);
        return;
    }
    if (side_of(text, ", K size: ", ", K ", &figure)) {
        check_bytes(checks, "kv_pool_k", &figure, cache.k, "given the logged tokens");
    }
    if (side_of(text, ", V size: ", ", V ", &figure)) {
        check_bytes(checks, "kv_pool_v", &figure, cache.v, "given the logged tokens");
    }
    if (measured_after(text, "KV size: ", true, &figure)) {
        /* sgl-project/sglang#11309 made the printed size count the indexer's keys. */
        const bool before = zv_slice_contains(checks->row->version, "before PR");
        const uint64_t bytes = cache.k + cache.v + (before ? 0 : cache.index);
        check_bytes(checks, "kv_pool", &figure, bytes, "given the logged tokens");
    }
    if (measured_after(text, "GB (", true, &figure) && zv_slice_contains(text, "incl. index")) {
        check_bytes(checks, "kv_pool_with_index", &figure, cache.k + cache.v + cache.index,
                    "given the logged tokens");
    }
}

void predict_sglang(struct checks *checks)
{
    static const struct {
        const char *field;
        const char *item;
        const char *reason;
    } rest[] = {
        {"kv_swa", "kv_pool_sliding", "the model's layers are not recorded"},
        {"pool", "pool_tokens", "the memory the pools were divided from is not recorded"},
        {"mamba", "state", "the sizes of the recurrent states are not recorded"},
        {"draft", "draft_kv_cache", "the draft model's layers are not recorded"},
        {"load", "weights", "parameters and their types are not recorded"},
        {"pool_end", "available", "an amount of free memory: nothing to predict"},
        {"graph_begin", "available", "an amount of free memory: nothing to predict"},
        {"avail_gpu_mem", "available", "an amount of free memory: nothing to predict"},
    };
    const struct zv_row_fields *const measured = &checks->row->measured;
    struct pool pool;
    if (!open_pool(&pool, checks)) {
        return;
    }
    if (zv_row_find(measured, "kv") != NULL) {
        check_pool(checks, &pool, zv_row_text(measured, "kv"));
    }
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        if (zv_row_find(measured, rest[i].field) != NULL) {
            check_skip(checks, rest[i].item, zv_row_text(measured, rest[i].field), rest[i].reason);
        }
    }
}
