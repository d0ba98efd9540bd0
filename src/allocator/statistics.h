/*
 * Counters with PyTorch's meanings, kept so that an event costs few stores.
 *
 * Current values and sums of increases are kept per pool; those of all pools, the sums of decreases
 * and what is active follow from them. Peaks of the five statistics that every allocation raises
 * are only looked at when they may have been passed: `room` is a lower bound of how far all five
 * can still rise before one of them passes its peak.
 */
#ifndef ZIRVE_ALLOCATOR_STATISTICS_H
#define ZIRVE_ALLOCATOR_STATISTICS_H

#include <stdint.h>

#include "zirve/allocator.h"

/*
 * The order keeps apart what an event changes in two directions: as neighbours, compilers make one
 * vector of them, whose load must wait for the single stores of the event before.
 */
struct stat_pool {
    int64_t room_bytes;               /* of allocated, active and requested bytes */
    int64_t peak[ZV_STAT_COUNT];      /* before statistics_settle */
    int64_t current[ZV_STAT_COUNT];   /* of the active two: less what is allocated */
    int64_t spare[3];                 /* a size that is a shift */
    int64_t allocated[ZV_STAT_COUNT]; /* increases; not of the active two */
    int64_t room_count;               /* of allocations and active */
};

_Static_assert(sizeof(struct stat_pool) == 256, "four cache lines");

struct statistics {
    /* Of [ZV_STAT_ALL] only the peaks and the room: the rest is the sum of the others. */
    struct stat_pool pools[ZV_STAT_POOL_COUNT];
    int64_t at_reset[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT]; /* stat_of() at the last of increases */
    struct zv_counter oversize_allocations;
    struct zv_counter oversize_segments;
    int64_t num_alloc_retries;
    int64_t num_ooms;
    int64_t num_oom_rejections;
    int64_t num_sync_all_streams;
    int64_t num_device_alloc;
    int64_t num_device_free;
    int64_t max_split_size;
};

/* The current value of one pool, not ZV_STAT_ALL. What is allocated is active, and more may be. */
static inline int64_t stat_of(const struct statistics *stats, enum zv_stat_pool pool,
                              enum zv_stat stat)
{
    const int64_t *const current = stats->pools[pool].current;
    return current[stat] + (stat == ZV_STAT_ACTIVE         ? current[ZV_STAT_ALLOCATION]
                            : stat == ZV_STAT_ACTIVE_BYTES ? current[ZV_STAT_ALLOCATED_BYTES]
                                                           : 0);
}

/* Of both pools. */
static inline int64_t stat_current(const struct statistics *stats, enum zv_stat stat)
{
    return stat_of(stats, ZV_STAT_SMALL_POOL, stat) + stat_of(stats, ZV_STAT_LARGE_POOL, stat);
}

/* An increase or a decrease; one of them is 0. Not for the five of an allocation. */
static inline void stat_raise_or_take(struct statistics *stats, enum zv_stat_pool pool,
                                      enum zv_stat stat, uint64_t increase, uint64_t decrease)
{
    struct stat_pool *const own = &stats->pools[pool];
    own->current[stat] += (int64_t)(increase - decrease);
    own->allocated[stat] += (int64_t)increase;
    if (own->current[stat] > own->peak[stat]) {
        own->peak[stat] = own->current[stat];
    }
    const int64_t all = stat_current(stats, stat);
    if (all > stats->pools[ZV_STAT_ALL].peak[stat]) {
        stats->pools[ZV_STAT_ALL].peak[stat] = all;
    }
}

/* An increase. */
static inline void stat_raise(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                              uint64_t amount)
{
    stat_raise_or_take(stats, pool, stat, amount, 0);
}

/* A decrease. */
static inline void stat_take(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                             uint64_t amount)
{
    stats->pools[pool].current[stat] -= (int64_t)amount;
}

/* A net change of either sign: one increase or one decrease. */
static inline void stat_change(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                               int64_t amount)
{
    if (amount > 0) {
        stat_raise(stats, pool, stat, (uint64_t)amount);
    } else {
        stat_take(stats, pool, stat, 0 - (uint64_t)amount);
    }
}

/* Brings the peaks up to date and measures the room again. */
void statistics_settle(struct statistics *stats);

/* An allocation: a block of size bytes for a request. */
static inline void stat_hand_out(struct statistics *stats, enum zv_stat_pool pool, uint64_t size,
                                 uint64_t requested)
{
    struct stat_pool *const own = &stats->pools[pool];
    struct stat_pool *const all = &stats->pools[ZV_STAT_ALL];
    own->current[ZV_STAT_ALLOCATION]++;
    own->allocated[ZV_STAT_ALLOCATION]++;
    own->current[ZV_STAT_ALLOCATED_BYTES] += (int64_t)size;
    own->allocated[ZV_STAT_ALLOCATED_BYTES] += (int64_t)size;
    own->current[ZV_STAT_REQUESTED_BYTES] += (int64_t)requested;
    own->allocated[ZV_STAT_REQUESTED_BYTES] += (int64_t)requested;
    own->room_bytes -= (int64_t)size; /* the request is not larger */
    all->room_bytes -= (int64_t)size;
    own->room_count--;
    all->room_count--;
    if (own->room_bytes < 0 || all->room_bytes < 0 || own->room_count < 0 || all->room_count < 0) {
        statistics_settle(stats);
    }
}

/* A free was asked for, which waits. */
static inline void stat_free(struct statistics *stats, enum zv_stat_pool pool, uint64_t size)
{
    int64_t *const current = stats->pools[pool].current;
    current[ZV_STAT_ALLOCATION]--;
    current[ZV_STAT_ACTIVE]++;
    current[ZV_STAT_ALLOCATED_BYTES] -= (int64_t)size;
    current[ZV_STAT_ACTIVE_BYTES] += (int64_t)size;
}

/* It is complete. The room may have been measured since it was asked for: this makes none. */
static inline void stat_complete(struct statistics *stats, enum zv_stat_pool pool, uint64_t size,
                                 uint64_t requested)
{
    int64_t *const current = stats->pools[pool].current;
    current[ZV_STAT_ACTIVE]--;
    current[ZV_STAT_ACTIVE_BYTES] -= (int64_t)size;
    current[ZV_STAT_REQUESTED_BYTES] -= (int64_t)requested;
}

/* A free that is complete at once: all five fall together, and that makes room. */
static inline void stat_take_back(struct statistics *stats, enum zv_stat_pool pool, uint64_t size,
                                  uint64_t requested)
{
    struct stat_pool *const own = &stats->pools[pool];
    struct stat_pool *const all = &stats->pools[ZV_STAT_ALL];
    own->current[ZV_STAT_ALLOCATION]--;
    own->current[ZV_STAT_ALLOCATED_BYTES] -= (int64_t)size;
    own->current[ZV_STAT_REQUESTED_BYTES] -= (int64_t)requested;
    own->room_bytes += (int64_t)requested; /* all three fell by at least this */
    all->room_bytes += (int64_t)requested;
    own->room_count++;
    all->room_count++;
}

/* The same for a counter of its own. */
void counter_add(struct zv_counter *counter, int64_t amount);
void counter_take(struct zv_counter *counter, int64_t amount);

void statistics_get(const struct statistics *stats, struct zv_memory_stats *to);
void statistics_reset_peaks(struct statistics *stats);
void statistics_reset_accumulated(struct statistics *stats);

#endif
