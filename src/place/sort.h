/* Sorting indices by 64-bit keys, stable, in linear time: a byte of the key at a time. */
#ifndef ZIRVE_PLACE_SORT_H
#define ZIRVE_PLACE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct place_key {
    uint64_t key;
    uint32_t index;
};

/* Sorts keys ascending; spare has the same room. Bytes that all keys share cost nothing. */
void place_sort(struct place_key *keys, struct place_key *spare, size_t count);

#endif
