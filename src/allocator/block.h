/*
 * Blocks: the pieces that segments are made of, in one growing array, and the ordered trees that
 * free ones hang in.
 *
 *     segment   | allocated | free | pending | free        |     prev/next link a segment's blocks
 *     reservation | free | unmapped .......................|     in order of address
 *
 * A block is named by its index; 0 is no block, and what is written there is never read as a block.
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
        struct { /* free, unmapped: place in a tree */
            uint32_t child[2];
            uint32_t parent;
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

/* A first block into an empty tree. */
static inline void block_tree_plant(struct block *blocks, uint32_t *root, uint32_t at)
{
    *root = at;
    blocks[at].child[0] = 0;
    blocks[at].child[1] = 0;
    blocks[at].parent = 0;
    blocks[at].balance = 0;
}

/* The first block of at least size bytes, 0 if none. */
uint32_t block_tree_at_least(const struct block *blocks, uint32_t root, uint64_t size);

/* Trees of unmapped blocks by address. Removal is the same. */
void block_tree_insert_by_address(struct block *blocks, uint32_t *root, uint32_t at);

/* The outermost block on a side (0 = first, 1 = last), and the next one towards a side; 0 = none.
 */
uint32_t block_tree_end(const struct block *blocks, uint32_t root, int side);
uint32_t block_tree_step(const struct block *blocks, uint32_t at, int side);

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
