/*
 * The longest prefix that every group can serve. A group that keeps everything has the leading run
 * of its keys; a sliding group needs only the pages of its window before the end, a chunked one
 * those of the chunk. Each group may shorten what the others found, so they are asked again until
 * nobody does: the length only ever falls.
 */
#include "base/checked.h"
#include "kv/page_cache.h"

uint64_t group_pages(const struct zv_kv_group *group, uint64_t tokens)
{
    if (group->kind == ZV_KV_STATE) {
        return tokens != 0;
    }
    return zv_ceil_div(tokens, group->page_tokens);
}

uint64_t group_skipped(const struct zv_kv_group *group, uint64_t computed)
{
    switch (group->kind) {
    case ZV_KV_SLIDING:
        return computed < group->window_tokens
                   ? 0
                   : (computed - group->window_tokens + 1) / group->page_tokens;
    case ZV_KV_CHUNKED:
        return computed / group->window_tokens * group->window_tokens / group->page_tokens;
    case ZV_KV_FULL:
    case ZV_KV_STATE:
        break;
    }
    return 0;
}

static bool is_same_reach(const struct zv_kv_group *a, const struct zv_kv_group *b)
{
    return a->kind == b->kind && (a->kind == ZV_KV_FULL || a->window_tokens == b->window_tokens);
}

/* Whether all groups of the same reach as this one have the page. */
static bool all_have(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                     const struct zv_kv_key *key)
{
    for (size_t g = 0; g < cache->group_count; g++) {
        if (is_same_reach(&cache->groups[g], reach) &&
            zv_kv_pool_find(cache->pool, key, (uint32_t)g) == 0) {
            return false;
        }
    }
    return true;
}

static uint64_t leading_run(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                            const struct zv_kv_key *keys, uint64_t from, uint64_t limit)
{
    while (from < limit && all_have(cache, reach, &keys[from])) {
        from++;
    }
    return from;
}

/* From the right: the first run that fills a window; else the run that touches the first page. */
static uint64_t window_end(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                           const struct zv_kv_key *keys, uint64_t limit)
{
    const uint64_t need = zv_ceil_div(reach->window_tokens - 1, cache->page_tokens);
    uint64_t run = 0;
    if (need == 0) {
        return limit; /* only the token itself is seen */
    }
    for (uint64_t at = limit; at-- > 0;) {
        run = all_have(cache, reach, &keys[at]) ? run + 1 : 0;
        if (run == need) {
            return at + need;
        }
    }
    return run;
}

static uint64_t shorten(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                        const struct zv_kv_key *keys, uint64_t length)
{
    switch (reach->kind) {
    case ZV_KV_FULL:
        return leading_run(cache, reach, keys, 0, length);
    case ZV_KV_SLIDING:
        return window_end(cache, reach, keys, length);
    case ZV_KV_CHUNKED:
        return leading_run(cache, reach, keys, group_skipped(reach, length * cache->page_tokens),
                           length);
    case ZV_KV_STATE:
        break;
    }
    return 0; /* a state in the middle of a prompt is not kept */
}

/* The first group of each reach speaks for all of them. */
static bool speaks(const struct zv_kv_cache *cache, size_t group)
{
    for (size_t g = 0; g < group; g++) {
        if (is_same_reach(&cache->groups[g], &cache->groups[group])) {
            return false;
        }
    }
    return true;
}

uint64_t match_length(const struct zv_kv_cache *cache, const struct zv_kv_key *keys, uint64_t limit)
{
    uint64_t length = cache->has_state ? 0 : limit;
    uint64_t before;
    for (size_t g = 0; g < cache->group_count; g++) {
        if (cache->groups[g].kind == ZV_KV_FULL && length != 0) {
            length = leading_run(cache, &cache->groups[g], keys, 0, length);
            break; /* one full group speaks for all, and its run stays a run when cut */
        }
    }
    do {
        before = length;
        for (size_t g = 0; g < cache->group_count && length != 0; g++) {
            if (cache->groups[g].kind != ZV_KV_FULL && speaks(cache, g)) {
                length = shorten(cache, &cache->groups[g], keys, length);
            }
        }
    } while (length != before);
    return length;
}

void match_fill(const struct zv_kv_cache *cache, struct sequence *sequence,
                const struct zv_kv_key *keys, uint64_t length)
{
    const uint64_t tokens = length * cache->page_tokens;
    for (size_t g = 0; g < cache->group_count; g++) {
        struct page_table *const table = &sequence->tables[g];
        const uint64_t skipped = group_skipped(&cache->groups[g], tokens);
        for (uint64_t i = 0; i < length; i++) {
            table->pages[i] = i < skipped ? 0 : zv_kv_pool_find(cache->pool, &keys[i], (uint32_t)g);
        }
        table->count = length;
        table->first = skipped < length ? skipped : length;
        table->published = length;
    }
}
