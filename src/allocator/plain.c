#include "allocator/plain.h"

#include "base/fail.h"
#include "base/memory.h"

#define MIB           (UINT64_C(1) << 20)
#define UNIT          UINT64_C(512) /* of async blocks */
#define GRANULE       (2 * MIB)     /* what a card hands out */
#define GROWTH        (32 * MIB)    /* what an async pool asks for at once */
#define SMALL_REQUEST MIB           /* the statistics' small pool */

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static void emit(const struct plain *plain, enum zv_allocator_action action, uint64_t address,
                 uint64_t size_bytes, uint64_t stream)
{
    if (plain->on_event != NULL) {
        const struct zv_allocator_event event = {action, address, size_bytes, stream};
        plain->on_event(plain->event_context, &event);
    }
}

static enum zv_stat_pool pool_of(uint64_t bytes)
{
    return bytes <= SMALL_REQUEST ? ZV_STAT_SMALL_POOL : ZV_STAT_LARGE_POOL;
}

enum zv_status plain_open(struct plain *plain, struct zv_error *err)
{
    plain->entry_count = 1;
    plain->stats.max_split_size = -1;
    if (!plain->is_async) {
        return ZV_OK;
    }
    uint64_t free_bytes;
    uint64_t total_bytes;
    plain->driver.memory_info(plain->driver.context, &free_bytes, &total_bytes);
    plain->pool_bytes = round_up(total_bytes, GROWTH);
    plain->pool_address = plain->driver.reserve(plain->driver.context, plain->pool_bytes);
    plain->next_address = plain->pool_address;
    return plain->pool_address != 0 ? ZV_OK : zv_fail_memory(err, "a pool's addresses");
}

void plain_close(struct plain *plain)
{
    zv_memory_free(plain->entries);
    zv_memory_free(plain->streams);
    *plain = (struct plain){0};
}

static enum zv_status reserve_entry(struct plain *plain, struct zv_error *err)
{
    if (plain->unused_entries != 0 || plain->entry_count < plain->entry_capacity) {
        return ZV_OK;
    }
    const uint32_t capacity = plain->entry_capacity == 0 ? 64 : plain->entry_capacity * 2;
    void *const grown = capacity > UINT32_MAX / 4
                            ? NULL
                            : zv_memory_resize(plain->entries, capacity * sizeof *plain->entries);
    if (grown == NULL) {
        return zv_fail_memory(err, "allocations");
    }
    plain->entries = grown;
    plain->entry_capacity = capacity;
    return ZV_OK;
}

static uint32_t take_entry(struct plain *plain)
{
    const uint32_t at = plain->unused_entries;
    if (at == 0) {
        plain->entries[plain->entry_count] = (struct plain_entry){0};
        return plain->entry_count++;
    }
    plain->unused_entries = plain->entries[at].next_unused;
    return at;
}

/* The bytes that only this stream may use; made when missing and `make`. NULL: none. */
static struct plain_stream *own_bytes(struct plain *plain, uint64_t stream, bool make)
{
    for (uint32_t i = 0; i < plain->stream_count; i++) {
        if (plain->streams[i].stream == stream) {
            return &plain->streams[i];
        }
    }
    if (!make) {
        return NULL;
    }
    if (plain->stream_count == plain->stream_capacity) {
        const uint32_t capacity = plain->stream_capacity == 0 ? 8 : plain->stream_capacity * 2;
        void *const grown =
            capacity > UINT32_MAX / 4
                ? NULL
                : zv_memory_resize(plain->streams, capacity * sizeof *plain->streams);
        if (grown == NULL) {
            return NULL;
        }
        plain->streams = grown;
        plain->stream_capacity = capacity;
    }
    plain->streams[plain->stream_count] = (struct plain_stream){.stream = stream};
    return &plain->streams[plain->stream_count++];
}

/* Free bytes of the pool that stream may have. */
static uint64_t available(struct plain *plain, uint64_t stream)
{
    uint64_t bytes = plain->mapped_bytes - plain->used_bytes;
    for (uint32_t i = 0; i < plain->stream_count; i++) {
        bytes -= plain->streams[i].stream == stream ? 0 : plain->streams[i].free_bytes;
    }
    return bytes;
}

