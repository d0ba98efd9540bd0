/*
 * Page rank: free pages with a key in the order in which they lose it, for policies that are no
 * queue. A binary heap whose first page is the next victim. Room-internal.
 */
#ifndef ZIRVE_KV_PAGE_RANK_H
#define ZIRVE_KV_PAGE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rank_entry {
    uint64_t uses;  /* of its content, 0 where the policy does not count them */
    uint64_t clock; /* when it was freed, or got its key */
    uint32_t place; /* in the heap, UINT32_MAX when not in it */
};

struct page_rank {
    struct rank_entry *entries; /* pages + 1 */
    uint32_t *heap;
    uint32_t count;
};

/* False when memory ends; page_rank_close is then still allowed. */
bool page_rank_open(struct page_rank *rank, uint32_t pages);
void page_rank_close(struct page_rank *rank);

void page_rank_add(struct page_rank *rank, uint32_t page);
void page_rank_remove(struct page_rank *rank, uint32_t page); /* it is in the heap */
uint32_t page_rank_first(const struct page_rank *rank);       /* count > 0 */

static inline bool page_rank_has(const struct page_rank *rank, uint32_t page)
{
    return rank->entries[page].place != UINT32_MAX;
}

#endif
