/*
 * A map from strings to 64-bit values: open addressing, insertion only, ordered by insertion when
 * walked. Keys are slices that must outlive the map. Seeded per process against hostile keys.
 */
#ifndef ZIRVE_BASE_STRMAP_H
#define ZIRVE_BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct zv_strmap_entry {
    struct zv_slice key;
    uint64_t hash;
    uint64_t value;
};

/* Zero-initialise before use. */
struct zv_strmap {
    struct zv_strmap_entry *entries; /* in order of insertion */
    size_t count;
    size_t capacity;
    uint32_t *slots; /* index + 1 into entries, 0 = free */
    size_t slot_count;
};

/* The hash the map uses: the same for equal keys within one process, different between processes.
 */
uint64_t zv_strmap_hash(struct zv_slice key);

enum zv_strmap_result { ZV_STRMAP_ADDED, ZV_STRMAP_EXISTS, ZV_STRMAP_NOMEM };

/* Adds key, or leaves the existing entry; *entry is the entry in both cases. */
enum zv_strmap_result zv_strmap_add(struct zv_strmap *map, struct zv_slice key, uint64_t value,
                                    struct zv_strmap_entry **entry);

/* NULL when absent. */
struct zv_strmap_entry *zv_strmap_find(const struct zv_strmap *map, struct zv_slice key);

void zv_strmap_free(struct zv_strmap *map);

#endif
