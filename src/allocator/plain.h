/*
 * The two policies without a cache of blocks.
 *
 * direct: every allocation is a call of the driver, every free too.
 *
 * async: cudaMallocAsync with the pool that PyTorch sets up. How the driver places blocks in a
 * stream-ordered pool is not documented, so only what is known is modelled: the pool grows in
 * steps, keeps what is freed up to its release threshold, and memory freed on one stream serves
 * others at once (or after the work is finished). Bytes count, places do not: what it reserves is a
 * lower bound, and addresses are nominal. docs/ALLOCATOR.md has the sources.
 */
#ifndef ZIRVE_ALLOCATOR_PLAIN_H
#define ZIRVE_ALLOCATOR_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "allocator/statistics.h"
#include "zirve/allocator.h"

struct plain_entry {
    uint64_t address;
    uint64_t bytes; /* as asked for */
    uint64_t size;  /* what it takes */
    uint64_t stream;
    uint32_t generation;
    uint32_t next_unused;
    bool live;
};

/* Bytes freed on a stream that others may not have yet. */
struct plain_stream {
    uint64_t stream;
    uint64_t free_bytes;
};

struct plain {
    struct zv_driver driver;
    struct statistics stats;
    zv_allocator_event_fn *on_event;
    void *event_context;
    bool is_async;
    struct zv_async_options options;

    struct plain_entry *entries; /* from 1 on */
    uint32_t entry_count;
    uint32_t entry_capacity;
    uint32_t unused_entries;

    uint64_t pool_address; /* async: reservation that the pool's memory is mapped in */
    uint64_t pool_bytes;   /* its size */
    uint64_t mapped_bytes;
    uint64_t used_bytes;
    uint64_t next_address; /* nominal */
    struct plain_stream *streams;
    uint32_t stream_count;
    uint32_t stream_capacity;
};

enum zv_status plain_open(struct plain *plain, struct zv_error *err);
void plain_close(struct plain *plain);
enum zv_status plain_malloc(struct plain *plain, uint64_t bytes, uint64_t stream,
                            struct zv_allocation *to, struct zv_error *err);
enum zv_status plain_free(struct plain *plain, struct zv_allocation allocation,
                          struct zv_error *err);
bool plain_is_live(const struct plain *plain, struct zv_allocation allocation);
void plain_empty_cache(struct plain *plain);
/* Queued work is done: what is above the release threshold goes back. */
void plain_finish(struct plain *plain);
uint64_t plain_largest_free(const struct plain *plain);
enum zv_status plain_check(const struct plain *plain, struct zv_error *err);

#endif
