/* Continuing where another allocator stopped: segments and blocks that exist already. */
#include <string.h>

#include "allocator/caching.h"
#include "base/fail.h"

/* A block of a piece, after `before` of the same segment (0: the first). */
static uint32_t place(struct caching *c, uint32_t list, uint32_t before,
                      const struct caching_seed *piece)
{
    const uint32_t at = caching_take_block(c);
    c->blocks[at] = (struct block){.address = piece->address,
                                   .size = piece->bytes,
                                   .requested = piece->requested_bytes,
                                   .prev = before,
                                   .list = list,
                                   .generation = c->blocks[at].generation,
                                   .state = (uint8_t)piece->state};
    c->blocks[before].next = at; /* block 0 takes it when there is none */
    return at;
}

/* Free and unmapped blocks into their trees, the rest into the counters. */
static void enlist(struct caching *c, uint32_t at)
{
    struct free_list *const list = caching_list(c, at);
    const enum zv_stat_pool pool = caching_stat_pool(list->pool);
    struct block *const block = &c->blocks[at];
    if (block->state == BLOCK_UNMAPPED) {
        block_tree_insert_by_address(c->blocks, &list->unmapped, at);
        return;
    }
    if (block->state == BLOCK_FREE) {
        caching_insert(c, list, at);
        if (block->reservation == 0 && block_is_split(block)) {
            stat_change(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT, 1);
            stat_change(&c->stats, pool, ZV_STAT_INACTIVE_SPLIT_BYTES, (int64_t)block->size);
        }
        return;
    }
    stat_hand_out(&c->stats, pool, block->size, block->requested);
    if (block->state == BLOCK_PENDING) {
        stat_free(&c->stats, pool, block->size);
    }
}

static void reserve_bytes(struct caching *c, uint32_t pool, uint64_t bytes)
{
    c->reserved_bytes += bytes;
    stat_change(&c->stats, caching_stat_pool(pool), ZV_STAT_RESERVED_BYTES, (int64_t)bytes);
}

static enum zv_status prepare(struct caching *c, const struct caching_seeds *seeds, uint32_t *list,
                              struct zv_error *err)
{
    uint32_t stream_index;
    enum zv_status status = caching_stream_index(c, seeds->stream, &stream_index, err);
    status = status == ZV_OK ? caching_list_of(c, seeds->pool, stream_index, list, err) : status;
    if (status == ZV_OK &&
        !(caching_reserve_blocks(c, 2 * seeds->count + 2) && caching_reserve_reservation(c))) {
        return zv_fail_memory(err, "blocks");
    }
    return status;
}

enum zv_status caching_seed_segment(struct caching *c, const struct caching_seeds *seeds,
                                    uint32_t *first, struct zv_error *err)
{
    const struct caching_seed *const pieces = seeds->at;
    const size_t count = seeds->count;
    const uint32_t pool = seeds->pool;
    uint32_t list;
    const enum zv_status status = prepare(c, seeds, &list, err);
    if (status != ZV_OK) {
        return status;
    }
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = place(c, list, before, &pieces[i]);
        *first = i == 0 ? at : *first;
        before = at;
    }
    uint64_t bytes = 0;
    for (uint32_t at = *first; at != 0; at = c->blocks[at].next) {
        enlist(c, at);
        bytes += c->blocks[at].size;
    }
    c->privates[pool / 2].segments++;
    stat_change(&c->stats, caching_stat_pool(pool), ZV_STAT_SEGMENT, 1);
    reserve_bytes(c, pool, bytes);
    return ZV_OK;
}

enum zv_status caching_seed_reservation(struct caching *c, const struct caching_seeds *seeds,
                                        uint32_t *first, struct zv_error *err)
{
    const struct caching_seed *const pieces = seeds->at;
    const size_t count = seeds->count;
    const uint32_t pool = seeds->pool;
    uint32_t list;
    const enum zv_status status = prepare(c, seeds, &list, err);
    if (status != ZV_OK) {
        return status;
    }
    const uint64_t page = (pool & 1) == 0 ? CACHING_SMALL_SEGMENT : c->config.large_segment_bytes;
    const uint64_t base = pieces[0].address;
    const uint64_t wanted = pieces[count - 1].address + pieces[count - 1].bytes - base;
    const uint64_t room = c->total_bytes + c->total_bytes / 8;
    const uint64_t size = ((room > wanted ? room : wanted) + page - 1) / page * page;
    uint32_t before = 0;
    uint64_t end = base;
    uint64_t mapped = 0;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].address != end) {
            before = place(c, list, before,
                           &(struct caching_seed){.address = end,
                                                  .bytes = pieces[i].address - end,
                                                  .state = BLOCK_UNMAPPED});
        }
        before = place(c, list, before, &pieces[i]);
        *first = i == 0 ? before : *first;
        end = pieces[i].address + pieces[i].bytes;
        mapped += pieces[i].bytes;
    }
    if (end < base + size) {
        (void)place(c, list, before,
                    &(struct caching_seed){
                        .address = end, .bytes = base + size - end, .state = BLOCK_UNMAPPED});
    }
    const uint32_t entry = c->reservation_count++;
    c->reservations[entry] =
        (struct reservation){.address = base, .size = size, .page_bytes = page};
    c->live_reservations++;
    c->privates[pool / 2].reservations++;
    for (uint32_t at = *first; at != 0; at = c->blocks[at].next) {
        c->blocks[at].reservation = entry;
        enlist(c, at);
    }
    reserve_bytes(c, pool, mapped);
    return ZV_OK;
}

void caching_free_later(struct caching *c, uint32_t at)
{
    struct block *const block = &c->blocks[at];
    const struct free_list *const list = caching_list(c, at);
    stat_free(&c->stats, caching_stat_pool(list->pool), block->size);
    caching_emit(c, ZV_ACTION_FREE_REQUESTED, block->address, block->requested, list->stream);
    if (block->size >= c->config.max_split_bytes) {
        counter_take(&c->stats.oversize_allocations, 1);
    }
    block->state = BLOCK_PENDING;
    block->generation++;
}
