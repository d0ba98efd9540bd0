#include "kv/one_at_a_time.h"

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kv/request_keys.h"
#include "kv/reservation.h"

uint64_t kv_digest(uint64_t digest, const uint32_t *pages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        digest = digest * 1000003 + pages[i];
    }
    return digest;
}

/* Grows a buffer of so many bytes each; what was in it may be lost. */
static enum zv_status ensure(void **buffer, size_t *capacity, uint64_t count, size_t size,
                             struct zv_error *err)
{
    if (count <= *capacity) {
        return ZV_OK;
    }
    const size_t want = count < 64 ? 64 : (size_t)count * 2;
    zv_memory_free(*buffer);
    *buffer = zv_memory_alloc(want * size);
    *capacity = *buffer != NULL ? want : 0;
    return *buffer != NULL ? ZV_OK : zv_fail_memory(err, "a simulation");
}

/* ---- whole requests ---- */

struct whole {
    struct zv_kv_pool *pool;
    uint64_t number;
    uint32_t *pages; /* of the request at hand */
    size_t page_capacity;
    uint64_t rejected;
    uint64_t prompt_tokens;
    uint64_t full_blocks;
    uint64_t hit_blocks;
    uint64_t new_blocks;
    uint64_t digest;
};

/* Leading pages that are there, in use from now on; the last token is always computed. */
static uint64_t take_hits(struct whole *whole, const struct zv_request *request)
{
    uint64_t hits = 0;
    for (; hits < (request->prompt_tokens - 1) / ZV_REQUEST_ID_TOKENS; hits++) {
        const struct zv_kv_key key =
            request_key(request, whole->number, hits, ZV_REQUEST_ID_TOKENS);
        whole->pages[hits] = zv_kv_pool_find(whole->pool, &key, 0);
        if (whole->pages[hits] == 0) {
            break;
        }
    }
    for (uint64_t i = 0; i < hits; i++) {
        (void)zv_kv_pool_share(whole->pool, whole->pages[i], NULL);
    }
    return hits;
}

static enum zv_status run_whole(struct whole *whole, const struct zv_request *request,
                                uint64_t tokens, struct zv_error *err)
{
    const uint64_t pages = zv_ceil_div(tokens, ZV_REQUEST_ID_TOKENS);
    const uint64_t hits = take_hits(whole, request);
    enum zv_status status = ZV_OK;
    whole->prompt_tokens += request->prompt_tokens;
    whole->full_blocks += request->prompt_tokens / ZV_REQUEST_ID_TOKENS;
    whole->hit_blocks += hits;
    whole->new_blocks += pages - hits;
    if (!zv_kv_pool_take(whole->pool, whole->pages + hits, pages - hits)) {
        return zv_fail(err, ZV_E_BUG, "an empty pool has too few pages");
    }
    for (uint64_t j = hits; j < tokens / ZV_REQUEST_ID_TOKENS && status == ZV_OK; j++) {
        const struct zv_kv_key key = request_key(request, whole->number, j, ZV_REQUEST_ID_TOKENS);
        status = zv_kv_pool_publish(whole->pool, whole->pages[j], &key, 0, err);
    }
    whole->digest = kv_digest(whole->digest, whole->pages, pages);
    return status == ZV_OK ? zv_kv_pool_free_reversed(whole->pool, whole->pages, pages, err)
                           : status;
}

static void report_whole(struct kv_figures *to, const struct whole *whole)
{
    struct zv_kv_pool_stats stats;
    zv_kv_pool_get_stats(whole->pool, &stats);
    kv_figures_add(to, "requests", whole->number);
    kv_figures_add(to, "rejected", whole->rejected);
    kv_figures_add(to, "prompt_tokens", whole->prompt_tokens);
    kv_figures_add(to, "full_blocks", whole->full_blocks);
    kv_figures_add(to, "hit_blocks", whole->hit_blocks);
    kv_figures_add(to, "hit_tokens", whole->hit_blocks * ZV_REQUEST_ID_TOKENS);
    kv_figures_add(to, "new_blocks", whole->new_blocks);
    kv_figures_add(to, "evictions", stats.evictions);
    kv_figures_add(to, "cached_end", zv_kv_pool_distinct_keys(whole->pool));
    kv_figures_add(to, "digest", whole->digest);
}

enum zv_status kv_one_whole(struct kv_figures *to, struct zv_request_source source,
                            const struct kv_one_options *options, struct zv_error *err)
{
    struct whole whole = {0};
    struct zv_request request;
    bool more = true;
    *to = (struct kv_figures){0};
    enum zv_status status = zv_kv_pool_open(&whole.pool, &options->cache.pool, err);
    while (status == ZV_OK && (options->limit == 0 || whole.number < options->limit)) {
        status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK || !more) {
            break;
        }
        const uint64_t tokens = options->decode ? request_slots(&request) : request.prompt_tokens;
        const uint64_t pages = zv_ceil_div(tokens, ZV_REQUEST_ID_TOKENS);
        void *buffer = whole.pages;
        if (pages > options->cache.pool.pages) {
            whole.rejected++;
        } else {
            status = ensure(&buffer, &whole.page_capacity, pages, sizeof *whole.pages, err);
            whole.pages = buffer;
            status = status == ZV_OK ? run_whole(&whole, &request, tokens, err) : status;
        }
        whole.number++;
    }
    if (status == ZV_OK) {
        report_whole(to, &whole);
    }
    zv_memory_free(whole.pages);
    zv_kv_pool_close(whole.pool);
    return status;
}

