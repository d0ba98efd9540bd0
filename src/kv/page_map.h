/*
 * Page map: key and group -> the page that was published first with it. Room-internal.
 *
 *   slots (hash, linear probing) ─► first page ⇄ second page ⇄ … (same key, in order of
 * publication)
 *
 * Keys live in a record per page; a slot is a page number and a part of its hash. Removal closes
 * the gap by moving later entries up, so that no marks of the dead pile up.
 */
#ifndef ZIRVE_KV_PAGE_MAP_H
#define ZIRVE_KV_PAGE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/kv.h"

struct page_record {
    struct zv_kv_key key;
    uint32_t group;
    uint32_t next; /* with the same key, a ring; 0: the page has no key */
    uint32_t previous;
};

struct page_slot {
    uint32_t page; /* 0: empty */
    uint32_t tag;
};

struct page_map {
    struct page_record *records; /* pages + 1 */
    struct page_slot *slots;
    uint32_t mask;
    uint32_t distinct; /* keys */
    uint32_t keyed;    /* pages */
};

/* False when memory ends; page_map_close is then still allowed. pages <= ZV_KV_MAX_PAGES. */
bool page_map_open(struct page_map *map, uint32_t pages);
void page_map_close(struct page_map *map);

uint32_t page_map_find(const struct page_map *map, const struct zv_kv_key *key, uint32_t group);
void page_map_add(struct page_map *map, uint32_t page, const struct zv_kv_key *key, uint32_t group);
void page_map_remove(struct page_map *map, uint32_t page);

#endif
