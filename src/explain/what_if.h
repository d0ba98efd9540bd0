/*
 * What if: a record's requests under other settings, and how much would have been reserved when.
 *
 *     record ─► requests (an op list; each event's line) ─► allocator on a simulated card ─► curve
 *
 * The run begins with an empty allocator: what was live before the record is requested first. What
 * comes of it is emulated.
 */
#ifndef ZIRVE_EXPLAIN_WHAT_IF_H
#define ZIRVE_EXPLAIN_WHAT_IF_H

#include <stddef.h>
#include <stdint.h>

#include "allocator/replay.h"
#include "base/buffer.h"
#include "explain/record.h"

/* Close after a failure too. */
struct zv_requests {
    struct zv_buffer ops;
    uint64_t *lines; /* of each event, 1-based */
    size_t event_count;
};

/* Errors: ZV_E_UNSUPPORTED for a timeline, which has no addresses; ZV_E_NOMEM. */
enum zv_status zv_requests_make(struct zv_requests *requests, const struct zv_record *record,
                                struct zv_error *err);
void zv_requests_close(struct zv_requests *requests);

/* The event (1-based) whose operation a line holds; 0: before the first. */
uint64_t zv_requests_event(const struct zv_requests *requests, uint64_t line);

enum { ZV_CURVE_COLUMNS = 1024 };

/* The most reserved bytes in each of `columns` equal parts of the record's instants. */
struct zv_curve {
    uint64_t reserved_bytes[ZV_CURVE_COLUMNS];
    size_t columns;
};

/*
 * Runs the requests once. Pools of the outcome live in the arena. Errors: those of zv_replay_open
 * and zv_replay_step.
 */
enum zv_status zv_curve_run(struct zv_curve *curve, struct zv_replay_outcome *outcome,
                            const struct zv_requests *requests,
                            const struct zv_allocator_options *options, struct zv_arena *arena,
                            struct zv_error *err);

#endif
