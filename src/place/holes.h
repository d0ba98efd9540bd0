/*
 * Blocks that stay where they are: the others first go into the room between and below them,
 * largest first, each as low as it fits; the rest is placed on top of that.
 */
#ifndef ZIRVE_PLACE_HOLES_H
#define ZIRVE_PLACE_HOLES_H

#include "place/problem.h"

struct holes {
    uint64_t *floor;      /* by section: nothing more is put below */
    bool *wanted;         /* by block: it found no room */
    uint64_t taken_bytes; /* up to the last wall */
    uint64_t bound_bytes; /* no placement is lower */
};

/*
 * Sets offsets of fixed blocks and of those that found room. Results live in the arena. Errors:
 * ZV_E_SYNTAX naming two fixed blocks that share bytes or one that crosses a wall, ZV_E_NOMEM.
 */
enum zv_status holes_fill(struct holes *holes, struct place_problem *problem,
                          const struct zv_place_options *options, uint64_t *offsets,
                          struct zv_arena *arena, struct zv_error *err);

#endif
