#include "kv/page_rank.h"

#include "base/memory.h"

bool page_rank_open(struct page_rank *rank, uint32_t pages)
{
    const size_t count = (size_t)pages + 1;
    rank->entries = zv_memory_alloc(count * sizeof *rank->entries);
    rank->heap = zv_memory_alloc(count * sizeof *rank->heap);
    rank->count = 0;
    if (rank->entries == NULL || rank->heap == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        rank->entries[i] = (struct rank_entry){.place = UINT32_MAX};
    }
    return true;
}

void page_rank_close(struct page_rank *rank)
{
    zv_memory_free(rank->entries);
    zv_memory_free(rank->heap);
    *rank = (struct page_rank){0};
}

static bool is_before(const struct page_rank *rank, uint32_t a, uint32_t b)
{
    const struct rank_entry *const x = &rank->entries[a];
    const struct rank_entry *const y = &rank->entries[b];
    return x->uses != y->uses ? x->uses < y->uses : x->clock < y->clock;
}

static void put(struct page_rank *rank, uint32_t place, uint32_t page)
{
    rank->heap[place] = page;
    rank->entries[page].place = place;
}

static void sift_up(struct page_rank *rank, uint32_t place, uint32_t page)
{
    while (place != 0 && is_before(rank, page, rank->heap[(place - 1) / 2])) {
        put(rank, place, rank->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(rank, place, page);
}

static void sift_down(struct page_rank *rank, uint32_t place, uint32_t page)
{
    for (uint32_t child = 2 * place + 1; child < rank->count; child = 2 * place + 1) {
        if (child + 1 < rank->count && is_before(rank, rank->heap[child + 1], rank->heap[child])) {
            child++;
        }
        if (!is_before(rank, rank->heap[child], page)) {
            break;
        }
        put(rank, place, rank->heap[child]);
        place = child;
    }
    put(rank, place, page);
}

void page_rank_add(struct page_rank *rank, uint32_t page)
{
    sift_up(rank, rank->count++, page);
}

void page_rank_remove(struct page_rank *rank, uint32_t page)
{
    const uint32_t place = rank->entries[page].place;
    const uint32_t last = rank->heap[--rank->count];
    rank->entries[page].place = UINT32_MAX;
    if (last == page) {
        return;
    }
    if (place != 0 && is_before(rank, last, rank->heap[(place - 1) / 2])) {
        sift_up(rank, place, last);
    } else {
        sift_down(rank, place, last);
    }
}

uint32_t page_rank_first(const struct page_rank *rank)
{
    return rank->heap[0];
}
