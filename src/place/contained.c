#include "place/contained.h"

#include <assert.h>

/* A rank and the entry's place in its node fit one number. */
#define NO_RANK (INT32_MAX >> 4)
static_assert((uint64_t)ZV_PLACE_MAX_BLOCKS < NO_RANK, "ranks have room");
#define MAX_SIZE (INT32_MAX / 2)

/* Every bit of x followed by a zero bit. */
static uint64_t spread(uint32_t x)
{
    uint64_t bits = x;
    bits = (bits | bits << 16) & UINT64_C(0x0000FFFF0000FFFF);
    bits = (bits | bits << 8) & UINT64_C(0x00FF00FF00FF00FF);
    bits = (bits | bits << 4) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    bits = (bits | bits << 2) & UINT64_C(0x3333333333333333);
    return (bits | bits << 1) & UINT64_C(0x5555555555555555);
}

static bool make_level(struct contained_level *level, uint32_t entries, struct zv_arena *arena)
{
    level->count = (entries + CONTAINED_FAN - 1) / CONTAINED_FAN * CONTAINED_FAN;
    level->first = zv_arena_array(arena, level->count, sizeof *level->first);
    level->end = zv_arena_array(arena, level->count, sizeof *level->end);
    level->rank = zv_arena_array(arena, level->count, sizeof *level->rank);
    level->size = zv_arena_array(arena, level->count, sizeof *level->size);
    return level->first != NULL && level->end != NULL && level->rank != NULL && level->size != NULL;
}

/* What a block takes at most, wherever it begins. */
static uint64_t padded(const struct zv_place_block *block)
{
    return block->alignment > 1 ? block->bytes + block->alignment - 1 : block->bytes;
}

/* Sizes are counted so coarsely that the largest is below 2^30. */
static void measure(struct contained *set)
{
    const struct place_problem *const problem = set->problem;
    uint64_t most = 0;
    for (uint32_t i = 0; i < problem->count; i++) {
        const uint64_t bytes = padded(&problem->blocks[i]);
        most = bytes > most ? bytes : most;
    }
    while (most >> set->shift >= MAX_SIZE) {
        set->shift++;
    }
    const uint64_t up = (UINT64_C(1) << set->shift) - 1;
    for (uint32_t i = 0; i < problem->count; i++) {
        set->size[i] = (int32_t)((padded(&problem->blocks[set->block[i]]) + up) >> set->shift);
    }
}

bool contained_make(struct contained *set, struct place_problem *problem, struct zv_arena *arena)
{
    const uint32_t count = problem->count;
    *set = (struct contained){.problem = problem};
    set->entry = zv_arena_array(arena, count, sizeof *set->entry);
    set->block = zv_arena_array(arena, count, sizeof *set->block);
    set->size = zv_arena_array(arena, count, sizeof *set->size);
    if (set->entry == NULL || set->block == NULL || set->size == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct place_life life = problem->lives[i];
        problem->keys[i] = (struct place_key){spread(life.first) | spread(life.end) << 1, i};
    }
    place_sort(problem->keys, problem->spare, count);
    for (uint32_t i = 0; i < count; i++) {
        set->block[i] = problem->keys[i].index;
        set->entry[problem->keys[i].index] = i;
    }
    measure(set);
    uint32_t entries = count;
    do {
        if (!make_level(&set->levels[set->level_count], entries, arena)) {
            return false;
        }
        entries = set->levels[set->level_count++].count / CONTAINED_FAN;
    } while (entries > 1);
    return true;
}

static void clear_entry(struct contained_level *level, uint32_t at)
{
    level->first[at] = -1;
    level->end[at] = INT32_MAX;
    level->rank[at] = NO_RANK;
    level->size[at] = INT32_MAX;
}

/* Sums a node up into its entry above; false when that changed nothing. */
static bool sum_up(const struct contained_level *below, struct contained_level *above,
                   uint32_t node)
{
    const int32_t *const firsts = below->first + (size_t)node * CONTAINED_FAN;
    const int32_t *const ends = below->end + (size_t)node * CONTAINED_FAN;
    const int32_t *const ranks = below->rank + (size_t)node * CONTAINED_FAN;
    const int32_t *const sizes = below->size + (size_t)node * CONTAINED_FAN;
    int32_t first = -1;
    int32_t end = INT32_MAX;
    int32_t rank = NO_RANK;
    int32_t size = INT32_MAX;
    for (int i = 0; i < CONTAINED_FAN; i++) {
        first = firsts[i] > first ? firsts[i] : first;
    }
    for (int i = 0; i < CONTAINED_FAN; i++) {
        end = ends[i] < end ? ends[i] : end;
    }
    for (int i = 0; i < CONTAINED_FAN; i++) {
        rank = ranks[i] < rank ? ranks[i] : rank;
    }
    for (int i = 0; i < CONTAINED_FAN; i++) {
        size = sizes[i] < size ? sizes[i] : size;
    }
    const bool changed = above->first[node] != first || above->end[node] != end ||
                         above->rank[node] != rank || above->size[node] != size;
    above->first[node] = first;
    above->end[node] = end;
    above->rank[node] = rank;
    above->size[node] = size;
    return changed;
}

