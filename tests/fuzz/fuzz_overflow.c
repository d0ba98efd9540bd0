/* Any bytes as what a failed run left: what it says is whole, whatever the line breaks are. */
#include <stdlib.h>
#include <string.h>

#include "decide/overflow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {.limit = size * 200 + (1 << 20)};
    struct zv_overflow overflow;
    struct zv_error err = {0};
    const struct zv_slice text = {(const char *)data, size};
    const enum zv_status status = zv_overflow_read(&overflow, text, &arena, &err);
    if (status != ZV_OK && err.status != status) {
        abort();
    }
    if ((unsigned)overflow.phase > ZV_PHASES || (overflow.text != NULL && !overflow.memory_named) ||
        (overflow.text != NULL && strchr(overflow.text, '\n') != NULL)) {
        abort();
    }
    if (overflow.has_message && overflow.message.kind_known &&
        (unsigned)overflow.message.kind >= ZV_CAUSE_COUNT) {
        abort();
    }
    zv_arena_free(&arena);
    return 0;
}
