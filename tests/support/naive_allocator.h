/*
 * The caching policy a second time, written only to be obviously right: one unordered array of
 * chunks, every question answered by looking at all of them, counters added up anew each time.
 * Slow beyond a few hundred chunks. Shares no code with src/allocator.
 */
#ifndef ZIRVE_TESTS_NAIVE_ALLOCATOR_H
#define ZIRVE_TESTS_NAIVE_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/allocator.h"

enum {
    NAIVE_CHUNKS = 2048,
    NAIVE_SEGMENTS = 1024,
    NAIVE_EVENTS = 4096,
    NAIVE_STREAMS = 8,
    NAIVE_POOLS = 4, /* private pools 1 to 3; 0 is the default */
    NAIVE_SCOPES = 8
};

enum naive_state { NAIVE_DEAD, NAIVE_FREE, NAIVE_UNMAPPED, NAIVE_BUSY, NAIVE_PENDING };

struct naive_chunk {
    enum naive_state state;
    uint64_t address;
    uint64_t size;
    uint64_t requested;
    uint64_t born; /* calls of its pool when it became free */
    unsigned stream;
    unsigned pool; /* 2 * private pool + (1 for large) */
    size_t segment;
    unsigned uses; /* bit per stream */
    unsigned waits;
};

struct naive_segment {
    bool live;
    bool reserved; /* addresses whose pages are mapped one by one */
    uint64_t address;
    uint64_t size;
    uint64_t page;
};

struct naive_wait {
    bool live;
    size_t chunk;
    uint64_t ticket;
};

struct naive_options {
    bool is_new;
    uint64_t capacity;
    bool expandable;
    uint64_t max_split;
    uint64_t non_split;
    double gc;
    uint64_t divisions;
    double fraction; /* below 0: none was ever set */
};

struct naive_pool {
    unsigned uses;
    unsigned flags;
    bool exists;
};

struct naive {
    struct naive_options options;
    size_t chunk_end; /* one past the last entry ever used */
    size_t segment_end;
    struct naive_chunk chunks[NAIVE_CHUNKS];
    struct naive_segment segments[NAIVE_SEGMENTS];
    struct naive_wait waits[NAIVE_STREAMS][NAIVE_CHUNKS]; /* queues */
    size_t wait_first[NAIVE_STREAMS];
    size_t wait_count[NAIVE_STREAMS];
    size_t deferred[NAIVE_CHUNKS];
    size_t deferred_count;
    uint64_t ticket;
    uint64_t finished[NAIVE_STREAMS];
    uint64_t next_reservation;
    uint64_t calls[2 * NAIVE_POOLS];
    struct naive_pool pools[NAIVE_POOLS];
    struct {
        unsigned pool;
        bool any;
        unsigned stream;
    } scopes[NAIVE_SCOPES];
    size_t scope_count;
    bool capturing;
    uint64_t retries;
    uint64_t ooms;
    uint64_t device_allocs;
    uint64_t device_frees;
    struct zv_allocator_event events[NAIVE_EVENTS]; /* of the operation run last */
    size_t event_count;
    bool full; /* ran out of its fixed tables: results no longer mean anything */
};

void naive_open(struct naive *naive, const struct naive_options *options);
/* The address, 0 when out of memory. */
uint64_t naive_malloc(struct naive *naive, uint64_t bytes, unsigned stream);
void naive_free(struct naive *naive, uint64_t address);
void naive_record(struct naive *naive, uint64_t address, unsigned stream);
void naive_empty_cache(struct naive *naive);
void naive_finish(struct naive *naive, unsigned stream); /* NAIVE_STREAMS: all */
void naive_pool_retain(struct naive *naive, unsigned pool, unsigned flags);
void naive_pool_empty(struct naive *naive, unsigned pool);

/* The sum of what `what` picks over all chunks. */
uint64_t naive_sum(const struct naive *naive, enum zv_stat stat);

#endif
