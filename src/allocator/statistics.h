/*
 * Counters with PyTorch's meanings, kept so that an event costs few stores.
 *
 * Current values and sums of increases are kept per pool; those of all pools and the sums of
 * decreases follow from them. Peaks of the five statistics that every allocation raises are only
 * looked at when they may have been passed: `room` is a lower bound of how far all five can still
 * rise before one of them passes its peak.
 */
#ifndef ZIRVE_ALLOCATOR_STATISTICS_H
#define ZIRVE_ALLOCATOR_STATISTICS_H

#include <stdint.h>

#include "zirve/allocator.h"

/* room.bytes: of allocated, active and requested bytes; room.count: of allocations and active. */
struct stat_room {
    int64_t bytes;
    int64_t count;
};

struct statistics {
    /* [ZV_STAT_ALL] is unused in the first three: it is the sum of the others. */
    int64_t current[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT];
    int64_t allocated[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT]; /* increases; not of the active two */
    int64_t at_reset[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT];  /* current at their last reset */
    int64_t peak[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT];      /* before statistics_settle */
    struct stat_room room[ZV_STAT_POOL_COUNT];
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

static inline int64_t stat_current(const struct statistics *stats, enum zv_stat stat)
{
    return stats->current[ZV_STAT_SMALL_POOL][stat] + stats->current[ZV_STAT_LARGE_POOL][stat];
}

/* A net change of either sign: one increase or one decrease. Not for the five of an allocation. */
static inline void stat_change(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                               int64_t amount)
{
    stats->current[pool][stat] += amount;
    stats->allocated[pool][stat] += amount > 0 ? amount : 0;
    if (stats->current[pool][stat] > stats->peak[pool][stat]) {
        stats->peak[pool][stat] = stats->current[pool][stat];
    }
    const int64_t all = stat_current(stats, stat);
    if (all > stats->peak[ZV_STAT_ALL][stat]) {
        stats->peak[ZV_STAT_ALL][stat] = all;
    }
}

/* A decrease. */
static inline void stat_take(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                             uint64_t amount)
{
    stats->current[pool][stat] -= (int64_t)amount;
}

/* Brings the peaks up to date and measures the room again. */
void statistics_settle(struct statistics *stats);

/* An allocation: a block of size bytes for a request. */
static inline void stat_hand_out(struct statistics *stats, enum zv_stat_pool pool, uint64_t size,
                                 uint64_t requested)
{
    int64_t *const current = stats->current[pool];
    int64_t *const allocated = stats->allocated[pool];
    current[ZV_STAT_ALLOCATION]++;
    current[ZV_STAT_ACTIVE]++;
    current[ZV_STAT_ALLOCATED_BYTES] += (int64_t)size;
    current[ZV_STAT_ACTIVE_BYTES] += (int64_t)size;
    current[ZV_STAT_REQUESTED_BYTES] += (int64_t)requested;
    allocated[ZV_STAT_ALLOCATION]++;
    allocated[ZV_STAT_ALLOCATED_BYTES] += (int64_t)size;
    allocated[ZV_STAT_REQUESTED_BYTES] += (int64_t)requested;
    struct stat_room *const own = &stats->room[pool];
    struct stat_room *const all = &stats->room[ZV_STAT_ALL];
    own->bytes -= (int64_t)size; /* the request is not larger */
    own->count--;
    all->bytes -= (int64_t)size;
    all->count--;
    if ((own->bytes | own->count | all->bytes | all->count) < 0) {
        statistics_settle(stats);
    }
}

/* A free was asked for. */
static inline void stat_free(struct statistics *stats, enum zv_stat_pool pool, uint64_t size)
{
    stats->current[pool][ZV_STAT_ALLOCATION]--;
    stats->current[pool][ZV_STAT_ALLOCATED_BYTES] -= (int64_t)size;
}

/* It is complete. */
static inline void stat_complete(struct statistics *stats, enum zv_stat_pool pool, uint64_t size,
                                 uint64_t requested)
{
    stats->current[pool][ZV_STAT_ACTIVE]--;
    stats->current[pool][ZV_STAT_ACTIVE_BYTES] -= (int64_t)size;
    stats->current[pool][ZV_STAT_REQUESTED_BYTES] -= (int64_t)requested;
}

/*
 * A free that was complete at once made room: all five fell since the room was last measured. One
 * that waited may have been measured in between, and makes none.
 */
static inline void stat_make_room(struct statistics *stats, enum zv_stat_pool pool,
                                  uint64_t requested)
{
    stats->room[pool].bytes += (int64_t)requested; /* all three fell by at least this */
    stats->room[pool].count++;
    stats->room[ZV_STAT_ALL].bytes += (int64_t)requested;
    stats->room[ZV_STAT_ALL].count++;
}

/* The same for a counter of its own. */
void counter_add(struct zv_counter *counter, int64_t amount);
void counter_take(struct zv_counter *counter, int64_t amount);

void statistics_get(const struct statistics *stats, struct zv_memory_stats *to);
void statistics_reset_peaks(struct statistics *stats);
void statistics_reset_accumulated(struct statistics *stats);

#endif
