#include "allocator/free_list.h"

/* The lowest bit set above `at`, -1 if none. */
static int bit_above(uint64_t bits, unsigned at)
{
    const uint64_t above = bits & (UINT64_MAX - 1) << at;
    return above == 0 ? -1 : __builtin_ctzll(above);
}

/* The highest bit set below `at`, -1 if none. */
static int bit_below(uint64_t bits, unsigned at)
{
    const uint64_t below = bits & ((UINT64_C(1) << at) - 1);
    return below == 0 ? -1 : 63 - __builtin_clzll(below);
}

/* The next word towards a side that is not 0, by the top level; UINT32_MAX if none. */
static uint32_t next_word(const struct free_list *list, uint32_t word, int side)
{
    uint32_t top = word / 64;
    int bit = side ? bit_above(list->top[top], word % 64) : bit_below(list->top[top], word % 64);
    while (bit < 0) {
        top += side ? 1U : UINT32_MAX;
        if (top >= FREE_LIST_TOP_WORDS) {
            return UINT32_MAX;
        }
        const uint64_t bits = list->top[top];
        if (bits != 0) {
            bit = side ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits);
        }
    }
    return top * 64 + (uint32_t)bit;
}

void free_list_insert_below(struct block *blocks, struct free_list *list, uint32_t at)
{
    block_tree_insert(blocks, &list->roots[blocks[at].bin], at);
}

void free_list_remove_below(struct block *blocks, struct free_list *list, uint32_t at)
{
    const uint32_t bin = blocks[at].bin;
    if (bin < FREE_LIST_HEAPS) {
        block_heap_remove(blocks, &list->roots[bin], at);
    } else {
        block_tree_remove(blocks, &list->roots[bin], at);
    }
}

uint32_t free_list_bin_above(const struct free_list *list, uint32_t word)
{
    const uint32_t next = next_word(list, word, 1);
    return next == UINT32_MAX ? FREE_LIST_BINS
                              : next * 64 + (uint32_t)__builtin_ctzll(list->words[next]);
}

uint32_t free_list_search(const struct block *blocks, const struct free_list *list, uint32_t bin,
                          uint64_t size)
{
    const uint32_t found = block_tree_at_least(blocks, list->roots[bin], size);
    if (found != 0 || bin + 1 >= FREE_LIST_BINS) {
        return found;
    }
    const uint32_t above = free_list_bin_from(list, bin + 1);
    return block_tree_at_least(blocks, list->roots[above], size);
}

/* The first (0) or last (1) block of a bin that is not empty. */
static uint32_t bin_end(struct block *blocks, const struct free_list *list, uint32_t bin, int side)
{
    const uint32_t root = list->roots[bin];
    if (bin >= FREE_LIST_HEAPS) {
        return block_tree_end(blocks, root, side);
    }
    return side == 0 ? root : block_heap_last(blocks, root);
}

/* The first block (side 1) of the bins above, or the last one (0) of those below; 0 if none. */
static uint32_t beyond(struct block *blocks, const struct free_list *list, uint32_t bin, int side)
{
    uint32_t word = bin / 64;
    int bit =
        side ? bit_above(list->words[word], bin % 64) : bit_below(list->words[word], bin % 64);
    if (bit < 0) {
        word = next_word(list, word, side);
        if (word == UINT32_MAX) {
            return 0;
        }
        const uint64_t bits = list->words[word];
        bit = side ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits);
    }
    return bin_end(blocks, list, word * 64 + (uint32_t)bit, !side);
}

uint32_t free_list_end(struct block *blocks, const struct free_list *list, int side)
{
    const uint32_t bin = side ? FREE_LIST_BINS - 1 : 0;
    return list->roots[bin] != 0 ? bin_end(blocks, list, bin, side)
                                 : beyond(blocks, list, bin, !side);
}

uint32_t free_list_step(struct block *blocks, const struct free_list *list, uint32_t at, int side)
{
    const uint32_t bin = blocks[at].bin;
    const uint32_t beside = bin < FREE_LIST_HEAPS ? block_heap_step(blocks, at, side)
                                                  : block_tree_step(blocks, at, side);
    return beside != 0 ? beside : beyond(blocks, list, bin, side);
}
