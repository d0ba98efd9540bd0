#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kv/one_at_a_time.h"
#include "kv/request_keys.h"
#include "kv/request_queue.h"
#include "kv/serve.h"

struct paged {
    const struct kv_serve_options *options;
    struct request_queue queue;
    struct zv_kv_cache *cache;
    size_t groups;
    uint64_t page_tokens;
    bool caching;

    uint64_t step;      /* k */
    uint64_t left;      /* tokens of this step's budget */
    uint32_t scheduled; /* running requests with tokens in this step: always the first ones */
    bool has_preempted;
    uint64_t slots; /* tokens with a place, over running requests */

    uint64_t rejected, completed, steps, last_step;
    uint64_t preemptions, lost_tokens;
    uint64_t peak_pages, sum_pages, peak_running, sum_running, sum_slots;
    uint64_t scheduled_tokens, hits_first, hits_resumed, prompts_first;
    uint64_t sum_finish, digest;
    struct kv_occupancy *occupancy;
};

/* ---- 1: arrivals ---- */

static enum zv_status arrive(struct paged *run, struct zv_error *err)
{
    struct request_queue *const queue = &run->queue;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && queue->has_next &&
           queue->next.arrival_ticks <= run->step * KV_STEP_TICKS) {
        const uint64_t need = zv_kv_cache_need(run->cache, request_slots(&queue->next));
        if (need > run->options->cache.pool.pages) {
            run->rejected++;
            status = queue_skip_next(queue, err);
        } else {
            status = queue_take_next(queue, err);
        }
    }
    return status;
}

/* All keys a request will ever have: of its prompt, then its own. */
static enum zv_status make_keys(const struct paged *run, struct live_request *live,
                                struct zv_error *err)
{
    const uint64_t count = request_slots(&live->request) / run->page_tokens;
    if (count > live->key_capacity) {
        zv_memory_free(live->keys);
        live->keys = zv_memory_alloc((size_t)count * sizeof *live->keys);
        live->key_capacity = live->keys != NULL ? (size_t)count : 0;
        if (live->keys == NULL) {
            return zv_fail_memory(err, "the keys of a request");
        }
    }
    for (uint64_t j = 0; j < count; j++) {
        live->keys[j] = request_key(&live->request, live->number, j, run->page_tokens);
    }
    live->has_keys = true;
    return ZV_OK;
}

/* ---- 2: running requests ---- */

static void add_digest(struct paged *run, uint32_t sequence, const struct zv_kv_grant *grant)
{
    for (size_t g = 0; g < run->groups; g++) {
        size_t count;
        const uint32_t *const table = zv_kv_sequence_table(run->cache, sequence, g, &count);
        run->digest = kv_digest(run->digest, table + (count - grant->grown[g]), grant->grown[g]);
    }
}

static enum zv_status preempt_last(struct paged *run, struct zv_error *err)
{
    struct live_request *const last = queue_running(&run->queue, run->queue.running_count - 1);
    const enum zv_status status = zv_kv_sequence_drop(run->cache, last->sequence, err);
    run->preemptions++;
    run->lost_tokens += last->computed;
    run->slots -= last->computed;
    last->computed = 0;
    run->has_preempted = true;
    queue_preempt_last(&run->queue);
    return status;
}

static inline struct zv_kv_step step_of(const struct paged *run, const struct live_request *live)
{
    return (struct zv_kv_step){.known_tokens = live->known,
                               .new_tokens = run->left,
                               .keys = run->caching ? live->keys : NULL};
}

static void take_grant(struct paged *run, struct live_request *live,
                       const struct zv_kv_grant *grant)
{
    if (grant->new_pages != 0) {
        add_digest(run, live->sequence, grant);
    }
    live->computed += grant->new_tokens;
    run->slots += grant->new_tokens;
    run->left -= grant->new_tokens;
    run->scheduled++;
}

