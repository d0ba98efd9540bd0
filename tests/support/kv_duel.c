#include "support/kv_duel.h"

#include <stdbool.h>
#include <string.h>

#include "zirve/kv.h"

struct kv_duel_count kv_duel_count;

struct bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
};

static uint8_t next(struct bytes *bytes)
{
    return bytes->at < bytes->size ? bytes->data[bytes->at++] : 0;
}

/* ---- the pool a second time, as plain lists that are searched ---- */

enum { PAGES = 11, KEYS = 5 };

struct naive {
    uint32_t queue[PAGES]; /* front first */
    size_t queued;
    uint32_t uses[PAGES + 1];
    uint64_t keys[PAGES + 1];      /* 0: none */
    uint64_t published[PAGES + 1]; /* when */
    uint64_t clock;
    bool unkeyed_first;

    /* another order than the queue's: free pages with a key stay out of it */
    bool ranked;
    enum zv_kv_eviction eviction;
    uint32_t kept;
    uint64_t hits[PAGES + 1];
    uint64_t freed[PAGES + 1]; /* when */
};

static bool naive_is_kept(const struct naive *naive, uint32_t page)
{
    return naive->ranked && naive->uses[page] == 0 && naive->keys[page] != 0;
}

static uint32_t naive_kept(const struct naive *naive)
{
    uint32_t count = 0;
    for (uint32_t page = 1; page <= PAGES; page++) {
        count += naive_is_kept(naive, page);
    }
    return count;
}

/* The kept page that loses its key first. */
static uint32_t naive_victim(const struct naive *naive)
{
    const uint64_t *const when =
        naive->eviction == ZV_KV_EVICT_FIFO ? naive->published : naive->freed;
    uint32_t victim = 0;
    for (uint32_t page = 1; page <= PAGES; page++) {
        if (!naive_is_kept(naive, page)) {
            continue;
        }
        const bool counts = naive->eviction == ZV_KV_EVICT_LFU;
        const uint64_t more = victim != 0 && counts ? naive->hits[victim] : 0;
        const uint64_t hits = counts ? naive->hits[page] : 0;
        if (victim == 0 || hits < more || (hits == more && when[page] < when[victim])) {
            victim = page;
        }
    }
    return victim;
}

static void naive_remove(struct naive *naive, uint32_t page)
{
    size_t kept = 0;
    for (size_t i = 0; i < naive->queued; i++) {
        if (naive->queue[i] != page) {
            naive->queue[kept++] = naive->queue[i];
        }
    }
    naive->queued = kept;
}

static void naive_insert(struct naive *naive, size_t at, uint32_t page)
{
    memmove(&naive->queue[at + 1], &naive->queue[at], (naive->queued - at) * sizeof page);
    naive->queue[at] = page;
    naive->queued++;
}

static bool naive_take(struct naive *naive, uint32_t *pages, size_t count)
{
    if (count > naive->queued + naive_kept(naive)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        pages[i] = naive->queued != 0 ? naive->queue[0] : naive_victim(naive);
        naive_remove(naive, pages[i]);
        naive->uses[pages[i]] = 1;
        naive->keys[pages[i]] = 0;
    }
    return true;
}

static void naive_free(struct naive *naive, const uint32_t *pages, size_t count)
{
    size_t front = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t page = pages[i];
        if (--naive->uses[page] == 0 && naive_is_kept(naive, page)) {
            naive->freed[page] = ++naive->clock;
            if (naive_kept(naive) > naive->kept) {
                const uint32_t victim = naive_victim(naive);
                naive->keys[victim] = 0;
                naive_insert(naive, naive->queued, victim);
            }
        } else if (naive->uses[page] == 0) {
            const bool first = naive->unkeyed_first && naive->keys[page] == 0;
            naive_insert(naive, first ? front : naive->queued, page);
            front += first;
        }
    }
}

static uint32_t naive_find(const struct naive *naive, uint64_t key)
{
    uint32_t found = 0;
    for (uint32_t page = 1; page <= PAGES; page++) {
        if (naive->keys[page] == key &&
            (found == 0 || naive->published[page] < naive->published[found])) {
            found = page;
        }
    }
    return found;
}

