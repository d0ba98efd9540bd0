/* Tables of the caching policy: blocks, streams, lists. All growth of host memory is here. */
#include <string.h>

#include "allocator/caching.h"
#include "base/fail.h"
#include "base/memory.h"

enum { FIRST_BLOCKS = 256, MAX_BLOCKS = 1 << 30, CACHE_LINE = 64 };

bool caching_grow_blocks(struct caching *c, uint64_t count)
{
    uint64_t capacity = c->block_capacity == 0 ? FIRST_BLOCKS : c->block_capacity;
    while (capacity < c->block_count + count) {
        capacity *= 2;
    }
    if (capacity > MAX_BLOCKS) {
        return false;
    }
    const size_t size = capacity * sizeof(struct block);
    unsigned char *const memory = zv_memory_alloc(size + CACHE_LINE - 1);
    if (memory == NULL) {
        return false;
    }
    /* each block in one line: an event touches several blocks and little else */
    const size_t offset = (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE;
    const size_t used = c->blocks == NULL ? 0 : c->block_count * sizeof(struct block);
    if (used != 0) {
        memcpy(memory + offset, c->blocks, used);
    }
    memset(memory + offset + used, 0, size - used);
    zv_memory_free(c->block_memory);
    c->block_memory = memory;
    c->blocks = (void *)(memory + offset);
    c->block_capacity = (uint32_t)capacity;
    return true;
}

bool caching_grow_indices(uint32_t **array, uint32_t *capacity, uint64_t count)
{
    if (*capacity >= count) {
        return true;
    }
    uint64_t grown = *capacity == 0 ? 16 : *capacity;
    while (grown < count) {
        grown *= 2;
    }
    uint32_t *const to = grown > MAX_BLOCKS ? NULL : zv_memory_resize(*array, grown * sizeof *to);
    if (to == NULL) {
        return false;
    }
    *array = to;
    *capacity = (uint32_t)grown;
    return true;
}

bool caching_reserve_reservation(struct caching *c)
{
    if (c->reservation_count < c->reservation_capacity) {
        return true;
    }
    const uint32_t capacity = c->reservation_capacity == 0 ? 16 : c->reservation_capacity * 2;
    struct reservation *const to =
        capacity > MAX_BLOCKS ? NULL : zv_memory_resize(c->reservations, capacity * sizeof *to);
    if (to == NULL) {
        return false;
    }
    c->reservations = to;
    c->reservation_capacity = capacity;
    return true;
}

/* Where stream is, or would be, in stream_order. */
static uint32_t stream_place(const struct caching *c, uint64_t stream)
{
    uint32_t low = 0;
    uint32_t high = c->stream_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->streams[c->stream_order[middle]].stream < stream) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static enum zv_status add_stream(struct caching *c, uint64_t stream, uint32_t place,
                                 struct zv_error *err)
{
    if (c->stream_count == CACHING_MAX_STREAMS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d streams", (int)CACHING_MAX_STREAMS);
    }
    uint32_t capacity = c->stream_capacity;
    if (!caching_grow_indices(&c->stream_order, &capacity, c->stream_count + UINT64_C(1))) {
        return zv_fail_memory(err, "a stream");
    }
    if (capacity != c->stream_capacity) {
        void *const grown = zv_memory_resize(c->streams, capacity * sizeof *c->streams);
        if (grown == NULL) {
            return zv_fail_memory(err, "a stream"); /* stream_order keeps its spare room */
        }
        c->streams = grown;
        c->stream_capacity = capacity;
    }
    memmove(&c->stream_order[place + 1], &c->stream_order[place],
            (c->stream_count - place) * sizeof *c->stream_order);
    c->stream_order[place] = c->stream_count;
    c->streams[c->stream_count++] = (struct stream_queue){.stream = stream};
    return ZV_OK;
}

enum zv_status caching_stream_index(struct caching *c, uint64_t stream, uint32_t *to,
                                    struct zv_error *err)
{
    if (c->last_stream < c->stream_count && c->streams[c->last_stream].stream == stream) {
        *to = c->last_stream;
        return ZV_OK;
    }
    const uint32_t place = stream_place(c, stream);
    if (place == c->stream_count || c->streams[c->stream_order[place]].stream != stream) {
        const enum zv_status status = add_stream(c, stream, place, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    *to = c->stream_order[place];
    c->last_stream = *to;
    return ZV_OK;
}

static bool reserve_list(struct caching *c, struct pool *pool, uint32_t stream_index)
{
    if (pool->by_stream_count <= stream_index) {
        const uint32_t count = c->stream_capacity;
        uint32_t *const by_stream = zv_memory_resize(pool->by_stream, count * sizeof *by_stream);
        if (by_stream == NULL) {
            return false;
        }
        memset(by_stream + pool->by_stream_count, 0,
               (count - pool->by_stream_count) * sizeof *by_stream);
        pool->by_stream = by_stream;
        uint32_t *const lists = zv_memory_resize(pool->lists, count * sizeof *lists);
        if (lists == NULL) {
            return false;
        }
        pool->lists = lists;
        pool->by_stream_count = count;
    }
    if (c->list_count + 1 >= c->list_capacity) {
        const uint32_t capacity = c->list_capacity == 0 ? 16 : c->list_capacity * 2;
        void *const grown = zv_memory_resize(c->lists, capacity * sizeof(struct free_list *));
        if (grown == NULL) {
            return false;
        }
        c->lists = grown;
        c->list_capacity = capacity;
    }
    return true;
}

/* An entry of c->lists without use, or a new one. */
static uint32_t list_entry(const struct caching *c)
{
    uint32_t entry = 1;
    while (entry <= c->list_count && c->lists[entry] != NULL) {
        entry++;
    }
    return entry;
}

enum zv_status caching_list_of(struct caching *c, uint32_t pool_index, uint32_t stream_index,
                               uint32_t *to, struct zv_error *err)
{
    struct pool *const pool = &c->pools[pool_index];
    if (stream_index < pool->by_stream_count && pool->by_stream[stream_index] != 0) {
        *to = pool->by_stream[stream_index];
        return ZV_OK;
    }
    if (c->list_count == CACHING_MAX_LISTS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d pairs of a pool and a stream",
                       (int)CACHING_MAX_LISTS);
    }
    struct free_list *const list =
        reserve_list(c, pool, stream_index) ? zv_memory_alloc(sizeof *list) : NULL;
    if (list == NULL) {
        return zv_fail_memory(err, "a list of free blocks");
    }
    const uint64_t stream = c->streams[stream_index].stream;
    memset(list, 0, sizeof *list);
    list->stream = stream;
    list->stream_index = stream_index;
    list->pool = pool_index;
    list->kind = caching_stat_pool(pool_index);
    list->no_split =
        caching_is_new(c) && (c->privates[pool_index / 2].flags & ZV_POOL_NO_SPLIT) != 0;
    const uint32_t entry = list_entry(c);
    c->list_count = entry > c->list_count ? entry : c->list_count;
    c->lists[entry] = list;
    uint32_t place = pool->list_count++;
    while (place != 0 && c->lists[pool->lists[place - 1]]->stream > stream) {
        pool->lists[place] = pool->lists[place - 1];
        place--;
    }
    pool->lists[place] = entry;
    pool->by_stream[stream_index] = entry;
    *to = entry;
    return ZV_OK;
}

void caching_drop_lists(struct caching *c, uint32_t pool_index)
{
    struct pool *const pool = &c->pools[pool_index];
    for (uint32_t i = 0; i < pool->list_count; i++) {
        zv_memory_free(c->lists[pool->lists[i]]);
        c->lists[pool->lists[i]] = NULL;
    }
    zv_memory_free(pool->lists);
    zv_memory_free(pool->by_stream);
    *pool = (struct pool){.is_small = pool->is_small};
}

static void close_tables(struct caching *c)
{
    for (uint32_t i = 0; i < c->private_count * 2; i++) {
        caching_drop_lists(c, i);
    }
    for (uint32_t i = 0; i < c->stream_count; i++) {
        zv_memory_free(c->streams[i].events);
    }
    void *const tables[] = {c->block_memory, c->lists,       c->pools,    c->privates,
                            c->streams,      c->uses,        c->deferred, c->reservations,
                            c->scratch,      c->stream_order};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        zv_memory_free(tables[i]);
    }
}

void caching_close(struct caching *c)
{
    close_tables(c);
    *c = (struct caching){0};
}

enum zv_status caching_open(struct caching *c, struct zv_error *err)
{
    c->block_count = 1;
    c->use_count = 1;
    c->reservation_count = 1;
    uint64_t free_bytes;
    c->driver.memory_info(c->driver.context, &free_bytes, &c->total_bytes);
    c->pools = zv_memory_alloc(2 * sizeof *c->pools);
    c->privates = zv_memory_alloc(sizeof *c->privates);
    if (c->pools == NULL || c->privates == NULL || !caching_reserve_blocks(c, FIRST_BLOCKS - 1)) {
        return zv_fail_memory(err, "an allocator");
    }
    c->private_capacity = 1;
    c->private_count = 1;
    c->pools[0] = (struct pool){.is_small = true};
    c->pools[1] = (struct pool){0};
    c->privates[0] = (struct private_pool){0};
    c->stats.max_split_size =
        c->config.max_split_bytes == UINT64_MAX ? -1 : (int64_t)c->config.max_split_bytes;
    if (caching_is_new(c) && c->config.fraction < 1) {
        caching_set_fraction(c, c->config.fraction);
    }
    caching_apply_config(c);
    return ZV_OK;
}

void caching_apply_config(struct caching *c)
{
    const bool expandable = c->config.expandable_segments;
    caching_leave_usual(c);
    c->collects = c->has_limit && c->config.gc_threshold > 0;
    c->least_rest[ZV_STAT_SMALL_POOL] = CACHING_UNIT;
    c->least_rest[ZV_STAT_LARGE_POOL] =
        expandable ? CACHING_UNIT : CACHING_SMALL_REQUEST + CACHING_UNIT;
    c->split_below = expandable ? UINT64_MAX : c->config.max_split_bytes;
}

/*
 * A fraction is a double in PyTorch, and so is its product with the card's bytes: the one place
 * (with the threshold of garbage collection) where bytes pass through one, to get the same limit.
 */
void caching_set_fraction(struct caching *c, double fraction)
{
    const double limit = fraction * (double)c->total_bytes;
    c->limit_bytes = (uint64_t)(caching_is_new(c) ? limit + 0.5 : limit);
    c->has_limit = !caching_is_new(c) || fraction < 1;
    caching_apply_config(c);
}

uint64_t caching_largest_free(const struct caching *c)
{
    uint64_t largest = 0;
    for (uint32_t i = 1; i <= c->list_count; i++) {
        if (c->lists[i] != NULL) {
            const uint32_t last = free_list_end(c->blocks, c->lists[i], 1);
            largest = last != 0 && c->blocks[last].size > largest ? c->blocks[last].size : largest;
        }
    }
    return largest;
}
