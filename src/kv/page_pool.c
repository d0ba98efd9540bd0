/*
 * The pool. The free queue is a ring of page numbers with a hole (0) where a page was taken out of
 * the middle; each page knows its place. Taking from the front and freeing to the end is then a
 * copy, not a walk along links. When the ring is full of holes, it is packed: at most once per as
 * many frees as there are pages.
 *
 * Ranked (another eviction than the queue's, or a limit): the ring holds free pages without a key
 * only, those with one are in a heap (page_rank).
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kv/page_map.h"
#include "kv/page_rank.h"

#define KEYED    (UINT32_C(1) << 31) /* in the state of a page: it has a key */
#define NO_PLACE UINT32_MAX

struct page {
    uint32_t state; /* how many use it, and KEYED; 0 = free and without a key */
    uint32_t place; /* in the ring; NO_PLACE while in use */
};

struct zv_kv_pool {
    struct page *pages; /* count + 1 */
    uint32_t *ring;
    uint32_t mask;
    uint32_t head; /* ring[head & mask] is the front; wraps */
    uint32_t tail; /* one past the end */
    uint32_t free;
    uint32_t count;
    bool caching;
    bool unkeyed_first;
    uint64_t handed_out;
    uint64_t evictions;
    struct page_map map;
    bool ranked;
    enum zv_kv_eviction eviction;
    uint32_t kept; /* free pages with a key, at most */
    uint64_t clock;
    struct page_rank rank;
};

const char *zv_kv_eviction_name(enum zv_kv_eviction eviction)
{
    static const char *const names[] = {"queue", "lru", "lfu", "fifo"};
    return (unsigned)eviction <= ZV_KV_EVICT_FIFO ? names[eviction] : "unknown";
}

static void fill_queue(struct zv_kv_pool *pool)
{
    for (uint32_t page = 1; page <= pool->count; page++) {
        pool->pages[page] = (struct page){0, page - 1};
        pool->ring[page - 1] = page;
    }
    pool->tail = pool->count;
    pool->free = pool->count;
}

enum zv_status zv_kv_pool_open(struct zv_kv_pool **to, const struct zv_kv_pool_options *options,
                               struct zv_error *err)
{
    uint32_t slots = 16;
    *to = NULL;
    if (options->pages == 0) {
        return zv_fail(err, ZV_E_USAGE, "a pool of 0 pages");
    }
    if ((unsigned)options->eviction > ZV_KV_EVICT_FIFO) {
        return zv_fail(err, ZV_E_USAGE, "no such order of eviction");
    }
    if (options->pages > ZV_KV_MAX_PAGES) {
        return zv_fail(err, ZV_E_LIMIT, "a pool of %u pages: at most 2^30", options->pages);
    }
    while (slots < 2 * options->pages) {
        slots *= 2;
    }
    struct zv_kv_pool *const pool = zv_memory_alloc(sizeof *pool);
    if (pool == NULL) {
        return zv_fail_memory(err, "a page pool");
    }
    *pool = (struct zv_kv_pool){.mask = slots - 1,
                                .count = options->pages,
                                .caching = options->caching,
                                .unkeyed_first = options->unkeyed_first,
                                .eviction = options->eviction,
                                .kept = options->kept_pages != 0 ? options->kept_pages
                                                                 : options->pages};
    pool->ranked =
        pool->caching && (pool->eviction != ZV_KV_EVICT_QUEUE || options->kept_pages != 0);
    pool->pages = zv_memory_alloc((pool->count + (size_t)1) * sizeof *pool->pages);
    pool->ring = zv_memory_alloc((size_t)slots * sizeof *pool->ring);
    if (pool->pages == NULL || pool->ring == NULL ||
        (pool->caching && !page_map_open(&pool->map, pool->count)) ||
        (pool->ranked && !page_rank_open(&pool->rank, pool->count))) {
        zv_kv_pool_close(pool);
        return zv_fail_memory(err, "a page pool");
    }
    pool->pages[0] = (struct page){0, NO_PLACE};
    fill_queue(pool);
    *to = pool;
    return ZV_OK;
}

void zv_kv_pool_close(struct zv_kv_pool *pool)
{
    if (pool != NULL) {
        page_map_close(&pool->map);
        page_rank_close(&pool->rank);
        zv_memory_free(pool->pages);
        zv_memory_free(pool->ring);
        zv_memory_free(pool);
    }
}

