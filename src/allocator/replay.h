/*
 * Replay: an op list run through an allocator, operation by operation, and what came of it.
 */
#ifndef ZIRVE_ALLOCATOR_REPLAY_H
#define ZIRVE_ALLOCATOR_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "allocator/id_map.h"
#include "base/stream.h"
#include "trace/op_list.h"
#include "zirve/allocator.h"
#include "zirve/arena.h"

enum zv_replay_status {
    ZV_REPLAY_OK,
    ZV_REPLAY_OOM,
    ZV_REPLAY_NONE /* it concerned an allocation that had failed */
};

/* The first request that ran out of memory. */
struct zv_replay_oom {
    bool happened;
    uint64_t line; /* 1-based, of the op list */
    uint64_t requested_bytes;
    uint64_t device_free_bytes;  /* the card's */
    uint64_t cached_free_bytes;  /* reserved and not active */
    uint64_t largest_hole_bytes; /* the largest cached block that is free */
};

/* What a configuration came to. Peaks are of the whole run, whatever `r` did to the statistics. */
struct zv_replay_outcome {
    uint64_t operations;
    uint64_t peak_allocated_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t allocated_at_peak_bytes; /* when reserved first reached its peak */
    uint64_t requested_at_peak_bytes;
    uint64_t ooms;
    struct zv_replay_oom first_oom;
    struct zv_memory_stats stats;
    const struct zv_pool_stats *pools; /* private pools at the end, in the replay's arena */
    size_t pool_count;
    struct zv_driver_calls calls;
};

struct zv_replay {
    struct zv_allocator *allocator;
    struct zv_arena *arena; /* of the outcome's pools; NULL: they are not kept */
    struct id_map ids;
    struct zv_replay_outcome outcome;
    uint64_t line; /* of the operation run last */
    enum zv_replay_status status;
    bool allocated;         /* it was an allocation that succeeded */
    uint64_t address;       /* then: where, 0 for size 0 */
    struct zv_sink *events; /* rows of events.tsv; NULL: none */
};

/*
 * Opens a replay of its own allocator. events may be NULL; when not, options->on_event must be.
 */
enum zv_status zv_replay_open(struct zv_replay *replay, const struct zv_allocator_options *options,
                              struct zv_sink *events, struct zv_error *err);
void zv_replay_close(struct zv_replay *replay);

/*
 * Runs one operation; replay->status and address say how it went. Errors (with the line): ids that
 * are not live or live already, what the allocator refuses. Nothing of the operation is applied
 * then.
 */
enum zv_status zv_replay_step(struct zv_replay *replay, const struct zv_op *op, uint64_t line,
                              struct zv_error *err);

/* Fills in what is known at the end of the run. Errors: ZV_E_NOMEM. */
enum zv_status zv_replay_finish(struct zv_replay *replay, struct zv_error *err);

/* Runs a whole list; counters may be NULL. */
enum zv_status zv_replay_run(struct zv_replay *replay, struct zv_slice ops,
                             struct zv_sink *counters, struct zv_error *err);

enum { ZV_REPLAY_ROW = 512 };

/* The row of expected.tsv for the operation run last, without newline; returns its length. */
size_t zv_replay_counters_row(const struct zv_replay *replay, char to[ZV_REPLAY_ROW]);

/* The row of events.tsv for an event of operation op (0-based line). */
size_t zv_replay_event_row(uint64_t op, const struct zv_allocator_event *event,
                           char to[ZV_REPLAY_ROW]);

extern const char zv_replay_counters_head[]; /* first line of expected.tsv */
extern const char zv_replay_events_head[];   /* first line of events.tsv */

#endif
