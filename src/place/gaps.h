/*
 * Where is room below blocks that are placed already?
 *
 *     height ▲   ┌───────┐       A gap is what lies free right below one block: a ceiling, which is
 *            │   │       ├───┐   where the block begins, above steps, which are the highest ends
 *            │   ├───┐▒▒▒│   │   below it. Gaps share no bytes. What is open to the sky is none;
 *            │   │   │▒▒▒│   │   there the floor tells the highest end.
 *            └───┴───┴───┴───┴►
 */
#ifndef ZIRVE_PLACE_GAPS_H
#define ZIRVE_PLACE_GAPS_H

#include "place/skyline.h"

struct gap {
    uint64_t ceiling;
    uint32_t from; /* of steps, which go from left to right without a break */
    uint32_t to;
};

struct gaps {
    uint64_t *floor; /* by section */
    struct gap *gaps;
    struct skyline_step *steps;
    struct place_key *smallest; /* index: of a gap, smallest first by area */
    uint32_t count;

    /* private */
    const struct place_problem *problem;
    uint64_t *starts; /* a bit by section: its height is not that of the section before */
    uint64_t *words;  /* a bit by word of starts: it is not 0 */
    unsigned shift;   /* of heights in areas */
    uint32_t step_count;
    uint32_t most;
};

/* Room for the gaps below at most so many blocks, in the arena; false when memory is short. */
bool gaps_make(struct gaps *gaps, const struct place_problem *problem, uint32_t most,
               struct zv_arena *arena);

/* The gaps and the floor of the blocks listed, which have offsets (by block) that do not collide;
 * of more than there is room for only the floor. Uses keys and spare of the problem. */
void gaps_find(struct gaps *gaps, const uint32_t *blocks, uint32_t count, const uint64_t *offsets);

#endif
