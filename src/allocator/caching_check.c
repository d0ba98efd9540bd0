/* The rules of the caching policy, checked from the blocks alone. */
#include "allocator/caching.h"
#include "base/fail.h"

static enum zv_status broken(struct zv_error *err, uint32_t at, const char *rule)
{
    return zv_fail(err, ZV_E_BUG, "block %u: %s", (unsigned)at, rule);
}

/* What the blocks of a pool kind add up to. */
struct sums {
    uint64_t value[ZV_STAT_COUNT];
};

static void add_up(struct sums *sums, const struct block *block)
{
    const bool is_whole = block->reservation == 0;
    switch ((enum block_state)block->state) {
    case BLOCK_UNUSED:
    case BLOCK_UNMAPPED:
        return;
    case BLOCK_FREE:
        if (is_whole && block_is_split(block)) {
            sums->value[ZV_STAT_INACTIVE_SPLIT]++;
            sums->value[ZV_STAT_INACTIVE_SPLIT_BYTES] += block->size;
        }
        break;
    case BLOCK_ALLOCATED:
        sums->value[ZV_STAT_ALLOCATION]++;
        sums->value[ZV_STAT_ALLOCATED_BYTES] += block->size;
        __attribute__((fallthrough));
    case BLOCK_PENDING:
        sums->value[ZV_STAT_ACTIVE]++;
        sums->value[ZV_STAT_ACTIVE_BYTES] += block->size;
        sums->value[ZV_STAT_REQUESTED_BYTES] += block->requested;
        break;
    }
    sums->value[ZV_STAT_SEGMENT] += is_whole && block->prev == 0;
    sums->value[ZV_STAT_RESERVED_BYTES] += block->size;
}

/* Neighbours point at each other, touch, and belong together; available ones are merged. */
static enum zv_status check_next(const struct caching *c, uint32_t at, struct zv_error *err)
{
    const struct block *const block = &c->blocks[at];
    const struct block *const next = &c->blocks[block->next];
    if (block->next == 0) {
        return ZV_OK;
    }
    if (block->next >= c->block_count || next->state == BLOCK_UNUSED || next->prev != at) {
        return broken(err, at, "its next block does not know it");
    }
    if (next->address != block->address + block->size || next->list != block->list ||
        next->reservation != block->reservation) {
        return broken(err, at, "its next block does not continue it");
    }
    if (next->state == block->state && block_is_available(block)) {
        return broken(err, at, "it and its next block are both free and not merged");
    }
    return ZV_OK;
}

static enum zv_status check_block(const struct caching *c, uint32_t at, struct zv_error *err)
{
    const struct block *const block = &c->blocks[at];
    if (block->size == 0 || block->size % CACHING_UNIT != 0) {
        return broken(err, at, "its size is no multiple of 512 above 0");
    }
    if (block->list == 0 || block->list > c->list_count || c->lists[block->list] == NULL) {
        return broken(err, at, "it belongs to no list");
    }
    if (block->prev != 0 && c->blocks[block->prev].next != at) {
        return broken(err, at, "its previous block does not know it");
    }
    if (block->reservation != 0) {
        const struct reservation *const reservation = &c->reservations[block->reservation];
        const uint64_t end = reservation->address + reservation->size;
        if (block->reservation >= c->reservation_count || reservation->page_bytes == 0 ||
            block->address < reservation->address || block->address + block->size > end ||
            (block->prev == 0 && block->address != reservation->address) ||
            (block->next == 0 && block->address + block->size != end)) {
            return broken(err, at, "the blocks of its reservation do not tile it");
        }
    } else if (block->state == BLOCK_UNMAPPED) {
        return broken(err, at, "it is unmapped outside a reservation");
    }
    return check_next(c, at, err);
}

