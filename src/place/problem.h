/*
 * Room place: the lowest placement of blocks whose lives are known.
 *
 *     blocks ─► problem (sections, loads) ─► skylines, best of many orders ─► height
 *                                            sieve: coarse first, fine in gaps  │ above the bound
 *                                            holes below fixed blocks           │
 *                                            canonical search, part by part ◄───┘
 *
 * Time is cut into sections: the sets of blocks that live together and are contained in no other
 * such set. A new one begins at a birth that follows a death, so lives are ranges of sections and
 * there are at most as many sections as blocks.
 *
 * Not here: where blocks come from (trace), what an allocator does (allocator), how it looks.
 */
#ifndef ZIRVE_PLACE_PROBLEM_H
#define ZIRVE_PLACE_PROBLEM_H

#include <stdint.h>

#include "place/sort.h"
#include "zirve/arena.h"
#include "zirve/place.h"

struct place_life {
    uint32_t first; /* section */
    uint32_t end;   /* section, not included */
};

struct place_problem {
    const struct zv_place_block *blocks;
    uint32_t count;
    uint32_t sections;
    struct place_life *lives;
    uint64_t *loads;   /* by section, bytes */
    uint64_t *crossed; /* by block: the largest load of its sections */
    uint64_t load_bytes;
    uint32_t load_section;
    uint64_t load_time;
    struct place_key *keys; /* room to sort: count each */
    struct place_key *spare;
};

/* Checks the blocks and cuts time. The problem lives in the arena and looks at blocks. */
enum zv_status place_problem_make(struct place_problem *problem,
                                  const struct zv_place_block *blocks, size_t count,
                                  struct zv_arena *arena, struct zv_error *err);

/* By block the largest of these bytes by section that its life crosses: what T means from now on.
 * tree is room for two numbers a section. */
void place_problem_cross(struct place_problem *problem, const uint64_t *loads, uint64_t *tree);

/*
 * Sorts all blocks by an order, best first, into keys[].index: letters, each descending, then by
 * index. T largest load crossed, W length of life, A area, Z bytes, L birth, U death. extra is the
 * key of the letter R, by block (NULL: none).
 */
void place_problem_order(struct place_problem *problem, const char *order, const uint32_t *extra);

#endif
