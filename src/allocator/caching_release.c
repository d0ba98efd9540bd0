/* Giving memory back to the driver: oversize blocks, garbage collection, the whole cache. */
#include "allocator/caching.h"
#include "base/fail.h"

/* Gives a whole free segment back to the driver. */
static void release_segment(struct caching *c, uint32_t at)
{
    struct free_list *const list = caching_list(c, at);
    const enum zv_stat_pool pool = caching_stat_pool(list->pool);
    const uint64_t address = c->blocks[at].address;
    const uint64_t size = c->blocks[at].size;
    caching_emit(c, ZV_ACTION_SEGMENT_FREE, address, size, list->stream);
    c->driver.release(c->driver.context, address);
    c->reserved_bytes -= size;
    c->privates[list->pool / 2].segments--;
    stat_change(&c->stats, pool, ZV_STAT_SEGMENT, -1);
    caching_count_reserved(c, list->pool, -(int64_t)size);
    c->stats.num_device_free++;
    if (size >= c->config.max_split_bytes) {
        counter_take(&c->stats.oversize_segments, 1);
    }
    free_list_remove(c->blocks, list, at);
    caching_drop_block(c, at);
}

/* A whole segment from the driver. Only after a change of settings can an oversize block be split.
 */
static bool is_releasable(const struct block *block)
{
    return block->reservation == 0 && !block_is_split(block);
}

bool caching_release_available(struct caching *c, const struct request *request)
{
    const uint64_t max_split = c->config.max_split_bytes;
    if (max_split == UINT64_MAX) {
        return false;
    }
    const uint64_t key = request->size < max_split ? max_split : request->size;
    struct free_list *const list = c->lists[request->list];
    uint32_t at = key < FREE_LIST_END_BYTES ? free_list_at_least(c->blocks, list, key) : 0;
    if (at != 0 && is_releasable(&c->blocks[at])) {
        release_segment(c, at);
        return true;
    }
    /* None alone is enough: several, the largest first. */
    at = at != 0 ? free_list_step(c->blocks, list, at, 0) : free_list_end(c->blocks, list, 1);
    uint64_t released = 0;
    while (at != 0 && released < key && c->blocks[at].size >= max_split) {
        const uint32_t smaller = free_list_step(c->blocks, list, at, 0);
        if (is_releasable(&c->blocks[at])) {
            released += c->blocks[at].size;
            release_segment(c, at);
        }
        at = smaller;
    }
    return released >= key;
}

static bool reserve_for_unmapping(struct caching *c, const struct pool *pool)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pool->list_count && c->live_reservations != 0; i++) {
        const struct free_list *const list = c->lists[pool->lists[i]];
        uint32_t at = free_list_end(c->blocks, list, 0);
        for (; at != 0; at = free_list_step(c->blocks, list, at, 1)) {
            count += c->blocks[at].reservation != 0;
        }
    }
    return caching_grow_indices(&c->scratch, &c->scratch_capacity, count) &&
           caching_reserve_blocks(c, 2 * count);
}

/* Frees what is whole, then unmaps; what is to be unmapped is collected before the first unmap. */
static enum zv_status release_pool(struct caching *c, uint32_t pool_index, struct zv_error *err)
{
    const struct pool *const pool = &c->pools[pool_index];
    if (!reserve_for_unmapping(c, pool)) {
        return zv_fail_memory(err, "blocks to unmap");
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < pool->list_count; i++) {
        struct free_list *const list = c->lists[pool->lists[i]];
        uint32_t at = free_list_end(c->blocks, list, 0);
        while (at != 0) {
            const uint32_t next = free_list_step(c->blocks, list, at, 1);
            if (c->blocks[at].reservation != 0) {
                c->scratch[count++] = at;
            } else if (!block_is_split(&c->blocks[at])) {
                release_segment(c, at);
            }
            at = next;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        caching_unmap(c, c->scratch[i]);
    }
    return ZV_OK;
}

enum zv_status caching_release_pair(struct caching *c, uint32_t private_index, bool small_first,
                                    struct zv_error *err)
{
    const uint32_t first = 2 * private_index + !small_first;
    const enum zv_status status = release_pool(c, first, err);
    return status == ZV_OK ? release_pool(c, first ^ 1, err) : status;
}

enum zv_status caching_release_cached(struct caching *c, struct zv_error *err)
{
    if (!caching_queue_deferred(c)) {
        return zv_fail_memory(err, "events");
    }
    caching_wait_for_events(c);
    enum zv_status status = caching_release_pair(c, 0, false, err);
    for (uint32_t i = caching_next_private(c, 0); i != 0 && status == ZV_OK;) {
        const uint32_t next = caching_next_private(c, i);
        if (c->privates[i].uses == 0) {
            status = caching_release_pair(c, i, true, err);
            caching_drop_private(c, i);
        }
        i = next;
    }
    return status;
}

enum zv_status caching_empty_cache(struct caching *c, struct zv_error *err)
{
    return caching_release_cached(c, err);
}

/* Sum of ages and count of the unsplit free blocks of the default large pool. */
static void sum_ages(const struct caching *c, double *total, uint64_t *count)
{
    const struct pool *const pool = &c->pools[1];
    *total = 0;
    *count = 0;
    for (uint32_t i = 0; i < pool->list_count; i++) {
        const struct free_list *const list = c->lists[pool->lists[i]];
        uint32_t at = free_list_end(c->blocks, list, 0);
        for (; at != 0; at = free_list_step(c->blocks, list, at, 1)) {
            if (!block_is_split(&c->blocks[at])) {
                *total += (double)(c->calls - c->blocks[at].calls_at_insertion);
                (*count)++;
            }
        }
    }
}

/* Frees every releasable block of at least this age; returns the bytes. */
static uint64_t free_aged(struct caching *c, double age, double *total, uint64_t *count)
{
    const struct pool *const pool = &c->pools[1];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pool->list_count; i++) {
        struct free_list *const list = c->lists[pool->lists[i]];
        uint32_t at = free_list_end(c->blocks, list, 0);
        while (at != 0) {
            const uint32_t next = free_list_step(c->blocks, list, at, 1);
            const double its = (double)(c->calls - c->blocks[at].calls_at_insertion);
            if (is_releasable(&c->blocks[at]) && its >= age) {
                bytes += c->blocks[at].size;
                *total -= its;
                (*count)--;
                release_segment(c, at);
            }
            at = next;
        }
    }
    return bytes;
}

void caching_collect_garbage(struct caching *c)
{
    const uint64_t allowed = (uint64_t)(c->config.gc_threshold * (double)c->limit_bytes);
    if (c->reserved_bytes <= allowed) {
        return;
    }
    const uint64_t wanted = c->reserved_bytes - allowed;
    double total;
    uint64_t count;
    sum_ages(c, &total, &count);
    uint64_t got = 0;
    uint64_t freed = 1;
    while (got < wanted && freed != 0 && count != 0) {
        freed = free_aged(c, total / (double)count, &total, &count);
        got += freed;
    }
}