/* The free list holds each of its blocks once, in order; the unmapped tree too. */
static enum zv_status check_list(const struct caching *c, uint32_t index, uint64_t *listed,
                                 struct zv_error *err)
{
    const struct free_list *const list = c->lists[index];
    uint64_t count = 0;
    uint32_t before = 0;
    uint32_t at = free_list_end(c->blocks, list, 0);
    for (; at != 0; at = free_list_step(c->blocks, list, at, 1)) {
        const struct block *const block = &c->blocks[at];
        if (block->state != BLOCK_FREE || block->list != index || count > c->block_count) {
            return broken(err, at, "it is in a free list and does not belong there");
        }
        if (before != 0 && (c->blocks[before].size > block->size ||
                            (c->blocks[before].size == block->size &&
                             c->blocks[before].address >= block->address))) {
            return broken(err, at, "its free list is out of order");
        }
        before = at;
        count++;
    }
    at = list->unmapped == 0 ? 0 : block_tree_end(c->blocks, list->unmapped, 0);
    for (before = 0; at != 0; at = block_tree_step(c->blocks, at, 1)) {
        if (c->blocks[at].state != BLOCK_UNMAPPED || c->blocks[at].list != index ||
            (before != 0 && c->blocks[before].address >= c->blocks[at].address)) {
            return broken(err, at, "the unmapped blocks are out of order");
        }
        before = at;
        count++;
    }
    *listed += count;
    return ZV_OK;
}

static enum zv_status check_sums(const struct caching *c, const struct sums *sums,
                                 struct zv_error *err)
{
    for (int stat = 0; stat < ZV_STAT_COUNT; stat++) {
        for (int pool = ZV_STAT_SMALL_POOL; pool < ZV_STAT_POOL_COUNT; pool++) {
            const int64_t counted = stat_of(&c->stats, (enum zv_stat_pool)pool, (enum zv_stat)stat);
            const int64_t summed = (int64_t)sums[pool].value[stat];
            if (counted != summed) {
                return zv_fail(err, ZV_E_BUG,
                               "statistic %d of pool %d is %lld, its blocks say %lld", stat, pool,
                               (long long)counted, (long long)summed);
            }
        }
    }
    return stat_current(&c->stats, ZV_STAT_RESERVED_BYTES) == (int64_t)c->reserved_bytes
               ? ZV_OK
               : zv_fail(err, ZV_E_BUG, "reserved bytes differ from the sum of segments");
}

static enum zv_status check_queues(const struct caching *c, uint64_t waiting, struct zv_error *err)
{
    uint64_t queued = 0;
    for (uint32_t i = 0; i < c->stream_count; i++) {
        const struct stream_queue *const queue = &c->streams[i];
        for (uint32_t k = 0; k < queue->count; k++) {
            const uint32_t at = queue->events[(queue->head + k) & (queue->capacity - 1)].block;
            if (c->blocks[at].state != BLOCK_PENDING || c->blocks[at].events == 0) {
                return broken(err, at, "it has an event and does not wait");
            }
        }
        queued += queue->count;
    }
    return queued == c->pending && queued == waiting
               ? ZV_OK
               : zv_fail(err, ZV_E_BUG, "events are queued that no block waits for");
}

enum zv_status caching_check(const struct caching *c, struct zv_error *err)
{
    struct sums sums[ZV_STAT_POOL_COUNT] = {0};
    uint64_t available = 0;
    uint64_t waiting = 0;
    for (uint32_t at = 1; at < c->block_count; at++) {
        const struct block *const block = &c->blocks[at];
        if (block->state == BLOCK_UNUSED) {
            continue;
        }
        const enum zv_status status = check_block(c, at, err);
        if (status != ZV_OK) {
            return status;
        }
        available += block_is_available(block);
        waiting += block->state == BLOCK_PENDING ? block->events : 0;
        add_up(&sums[caching_stat_pool(caching_list(c, at)->pool)], block);
    }
    uint64_t listed = 0;
    for (uint32_t i = 1; i <= c->list_count; i++) {
        const enum zv_status status = c->lists[i] == NULL ? ZV_OK : check_list(c, i, &listed, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (listed != available) {
        return zv_fail(err, ZV_E_BUG, "free or unmapped blocks are in no list");
    }
    const enum zv_status status = check_queues(c, waiting, err);
    return status == ZV_OK ? check_sums(c, sums, err) : status;
}
