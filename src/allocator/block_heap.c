/*
 * Pairing heaps threaded through the blocks themselves (Fredman, Sedgewick, Sleator, Tarjan, "The
 * pairing heap: a new form of self-adjusting heap", Algorithmica 1, 1986).
 */
#include "allocator/block.h"

/* A row of siblings becomes one heap: in pairs, then the pairs from the last to the first. */
static uint32_t meld_row(struct block *blocks, uint32_t at)
{
    uint32_t pairs = 0;
    while (at != 0) {
        const uint32_t second = blocks[at].sibling;
        if (second == 0) {
            blocks[at].sibling = pairs;
            pairs = at;
            break;
        }
        const uint32_t next = blocks[second].sibling;
        const uint32_t up = block_heap_meld(blocks, at, second);
        blocks[up].sibling = pairs;
        pairs = up;
        at = next;
    }
    uint32_t whole = pairs;
    at = blocks[whole].sibling;
    while (at != 0) {
        const uint32_t next = blocks[at].sibling;
        whole = block_heap_meld(blocks, whole, at);
        at = next;
    }
    blocks[whole].sibling = 0;
    return whole;
}

/* What was below the block takes its place. */
void block_heap_remove(struct block *blocks, uint32_t *root, uint32_t at)
{
    const uint32_t before = blocks[at].before;
    const uint32_t sibling = blocks[at].sibling;
    const uint32_t first = blocks[at].first;
    uint32_t instead = sibling;
    if (first != 0) {
        instead = blocks[first].sibling == 0 ? first : meld_row(blocks, first);
        blocks[instead].sibling = sibling;
        blocks[sibling].before = instead;
    }
    blocks[instead].before = before;
    if (before == 0) {
        *root = instead;
    } else if (blocks[before].first == at) {
        blocks[before].first = instead;
    } else {
        blocks[before].sibling = instead;
    }
}

uint32_t block_heap_step(struct block *blocks, uint32_t at, int side)
{
    if (side == 0) {
        return blocks[at].before;
    }
    const uint32_t first = blocks[at].first;
    if (first == 0 || blocks[first].sibling == 0) {
        return first;
    }
    const uint32_t next = meld_row(blocks, first);
    blocks[at].first = next;
    blocks[next].before = at;
    return next;
}

uint32_t block_heap_last(struct block *blocks, uint32_t root)
{
    uint32_t last = root;
    for (uint32_t at = root; at != 0; at = block_heap_step(blocks, at, 1)) {
        last = at;
    }
    return last;
}
