/*
 * Any bytes as an op list, run through our allocator and the naive one side by side: addresses,
 * events, counters and peaks must agree after every operation, and our rules must hold.
 */
#ifndef ZIRVE_TESTS_ALLOCATOR_DUEL_H
#define ZIRVE_TESTS_ALLOCATOR_DUEL_H

#include <stddef.h>
#include <stdint.h>

/* NULL when all agrees, else what did not (static storage). */
const char *allocator_duel(const uint8_t *data, size_t size);

/* How much a run came to, so that a test can tell that it tried something. */
struct allocator_duel_count {
    uint64_t operations;
    uint64_t ooms;
    uint64_t device_frees;
    uint64_t waits; /* frees completed later than asked for */
};
extern struct allocator_duel_count allocator_duel_count;

#endif
