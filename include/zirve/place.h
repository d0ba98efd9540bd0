/*
 * Offline placement: lives are known, addresses are chosen. How much memory do they need at least?
 *
 *     address ▲                    a block is a box: its life is given, its height is its bytes;
 *             │  ┌────┐┌──┐        only how high it lies is free. Boxes must not overlap.
 *             │  │ c  ││ d│
 *      height │┌─┴──┐ │└──┴──┐     load    largest sum of bytes that live at one time
 *             ││ a  │ │  b   │     bound   no placement is lower (load, or more where proved)
 *             └┴────┴─┴──────┴─►   height  of the best placement that was found
 *                           time
 *
 * Dynamic storage allocation is NP-hard (Garey and Johnson, SR2); load <= bound <= height, and what
 * lies between the two last ones is the gap. A plan holds for the lives it was made for: its height
 * is what the best placement of this trace needs, no promise about another run.
 *
 * Not here: what an allocator would have done with the same requests (zirve/allocator.h), files.
 */
#ifndef ZIRVE_PLACE_H
#define ZIRVE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/error.h"

#define ZV_PLACE_MAX_BLOCKS (UINT32_C(1) << 26)
#define ZV_PLACE_MAX_BYTES  (UINT64_C(1) << 62) /* of all blocks together */

/* A box of the picture: lives from birth to death, lies from offset to offset + bytes. */
struct zv_place_block {
    uint64_t birth;     /* of any clock; a block that dies at t makes room for one born at t */
    uint64_t death;     /* not included; after birth */
    uint64_t bytes;     /* not 0 */
    uint64_t alignment; /* offset is a multiple of it; 0 as 1 */
    uint64_t offset;    /* where it lies; of a fixed block given, else the answer */
    bool fixed;         /* stays where it is */
};

enum zv_place_state {
    ZV_PLACE_OPTIMAL, /* height = bound: no placement is lower */
    ZV_PLACE_FOUND,   /* a placement; a lower one may exist */
    ZV_PLACE_STATE_COUNT
};

/* Why the search ended. */
enum zv_place_end {
    ZV_PLACE_END_PROVED, /* nothing was left to look for */
    ZV_PLACE_END_NODES,  /* the limit of nodes: the same answer on every machine */
    ZV_PLACE_END_CLOCK,  /* the limit of time */
    ZV_PLACE_END_SIZE,   /* what carries the height has too many blocks to be searched */
    ZV_PLACE_END_COUNT
};

/* Zero is a good start for every member. */
struct zv_place_options {
    uint64_t node_limit; /* of the search, 0: ZV_PLACE_DEFAULT_NODES; UINT64_MAX: none */
    uint64_t cpu_ms;     /* processor time of the whole call, 0: no limit */
    uint64_t seed;       /* of the orders that are drawn; the same seed, the same answer */
    uint64_t enough;     /* bytes: a height of at most this ends the search */
    bool no_search;      /* only what is fast */
    /* Ascending addresses that no block may cross, such as the ends of memory pieces. All below the
     * last one counts as taken; there are free blocks above it only. Nothing is searched then. */
    const uint64_t *walls;
    size_t wall_count;
};

#define ZV_PLACE_DEFAULT_NODES UINT64_C(1000000)

struct zv_place_result {
    enum zv_place_state state;
    enum zv_place_end end;
    uint64_t load_bytes;
    uint64_t bound_bytes; /* at least load_bytes; proved infeasible below it */
    uint64_t height_bytes;
    uint64_t load_time;   /* a time when load_bytes are live */
    uint64_t sections;    /* sets of blocks that live at one time and are in no other set */
    uint64_t nodes;       /* of the search */
    const char *found_by; /* the order of the skyline, "sieve" or "search" */
};

/*
 * Sets offset of every block that is not fixed. With fixed blocks the height counts from 0 to the
 * highest byte, theirs included. Errors, with the block's index (0-based) in the text: ZV_E_SYNTAX
 * (a life that ends before it starts, 0 bytes, fixed blocks that overlap or break their alignment),
 * ZV_E_OVERFLOW, ZV_E_LIMIT, ZV_E_NOMEM; offsets are then untouched.
 */
enum zv_status zv_place_run(struct zv_place_block *blocks, size_t count,
                            const struct zv_place_options *options, struct zv_place_result *result,
                            struct zv_error *err);

/* The largest sum of bytes that live at one time, and when. Errors as those of zv_place_run. */
enum zv_status zv_place_load(const struct zv_place_block *blocks, size_t count,
                             uint64_t *load_bytes, uint64_t *load_time, struct zv_error *err);

/*
 * Looks at a placement with none of the code that made it: no two blocks that live at the same time
 * share a byte, every alignment is kept; *height_bytes is the highest byte's end. Errors: ZV_E_BUG
 * naming two blocks by index, ZV_E_OVERFLOW, ZV_E_NOMEM.
 */
enum zv_status zv_place_check(const struct zv_place_block *blocks, size_t count,
                              uint64_t *height_bytes, struct zv_error *err);

const char *zv_place_state_name(enum zv_place_state state); /* "optimal", "best found" */
const char *zv_place_end_name(enum zv_place_end end);       /* "proved", "nodes" ... */

#endif
