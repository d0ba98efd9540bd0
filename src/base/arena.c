#include "zirve/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The first block is small because many arenas hold little; later ones grow to the cap. */
enum { FIRST_BLOCK = 4 * 1024, LARGEST_BLOCK = 256 * 1024 };

struct zv_arena_block {
    struct zv_arena_block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char data[];
};

static struct zv_arena_block *add_block(struct zv_arena *arena, size_t size)
{
    size_t payload = arena->head == NULL ? FIRST_BLOCK : arena->head->size * 2;
    payload = payload > LARGEST_BLOCK ? LARGEST_BLOCK : payload;
    payload = size > payload ? size : payload;
    size_t total;
    if (__builtin_add_overflow(sizeof(struct zv_arena_block), payload, &total)) {
        return NULL;
    }
    struct zv_arena_block *const block = zv_memory_alloc(total);
    if (block == NULL) {
        return NULL;
    }
    block->next = arena->head;
    block->used = 0;
    block->size = payload;
    arena->head = block;
    return block;
}

void *zv_arena_alloc(struct zv_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t padded;
    if (__builtin_add_overflow(size, align - 1, &padded)) {
        return NULL;
    }
    padded &= ~(align - 1);
    if (arena->limit != 0 && (arena->used > arena->limit || padded > arena->limit - arena->used)) {
        return NULL;
    }
    struct zv_arena_block *block = arena->head;
    if (block == NULL || block->size - block->used < padded) {
        block = add_block(arena, padded);
        if (block == NULL) {
            return NULL;
        }
    }
    void *const result = memset(block->data + block->used, 0, padded);
    block->used += padded;
    arena->used += padded;
    return result;
}

void *zv_arena_array(struct zv_arena *arena, size_t count, size_t size)
{
    size_t total;
    return __builtin_mul_overflow(count, size, &total) ? NULL : zv_arena_alloc(arena, total);
}

char *zv_arena_copy(struct zv_arena *arena, const char *text, size_t length)
{
    char *const copy = length == SIZE_MAX ? NULL : zv_arena_alloc(arena, length + 1);
    if (copy != NULL && length != 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *zv_arena_print(struct zv_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *const text = length < 0 ? NULL : zv_arena_alloc(arena, (size_t)length + 1);
    if (text != NULL) {
        va_start(args, format);
        (void)vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    return text;
}

static void free_blocks(struct zv_arena *arena, const struct zv_arena_block *but)
{
    struct zv_arena_block *block = arena->head;
    while (block != NULL) {
        struct zv_arena_block *const next = block->next;
        if (block != but) {
            zv_memory_free(block);
        }
        block = next;
    }
    arena->head = NULL;
    arena->used = 0;
}

void zv_arena_clear(struct zv_arena *arena)
{
    struct zv_arena_block *largest = arena->head;
    for (struct zv_arena_block *block = arena->head; block != NULL; block = block->next) {
        largest = block->size > largest->size ? block : largest;
    }
    free_blocks(arena, largest);
    arena->head = largest;
    if (largest != NULL) {
        largest->next = NULL;
        largest->used = 0;
    }
}

void zv_arena_free(struct zv_arena *arena)
{
    free_blocks(arena, NULL);
}
