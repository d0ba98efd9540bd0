/* The caching policy's way from a request to a block. */
#include "allocator/caching.h"
#include "base/fail.h"

enum { ROOM_PER_MALLOC = 4 }; /* segment or reservation, rest of a map, rest of a split, spare */

/* What asking the driver once may need. */
static bool make_room(struct caching *c)
{
    return caching_reserve_blocks(c, ROOM_PER_MALLOC) && caching_reserve_reservation(c);
}

/* The next multiple of a power-of-two's fraction; n > 512 * divisions. */
static uint64_t round_to_division(uint64_t n, uint64_t divisions)
{
    if ((n & (n - 1)) == 0) {
        return n;
    }
    const uint64_t power = UINT64_C(1) << (63 - __builtin_clzll(n));
    const uint64_t step = power >> (63 - __builtin_clzll(divisions));
    return step == 0 ? power * 2 : (n + step - 1) & ~(step - 1);
}

static uint64_t round_up(uint64_t n)
{
    return (n + CACHING_UNIT - 1) & ~(CACHING_UNIT - 1); /* n is not 0 */
}

static uint64_t round_size(const struct allocator_config *config, uint64_t n)
{
    if (!config->rounds_to_divisions || n < CACHING_UNIT) {
        return round_up(n);
    }
    int entry = 63 - __builtin_clzll(n) - 20;
    entry = entry < 0 ? 0 : entry;
    entry = entry >= CONFIG_DIVISIONS ? CONFIG_DIVISIONS - 1 : entry;
    const uint64_t divisions = config->divisions[entry];
    if (divisions > 1 && n > CACHING_UNIT * divisions) {
        return round_to_division(n, divisions);
    }
    return round_up(n);
}

uint64_t caching_round_size(const struct allocator_config *config, uint64_t bytes)
{
    return bytes == 0 || bytes > FREE_LIST_END_BYTES / 4 ? bytes : round_size(config, bytes);
}

static uint64_t segment_size(const struct allocator_config *config, uint64_t size)
{
    if (size <= CACHING_SMALL_REQUEST) {
        return CACHING_SMALL_SEGMENT;
    }
    if (size < CACHING_LARGE_REQUEST) {
        return config->large_segment_bytes;
    }
    return (size + CACHING_SEGMENT_STEP - 1) & ~(CACHING_SEGMENT_STEP - 1);
}

/* The pair of pools that an open scope sends the stream to; 2.6 asks the oldest scope first. */
static uint32_t scope_of(const struct caching *c, uint64_t stream)
{
    for (uint32_t i = 0; i < c->scope_count; i++) {
        const struct scope *const scope =
            &c->scopes[caching_is_new(c) ? c->scope_count - 1 - i : i];
        if (scope->stream == ZV_ANY_STREAM || scope->stream == stream) {
            return scope->private_index;
        }
    }
    return 0;
}

/* Fills in the request and reserves what it may need. */
static enum zv_status prepare(struct caching *c, uint64_t bytes, uint64_t stream,
                              struct request *request, struct zv_error *err)
{
    uint32_t stream_index;
    enum zv_status status = caching_stream_index(c, stream, &stream_index, err);
    if (status != ZV_OK) {
        return status;
    }
    request->bytes = bytes;
    request->size = round_size(&c->config, bytes);
    request->segment_bytes = segment_size(&c->config, request->size);
    request->pool = 2 * scope_of(c, stream) + (request->size > CACHING_SMALL_REQUEST);
    status = caching_list_of(c, request->pool, stream_index, &request->list, err);
    if (status != ZV_OK) {
        return status;
    }
    if ((c->pending | c->deferred_count | c->scope_count | c->collects |
         c->config.rounds_to_divisions) == 0) {
        c->fast_lists[request->pool] = c->lists[request->list];
    }
    return make_room(c) ? ZV_OK : zv_fail_memory(err, "blocks");
}

