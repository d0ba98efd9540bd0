#include "base/memory.h"

#include <stdlib.h>

static void *plain_resize(void *old, size_t size, void *context)
{
    (void)context;
    return realloc(old, size);
}

static void plain_release(void *old, void *context)
{
    (void)context;
    free(old);
}

static const struct zv_memory_hook plain = {plain_resize, plain_release, NULL};
static struct zv_memory_hook active = {plain_resize, plain_release, NULL};

void zv_memory_set_hook(const struct zv_memory_hook *hook)
{
    active = hook != NULL ? *hook : plain;
}

void *zv_memory_alloc(size_t size)
{
    return active.resize(NULL, size != 0 ? size : 1, active.context);
}

void *zv_memory_resize(void *old, size_t size)
{
    return active.resize(old, size, active.context);
}

void zv_memory_free(void *old)
{
    if (old != NULL) {
        active.release(old, active.context);
    }
}
