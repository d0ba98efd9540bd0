/*
 * Serving: continuous batching of a request trace in steps, first come first served.
 *
 *   step k, at k · 25 ms
 *     1  requests that have come join the end of the waiting ones
 *     2  running requests, oldest first, get min(what is known and not computed, budget left)
 * tokens 3  waiting requests, from the front: admitted while there is budget, a place and memory 4
 * who has computed all that is known gets one token; who has its last one is done
 *
 * Paged: a request gets pages for the tokens of its step. When there are none, the request that
 * runs last is pre-empted: it loses all its pages and goes to the front of those that wait. In such
 * a step nobody is admitted. Contiguous: a request waits until a hole takes all it may ever need.
 * Steps in which nothing runs or waits are passed over. These are the rules of vLLM's scheduler
 * without speculation; only the time of a step is ours.
 */
#ifndef ZIRVE_KV_SERVE_H
#define ZIRVE_KV_SERVE_H

#include "kv/figures.h"
#include "kv/request_trace.h"
#include "kv/reservation.h"
#include "zirve/kv.h"

enum { KV_OCCUPANCY_POINTS = 480 };

/* One step: what was in use after requests were admitted. */
struct kv_moment {
    uint64_t used;   /* pages or slots */
    uint64_t cached; /* pages with a key, in use or free */
    uint64_t running;
    uint64_t waiting;
    uint64_t preemptions; /* so far */
};

struct kv_point {
    uint64_t steps;
    uint64_t sum_used;
    uint64_t sum_running;
    struct kv_moment peak; /* of each for itself; preemptions: at its end */
};

/* What was in use over time: all steps so far in at most so many equal spans. */
struct kv_occupancy {
    uint64_t span; /* steps of a point, a power of two */
    size_t count;
    struct kv_point points[KV_OCCUPANCY_POINTS];
};

struct kv_serve_options {
    uint64_t step_tokens;   /* budget of a step */
    uint32_t max_sequences; /* that run at once */
    uint64_t limit;         /* requests of the trace; 0: all */

    struct zv_kv_cache_options cache; /* paged; its step_tokens are set from the above */

    uint64_t slots; /* contiguous */
    struct kv_reservation reservation;
};

struct kv_serve {
    struct kv_figures figures;
    struct kv_occupancy occupancy;
};

/* Errors of both: the source's, ZV_E_USAGE, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status kv_serve_paged(struct kv_serve *to, struct zv_request_source source,
                              const struct kv_serve_options *options, struct zv_error *err);
enum zv_status kv_serve_contiguous(struct kv_serve *to, struct zv_request_source source,
                                   const struct kv_serve_options *options, struct zv_error *err);

/* Doubles spans until there are at most so many points. */
void kv_occupancy_coarsen(struct kv_occupancy *occupancy, size_t most);

/* Room-internal: one more step. */
void occupancy_add(struct kv_occupancy *occupancy, const struct kv_moment *moment);

#endif
