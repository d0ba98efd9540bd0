#include "allocator/id_map.h"

#include <string.h>

#include "base/memory.h"

static uint64_t home(const struct id_map *map, uint64_t id)
{
    id ^= id >> 32;
    id *= UINT64_C(0x9E3779B97F4A7C15);
    return (id ^ (id >> 29)) & (map->capacity - 1);
}

struct id_entry *id_map_slot(const struct id_map *map, uint64_t id)
{
    uint64_t at = home(map, id);
    while (map->slots[at].state != ID_ABSENT && map->slots[at].id != id) {
        at = (at + 1) & (map->capacity - 1);
    }
    return &map->slots[at];
}

bool id_map_reserve(struct id_map *map)
{
    if (map->count < map->capacity / 2) {
        return true;
    }
    const struct id_map old = *map;
    const uint64_t capacity = old.capacity == 0 ? 64 : old.capacity * 2;
    struct id_entry *const slots = zv_memory_alloc(capacity * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, capacity * sizeof *slots);
    map->slots = slots;
    map->capacity = capacity;
    for (uint64_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].state != ID_ABSENT) {
            *id_map_slot(map, old.slots[i].id) = old.slots[i];
        }
    }
    zv_memory_free(old.slots);
    return true;
}

/* Closes the gap, so that no marker of a removed entry is needed. */
void id_map_remove(struct id_map *map, struct id_entry *entry)
{
    const uint64_t mask = map->capacity - 1;
    uint64_t gap = (uint64_t)(entry - map->slots);
    for (uint64_t at = (gap + 1) & mask; map->slots[at].state != ID_ABSENT; at = (at + 1) & mask) {
        if (((at - home(map, map->slots[at].id)) & mask) >= ((at - gap) & mask)) {
            map->slots[gap] = map->slots[at];
            gap = at;
        }
    }
    map->slots[gap].state = ID_ABSENT;
    map->count--;
}

void id_map_close(struct id_map *map)
{
    zv_memory_free(map->slots);
    *map = (struct id_map){0};
}
