/* What the files of the cache share. Room-internal. */
#ifndef ZIRVE_KV_PAGE_CACHE_H
#define ZIRVE_KV_PAGE_CACHE_H

#include "zirve/kv.h"

struct page_table {
    uint32_t *pages; /* 0: not kept */
    size_t count;
    size_t capacity;
    size_t first;     /* those before are not kept */
    size_t published; /* those before need no key any more */
};

struct sequence {
    bool open;
    bool started; /* holds pages */
    uint32_t next_unused;
    uint64_t computed;
    struct page_table tables[ZV_KV_MAX_GROUPS];
};

struct zv_kv_cache {
    struct zv_kv_pool *pool;
    struct zv_kv_group groups[ZV_KV_MAX_GROUPS];
    size_t group_count;
    uint64_t page_tokens;
    uint64_t step_tokens;
    uint32_t watermark_pages;
    bool caching;
    bool admit_whole;
    bool has_state;          /* one that is not kept */
    uint64_t aligned_tokens; /* steps are cut to pages of so many; 0: not */
    uint64_t step;           /* of the engine, 0 as long as nobody says */
    uint64_t *published_in;  /* the step, for each page; NULL without states that are kept */
    bool forked;             /* once: from then on pages may be written that others use */

    struct sequence *sequences;
    uint32_t sequence_count; /* names given so far, open or not */
    uint32_t sequence_capacity;
    uint32_t first_unused; /* name + 1, a list through next_unused */
    uint32_t started;
};

/* NULL when there is none of this name; the failure that says so. */
struct sequence *cache_sequence(struct zv_kv_cache *cache, uint32_t name);
enum zv_status cache_no_sequence(uint32_t name, struct zv_error *err);

/* Room for pages in a table. Errors: ZV_E_NOMEM. */
enum zv_status cache_reserve(struct page_table *table, uint64_t pages, struct zv_error *err);

/* Pages that stand before the part of a group which tokens computed so far leave visible. */
uint64_t group_skipped(const struct zv_kv_group *group, uint64_t computed);

/* Pages of a table that covers this many tokens. */
uint64_t group_pages(const struct zv_kv_group *group, uint64_t tokens);

/* Whether a group's pages hold states that can be found again. */
static inline bool keeps_states(const struct zv_kv_group *group)
{
    return group->kind == ZV_KV_STATE_ALIGNED || group->kind == ZV_KV_STATE_ALL;
}

/* The key of a group's full page: a page of several of the cache's has the last one's, which names
 * all before it. */
static inline const struct zv_kv_key *key_of(const struct zv_kv_cache *cache,
                                             const struct zv_kv_group *group,
                                             const struct zv_kv_key *keys, uint64_t page)
{
    return group->page_tokens == cache->page_tokens
               ? &keys[page]
               : &keys[(page + 1) * (group->page_tokens / cache->page_tokens) - 1];
}

/* The longest prefix all groups have, in pages of page_tokens; at most limit. */
uint64_t match_length(const struct zv_kv_cache *cache, const struct zv_kv_key *keys,
                      uint64_t limit);

/* The pages of that prefix into the sequence's tables, which have room; nothing is used yet. */
void match_fill(const struct zv_kv_cache *cache, struct sequence *sequence,
                const struct zv_kv_key *keys, uint64_t length);

#endif
