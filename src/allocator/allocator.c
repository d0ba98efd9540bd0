/* The public face: which policy, over which driver. */
#include "zirve/allocator.h"

#include <assert.h>

#include "allocator/caching.h"
#include "allocator/plain.h"
#include "allocator/sim_driver.h"
#include "allocator/walk.h"
#include "base/fail.h"
#include "base/memory.h"

#define MAX_REQUEST (UINT64_C(1) << 48)

struct zv_allocator {
    enum zv_policy policy;
    bool is_simulated;
    unsigned operations; /* since the last check; only counted in checked builds */
    struct allocator_config config;
    struct sim_driver sim;
    struct zv_driver driver;
    union {
        struct caching caching;
        struct plain plain; /* async, direct */
    };
};

enum { OPERATIONS_A_CHECK = 64 };

/* In checked builds, every so often: the allocator still keeps its own rules. */
static enum zv_status checked(struct zv_allocator *allocator, enum zv_status status)
{
#ifdef ZV_CHECKED
    if (++allocator->operations % OPERATIONS_A_CHECK == 0) {
        assert(zv_allocator_check(allocator, NULL) == ZV_OK);
    }
#else
    (void)allocator;
#endif
    return status;
}

static bool is_caching(const struct zv_allocator *allocator)
{
    return allocator->policy == ZV_POLICY_CACHING;
}

static enum zv_status open_policy(struct zv_allocator *allocator,
                                  const struct zv_allocator_options *options, struct zv_error *err)
{
    if (is_caching(allocator)) {
        allocator->caching = (struct caching){.driver = allocator->driver,
                                              .config = allocator->config,
                                              .on_event = options->on_event,
                                              .event_context = options->context};
        return caching_open(&allocator->caching, err);
    }
    allocator->plain = (struct plain){.driver = allocator->driver,
                                      .on_event = options->on_event,
                                      .event_context = options->context,
                                      .is_async = allocator->policy == ZV_POLICY_ASYNC,
                                      .options = options->async};
    return plain_open(&allocator->plain, err);
}

/* A driver without virtual memory management: plain allocations, as PyTorch does then. */
static enum zv_status fit_to_driver(const struct zv_allocator *allocator,
                                    struct allocator_config *config, struct zv_error *err)
{
    if (allocator->driver.reserve != NULL) {
        return ZV_OK;
    }
    config->expandable_segments = false;
    return allocator->policy == ZV_POLICY_ASYNC
               ? zv_fail(err, ZV_E_UNSUPPORTED,
                         "a stream-ordered pool: the device has no virtual memory management")
               : ZV_OK;
}

static enum zv_status open_parts(struct zv_allocator *allocator,
                                 const struct zv_allocator_options *options, struct zv_error *err)
{
    allocator_config_init(&allocator->config, options->profile);
    enum zv_status status =
        allocator_config_parse(&allocator->config, zv_slice_of(options->conf), err);
    if (status != ZV_OK) {
        return status;
    }
    if (allocator->config.backend_async && is_caching(allocator)) {
        allocator->policy = ZV_POLICY_ASYNC;
    }
    if (options->driver != NULL) {
        allocator->driver = *options->driver;
    } else {
        allocator->is_simulated = true;
        status = zv_simcard_open(&allocator->sim.card, options->capacity_bytes,
                                 options->baseline_bytes, err);
        sim_driver_init(&allocator->sim, &allocator->driver);
    }
    if (status == ZV_OK) {
        status = fit_to_driver(allocator, &allocator->config, err);
    }
    return status == ZV_OK ? open_policy(allocator, options, err) : status;
}

enum zv_status zv_allocator_open(struct zv_allocator **to,
                                 const struct zv_allocator_options *options, struct zv_error *err)
{
    *to = NULL;
    if ((unsigned)options->policy >= ZV_POLICY_COUNT ||
        (unsigned)options->profile >= ZV_TORCH_COUNT) {
        return zv_fail(err, ZV_E_USAGE, "no such policy or profile");
    }
    struct zv_allocator *const allocator = zv_memory_alloc(sizeof *allocator);
    if (allocator == NULL) {
        return zv_fail_memory(err, "an allocator");
    }
    *allocator = (struct zv_allocator){.policy = options->policy};
    const enum zv_status status = open_parts(allocator, options, err);
    if (status != ZV_OK) {
        zv_allocator_close(allocator);
        return status;
    }
    *to = allocator;
    return ZV_OK;
}

void zv_allocator_close(struct zv_allocator *allocator)
{
    if (allocator == NULL) {
        return;
    }
    if (is_caching(allocator)) {
        caching_close(&allocator->caching);
    } else {
        plain_close(&allocator->plain);
    }
    zv_simcard_close(&allocator->sim.card);
    zv_memory_free(allocator);
}

