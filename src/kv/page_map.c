#include "kv/page_map.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Keys may be small counts (a trace's ids), so every bit is spread. */
static uint64_t hash_of(const struct zv_kv_key *key, uint32_t group)
{
    const uint64_t low = key->low ^ UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t high = key->high ^ UINT64_C(0xC2B2AE3D27D4EB4F) ^ ((uint64_t)group << 40);
    return zv_hash_fold(zv_hash_fold(low, UINT64_C(0xD6E8FEB86659FD93)) ^ high,
                        UINT64_C(0xA0761D6478BD642F));
}

bool page_map_open(struct page_map *map, uint32_t pages)
{
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)pages) {
        slots *= 2;
    }
    *map = (struct page_map){.mask = (uint32_t)(slots - 1)};
    map->records = zv_memory_alloc((pages + (size_t)1) * sizeof *map->records);
    map->slots = zv_memory_alloc((size_t)slots * sizeof *map->slots);
    if (map->records == NULL || map->slots == NULL) {
        return false;
    }
    memset(map->records, 0, (pages + (size_t)1) * sizeof *map->records);
    memset(map->slots, 0, (size_t)slots * sizeof *map->slots);
    return true;
}

void page_map_close(struct page_map *map)
{
    zv_memory_free(map->records);
    zv_memory_free(map->slots);
    *map = (struct page_map){0};
}

static bool is_key(const struct page_record *record, const struct zv_kv_key *key, uint32_t group)
{
    return record->key.low == key->low && record->key.high == key->high && record->group == group;
}

/* The slot of a key, or the empty one where it would go. At most half of the slots are full. */
static uint32_t slot_of(const struct page_map *map, const struct zv_kv_key *key, uint32_t group,
                        uint64_t hash)
{
    const uint32_t tag = (uint32_t)(hash >> 32);
    uint32_t at = (uint32_t)hash & map->mask;
    while (map->slots[at].page != 0 &&
           (map->slots[at].tag != tag || !is_key(&map->records[map->slots[at].page], key, group))) {
        at = (at + 1) & map->mask;
    }
    return at;
}

uint32_t page_map_find(const struct page_map *map, const struct zv_kv_key *key, uint32_t group)
{
    return map->slots[slot_of(map, key, group, hash_of(key, group))].page;
}

void page_map_add(struct page_map *map, uint32_t page, const struct zv_kv_key *key, uint32_t group)
{
    struct page_record *const record = &map->records[page];
    const uint64_t hash = hash_of(key, group);
    struct page_slot *const slot = &map->slots[slot_of(map, key, group, hash)];
    assert(record->next == 0);
    *record = (struct page_record){*key, group, page, page};
    map->keyed++;
    if (slot->page == 0) {
        *slot = (struct page_slot){page, (uint32_t)(hash >> 32)};
        map->distinct++;
        return;
    }
    struct page_record *const first = &map->records[slot->page];
    record->next = slot->page; /* before the first is after the last */
    record->previous = first->previous;
    map->records[first->previous].next = page;
    first->previous = page;
}

/* Moves entries up that would no longer be found across the gap at hole. */
static void close_gap(struct page_map *map, uint32_t hole)
{
    uint32_t at = (hole + 1) & map->mask;
    while (map->slots[at].page != 0) {
        const struct page_record *const record = &map->records[map->slots[at].page];
        const uint32_t home = (uint32_t)hash_of(&record->key, record->group) & map->mask;
        if (((at - home) & map->mask) >= ((at - hole) & map->mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
        at = (at + 1) & map->mask;
    }
    map->slots[hole] = (struct page_slot){0};
}

void page_map_remove(struct page_map *map, uint32_t page)
{
    struct page_record *const record = &map->records[page];
    assert(record->next != 0);
    const uint32_t at =
        slot_of(map, &record->key, record->group, hash_of(&record->key, record->group));
    map->keyed--;
    if (record->next == page) {
        map->distinct--;
        close_gap(map, at);
    } else {
        map->records[record->next].previous = record->previous;
        map->records[record->previous].next = record->next;
        if (map->slots[at].page == page) {
            map->slots[at].page = record->next;
        }
    }
    record->next = 0;
    record->previous = 0;
}
