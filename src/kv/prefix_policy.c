/*
 * All five policies keep entries in one binary heap whose least entry is the next victim; an entry
 * knows its place, so that a touch moves it. The order is (frequency, reversed position, clock)
 * with parts that a policy does not look at left 0.
 */
#include "kv/prefix_policy.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

struct entry {
    uint64_t id;
    uint64_t clock;
    uint64_t uses;
    uint32_t later; /* 2^31 - position: small for what is late in its request */
    uint32_t place; /* in the heap */
};

struct cache {
    enum kv_prefix_policy policy;
    uint64_t capacity;
    struct entry *entries; /* 1 .. count, those of evicted ids are used again */
    uint32_t *heap;        /* entry numbers; the least first */
    uint32_t *slots;       /* by id, 0 empty */
    uint32_t mask;
    uint32_t count;
    uint32_t allocated;
    uint64_t clock;
    uint64_t evictions;
};

const char *kv_prefix_name(enum kv_prefix_policy policy)
{
    static const char *const names[] = {"lru_front", "lru_rev", "fifo", "lfu", "lengthaware"};
    return policy < KV_PREFIX_COUNT ? names[policy] : NULL;
}

/* ---- ids ---- */

static uint32_t home_of(const struct cache *cache, uint64_t id)
{
    id *= UINT64_C(0x9E3779B97F4A7C15);
    id ^= id >> 32;
    return (uint32_t)(id * UINT64_C(0xD6E8FEB86659FD93) >> 32) & cache->mask;
}

static uint32_t slot_of(const struct cache *cache, uint64_t id)
{
    uint32_t at = home_of(cache, id);
    while (cache->slots[at] != 0 && cache->entries[cache->slots[at]].id != id) {
        at = (at + 1) & cache->mask;
    }
    return at;
}

static uint32_t find(const struct cache *cache, uint64_t id)
{
    return cache->mask != 0 ? cache->slots[slot_of(cache, id)] : 0;
}

static void remove_id(struct cache *cache, uint64_t id)
{
    uint32_t hole = slot_of(cache, id);
    uint32_t at = (hole + 1) & cache->mask;
    while (cache->slots[at] != 0) {
        const uint32_t home = home_of(cache, cache->entries[cache->slots[at]].id);
        if (((at - home) & cache->mask) >= ((at - hole) & cache->mask)) {
            cache->slots[hole] = cache->slots[at];
            hole = at;
        }
        at = (at + 1) & cache->mask;
    }
    cache->slots[hole] = 0;
}

/* Room for one more entry. */
static enum zv_status grow(struct cache *cache, struct zv_error *err)
{
    if (cache->count + 1 < cache->allocated) {
        return ZV_OK;
    }
    const uint32_t allocated = cache->allocated == 0 ? 1024 : cache->allocated * 2;
    if (allocated > UINT32_C(1) << 29) {
        return zv_fail(err, ZV_E_LIMIT, "more than 2^28 different ids in a trace");
    }
    struct entry *const entries =
        zv_memory_resize(cache->entries, (size_t)allocated * sizeof *entries);
    cache->entries = entries != NULL ? entries : cache->entries;
    uint32_t *const heap = zv_memory_resize(cache->heap, (size_t)allocated * sizeof *heap);
    cache->heap = heap != NULL ? heap : cache->heap;
    uint32_t *const slots = zv_memory_alloc((size_t)allocated * 2 * sizeof *slots);
    if (entries == NULL || heap == NULL || slots == NULL) {
        zv_memory_free(slots);
        return zv_fail_memory(err, "a prefix cache");
    }
    memset(slots, 0, (size_t)allocated * 2 * sizeof *slots);
    zv_memory_free(cache->slots);
    cache->slots = slots;
    cache->mask = allocated * 2 - 1;
    cache->allocated = allocated;
    for (uint32_t i = 1; i <= cache->count; i++) {
        cache->slots[slot_of(cache, cache->entries[i].id)] = i;
    }
    return ZV_OK;
}

/* ---- heap ---- */

static bool is_before(const struct cache *cache, uint32_t a, uint32_t b)
{
    const struct entry *const x = &cache->entries[a];
    const struct entry *const y = &cache->entries[b];
    if (x->uses != y->uses) {
        return x->uses < y->uses;
    }
    return x->later != y->later ? x->later < y->later : x->clock < y->clock;
}

static void put(struct cache *cache, uint32_t place, uint32_t entry)
{
    cache->heap[place] = entry;
    cache->entries[entry].place = place;
}