enum zv_status zv_allocator_malloc(struct zv_allocator *allocator, uint64_t bytes, uint64_t stream,
                                   struct zv_allocation *to, struct zv_error *err)
{
    if (bytes - 1 >= MAX_REQUEST) {
        *to = (struct zv_allocation){0};
        if (bytes == 0) {
            return ZV_OK;
        }
        return zv_fail(err, ZV_E_LIMIT, "a request of more than 2^48 bytes");
    }
    return checked(allocator, is_caching(allocator)
                                  ? caching_malloc(&allocator->caching, bytes, stream, to, err)
                                  : plain_malloc(&allocator->plain, bytes, stream, to, err));
}

enum zv_status zv_allocator_free(struct zv_allocator *allocator, struct zv_allocation allocation,
                                 struct zv_error *err)
{
    if (allocation.address == 0) {
        return ZV_OK;
    }
    return checked(allocator, is_caching(allocator)
                                  ? caching_free(&allocator->caching, allocation, err)
                                  : plain_free(&allocator->plain, allocation, err));
}

enum zv_status zv_allocator_record_stream(struct zv_allocator *allocator,
                                          struct zv_allocation allocation, uint64_t stream,
                                          struct zv_error *err)
{
    if (allocation.address == 0) {
        return ZV_OK;
    }
    if (is_caching(allocator)) {
        return caching_record_stream(&allocator->caching, allocation, stream, err);
    }
    return plain_is_live(&allocator->plain, allocation)
               ? ZV_OK /* a free of the driver waits for the work by itself */
               : zv_fail(err, ZV_E_USAGE, "record_stream of what is not allocated");
}

enum zv_status zv_allocator_empty_cache(struct zv_allocator *allocator, struct zv_error *err)
{
    if (is_caching(allocator)) {
        return checked(allocator, caching_empty_cache(&allocator->caching, err));
    }
    plain_empty_cache(&allocator->plain);
    return ZV_OK;
}

enum zv_status zv_allocator_set_fraction(struct zv_allocator *allocator, double fraction,
                                         struct zv_error *err)
{
    if (!(fraction >= 0 && fraction <= 1)) {
        return zv_fail(err, ZV_E_USAGE, "a memory fraction must be from 0 to 1");
    }
    if (!is_caching(allocator)) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "a memory fraction needs the caching policy");
    }
    caching_set_fraction(&allocator->caching, fraction);
    return ZV_OK;
}

enum zv_status zv_allocator_set_conf(struct zv_allocator *allocator, const char *conf,
                                     struct zv_error *err)
{
    struct allocator_config next = allocator->config;
    const enum zv_status status = allocator_config_parse(&next, zv_slice_of(conf), err);
    if (status != ZV_OK) {
        return status;
    }
    if (next.backend_async != allocator->config.backend_async) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "allocator setting backend: it is chosen at the start");
    }
    (void)fit_to_driver(allocator, &next, NULL);
    allocator->config = next;
    if (is_caching(allocator)) {
        allocator->caching.config = next;
        caching_apply_config(&allocator->caching);
    }
    return ZV_OK;
}

enum zv_status zv_allocator_finish(struct zv_allocator *allocator, struct zv_error *err)
{
    if (!allocator->is_simulated) {
        return zv_fail(err, ZV_E_USAGE, "only a simulated card finishes work on request");
    }
    zv_simcard_finish_device(&allocator->sim.card);
    if (!is_caching(allocator)) {
        plain_finish(&allocator->plain);
    }
    return ZV_OK;
}

uint64_t zv_allocator_queued(const struct zv_allocator *allocator)
{
    return allocator->is_simulated ? allocator->sim.card.ticket : 0;
}

enum zv_status zv_allocator_finish_until(struct zv_allocator *allocator, uint64_t point,
                                         struct zv_error *err)
{
    if (!allocator->is_simulated) {
        return zv_fail(err, ZV_E_USAGE, "only a simulated card finishes work on request");
    }
    zv_simcard_finish_until(&allocator->sim.card, point);
    return ZV_OK;
}

enum zv_status zv_allocator_finish_stream(struct zv_allocator *allocator, uint64_t stream,
                                          struct zv_error *err)
{
    if (!allocator->is_simulated) {
        return zv_fail(err, ZV_E_USAGE, "only a simulated card finishes work on request");
    }
    return zv_simcard_finish_stream(&allocator->sim.card, stream) ? ZV_OK
                                                                  : zv_fail_memory(err, "a stream");
}

static enum zv_status no_pools(struct zv_error *err)
{
    return zv_fail(err, ZV_E_UNSUPPORTED, "private pools need the caching policy");
}

enum zv_status zv_allocator_pool_retain(struct zv_allocator *allocator, uint64_t id, unsigned flags,
                                        struct zv_error *err)
{
    return is_caching(allocator) ? caching_pool_retain(&allocator->caching, id, flags, err)
                                 : no_pools(err);
}

enum zv_status zv_allocator_pool_release(struct zv_allocator *allocator, uint64_t id,
                                         struct zv_error *err)
{
    return is_caching(allocator) ? caching_pool_release(&allocator->caching, id, err)
                                 : no_pools(err);
}

