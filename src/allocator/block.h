/*
 * Blocks: the pieces that segments are made of, in one growing array, and the ordered trees and
 * heaps that free ones hang in.
 *
 *     segment   | allocated | free | pending | free        |     prev/next link a segment's blocks
 *     reservation | free | unmapped .......................|     in order of address
 *
 * A block is named by its index; 0 is no block. Links of block 0 are written and not read; its
 * address, size, state and children stay 0.
 */
#ifndef ZIRVE_ALLOCATOR_BLOCK_H
#define ZIRVE_ALLOCATOR_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum block_state {
    BLOCK_UNUSED, /* in the list of unused entries, linked by next */
    BLOCK_FREE,
    BLOCK_UNMAPPED, /* addresses of a reservation without memory */
    BLOCK_ALLOCATED,
    BLOCK_PENDING /* freed, but other streams may still work on it */
};

/* 64 bytes: one cache line. */
struct block {
    uint64_t address;
    uint64_t size; /* bytes, a multiple of 512 */
    union {
        uint64_t requested;          /* allocated, pending: as asked for */
        uint64_t calls_at_insertion; /* free: the pool's calls when it got there */
    };
    uint32_t prev;
    uint32_t next;
    union {
        struct { /* free, unmapped: place in a tree; alone there if all are 0 */
            uint32_t child[2];
            uint32_t parent;
        };
        struct {            /* free: place in a heap; alone there if all are 0 */
            uint32_t first; /* of those below */
            uint32_t sibling;
            uint32_t before; /* the sibling before, of a first one what it is below */
        };
        struct {             /* allocated, pending */
            uint32_t uses;   /* first of the other streams that use it, 0 = none */
            uint32_t events; /* not yet noticed as done */
        };
    };
    uint32_t list;        /* pool and stream it belongs to, for good */
    uint32_t reservation; /* it lies in, 0 = a segment of its own */
    uint32_t generation;  /* raised with every reuse of this entry */
    uint16_t bin;         /* free: of its list */
    uint8_t state;        /* enum block_state */
    int8_t balance;       /* of its tree: height of child[1] minus that of child[0] */
};

_Static_assert(sizeof(struct block) == 64, "a block is one cache line");

/* Trees of free blocks by size, then address. */
void block_tree_insert(struct block *blocks, uint32_t *root, uint32_t at);
void block_tree_remove(struct block *blocks, uint32_t *root, uint32_t at);

/* The first block of at least size bytes, 0 if none. */
uint32_t block_tree_at_least(const struct block *blocks, uint32_t root, uint64_t size);

/* Trees of unmapped blocks by address. Removal is the same. */
void block_tree_insert_by_address(struct block *blocks, uint32_t *root, uint32_t at);

/* The outermost block on a side (0 = first, 1 = last) of a tree that is not empty. */
static inline uint32_t block_tree_end(const struct block *blocks, uint32_t root, int side)
{
    while (blocks[root].child[side] != 0) {
        root = blocks[root].child[side];
    }
    return root;
}

/* The next block towards a side, 0 = none. */
uint32_t block_tree_step(const struct block *blocks, uint32_t at, int side);

/*
 * Heaps by address (block_heap.c), for blocks of one size: the root is the lowest. Adding is one
 * comparison, taking one out logarithmic time, amortised.
 *
 * block_heap_meld makes one heap of two; a may be 0 (none: address 0 counts as above all). Which
 * root is above is drawn by chance, so this does not branch on it.
 */
static inline uint32_t block_heap_meld(struct block *blocks, uint32_t a, uint32_t b)
{
    const uint32_t is_below = blocks[b].address <= blocks[a].address - 1;
    const uint32_t swap = (a ^ b) & (0U - is_below);
    const uint32_t up = a ^ swap;
    const uint32_t down = b ^ swap;
    const uint32_t first = blocks[up].first;
    blocks[down].sibling = first;
    blocks[down].before = up;
    blocks[first].before = down; /* block 0 takes this when there is none */
    blocks[up].first = down;
    return up;
}

static inline void block_heap_insert(struct block *blocks, uint32_t *root, uint32_t at)
{
    blocks[at].first = 0;
    blocks[at].sibling = 0;
    blocks[at].before = 0;
    *root = block_heap_meld(blocks, *root, at);
}

void block_heap_remove(struct block *blocks, uint32_t *root, uint32_t at);

/*
 * The next block towards a side, 0 if none. Upwards this puts what is below `at` in order, so `at`
 * must be the root or what a step from there returned; downwards too.
 */
uint32_t block_heap_step(struct block *blocks, uint32_t at, int side);
/* The last block; puts the whole heap in order. */
uint32_t block_heap_last(struct block *blocks, uint32_t root);

static inline bool block_is_split(const struct block *block)
{
    return (block->prev | block->next) != 0;
}

/* Free for use or for mapping: nobody holds it and nobody waits for it. */
static inline bool block_is_available(const struct block *block)
{
    return block->state == BLOCK_FREE || block->state == BLOCK_UNMAPPED;
}

#endif
