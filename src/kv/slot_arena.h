/* Slot arena: pieces of one range by first fit at the lowest address, merged when freed.
 * Room-internal. */
#ifndef ZIRVE_KV_SLOT_ARENA_H
#define ZIRVE_KV_SLOT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slot_hole {
    uint64_t begin;
    uint64_t size;
};

struct slot_arena {
    struct slot_hole *holes; /* by address, never two that touch */
    size_t count;
    size_t capacity;
    uint64_t free;
};

/* At most pieces are taken at once. False when memory ends. */
bool slot_arena_open(struct slot_arena *arena, uint64_t size, size_t pieces);
void slot_arena_close(struct slot_arena *arena);

/* False when no hole is large enough. */
bool slot_arena_take(struct slot_arena *arena, uint64_t size, uint64_t *begin);
void slot_arena_give(struct slot_arena *arena, uint64_t begin, uint64_t size);

#endif