/* What a block of a reservation could grow to by mapping what follows it. */
static uint64_t reach(const struct block *blocks, uint32_t at)
{
    const struct block *const next = &blocks[blocks[at].next];
    return blocks[at].size +
           (blocks[at].next != 0 && next->state == BLOCK_UNMAPPED ? next->size : 0);
}

/* The candidate that PyTorch takes instead when reservations are about. */
CACHING_ASIDE uint32_t prefer_expandable(const struct caching *c, const struct free_list *list,
                                         uint32_t at)
{
    if (!c->config.expandable_segments) { /* they were on before: only other blocks will do */
        while (at != 0 && c->blocks[at].reservation != 0) {
            at = free_list_step(c->blocks, list, at, 1);
        }
        return at;
    }
    while (c->blocks[at].reservation != 0) {
        const uint32_t next = free_list_step(c->blocks, list, at, 1);
        if (next == 0 || reach(c->blocks, next) >= reach(c->blocks, at)) {
            break;
        }
        at = next;
    }
    return at;
}

/* Whether the best free block may be used: oversize ones are only for requests near their size. */
static inline bool is_allowed(const struct allocator_config *config, uint64_t size, uint64_t found)
{
    return found < config->max_split_bytes ||
           (size >= config->max_split_bytes && found < size + config->max_non_split_rounding_bytes);
}

/* Takes the best free block out of a list; 0 when none fits or the best one may not be used. */
CACHING_INLINE uint32_t take_fit(struct caching *c, struct free_list *list, uint64_t size)
{
    uint32_t at = free_list_at_least(c->blocks, list, size);
    if (at == 0) {
        return 0;
    }
    if (c->blocks[at].reservation != 0 && (at = prefer_expandable(c, list, at)) == 0) {
        return 0;
    }
    if (!is_allowed(&c->config, size, c->blocks[at].size)) {
        return 0;
    }
    free_list_remove(c->blocks, list, at);
    return at;
}

bool caching_has_fit(const struct caching *c, uint32_t pool, uint64_t stream, uint64_t bytes)
{
    const uint64_t size = caching_round_size(&c->config, bytes);
    const struct pool *const lists = &c->pools[pool];
    for (uint32_t i = 0; i < lists->list_count; i++) {
        const struct free_list *const list = c->lists[lists->lists[i]];
        if (list->stream == stream && size < FREE_LIST_END_BYTES) {
            const uint32_t at = free_list_at_least(c->blocks, list, size);
            return at != 0 && is_allowed(&c->config, size, c->blocks[at].size);
        }
    }
    return false;
}

/* A new segment from the driver as a block outside the lists, 0 when there is none. */
static uint32_t new_segment(struct caching *c, const struct request *request)
{
    const uint64_t size = request->segment_bytes;
    const uint64_t address = c->driver.allocate(c->driver.context, size);
    if (address == 0) {
        return 0;
    }
    const enum zv_stat_pool pool = caching_stat_pool(request->pool);
    const uint32_t at = caching_take_block(c);
    c->blocks[at] = (struct block){.address = address,
                                   .size = size,
                                   .list = request->list,
                                   .generation = c->blocks[at].generation,
                                   .state = BLOCK_FREE};
    c->reserved_bytes += size;
    c->privates[request->pool / 2].segments++;
    stat_change(&c->stats, pool, ZV_STAT_SEGMENT, 1);
    caching_count_reserved(c, request->pool, (int64_t)size);
    c->stats.num_device_alloc++;
    if (size >= c->config.max_split_bytes) {
        counter_add(&c->stats.oversize_segments, 1);
    }
    caching_emit(c, ZV_ACTION_SEGMENT_ALLOC, address, size, c->lists[request->list]->stream);
    return at;
}

enum answer { GOT_NOTHING, GOT_BLOCK, GOT_REJECTED };

