/*
 * Allocators of GPU memory, run over a simulated card or a real driver.
 *
 * A policy says what is kept, split, merged and given back; a driver says what the card has. The
 * caching policy gives the addresses, counters and events of PyTorch's CUDA caching allocator.
 *
 *     struct zv_allocator_options options = {.capacity_bytes = 24000000000};
 *     struct zv_allocator *allocator;
 *     struct zv_allocation tensor;
 *     if (zv_allocator_open(&allocator, &options, &err) == ZV_OK &&
 *         zv_allocator_malloc(allocator, 1000, 0, &tensor, &err) == ZV_OK && tensor.address != 0)
 *         zv_allocator_free(allocator, tensor, &err);
 *     zv_allocator_close(allocator);
 *
 * One allocator, one thread. Bytes are bytes; streams are the runtime's handles (0 = default).
 * A call that fails with anything but ZV_E_NOMEM changes nothing.
 */
#ifndef ZIRVE_ALLOCATOR_H
#define ZIRVE_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/driver.h"
#include "zirve/error.h"

enum zv_policy {
    ZV_POLICY_CACHING, /* PyTorch's own: backend:native */
    ZV_POLICY_ASYNC,   /* backend:cudaMallocAsync; a lower bound, see docs/ALLOCATOR.md */
    ZV_POLICY_DIRECT,  /* every allocation goes to the driver */
    ZV_POLICY_COUNT
};

/* Which PyTorch; the differences are in docs/ALLOCATOR.md. */
enum zv_torch_profile {
    ZV_TORCH_2_6,  /* 2.1 to 2.9; checked event by event against PyTorch 2.6.0 */
    ZV_TORCH_2_14, /* 2.10 and later; unchecked */
    ZV_TORCH_COUNT
};

enum zv_allocator_action {
    ZV_ACTION_ALLOC,
    ZV_ACTION_FREE_REQUESTED,
    ZV_ACTION_FREE_COMPLETED,
    ZV_ACTION_SEGMENT_ALLOC,
    ZV_ACTION_SEGMENT_FREE,
    ZV_ACTION_SEGMENT_MAP,
    ZV_ACTION_SEGMENT_UNMAP,
    ZV_ACTION_OOM,
    ZV_ACTION_COUNT
};

/* One entry of PyTorch's trace. */
struct zv_allocator_event {
    enum zv_allocator_action action;
    uint64_t address;    /* ZV_ACTION_OOM: the card's free bytes */
    uint64_t size_bytes; /* alloc, free: as requested; segment: of the range; oom: rounded */
    uint64_t stream;
};

typedef void zv_allocator_event_fn(void *context, const struct zv_allocator_event *event);

/* For ZV_POLICY_ASYNC: the attributes of the stream-ordered pool. */
struct zv_async_options {
    uint64_t release_threshold_bytes; /* kept when work is finished; 0: all, as PyTorch sets it */
    bool own_stream_only; /* freed memory waits for finished work before another stream gets it */
};

struct zv_allocator_options {
    enum zv_policy policy;
    enum zv_torch_profile profile;
    const char *conf;               /* PYTORCH_ALLOC_CONF; NULL for none */
    uint64_t capacity_bytes;        /* of the simulated card; at most 2^48 */
    uint64_t baseline_bytes;        /* what others use of it */
    const struct zv_driver *driver; /* NULL: a simulated card. Copied; one without reserve has no
                                     * expandable segments, whatever conf says */
    struct zv_async_options async;
    zv_allocator_event_fn *on_event; /* NULL: none. Must not call the allocator */
    void *context;                   /* of on_event */
};

/* What malloc handed out. address 0: nothing (size 0, or out of memory). */
struct zv_allocation {
    uint64_t address;
    uint32_t block;
    uint32_t generation;
};

/* A number over time; the counter of one statistic of one kind of pool, as PyTorch keeps it. */
struct zv_counter {
    int64_t current;
    int64_t peak;      /* since the start or the last reset of peaks */
    int64_t allocated; /* sum of all increases */
    int64_t freed;     /* sum of all decreases */
};

enum zv_stat {
    ZV_STAT_ALLOCATION, /* counts */
    ZV_STAT_SEGMENT,
    ZV_STAT_ACTIVE,
    ZV_STAT_INACTIVE_SPLIT,
    ZV_STAT_ALLOCATED_BYTES, /* sizes of blocks */
    ZV_STAT_RESERVED_BYTES,
    ZV_STAT_ACTIVE_BYTES,
    ZV_STAT_INACTIVE_SPLIT_BYTES,
    ZV_STAT_REQUESTED_BYTES, /* as asked for */
    ZV_STAT_COUNT
};

