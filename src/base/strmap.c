#include "base/strmap.h"

#include <string.h>
#include <sys/random.h>

#include "base/memory.h"

/* Random, never 0, the same for all threads: the first to come sets it. */
static uint64_t seed_of_process(void)
{
    static uint64_t seed;
    uint64_t known = __atomic_load_n(&seed, __ATOMIC_RELAXED);
    if (known == 0) {
        uint64_t fresh;
        if (getrandom(&fresh, sizeof fresh, GRND_NONBLOCK) != (ssize_t)sizeof fresh) {
            fresh = UINT64_C(0x9E3779B97F4A7C15);
        }
        fresh |= 1;
        const bool first = __atomic_compare_exchange_n(&seed, &known, fresh, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        known = first ? fresh : known;
    }
    return known;
}

/* Both halves of the 128-bit product, so that every input bit reaches every output bit. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    const u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes a step: names of tensors are hashed faster than they are read. */
uint64_t zv_strmap_hash(struct zv_slice key)
{
    const uint64_t seed = seed_of_process();
    uint64_t hash = seed ^ key.length;
    while (key.length != 0) {
        uint64_t word = 0;
        const size_t step = key.length < sizeof word ? key.length : sizeof word;
        memcpy(&word, key.at, step);
        hash = fold(hash ^ word, UINT64_C(0x9E3779B97F4A7C15) ^ seed);
        key.at += step;
        key.length -= step;
    }
    return fold(hash, UINT64_C(0xD6E8FEB86659FD93));
}

/* The slot that holds key, or the free slot where it belongs; slot_count > 0. */
static size_t slot_of(const struct zv_strmap *map, struct zv_slice key, uint64_t hash)
{
    size_t slot = hash & (map->slot_count - 1);
    while (map->slots[slot] != 0) {
        const struct zv_strmap_entry *const entry = &map->entries[map->slots[slot] - 1];
        if (entry->hash == hash && entry->key.length == key.length &&
            (key.length == 0 || memcmp(entry->key.at, key.at, key.length) == 0)) {
            break;
        }
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return slot;
}

static bool grow(struct zv_strmap *map)
{
    const size_t capacity = map->capacity == 0 ? 16 : map->capacity * 2;
    if (capacity > UINT32_MAX / 2) {
        return false;
    }
    struct zv_strmap_entry *const entries =
        zv_memory_resize(map->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    map->entries = entries;
    uint32_t *const slots = zv_memory_resize(map->slots, capacity * 2 * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, capacity * 2 * sizeof *slots);
    map->slots = slots;
    map->slot_count = capacity * 2;
    map->capacity = capacity;
    for (size_t i = 0; i < map->count; i++) {
        slots[slot_of(map, entries[i].key, entries[i].hash)] = (uint32_t)(i + 1);
    }
    return true;
}

enum zv_strmap_result zv_strmap_add(struct zv_strmap *map, struct zv_slice key, uint64_t value,
                                    struct zv_strmap_entry **entry)
{
    if (map->count == map->capacity && !grow(map)) {
        return ZV_STRMAP_NOMEM;
    }
    const uint64_t hash = zv_strmap_hash(key);
    const size_t slot = slot_of(map, key, hash);
    if (map->slots[slot] != 0) {
        *entry = &map->entries[map->slots[slot] - 1];
        return ZV_STRMAP_EXISTS;
    }
    map->entries[map->count] = (struct zv_strmap_entry){key, hash, value};
    *entry = &map->entries[map->count++];
    map->slots[slot] = (uint32_t)map->count;
    return ZV_STRMAP_ADDED;
}

struct zv_strmap_entry *zv_strmap_find(const struct zv_strmap *map, struct zv_slice key)
{
    if (map->slot_count == 0) {
        return NULL;
    }
    const size_t slot = slot_of(map, key, zv_strmap_hash(key));
    return map->slots[slot] != 0 ? &map->entries[map->slots[slot] - 1] : NULL;
}

void zv_strmap_free(struct zv_strmap *map)
{
    zv_memory_free(map->entries);
    zv_memory_free(map->slots);
    *map = (struct zv_strmap){0};
}