enum zv_status zv_allocator_pool_begin(struct zv_allocator *allocator, uint64_t id, uint64_t stream,
                                       struct zv_error *err)
{
    return is_caching(allocator) ? caching_pool_begin(&allocator->caching, id, stream, err)
                                 : no_pools(err);
}

enum zv_status zv_allocator_pool_end(struct zv_allocator *allocator, uint64_t id,
                                     struct zv_error *err)
{
    return is_caching(allocator) ? caching_pool_end(&allocator->caching, id, err) : no_pools(err);
}

enum zv_status zv_allocator_pool_empty(struct zv_allocator *allocator, uint64_t id,
                                       struct zv_error *err)
{
    return is_caching(allocator) ? caching_pool_empty(&allocator->caching, id, err) : no_pools(err);
}

enum zv_status zv_allocator_set_capturing(struct zv_allocator *allocator, bool capturing,
                                          struct zv_error *err)
{
    if (!is_caching(allocator)) {
        return no_pools(err);
    }
    allocator->caching.capturing = capturing;
    return ZV_OK;
}

static const struct statistics *stats_of(const struct zv_allocator *allocator)
{
    return is_caching(allocator) ? &allocator->caching.stats : &allocator->plain.stats;
}

static struct statistics *own_stats(struct zv_allocator *allocator)
{
    return is_caching(allocator) ? &allocator->caching.stats : &allocator->plain.stats;
}

struct zv_usage zv_allocator_usage(const struct zv_allocator *allocator)
{
    const struct statistics *const stats = stats_of(allocator);
    return (struct zv_usage){
        .allocated_bytes = (uint64_t)stat_current(stats, ZV_STAT_ALLOCATED_BYTES),
        .reserved_bytes = (uint64_t)stat_current(stats, ZV_STAT_RESERVED_BYTES),
        .active_bytes = (uint64_t)stat_current(stats, ZV_STAT_ACTIVE_BYTES),
        .requested_bytes = (uint64_t)stat_current(stats, ZV_STAT_REQUESTED_BYTES)};
}

void zv_allocator_get_stats(const struct zv_allocator *allocator, struct zv_memory_stats *to)
{
    statistics_get(stats_of(allocator), to);
}

bool zv_allocator_pool_stats(const struct zv_allocator *allocator, unsigned index,
                             struct zv_pool_stats *to)
{
    return is_caching(allocator) && caching_pool_stats(&allocator->caching, index, to);
}

void zv_allocator_reset_peaks(struct zv_allocator *allocator)
{
    statistics_reset_peaks(own_stats(allocator));
    if (is_caching(allocator)) {
        caching_reset_pool_peaks(&allocator->caching);
    }
}

void zv_allocator_reset_accumulated(struct zv_allocator *allocator)
{
    statistics_reset_accumulated(own_stats(allocator));
    if (is_caching(allocator)) {
        caching_reset_pool_sums(&allocator->caching);
    }
}

void zv_allocator_get_calls(const struct zv_allocator *allocator, struct zv_driver_calls *to)
{
    *to = sim_driver_calls(&allocator->sim);
}

uint64_t zv_allocator_device_free(const struct zv_allocator *allocator)
{
    if (allocator->is_simulated) {
        return zv_simcard_free_bytes(&allocator->sim.card);
    }
    uint64_t free_bytes;
    uint64_t total_bytes;
    allocator->driver.memory_info(allocator->driver.context, &free_bytes, &total_bytes);
    return free_bytes;
}

uint64_t zv_allocator_largest_free(const struct zv_allocator *allocator)
{
    return is_caching(allocator) ? caching_largest_free(&allocator->caching)
                                 : plain_largest_free(&allocator->plain);
}

void zv_allocator_walk(const struct zv_allocator *allocator, zv_walk_fn *tell, void *context)
{
    const struct caching *const c = &allocator->caching;
    for (uint32_t i = 1; is_caching(allocator) && i < c->block_count; i++) {
        const struct block *const block = &c->blocks[i];
        if (block->state == BLOCK_UNUSED || block->state == BLOCK_UNMAPPED) {
            continue;
        }
        const struct free_list *const list = c->lists[block->list];
        const struct zv_walk_block told = {.address = block->address,
                                           .bytes = block->size,
                                           .requested_bytes =
                                               block->state == BLOCK_FREE ? 0 : block->requested,
                                           .stream = list->stream,
                                           .pool_id = c->privates[list->pool / 2].id,
                                           .is_small = (list->pool & 1) == 0,
                                           .is_allocated = block->state == BLOCK_ALLOCATED,
                                           .is_pending = block->state == BLOCK_PENDING,
                                           .is_expandable = block->reservation != 0,
                                           .begins = block->reservation == 0 && block->prev == 0};
        tell(context, &told);
    }
}

enum zv_policy zv_allocator_policy(const struct zv_allocator *allocator)
{
    return allocator->policy;
}

enum zv_status zv_allocator_check(const struct zv_allocator *allocator, struct zv_error *err)
{
    return is_caching(allocator) ? caching_check(&allocator->caching, err)
                                 : plain_check(&allocator->plain, err);
}
