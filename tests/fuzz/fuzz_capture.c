/*
 * Any bytes as a capture: an error inside the input, or a trace whose blocks fill their segments
 * and which, written again, reads the same; or is refused because its events contradict it.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "trace/capture.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static uint64_t round_512(const void *context, uint64_t bytes)
{
    (void)context;
    return (bytes + 511) / 512 * 512;
}

static void check_segments(const struct zv_trace *trace)
{
    for (size_t i = 0; i < trace->segment_count; i++) {
        const struct zv_trace_segment *const segment = &trace->segments[i];
        uint64_t end = segment->address;
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block = &trace->blocks[segment->first_block + j];
            must(block->address == end && block->stack < trace->stack_count);
            end += block->bytes;
        }
        must(end == segment->address + segment->bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct zv_trace_rules rules = {.round = round_512, .max_split_bytes = UINT64_MAX};
    const struct zv_capture_range range = {size % 3, size % 3 + size % 5};
    struct zv_trace trace = {0};
    struct zv_error err = {0};
    size_t first;
    const struct zv_slice input = {(const char *)data, size};
    const enum zv_status status = zv_capture_read(&trace, input, range, &first, &err);
    must(status == err.status);
    must(status == ZV_OK || !err.has_offset || err.offset <= size);
    if (status == ZV_OK) {
        struct zv_buffer buffer = {.limit = (size_t)1 << 26};
        struct zv_sink sink = zv_buffer_sink(&buffer);
        struct zv_trace again = {0};
        const struct zv_capture_range all = {0, SIZE_MAX};
        check_segments(&trace);
        const enum zv_status wrote = zv_capture_write(&sink, &trace, 0, &rules, NULL);
        must((wrote == ZV_OK || wrote == ZV_E_SYNTAX) && !sink.failed);
        const struct zv_slice written = {buffer.data, buffer.size};
        if (wrote == ZV_OK) {
            must(zv_capture_read(&again, written, all, &first, NULL) == ZV_OK);
            must(again.event_count == trace.event_count && again.text_count == trace.text_count);
        }
        zv_trace_close(&again);
        zv_buffer_free(&buffer);
    }
    zv_trace_close(&trace);
    return 0;
}
