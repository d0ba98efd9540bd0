/*
 * Any bytes as calls of a page pool and of a cache: the pool must agree with a naive one, call by
 * call, and the cache must keep its own rules.
 */
#ifndef ZIRVE_TESTS_KV_DUEL_H
#define ZIRVE_TESTS_KV_DUEL_H

#include <stddef.h>
#include <stdint.h>

/* NULL when all holds, else what did not (static storage). */
const char *kv_pool_duel(const uint8_t *data, size_t size);
const char *kv_cache_duel(const uint8_t *data, size_t size);

/* How much the runs came to, so that a test can tell that they tried something. */
struct kv_duel_count {
    uint64_t taken;
    uint64_t evictions;
    uint64_t hits;
    uint64_t granted;
    uint64_t refused;
    uint64_t copies;
};
extern struct kv_duel_count kv_duel_count;

#endif
