/* Any bytes as blocks in CSV: an error, or a placement that the check accepts and reads again. */
#include <stdlib.h>

#include "base/buffer.h"
#include "place/place_csv.h"

enum { MOST = 300 };

static void write_and_read(const struct place_table *table)
{
    struct zv_buffer buffer = {.limit = 1 << 22};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    struct zv_arena arena = {0};
    struct place_table again;
    zv_place_csv_write(&sink, table);
    if (sink.failed ||
        zv_place_csv_read(&again, (struct zv_slice){buffer.data, buffer.size}, &arena, NULL) !=
            ZV_OK ||
        again.count != table->count) {
        abort();
    }
    for (size_t i = 0; i < again.count; i++) {
        if (!again.blocks[i].fixed || again.blocks[i].offset != table->blocks[i].offset ||
            again.blocks[i].death != table->blocks[i].death) {
            abort();
        }
    }
    zv_arena_free(&arena);
    zv_buffer_free(&buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_place_options options = {.node_limit = 200};
    const struct zv_slice text = {(const char *)data, size};
    struct zv_arena arena = {0};
    struct place_table table;
    struct zv_place_result result;
    uint64_t height = 0;
    (void)zv_place_csv_is(text);
    if (zv_place_csv_read(&table, text, &arena, NULL) == ZV_OK && table.count <= MOST &&
        zv_place_run(table.blocks, table.count, &options, &result, NULL) == ZV_OK) {
        if (zv_place_check(table.blocks, table.count, &height, NULL) != ZV_OK ||
            height != result.height_bytes || result.bound_bytes > height ||
            result.load_bytes > result.bound_bytes) {
            abort();
        }
        write_and_read(&table);
    }
    zv_arena_free(&arena);
    return 0;
}