enum zv_stat_pool { ZV_STAT_ALL, ZV_STAT_SMALL_POOL, ZV_STAT_LARGE_POOL, ZV_STAT_POOL_COUNT };

/* torch.cuda.memory_stats() */
struct zv_memory_stats {
    struct zv_counter counters[ZV_STAT_COUNT][ZV_STAT_POOL_COUNT];
    struct zv_counter oversize_allocations;
    struct zv_counter oversize_segments;
    int64_t num_alloc_retries;
    int64_t num_ooms;
    int64_t num_oom_rejections; /* torch-2.14 */
    int64_t num_sync_all_streams;
    int64_t num_device_alloc;
    int64_t num_device_free;
    int64_t max_split_size; /* -1: unlimited. As configured at the start */
};

/* reserved_bytes_by_private_pools (torch-2.14), of one private pool. */
struct zv_pool_stats {
    uint64_t id;
    struct zv_counter reserved_bytes[ZV_STAT_POOL_COUNT];
};

/* The bytes of an instant: the current values of four counters. */
struct zv_usage {
    uint64_t allocated_bytes;
    uint64_t reserved_bytes;
    uint64_t active_bytes;
    uint64_t requested_bytes;
};

struct zv_allocator;

/*
 * Makes an allocator; *to is NULL on failure. Errors: ZV_E_SYNTAX for the configuration (naming
 * the key and the accepted form), ZV_E_UNSUPPORTED, ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_allocator_open(struct zv_allocator **to,
                                 const struct zv_allocator_options *options, struct zv_error *err);

/* NULL is allowed. On a real driver, what is still allocated is left to the driver. */
void zv_allocator_close(struct zv_allocator *allocator);

/*
 * Allocates bytes for use on stream. Running out of memory is no error: ZV_OK with address 0 and
 * num_ooms (or num_oom_rejections) one higher. Errors: ZV_E_LIMIT above 2^48 bytes or too many
 * streams, ZV_E_NOMEM.
 */
enum zv_status zv_allocator_malloc(struct zv_allocator *allocator, uint64_t bytes, uint64_t stream,
                                   struct zv_allocation *to, struct zv_error *err);

/* ZV_E_USAGE when the allocation is not live (freed twice, or of another allocator). An empty
 * allocation (address 0) is allowed and does nothing. */
enum zv_status zv_allocator_free(struct zv_allocator *allocator, struct zv_allocation allocation,
                                 struct zv_error *err);

/* The allocation is also used on stream: it is reused only after the work queued there. */
enum zv_status zv_allocator_record_stream(struct zv_allocator *allocator,
                                          struct zv_allocation allocation, uint64_t stream,
                                          struct zv_error *err);

/* Gives the card back all that is cached and not split. */
enum zv_status zv_allocator_empty_cache(struct zv_allocator *allocator, struct zv_error *err);

/* set_per_process_memory_fraction: 0 <= fraction <= 1, else ZV_E_USAGE. */
enum zv_status zv_allocator_set_fraction(struct zv_allocator *allocator, double fraction,
                                         struct zv_error *err);

/* torch.cuda.memory._set_allocator_settings; the backend cannot change. */
enum zv_status zv_allocator_set_conf(struct zv_allocator *allocator, const char *conf,
                                     struct zv_error *err);

/* The simulated card finishes all queued work (of one stream). ZV_E_USAGE with another driver. */
enum zv_status zv_allocator_finish(struct zv_allocator *allocator, struct zv_error *err);
enum zv_status zv_allocator_finish_stream(struct zv_allocator *allocator, uint64_t stream,
                                          struct zv_error *err);

/* How much work is queued so far on the simulated card (0 with another driver), and that what was
 * queued up to such a point is done: the host waited for an event recorded there. */
uint64_t zv_allocator_queued(const struct zv_allocator *allocator);
enum zv_status zv_allocator_finish_until(struct zv_allocator *allocator, uint64_t point,
                                         struct zv_error *err);

/* Private pools (caching policy only; ZV_E_UNSUPPORTED elsewhere). */
enum zv_pool_flags {
    ZV_POOL_USE_ON_OOM = 1, /* torch-2.14: lent to the default pool when the card is full */
    ZV_POOL_NO_SPLIT = 2    /* torch-2.14: blocks are never split */
};
#define ZV_ANY_STREAM UINT64_MAX