static enum zv_status run_running(struct paged *run, struct zv_error *err)
{
    struct request_queue *const queue = &run->queue;
    while (run->scheduled < queue->running_count && run->left != 0) {
        struct live_request *const live = queue_running(queue, run->scheduled);
        struct zv_kv_grant grant;
        struct zv_kv_step step = step_of(run, live);
        enum zv_status status =
            zv_kv_sequence_extend(run->cache, live->sequence, &step, &grant, err);
        while (status == ZV_OK && !grant.granted && grant.new_tokens != 0 &&
               run->scheduled < queue->running_count) {
            status = preempt_last(run, err);
            if (status == ZV_OK && run->scheduled < queue->running_count) {
                status = zv_kv_sequence_extend(run->cache, live->sequence, &step, &grant, err);
            }
        }
        if (status != ZV_OK) {
            return status;
        }
        if (!grant.granted && run->scheduled == queue->running_count) {
            break; /* it pre-empted itself */
        }
        take_grant(run, live, &grant); /* of 0 tokens when the rest is too short for it */
    }
    return ZV_OK;
}

/* ---- 3: waiting requests ---- */

static enum zv_status prepare(struct paged *run, struct live_request *live, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    if (run->caching && !live->has_keys) {
        status = make_keys(run, live, err);
    }
    if (status == ZV_OK) {
        status = zv_kv_sequence_open(run->cache, &live->sequence, err);
    }
    return status;
}

static void count_admission(struct paged *run, struct live_request *live, uint64_t hits)
{
    if (live->was_admitted) {
        run->hits_resumed += hits;
    } else {
        live->was_admitted = true;
        run->hits_first += hits;
        run->prompts_first += live->known;
    }
}

static enum zv_status run_waiting(struct paged *run, struct zv_error *err)
{
    struct request_queue *const queue = &run->queue;
    while (queue->waiting_count != 0 && run->left != 0 &&
           queue->running_count < run->options->max_sequences) {
        struct live_request *const live = queue_front(queue);
        struct zv_kv_grant grant = {0};
        enum zv_status status = ZV_OK;
        if (!live->is_open) {
            status = prepare(run, live, err);
            live->is_open = status == ZV_OK;
        }
        if (status == ZV_OK) {
            const struct zv_kv_step step = step_of(run, live);
            status = zv_kv_sequence_admit(run->cache, live->sequence, &step, &grant, err);
        }
        if (status != ZV_OK || !grant.granted) {
            return status;
        }
        queue_start_front(queue);
        count_admission(run, live, grant.hit_tokens);
        live->computed = grant.hit_tokens;
        run->slots += grant.hit_tokens;
        take_grant(run, live, &grant);
    }
    return ZV_OK;
}

/* ---- 4: tokens ---- */

static void measure(struct paged *run)
{
    const uint64_t used =
        run->options->cache.pool.pages - zv_kv_pool_free_count(zv_kv_cache_pool(run->cache));
    const uint64_t running = run->queue.running_count;
    run->steps++;
    run->sum_pages += used;
    run->peak_pages = used > run->peak_pages ? used : run->peak_pages;
    run->sum_running += running;
    run->peak_running = running > run->peak_running ? running : run->peak_running;
    run->sum_slots += run->slots;
    run->scheduled_tokens += run->options->step_tokens - run->left;
    struct zv_kv_pool_stats stats;
    zv_kv_pool_get_stats(zv_kv_cache_pool(run->cache), &stats);
    occupancy_add(run->occupancy, &(struct kv_moment){.used = used,
                                                      .cached = stats.keyed,
                                                      .running = running,
                                                      .waiting = run->queue.waiting_count,
                                                      .preemptions = run->preemptions});
}

static enum zv_status give_tokens(struct paged *run, struct zv_error *err)
{
    bool any_done = false;
    for (uint32_t i = 0; i < run->scheduled; i++) {
        struct live_request *const live = queue_running(&run->queue, i);
        if (live->computed != live->known) {
            continue;
        }
        live->known++;
        if (live->known - live->request.prompt_tokens == live->request.output_tokens) {
            const enum zv_status status = zv_kv_sequence_close(run->cache, live->sequence, err);
            if (status != ZV_OK) {
                return status;
            }
            run->slots -= live->computed;
            run->completed++;
            run->sum_finish += run->step;
            live->known = 0;
            any_done = true;
        }
    }
    if (any_done) {
        queue_drop_done(&run->queue);
    }
    return ZV_OK;
}

static enum zv_status run_step(struct paged *run, struct zv_error *err)
{
    zv_kv_cache_next_step(run->cache);
    run->left = run->options->step_tokens;
    run->scheduled = 0;
    run->has_preempted = false;
    enum zv_status status = run_running(run, err);
    if (status == ZV_OK && !run->has_preempted) {
        status = run_waiting(run, err);
    }
    if (status == ZV_OK && run->scheduled == 0) {
        status = zv_fail(err, ZV_E_BUG, "a step of the simulation does nothing");
    }
    if (status == ZV_OK) {
        measure(run);
        status = give_tokens(run, err);
    }
    run->last_step = run->step++;
    return status;
}

