#include "allocator/statistics.h"

void counter_add(struct zv_counter *counter, int64_t amount)
{
    counter->current += amount;
    counter->allocated += amount;
    counter->peak = counter->peak < counter->current ? counter->current : counter->peak;
}

void counter_take(struct zv_counter *counter, int64_t amount)
{
    counter->current -= amount;
    counter->freed += amount;
}

static int64_t current_of(const struct statistics *stats, int pool, enum zv_stat stat)
{
    return pool == ZV_STAT_ALL ? stat_current(stats, stat)
                               : stat_of(stats, (enum zv_stat_pool)pool, stat);
}

/* How far one statistic can rise without passing its peak, after the peak was brought up to date.
 */
static int64_t settle(struct statistics *stats, int pool, enum zv_stat stat)
{
    const int64_t current = current_of(stats, pool, stat);
    int64_t *const peak = &stats->pools[pool].peak[stat];
    *peak = *peak < current ? current : *peak;
    return *peak - current;
}

void statistics_settle(struct statistics *stats)
{
    static const enum zv_stat bytes[] = {ZV_STAT_ALLOCATED_BYTES, ZV_STAT_ACTIVE_BYTES,
                                         ZV_STAT_REQUESTED_BYTES};
    static const enum zv_stat counts[] = {ZV_STAT_ALLOCATION, ZV_STAT_ACTIVE};
    for (int pool = 0; pool < ZV_STAT_POOL_COUNT; pool++) {
        int64_t room_bytes = INT64_MAX;
        int64_t room_count = INT64_MAX;
        for (int i = 0; i < 3; i++) {
            const int64_t left = settle(stats, pool, bytes[i]);
            room_bytes = left < room_bytes ? left : room_bytes;
        }
        for (int i = 0; i < 2; i++) {
            const int64_t left = settle(stats, pool, counts[i]);
            room_count = left < room_count ? left : room_count;
        }
        stats->pools[pool].room_bytes = room_bytes;
        stats->pools[pool].room_count = room_count;
    }
}

/* Every allocation is active: the two pairs rise together, so one sum of increases serves both. */
static enum zv_stat risen_with(enum zv_stat stat)
{
    return stat == ZV_STAT_ACTIVE         ? ZV_STAT_ALLOCATION
           : stat == ZV_STAT_ACTIVE_BYTES ? ZV_STAT_ALLOCATED_BYTES
                                          : stat;
}

static struct zv_counter counter_of(const struct statistics *stats, enum zv_stat_pool pool,
                                    enum zv_stat stat)
{
    const struct stat_pool *const own = &stats->pools[pool];
    const int64_t current = stat_of(stats, pool, stat);
    const int64_t allocated = own->allocated[risen_with(stat)];
    return (struct zv_counter){.current = current,
                               .allocated = allocated,
                               .freed = allocated - (current - stats->at_reset[pool][stat])};
}

void statistics_get(const struct statistics *stats, struct zv_memory_stats *to)
{
    struct statistics settled = *stats;
    statistics_settle(&settled);
    for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
        struct zv_counter *const of = to->counters[stat];
        of[ZV_STAT_SMALL_POOL] = counter_of(stats, ZV_STAT_SMALL_POOL, (enum zv_stat)stat);
        of[ZV_STAT_LARGE_POOL] = counter_of(stats, ZV_STAT_LARGE_POOL, (enum zv_stat)stat);
        of[ZV_STAT_ALL] = (struct zv_counter){
            .current = of[ZV_STAT_SMALL_POOL].current + of[ZV_STAT_LARGE_POOL].current,
            .allocated = of[ZV_STAT_SMALL_POOL].allocated + of[ZV_STAT_LARGE_POOL].allocated,
            .freed = of[ZV_STAT_SMALL_POOL].freed + of[ZV_STAT_LARGE_POOL].freed};
        for (int pool = 0; pool < ZV_STAT_POOL_COUNT; pool++) {
            of[pool].peak = settled.pools[pool].peak[stat];
        }
    }
    to->oversize_allocations = stats->oversize_allocations;
    to->oversize_segments = stats->oversize_segments;
    to->num_alloc_retries = stats->num_alloc_retries;
    to->num_ooms = stats->num_ooms;
    to->num_oom_rejections = stats->num_oom_rejections;
    to->num_sync_all_streams = stats->num_sync_all_streams;
    to->num_device_alloc = stats->num_device_alloc;
    to->num_device_free = stats->num_device_free;
    to->max_split_size = stats->max_split_size;
}

void statistics_reset_peaks(struct statistics *stats)
{
    for (int pool = 0; pool < ZV_STAT_POOL_COUNT; pool++) {
        for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
            stats->pools[pool].peak[stat] = current_of(stats, pool, (enum zv_stat)stat);
        }
    }
    statistics_settle(stats);
    stats->oversize_allocations.peak = stats->oversize_allocations.current;
    stats->oversize_segments.peak = stats->oversize_segments.current;
}

void statistics_reset_accumulated(struct statistics *stats)
{
    for (int pool = 0; pool < ZV_STAT_POOL_COUNT; pool++) {
        for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
            stats->pools[pool].allocated[stat] = 0;
            stats->at_reset[pool][stat] = current_of(stats, pool, (enum zv_stat)stat);
        }
    }
    struct zv_counter *const oversize[] = {&stats->oversize_allocations, &stats->oversize_segments};
    for (int i = 0; i < 2; i++) {
        oversize[i]->allocated = 0;
        oversize[i]->freed = 0;
    }
    stats->num_alloc_retries = 0;
    stats->num_ooms = 0;
    stats->num_oom_rejections = 0;
    stats->num_sync_all_streams = 0;
    stats->num_device_alloc = 0;
    stats->num_device_free = 0;
}
