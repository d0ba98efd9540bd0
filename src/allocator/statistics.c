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

static struct zv_counter counter_of(const struct statistics *stats, enum zv_stat_pool pool,
                                    enum zv_stat stat)
{
    const struct stat_cell *const cell = &stats->cells[pool][stat];
    const int64_t allocated = stats->allocated[pool][stat];
    return (struct zv_counter){.current = cell->current,
                               .peak = cell->peak,
                               .allocated = allocated,
                               .freed = allocated - (cell->current - stats->at_reset[pool][stat])};
}

void statistics_get(const struct statistics *stats, struct zv_memory_stats *to)
{
    for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
        struct zv_counter *const of = to->counters[stat];
        of[ZV_STAT_SMALL_POOL] = counter_of(stats, ZV_STAT_SMALL_POOL, (enum zv_stat)stat);
        of[ZV_STAT_LARGE_POOL] = counter_of(stats, ZV_STAT_LARGE_POOL, (enum zv_stat)stat);
        of[ZV_STAT_ALL] = (struct zv_counter){
            .current = stats->cells[ZV_STAT_ALL][stat].current,
            .peak = stats->cells[ZV_STAT_ALL][stat].peak,
            .allocated = of[ZV_STAT_SMALL_POOL].allocated + of[ZV_STAT_LARGE_POOL].allocated,
            .freed = of[ZV_STAT_SMALL_POOL].freed + of[ZV_STAT_LARGE_POOL].freed};
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
            stats->cells[pool][stat].peak = stats->cells[pool][stat].current;
        }
    }
    stats->oversize_allocations.peak = stats->oversize_allocations.current;
    stats->oversize_segments.peak = stats->oversize_segments.current;
}

void statistics_reset_accumulated(struct statistics *stats)
{
    for (int pool = 0; pool < ZV_STAT_POOL_COUNT; pool++) {
        for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
            stats->allocated[pool][stat] = 0;
            stats->at_reset[pool][stat] = stats->cells[pool][stat].current;
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
