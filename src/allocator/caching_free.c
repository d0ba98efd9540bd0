/* The caching policy's way back: frees, uses by other streams, events. */
#include "allocator/caching.h"
#include "base/fail.h"
#include "base/memory.h"

/* What a completed free does to the split blocks that nobody uses: one net change. */
CACHING_INLINE void count_split(struct caching *c, enum zv_stat_pool pool,
                                const struct block *block, uint64_t before, uint64_t after)
{
    const uint64_t absorbed = (uint64_t)(before != 0) + (uint64_t)(after != 0);
    if (!block_is_split(block)) {
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, before + after);
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, absorbed);
        return;
    }
    stat_raise(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, block->size - before - after);
    stat_raise_or_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, absorbed == 0, absorbed / 2);
}

/* Merges and puts the block into its list. */
CACHING_INLINE void put_back(struct caching *c, struct free_list *list, enum zv_stat_pool pool,
                             uint32_t at)
{
    const uint64_t before = caching_merge(c, list, at, 0, BLOCK_FREE);
    const uint64_t after = caching_merge(c, list, at, 1, BLOCK_FREE);
    caching_insert(c, list, at);
    if (c->blocks[at].reservation == 0) {
        count_split(c, pool, &c->blocks[at], before, after);
    }
}

void caching_complete_free(struct caching *c, uint32_t at)
{
    struct free_list *const list = caching_list(c, at);
    const enum zv_stat_pool pool = caching_stat_pool(list->pool);
    const struct block *const block = &c->blocks[at];
    caching_emit(c, ZV_ACTION_FREE_COMPLETED, block->address, block->requested, list->stream);
    stat_complete(&c->stats, pool, block->size, block->requested);
    put_back(c, list, pool, at);
}

/* Room for one more event in the queue of a stream. */
static bool reserve_event(struct stream_queue *queue)
{
    if (queue->count < queue->capacity) {
        return true;
    }
    const uint32_t capacity = queue->capacity == 0 ? 16 : queue->capacity * 2;
    struct pending_event *const events =
        capacity > UINT32_MAX / 4 ? NULL : zv_memory_alloc(capacity * sizeof *events);
    if (events == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < queue->count; i++) {
        events[i] = queue->events[(queue->head + i) & (queue->capacity - 1)];
    }
    zv_memory_free(queue->events);
    queue->events = events;
    queue->head = 0;
    queue->capacity = capacity;
    return true;
}

/* Room in the queues for the events of all streams that use a block. */
static bool reserve_events(struct caching *c, uint32_t at)
{
    for (uint32_t use = c->blocks[at].uses; use != 0; use = c->uses[use].next) {
        if (!reserve_event(&c->streams[c->uses[use].stream_index])) {
            return false;
        }
    }
    return true;
}

/* Records an event on every stream that uses the block; room must have been reserved. */
static void queue_events(struct caching *c, uint32_t at)
{
    struct block *const block = &c->blocks[at];
    while (block->uses != 0) {
        const uint32_t use = block->uses;
        struct stream_queue *const queue = &c->streams[c->uses[use].stream_index];
        queue->events[(queue->head + queue->count) & (queue->capacity - 1)] =
            (struct pending_event){c->driver.record(c->driver.context, queue->stream), at};
        queue->count++;
        c->pending++;
        block->events++;
        block->uses = c->uses[use].next;
        c->uses[use].next = c->unused_uses;
        c->unused_uses = use;
    }
}

bool caching_queue_deferred(struct caching *c)
{
    while (c->deferred_count != 0) { /* in the order of the frees; the rest waits on failure */
        for (uint32_t i = 0; i < c->deferred_count; i++) {
            if (!reserve_events(c, c->deferred[i])) {
                return false;
            }
            queue_events(c, c->deferred[i]);
        }
        c->deferred_count = 0;
    }
    return true;
}

static void pop_event(struct caching *c, struct stream_queue *queue)
{
    const uint32_t at = queue->events[queue->head].block;
    queue->head = (queue->head + 1) & (queue->capacity - 1);
    queue->count--;
    c->pending--;
    if (--c->blocks[at].events == 0) {
        caching_complete_free(c, at);
    }
}

