/*
 * Request queue: what a first-come-first-served scheduler holds. Memory is that of the requests
 * that have come and are not done. Room-internal.
 *
 *   source ─► waiting (front first) ─► running (oldest first) ─► done
 *                     ▲──────────────────────┘ pre-empted: to the front
 */
#ifndef ZIRVE_KV_REQUEST_QUEUE_H
#define ZIRVE_KV_REQUEST_QUEUE_H

#include "kv/request_trace.h"
#include "zirve/kv.h"

/* A scheduler's step; arrivals are seen at its beginning. */
#define KV_STEP_TICKS (ZV_TICKS_PER_SECOND / 40)

struct live_request {
    struct zv_request request; /* ids are the queue's own copy */
    uint64_t number;           /* in the order of the file */
    uint64_t known;            /* tokens: the prompt and what was generated */
    uint64_t computed;
    uint64_t address;  /* contiguous: first slot */
    uint64_t reserved; /* contiguous: slots */
    uint32_t sequence; /* paged */
    bool is_open;      /* sequence is its name */
    bool was_admitted; /* before it was pre-empted */
    bool has_keys;
    uint32_t next_unused;
    uint64_t *ids;
    size_t id_capacity;
    struct zv_kv_key *keys;
    size_t key_capacity;
};

struct request_queue {
    struct live_request *live;
    uint32_t live_count;
    uint32_t live_capacity;
    uint32_t first_unused; /* index + 1 */

    uint32_t *waiting; /* a ring of indexes; its size is a power of two */
    uint32_t waiting_mask;
    uint32_t waiting_head;
    uint32_t waiting_count;

    uint32_t *running;
    uint32_t running_count;
    uint32_t running_capacity;

    struct zv_request_source source;
    struct zv_request next; /* not come yet */
    bool has_next;
    uint64_t limit; /* requests of the source; UINT64_MAX: all */
    uint64_t read;
};

/* limit 0: all requests; at most running requests run. Close it also after a failure. */
enum zv_status queue_open(struct request_queue *queue, struct zv_request_source source,
                          uint64_t limit, uint32_t running, struct zv_error *err);
void queue_close(struct request_queue *queue);

/* Passes over the next request, or takes it to the end of the waiting ones; reads the one after. */
enum zv_status queue_skip_next(struct request_queue *queue, struct zv_error *err);
enum zv_status queue_take_next(struct request_queue *queue, struct zv_error *err);

struct live_request *queue_front(struct request_queue *queue); /* of those that wait */
void queue_start_front(struct request_queue *queue);           /* waiting to running */
void queue_preempt_last(struct request_queue *queue);          /* running to waiting */

static inline struct live_request *queue_running(struct request_queue *queue, uint32_t at)
{
    return &queue->live[queue->running[at]];
}

/* Forgets running requests whose known tokens are 0, keeping the order of the others. */
void queue_drop_done(struct request_queue *queue);

#endif