/* Asks the driver once. */
static enum answer acquire(struct caching *c, const struct request *request, uint32_t *at)
{
    const uint64_t after = c->reserved_bytes + request->segment_bytes;
    *at = 0;
    if (c->has_limit && after > c->limit_bytes) {
        return GOT_NOTHING;
    }
    if (c->config.throw_on_oom && after > (uint64_t)(c->config.fraction * (double)c->total_bytes)) {
        c->stats.num_oom_rejections++;
        return GOT_REJECTED;
    }
    *at = c->config.expandable_segments ? caching_expand(c, request) : new_segment(c, request);
    return *at != 0 ? GOT_BLOCK : GOT_NOTHING;
}

/* Pools that lend their blocks when the card is full, for requests of the default pools. */
static uint32_t borrow(struct caching *c, const struct request *request)
{
    if (!caching_is_new(c) || request->pool >= 2) {
        return 0;
    }
    const uint32_t stream_index = c->lists[request->list]->stream_index;
    for (uint32_t i = caching_next_private(c, 0); i != 0; i = caching_next_private(c, i)) {
        const struct pool *const pool = &c->pools[2 * i + request->pool];
        if ((c->privates[i].flags & ZV_POOL_USE_ON_OOM) != 0 &&
            stream_index < pool->by_stream_count && pool->by_stream[stream_index] != 0) {
            const uint32_t at = take_fit(c, c->lists[pool->by_stream[stream_index]], request->size);
            if (at != 0) {
                return at;
            }
        }
    }
    return 0;
}

/* No free block fits: garbage collection, the driver, giving back, the driver again. */
static enum zv_status obtain(struct caching *c, const struct request *request, uint32_t *at,
                             enum answer *answer, struct zv_error *err)
{
    if (c->collects) {
        caching_collect_garbage(c);
    }
    *answer = acquire(c, request, at);
    if (*answer == GOT_NOTHING && (*at = borrow(c, request)) != 0) {
        *answer = GOT_BLOCK;
    }
    if (*answer != GOT_NOTHING) {
        return ZV_OK;
    }
    if (!(caching_is_new(c) && c->capturing) && caching_release_available(c, request)) {
        if (!make_room(c)) {
            return zv_fail_memory(err, "blocks");
        }
        *answer = acquire(c, request, at);
    }
    if (*answer == GOT_NOTHING && !caching_holds_events(c)) {
        const enum zv_status status = caching_release_cached(c, err);
        if (status != ZV_OK || !make_room(c)) {
            return zv_fail_memory(err, "blocks");
        }
        c->stats.num_alloc_retries++;
        *answer = acquire(c, request, at);
    }
    return ZV_OK;
}

/* Cuts the front of a block off as a block of its own; the rest is free again. */
CACHING_INLINE uint32_t split(struct caching *c, struct free_list *list, uint32_t rest,
                              uint64_t size)
{
    const uint32_t front = caching_take_block(c);
    struct block *const of_front = &c->blocks[front]; /* what is not set, hand_out() sets */
    struct block *const of_rest = &c->blocks[rest];
    of_front->address = of_rest->address;
    of_front->size = size;
    of_front->prev = of_rest->prev;
    of_front->next = rest;
    of_front->list = of_rest->list;
    of_front->reservation = of_rest->reservation;
    c->blocks[of_rest->prev].next = front;
    of_rest->prev = front;
    of_rest->address += size;
    of_rest->size -= size;
    caching_insert(c, list, rest);
    return front;
}

/* What a split does to the split blocks that nobody uses. */
CACHING_INLINE void count_cut(struct caching *c, enum zv_stat_pool pool, uint32_t front,
                              uint64_t rest)
{
    const struct block *const block = &c->blocks[front];
    if ((block->prev | c->blocks[block->next].next) != 0) {
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, block->size);
        return;
    }
    stat_raise(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, rest); /* it was a whole segment */
    stat_raise(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, 1);
}