static void report(struct kv_figures *to, const struct paged *run)
{
    struct zv_kv_pool_stats stats;
    zv_kv_pool_get_stats(zv_kv_cache_pool(run->cache), &stats);
    kv_figures_add(to, "requests", run->queue.read);
    kv_figures_add(to, "rejected", run->rejected);
    kv_figures_add(to, "completed", run->completed);
    kv_figures_add(to, "steps", run->steps);
    kv_figures_add(to, "last_step", run->last_step);
    kv_figures_add(to, "preemptions", run->preemptions);
    kv_figures_add(to, "preempt_lost_tokens", run->lost_tokens);
    kv_figures_add(to, "peak_pages", run->peak_pages);
    kv_figures_add(to, "sum_pages", run->sum_pages);
    kv_figures_add(to, "peak_running", run->peak_running);
    kv_figures_add(to, "sum_running", run->sum_running);
    kv_figures_add(to, "sum_slots", run->sum_slots);
    kv_figures_add(to, "sched_tokens", run->scheduled_tokens);
    kv_figures_add(to, "hit_tokens_first", run->hits_first);
    kv_figures_add(to, "hit_tokens_resumed", run->hits_resumed);
    kv_figures_add(to, "prompt_tokens_first", run->prompts_first);
    kv_figures_add(to, "evictions", stats.evictions);
    kv_figures_add(to, "sum_finish_step", run->sum_finish);
    kv_figures_add(to, "block_digest", run->digest);
}

static enum zv_status open_paged(struct paged *run, struct zv_request_source source,
                                 const struct kv_serve_options *options, struct zv_error *err)
{
    struct zv_kv_cache_options cache = options->cache;
    run->options = options;
    run->groups = cache.group_count != 0 ? cache.group_count : 1;
    run->page_tokens = cache.page_tokens;
    run->caching = cache.pool.caching;
    cache.step_tokens = options->step_tokens;
    if (options->step_tokens == 0 || options->max_sequences == 0) {
        return zv_fail(err, ZV_E_USAGE, "a step of 0 tokens or 0 sequences");
    }
    for (size_t g = 0; run->caching && g < cache.group_count; g++) {
        const uint64_t page =
            cache.groups[g].page_tokens != 0 ? cache.groups[g].page_tokens : cache.page_tokens;
        if (cache.groups[g].kind == ZV_KV_STATE_ALIGNED && page > options->step_tokens) {
            return zv_fail(err, ZV_E_USAGE,
                           "states are kept at pages of %llu tokens, a step has %llu: it would "
                           "never reach one",
                           (unsigned long long)page, (unsigned long long)options->step_tokens);
        }
    }
    if (run->caching && !keys_possible(run->page_tokens)) {
        return zv_fail(err, ZV_E_USAGE,
                       "prefix caching needs pages that divide 512 tokens, or are a multiple: not "
                       "%llu",
                       (unsigned long long)run->page_tokens);
    }
    const enum zv_status status = zv_kv_cache_open(&run->cache, &cache, err);
    return status == ZV_OK
               ? queue_open(&run->queue, source, options->limit, options->max_sequences, err)
               : status;
}

enum zv_status kv_serve_paged(struct kv_serve *to, struct zv_request_source source,
                              const struct kv_serve_options *options, struct zv_error *err)
{
    struct paged run = {.occupancy = &to->occupancy};
    struct request_queue *const queue = &run.queue;
    *to = (struct kv_serve){0};
    enum zv_status status = open_paged(&run, source, options, err);
    while (status == ZV_OK) {
        status = arrive(&run, err);
        if (status != ZV_OK) {
            break;
        }
        if (queue->waiting_count != 0 || queue->running_count != 0) {
            status = run_step(&run, err);
        } else if (queue->has_next) {
            run.step = zv_ceil_div(queue->next.arrival_ticks, KV_STEP_TICKS);
        } else {
            report(&to->figures, &run);
            break;
        }
    }
    queue_close(queue);
    zv_kv_cache_close(run.cache);
    return status;
}
