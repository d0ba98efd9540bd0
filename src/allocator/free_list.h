/*
 * The free blocks of one pool and stream in PyTorch's order: by size, then by address.
 *
 *     size in units of 512 bytes    0 .. 255   256 .. 511   512,514 .. 1022   1024,1028 ..
 *     bin                           0 .. 255   256 .. 511   512 .. 767        768 ..
 *                                       |
 *                                       tree by size and address
 *
 * A bin holds sizes that agree in their nine leading bits (below 256 KiB: one size), so it rarely
 * has more than a few blocks, and is a balanced tree when it has. Two levels of bitmaps find the
 * first bin above another that has something. Finding, adding and removing take a few steps
 * whatever the number of blocks, and never more than logarithmic time.
 */
#ifndef ZIRVE_ALLOCATOR_FREE_LIST_H
#define ZIRVE_ALLOCATOR_FREE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "allocator/block.h"

enum {
    FREE_LIST_UNIT_BITS = 9,
    FREE_LIST_OCTAVE_BITS = 8, /* bins to an octave: 2^8 */
    FREE_LIST_OCTAVES = 34,    /* sizes below 2^(9 + 8 + 33) = 2^50 bytes */
    FREE_LIST_BINS = FREE_LIST_OCTAVES << FREE_LIST_OCTAVE_BITS,
    FREE_LIST_WORDS = FREE_LIST_BINS / 64,
    FREE_LIST_TOP_WORDS = (FREE_LIST_WORDS + 63) / 64
};

#define FREE_LIST_END_BYTES (UINT64_C(1) << 50) /* sizes are below this */

struct free_list {
    uint64_t stream;
    uint32_t stream_index;
    uint32_t pool;
    bool no_split;                     /* of a private pool: blocks are handed out whole */
    uint32_t unmapped;                 /* root of the unmapped blocks, by address */
    uint64_t count;                    /* free blocks */
    uint64_t top[FREE_LIST_TOP_WORDS]; /* bit w: words[w] is not 0 */
    uint64_t words[FREE_LIST_WORDS];   /* bit b of word w: bin 64 w + b is not empty */
    uint32_t roots[FREE_LIST_BINS];
};

static inline uint32_t free_list_bin(uint64_t size)
{
    enum { OCTAVE = 1U << FREE_LIST_OCTAVE_BITS };
    const uint64_t units = size >> FREE_LIST_UNIT_BITS;
    const unsigned bits = 63 - (unsigned)__builtin_clzll(units | (OCTAVE - 1));
    const unsigned octave = bits - (FREE_LIST_OCTAVE_BITS - 1); /* 0 for the first 2^8 units */
    const unsigned shift = octave - (octave != 0);
    return (octave << FREE_LIST_OCTAVE_BITS) + ((uint32_t)(units >> shift) & (OCTAVE - 1));
}

static inline void free_list_insert(struct block *blocks, struct free_list *list, uint32_t at)
{
    const uint32_t bin = free_list_bin(blocks[at].size);
    blocks[at].bin = (uint16_t)bin;
    list->count++;
    if (list->roots[bin] != 0) {
        block_tree_insert(blocks, &list->roots[bin], at);
        return;
    }
    block_tree_plant(blocks, &list->roots[bin], at);
    list->words[bin / 64] |= UINT64_C(1) << (bin % 64);
    list->top[bin / 4096] |= UINT64_C(1) << (bin / 64 % 64);
}

static inline void free_list_remove(struct block *blocks, struct free_list *list, uint32_t at)
{
    const uint32_t bin = blocks[at].bin;
    list->count--;
    if ((blocks[at].parent | blocks[at].child[0] | blocks[at].child[1]) != 0) {
        block_tree_remove(blocks, &list->roots[bin], at);
        return;
    }
    list->roots[bin] = 0; /* it was alone */
    list->words[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
    if (list->words[bin / 64] == 0) {
        list->top[bin / 4096] &= ~(UINT64_C(1) << (bin / 64 % 64));
    }
}

/* The first block (side 1) of the bins above, or the last one (0) of those below; 0 if none. */
uint32_t free_list_beyond(const struct block *blocks, const struct free_list *list, uint32_t bin,
                          int side);

/* The smallest free block of at least size bytes (below FREE_LIST_END_BYTES), lowest address
 * first; 0 if none. */
static inline uint32_t free_list_at_least(const struct block *blocks, const struct free_list *list,
                                          uint64_t size)
{
    const uint32_t bin = free_list_bin(size);
    const uint32_t root = list->roots[bin];
    const uint32_t found = root == 0 ? 0 : block_tree_at_least(blocks, root, size);
    return found != 0 ? found : free_list_beyond(blocks, list, bin, 1);
}

/* First (0) or last (1) block, and the next one towards a side; 0 if none. */
uint32_t free_list_end(const struct block *blocks, const struct free_list *list, int side);
uint32_t free_list_step(const struct block *blocks, const struct free_list *list, uint32_t at,
                        int side);

#endif
