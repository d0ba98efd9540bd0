/* Every block of the caching policy, as it stands: for records of what a replay came to. */
#ifndef ZIRVE_ALLOCATOR_WALK_H
#define ZIRVE_ALLOCATOR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/allocator.h"

struct zv_walk_block {
    uint64_t address;
    uint64_t bytes;
    uint64_t requested_bytes; /* 0 when free */
    uint64_t stream;
    uint64_t pool_id; /* private pool, 0: the default */
    bool is_small;    /* pool */
    bool is_allocated;
    bool is_pending;
    bool is_expandable; /* part of a reservation */
    bool begins;        /* a segment from the driver begins here */
};

typedef void zv_walk_fn(void *context, const struct zv_walk_block *block);

/* In no particular order; unmapped addresses are left out. Nothing with another policy. */
void zv_allocator_walk(const struct zv_allocator *allocator, zv_walk_fn *tell, void *context);

#endif
