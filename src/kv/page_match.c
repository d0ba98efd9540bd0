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
    case ZV_KV_STATE_ALIGNED:
    case ZV_KV_STATE_ALL:
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
    return a->kind == b->kind && a->page_tokens == b->page_tokens &&
           (a->kind == ZV_KV_FULL || a->window_tokens == b->window_tokens);
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
    while (from < limit && all_have(cache, reach, key_of(cache, reach, keys, from))) {
        from++;
    }
    return from;
}

/* From the right: the first run that fills a window; else the run that touches the first page. */
static uint64_t window_end(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                           const struct zv_kv_key *keys, uint64_t limit)
{
    const uint64_t need = zv_ceil_div(reach->window_tokens - 1, reach->page_tokens);
    uint64_t run = 0;
    if (need == 0) {
        return limit; /* only the token itself is seen */
    }
    for (uint64_t at = limit; at-- > 0;) {
        run = all_have(cache, reach, key_of(cache, reach, keys, at)) ? run + 1 : 0;
        if (run == need) {
            return at + need;
        }
    }
    return run;
}

/* In pages of the group. */
static uint64_t shorten(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                        const struct zv_kv_key *keys, uint64_t length)
{
    switch (reach->kind) {
    case ZV_KV_FULL:
        return leading_run(cache, reach, keys, 0, length);
    case ZV_KV_SLIDING:
    case ZV_KV_STATE_ALIGNED:
    case ZV_KV_STATE_ALL:
        return window_end(cache, reach, keys, length);
    case ZV_KV_CHUNKED:
        return leading_run(cache, reach, keys, group_skipped(reach, length * reach->page_tokens),
                           length);
    case ZV_KV_STATE:
        break;
    }
    return 0; /* a state in the middle of a prompt is not kept */
}

/* In pages of the cache: whole pages of the group. */
static uint64_t shorten_by(const struct zv_kv_cache *cache, const struct zv_kv_group *reach,
                           const struct zv_kv_key *keys, uint64_t length)
{
    if (reach->page_tokens == cache->page_tokens) {
        return shorten(cache, reach, keys, length);
    }
    const uint64_t each = reach->page_tokens / cache->page_tokens;
    return shorten(cache, reach, keys, length / each) * each;
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
    for (size_t g = 0; g < cache->group_count && length != 0; g++) {
        if (cache->groups[g].kind == ZV_KV_FULL && speaks(cache, g)) {
            length = shorten_by(cache, &cache->groups[g], keys, length);
        }
    }
    do {
        before = length;
        for (size_t g = 0; g < cache->group_count && length != 0; g++) {
            const struct zv_kv_group *const group = &cache->groups[g];
            const uint64_t each = group->page_tokens / cache->page_tokens;
            if (group->kind == ZV_KV_FULL) {
                length -= length % each; /* its run stays a run when cut to whole pages */
            } else if (speaks(cache, g)) {
                length = shorten_by(cache, group, keys, length);
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
        const struct zv_kv_group *const group = &cache->groups[g];
        struct page_table *const table = &sequence->tables[g];
        const uint64_t skipped = group_skipped(group, tokens);
        const uint64_t pages = tokens / group->page_tokens;
        for (uint64_t i = 0; i < pages; i++) {
            table->pages[i] =
                i < skipped
                    ? 0
                    : zv_kv_pool_find(cache->pool, key_of(cache, group, keys, i), (uint32_t)g);
        }
        table->count = pages;
        table->first = skipped < pages ? skipped : pages;
        table->published = pages;
    }
}