/* Packs the ring from its front on. */
static void pack(struct zv_kv_pool *pool)
{
    uint32_t to = pool->head;
    for (uint32_t from = pool->head; from != pool->tail; from++) {
        const uint32_t page = pool->ring[from & pool->mask];
        if (page != 0) {
            pool->ring[to & pool->mask] = page;
            pool->pages[page].place = to & pool->mask;
            to++;
        }
    }
    pool->tail = to;
}

/*
 * Room for so many more entries. Slots are at least twice the pages and no page is in the ring
 * twice, so that after packing there is room for all of them.
 */
static inline void make_room(struct zv_kv_pool *pool, size_t count)
{
    if (pool->tail - pool->head + count > pool->mask) {
        pack(pool);
    }
}

static void push_front(struct zv_kv_pool *pool, uint32_t page)
{
    make_room(pool, 1);
    const uint32_t place = --pool->head & pool->mask;
    pool->ring[place] = page;
    pool->pages[page].place = place;
    pool->free++;
}

static void push_back(struct zv_kv_pool *pool, uint32_t page)
{
    make_room(pool, 1);
    const uint32_t place = pool->tail++ & pool->mask;
    pool->ring[place] = page;
    pool->pages[page].place = place;
    pool->free++;
}

/* ---- ranked ---- */

/* The free page that is next to lose its key does; it is then in neither order. */
static uint32_t evict_first(struct zv_kv_pool *pool)
{
    const uint32_t page = page_rank_first(&pool->rank);
    page_rank_remove(&pool->rank, page);
    page_map_remove(&pool->map, page);
    pool->pages[page].state = 0;
    pool->evictions++;
    pool->free--;
    return page;
}

static void take_ranked(struct zv_kv_pool *pool, uint32_t *pages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t page = 0;
        if (pool->free == pool->rank.count) {
            page = evict_first(pool);
        } else {
            while (page == 0) {
                page = pool->ring[pool->head++ & pool->mask];
            }
            pool->free--;
        }
        pool->pages[page] = (struct page){1, NO_PLACE};
        pages[i] = page;
    }
    pool->handed_out += count;
}

/* A page with a key that nobody uses any more. */
static void keep_ranked(struct zv_kv_pool *pool, uint32_t page)
{
    if (pool->eviction != ZV_KV_EVICT_FIFO) {
        pool->rank.entries[page].clock = ++pool->clock;
    }
    page_rank_add(&pool->rank, page);
    pool->free++;
    if (pool->rank.count > pool->kept) {
        push_back(pool, evict_first(pool));
    }
}

static void publish_ranked(struct zv_kv_pool *pool, uint32_t page)
{
    struct rank_entry *const entry = &pool->rank.entries[page];
    entry->uses = pool->eviction == ZV_KV_EVICT_LFU;
    entry->clock = ++pool->clock;
}

/* Nobody uses a page, and none has a key any more. */
static void forget_ranked(struct zv_kv_pool *pool)
{
    while (pool->rank.count != 0) {
        const uint32_t page = page_rank_first(&pool->rank);
        page_rank_remove(&pool->rank, page);
        pool->free--;
        push_back(pool, page);
    }
}

/* ---- calls ---- */

bool zv_kv_pool_take(struct zv_kv_pool *pool, uint32_t *pages, size_t count)
{
    struct page *const all = pool->pages; /* in registers: what is stored below could alias */
    const uint32_t *const ring = pool->ring;
    const uint32_t mask = pool->mask;
    uint32_t head = pool->head;
    if (count > pool->free) {
        return false;
    }
    if (pool->ranked) {
        take_ranked(pool, pages, count);
        return true;
    }
    for (size_t i = 0; i < count;) {
        const uint32_t page = ring[head++ & mask];
        if (page == 0) {
            continue;
        }
        if (all[page].state != 0) {
            page_map_remove(&pool->map, page);
            pool->evictions++;
        }
        all[page] = (struct page){1, NO_PLACE};
        pages[i++] = page;
    }
    pool->head = head;
    pool->free -= (uint32_t)count;
    pool->handed_out += count;
    return true;
}

static enum zv_status not_in_use(uint32_t page, struct zv_error *err)
{
    return zv_fail(err, ZV_E_USAGE, "page %u is not in use", page);
}

