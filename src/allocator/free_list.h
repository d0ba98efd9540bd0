/*
 * The free blocks of one pool and stream in PyTorch's order: by size, then by address.
 *
 *     size in units of 512 bytes    0 .. 255   256 .. 511   512,514 .. 1022   1024,1028 ..
 *     bin                           0 .. 255   256 .. 511   512 .. 767        768 ..
 *                                   |                       |
 *                                   heap by address         tree by size and address
 *
 * A bin holds sizes that agree in their nine leading bits. Below 256 KiB that is one size, of which
 * only the lowest address is ever asked for: a heap, since there may be thousands. Above, a bin
 * rarely has more than a few blocks, and is a balanced tree when it has. Two levels of bitmaps find
 * the first bin above another that has something. Finding, adding and removing take a few steps
 * whatever the number of blocks, and never more than logarithmic time (of heaps: amortised).
 */
#ifndef ZIRVE_ALLOCATOR_FREE_LIST_H
#define ZIRVE_ALLOCATOR_FREE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "allocator/block.h"

enum {
    FREE_LIST_UNIT_BITS = 9,
    FREE_LIST_OCTAVE_BITS = 8,                    /* bins to an octave: 2^8 */
    FREE_LIST_OCTAVES = 34,                       /* sizes below 2^(9 + 8 + 33) = 2^50 bytes */
    FREE_LIST_HEAPS = 2 << FREE_LIST_OCTAVE_BITS, /* bins below this have one size */
    FREE_LIST_BINS = FREE_LIST_OCTAVES << FREE_LIST_OCTAVE_BITS,
    FREE_LIST_WORDS = FREE_LIST_BINS / 64,
    FREE_LIST_TOP_WORDS = (FREE_LIST_WORDS + 63) / 64
};

#define FREE_LIST_END_BYTES (UINT64_C(1) << 50) /* sizes are below this */

struct free_list {
    uint64_t stream;
    uint32_t stream_index;
    uint32_t pool;
    uint32_t kind;                      /* of pool: an enum zv_stat_pool */
    uint32_t unmapped;                  /* root of the unmapped blocks, by address */
    bool no_split;                      /* of a private pool: blocks are handed out whole */
    uint64_t top[FREE_LIST_TOP_WORDS];  /* bit w: words[w] is not 0 */
    uint64_t words[FREE_LIST_WORDS];    /* bit b of word w: bin 64 w + b is not empty */
    uint32_t roots[FREE_LIST_BINS + 1]; /* 0: empty, as the last one always is */
};

static inline uint32_t free_list_bin(uint64_t size)
{
    const uint64_t units = size >> FREE_LIST_UNIT_BITS;
    const unsigned bits = 63 ^ (unsigned)__builtin_clzll(units | 1U << FREE_LIST_OCTAVE_BITS);
    const unsigned shift = bits - FREE_LIST_OCTAVE_BITS; /* 0 for the first two octaves */
    return (shift << FREE_LIST_OCTAVE_BITS) + (uint32_t)(units >> shift);
}

/* All bits set, or none: branches on this alone would be taken at random. */
static inline uint32_t free_list_is_tree(uint32_t bin)
{
    return 0U - (uint32_t)(bin >= FREE_LIST_HEAPS);
}

/* What is not usual: into a tree that is not empty, out of the middle of a tree or heap. */
void free_list_insert_below(struct block *blocks, struct free_list *list, uint32_t at);
void free_list_remove_below(struct block *blocks, struct free_list *list, uint32_t at);

/*
 * Insert, remove and at_least are on the path of every event, and what they find is as good as
 * drawn by chance: they branch on what is rare only. An empty bin has root 0; block 0 has address 0
 * and no children.
 */
static inline void free_list_insert(struct block *blocks, struct free_list *list, uint32_t at)
{
    const uint32_t bin = free_list_bin(blocks[at].size);
    const uint32_t root = list->roots[bin];
    blocks[at].bin = (uint16_t)bin;
    const uint64_t bits = list->words[bin / 64];
    list->words[bin / 64] = bits | UINT64_C(1) << (bin % 64);
    if (bits == 0) {
        list->top[bin / 4096] |= UINT64_C(1) << (bin / 64 % 64);
    }
    blocks[at].balance = 0;
    if ((root & free_list_is_tree(bin)) != 0) {
        free_list_insert_below(blocks, list, at);
    } else {
        block_heap_insert(blocks, &list->roots[bin], at); /* one block is a heap and a tree */
    }
}

static inline void free_list_remove(struct block *blocks, struct free_list *list, uint32_t at)
{
    const uint32_t bin = blocks[at].bin;
    const uint32_t first = blocks[at].child[0];
    if ((blocks[at].parent | blocks[at].child[1] | blocks[first].child[1]) != 0) {
        free_list_remove_below(blocks, list, at);
        return;
    }
    /* alone, or above one: that takes its place, in a tree (it is a leaf) as in a heap */
    blocks[first].parent = 0;
    list->roots[bin] = first;
    list->words[bin / 64] &= ~((uint64_t)(first == 0) << (bin % 64));
    if (list->words[bin / 64] == 0) {
        list->top[bin / 4096] &= ~(UINT64_C(1) << (bin / 64 % 64));
    }
}

/* The first bin of the words above that is not empty, FREE_LIST_BINS if none. */
uint32_t free_list_bin_above(const struct free_list *list, uint32_t word);

/* The first bin from this one on that is not empty, FREE_LIST_BINS if none. */
static inline uint32_t free_list_bin_from(const struct free_list *list, uint32_t bin)
{
    const uint64_t bits = list->words[bin / 64] >> (bin % 64);
    return bits != 0 ? bin + (uint32_t)__builtin_ctzll(bits) : free_list_bin_above(list, bin / 64);
}

/* The first block of at least size bytes in this bin, which has a tree, or above; 0 if none. */
uint32_t free_list_search(const struct block *blocks, const struct free_list *list, uint32_t bin,
                          uint64_t size);

/*
 * The smallest free block of at least size bytes (a multiple of 512, below FREE_LIST_END_BYTES),
 * lowest address first; 0 if none.
 */
static inline uint32_t free_list_at_least(const struct block *blocks, const struct free_list *list,
                                          uint64_t size)
{
    const uint32_t bin = free_list_bin(size);
    const uint32_t found = free_list_bin_from(list, bin);
    const uint32_t root = list->roots[found];
    if (((blocks[root].child[0] | (uint32_t)(found == bin)) & free_list_is_tree(found)) != 0) {
        return free_list_search(blocks, list, found, size);
    }
    return root; /* of a heap, or of a tree with nothing before it and nothing too small */
}

/*
 * First (0) or last (1) block, and the next one towards a side; 0 if none. Steps start from what
 * one of these functions returned, and put blocks of one size in order as they go; between them,
 * blocks may be removed but not added.
 */
uint32_t free_list_end(struct block *blocks, const struct free_list *list, int side);
uint32_t free_list_step(struct block *blocks, const struct free_list *list, uint32_t at, int side);

#endif
