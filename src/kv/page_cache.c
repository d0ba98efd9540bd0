#include "kv/page_cache.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"

#define MAX_TOKENS (UINT64_C(1) << 40) /* of a page, a window or a step */

/* A state stands for all tokens before it: its page is that of the last one. */
enum { STATE_WINDOW = 2 };

static enum zv_status set_group(struct zv_kv_cache *cache, size_t at,
                                const struct zv_kv_group *group, struct zv_error *err)
{
    struct zv_kv_group *const to = &cache->groups[at];
    const bool windowed = group->kind == ZV_KV_SLIDING || group->kind == ZV_KV_CHUNKED;
    *to = *group;
    to->page_tokens = group->page_tokens != 0 ? group->page_tokens : cache->page_tokens;
    if (windowed ? group->window_tokens == 0 || group->window_tokens > MAX_TOKENS
                 : group->window_tokens != 0) {
        return zv_fail(err, ZV_E_USAGE, "group %zu: a window of %llu tokens", at,
                       (unsigned long long)group->window_tokens);
    }
    if (to->page_tokens > MAX_TOKENS) {
        return zv_fail(err, ZV_E_USAGE, "group %zu: more than 2^40 tokens in a page", at);
    }
    if (cache->caching && group->kind != ZV_KV_STATE && to->page_tokens % cache->page_tokens != 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "keys of %llu tokens and a group whose pages hold %llu, no multiple",
                       (unsigned long long)cache->page_tokens, (unsigned long long)to->page_tokens);
    }
    if (keeps_states(to)) {
        to->window_tokens = STATE_WINDOW;
    }
    cache->has_state = cache->has_state || group->kind == ZV_KV_STATE;
    if (group->kind == ZV_KV_STATE_ALIGNED) {
        cache->aligned_tokens = zv_larger(cache->aligned_tokens, to->page_tokens);
    }
    return ZV_OK;
}

