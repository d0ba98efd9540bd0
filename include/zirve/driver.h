/*
 * A driver: what an allocator asks a card for. A real card is one (zirve/device.h), with virtual
 * memory management or without; the simulated card is one too (zv_allocator_open makes it when no
 * driver is given).
 *
 * Calls come from the thread that calls the allocator, one at a time. Addresses are never 0.
 */
#ifndef ZIRVE_DRIVER_H
#define ZIRVE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/error.h"

struct zv_driver {
    void *context;

    /* cudaMalloc: the address, or 0 when the card has no room. */
    uint64_t (*allocate)(void *context, uint64_t size_bytes);
    /* cudaFree: waits for all work of the device. */
    void (*release)(void *context, uint64_t address);

    /* cuMemAddressReserve: addresses without memory, or 0. NULL, with the next three: the card has
     * no virtual memory management. */
    uint64_t (*reserve)(void *context, uint64_t size_bytes);
    /* cuMemAddressFree, of a whole reservation of which nothing is mapped. */
    void (*unreserve)(void *context, uint64_t address, uint64_t size_bytes);
    /*
     * cuMemCreate, cuMemMap and cuMemSetAccess of pages pages of page_bytes each from address on.
     * All or nothing: when one page cannot be created, those before it are given back.
     */
    bool (*map)(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages);
    /* cuMemUnmap and cuMemRelease of the same pages; waits for the work of stream first. */
    void (*unmap)(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages,
                  uint64_t stream);

    /* cudaMemGetInfo */
    void (*memory_info)(void *context, uint64_t *free_bytes, uint64_t *total_bytes);

    /* cudaEventRecord on a stream: a number that names the event. */
    uint64_t (*record)(void *context, uint64_t stream);
    /* cudaEventQuery: whether everything queued on the stream before the event is done. */
    bool (*is_done)(void *context, uint64_t stream, uint64_t event);
    /* cudaEventSynchronize; afterwards is_done says true for this event. */
    void (*wait)(void *context, uint64_t stream, uint64_t event);

    /*
     * Why an answer of 0 or false was for another reason than want of the card's memory: such a
     * request ends with this status. ZV_OK when there was no such reason; NULL: never.
     */
    enum zv_status (*failure)(void *context, struct zv_error *err);
};

/* How often a driver was called and about how long that took, on the clock of the model. */
struct zv_driver_calls {
    uint64_t allocate;
    uint64_t allocate_failed; /* not in allocate */
    uint64_t release;
    uint64_t reserve;
    uint64_t unreserve;
    uint64_t map; /* calls, each one or more pages */
    uint64_t map_failed;
    uint64_t map_pages;
    uint64_t unmap;
    uint64_t unmap_pages;
    uint64_t memory_info;
    uint64_t wait;
    uint64_t time_ns; /* zv_allocator_latency of docs/ALLOCATOR.md; assumed, not measured here */
};

#endif
