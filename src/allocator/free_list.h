/*
 * The free blocks of one pool and stream in PyTorch's order: by size, then by address.
 *
 *     octave   0          1            2                ...    sizes in units of 512 bytes
 *     bins     0 .. 63    64 .. 127    128,130 .. 254   ...    64 bins to an octave
 *                  |
 *                  tree by size and address
 *
 * Bitmaps find the first bin that has something; a bin is a tree of few blocks (below 64 KiB all
 * of one size). Finding, adding and removing take a few steps whatever the number of blocks, and
 * never more than logarithmic time.
 */
#ifndef ZIRVE_ALLOCATOR_FREE_LIST_H
#define ZIRVE_ALLOCATOR_FREE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "allocator/block.h"

enum { FREE_LIST_BINS = 64, FREE_LIST_OCTAVES = 36, FREE_LIST_UNIT_SHIFT = 9 };

/* Largest size: 2^(35 + 5 + 9 + 1) bytes less one unit, above any reservation of a 2^48 card. */
struct free_list {
    uint64_t stream;
    uint32_t stream_index;
    uint32_t pool;
    uint32_t unmapped; /* root of the unmapped blocks, by address */
    uint32_t waiting;  /* blocks of this list that are allocated or pending */
    uint64_t count;    /* free blocks */
    uint64_t octaves;  /* bit o: some bin of octave o is not empty */
    uint64_t bins[FREE_LIST_OCTAVES];
    uint32_t roots[FREE_LIST_OCTAVES][FREE_LIST_BINS];
};

void free_list_insert(struct block *blocks, struct free_list *list, uint32_t at);
void free_list_remove(struct block *blocks, struct free_list *list, uint32_t at);

/* The smallest free block of at least size bytes, lowest address first; 0 if none. */
uint32_t free_list_at_least(const struct block *blocks, const struct free_list *list,
                            uint64_t size);

/* First (0) or last (1) block, and the next one towards a side; 0 if none. */
uint32_t free_list_end(const struct block *blocks, const struct free_list *list, int side);
uint32_t free_list_step(const struct block *blocks, const struct free_list *list, uint32_t at,
                        int side);

#endif