void contained_fill(struct contained *set, const bool *wanted)
{
    const struct place_problem *const problem = set->problem;
    for (unsigned l = 0; l < set->level_count; l++) {
        for (uint32_t i = 0; i < set->levels[l].count; i++) {
            clear_entry(&set->levels[l], i);
        }
    }
    for (uint32_t rank = 0; rank < problem->count; rank++) {
        const uint32_t block = problem->keys[rank].index;
        const uint32_t at = set->entry[block];
        if (wanted == NULL || wanted[block]) {
            set->levels[0].first[at] = (int32_t)problem->lives[block].first;
            set->levels[0].end[at] = (int32_t)problem->lives[block].end;
            set->levels[0].rank[at] = (int32_t)rank;
            set->levels[0].size[at] = set->size[at];
        }
    }
    for (unsigned l = 1; l < set->level_count; l++) {
        for (uint32_t node = 0; node < set->levels[l - 1].count / CONTAINED_FAN; node++) {
            (void)sum_up(&set->levels[l - 1], &set->levels[l], node);
        }
    }
}

/* What is asked for. */
struct wish {
    int32_t low;
    int32_t high;
    int32_t room;
};

/* The entries of a node that may hold an answer: rank and place in the node; the best of them. */
static int32_t look(const struct contained_level *level, uint32_t node, struct wish wish,
                    int32_t to[CONTAINED_FAN])
{
    const int32_t *const first = level->first + (size_t)node * CONTAINED_FAN;
    const int32_t *const end = level->end + (size_t)node * CONTAINED_FAN;
    const int32_t *const rank = level->rank + (size_t)node * CONTAINED_FAN;
    const int32_t *const size = level->size + (size_t)node * CONTAINED_FAN;
    for (int32_t i = 0; i < CONTAINED_FAN; i++) {
        const int32_t fits =
            (first[i] >= wish.low) & (end[i] <= wish.high) & (size[i] <= wish.room);
        to[i] = fits != 0 ? rank[i] * CONTAINED_FAN + i : INT32_MAX;
    }
    int32_t best = INT32_MAX;
    for (int i = 0; i < CONTAINED_FAN; i++) {
        best = to[i] < best ? to[i] : best;
    }
    return best;
}

static int32_t lowest(const int32_t ranks[CONTAINED_FAN])
{
    int32_t best = INT32_MAX;
    for (int i = 0; i < CONTAINED_FAN; i++) {
        best = ranks[i] < best ? ranks[i] : best;
    }
    return best;
}

/* Depth first, best rank first: what cannot be better than the answer so far is passed over. */
uint32_t contained_best(const struct contained *set, uint32_t low, uint32_t high, uint64_t room)
{
    const uint64_t size = room >> set->shift;
    const struct wish wish = {(int32_t)low, (int32_t)high,
                              size < MAX_SIZE ? (int32_t)size : MAX_SIZE};
    int32_t ranks[CONTAINED_LEVELS][CONTAINED_FAN];
    uint32_t nodes[CONTAINED_LEVELS] = {0};
    const unsigned top = set->level_count - 1;
    int32_t best = NO_RANK;
    uint32_t answer = CONTAINED_NONE;
    unsigned l = top;
    int32_t next = look(&set->levels[l], 0, wish, ranks[l]);
    for (;;) {
        const int32_t at = next % CONTAINED_FAN;
        if (next / CONTAINED_FAN < best && l != 0) {
            ranks[l][at] = INT32_MAX;
            const uint32_t node = nodes[l] * CONTAINED_FAN + (uint32_t)at;
            nodes[--l] = node;
            next = look(&set->levels[l], node, wish, ranks[l]);
            continue;
        }
        if (next / CONTAINED_FAN < best) {
            best = next / CONTAINED_FAN;
            answer = nodes[0] * CONTAINED_FAN + (uint32_t)at;
        }
        if (l == top) {
            return answer;
        }
        next = lowest(ranks[++l]);
    }
}

void contained_remove(struct contained *set, uint32_t entry)
{
    clear_entry(&set->levels[0], entry);
    for (unsigned l = 1; l < set->level_count; l++) {
        entry /= CONTAINED_FAN;
        if (!sum_up(&set->levels[l - 1], &set->levels[l], entry)) {
            return;
        }
    }
}
