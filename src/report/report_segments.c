/* The segments of a heap, one a line, and what expandable ones do not go together with. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/report_heap.h"

static int by_live(const void *a, const void *b)
{
    const struct zv_heap_segment *const left = a;
    const struct zv_heap_segment *const right = b;
    if (left->live_bytes != right->live_bytes) {
        return left->live_bytes < right->live_bytes ? -1 : 1;
    }
    return (left->facts.address > right->facts.address) -
           (left->facts.address < right->facts.address);
}

static void put_bytes(struct zv_sink *sink, const struct report_style *style, uint64_t bytes)
{
    char text[ZV_BYTES_TEXT];
    report_bytes_short(text, style, bytes);
    zv_sink_print(sink, " %13s", text);
}

void report_segments_text(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_record *record, const struct zv_heap *heap, size_t top)
{
    struct zv_arena arena = {0};
    struct zv_heap_segment *const order =
        zv_arena_array(&arena, heap->segment_count, sizeof *order);
    char count[32];
    report_count(count, heap->segment_count);
    zv_sink_print(sink, "\nSegments (%s):\n  %-14s %13s %13s %13s  %s\n", count, "address", "size",
                  "live", "largest hole", "pool, stream");
    for (size_t i = 0; order != NULL && i < heap->segment_count; i++) {
        order[i] = heap->segments[i];
    }
    if (order != NULL && heap->segment_count > 1) {
        qsort(order, heap->segment_count, sizeof *order, by_live);
    }
    for (size_t i = 0; order != NULL && i < heap->segment_count && i < top; i++) {
        const struct zv_heap_segment *const one = &order[i];
        const struct zv_trace_pool *const pool = &record->trace.pools[one->facts.pool];
        char stream[32];
        zv_sink_print(sink, "  0x%-12" PRIx64, one->facts.address);
        put_bytes(sink, style, one->facts.bytes);
        put_bytes(sink, style, one->live_bytes);
        put_bytes(sink, style, one->largest_hole_bytes);
        zv_sink_print(sink, "  %s",
                      one->is_loose              ? "unrecorded "
                      : one->facts.is_expandable ? "expandable "
                      : one->facts.is_small      ? "small "
                                                 : "large ");
        if (pool->id[0] != 0 || pool->id[1] != 0) {
            zv_sink_print(sink, "%" PRIu64 ".%" PRIu64 " ", pool->id[0], pool->id[1]);
        }
        report_stream(stream, sizeof stream, &record->trace, one->has_stream, one->facts.stream);
        zv_sink_print(sink, "%s\n", stream);
    }
    if (heap->segment_count > top) {
        zv_sink_print(sink, "  and %zu more\n", heap->segment_count - top);
    }
    zv_arena_free(&arena);
}

static const struct {
    const char *with;
    const char *what;
    const char *source;
} caveats[] = {
    {"memory pools with an allocator of their own",
     "the pool's own allocator is not called (MemPool over CUDAPluggableAllocator; open since "
     "February "
     "2025)",
     "pytorch/pytorch#147851"},
    {"NCCL user buffers",
     "registration expects memory from ncclMemAlloc; pools for it work unreliably beside them",
     "pytorch/pytorch#165419"},
    {"CUDA IPC",
     "cudaIpcGetMemHandle does not take such memory; PyTorch passes its own handles, which in 2.13 "
     "differ within one segment",
     "pytorch/pytorch#198305"},
    {"RDMA", "registering such memory fails (Bad address)", "uccl-project/uccl#839"},
    {"torch_memory_saver",
     "it refuses to start (used by SGLang to release memory, and in colocated "
     "training)",
     "fzyzcjy/torch_memory_saver"},
};

void report_caveats_text(struct zv_sink *sink, const struct report_style *style)
{
    zv_sink_text(sink, "\nexpandable_segments conflicts with:\n");
    for (size_t i = 0; i < sizeof caveats / sizeof caveats[0]; i++) {
        char line[384];
        (void)snprintf(line, sizeof line, "%s: %s (%s)", caveats[i].with, caveats[i].what,
                       caveats[i].source);
        report_fold(sink, style, 2, 0, line);
    }
}

void report_caveats_json(struct zv_json_writer *json)
{
    zv_json_write_key(json, "expandable_segments_not_with");
    zv_json_begin_array(json);
    for (size_t i = 0; i < sizeof caveats / sizeof caveats[0]; i++) {
        zv_json_begin_object(json);
        json_text(json, "with", caveats[i].with);
        json_text(json, "what", caveats[i].what);
        json_text(json, "source", caveats[i].source);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}