static bool map_more(struct plain *plain, uint64_t bytes, uint64_t stream)
{
    if (bytes > plain->pool_bytes - plain->mapped_bytes ||
        !plain->driver.map(plain->driver.context, plain->pool_address + plain->mapped_bytes,
                           GRANULE, bytes / GRANULE)) {
        return false;
    }
    emit(plain, ZV_ACTION_SEGMENT_MAP, plain->pool_address + plain->mapped_bytes, bytes, stream);
    plain->mapped_bytes += bytes;
    stat_change(&plain->stats, ZV_STAT_LARGE_POOL, ZV_STAT_RESERVED_BYTES, (int64_t)bytes);
    plain->stats.num_device_alloc++;
    return true;
}

static void unmap_down_to(struct plain *plain, uint64_t keep)
{
    keep = round_up(keep, GRANULE);
    if (keep >= plain->mapped_bytes) {
        return;
    }
    const uint64_t bytes = plain->mapped_bytes - keep;
    plain->driver.unmap(plain->driver.context, plain->pool_address + keep, GRANULE, bytes / GRANULE,
                        0);
    emit(plain, ZV_ACTION_SEGMENT_UNMAP, plain->pool_address + keep, bytes, 0);
    plain->mapped_bytes = keep;
    stat_change(&plain->stats, ZV_STAT_LARGE_POOL, ZV_STAT_RESERVED_BYTES, -(int64_t)bytes);
    plain->stats.num_device_free++;
}

/* Grows the pool by a step, or by just what is missing when the card has no more. */
static bool grow_pool(struct plain *plain, uint64_t missing, uint64_t stream)
{
    return map_more(plain, round_up(missing, GROWTH), stream) ||
           map_more(plain, round_up(missing, GRANULE), stream);
}

/* Takes bytes of the pool; on a full card everything freed is waited for first. */
static uint64_t take_from_pool(struct plain *plain, uint64_t size, uint64_t stream)
{
    uint64_t have = available(plain, stream);
    if (have < size && !grow_pool(plain, size - have, stream)) {
        plain->stats.num_alloc_retries++;
        plain->stream_count = 0;
        have = available(plain, stream);
        if (have < size && !grow_pool(plain, size - have, stream)) {
            return 0;
        }
    }
    struct plain_stream *const own = own_bytes(plain, stream, false);
    if (own != NULL) {
        own->free_bytes -= own->free_bytes < size ? own->free_bytes : size;
    }
    plain->used_bytes += size;
    const uint64_t address = plain->next_address;
    plain->next_address += size;
    return address;
}

static uint64_t take_direct(struct plain *plain, uint64_t bytes, uint64_t stream)
{
    const uint64_t address = plain->driver.allocate(plain->driver.context, bytes);
    if (address != 0) {
        const enum zv_stat_pool pool = pool_of(bytes);
        stat_change(&plain->stats, pool, ZV_STAT_SEGMENT, 1);
        stat_change(&plain->stats, pool, ZV_STAT_RESERVED_BYTES, (int64_t)round_up(bytes, GRANULE));
        plain->stats.num_device_alloc++;
        emit(plain, ZV_ACTION_SEGMENT_ALLOC, address, bytes, stream);
    }
    return address;
}

static void refuse(struct plain *plain, uint64_t size, uint64_t stream)
{
    uint64_t free_bytes;
    uint64_t total_bytes;
    plain->driver.memory_info(plain->driver.context, &free_bytes, &total_bytes);
    plain->stats.num_ooms++;
    emit(plain, ZV_ACTION_OOM, free_bytes, size, stream);
}

static void count_allocation(struct plain *plain, const struct plain_entry *entry)
{
    const enum zv_stat_pool pool = pool_of(entry->bytes);
    stat_hand_out(&plain->stats, pool, entry->size, entry->bytes);
    emit(plain, ZV_ACTION_ALLOC, entry->address, entry->bytes, entry->stream);
}

