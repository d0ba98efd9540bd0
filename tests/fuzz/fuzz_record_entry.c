/* Any bytes as an entry of a record: one that stays inside its record, or an error. */
#include <stdlib.h>
#include <string.h>

#include "decide/job_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {.limit = size * 200 + (1 << 20)};
    struct zv_entry entry;
    struct zv_error err = {0};
    const struct zv_slice text = {(const char *)data, size};
    const enum zv_status status = zv_entry_read(&entry, text, 1, &arena, &err);
    if (status != ZV_OK && err.status != status) {
        abort();
    }
    if (status == ZV_OK &&
        (entry.number != 1 || (unsigned)entry.kind >= ZV_ENTRY_KINDS || entry.sha256.length != 64 ||
         !zv_slice_starts(entry.file, "files/") || zv_slice_contains(entry.file, "..") ||
         memchr(entry.file.at + 6, '/', entry.file.length - 6) != NULL)) {
        abort();
    }
    zv_arena_free(&arena);
    return 0;
}