static void sift_up(struct cache *cache, uint32_t place, uint32_t entry)
{
    while (place != 0 && is_before(cache, entry, cache->heap[(place - 1) / 2])) {
        put(cache, place, cache->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(cache, place, entry);
}

/* size entries; the one at place may be larger than those below. */
static void sift_down(struct cache *cache, uint32_t place, uint32_t entry, uint32_t size)
{
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= size) {
            break;
        }
        if (child + 1 < size && is_before(cache, cache->heap[child + 1], cache->heap[child])) {
            child++;
        }
        if (!is_before(cache, cache->heap[child], entry)) {
            break;
        }
        put(cache, place, cache->heap[child]);
        place = child;
    }
    put(cache, place, entry);
}

/* The last entry takes the number of the victim, so that entries stay 1 .. count. */
static void evict(struct cache *cache)
{
    const uint32_t victim = cache->heap[0];
    const uint32_t last = cache->count;
    remove_id(cache, cache->entries[victim].id);
    sift_down(cache, 0, cache->heap[last - 1], last - 1);
    if (victim != last) {
        const uint32_t slot = slot_of(cache, cache->entries[last].id);
        cache->entries[victim] = cache->entries[last];
        cache->slots[slot] = victim;
        cache->heap[cache->entries[victim].place] = victim;
    }
    cache->count--;
    cache->evictions++;
}

static enum zv_status touch(struct cache *cache, uint64_t id, uint32_t position,
                            struct zv_error *err)
{
    const bool counts = cache->policy == KV_PREFIX_LFU || cache->policy == KV_PREFIX_LENGTH_AWARE;
    const uint32_t found = find(cache, id);
    cache->clock++;
    if (found != 0) {
        if (cache->policy != KV_PREFIX_FIFO) {
            struct entry *const entry = &cache->entries[found];
            entry->clock = cache->clock;
            entry->uses += counts;
            sift_down(cache, entry->place, found, cache->count);
        }
        return ZV_OK;
    }
    const enum zv_status status = grow(cache, err);
    if (status != ZV_OK) {
        return status;
    }
    assert(cache->entries != NULL && cache->slots != NULL); /* grow has just seen to it */
    const uint32_t added = ++cache->count;
    cache->entries[added] = (struct entry){.id = id, .clock = cache->clock};
    cache->entries[added].uses = counts;
    if (cache->policy == KV_PREFIX_LENGTH_AWARE) {
        cache->entries[added].later = (UINT32_C(1) << 31) - position;
    }
    cache->slots[slot_of(cache, id)] = added;
    sift_up(cache, added - 1, added);
    if (cache->capacity != 0 && cache->count > cache->capacity) {
        evict(cache);
    }
    return ZV_OK;
}

struct counts {
    uint64_t lookups;
    uint64_t prefix_hits;
    uint64_t any_hits;
    uint64_t hit_tokens;
    uint64_t peak;
};

static void look_up(const struct cache *cache, const struct zv_request *request,
                    struct counts *counts)
{
    size_t run = 0;
    bool leading = true;
    for (size_t i = 0; i < request->id_count; i++) {
        const bool present = find(cache, request->ids[i]) != 0;
        leading = leading && present;
        run += leading;
        counts->any_hits += present;
    }
    const uint64_t tokens = (uint64_t)run * ZV_REQUEST_ID_TOKENS;
    counts->lookups += request->id_count;
    counts->prefix_hits += run;
    counts->hit_tokens += tokens < request->prompt_tokens ? tokens : request->prompt_tokens;
}

static enum zv_status one_request(struct cache *cache, const struct zv_request *request,
                                  struct counts *counts, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    if (request->id_count == 0) {
        return zv_fail_line(err, ZV_E_USAGE, request->line,
                            "a request without hash_ids: prefixes cannot be told apart");
    }
    look_up(cache, request, counts);
    for (size_t i = 0; i < request->id_count && status == ZV_OK; i++) {
        const size_t at = cache->policy == KV_PREFIX_LRU_REV ? request->id_count - 1 - i : i;
        status = touch(cache, request->ids[at], (uint32_t)at, err);
    }
    counts->peak = cache->count > counts->peak ? cache->count : counts->peak;
    return status;
}

enum zv_status kv_prefix_run(struct kv_figures *to, struct zv_request_source source,
                             enum kv_prefix_policy policy, uint64_t capacity, struct zv_error *err)
{
    struct cache cache = {.policy = policy, .capacity = capacity};
    struct counts counts = {0};
    struct zv_request request;
    bool more = true;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK) {
        status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK || !more) {
            break;
        }
        status = one_request(&cache, &request, &counts, err);
    }
    *to = (struct kv_figures){0};
    kv_figures_add(to, "lookups", counts.lookups);
    kv_figures_add(to, "prefix_hits", counts.prefix_hits);
    kv_figures_add(to, "any_hits", counts.any_hits);
    kv_figures_add(to, "hit_tokens", counts.hit_tokens);
    kv_figures_add(to, "evictions", cache.evictions);
    kv_figures_add(to, "peak", counts.peak);
    zv_memory_free(cache.entries);
    zv_memory_free(cache.heap);
    zv_memory_free(cache.slots);
    return status;
}
