/* A map from addresses to table entries: open addressing, removal without leftovers. */
#ifndef ZIRVE_TRACE_ADDRESS_MAP_H
#define ZIRVE_TRACE_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_entry {
    uint64_t address;
    uint32_t value; /* 0: an empty slot */
};

/* Zero-initialise before use. */
struct address_map {
    struct address_entry *slots;
    size_t capacity; /* a power of two, at least twice count */
    size_t count;
};

/* value is not 0. False when host memory is short; an entry that is there is replaced. */
bool address_map_put(struct address_map *map, uint64_t address, uint32_t value);

/* 0 when absent. */
uint32_t address_map_get(const struct address_map *map, uint64_t address);

/* What was there, 0 when absent. */
uint32_t address_map_take(struct address_map *map, uint64_t address);

void address_map_free(struct address_map *map);

#endif