/* ---- in steps, over groups ---- */

struct in_steps {
    const struct kv_one_options *options;
    struct zv_kv_cache *cache;
    uint32_t sequence;
    uint64_t number;
    struct zv_kv_key *keys; /* of the request at hand */
    size_t key_capacity;
    uint64_t rejected;
    uint64_t hit_tokens;
    uint64_t peak;
    uint64_t sum_held;
    uint64_t steps;
    uint64_t digest;
};

static enum zv_status make_keys(struct in_steps *run, const struct zv_request *request,
                                uint64_t tokens, struct zv_error *err)
{
    const uint64_t page = run->options->cache.page_tokens;
    void *buffer = run->keys;
    const enum zv_status status =
        ensure(&buffer, &run->key_capacity, tokens / page + 1, sizeof *run->keys, err);
    run->keys = buffer;
    for (uint64_t j = 0; j < tokens / page && status == ZV_OK; j++) {
        run->keys[j] = request_key(request, run->number, j, page);
    }
    return status;
}

/* The pages that the step appended, group by group. */
static void measure(struct in_steps *run, const struct zv_kv_grant *grant)
{
    const struct zv_kv_pool *const pool = zv_kv_cache_pool(run->cache);
    const size_t groups = run->options->cache.group_count;
    const uint64_t held = run->options->cache.pool.pages - zv_kv_pool_free_count(pool);
    for (size_t g = 0; g < (groups != 0 ? groups : 1) && grant->new_pages != 0; g++) {
        size_t count;
        const uint32_t *const table = zv_kv_sequence_table(run->cache, run->sequence, g, &count);
        run->digest = kv_digest(run->digest, table + (count - grant->grown[g]), grant->grown[g]);
    }
    run->sum_held += held;
    run->peak = held > run->peak ? held : run->peak;
    run->steps++;
}

static enum zv_status run_in_steps(struct in_steps *run, const struct zv_request *request,
                                   uint64_t tokens, struct zv_error *err)
{
    struct zv_kv_grant grant;
    struct zv_kv_step step = {.known_tokens = request->prompt_tokens,
                              .new_tokens = run->options->cache.step_tokens,
                              .keys = run->options->cache.pool.caching ? run->keys : NULL};
    uint64_t computed = 0;
    enum zv_status status = zv_kv_sequence_admit(run->cache, run->sequence, &step, &grant, err);
    run->hit_tokens += grant.hit_tokens;
    while (status == ZV_OK) {
        if (!grant.granted) {
            return zv_fail_line(err, ZV_E_LIMIT, request->line,
                                "needs more pages at once than the pool of %u has",
                                run->options->cache.pool.pages);
        }
        measure(run, &grant);
        computed = zv_kv_sequence_computed(run->cache, run->sequence);
        if (computed == tokens) {
            break;
        }
        step.known_tokens = computed < request->prompt_tokens ? step.known_tokens : computed + 1;
        status = zv_kv_sequence_extend(run->cache, run->sequence, &step, &grant, err);
    }
    return status == ZV_OK ? zv_kv_sequence_drop(run->cache, run->sequence, err) : status;
}

static void report_in_steps(struct kv_figures *to, const struct in_steps *run)
{
    struct zv_kv_pool_stats stats;
    zv_kv_pool_get_stats(zv_kv_cache_pool(run->cache), &stats);
    kv_figures_add(to, "requests", run->number);
    kv_figures_add(to, "rejected", run->rejected);
    kv_figures_add(to, "hit_tokens", run->hit_tokens);
    kv_figures_add(to, "peak", run->peak);
    kv_figures_add(to, "sum_held", run->sum_held);
    kv_figures_add(to, "steps", run->steps);
    kv_figures_add(to, "evictions", stats.evictions);
    kv_figures_add(to, "digest", run->digest);
}

enum zv_status kv_one_in_steps(struct kv_figures *to, struct zv_request_source source,
                               const struct kv_one_options *options, struct zv_error *err)
{
    struct in_steps run = {.options = options};
    struct zv_request request;
    bool more = true;
    *to = (struct kv_figures){0};
    if (options->cache.step_tokens == 0 || !keys_possible(options->cache.page_tokens)) {
        return zv_fail(err, ZV_E_USAGE,
                       "expected a chunk of at least 1 token, and pages that divide or are a "
                       "multiple of 512 tokens");
    }
    enum zv_status status = zv_kv_cache_open(&run.cache, &options->cache, err);
    if (status == ZV_OK) {
        status = zv_kv_sequence_open(run.cache, &run.sequence, err);
    }
    while (status == ZV_OK && (options->limit == 0 || run.number < options->limit)) {
        status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK || !more) {
            break;
        }
        const uint64_t tokens = options->decode ? request_slots(&request) : request.prompt_tokens;
        if (zv_kv_cache_need(run.cache, tokens) > options->cache.pool.pages) {
            run.rejected++;
        } else {
            status = make_keys(&run, &request, tokens, err);
            status = status == ZV_OK ? run_in_steps(&run, &request, tokens, err) : status;
        }
        run.number++;
    }
    if (status == ZV_OK) {
        report_in_steps(to, &run);
    }
    zv_memory_free(run.keys);
    zv_kv_cache_close(run.cache);
    return status;
}
