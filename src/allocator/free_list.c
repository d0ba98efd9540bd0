#include "allocator/free_list.h"

struct bin {
    unsigned octave;
    unsigned index;
};

static struct bin bin_of(uint64_t size)
{
    const uint64_t units = size >> FREE_LIST_UNIT_SHIFT;
    if (units < FREE_LIST_BINS) {
        return (struct bin){0, (unsigned)units};
    }
    const unsigned octave = 58 - (unsigned)__builtin_clzll(units); /* floor(log2(units)) - 5 */
    return (struct bin){octave, (unsigned)(units >> (octave - 1)) & (FREE_LIST_BINS - 1)};
}

void free_list_insert(struct block *blocks, struct free_list *list, uint32_t at)
{
    const struct bin bin = bin_of(blocks[at].size);
    list->octaves |= UINT64_C(1) << bin.octave;
    list->bins[bin.octave] |= UINT64_C(1) << bin.index;
    list->count++;
    block_tree_insert(blocks, &list->roots[bin.octave][bin.index], at);
}

void free_list_remove(struct block *blocks, struct free_list *list, uint32_t at)
{
    const struct bin bin = bin_of(blocks[at].size);
    uint32_t *const root = &list->roots[bin.octave][bin.index];
    list->count--;
    block_tree_remove(blocks, root, at);
    if (*root == 0) {
        list->bins[bin.octave] &= ~(UINT64_C(1) << bin.index);
        if (list->bins[bin.octave] == 0) {
            list->octaves &= ~(UINT64_C(1) << bin.octave);
        }
    }
}

/* Bits above at, then the lowest of them; -1 if none. */
static int next_above(uint64_t bits, unsigned at)
{
    const uint64_t above = at == 63 ? 0 : bits & (UINT64_MAX << (at + 1));
    return above == 0 ? -1 : __builtin_ctzll(above);
}

static int next_below(uint64_t bits, unsigned at)
{
    const uint64_t below = bits & ((UINT64_C(1) << at) - 1);
    return below == 0 ? -1 : 63 - __builtin_clzll(below);
}

static uint32_t first_after(const struct block *blocks, const struct free_list *list,
                            struct bin bin)
{
    int octave = (int)bin.octave;
    int index = next_above(list->bins[octave], bin.index);
    if (index < 0) {
        octave = next_above(list->octaves, bin.octave);
        if (octave < 0) {
            return 0;
        }
        index = __builtin_ctzll(list->bins[octave]);
    }
    return block_tree_end(blocks, list->roots[octave][index], 0);
}

static uint32_t last_before(const struct block *blocks, const struct free_list *list,
                            struct bin bin)
{
    int octave = (int)bin.octave;
    int index = next_below(list->bins[octave], bin.index);
    if (index < 0) {
        octave = next_below(list->octaves, bin.octave);
        if (octave < 0) {
            return 0;
        }
        index = 63 - __builtin_clzll(list->bins[octave]);
    }
    return block_tree_end(blocks, list->roots[octave][index], 1);
}

uint32_t free_list_at_least(const struct block *blocks, const struct free_list *list, uint64_t size)
{
    const struct bin bin = bin_of(size);
    const uint32_t found = block_tree_at_least(blocks, list->roots[bin.octave][bin.index], size);
    return found != 0 ? found : first_after(blocks, list, bin);
}

uint32_t free_list_end(const struct block *blocks, const struct free_list *list, int side)
{
    if (list->octaves == 0) {
        return 0;
    }
    const int octave = side ? 63 - __builtin_clzll(list->octaves) : __builtin_ctzll(list->octaves);
    const uint64_t bits = list->bins[octave];
    const int index = side ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits);
    return block_tree_end(blocks, list->roots[octave][index], side);
}

uint32_t free_list_step(const struct block *blocks, const struct free_list *list, uint32_t at,
                        int side)
{
    const uint32_t beside = block_tree_step(blocks, at, side);
    if (beside != 0) {
        return beside;
    }
    const struct bin bin = bin_of(blocks[at].size);
    return side ? first_after(blocks, list, bin) : last_before(blocks, list, bin);
}
