#include "trace/address_map.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 256 };

static size_t home(const struct address_map *map, uint64_t address)
{
    uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
    return (size_t)hash & (map->capacity - 1);
}

/* The slot of address, or the empty one where it would be. */
static size_t slot_of(const struct address_map *map, uint64_t address)
{
    size_t slot = home(map, address);
    while (map->slots[slot].value != 0 && map->slots[slot].address != address) {
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

static bool grow(struct address_map *map)
{
    struct address_map bigger = {.capacity = map->capacity == 0 ? FIRST_SLOTS : map->capacity * 2,
                                 .count = map->count};
    bigger.slots = zv_memory_alloc(bigger.capacity * sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        return false;
    }
    memset(bigger.slots, 0, bigger.capacity * sizeof *bigger.slots);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].value != 0) {
            bigger.slots[slot_of(&bigger, map->slots[i].address)] = map->slots[i];
        }
    }
    zv_memory_free(map->slots);
    *map = bigger;
    return true;
}

bool address_map_put(struct address_map *map, uint64_t address, uint32_t value)
{
    if (map->count * 2 >= map->capacity && !grow(map)) {
        return false;
    }
    struct address_entry *const entry = &map->slots[slot_of(map, address)];
    map->count += entry->value == 0;
    *entry = (struct address_entry){address, value};
    return true;
}

uint32_t address_map_get(const struct address_map *map, uint64_t address)
{
    return map->capacity == 0 ? 0 : map->slots[slot_of(map, address)].value;
}

uint32_t address_map_take(struct address_map *map, uint64_t address)
{
    if (map->capacity == 0) {
        return 0;
    }
    size_t hole = slot_of(map, address);
    const uint32_t value = map->slots[hole].value;
    if (value == 0) {
        return 0;
    }
    for (size_t at = (hole + 1) & (map->capacity - 1); map->slots[at].value != 0;
         at = (at + 1) & (map->capacity - 1)) {
        const size_t wanted = home(map, map->slots[at].address);
        if (((at - wanted) & (map->capacity - 1)) >= ((at - hole) & (map->capacity - 1))) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].value = 0;
    map->count--;
    return value;
}

void address_map_free(struct address_map *map)
{
    zv_memory_free(map->slots);
    *map = (struct address_map){0};
}