static inline bool is_used(const struct zv_kv_pool *pool, uint32_t page)
{
    return page <= pool->count && (pool->pages[page].state & ~KEYED) != 0;
}

/* Unkeyed pages whose last use has just ended go to the front, in the order they were freed. */
static void reuse_first(struct zv_kv_pool *pool, const uint32_t *pages, ptrdiff_t step,
                        size_t count)
{
    for (; count != 0; count--) {
        const uint32_t page = pages[((ptrdiff_t)count - 1) * step];
        if (page != 0 && pool->pages[page].state == 0 && pool->pages[page].place == NO_PLACE) {
            push_front(pool, page);
        }
    }
}

/* As free_list, page by page. */
static enum zv_status free_ranked(struct zv_kv_pool *pool, const uint32_t *pages, ptrdiff_t step,
                                  size_t count, struct zv_error *err)
{
    const uint32_t *at = pages;
    size_t left = count;
    for (; left != 0 && (*at == 0 || is_used(pool, *at)); left--, at += step) {
        if (*at == 0 || (--pool->pages[*at].state & ~KEYED) != 0) {
            continue;
        }
        if (pool->pages[*at].state != 0) {
            keep_ranked(pool, *at);
        } else if (!pool->unkeyed_first) {
            push_back(pool, *at);
        }
    }
    if (pool->unkeyed_first) {
        reuse_first(pool, pages, step, count - left);
    }
    return left == 0 ? ZV_OK : not_in_use(*at, err);
}

/* step is 1 or -1; pages points to the first to free. */
static inline enum zv_status free_list(struct zv_kv_pool *pool, const uint32_t *pages,
                                       ptrdiff_t step, size_t count, struct zv_error *err)
{
    if (pool->ranked) {
        return free_ranked(pool, pages, step, count, err);
    }
    const bool unkeyed_last = !pool->unkeyed_first;
    struct page *const all = pool->pages;
    uint32_t *const ring = pool->ring;
    const uint32_t mask = pool->mask;
    const uint32_t *at = pages;
    size_t left = count;
    make_room(pool, count);
    uint32_t tail = pool->tail;
    for (; left != 0; left--, at += step) {
        const uint32_t page = *at;
        if (page == 0) {
            continue;
        }
        if (page > pool->count || (all[page].state & ~KEYED) == 0) {
            break;
        }
        const uint32_t state = --all[page].state;
        if ((state & ~KEYED) == 0 && (unkeyed_last || state != 0)) {
            ring[tail & mask] = page;
            all[page].place = tail++ & mask;
        }
    }
    pool->free += tail - pool->tail;
    pool->tail = tail;
    if (!unkeyed_last) {
        reuse_first(pool, pages, step, count - left);
    }
    return left == 0 ? ZV_OK : not_in_use(*at, err);
}

enum zv_status zv_kv_pool_free(struct zv_kv_pool *pool, const uint32_t *pages, size_t count,
                               struct zv_error *err)
{
    return free_list(pool, pages, 1, count, err);
}

enum zv_status zv_kv_pool_free_reversed(struct zv_kv_pool *pool, const uint32_t *pages,
                                        size_t count, struct zv_error *err)
{
    return count != 0 ? free_list(pool, pages + count - 1, -1, count, err) : ZV_OK;
}

enum zv_status zv_kv_pool_share(struct zv_kv_pool *pool, uint32_t page, struct zv_error *err)
{
    if (page == 0 || page > pool->count) {
        return zv_fail(err, ZV_E_USAGE, "no page %u", page);
    }
    struct page *const at = &pool->pages[page];
    if ((at->state & ~KEYED) == KEYED - 1) {
        return zv_fail(err, ZV_E_LIMIT, "page %u is used 2^31 - 1 times", page);
    }
    if (at->place != NO_PLACE) {
        pool->ring[at->place] = 0;
        at->place = NO_PLACE;
        pool->free--;
    } else if (pool->ranked && page_rank_has(&pool->rank, page)) {
        page_rank_remove(&pool->rank, page);
        pool->free--;
    }
    if (pool->ranked && pool->eviction == ZV_KV_EVICT_LFU) {
        pool->rank.entries[page].uses++;
    }
    at->state++;
    return ZV_OK;
}

