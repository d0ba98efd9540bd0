/* SGLang's pool, term by term: estimate/pool_sglang.c has its rules and sources. */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "kv/budget.h"

static bool is_held(const struct zv_item *item, const char *group)
{
    return item->phase == NULL && !item->reclaimable && item->quantity.known != ZV_UNKNOWN &&
           strcmp(item->group, group) == 0;
}

/* What a stage holds of a group of items. */
static uint64_t held(const struct zv_ledger *ledger, int scope, const char *group)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope == scope && is_held(item, group) &&
            !zv_add(sum, item->quantity.bytes, &sum)) {
            return UINT64_MAX;
        }
    }
    return sum;
}

/* Whether this stage is the one that the pool was sized by. */
static bool sizes_pool(const struct zv_kv_budget *budget, const struct zv_pool *pool, int scope,
                       const struct zv_ledger *ledger)
{
    const uint64_t context = held(ledger, scope, "runtime");
    const uint64_t weights = held(ledger, scope, "weights");
    const uint64_t before = context < budget->capacity_bytes ? budget->capacity_bytes - context : 0;
    uint64_t share = 0;
    return zv_mul_div(before, budget->fraction_millionths, 1000000, &share) &&
           share == pool->budget_bytes &&
           (weights < share ? share - weights : 0) == pool->cache_bytes;
}

static enum zv_status list_weights(struct zv_kv_budget *to, const struct zv_ledger *ledger,
                                   int scope, struct zv_error *err)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope != scope || !is_held(item, "weights")) {
            continue;
        }
        if (to->term_count == ZV_KV_MAX_TERMS) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d terms", (int)ZV_KV_MAX_TERMS);
        }
        to->terms[to->term_count++] = (struct zv_kv_term){item->name, item->quantity};
    }
    to->context_bytes = held(ledger, scope, "runtime");
    const uint64_t weights = held(ledger, scope, "weights");
    to->missing_bytes = weights > to->budget_bytes ? weights - to->budget_bytes : 0;
    return ZV_OK;
}

static void set_pages(struct zv_kv_budget *to, const struct zv_estimate *estimate)
{
    const struct zv_pool *const pool = &estimate->pool;
    const uint64_t block = pool->blocks != 0 ? pool->tokens / pool->blocks : 1;
    to->token_bytes = pool->token_bytes;
    to->slots = pool->tokens;
    to->tokens = pool->tokens;
    to->pages = pool->blocks < ZV_KV_MAX_PAGES ? pool->blocks : ZV_KV_MAX_PAGES;
    to->context_tokens = estimate->context_tokens;
    to->step_tokens = estimate->step_tokens;
    to->admit_whole = true;
    to->geometry =
        (struct zv_vllm_cache){.block_tokens = block,
                               .group_size = 1,
                               .groups = 1,
                               .blocks_per_request = zv_ceil_div(estimate->context_tokens, block)};
    (void)zv_mul(block, pool->token_bytes, &to->geometry.page_bytes); /* within the cache */
    to->geometry.block_bytes = to->geometry.page_bytes;
    to->groups[0] = (struct zv_kv_group){ZV_KV_FULL, 0, block};
    to->group_count = 1;
}

enum zv_status budget_sglang(struct zv_kv_budget *to, const struct zv_question *question,
                             const struct zv_estimate *estimate, struct zv_error *err)
{
    const struct zv_ledger *const ledger = &estimate->ledger;
    if (!estimate->pool.known || estimate->pool.token_bytes == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "SGLang divides its pool for windows, states and draft models by rules that "
                       "are not known here");
    }
    to->capacity_bytes = question->capacity->low;
    to->fraction_millionths = estimate->fraction_millionths;
    to->budget_bytes = estimate->pool.budget_bytes;
    to->cache_bytes = estimate->pool.cache_bytes;
    set_pages(to, estimate);
    for (size_t i = 0; i < ledger->group_count; i++) {
        if (sizes_pool(to, &estimate->pool, (int)i, ledger)) {
            return list_weights(to, ledger, (int)i, err);
        }
    }
    return zv_fail(err, ZV_E_BUG, "no stage has the terms of SGLang's pool");
}
