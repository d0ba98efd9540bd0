/* A map from the ids of an op list to allocations: open addressing, memory by live ids. */
#ifndef ZIRVE_ALLOCATOR_ID_MAP_H
#define ZIRVE_ALLOCATOR_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/allocator.h"

enum id_state { ID_ABSENT, ID_LIVE, ID_FAILED /* its allocation ran out of memory */ };

struct id_entry {
    uint64_t id;
    struct zv_allocation allocation;
    uint32_t state; /* enum id_state; ID_ABSENT: an empty slot */
};

/* Zero-initialise before use. */
struct id_map {
    struct id_entry *slots;
    uint64_t capacity; /* a power of two, at least twice count */
    uint64_t count;
};

/* Room for one more id; false when host memory is short. */
bool id_map_reserve(struct id_map *map);

/* The entry of id, or the empty slot for it (fill it in and raise count). Capacity must not be 0.
 */
struct id_entry *id_map_slot(const struct id_map *map, uint64_t id);

void id_map_remove(struct id_map *map, struct id_entry *entry);
void id_map_close(struct id_map *map);

#endif
