/*
 * The verdict: why memory ran out, or where the peak was. Every figure is of the record.
 *
 *     out of memory, a request of R:
 *       capacity       live + R is more than the process could get at all
 *       fragmentation  there was room in total, but no hole of R; the blocks that pin segments
 *       outside        it would have fitted, had others not used the card (needs its capacity)
 *       limit          the card had room for it: a limit of the process, or a reading too late
 */
#ifndef ZIRVE_EXPLAIN_CAUSE_H
#define ZIRVE_EXPLAIN_CAUSE_H

#include <stddef.h>
#include <stdint.h>

#include "explain/heap.h"
#include "zirve/arena.h"

enum zv_cause_kind {
    ZV_CAUSE_PEAK,   /* it did not run out: where the peak of allocated was */
    ZV_CAUSE_STATIC, /* no history: one state only */
    ZV_CAUSE_CAPACITY,
    ZV_CAUSE_FRAGMENTATION,
    ZV_CAUSE_OUTSIDE,
    ZV_CAUSE_LIMIT,
    ZV_CAUSE_COUNT
};

/* A segment that has room but cannot be given back or used, because of its live blocks. */
struct zv_pinned {
    uint32_t segment; /* index into the heap */
    uint64_t live_bytes;
    uint64_t free_bytes;
    uint32_t live_blocks;
};

struct zv_cause {
    enum zv_cause_kind kind;
    size_t event; /* the instant that is looked at */
    bool is_oom;
    uint64_t requested_bytes;   /* rounded, as the record has it */
    uint64_t device_free_bytes; /* of the card then; 0 when not recorded */
    bool device_free_known;
    uint64_t capacity_bytes;  /* of the card; 0: not known */
    uint64_t outside_bytes;   /* used on the card by others, when the capacity is known */
    uint64_t missing_bytes;   /* capacity: how much more would have been needed at least */
    uint64_t pool_free_bytes; /* free in segments that the request could have used */
    uint64_t pool_hole_bytes; /* the largest of them */
    uint64_t idle_bytes;      /* of segments without any live block */
    struct zv_pinned *pinned; /* least live bytes first */
    size_t pinned_count;
};

/*
 * Looks at the last out-of-memory when there is one, else at the peak of allocated (the end when
 * there is no history). heap is filled in for that instant. capacity_bytes 0: not known. Results
 * live in the arena.
 */
enum zv_status zv_cause_make(struct zv_cause *verdict, struct zv_heap *heap,
                             const struct zv_record *record, uint64_t capacity_bytes,
                             struct zv_arena *arena, struct zv_error *err);

const char *zv_cause_name(enum zv_cause_kind kind); /* "fragmentation" */

#endif
