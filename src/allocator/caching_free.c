/* The caching policy's way back: frees, uses by other streams, events. */
#include "allocator/caching.h"
#include "base/fail.h"
#include "base/memory.h"

/* What a completed free does to the split blocks that nobody uses: one net change. */
static void count_split(struct caching *c, enum zv_stat_pool pool, const struct block *block,
                        uint64_t before, uint64_t after)
{
    const int64_t absorbed = (int64_t)(before != 0) + (int64_t)(after != 0);
    if (!block_is_split(block)) {
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, (uint64_t)absorbed);
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, before + after);
        return;
    }
    stat_change(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES,
                (int64_t)(block->size - before - after));
    if (absorbed != 1) {
        stat_change(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, 1 - absorbed);
    }
}

/* A finished free: merges and puts the block into its list. */
CACHING_INLINE void complete(struct caching *c, struct free_list *list, enum zv_stat_pool pool,
                             uint32_t at)
{
    struct block *const block = &c->blocks[at];
    const uint64_t size = block->size;
    const uint64_t requested = block->requested;
    caching_emit(c, ZV_ACTION_FREE_COMPLETED, block->address, requested, list->stream);
    const uint64_t before = caching_merge(c, list, at, block->prev, BLOCK_FREE);
    const uint64_t after = caching_merge(c, list, at, block->next, BLOCK_FREE);
    caching_insert(c, list, at);
    if (block->reservation == 0) {
        count_split(c, pool, block, before, after);
    }
    stat_complete(&c->stats, pool, size, requested);
}

void caching_complete_free(struct caching *c, uint32_t at)
{
    struct free_list *const list = caching_list(c, at);
    complete(c, list, caching_stat_pool(list->pool), at);
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

enum zv_status caching_free(struct caching *c, struct zv_allocation allocation,
                            struct zv_error *err)
{
    const uint32_t at = caching_find(c, allocation);
    if (at == 0) {
        return zv_fail(err, ZV_E_USAGE, "a free of what is not allocated");
    }
    struct block *const block = &c->blocks[at];
    __builtin_prefetch(&c->blocks[block->prev]);
    __builtin_prefetch(&c->blocks[block->next]);
    struct free_list *const list = caching_list(c, at);
    const bool is_shared = block->uses != 0;
    const bool is_deferred = is_shared && caching_holds_events(c);
    if (is_shared && !(is_deferred ? caching_grow_indices(&c->deferred, &c->deferred_capacity,
                                                          c->deferred_count + UINT64_C(1))
                                   : reserve_events(c, at))) {
        return zv_fail_memory(err, "events");
    }
    const enum zv_stat_pool pool = caching_stat_pool(list->pool);
    stat_free(&c->stats, pool, block->size);
    caching_emit(c, ZV_ACTION_FREE_REQUESTED, block->address, block->requested, list->stream);
    if (block->size >= c->config.max_split_bytes) {
        counter_take(&c->stats.oversize_allocations, 1);
    }
    block->state = BLOCK_PENDING;
    block->generation++;
    if (!is_shared) {
        stat_make_room(&c->stats, pool, block->requested);
        complete(c, list, pool, at);
    } else if (is_deferred) {
        c->deferred[c->deferred_count++] = at;
    } else {
        queue_events(c, at);
    }
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
