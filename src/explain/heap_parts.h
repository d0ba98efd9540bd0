/* A heap by pool and stream: the counters of the whole, for each part that serves its own requests.
 */
#ifndef ZIRVE_EXPLAIN_HEAP_PARTS_H
#define ZIRVE_EXPLAIN_HEAP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/heap.h"

struct zv_heap_part {
    bool is_loose;   /* blocks in no recorded segment: their pool is not known */
    bool has_stream; /* recorded */
    bool is_small;
    uint16_t pool; /* of the trace's pools; 0: the default one */
    uint16_t stream;
    struct zv_trace_usage usage;
    uint64_t largest_hole_bytes;
    size_t segment_count;
    size_t order; /* among parts that reserve the same */
};

struct zv_heap_parts {
    struct zv_heap_part *at; /* most reserved first */
    size_t count;
};

/* Results live in the arena. Errors: ZV_E_NOMEM. */
enum zv_status zv_heap_parts_make(struct zv_heap_parts *parts, const struct zv_heap *heap,
                                  struct zv_arena *arena, struct zv_error *err);

/* What a segment adds to the counters of its part. */
struct zv_trace_usage zv_segment_usage(const struct zv_heap *heap,
                                       const struct zv_heap_segment *segment);

#endif
