/*
 * What a perfect plan would have needed: the record's blocks placed anew, lives as recorded.
 *
 *     peak reserved          what the allocator held from the card
 *      - cached, idle        segments that held nothing then: an out-of-memory would release them
 *     non-empty segments     at their peak: what cannot be given back
 *      - stranded            between live blocks, and in them beyond the request
 *     load                   largest sum of blocks that live at one time: no plan needs less
 *
 * The three are peaks of their own, perhaps at different instants, and never added. A plan's height
 * is an upper bound on what any placement could save for this record, no promise about another run.
 *
 * Blocks of private pools have memory of their own: a plan is one arena for each pool. Memory that
 * goes from one stream to another needs a wait in between, so there is a second plan with an arena
 * for each stream of each pool, which needs none. What was live before the record may be moved (the
 * plan) or stays (fixed): segments that held some of it then count in full, to the end.
 */
#ifndef ZIRVE_EXPLAIN_PLACEMENT_H
#define ZIRVE_EXPLAIN_PLACEMENT_H

#include "explain/lives.h"
#include "explain/record.h"
#include "zirve/arena.h"
#include "zirve/place.h"

#define ZV_PLACE_STEP UINT64_C(512) /* bytes: needs are requests rounded up to it */

/* Blocks that share an arena. */
struct zv_place_arena {
    uint64_t pool[2]; /* id; 0, 0: the default pool */
    uint64_t stream;  /* handle; of plans by stream */
    size_t blocks;
    struct zv_place_result result;
};

/* Arenas side by side; figures are sums over them. */
struct zv_place_plan {
    struct zv_place_arena *arenas; /* by pool, then by stream */
    size_t arena_count;
    uint64_t load_bytes;
    uint64_t bound_bytes;
    uint64_t height_bytes;
};

struct zv_placement {
    uint64_t peak_reserved_bytes;
    size_t peak_reserved_event; /* instant: 0 is before the record */
    bool is_inherited;          /* that peak: reserved before anything was recorded */
    bool has_segments;          /* else non_empty_bytes is unknown */
    uint64_t non_empty_bytes;
    size_t non_empty_event;
    bool has_expandable; /* mapped pieces count instead of whole segments */
    struct zv_place_plan plan;
    bool has_streams; /* more than one arena by stream */
    struct zv_place_plan by_stream;
    bool has_fixed; /* something was live before the record */
    size_t fixed_blocks;
    uint64_t pinned_bytes; /* of the segments that hold them */
    struct zv_place_result fixed;
    uint64_t unseen_bytes;         /* of a profiler's trace: live throughout, in no event */
    struct zv_place_block *blocks; /* in the order of lives->blocks, then perhaps the unseen; placed
                                      by plan, one arena above the other */
    size_t block_count;
};

/*
 * options: of every arena. Every plan is checked (zv_place_check). Results live in the arena.
 * Errors: ZV_E_UNSUPPORTED when the record has no addresses, those of zv_place_run.
 */
enum zv_status zv_placement_make(struct zv_placement *placement, const struct zv_record *record,
                                 const struct zv_lives *lives,
                                 const struct zv_place_options *options, struct zv_arena *arena,
                                 struct zv_error *err);

/* The peaks and `plan` alone, without a search, of a record alone: an answer that nobody waits for.
 * Errors also: ZV_E_LIMIT above ZV_LIVES_MAX_EVENTS events. */
enum zv_status zv_placement_make_fast(struct zv_placement *placement,
                                      const struct zv_record *record, struct zv_arena *arena,
                                      struct zv_error *err);

#endif
