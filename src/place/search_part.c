#include "place/search_part.h"

#include <assert.h>
#include <stdlib.h>

/* ---- room ---- */

size_t search_padded(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

bool search_has_room(struct search *search, size_t bytes)
{
    search->cut |= bytes > search->stack_size - search->stack_used;
    return !search->cut;
}

void *search_take(struct search *search, int32_t count, size_t size)
{
    void *const at = search->stack + search->stack_used;
    search->stack_used += search_padded((size_t)count * size);
    assert(search->stack_used <= search->stack_size);
    return at;
}

/* ---- parts ---- */

static int by_rank(const void *a, const void *b)
{
    const struct search_ranked *const x = a;
    const struct search_ranked *const y = b;
    for (int i = 0; i < 4; i++) {
        if (x->keys[i] != y->keys[i]) {
            return x->keys[i] < y->keys[i] ? -1 : 1;
        }
    }
    return x->block < y->block ? -1 : x->block > y->block;
}

uint32_t search_crossed(const struct search *search, const struct search_block *block)
{
    int32_t most = 0;
    for (int32_t s = block->first; s < block->end; s++) {
        most = search->rest[s] > most ? search->rest[s] : most;
    }
    return (uint32_t)most;
}

static void rank(const struct search *search, int32_t index, struct search_ranked *to)
{
    const struct search_block *const block = &search->blocks[index];
    *to = (struct search_ranked){.block = index};
    for (int i = 0; i < 4 && search->order[i] != 0; i++) {
        switch (search->order[i]) {
        case 'T':
            to->keys[i] = UINT32_MAX - search_crossed(search, block);
            break;
        case 'W':
            to->keys[i] = block->rank[0];
            break;
        case 'A':
            to->keys[i] = block->rank[1];
            break;
        default:
            to->keys[i] = block->rank[2];
            break;
        }
    }
}

struct search_part *search_part_make(struct search *search, const struct search_part *above,
                                     int32_t first, int32_t end)
{
    const int32_t most = above != NULL ? above->count : search->count;
    int32_t count = 0;
    for (int32_t i = 0; i < most; i++) {
        const int32_t index = above != NULL ? above->block[i] : i;
        const struct search_block *const block = &search->blocks[index];
        if (!search->placed[index] && block->first < end && block->end > first) {
            rank(search, index, &search->ranked[count]);
            search->ranked[count].low = above != NULL       ? above->low[i]
                                        : block->fixed >= 0 ? block->fixed
                                                            : 0;
            count++;
        }
    }
    if (!search_has_room(search, search_padded(sizeof(struct search_part)) +
                                     5 * search_padded((size_t)count * sizeof(int32_t)))) {
        return NULL;
    }
    qsort(search->ranked, (size_t)count, sizeof *search->ranked, by_rank);
    struct search_part *const part = search_take(search, 1, sizeof *part);
    *part = (struct search_part){.count = count, .first = first, .end = end};
    int32_t **const columns[] = {&part->low, &part->units, &part->block, &part->begins,
                                 &part->ends};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        *columns[i] = search_take(search, count, sizeof(int32_t));
    }
    for (int32_t i = 0; i < count; i++) {
        const struct search_block *const block = &search->blocks[search->ranked[i].block];
        part->block[i] = search->ranked[i].block;
        part->low[i] = search->ranked[i].low;
        part->units[i] = block->units;
        part->begins[i] = block->first;
        part->ends[i] = block->end;
    }
    return part;
}

/* ---- what can still be reached ---- */

bool search_is_above(const struct search *search, int32_t from, int32_t to, int32_t offset)
{
    int32_t most = 0;
    for (int32_t s = from; s < to; s++) {
        const int32_t level = search->level[s] > offset ? search->level[s] : offset;
        const int32_t top = level + search->rest[s];
        most = top > most ? top : most;
    }
    return most > search->target;
}

bool search_raise_levels(struct search *search, const struct search_part *part, int32_t from,
                         int32_t to)
{
    int32_t *const lowest = search->lowest;
    for (int32_t s = from; s < to; s++) {
        lowest[s] = SEARCH_NEVER;
    }
    for (int32_t i = 0; i < part->count; i++) {
        const int32_t low = part->low[i];
        if (low == SEARCH_NEVER || part->begins[i] >= to || part->ends[i] <= from) {
            continue;
        }
        const int32_t begin = part->begins[i] > from ? part->begins[i] : from;
        const int32_t end = part->ends[i] < to ? part->ends[i] : to;
        for (int32_t s = begin; s < end; s++) {
            lowest[s] = low < lowest[s] ? low : lowest[s];
        }
    }
    int32_t most = 0;
    for (int32_t s = from; s < to; s++) {
        const int32_t low = lowest[s] == SEARCH_NEVER ? 0 : lowest[s];
        search->level[s] = low > search->level[s] ? low : search->level[s];
        const int32_t top = search->level[s] + search->rest[s];
        most = top > most ? top : most;
    }
    return most <= search->target;
}