void caching_process_events(struct caching *c)
{
    for (uint32_t i = 0; i < c->stream_count && c->pending != 0; i++) {
        struct stream_queue *const queue = &c->streams[c->stream_order[i]];
        while (queue->count != 0 && c->driver.is_done(c->driver.context, queue->stream,
                                                      queue->events[queue->head].event)) {
            pop_event(c, queue);
        }
    }
}

void caching_wait_for_events(struct caching *c)
{
    c->stats.num_sync_all_streams++;
    if (c->on_wait != NULL) {
        c->on_wait(c->event_context);
    }
    for (uint32_t i = 0; i < c->stream_count && c->pending != 0; i++) {
        struct stream_queue *const queue = &c->streams[c->stream_order[i]];
        while (queue->count != 0) {
            c->driver.wait(c->driver.context, queue->stream, queue->events[queue->head].event);
            pop_event(c, queue);
        }
    }
}

/* A free of nothing (0), or of a block that other streams use and whose free waits for them. */
CACHING_ASIDE enum zv_status free_slowly(struct caching *c, uint32_t at, struct zv_error *err)
{
    if (at == 0) {
        return zv_fail(err, ZV_E_USAGE, "a free of what is not allocated");
    }
    const bool is_deferred = caching_holds_events(c);
    if (!(is_deferred ? caching_grow_indices(&c->deferred, &c->deferred_capacity,
                                             c->deferred_count + UINT64_C(1))
                      : reserve_events(c, at))) {
        return zv_fail_memory(err, "events");
    }
    caching_free_later(c, at);
    caching_leave_usual(c);
    if (is_deferred) {
        c->deferred[c->deferred_count++] = at;
    } else {
        queue_events(c, at);
    }
    return ZV_OK;
}

CACHING_ASIDE void emit_free(const struct caching *c, const struct block *block, uint64_t stream)
{
    caching_emit(c, ZV_ACTION_FREE_REQUESTED, block->address, block->requested, stream);
    caching_emit(c, ZV_ACTION_FREE_COMPLETED, block->address, block->requested, stream);
}

enum zv_status caching_free(struct caching *c, struct zv_allocation allocation,
                            struct zv_error *err)
{
    const uint32_t at = caching_find(c, allocation);
    struct block *const block = &c->blocks[at];
    if (at == 0 || block->uses != 0) {
        return free_slowly(c, at, err);
    }
    __builtin_prefetch(&c->blocks[block->prev]);
    __builtin_prefetch(&c->blocks[block->next]);
    struct free_list *const list = caching_list(c, at);
    const enum zv_stat_pool pool = (enum zv_stat_pool)list->kind;
    stat_take_back(&c->stats, pool, block->size, block->requested);
    if (c->on_event != NULL) {
        emit_free(c, block, list->stream);
    }
    if (block->size >= c->config.max_split_bytes) {
        counter_take(&c->stats.oversize_allocations, 1);
    }
    block->generation++;
    put_back(c, list, pool, at);
    return ZV_OK;
}

enum zv_status caching_record_stream(struct caching *c, struct zv_allocation allocation,
                                     uint64_t stream, struct zv_error *err)
{
    const uint32_t at = caching_find(c, allocation);
    if (at == 0) {
        return zv_fail(err, ZV_E_USAGE, "record_stream of what is not allocated");
    }
    if (stream == caching_list(c, at)->stream) {
        return ZV_OK;
    }
    uint32_t stream_index;
    const enum zv_status status = caching_stream_index(c, stream, &stream_index, err);
    if (status != ZV_OK) {
        return status;
    }
    for (uint32_t use = c->blocks[at].uses; use != 0; use = c->uses[use].next) {
        if (c->uses[use].stream_index == stream_index) {
            return ZV_OK;
        }
    }
    uint32_t use = c->unused_uses;
    if (use != 0) {
        c->unused_uses = c->uses[use].next;
    } else {
        if (c->use_count >= c->use_capacity) {
            const uint32_t capacity = c->use_capacity == 0 ? 64 : c->use_capacity * 2;
            void *const grown = capacity > UINT32_MAX / 4
                                    ? NULL
                                    : zv_memory_resize(c->uses, capacity * sizeof *c->uses);
            if (grown == NULL) {
                return zv_fail_memory(err, "a use by a stream");
            }
            c->uses = grown;
            c->use_capacity = capacity;
        }
        use = c->use_count++;
    }
    c->uses[use] = (struct stream_use){stream_index, c->blocks[at].uses};
    c->blocks[at].uses = use;
    return ZV_OK;
}