static enum zv_status set_options(struct zv_kv_cache *cache,
                                  const struct zv_kv_cache_options *options, struct zv_error *err)
{
    static const struct zv_kv_group full = {ZV_KV_FULL, 0, 0};
    const size_t count = options->group_count;
    if (options->page_tokens == 0 || options->page_tokens > MAX_TOKENS ||
        options->step_tokens > MAX_TOKENS) {
        return zv_fail(err, ZV_E_USAGE, "a page of %llu tokens, a step of %llu",
                       (unsigned long long)options->page_tokens,
                       (unsigned long long)options->step_tokens);
    }
    if (count > ZV_KV_MAX_GROUPS) {
        return zv_fail(err, ZV_E_USAGE, "%zu groups: at most %d", count, (int)ZV_KV_MAX_GROUPS);
    }
    cache->page_tokens = options->page_tokens;
    cache->step_tokens = options->step_tokens;
    cache->watermark_pages = options->watermark_pages;
    cache->admit_whole = options->admit_whole;
    cache->caching = options->pool.caching;
    cache->group_count = count != 0 ? count : 1;
    for (size_t g = 0; g < cache->group_count; g++) {
        const enum zv_status status =
            set_group(cache, g, count != 0 ? &options->groups[g] : &full, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return zv_kv_pool_open(&cache->pool, &options->pool, err);
}

/* When pages of kept states were published: only caches with such groups need it. */
static enum zv_status remember_steps(struct zv_kv_cache *cache, uint32_t pages,
                                     struct zv_error *err)
{
    bool kept = false;
    for (size_t g = 0; g < cache->group_count; g++) {
        kept = kept || keeps_states(&cache->groups[g]);
    }
    if (!kept) {
        return ZV_OK;
    }
    const size_t size = ((size_t)pages + 1) * sizeof *cache->published_in;
    cache->published_in = zv_memory_alloc(size);
    if (cache->published_in == NULL) {
        return zv_fail_memory(err, "a page cache");
    }
    memset(cache->published_in, 0, size);
    return ZV_OK;
}

enum zv_status zv_kv_cache_open(struct zv_kv_cache **to, const struct zv_kv_cache_options *options,
                                struct zv_error *err)
{
    *to = NULL;
    struct zv_kv_cache *const cache = zv_memory_alloc(sizeof *cache);
    if (cache == NULL) {
        return zv_fail_memory(err, "a page cache");
    }
    memset(cache, 0, sizeof *cache);
    enum zv_status status = set_options(cache, options, err);
    status = status == ZV_OK ? remember_steps(cache, options->pool.pages, err) : status;
    if (status != ZV_OK) {
        zv_kv_cache_close(cache);
        return status;
    }
    *to = cache;
    return ZV_OK;
}

void zv_kv_cache_close(struct zv_kv_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (uint32_t i = 0; i < cache->sequence_count; i++) {
        for (size_t g = 0; g < cache->group_count; g++) {
            zv_memory_free(cache->sequences[i].tables[g].pages);
        }
    }
    zv_memory_free(cache->sequences);
    zv_memory_free(cache->published_in);
    zv_kv_pool_close(cache->pool);
    zv_memory_free(cache);
}

void zv_kv_cache_next_step(struct zv_kv_cache *cache)
{
    cache->step++;
}

const struct zv_kv_pool *zv_kv_cache_pool(const struct zv_kv_cache *cache)
{
    return cache->pool;
}

/* A window that slides seldom starts where a page does: one page more. */
static uint64_t most_pages(const struct zv_kv_cache *cache, const struct zv_kv_group *group,
                           uint64_t tokens)
{
    const uint64_t all = group_pages(group, tokens);
    uint64_t most = all;
    if (group->kind == ZV_KV_STATE_ALIGNED) {
        return all < 2 ? all : 2; /* the state before, and the one that the step makes of it */
    }
    if (cache->step_tokens == 0) {
        return all;
    }
    if (group->kind == ZV_KV_SLIDING || group->kind == ZV_KV_STATE_ALL) {
        most = zv_ceil_div(group->window_tokens - 1 + cache->step_tokens, group->page_tokens) + 1;
    } else if (group->kind == ZV_KV_CHUNKED) {
        most = zv_ceil_div(group->window_tokens + cache->step_tokens, group->page_tokens) + 1;
    }
    return most < all ? most : all;
}

uint64_t zv_kv_cache_need(const struct zv_kv_cache *cache, uint64_t tokens)
{
    uint64_t need = 0;
    for (size_t g = 0; g < cache->group_count; g++) {
        if (!zv_add(need, most_pages(cache, &cache->groups[g], tokens), &need)) {
            return UINT64_MAX;
        }
    }
    return need;
}

/* ---- names of sequences ---- */

struct sequence *cache_sequence(struct zv_kv_cache *cache, uint32_t name)
{
    return name < cache->sequence_count && cache->sequences[name].open ? &cache->sequences[name]
                                                                       : NULL;
}

enum zv_status cache_no_sequence(uint32_t name, struct zv_error *err)
{
    return zv_fail(err, ZV_E_USAGE, "no sequence %u", name);
}

static enum zv_status more_sequences(struct zv_kv_cache *cache, struct zv_error *err)
{
    const uint32_t capacity = cache->sequence_capacity == 0 ? 16 : cache->sequence_capacity * 2;
    if (capacity > UINT32_C(1) << 28) {
        return zv_fail(err, ZV_E_LIMIT, "more than 2^28 sequences");
    }
    struct sequence *const sequences =
        zv_memory_resize(cache->sequences, (size_t)capacity * sizeof *sequences);
    if (sequences == NULL) {
        return zv_fail_memory(err, "sequences of a page cache");
    }
    cache->sequences = sequences;
    cache->sequence_capacity = capacity;
    return ZV_OK;
}

enum zv_status zv_kv_sequence_open(struct zv_kv_cache *cache, uint32_t *name, struct zv_error *err)
{
    if (cache->first_unused != 0) {
        *name = cache->first_unused - 1;
        cache->first_unused = cache->sequences[*name].next_unused;
        cache->sequences[*name].open = true;
        return ZV_OK;
    }
    if (cache->sequence_count == cache->sequence_capacity) {
        const enum zv_status status = more_sequences(cache, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    *name = cache->sequence_count++;
    memset(&cache->sequences[*name], 0, sizeof cache->sequences[*name]);
    cache->sequences[*name].open = true;
    return ZV_OK;
}

enum zv_status zv_kv_sequence_drop(struct zv_kv_cache *cache, uint32_t name, struct zv_error *err)
{
    struct sequence *const sequence = cache_sequence(cache, name);
    if (sequence == NULL) {
        return cache_no_sequence(name, err);
    }
    for (size_t g = 0; g < cache->group_count && sequence->started; g++) {
        struct page_table *const table = &sequence->tables[g];
        if (table->count != table->first) {
            const enum zv_status status = zv_kv_pool_free_reversed(
                cache->pool, table->pages + table->first, table->count - table->first, err);
            assert(status == ZV_OK); /* a table holds pages in use */
            (void)status;
        }
        table->count = 0;
        table->first = 0;
        table->published = 0;
    }
    cache->started -= sequence->started;
    sequence->started = false;
    sequence->computed = 0;
    return ZV_OK;
}

enum zv_status zv_kv_sequence_close(struct zv_kv_cache *cache, uint32_t name, struct zv_error *err)
{
    const enum zv_status status = zv_kv_sequence_drop(cache, name, err);
    if (status == ZV_OK) {
        cache->sequences[name].open = false;
        cache->sequences[name].next_unused = cache->first_unused;
        cache->first_unused = name + 1;
    }
    return status;
}

enum zv_status cache_reserve(struct page_table *table, uint64_t pages, struct zv_error *err)
{
    if (pages <= table->capacity) {
        return ZV_OK;
    }
    size_t capacity = table->capacity < 16 ? 16 : table->capacity * 2;
    capacity = capacity < pages ? (size_t)pages : capacity;
    uint32_t *const at = zv_memory_resize(table->pages, capacity * sizeof *at);
    if (at == NULL) {
        return zv_fail_memory(err, "a page table");
    }
    table->pages = at;
    table->capacity = capacity;
    return ZV_OK;
}

/* Shares the pages of one table. False when memory ends. */
static enum zv_status share_table(struct zv_kv_cache *cache, const struct page_table *from,
                                  struct page_table *to, struct zv_error *err)
{
    enum zv_status status = cache_reserve(to, from->count, err);
    for (size_t i = 0; i < from->count && status == ZV_OK; i++) {
        to->pages[i] = from->pages[i];
        to->count = i + 1;
        status = from->pages[i] != 0 ? zv_kv_pool_share(cache->pool, from->pages[i], err) : ZV_OK;
        if (status != ZV_OK) {
            to->count = i;
        }
    }
    to->first = from->first < to->count ? from->first : to->count;
    to->published = from->published;
    return status;
}

enum zv_status zv_kv_sequence_fork(struct zv_kv_cache *cache, uint32_t name, uint32_t *to,
                                   struct zv_error *err)
{
    if (cache_sequence(cache, name) == NULL) {
        return cache_no_sequence(name, err);
    }
    enum zv_status status = zv_kv_sequence_open(cache, to, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct sequence *const from = &cache->sequences[name];
    struct sequence *const fork = &cache->sequences[*to];
    fork->started = from->started;
    cache->started += from->started;
    cache->forked = true;
    for (size_t g = 0; g < cache->group_count && status == ZV_OK; g++) {
        status = share_table(cache, &from->tables[g], &fork->tables[g], err);
    }
    fork->computed = from->computed;
    if (status != ZV_OK) {
        (void)zv_kv_sequence_close(cache, *to, NULL);
    }
    return status;
}

uint64_t zv_kv_sequence_computed(const struct zv_kv_cache *cache, uint32_t name)
{
    return name < cache->sequence_count ? cache->sequences[name].computed : 0;
}

const uint32_t *zv_kv_sequence_table(const struct zv_kv_cache *cache, uint32_t name, size_t group,
                                     size_t *count)
{
    *count = 0;
    if (name >= cache->sequence_count || group >= cache->group_count) {
        return NULL;
    }
    *count = cache->sequences[name].tables[group].count;
    return cache->sequences[name].tables[group].pages;
}

static void count_uses(const struct zv_kv_cache *cache, uint32_t *uses)
{
    for (uint32_t i = 0; i < cache->sequence_count; i++) {
        for (size_t g = 0; g < cache->group_count; g++) {
            const struct page_table *const table = &cache->sequences[i].tables[g];
            for (size_t at = 0; at < table->count; at++) {
                uses[table->pages[at]]++;
            }
        }
    }
}

enum zv_status zv_kv_cache_check(const struct zv_kv_cache *cache, struct zv_error *err)
{
    struct zv_kv_pool_stats stats;
    enum zv_status status = zv_kv_pool_check(cache->pool, err);
    zv_kv_pool_get_stats(cache->pool, &stats);
    const size_t size = (stats.pages + (size_t)1) * sizeof(uint32_t);
    uint32_t *const uses = zv_memory_alloc(size);
    if (uses == NULL) {
        return zv_fail_memory(err, "the check of a page cache");
    }
    memset(uses, 0, size);
    count_uses(cache, uses);
    for (uint32_t page = 1; page <= stats.pages && status == ZV_OK; page++) {
        if (uses[page] != zv_kv_pool_uses(cache->pool, page)) {
            status = zv_fail(err, ZV_E_BUG, "page %u is in %u tables and used %u times", page,
                             uses[page], zv_kv_pool_uses(cache->pool, page));
        }
    }
    zv_memory_free(uses);
    return status;
}