static const char *duel_take(struct bytes *bytes, struct zv_kv_pool *pool, struct naive *naive)
{
    uint32_t got[PAGES + 2];
    uint32_t expected[PAGES + 2];
    const size_t count = next(bytes) % (PAGES + 2);
    const bool took = zv_kv_pool_take(pool, got, count);
    if (took != naive_take(naive, expected, count)) {
        return "whether pages were handed out";
    }
    kv_duel_count.taken += took ? count : 0;
    return took && memcmp(got, expected, count * sizeof got[0]) != 0 ? "which pages were handed out"
                                                                     : NULL;
}

/* Frees some pages in use, each as often as it is used at most. */
static const char *duel_free(struct bytes *bytes, struct zv_kv_pool *pool, struct naive *naive)
{
    uint32_t pages[4];
    uint32_t reversed[4];
    uint32_t uses[PAGES + 1];
    size_t count = 0;
    const bool backwards = next(bytes) % 2 != 0;
    memcpy(uses, naive->uses, sizeof uses);
    for (int i = 0; i < 4; i++) {
        const uint32_t page = 1 + next(bytes) % PAGES;
        if (uses[page] != 0) {
            uses[page]--;
            pages[count++] = page;
        }
    }
    for (size_t i = 0; i < count; i++) {
        reversed[i] = pages[count - 1 - i];
    }
    naive_free(naive, pages, count);
    const enum zv_status status = backwards ? zv_kv_pool_free_reversed(pool, reversed, count, NULL)
                                            : zv_kv_pool_free(pool, pages, count, NULL);
    return status != ZV_OK ? "whether pages could be freed" : NULL;
}

static const char *duel_publish(struct bytes *bytes, struct zv_kv_pool *pool, struct naive *naive)
{
    const uint32_t page = 1 + next(bytes) % PAGES;
    const uint64_t key = 1 + next(bytes) % KEYS;
    const struct zv_kv_key name = {key, 7};
    const bool may = naive->uses[page] != 0 && naive->keys[page] == 0;
    const enum zv_status status = zv_kv_pool_publish(pool, page, &name, 3, NULL);
    if ((status == ZV_OK) != may) {
        return "whether a page could get a key";
    }
    if (may) {
        naive->keys[page] = key;
        naive->published[page] = ++naive->clock;
        naive->hits[page] = 1;
    }
    return NULL;
}

static const char *duel_share(struct bytes *bytes, struct zv_kv_pool *pool, struct naive *naive)
{
    const uint64_t key = 1 + next(bytes) % KEYS;
    const struct zv_kv_key name = {key, 7};
    const uint32_t page = zv_kv_pool_find(pool, &name, 3);
    if (page != naive_find(naive, key)) {
        return "which page has a key";
    }
    if (zv_kv_pool_find(pool, &name, 4) != 0) {
        return "a key of another group is found";
    }
    if (page != 0) {
        kv_duel_count.hits++;
        naive_remove(naive, page);
        naive->uses[page]++;
        naive->hits[page]++;
        return zv_kv_pool_share(pool, page, NULL) != ZV_OK ? "whether a page can be shared" : NULL;
    }
    return NULL;
}

static const char *duel_forget(struct zv_kv_pool *pool, struct naive *naive)
{
    const bool may = naive->queued + naive_kept(naive) == PAGES;
    if (zv_kv_pool_forget(pool) != may) {
        return "whether keys can be forgotten";
    }
    while (may && naive_kept(naive) != 0) {
        const uint32_t victim = naive_victim(naive);
        naive->keys[victim] = 0;
        naive_insert(naive, naive->queued, victim);
    }
    if (may) {
        memset(naive->keys, 0, sizeof naive->keys);
    }
    return NULL;
}

