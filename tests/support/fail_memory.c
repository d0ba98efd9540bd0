#include "support/fail_memory.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/memory.h"

struct fail_memory fail_memory;

/* What no machine has; sanitizers abort instead of returning NULL for it. */
static const size_t most = (size_t)1 << 40;

/* In front of every block. */
struct header {
    alignas(max_align_t) size_t size;
};

static void *resize(void *old, size_t size, void *context)
{
    (void)context;
    struct header *const before = old != NULL ? (struct header *)old - 1 : NULL;
    const size_t before_size = before != NULL ? before->size : 0;
    fail_memory.calls++;
    if (fail_memory.calls == fail_memory.fail_at || size > most) {
        fail_memory.failed++;
        return NULL;
    }
    struct header *const after = realloc(before, sizeof(struct header) + size);
    if (after == NULL) {
        return NULL;
    }
    after->size = size;
    fail_memory.blocks += before == NULL ? 1 : 0;
    fail_memory.bytes += size - before_size;
    if (fail_memory.bytes > fail_memory.peak) {
        fail_memory.peak = fail_memory.bytes;
    }
    return after + 1;
}

static void release(void *old, void *context)
{
    (void)context;
    struct header *const before = (struct header *)old - 1;
    fail_memory.blocks--;
    fail_memory.bytes -= before->size;
    free(before);
}

void fail_memory_start(size_t fail_at)
{
    static const struct zv_memory_hook hook = {resize, release, NULL};
    fail_memory = (struct fail_memory){.fail_at = fail_at};
    zv_memory_set_hook(&hook);
}

void fail_memory_stop(void)
{
    zv_memory_set_hook(NULL);
}
