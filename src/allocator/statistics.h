/*
 * Counters with PyTorch's meanings, kept so that an event costs few stores: the sums of all
 * increases are kept per pool only, and the sums of all decreases follow from them.
 */
#ifndef ZIRVE_ALLOCATOR_STATISTICS_H
#define ZIRVE_ALLOCATOR_STATISTICS_H

#include <stdint.h>

#include "zirve/allocator.h"

struct stat_cell {
    int64_t current;
    int64_t peak;
};

struct statistics {
    struct stat_cell cells[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT];
    int64_t allocated[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT]; /* increases; [ZV_STAT_ALL] is unused */
    int64_t at_reset[ZV_STAT_POOL_COUNT][ZV_STAT_COUNT];  /* current when they were last reset */
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

static inline void stat_cell_add(struct stat_cell *cell, int64_t amount)
{
    cell->current += amount;
    cell->peak = cell->peak < cell->current ? cell->current : cell->peak;
}

static inline void stat_add(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                            uint64_t amount)
{
    stat_cell_add(&stats->cells[ZV_STAT_ALL][stat], (int64_t)amount);
    stat_cell_add(&stats->cells[pool][stat], (int64_t)amount);
    stats->allocated[pool][stat] += (int64_t)amount;
}

static inline void stat_take(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                             uint64_t amount)
{
    stats->cells[ZV_STAT_ALL][stat].current -= (int64_t)amount;
    stats->cells[pool][stat].current -= (int64_t)amount;
}

/* A net change of either sign counts as one increase or one decrease. */
static inline void stat_change(struct statistics *stats, enum zv_stat_pool pool, enum zv_stat stat,
                               int64_t amount)
{
    if (amount > 0) {
        stat_add(stats, pool, stat, (uint64_t)amount);
    } else {
        stat_take(stats, pool, stat, (uint64_t)-amount);
    }
}

/* The same for a counter of its own. */
void counter_add(struct zv_counter *counter, int64_t amount);
void counter_take(struct zv_counter *counter, int64_t amount);

void statistics_get(const struct statistics *stats, struct zv_memory_stats *to);
void statistics_reset_peaks(struct statistics *stats);
void statistics_reset_accumulated(struct statistics *stats);

#endif