static const char *duel_state(const struct zv_kv_pool *pool, const struct naive *naive)
{
    if (zv_kv_pool_check(pool, NULL) != ZV_OK) {
        return "the pool's own rules";
    }
    if (zv_kv_pool_free_count(pool) != naive->queued + naive_kept(naive)) {
        return "how many pages are free";
    }
    for (uint32_t page = 1; page <= PAGES; page++) {
        if (zv_kv_pool_uses(pool, page) != naive->uses[page] ||
            zv_kv_pool_has_key(pool, page) != (naive->keys[page] != 0)) {
            return "the state of a page";
        }
    }
    return NULL;
}

const char *kv_pool_duel(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size, 0};
    struct naive naive = {.queued = PAGES};
    const uint8_t order = next(&bytes);
    const struct zv_kv_pool_options options = {
        .pages = PAGES,
        .caching = true,
        .unkeyed_first = order % 2 != 0,
        .eviction = (enum zv_kv_eviction)(order / 2 % 4),
        .kept_pages = order / 8 % 2 != 0 ? 1 + order / 16 % 4U : 0,
    };
    naive.unkeyed_first = options.unkeyed_first;
    naive.eviction = options.eviction;
    naive.ranked = options.eviction != ZV_KV_EVICT_QUEUE || options.kept_pages != 0;
    naive.kept = options.kept_pages != 0 ? options.kept_pages : PAGES;
    struct zv_kv_pool_stats stats;
    struct zv_kv_pool *pool;
    const char *wrong = NULL;
    for (uint32_t page = 1; page <= PAGES; page++) {
        naive.queue[page - 1] = page;
    }
    if (zv_kv_pool_open(&pool, &options, NULL) != ZV_OK) {
        return NULL;
    }
    while (wrong == NULL && bytes.at < bytes.size) {
        switch (next(&bytes) % 6) {
        case 0:
        case 1:
            wrong = duel_take(&bytes, pool, &naive);
            break;
        case 2:
            wrong = duel_free(&bytes, pool, &naive);
            break;
        case 3:
            wrong = duel_publish(&bytes, pool, &naive);
            break;
        case 4:
            wrong = duel_share(&bytes, pool, &naive);
            break;
        default:
            wrong = duel_forget(pool, &naive);
            break;
        }
        wrong = wrong == NULL ? duel_state(pool, &naive) : wrong;
    }
    zv_kv_pool_get_stats(pool, &stats);
    kv_duel_count.evictions += stats.evictions;
    zv_kv_pool_close(pool);
    return wrong;
}

/* ---- a cache: random sequences must keep its rules, and all pages come back ---- */

enum { SEQUENCES = 6, MAX_TOKENS = 40, PROMPTS = 3 };

/* Sequences of the same prompt share keys up to where it ends. */
struct played {
    bool open;
    bool started;
    uint32_t name;
    uint32_t known;
    struct zv_kv_key keys[MAX_TOKENS];
};

static void read_options(struct bytes *bytes, struct zv_kv_cache_options *options)
{
    *options = (struct zv_kv_cache_options){.page_tokens = 1 + next(bytes) % 4,
                                            .pool.pages = 4 + next(bytes) % 20,
                                            .pool.caching = next(bytes) % 4 != 0,
                                            .pool.unkeyed_first = next(bytes) % 2 != 0,
                                            .pool.eviction = (enum zv_kv_eviction)(next(bytes) % 4),
                                            .group_count = next(bytes) % 4,
                                            .watermark_pages = next(bytes) % 3,
                                            .admit_whole = next(bytes) % 2 != 0,
                                            .step_tokens = 16};
    for (size_t g = 0; g < options->group_count; g++) {
        const enum zv_kv_kind kind = (enum zv_kv_kind)(next(bytes) % 6);
        const bool windowed = kind == ZV_KV_SLIDING || kind == ZV_KV_CHUNKED;
        options->groups[g] = (struct zv_kv_group){kind, windowed ? 1 + next(bytes) % 12U : 0,
                                                  options->page_tokens * (1 + next(bytes) % 2)};
    }
}

static void begin(struct bytes *bytes, struct played *played)
{
    const uint64_t prompt = next(bytes) % PROMPTS;
    played->known = 1 + next(bytes) % 20;
    for (uint64_t i = 0; i < MAX_TOKENS; i++) {
        played->keys[i] = (struct zv_kv_key){prompt, i};
    }
}

