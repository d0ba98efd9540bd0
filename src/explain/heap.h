/* The heap at an instant: every segment, every block in it, and who has it. */
#ifndef ZIRVE_EXPLAIN_HEAP_H
#define ZIRVE_EXPLAIN_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "explain/record.h"
#include "zirve/arena.h"

#define ZV_BORN_BEFORE SIZE_MAX

struct zv_heap_block {
    uint64_t address;
    uint64_t bytes;
    uint64_t requested_bytes; /* 0 when free */
    size_t born;              /* event that allocated it, or ZV_BORN_BEFORE (the record) */
    uint32_t segment;
    uint32_t stack; /* 0: not recorded */
    uint32_t context;
    uint8_t state; /* enum zv_block_state */
};

struct zv_heap_segment {
    struct zv_trace_segment facts; /* first_block and block_count are of the heap's blocks */
    bool is_loose;                 /* made for one block that lies in no recorded segment */
    bool has_stream;               /* facts.stream was recorded */
    uint64_t live_bytes;
    uint64_t free_bytes;
    uint64_t largest_hole_bytes;
};

struct zv_heap {
    size_t event;                     /* the instant: before this event */
    struct zv_heap_segment *segments; /* by address */
    size_t segment_count;
    struct zv_heap_block *blocks; /* by address; free ones too */
    size_t block_count;
    struct zv_trace_usage usage;
    uint64_t free_bytes; /* reserved and not active */
    uint64_t largest_hole_bytes;
    uint64_t no_stack_bytes; /* active, but nobody recorded who has it */
    uint64_t before_bytes;   /* active since before the record */
    uint64_t loose_bytes;    /* active in no recorded segment: reserved is at least what is said */
    size_t loose_count;
};

/*
 * Only for snapshots. Results live in the arena. Errors: ZV_E_USAGE (no such event or no
 * snapshot), ZV_E_NOMEM.
 */
enum zv_status zv_heap_at(struct zv_heap *heap, const struct zv_record *record, size_t event,
                          struct zv_arena *arena, struct zv_error *err);

#endif
