/*
 * The state before the first event: the state at the end with the history undone.
 *
 *     end:   segments and blocks of the snapshot            undo, last event first:
 *     start: what was there before recording began            alloc           the block goes
 *                                                             free_completed  it comes back
 *                                                             segment_alloc   the segment goes ...
 *
 * A block that came back has the size of its request rounded; the true size may be larger (the
 * rest of a large block that was too small to be split), which its neighbours tell: at once, or
 * when the next block is put behind it.
 *
 * The record is a ring: whether older events were dropped is not written down. Blocks that were
 * live before the first event are known by their end state or their free only.
 */
#ifndef ZIRVE_TRACE_START_H
#define ZIRVE_TRACE_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct zv_trace_start {
    struct zv_trace_segment *segments; /* by address; first_block and block_count are set */
    size_t segment_count;
    struct zv_trace_block *blocks; /* live ones only, by address */
    size_t block_count;
    struct zv_trace_block *loose; /* live ones that lie in no recorded segment, by address */
    size_t loose_count;
    uint64_t live_bytes; /* allocated and pending, in segments */
    uint64_t reserved_bytes;
    uint64_t stray_events; /* that contradict the end state: the record is not whole */
};

/* A block whose bytes are not its request rounded, by the event that completed its free. */
struct zv_trace_odd {
    size_t event;
    uint64_t bytes;
};

struct zv_trace_rules {
    uint64_t (*round)(const void *context, uint64_t bytes); /* the allocator's size of a request */
    const void *context;
    uint64_t max_split_bytes;       /* UINT64_MAX: unlimited */
    const struct zv_trace_odd *odd; /* in order of events; what is known of the device's blocks */
    size_t odd_count;
};

/* Close after a failure too. Errors: ZV_E_NOMEM, ZV_E_LIMIT. */
enum zv_status zv_trace_start(struct zv_trace_start *start, const struct zv_trace *trace,
                              size_t device, const struct zv_trace_rules *rules,
                              struct zv_error *err);

/*
 * Gives blocks whose size is their request rounded the size that later events of the record show;
 * how many got another one.
 */
size_t zv_trace_start_learn(struct zv_trace_start *start, const struct zv_trace *trace,
                            size_t device);

/* The state before event `until` (0-based; the number of events: the end). */
enum zv_status zv_trace_state_at(struct zv_trace_start *start, const struct zv_trace *trace,
                                 size_t device, size_t until, const struct zv_trace_rules *rules,
                                 struct zv_error *err);

void zv_trace_start_close(struct zv_trace_start *start);

#endif
