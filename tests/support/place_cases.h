/* Placement problems with a known answer, and the slow way to find one. */
#ifndef ZIRVE_TESTS_PLACE_CASES_H
#define ZIRVE_TESTS_PLACE_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/place.h"

uint64_t place_random(uint64_t *state);

/* Random small blocks: at most so many bytes, units of time, alignments (1: none). */
struct place_shape {
    uint64_t bytes;
    uint64_t time;
    uint64_t alignment;
};
void place_draw(struct zv_place_block *blocks, size_t count, const struct place_shape *shape,
                uint64_t *state);

/* Random blocks whose sizes (512 bytes to 128 MiB) and lives (1 to 2^20) have heavy tails, born
 * within twice as many units of time as there are blocks. */
void place_draw_heavy(struct zv_place_block *blocks, size_t count, uint64_t *state);

/* The least height of all placements, by every order in which blocks can be put on top of each
 * other; fixed ones stay. At most 8 blocks. */
uint64_t place_least_height(const struct zv_place_block *blocks, size_t count);

/*
 * Cuts a box of height x time into at most count blocks, so that the optimum is height. Pinwheels:
 * five blocks around a middle one, which no row of straight cuts takes apart.
 */
size_t place_cut_box(struct zv_place_block *blocks, size_t count, uint64_t height, uint64_t time,
                     bool pinwheels, uint64_t *state);

/* Whether no two blocks share a byte at any time, by comparing all pairs. */
bool place_is_valid(const struct zv_place_block *blocks, size_t count);

#endif
