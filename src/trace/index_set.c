#include "trace/index_set.h"

#include <string.h>

#include "base/memory.h"

enum { BITS = 64, SHIFT = 6 };

bool index_set_open(struct index_set *set, size_t count)
{
    size_t words[INDEX_SET_LEVELS] = {0};
    size_t total = 0;
    *set = (struct index_set){0};
    do {
        count = (count + BITS - 1) / BITS;
        count = count == 0 ? 1 : count;
        words[set->level_count++] = count;
        total += count;
    } while (count > 1 && set->level_count < INDEX_SET_LEVELS);
    uint64_t *const all = zv_memory_alloc(total * sizeof *all);
    if (all == NULL) {
        return false;
    }
    memset(all, 0, total * sizeof *all);
    size_t used = 0;
    for (unsigned i = 0; i < set->level_count; i++) {
        set->levels[i] = all + used;
        used += words[i];
    }
    return true;
}

void index_set_free(struct index_set *set)
{
    zv_memory_free(set->levels[0]);
    *set = (struct index_set){0};
}

static uint64_t bit_of(size_t index)
{
    return UINT64_C(1) << (index % BITS);
}

void index_set_add(struct index_set *set, size_t index)
{
    for (unsigned i = 0; i < set->level_count; i++) {
        set->levels[i][index / BITS] |= bit_of(index);
        index >>= SHIFT;
    }
}

void index_set_remove(struct index_set *set, size_t index)
{
    uint64_t left = 0;
    for (unsigned i = 0; i < set->level_count && left == 0; i++) {
        left = set->levels[i][index / BITS] &= ~bit_of(index);
        index >>= SHIFT;
    }
}

/* From a member of a level down to its first (or last) index. */
static size_t descend(const struct index_set *set, unsigned level, size_t at, bool last)
{
    while (level != 0) {
        const uint64_t word = set->levels[--level][at];
        at =
            at << SHIFT | (size_t)(last ? BITS - 1 - __builtin_clzll(word) : __builtin_ctzll(word));
    }
    return at;
}

size_t index_set_above(const struct index_set *set, size_t index)
{
    for (unsigned i = 0; i < set->level_count; i++) {
        const uint64_t above =
            set->levels[i][index / BITS] & ~(bit_of(index) | (bit_of(index) - 1));
        if (above != 0) {
            return descend(set, i, index / BITS * BITS + (size_t)__builtin_ctzll(above), false);
        }
        index >>= SHIFT;
    }
    return INDEX_SET_NONE;
}

size_t index_set_at_or_below(const struct index_set *set, size_t index)
{
    for (unsigned i = 0; i < set->level_count; i++) {
        const uint64_t below = bit_of(index) - 1;
        /* the index itself is looked at once, its word's neighbours on the levels above are not */
        const uint64_t found =
            set->levels[i][index / BITS] & (i == 0 ? below | bit_of(index) : below);
        if (found != 0) {
            const size_t top = BITS - 1 - (size_t)__builtin_clzll(found);
            return descend(set, i, index / BITS * BITS + top, true);
        }
        index >>= SHIFT;
    }
    return INDEX_SET_NONE;
}
