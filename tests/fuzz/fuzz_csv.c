/* Any bytes as CSV: rows as wide as the header and lines that only grow, or an error with one. */
#include <stdlib.h>

#include "format/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {0};
    struct zv_csv csv;
    uint64_t line = 0;
    size_t bytes = 0;
    enum zv_status status =
        zv_csv_open(&csv, (struct zv_slice){(const char *)data, size}, &arena, NULL);
    while (status == ZV_OK && !csv.at_end) {
        if (csv.line <= line || csv.column_count == 0) {
            abort();
        }
        line = csv.line;
        for (size_t i = 0; i < csv.column_count; i++) {
            bytes += csv.cells[i].length;
        }
        status = zv_csv_next(&csv, NULL);
    }
    if (bytes > size) {
        abort();
    }
    zv_arena_free(&arena);
    return 0;
}
