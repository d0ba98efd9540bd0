/*
 * Skyline: fill a valley with the best-ranked block whose life lies inside it.
 *
 *     height ▲        ┌──┐        A valley is a flat piece that is lower than both its neighbours.
 *            │ ┌───┐  │  │        When no block is left that fits, it rises to the lower neighbour.
 *            │ │   │▒▒│  ├────┐   What happens in one valley changes no other, so any may be next:
 *            └─┴───┴──┴──┴────┴►  the nearest one, and the answer is the same as lowest first,
 * which is the first descent of the canonical search. n log n.
 */
#ifndef ZIRVE_PLACE_SKYLINE_H
#define ZIRVE_PLACE_SKYLINE_H

#include "place/contained.h"

#define SKYLINE_NOWHERE UINT64_MAX

struct skyline_piece {
    uint64_t height;
    uint32_t first;
    uint32_t end;
    uint32_t left; /* piece, 0: none */
    uint32_t right;
};

/* What lies below, for a stretch of time. */
struct skyline_step {
    uint64_t height;
    uint32_t first; /* section */
    uint32_t end;
};

struct skyline {
    const struct place_problem *problem;
    struct contained blocks;
    uint64_t *bytes;   /* by entry of blocks */
    uint64_t *offsets; /* by entry; SKYLINE_NOWHERE: not placed */
    uint32_t left;     /* blocks to be placed */
    bool has_alignment;
    struct skyline_piece *pieces; /* 0 is none */
    uint32_t piece_count;
    uint32_t unused; /* a chain by right */
};

/* In the arena; false when memory is short. Uses keys and spare of the problem. */
bool skyline_make(struct skyline *skyline, struct place_problem *problem, struct zv_arena *arena);

/*
 * Places the blocks that wanted says (NULL: all) by the order in keys on top of floor (by section,
 * NULL: 0); offsets of the others are left alone. Gives up, and returns UINT64_MAX, as soon as the
 * height is above limit; else returns the height.
 */
uint64_t skyline_run(struct skyline *skyline, const bool *wanted, const uint64_t *floor,
                     uint64_t limit, uint64_t *offsets);

/*
 * The same in parts: all blocks by the order in keys; those that fit between neighbouring steps and
 * a ceiling, any number of times; where they lie now (offsets of the others are left alone).
 */
void skyline_begin(struct skyline *skyline);
void skyline_fill(struct skyline *skyline, const struct skyline_step *steps, uint32_t count,
                  uint64_t ceiling);
void skyline_collect(const struct skyline *skyline, uint64_t *offsets);

#endif
