/*
 * Expandable segments: addresses are reserved for more than the whole card at once, and pages are
 * mapped and unmapped behind them as needed.
 *
 *     | allocated | free | unmapped ................................... |
 *                  <-----> a request starts in the free part and maps just what it lacks
 */
#include "allocator/caching.h"
#include "base/checked.h"

/* A new reservation for the list as one unmapped block; 0 when the driver has no addresses. */
static uint32_t reserve_addresses(struct caching *c, uint32_t list_index)
{
    struct free_list *const list = c->lists[list_index];
    const uint64_t page =
        c->pools[list->pool].is_small ? CACHING_SMALL_SEGMENT : c->config.large_segment_bytes;
    const uint64_t wanted = c->total_bytes + c->total_bytes / 8;
    const uint64_t size = (wanted + page - 1) / page * page;
    const uint64_t address = c->driver.reserve(c->driver.context, size);
    if (address == 0) {
        return 0;
    }
    uint32_t entry = 1;
    while (entry < c->reservation_count && c->reservations[entry].page_bytes != 0) {
        entry++;
    }
    c->reservation_count += entry == c->reservation_count;
    c->reservations[entry] =
        (struct reservation){.address = address, .size = size, .page_bytes = page};
    c->live_reservations++;
    c->privates[list->pool / 2].reservations++;
    const uint32_t at = caching_take_block(c);
    c->blocks[at] = (struct block){.address = address,
                                   .size = size,
                                   .list = list_index,
                                   .reservation = entry,
                                   .generation = c->blocks[at].generation,
                                   .state = BLOCK_UNMAPPED};
    block_tree_insert_by_address(c->blocks, &list->unmapped, at);
    return at;
}

/* Whether size bytes can be had from at on, in free and unmapped blocks. */
static bool has_space(const struct block *blocks, uint32_t at, uint64_t size)
{
    uint64_t bytes = 0;
    while (at != 0 && bytes < size && block_is_available(&blocks[at])) {
        bytes += blocks[at].size;
        at = blocks[at].next;
    }
    return bytes >= size;
}

/* Where a request can start: a free block before unmapped ones, or an unmapped block. */
static uint32_t find_space(struct caching *c, const struct request *request)
{
    const struct block *const blocks = c->blocks;
    const struct free_list *const list = c->lists[request->list];
    uint32_t at = list->unmapped == 0 ? 0 : block_tree_end(blocks, list->unmapped, 0);
    for (; at != 0; at = block_tree_step(blocks, at, 1)) {
        const uint32_t prev = blocks[at].prev;
        const uint32_t start = prev != 0 && block_is_available(&blocks[prev]) ? prev : at;
        if (has_space(blocks, start, request->size)) {
            return start;
        }
    }
    return reserve_addresses(c, request->list);
}

/*
 * Maps the pages under the first `wanted` bytes of an unmapped block, which becomes free and takes
 * its free neighbours in. False when the card has no room; nothing changed then.
 */
static bool map_front(struct caching *c, uint32_t at, uint64_t wanted)
{
    struct free_list *const list = caching_list(c, at);
    struct block *const block = &c->blocks[at];
    const uint64_t page = c->reservations[block->reservation].page_bytes;
    const uint64_t pages = (wanted + page - 1) / page;
    const uint64_t address = block->address;
    const uint64_t size = pages * page;
    if (!c->driver.map(c->driver.context, address, page, pages)) {
        return false;
    }
    block_tree_remove(c->blocks, &list->unmapped, at);
    block->state = BLOCK_FREE;
    if (size < block->size) {
        const uint32_t rest = caching_take_block(c);
        c->blocks[rest] = (struct block){.address = address + size,
                                         .size = block->size - size,
                                         .prev = at,
                                         .next = block->next,
                                         .list = block->list,
                                         .reservation = block->reservation,
                                         .generation = c->blocks[rest].generation,
                                         .state = BLOCK_UNMAPPED};
        c->blocks[block->next].prev = rest;
        block->next = rest;
        block->size = size;
        block_tree_insert_by_address(c->blocks, &list->unmapped, rest);
    }
    (void)caching_merge(c, list, at, 0, BLOCK_FREE);
    (void)caching_merge(c, list, at, 1, BLOCK_FREE);
    caching_insert(c, list, at);
    c->reserved_bytes += size;
    caching_count_reserved(c, list->pool, (int64_t)size);
    c->stats.num_device_alloc++;
    caching_emit(c, ZV_ACTION_SEGMENT_MAP, address, size, list->stream);
    return true;
}