enum zv_status zv_kv_pool_publish(struct zv_kv_pool *pool, uint32_t page,
                                  const struct zv_kv_key *key, uint32_t group, struct zv_error *err)
{
    if (!pool->caching) {
        return zv_fail(err, ZV_E_USAGE, "a pool without caching has no keys");
    }
    if (!is_used(pool, page)) {
        return not_in_use(page, err);
    }
    if ((pool->pages[page].state & KEYED) != 0) {
        return zv_fail(err, ZV_E_USAGE, "page %u has a key", page);
    }
    pool->pages[page].state |= KEYED;
    page_map_add(&pool->map, page, key, group);
    if (pool->ranked) {
        publish_ranked(pool, page);
    }
    return ZV_OK;
}

uint32_t zv_kv_pool_find(const struct zv_kv_pool *pool, const struct zv_kv_key *key, uint32_t group)
{
    return pool->caching ? page_map_find(&pool->map, key, group) : 0;
}

bool zv_kv_pool_has_key(const struct zv_kv_pool *pool, uint32_t page)
{
    return page <= pool->count && (pool->pages[page].state & KEYED) != 0;
}

uint32_t zv_kv_pool_uses(const struct zv_kv_pool *pool, uint32_t page)
{
    return page <= pool->count ? pool->pages[page].state & ~KEYED : 0;
}

uint32_t zv_kv_pool_free_count(const struct zv_kv_pool *pool)
{
    return pool->free;
}

uint32_t zv_kv_pool_distinct_keys(const struct zv_kv_pool *pool)
{
    return pool->map.distinct;
}

void zv_kv_pool_get_stats(const struct zv_kv_pool *pool, struct zv_kv_pool_stats *to)
{
    *to = (struct zv_kv_pool_stats){pool->count, pool->free, pool->map.keyed, pool->handed_out,
                                    pool->evictions};
}

bool zv_kv_pool_forget(struct zv_kv_pool *pool)
{
    if (pool->free != pool->count) {
        return false;
    }
    for (uint32_t page = 1; page <= pool->count; page++) {
        if (pool->pages[page].state != 0) {
            page_map_remove(&pool->map, page);
            pool->pages[page].state = 0;
        }
    }
    if (pool->ranked) {
        forget_ranked(pool);
    }
    return true;
}

static enum zv_status check_page(const struct zv_kv_pool *pool, uint32_t page, struct zv_error *err)
{
    const struct page *const at = &pool->pages[page];
    const bool keyed = (at->state & KEYED) != 0;
    const bool ranked = pool->ranked && page_rank_has(&pool->rank, page);
    if (ranked && (!keyed || pool->rank.heap[pool->rank.entries[page].place] != page)) {
        return zv_fail(err, ZV_E_BUG, "page %u is not among those that keep a key", page);
    }
    if (((at->state & ~KEYED) == 0) != (at->place != NO_PLACE || ranked)) {
        return zv_fail(err, ZV_E_BUG, "page %u: free is not the same as queued", page);
    }
    if (at->place != NO_PLACE && pool->ring[at->place] != page) {
        return zv_fail(err, ZV_E_BUG, "page %u is not where it says", page);
    }
    if (keyed != (pool->caching && pool->map.records[page].next != 0)) {
        return zv_fail(err, ZV_E_BUG, "page %u: its state and its record differ on the key", page);
    }
    if (keyed && page_map_find(&pool->map, &pool->map.records[page].key,
                               pool->map.records[page].group) == 0) {
        return zv_fail(err, ZV_E_BUG, "page %u: its key is not found", page);
    }
    return ZV_OK;
}

enum zv_status zv_kv_pool_check(const struct zv_kv_pool *pool, struct zv_error *err)
{
    uint32_t queued = pool->rank.count;
    uint32_t keyed = 0;
    for (uint32_t at = pool->head; at != pool->tail; at++) {
        queued += pool->ring[at & pool->mask] != 0;
    }
    if (queued != pool->free) {
        return zv_fail(err, ZV_E_BUG, "%u pages in the queue, %u counted", queued, pool->free);
    }
    for (uint32_t page = 1; page <= pool->count; page++) {
        const enum zv_status status = check_page(pool, page, err);
        keyed += (pool->pages[page].state & KEYED) != 0;
        if (status != ZV_OK) {
            return status;
        }
    }
    return keyed == pool->map.keyed
               ? ZV_OK
               : zv_fail(err, ZV_E_BUG, "%u pages with keys, %u counted", keyed, pool->map.keyed);
}
