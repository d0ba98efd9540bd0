/*
 * Canonical search: is there a placement of these blocks below a target?
 *
 * In any placement every block can be pushed down until it touches something; what comes out is
 * found by placing blocks in order of (offset, rank), each at its lowest offset on what is placed
 * already. The search tries these sequences depth first and cuts off what cannot end below target:
 *
 *   room        in every section: the level that cannot be used any more + what is still to come
 *   release     the same from any higher level: blocks that must lie above it, all of them
 *   dominance   a block at or above the lowest possible top of another leaves a hole for that one
 *   hatless     nothing unplaced overlaps the block just placed: no other block in its turn is
 * better twins       blocks with the same life and size are placed in the order of their indices
 *   parts       where no unplaced block crosses a border of sections, both sides are solved alone
 *
 * The rules are those of M. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-
 * Accelerated Machine Learning", ASPLOS 2023, but release and twins. Heights are counted in units
 * (the greatest common divisor of all sizes), below 2^30.
 */
#ifndef ZIRVE_PLACE_SEARCH_H
#define ZIRVE_PLACE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/arena.h"

enum { SEARCH_MAX_BLOCKS = 2048, SEARCH_NO_OFFSET = -1 };

struct search_block {
    int32_t first; /* section */
    int32_t end;
    int32_t units;
    int32_t alignment; /* units, at least 1 */
    int32_t fixed;     /* offset or SEARCH_NO_OFFSET */
    int32_t offset;    /* the answer */
    int32_t twin;      /* the twin before it, or -1 */
    uint32_t rank[3];  /* among all blocks by life (W), area (A), and at random (R): 0 is largest */
};

struct search_ranked {
    uint32_t keys[4];
    int32_t block;
    int32_t low;
};

/* What a placement moved up, and from where. */
struct search_moved {
    int32_t at;
    int32_t low;
};

enum search_outcome { SEARCH_FOUND, SEARCH_INFEASIBLE, SEARCH_CUT };

struct search {
    struct search_block *blocks;
    int32_t count;
    int32_t sections;
    int32_t target;      /* every top is at most this */
    const char *order;   /* letters: T and those of rank */
    uint64_t node_limit; /* of one run */
    uint64_t nodes;      /* of all runs */
    bool (*expired)(void *context);
    void *context;

    /* private */
    int32_t *level; /* by section: what lies below cannot be used any more */
    int32_t *rest;  /* by section: units still to be placed */
    int32_t *cross; /* unplaced blocks that live in this section and the next */
    int32_t *lowest;
    bool *placed; /* by block */
    struct search_moved *moved;
    struct search_ranked *ranked;
    unsigned char *stack;
    size_t stack_size;
    size_t stack_used;
    uint64_t run_nodes;
    bool cut;
};

/* Room for a search of blocks and sections, in the arena; false when memory is short. */
bool search_make(struct search *search, int32_t count, int32_t sections, struct zv_arena *arena);

/* FOUND fills in every offset. CUT: the limit of nodes or time came first, or the room is used up.
 */
enum search_outcome search_run(struct search *search);

#endif