enum zv_status plain_malloc(struct plain *plain, uint64_t bytes, uint64_t stream,
                            struct zv_allocation *to, struct zv_error *err)
{
    const enum zv_status status = reserve_entry(plain, err);
    *to = (struct zv_allocation){0};
    if (status != ZV_OK) {
        return status;
    }
    const uint64_t size = plain->is_async ? round_up(bytes, UNIT) : bytes;
    const uint64_t address =
        plain->is_async ? take_from_pool(plain, size, stream) : take_direct(plain, size, stream);
    if (address == 0 && plain->driver.failure != NULL) {
        const enum zv_status failure = plain->driver.failure(plain->driver.context, err);
        if (failure != ZV_OK) {
            return failure;
        }
    }
    if (address == 0) {
        refuse(plain, size, stream);
        return ZV_OK;
    }
    const uint32_t at = take_entry(plain);
    struct plain_entry *const entry = &plain->entries[at];
    *entry = (struct plain_entry){.address = address,
                                  .bytes = bytes,
                                  .size = size,
                                  .stream = stream,
                                  .generation = entry->generation,
                                  .live = true};
    count_allocation(plain, entry);
    *to = (struct zv_allocation){address, at, entry->generation};
    return ZV_OK;
}

bool plain_is_live(const struct plain *plain, struct zv_allocation allocation)
{
    if (allocation.block == 0 || allocation.block >= plain->entry_count) {
        return false;
    }
    const struct plain_entry *const entry = &plain->entries[allocation.block];
    return entry->live && entry->generation == allocation.generation &&
           entry->address == allocation.address;
}

static void give_direct(struct plain *plain, const struct plain_entry *entry)
{
    const enum zv_stat_pool pool = pool_of(entry->bytes);
    emit(plain, ZV_ACTION_SEGMENT_FREE, entry->address, entry->size, entry->stream);
    plain->driver.release(plain->driver.context, entry->address);
    stat_change(&plain->stats, pool, ZV_STAT_SEGMENT, -1);
    stat_change(&plain->stats, pool, ZV_STAT_RESERVED_BYTES,
                -(int64_t)round_up(entry->bytes, GRANULE));
    plain->stats.num_device_free++;
}

enum zv_status plain_free(struct plain *plain, struct zv_allocation allocation,
                          struct zv_error *err)
{
    if (!plain_is_live(plain, allocation)) {
        return zv_fail(err, ZV_E_USAGE, "a free of what is not allocated");
    }
    struct plain_entry *const entry = &plain->entries[allocation.block];
    if (plain->is_async && plain->options.own_stream_only) {
        struct plain_stream *const own = own_bytes(plain, entry->stream, true);
        if (own == NULL) {
            return zv_fail_memory(err, "a stream");
        }
        own->free_bytes += entry->size;
    }
    const enum zv_stat_pool pool = pool_of(entry->bytes);
    stat_take_back(&plain->stats, pool, entry->size, entry->bytes);
    emit(plain, ZV_ACTION_FREE_REQUESTED, entry->address, entry->bytes, entry->stream);
    emit(plain, ZV_ACTION_FREE_COMPLETED, entry->address, entry->bytes, entry->stream);
    if (plain->is_async) {
        plain->used_bytes -= entry->size;
    } else {
        give_direct(plain, entry);
    }
    entry->live = false;
    entry->generation++;
    entry->next_unused = plain->unused_entries;
    plain->unused_entries = allocation.block;
    return ZV_OK;
}

void plain_empty_cache(struct plain *plain)
{
    plain->stats.num_sync_all_streams++;
    if (plain->is_async) {
        plain->stream_count = 0;
        unmap_down_to(plain, plain->used_bytes);
    }
}

void plain_finish(struct plain *plain)
{
    if (!plain->is_async) {
        return;
    }
    plain->stream_count = 0;
    const uint64_t threshold = plain->options.release_threshold_bytes;
    if (threshold != 0) {
        unmap_down_to(plain, plain->used_bytes > threshold ? plain->used_bytes : threshold);
    }
}

uint64_t plain_largest_free(const struct plain *plain)
{
    return plain->mapped_bytes - plain->used_bytes;
}

enum zv_status plain_check(const struct plain *plain, struct zv_error *err)
{
    uint64_t size = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 1; i < plain->entry_count; i++) {
        size += plain->entries[i].live ? plain->entries[i].size : 0;
        bytes += plain->entries[i].live ? plain->entries[i].bytes : 0;
    }
    if ((int64_t)size != stat_current(&plain->stats, ZV_STAT_ALLOCATED_BYTES) ||
        (int64_t)bytes != stat_current(&plain->stats, ZV_STAT_REQUESTED_BYTES) ||
        (plain->is_async && (size != plain->used_bytes || size > plain->mapped_bytes))) {
        return zv_fail(err, ZV_E_BUG, "sums of live allocations differ from the counters");
    }
    return ZV_OK;
}
