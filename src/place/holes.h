/*
 * Blocks that stay where they are: the others first go into the room between and below them,
 * largest first, each as low as it fits; the rest is placed on top of that.
 */
#ifndef ZIRVE_PLACE_HOLES_H
#define ZIRVE_PLACE_HOLES_H

#include "place/problem.h"

/* What lies below the floor, by offset; the lives apart, most of which are only looked at. */
struct holes_obstacles {
    uint64_t *offset;
    uint64_t *top;
    uint32_t *first; /* of the sections in which it is there */
    uint32_t *end;
};

struct holes {
    uint64_t *floor;      /* by section: nothing more is put below */
    bool *wanted;         /* by block: it found no room */
    uint64_t taken_bytes; /* up to the last wall */
    uint64_t bound_bytes; /* no placement is lower */

    /* private */
    struct place_problem *problem;
    const struct zv_place_options *options;
    struct holes_obstacles obstacles;
    uint32_t count;
    uint64_t steps;
};

/*
 * Looks at fixed blocks and walls. Lives in the arena. Errors: ZV_E_SYNTAX naming two fixed blocks
 * that share bytes or one that crosses a wall, ZV_E_NOMEM.
 */
enum zv_status holes_make(struct holes *holes, struct place_problem *problem,
                          const struct zv_place_options *options, struct zv_arena *arena,
                          struct zv_error *err);

/* Sets offsets of fixed blocks and of those that find room, tried by this order. */
void holes_fill(struct holes *holes, const char *order, uint64_t *offsets);

#endif
