#include "kv/slot_arena.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

bool slot_arena_open(struct slot_arena *arena, uint64_t size, size_t pieces)
{
    *arena = (struct slot_arena){.capacity = pieces + 2};
    arena->holes = zv_memory_alloc(arena->capacity * sizeof *arena->holes);
    if (arena->holes == NULL) {
        return false;
    }
    arena->holes[0] = (struct slot_hole){0, size};
    arena->count = size != 0;
    arena->free = size;
    return true;
}

void slot_arena_close(struct slot_arena *arena)
{
    zv_memory_free(arena->holes);
    *arena = (struct slot_arena){0};
}

static void remove_hole(struct slot_arena *arena, size_t at)
{
    memmove(&arena->holes[at], &arena->holes[at + 1],
            (arena->count - at - 1) * sizeof *arena->holes);
    arena->count--;
}

bool slot_arena_take(struct slot_arena *arena, uint64_t size, uint64_t *begin)
{
    for (size_t i = 0; i < arena->count; i++) {
        struct slot_hole *const hole = &arena->holes[i];
        if (hole->size < size) {
            continue;
        }
        *begin = hole->begin;
        hole->begin += size;
        hole->size -= size;
        arena->free -= size;
        if (hole->size == 0) {
            remove_hole(arena, i);
        }
        return true;
    }
    return false;
}

void slot_arena_give(struct slot_arena *arena, uint64_t begin, uint64_t size)
{
    size_t at = 0; /* the first hole behind */
    size_t end = arena->count;
    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (arena->holes[middle].begin < begin) {
            at = middle + 1;
        } else {
            end = middle;
        }
    }
    struct slot_hole *const before = at != 0 ? &arena->holes[at - 1] : NULL;
    struct slot_hole *const behind = at < arena->count ? &arena->holes[at] : NULL;
    arena->free += size;
    if (before != NULL && before->begin + before->size == begin) {
        before->size += size;
        if (behind != NULL && before->begin + before->size == behind->begin) {
            before->size += behind->size;
            remove_hole(arena, at);
        }
    } else if (behind != NULL && begin + size == behind->begin) {
        behind->begin = begin;
        behind->size += size;
    } else {
        assert(arena->count < arena->capacity);
        memmove(&arena->holes[at + 1], &arena->holes[at],
                (arena->count - at) * sizeof *arena->holes);
        arena->holes[at] = (struct slot_hole){begin, size};
        arena->count++;
    }
}