/* Takes a use of pool id, which is made when it is new (flags then count). id 0 is not allowed. */
enum zv_status zv_allocator_pool_retain(struct zv_allocator *allocator, uint64_t id, unsigned flags,
                                        struct zv_error *err);
/* Drops a use; with the last one the pool's cache may be given back. */
enum zv_status zv_allocator_pool_release(struct zv_allocator *allocator, uint64_t id,
                                         struct zv_error *err);
/* Requests on stream (or ZV_ANY_STREAM) go to the pool until the scope ends. */
enum zv_status zv_allocator_pool_begin(struct zv_allocator *allocator, uint64_t id, uint64_t stream,
                                       struct zv_error *err);
enum zv_status zv_allocator_pool_end(struct zv_allocator *allocator, uint64_t id,
                                     struct zv_error *err);
/* empty_cache(mempool_id): frees the cache of one pool without uses. */
enum zv_status zv_allocator_pool_empty(struct zv_allocator *allocator, uint64_t id,
                                       struct zv_error *err);
/* A graph is being captured: events are not looked at and frees of shared blocks wait. */
enum zv_status zv_allocator_set_capturing(struct zv_allocator *allocator, bool capturing,
                                          struct zv_error *err);

/* The policy in force: a configuration may ask for cuda-malloc-async. */
enum zv_policy zv_allocator_policy(const struct zv_allocator *allocator);

struct zv_usage zv_allocator_usage(const struct zv_allocator *allocator);
void zv_allocator_get_stats(const struct zv_allocator *allocator, struct zv_memory_stats *to);
/* Private pool index in ascending order of id; false after the last one. */
bool zv_allocator_pool_stats(const struct zv_allocator *allocator, unsigned index,
                             struct zv_pool_stats *to);
void zv_allocator_reset_peaks(struct zv_allocator *allocator);
void zv_allocator_reset_accumulated(struct zv_allocator *allocator);

/* Driver calls so far; all zero with a driver of the caller's. */
void zv_allocator_get_calls(const struct zv_allocator *allocator, struct zv_driver_calls *to);

/* Bytes the card could still give: cudaMemGetInfo. */
uint64_t zv_allocator_device_free(const struct zv_allocator *allocator);

/* The largest cached block that is free, in any pool and on any stream. */
uint64_t zv_allocator_largest_free(const struct zv_allocator *allocator);

/*
 * Checks the allocator against its own rules: blocks tile their segments, free lists and neighbours
 * agree, no two free neighbours, sums equal counters. ZV_E_BUG names the first broken rule.
 */
enum zv_status zv_allocator_check(const struct zv_allocator *allocator, struct zv_error *err);

/* One entry of memory_stats(): "allocated_bytes.all.current". */
struct zv_stat_entry {
    char name[96];
    int64_t value;
};

/* Entry index of memory_stats() in PyTorch's order (sorted names); false after the last one. */
bool zv_memory_stats_entry(const struct zv_memory_stats *stats, enum zv_torch_profile profile,
                           unsigned index, struct zv_stat_entry *to);

/*
 * Entry index of one pool's part ("reserved_bytes_by_private_pools.0_7.all.current"); false after
 * the last one. In memory_stats() they come before "segment.all.allocated".
 */
bool zv_pool_stats_entry(const struct zv_pool_stats *stats, unsigned index,
                         struct zv_stat_entry *to);

/*
 * The settings that a PyTorch of this profile finds in an environment: the first variable that is
 * set wins, and the old name wins over the new one. look(context, name) gives a variable's value or
 * NULL; NULL when none is set.
 */
const char *zv_alloc_conf_find(enum zv_torch_profile profile,
                               const char *(*look)(void *context, const char *name), void *context);

/*
 * The profile of a PyTorch version: "2.6", "torch-2.14", "PyTorch 2.6.0". False for what is no
 * version or older than 2.1.
 */
bool zv_torch_profile_parse(const char *text, enum zv_torch_profile *to);

const char *zv_policy_name(enum zv_policy policy);                     /* "caching" */
const char *zv_torch_profile_name(enum zv_torch_profile profile);      /* "torch-2.6" */
const char *zv_allocator_action_name(enum zv_allocator_action action); /* "segment_alloc" */

#endif
