/*
 * A recorded trace run through the caching policy: does ours do what the recorded one did?
 *
 *     start state ──► caching policy ──► its events   compared, one by one, with   recorded events
 *                        ▲
 *                     a driver that answers as the recorded one did: the same addresses for
 *                     segments, and no room where the record shows that there was none
 *
 * Exact means: every address, every segment, every byte of every event. At the first difference the
 * replay stops: what follows in the record is then known only from the record itself.
 */
#ifndef ZIRVE_ALLOCATOR_TRACE_REPLAY_H
#define ZIRVE_ALLOCATOR_TRACE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/start.h"
#include "trace/trace.h"
#include "zirve/allocator.h"

/* The bytes of an instant; every one is of the device's whole allocator. */
struct zv_trace_usage {
    uint64_t allocated_bytes;
    uint64_t active_bytes;
    uint64_t requested_bytes;
    uint64_t reserved_bytes;
    uint64_t inactive_split_bytes;
};

/*
 * Called for each event (0-based), in order, until the replay stops; when it is called again for
 * the same event, the later usage counts.
 */
typedef void zv_trace_usage_fn(void *context, size_t event, const struct zv_trace_usage *usage);

struct zv_trace_replay_options {
    enum zv_torch_profile profile;
    const char *conf;            /* as recorded */
    zv_trace_usage_fn *on_usage; /* NULL: none */
    void *context;
};

struct zv_trace_replay {
    size_t events; /* equal ones, in a row from the first */
    size_t allocations;
    size_t segments; /* segment_alloc and segment_map among them */
    size_t total_events;
    size_t total_allocations;
    size_t total_segments;
    bool exact;
    /* When it is not: the first event that differs, in words. */
    const char *why; /* NULL when exact; part of a fixed set */
    struct zv_allocator_event recorded;
    struct zv_allocator_event replayed; /* action ZV_ACTION_COUNT: nothing */
};

/* Errors: ZV_E_SYNTAX (the configuration), ZV_E_LIMIT, ZV_E_NOMEM. A difference is no error. */
enum zv_status zv_trace_replay(struct zv_trace_replay *result, const struct zv_trace *trace,
                               size_t device, const struct zv_trace_start *start,
                               const struct zv_trace_replay_options *options, struct zv_error *err);

/*
 * The rules that zv_trace_start needs, of a configuration; context must outlive their use. Errors:
 * ZV_E_SYNTAX.
 */
struct allocator_config;
enum zv_status zv_trace_rules(struct zv_trace_rules *rules, struct allocator_config *context,
                              enum zv_torch_profile profile, const char *conf,
                              struct zv_error *err);

/* The profile of the PyTorch that wrote the trace. */
enum zv_torch_profile zv_trace_profile(const struct zv_trace *trace);

#endif
