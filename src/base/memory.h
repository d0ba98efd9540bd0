/*
 * Host memory: the one place that calls malloc, so that tests can fail the n-th allocation and
 * bound the peak. The hook is set before any thread starts and only by tests.
 */
#ifndef ZIRVE_BASE_MEMORY_H
#define ZIRVE_BASE_MEMORY_H

#include <stddef.h>

struct zv_memory_hook {
    void *(*resize)(void *old, size_t size, void *context); /* old NULL: allocate */
    void (*release)(void *old, void *context);
    void *context;
};

/* NULL restores malloc. */
void zv_memory_set_hook(const struct zv_memory_hook *hook);

void *zv_memory_alloc(size_t size);             /* uninitialised, NULL on failure */
void *zv_memory_resize(void *old, size_t size); /* as realloc, size > 0 */
void zv_memory_free(void *old);                 /* NULL allowed */

#endif
