#include "place/gaps.h"

#include <assert.h>
#include <string.h>

/* Every block opens two pieces at most, sees those that it covers for the last time, and one at
 * either side that it covers in part. */
enum { STEPS_A_BLOCK = 4, AREA_BITS = 36 /* of a height; sections take 26 more */ };

bool gaps_make(struct gaps *gaps, const struct place_problem *problem, uint32_t most,
               struct zv_arena *arena)
{
    const size_t words = problem->sections / 64 + 1;
    const size_t steps = (size_t)STEPS_A_BLOCK * most + 1;
    *gaps = (struct gaps){.problem = problem, .most = most};
    gaps->floor = zv_arena_array(arena, problem->sections, sizeof *gaps->floor);
    gaps->starts = zv_arena_array(arena, words, sizeof *gaps->starts);
    gaps->words = zv_arena_array(arena, words / 64 + 1, sizeof *gaps->words);
    gaps->steps = zv_arena_array(arena, steps, sizeof *gaps->steps);
    gaps->gaps = zv_arena_array(arena, steps, sizeof *gaps->gaps);
    gaps->smallest = zv_arena_array(arena, 2 * steps, sizeof *gaps->smallest);
    return gaps->floor != NULL && gaps->starts != NULL && gaps->words != NULL &&
           gaps->steps != NULL && gaps->gaps != NULL && gaps->smallest != NULL;
}

/* ---- pieces: stretches of one height, which is in floor where they start ---- */

static void set_start(struct gaps *gaps, uint32_t section)
{
    gaps->starts[section / 64] |= UINT64_C(1) << section % 64;
    gaps->words[section / 4096] |= UINT64_C(1) << section / 64 % 64;
}

static void clear_start(struct gaps *gaps, uint32_t section)
{
    gaps->starts[section / 64] &= ~(UINT64_C(1) << section % 64);
    if (gaps->starts[section / 64] == 0) {
        gaps->words[section / 4096] &= ~(UINT64_C(1) << section / 64 % 64);
    }
}

/* The last bit at or before one; there is one. */
static uint32_t last_bit(const uint64_t *bits, uint32_t at)
{
    uint32_t word = at / 64;
    uint64_t some = bits[word] & (UINT64_MAX >> (63 - at % 64));
    while (some == 0) {
        assert(word != 0);
        some = bits[--word];
    }
    return word * 64 + 63 - (uint32_t)__builtin_clzll(some);
}

/* The first bit at or after one, before end; else end. */
static uint32_t first_bit(const uint64_t *bits, uint32_t at, uint32_t end)
{
    while (at < end) {
        const uint64_t some = bits[at / 64] >> at % 64;
        if (some != 0) {
            at += (uint32_t)__builtin_ctzll(some);
            return at < end ? at : end;
        }
        at = (at / 64 + 1) * 64;
    }
    return end;
}

/* Where the piece of a section starts. */
static uint32_t piece_of(const struct gaps *gaps, uint32_t section)
{
    const uint32_t word = section / 64;
    const uint64_t some = gaps->starts[word] & (UINT64_MAX >> (63 - section % 64));
    if (some != 0) {
        return word * 64 + 63 - (uint32_t)__builtin_clzll(some);
    }
    return last_bit(gaps->starts, last_bit(gaps->words, word - 1) * 64 + 63);
}

/* Where the piece after that of a section starts. */
static uint32_t piece_after(const struct gaps *gaps, uint32_t section)
{
    const uint32_t sections = gaps->problem->sections;
    const uint32_t border = (section / 64 + 1) * 64;
    const uint32_t next =
        first_bit(gaps->starts, section + 1, border < sections ? border : sections);
    if (next != border || next >= sections) {
        return next < sections ? next : sections;
    }
    const uint32_t words = (sections + 63) / 64;
    const uint32_t word = first_bit(gaps->words, border / 64, words);
    return word < words ? first_bit(gaps->starts, word * 64, sections) : sections;
}

/* ---- gaps ---- */

static uint64_t area(const struct gaps *gaps, const struct skyline_step *step, uint64_t ceiling)
{
    return ((ceiling - step->height) >> gaps->shift) * (step->end - step->first);
}

static void close_gap(struct gaps *gaps, uint32_t from, uint64_t ceiling)
{
    uint64_t sum = 0;
    if (from == gaps->step_count) {
        return;
    }
    for (uint32_t i = from; i < gaps->step_count; i++) {
        sum += area(gaps, &gaps->steps[i], ceiling);
    }
    gaps->smallest[gaps->count] = (struct place_key){sum, gaps->count};
    gaps->gaps[gaps->count++] = (struct gap){ceiling, from, gaps->step_count};
}

/* Takes all pieces below a block away, one after the other, and puts one of its top there. */
static void put(struct gaps *gaps, struct place_life life, uint64_t offset, uint64_t top,
                bool has_room)
{
    uint32_t from = gaps->step_count;
    uint32_t at = life.first;
    uint64_t height = gaps->floor[piece_of(gaps, at)];
    for (;;) {
        const uint32_t next = piece_after(gaps, at);
        const uint32_t end = next < life.end ? next : life.end;
        if (height < offset && has_room) {
            gaps->steps[gaps->step_count++] = (struct skyline_step){height, at, end};
        } else {
            close_gap(gaps, from, offset);
            from = gaps->step_count;
        }
        if (at > life.first) {
            clear_start(gaps, at);
        }
        if (next >= life.end) {
            if (next > life.end) { /* the rest of it stays */
                set_start(gaps, life.end);
                gaps->floor[life.end] = height;
            }
            break;
        }
        at = next;
        height = gaps->floor[at];
    }
    close_gap(gaps, from, offset);
    set_start(gaps, life.first);
    gaps->floor[life.first] = top;
}

static void spread_floor(struct gaps *gaps)
{
    for (uint32_t first = 0, end = 0; first < gaps->problem->sections; first = end) {
        end = piece_after(gaps, first);
        for (uint32_t s = first + 1; s < end; s++) {
            gaps->floor[s] = gaps->floor[first];
        }
    }
}

void gaps_find(struct gaps *gaps, const uint32_t *blocks, uint32_t count, const uint64_t *offsets)
{
    const struct place_problem *const problem = gaps->problem;
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        problem->keys[i] = (struct place_key){offsets[blocks[i]], blocks[i]};
        most = offsets[blocks[i]] > most ? offsets[blocks[i]] : most;
    }
    place_sort(problem->keys, problem->spare, count);
    const size_t words = problem->sections / 64 + 1;
    memset(gaps->starts, 0, words * sizeof *gaps->starts);
    memset(gaps->words, 0, (words / 64 + 1) * sizeof *gaps->words);
    for (gaps->shift = 0; most >> gaps->shift >> AREA_BITS != 0;) {
        gaps->shift++;
    }
    gaps->count = 0;
    gaps->step_count = 0;
    gaps->floor[0] = 0;
    set_start(gaps, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = problem->keys[i].index;
        const uint64_t offset = offsets[block];
        put(gaps, problem->lives[block], offset, offset + problem->blocks[block].bytes,
            count <= gaps->most);
    }
    spread_floor(gaps);
    place_sort(gaps->smallest, gaps->smallest + gaps->count, gaps->count);
}
