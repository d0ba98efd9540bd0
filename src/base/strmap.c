#include "base/strmap.h"

#include <string.h>
#include <sys/random.h>

#include "base/memory.h"

/* FNV-1a started from a random seed, finished so that high bits reach the low ones. */
static uint64_t hash_of(struct zv_slice key)
{
    static uint64_t seed;
    if (seed == 0) {
        if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
            seed = UINT64_C(0x9E3779B97F4A7C15);
        }
        seed |= 1;
    }
    uint64_t hash = UINT64_C(14695981039346656037) ^ seed;
    for (size_t i = 0; i < key.length; i++) {
        hash = (hash ^ (unsigned char)key.at[i]) * UINT64_C(1099511628211);
    }
    hash ^= hash >> 32;
    hash *= UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ (hash >> 32);
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
    const uint64_t hash = hash_of(key);
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
    const size_t slot = slot_of(map, key, hash_of(key));
    return map->slots[slot] != 0 ? &map->entries[map->slots[slot] - 1] : NULL;
}

void zv_strmap_free(struct zv_strmap *map)
{
    zv_memory_free(map->entries);
    zv_memory_free(map->slots);
    *map = (struct zv_strmap){0};
}