uint32_t caching_expand(struct caching *c, const struct request *request)
{
    uint32_t at = find_space(c, request);
    if (at == 0) {
        return 0;
    }
    if (c->blocks[at].state == BLOCK_UNMAPPED &&
        !map_front(c, at, zv_smaller(c->blocks[at].size, request->size))) {
        return 0;
    }
    while (c->blocks[at].size < request->size) {
        const uint64_t missing = request->size - c->blocks[at].size;
        const uint32_t next = c->blocks[at].next;
        if (next == 0 || c->blocks[next].state != BLOCK_UNMAPPED ||
            !map_front(c, next, zv_smaller(missing, c->blocks[next].size))) {
            return 0; /* what was mapped so far stays */
        }
        at = next; /* it took the free block before it in */
    }
    free_list_remove(c->blocks, caching_list(c, at), at);
    return at;
}

/* A free block for a part of block `at` that keeps its pages, linked on a side of it. */
static void keep_part(struct caching *c, uint32_t at, uint64_t address, uint64_t size, int side)
{
    const uint32_t part = caching_take_block(c);
    struct block *const block = &c->blocks[at];
    c->blocks[part] = (struct block){.address = address,
                                     .size = size,
                                     .prev = side == 0 ? block->prev : at,
                                     .next = side == 0 ? at : block->next,
                                     .list = block->list,
                                     .reservation = block->reservation,
                                     .generation = c->blocks[part].generation};
    if (side == 0) {
        c->blocks[block->prev].next = part;
        block->prev = part;
    } else {
        c->blocks[block->next].prev = part;
        block->next = part;
    }
    caching_insert(c, caching_list(c, at), part);
}

/* A reservation of which nothing is mapped any more. */
static void release_addresses(struct caching *c, uint32_t at)
{
    struct free_list *const list = caching_list(c, at);
    struct reservation *const reservation = &c->reservations[c->blocks[at].reservation];
    c->driver.unreserve(c->driver.context, reservation->address, reservation->size);
    *reservation = (struct reservation){0};
    c->live_reservations--;
    c->privates[list->pool / 2].reservations--;
    block_tree_remove(c->blocks, &list->unmapped, at);
    caching_drop_block(c, at);
}

void caching_unmap(struct caching *c, uint32_t at)
{
    struct free_list *const list = caching_list(c, at);
    struct block *const block = &c->blocks[at];
    const uint64_t base = c->reservations[block->reservation].address;
    const uint64_t page = c->reservations[block->reservation].page_bytes;
    const uint64_t end = block->address + block->size;
    const uint64_t first = base + (block->address - base + page - 1) / page * page;
    const uint64_t last = base + (end - base) / page * page;
    if (first >= last) {
        return; /* no whole page */
    }
    c->driver.unmap(c->driver.context, first, page, (last - first) / page, list->stream);
    free_list_remove(c->blocks, list, at);
    if (first > block->address) {
        keep_part(c, at, block->address, first - block->address, 0);
    }
    if (end > last) {
        keep_part(c, at, last, end - last, 1);
    }
    const uint64_t size = last - first;
    block->address = first;
    block->size = size;
    block->state = BLOCK_UNMAPPED;
    (void)caching_merge(c, list, at, 0, BLOCK_UNMAPPED);
    (void)caching_merge(c, list, at, 1, BLOCK_UNMAPPED);
    block_tree_insert_by_address(c->blocks, &list->unmapped, at);
    c->reserved_bytes -= size;
    caching_count_reserved(c, list->pool, -(int64_t)size);
    c->stats.num_device_free++;
    caching_emit(c, ZV_ACTION_SEGMENT_UNMAP, first, size, list->stream);
    if (!block_is_split(block)) {
        release_addresses(c, at);
    }
}
