/*
 * Arena: memory that is freed all at once.
 *
 * Every result the library hands out lives in an arena the caller passed in: the caller decides how
 * long it lives, and nothing needs a free function of its own. Not thread-safe: one arena, one
 * thread.
 */
#ifndef ZIRVE_ARENA_H
#define ZIRVE_ARENA_H

#include <stddef.h>

struct zv_arena_block;

/* Zero-initialise before use. */
struct zv_arena {
    struct zv_arena_block *head;
    size_t used;  /* bytes handed out, padding included */
    size_t limit; /* bytes; 0 for none. Crossing it fails like a failed malloc */
};

/* Returns size zeroed bytes aligned for any type, or NULL. Size 0 is allowed. */
void *zv_arena_alloc(struct zv_arena *arena, size_t size);

/* Like zv_arena_alloc(count * size); NULL also if the product overflows. */
void *zv_arena_array(struct zv_arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of length bytes of text, or NULL. */
char *zv_arena_copy(struct zv_arena *arena, const char *text, size_t length);

/* A formatted, NUL-terminated string, or NULL. */
char *zv_arena_print(struct zv_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees everything; the arena may be used again. */
/* Makes all of it free again and keeps the largest block for what comes next. */
void zv_arena_clear(struct zv_arena *arena);

void zv_arena_free(struct zv_arena *arena);

#endif
