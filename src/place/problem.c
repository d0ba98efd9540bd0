#include "place/problem.h"

#include "base/checked.h"
#include "base/fail.h"

/* ---- checks ---- */

static enum zv_status check_block(const struct zv_place_block *block, size_t index, uint64_t *total,
                                  struct zv_error *err)
{
    if (block->death <= block->birth) {
        return zv_fail(err, ZV_E_SYNTAX,
                       "block %zu: its life ends at %llu, before it starts at %llu", index,
                       (unsigned long long)block->death, (unsigned long long)block->birth);
    }
    if (block->bytes == 0) {
        return zv_fail(err, ZV_E_SYNTAX, "block %zu: 0 bytes", index);
    }
    uint64_t end = 0;
    if (!zv_add(*total, block->bytes, total) || !zv_add(*total, block->alignment, total) ||
        *total > ZV_PLACE_MAX_BYTES ||
        (block->fixed &&
         (!zv_add(block->offset, block->bytes, &end) || end > ZV_PLACE_MAX_BYTES))) {
        return zv_fail(err, ZV_E_OVERFLOW, "block %zu: more than 2^62 bytes up to here", index);
    }
    if (block->fixed && block->alignment > 1 && block->offset % block->alignment != 0) {
        return zv_fail(err, ZV_E_SYNTAX, "block %zu: fixed at %llu, which is no multiple of %llu",
                       index, (unsigned long long)block->offset,
                       (unsigned long long)block->alignment);
    }
    return ZV_OK;
}

static enum zv_status check_blocks(const struct zv_place_block *blocks, size_t count,
                                   struct zv_error *err)
{
    uint64_t total = 0;
    if (count > ZV_PLACE_MAX_BLOCKS) {
        return zv_fail(err, ZV_E_LIMIT, "%zu blocks: at most 2^26", count);
    }
    for (size_t i = 0; i < count; i++) {
        const enum zv_status status = check_block(&blocks[i], i, &total, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/* ---- sections ---- */

/* Births in keys and deaths in spare, each in order of time; room is for sorting. */
static void sort_times(struct place_problem *problem, struct place_key *room)
{
    for (uint32_t i = 0; i < problem->count; i++) {
        problem->keys[i] = (struct place_key){problem->blocks[i].birth, i};
        problem->spare[i] = (struct place_key){problem->blocks[i].death, i};
    }
    place_sort(problem->keys, room, problem->count);
    place_sort(problem->spare, room, problem->count);
}

static void cut_time(struct place_problem *problem)
{
    const struct place_key *const births = problem->keys;
    const struct place_key *const deaths = problem->spare;
    uint32_t section = 0;
    bool died = false;
    uint64_t live = 0;
    for (uint32_t b = 0, d = 0; d < problem->count;) {
        if (b < problem->count && births[b].key < deaths[d].key) {
            const uint32_t block = births[b].index;
            section += died;
            died = false;
            problem->lives[block].first = section;
            live += problem->blocks[block].bytes;
            if (live > problem->load_bytes) {
                problem->load_bytes = live;
                problem->load_section = section;
                problem->load_time = births[b].key;
            }
            problem->loads[section] = live;
            b++;
        } else {
            const uint32_t block = deaths[d].index;
            problem->lives[block].end = section + 1;
            live -= problem->blocks[block].bytes;
            died = true;
            d++;
        }
    }
    problem->sections = problem->count != 0 ? section + 1 : 0;
}

/* The largest of any range of loads, by a tree of maxima in place. */
void place_problem_cross(struct place_problem *problem, const uint64_t *loads, uint64_t *tree)
{
    const uint32_t n = problem->sections;
    for (uint32_t i = 0; i < n; i++) {
        tree[n + i] = loads[i];
    }
    for (uint32_t i = n; i-- > 1;) {
        tree[i] = tree[2 * i] > tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        uint64_t most = 0;
        size_t low = (size_t)problem->lives[i].first + n;
        size_t high = (size_t)problem->lives[i].end + n;
        for (; low < high; low /= 2, high /= 2) {
            if (low % 2 == 1) {
                most = tree[low] > most ? tree[low] : most;
                low++;
            }
            if (high % 2 == 1) {
                high--;
                most = tree[high] > most ? tree[high] : most;
            }
        }
        problem->crossed[i] = most;
    }
}

enum zv_status place_problem_make(struct place_problem *problem,
                                  const struct zv_place_block *blocks, size_t count,
                                  struct zv_arena *arena, struct zv_error *err)
{
    *problem = (struct place_problem){.blocks = blocks, .count = (uint32_t)count};
    const enum zv_status status = check_blocks(blocks, count, err);
    if (status != ZV_OK) {
        return status;
    }
    problem->lives = zv_arena_array(arena, count, sizeof *problem->lives);
    problem->loads = zv_arena_array(arena, count, sizeof *problem->loads);
    problem->crossed = zv_arena_array(arena, count, sizeof *problem->crossed);
    problem->keys = zv_arena_array(arena, count, sizeof *problem->keys);
    problem->spare = zv_arena_array(arena, count, sizeof *problem->spare);
    struct place_key *const room = zv_arena_array(arena, count, sizeof *room);
    if (problem->lives == NULL || problem->loads == NULL || problem->crossed == NULL ||
        problem->keys == NULL || problem->spare == NULL || room == NULL) {
        return zv_fail_memory(err, "a placement");
    }
    sort_times(problem, room);
    cut_time(problem);
    /* a key has room for two numbers */
    place_problem_cross(problem, problem->loads, (uint64_t *)(void *)room);
    return ZV_OK;
}

/* ---- orders ---- */

/* Areas take 128 bits; as keys their highest 64 are enough, the same shift for all. */
static unsigned area_shift(const struct place_problem *problem)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct zv_place_block *const block = &problem->blocks[i];
        const unsigned bits = (64 - (unsigned)__builtin_clzll(block->bytes)) +
                              (64 - (unsigned)__builtin_clzll(block->death - block->birth));
        most = bits > most ? bits : most;
    }
    return most > 64 ? most - 64 : 0;
}

static uint64_t area(const struct zv_place_block *block, unsigned shift)
{
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)((u128)block->bytes * (block->death - block->birth) >> shift);
}

static uint64_t order_key(const struct place_problem *problem, char letter, uint32_t index,
                          unsigned shift, const uint32_t *extra)
{
    const struct zv_place_block *const block = &problem->blocks[index];
    switch (letter) {
    case 'T':
        return problem->crossed[index];
    case 'W':
        return block->death - block->birth;
    case 'A':
        return area(block, shift);
    case 'Z':
        return block->bytes;
    case 'L':
        return block->birth;
    case 'U':
        return block->death;
    case 'R':
        return extra != NULL ? extra[index] : 0;
    default:
        return 0;
    }
}

void place_problem_order(struct place_problem *problem, const char *order, const uint32_t *extra)
{
    struct place_key *const keys = problem->keys;
    const unsigned shift = area_shift(problem);
    size_t letters = 0;
    while (order[letters] != 0) {
        letters++;
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        keys[i].index = i;
    }
    while (letters-- != 0) {
        for (uint32_t i = 0; i < problem->count; i++) { /* largest first */
            keys[i].key = ~order_key(problem, order[letters], keys[i].index, shift, extra);
        }
        place_sort(keys, problem->spare, problem->count);
    }
}