/* Turns a block that is in no list into the answer. */
CACHING_INLINE void hand_out(struct caching *c, struct free_list *list, uint32_t at, uint64_t size,
                             uint64_t bytes, struct zv_allocation *to)
{
    const enum zv_stat_pool pool = (enum zv_stat_pool)list->kind;
    const uint64_t rest = c->blocks[at].size - size;
    if (rest >= c->least_rest[pool] && size < c->split_below && !list->no_split) {
        at = split(c, list, at, size);
        if (c->blocks[at].reservation == 0) {
            count_cut(c, pool, at, rest);
        }
    } else if (c->blocks[at].reservation == 0 && block_is_split(&c->blocks[at])) {
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, size + rest);
        stat_take(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, 1);
    }
    struct block *const block = &c->blocks[at];
    block->state = BLOCK_ALLOCATED;
    block->requested = bytes;
    block->uses = 0;
    block->events = 0;
    to->address = block->address;
    to->block = at;
    to->generation = block->generation;
    stat_hand_out(&c->stats, pool, block->size, bytes);
    if (block->size >= c->config.max_split_bytes) {
        counter_add(&c->stats.oversize_allocations, 1);
    }
    caching_emit(c, ZV_ACTION_ALLOC, block->address, bytes, list->stream);
}

/* Out of memory, or turned away. */
static void refuse(struct caching *c, const struct request *request, enum answer answer)
{
    if (answer == GOT_REJECTED) {
        return; /* counted already; PyTorch raises without a trace entry */
    }
    uint64_t free_bytes;
    uint64_t total_bytes;
    c->driver.memory_info(c->driver.context, &free_bytes, &total_bytes);
    c->stats.num_ooms++;
    caching_emit(c, ZV_ACTION_OOM, free_bytes, request->size, c->lists[request->list]->stream);
}

/* Everything that may happen, one step after the other. */
CACHING_ASIDE enum zv_status malloc_slowly(struct caching *c, uint64_t bytes, uint64_t stream,
                                           struct zv_allocation *to, struct zv_error *err)
{
    *to = (struct zv_allocation){0};
    struct request request;
    enum zv_status status = prepare(c, bytes, stream, &request, err);
    if (status != ZV_OK) {
        return status;
    }
    if ((c->pending | c->deferred_count) != 0 && !caching_holds_events(c)) {
        if (!caching_queue_deferred(c)) {
            return zv_fail_memory(err, "events");
        }
        caching_process_events(c);
    }
    c->calls += c->collects && request.pool == 1;
    uint32_t at = take_fit(c, c->lists[request.list], request.size);
    enum answer answer = GOT_BLOCK;
    if (at == 0) {
        status = obtain(c, &request, &at, &answer, err);
    }
    if (status == ZV_OK && c->driver.failure != NULL) {
        status = c->driver.failure(c->driver.context, err);
    }
    if (status != ZV_OK && at != 0) {
        caching_insert(c, caching_list(c, at), at);
    } else if (status == ZV_OK && at == 0) {
        refuse(c, &request, answer);
    } else if (status == ZV_OK) {
        hand_out(c, caching_list(c, at), at, request.size, bytes, to);
    }
    return status;
}

/* The usual case first: no scope, nothing pending, a free block of the stream used last. It takes
 * one entry for a block at most. */
enum zv_status caching_malloc(struct caching *c, uint64_t bytes, uint64_t stream,
                              struct zv_allocation *to, struct zv_error *err)
{
    const uint64_t size = round_up(bytes);
    struct free_list *const list = c->fast_lists[size > CACHING_SMALL_REQUEST];
    if (list != NULL && list->stream == stream &&
        (c->unused_blocks != 0 || caching_reserve_blocks(c, ROOM_PER_MALLOC))) {
        const uint32_t at = take_fit(c, list, size);
        if (at != 0) {
            hand_out(c, list, at, size, bytes, to);
            return ZV_OK;
        }
    }
    return malloc_slowly(c, bytes, stream, to, err);
}