static const char *check_grant(const struct zv_kv_cache *cache, const struct played *played,
                               const struct zv_kv_grant *grant, uint64_t before)
{
    const uint64_t computed = zv_kv_sequence_computed(cache, played->name);
    kv_duel_count.granted += grant->granted;
    kv_duel_count.refused += !grant->granted;
    kv_duel_count.copies += grant->copy_count;
    if (!grant->granted) {
        return computed != before ? "a refused step was computed" : NULL;
    }
    kv_duel_count.hits += grant->hit_tokens != 0;
    if (computed != before + grant->hit_tokens + grant->new_tokens || computed > played->known ||
        grant->new_tokens == 0) {
        return "how many tokens were computed";
    }
    return NULL;
}

static const char *play_step(struct bytes *bytes, struct zv_kv_cache *cache, struct played *played)
{
    struct zv_kv_grant grant;
    struct zv_kv_step step = {
        .known_tokens = played->known, .new_tokens = 1 + next(bytes) % 16U, .keys = played->keys};
    const uint64_t before = zv_kv_sequence_computed(cache, played->name);
    enum zv_status status;
    if (!played->started) {
        status = zv_kv_sequence_admit(cache, played->name, &step, &grant, NULL);
        played->started = grant.granted;
    } else {
        played->known += before == played->known && played->known < MAX_TOKENS;
        step.known_tokens = played->known;
        if (before == played->known) {
            return NULL;
        }
        status = zv_kv_sequence_extend(cache, played->name, &step, &grant, NULL);
    }
    return status != ZV_OK ? "a step fails" : check_grant(cache, played, &grant, before);
}

static const char *play_fork(struct zv_kv_cache *cache, const struct played *from,
                             struct played *to)
{
    if (!from->started || to->open) {
        return NULL;
    }
    *to = *from;
    return zv_kv_sequence_fork(cache, from->name, &to->name, NULL) != ZV_OK ? "a fork fails" : NULL;
}

static const char *play(struct bytes *bytes, struct zv_kv_cache *cache,
                        struct played all[SEQUENCES])
{
    const uint8_t which = next(bytes);
    struct played *const played = &all[which % SEQUENCES];
    if (which >= 128) {
        zv_kv_cache_next_step(cache);
    }
    if (!played->open) {
        begin(bytes, played);
        played->started = false;
        played->open = zv_kv_sequence_open(cache, &played->name, NULL) == ZV_OK;
        return played->open ? NULL : "a sequence cannot be opened";
    }
    switch (next(bytes) % 8) {
    case 0:
        played->open = false;
        return zv_kv_sequence_close(cache, played->name, NULL) != ZV_OK ? "close fails" : NULL;
    case 1:
        played->started = false;
        return zv_kv_sequence_drop(cache, played->name, NULL) != ZV_OK ? "drop fails" : NULL;
    case 2:
        return play_fork(cache, played, &all[next(bytes) % SEQUENCES]);
    default:
        return play_step(bytes, cache, played);
    }
}

const char *kv_cache_duel(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size, 0};
    struct played all[SEQUENCES] = {{0}};
    struct zv_kv_cache_options options;
    struct zv_kv_cache *cache;
    const char *wrong = NULL;
    read_options(&bytes, &options);
    if (zv_kv_cache_open(&cache, &options, NULL) != ZV_OK) {
        return NULL;
    }
    while (wrong == NULL && bytes.at < bytes.size) {
        wrong = play(&bytes, cache, all);
        if (wrong == NULL && zv_kv_cache_check(cache, NULL) != ZV_OK) {
            wrong = "the cache's own rules";
        }
    }
    for (int i = 0; i < SEQUENCES && wrong == NULL; i++) {
        if (all[i].open && zv_kv_sequence_close(cache, all[i].name, NULL) != ZV_OK) {
            wrong = "close fails at the end";
        }
    }
    if (wrong == NULL && zv_kv_pool_free_count(zv_kv_cache_pool(cache)) != options.pool.pages) {
        wrong = "pages are lost";
    }
    zv_kv_cache_close(cache);
    return wrong;
}
