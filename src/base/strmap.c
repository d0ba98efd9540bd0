#include "base/strmap.h"

#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
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

static uint64_t load64(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Fewer than eight bytes as one word: two halves that may overlap, or each byte. */
static uint64_t load_short(const char *at, size_t length)
{
    if (length >= sizeof(uint32_t)) {
        uint32_t first;
        uint32_t last;
        memcpy(&first, at, sizeof first);
        memcpy(&last, at + length - sizeof last, sizeof last);
        return (uint64_t)first << 32 | last;
    }
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++) {
        word = word << 8 | (unsigned char)at[i];
    }
    return word;
}

/*
 * Sixteen bytes a step, so that names of tensors are hashed faster than they are read; the last
 * step reads some bytes once more rather than fewer than sixteen. The length tells apart what
 * differs in that only.
 */
uint64_t zv_strmap_hash(struct zv_slice key)
{
    const uint64_t seed = seed_of_process();
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15) ^ seed;
    uint64_t hash = seed ^ key.length;
    if (key.length < 8) {
        hash = zv_hash_fold(hash ^ load_short(key.at, key.length), factor);
    } else {
        const char *const end = key.at + key.length;
        for (; end - key.at > 16; key.at += 16) {
            hash = zv_hash_fold(load64(key.at) ^ factor, load64(key.at + 8) ^ hash);
        }
        const char *const at = end - key.at >= 8 ? key.at : end - 8;
        hash = zv_hash_fold(load64(at) ^ factor, load64(end - 8) ^ hash);
    }
    return zv_hash_fold(hash, UINT64_C(0xD6E8FEB86659FD93));
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
