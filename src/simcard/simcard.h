/*
 * Room simcard: a card that is not there. What would the driver answer?
 *
 *     0   malloc base                        reserve base
 *     |   | range, lowest free address first |  | reservation 1 | reservation 2 | ...
 *
 * The card has a capacity in bytes, counted in granules of 2 MiB: ranges from malloc and mapped
 * pages of reservations take from it, and so does the baseline that others use. A card pages its
 * memory, so a range of addresses never fails for want of a hole: only the capacity counts.
 * Reservations follow each other and their addresses are never used again. Everything is
 * deterministic.
 *
 * Streams: work is only known as tickets. A ticket is done when its stream, or the whole device,
 * was finished after it was drawn.
 *
 * Also used by the emulated CUDA runtime: nothing here knows what an allocator is. What does not
 * belong: caching, statistics of an allocator, names of cards.
 */
#ifndef ZIRVE_SIMCARD_H
#define ZIRVE_SIMCARD_H

#include <stdbool.h>
#include <stdint.h>

#include "simcard/range_tree.h"
#include "zirve/error.h"

#define ZV_SIMCARD_GRANULE      (UINT64_C(2) << 20)
#define ZV_SIMCARD_MALLOC_BASE  (UINT64_C(1) << 48)
#define ZV_SIMCARD_RESERVE_BASE (UINT64_C(1) << 60)
#define ZV_SIMCARD_MAX_BYTES    (UINT64_C(1) << 48) /* largest capacity */

/* A reservation; never moved or reused, so an address finds it by binary search. */
struct zv_simcard_reservation {
    uint64_t address;
    uint64_t size_bytes; /* 0 once released */
    uint64_t mapped_bytes;
};

struct zv_simcard_stream {
    uint64_t stream;
    uint64_t finished; /* tickets up to this one are done on this stream */
};

struct zv_simcard {
    uint64_t capacity_bytes;
    uint64_t baseline_bytes; /* used by others */
    uint64_t used_bytes;     /* whole granules: ranges and mapped pages */
    struct range_tree ranges;
    struct zv_simcard_reservation *reservations; /* live ones, in order of address */
    uint32_t reservation_count;
    uint32_t reservation_capacity;
    uint64_t reserve_next;             /* address of the next reservation */
    struct zv_simcard_stream *streams; /* those that were finished on their own */
    uint32_t stream_count;
    uint32_t stream_capacity;
    uint64_t ticket;         /* last one drawn */
    uint64_t finished;       /* tickets up to this one are done on all streams */
    bool out_of_host_memory; /* an answer of 0 was for want of host memory, not of the card's */
};

/* Errors: ZV_E_LIMIT for a capacity of 0 or above 2^48 or a baseline above it, ZV_E_NOMEM. */
enum zv_status zv_simcard_open(struct zv_simcard *card, uint64_t capacity_bytes,
                               uint64_t baseline_bytes, struct zv_error *err);
void zv_simcard_close(struct zv_simcard *card);

uint64_t zv_simcard_free_bytes(const struct zv_simcard *card);

/* A range of whole granules; 0 when it does not fit. Size 0 gives 0. */
uint64_t zv_simcard_malloc(struct zv_simcard *card, uint64_t size_bytes);

/* False when address is no range of this card. Finishes the device, as cudaFree does. */
bool zv_simcard_free(struct zv_simcard *card, uint64_t address);

/* Addresses without memory; size_bytes must be a multiple of the granule. 0 on failure. */
uint64_t zv_simcard_reserve(struct zv_simcard *card, uint64_t size_bytes);

/* False unless a reservation starts there and nothing of it is mapped. */
bool zv_simcard_release(struct zv_simcard *card, uint64_t address);

/* Memory behind part of a reservation; whole granules, all or nothing. Overlaps are the caller's.
 */
bool zv_simcard_map(struct zv_simcard *card, uint64_t address, uint64_t size_bytes);
bool zv_simcard_unmap(struct zv_simcard *card, uint64_t address, uint64_t size_bytes);

/* Whether the bytes lie in one reservation, mapped or not; whole granules. */
bool zv_simcard_is_reserved(const struct zv_simcard *card, uint64_t address, uint64_t size_bytes);

/* Memory without addresses, as cuMemCreate gives it; whole granules. False when it does not fit. */
bool zv_simcard_take(struct zv_simcard *card, uint64_t size_bytes);
/* Gives back what was taken. */
void zv_simcard_give(struct zv_simcard *card, uint64_t size_bytes);

/* Queues work and returns its ticket. */
uint64_t zv_simcard_queue(struct zv_simcard *card);
bool zv_simcard_is_done(const struct zv_simcard *card, uint64_t stream, uint64_t ticket);
void zv_simcard_finish_device(struct zv_simcard *card);
/* What was queued up to this ticket is done, on all streams. */
void zv_simcard_finish_until(struct zv_simcard *card, uint64_t ticket);

/* All work queued so far on one stream is done. False when host memory is short. */
bool zv_simcard_finish_stream(struct zv_simcard *card, uint64_t stream);

#endif
