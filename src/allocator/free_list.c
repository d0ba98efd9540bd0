#include "allocator/free_list.h"

/* The lowest bit set above `at`, -1 if none. */
static int bit_above(uint64_t bits, unsigned at)
{
    const uint64_t above = at == 63 ? 0 : bits & (UINT64_MAX << (at + 1));
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

uint32_t free_list_beyond(const struct block *blocks, const struct free_list *list, uint32_t bin,
                          int side)
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
    return block_tree_end(blocks, list->roots[word * 64 + (uint32_t)bit], !side);
}

uint32_t free_list_end(const struct block *blocks, const struct free_list *list, int side)
{
    const uint32_t bin = side ? FREE_LIST_BINS - 1 : 0;
    return list->roots[bin] != 0 ? block_tree_end(blocks, list->roots[bin], side)
                                 : free_list_beyond(blocks, list, bin, !side);
}

uint32_t free_list_step(const struct block *blocks, const struct free_list *list, uint32_t at,
                        int side)
{
    const uint32_t beside = block_tree_step(blocks, at, side);
    return beside != 0 ? beside : free_list_beyond(blocks, list, blocks[at].bin, side);
}
