/*
 * Which block of the best rank has its whole life inside a range of sections, and fits a height?
 *
 * Lives are points (first, end). Their entries are packed by the bits of both interleaved, so that
 * near ones are near, sixteen to a node, and every node knows of the entries below it that are
 * still there: the latest first, the earliest end, the best rank, the least size.
 */
#ifndef ZIRVE_PLACE_CONTAINED_H
#define ZIRVE_PLACE_CONTAINED_H

#include <stdint.h>

#include "place/problem.h"

enum { CONTAINED_FAN = 16, CONTAINED_LEVELS = 8 };
#define CONTAINED_NONE UINT32_MAX

/* Of one level, by entry; a node is sixteen entries of the level below. */
struct contained_level {
    int32_t *first; /* latest */
    int32_t *end;   /* earliest */
    int32_t *rank;  /* best */
    int32_t *size;  /* least, bytes >> shift */
    uint32_t count; /* a multiple of CONTAINED_FAN */
};

struct contained {
    struct contained_level levels[CONTAINED_LEVELS]; /* 0: the blocks; the last: one node */
    unsigned level_count;
    uint32_t *block; /* of an entry of level 0 */
    uint32_t *entry; /* of a block */
    int32_t *size;   /* of an entry of level 0, in or not: bytes with their alignment, rounded up */
    unsigned shift;
    const struct place_problem *problem;
};

/* Packs the lives; nothing is in it. In the arena; false when memory is short. Uses keys, spare. */
bool contained_make(struct contained *set, struct place_problem *problem, struct zv_arena *arena);

/* Puts all blocks in that wanted[block] says (NULL: all), ranked as keys[].index of the problem. */
void contained_fill(struct contained *set, const bool *wanted);

/* The entry of the best rank with first >= low and end <= high that fits into room bytes wherever
 * these begin (UINT64_MAX: all do); CONTAINED_NONE: there is none. */
uint32_t contained_best(const struct contained *set, uint32_t low, uint32_t high, uint64_t room);

/* The sections of an entry that is in. */
static inline struct place_life contained_life(const struct contained *set, uint32_t entry)
{
    return (struct place_life){(uint32_t)set->levels[0].first[entry],
                               (uint32_t)set->levels[0].end[entry]};
}

void contained_remove(struct contained *set, uint32_t entry);

#endif
