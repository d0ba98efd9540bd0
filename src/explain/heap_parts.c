#include "explain/heap_parts.h"

#include <stdlib.h>

#include "base/fail.h"

struct zv_trace_usage zv_segment_usage(const struct zv_heap *heap,
                                       const struct zv_heap_segment *segment)
{
    struct zv_trace_usage usage = {.reserved_bytes = segment->facts.bytes};
    for (uint32_t i = 0; i < segment->facts.block_count; i++) {
        const struct zv_heap_block *const block = &heap->blocks[segment->facts.first_block + i];
        if (block->state != ZV_BLOCK_FREE) {
            usage.active_bytes += block->bytes;
            usage.requested_bytes += block->requested_bytes;
            usage.allocated_bytes += block->state == ZV_BLOCK_ALLOCATED ? block->bytes : 0;
        }
    }
    if (!segment->facts.is_expandable && segment->facts.block_count > 1) {
        usage.inactive_split_bytes = segment->free_bytes;
    }
    return usage;
}

/* Segments of one part are equal. */
static int by_part(const void *a, const void *b)
{
    const struct zv_heap_segment *const left = a;
    const struct zv_heap_segment *const right = b;
    if (left->is_loose != right->is_loose) {
        return left->is_loose - right->is_loose;
    }
    if (left->facts.pool != right->facts.pool) {
        return left->facts.pool < right->facts.pool ? -1 : 1;
    }
    if (left->has_stream != right->has_stream) {
        return right->has_stream - left->has_stream;
    }
    if (left->facts.stream != right->facts.stream) {
        return left->facts.stream < right->facts.stream ? -1 : 1;
    }
    return left->is_loose ? 0 : left->facts.is_small - right->facts.is_small;
}

static void add_segment(struct zv_heap_part *part, const struct zv_heap *heap,
                        const struct zv_heap_segment *segment)
{
    const struct zv_trace_usage usage = zv_segment_usage(heap, segment);
    part->usage.reserved_bytes += usage.reserved_bytes;
    part->usage.allocated_bytes += usage.allocated_bytes;
    part->usage.active_bytes += usage.active_bytes;
    part->usage.requested_bytes += usage.requested_bytes;
    part->usage.inactive_split_bytes += usage.inactive_split_bytes;
    part->segment_count++;
    if (segment->largest_hole_bytes > part->largest_hole_bytes) {
        part->largest_hole_bytes = segment->largest_hole_bytes;
    }
}

static int by_reserved(const void *a, const void *b)
{
    const struct zv_heap_part *const left = a;
    const struct zv_heap_part *const right = b;
    if (left->usage.reserved_bytes != right->usage.reserved_bytes) {
        return left->usage.reserved_bytes > right->usage.reserved_bytes ? -1 : 1;
    }
    return (left->order > right->order) - (left->order < right->order);
}

enum zv_status zv_heap_parts_make(struct zv_heap_parts *parts, const struct zv_heap *heap,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct zv_heap_segment *const order = zv_arena_array(arena, heap->segment_count, sizeof *order);
    *parts = (struct zv_heap_parts){0};
    parts->at = zv_arena_array(arena, heap->segment_count, sizeof *parts->at);
    if (parts->at == NULL || order == NULL) {
        return zv_fail_memory(err, "pools");
    }
    for (size_t i = 0; i < heap->segment_count; i++) {
        order[i] = heap->segments[i];
    }
    if (heap->segment_count > 1) {
        qsort(order, heap->segment_count, sizeof *order, by_part);
    }
    for (size_t i = 0; i < heap->segment_count; i++) {
        const struct zv_heap_segment *const segment = &order[i];
        if (i == 0 || by_part(&order[i - 1], &order[i]) != 0) {
            parts->at[parts->count] = (struct zv_heap_part){.is_loose = segment->is_loose,
                                                            .has_stream = segment->has_stream,
                                                            .is_small = segment->facts.is_small,
                                                            .pool = segment->facts.pool,
                                                            .stream = segment->facts.stream,
                                                            .order = parts->count};
            parts->count++;
        }
        add_segment(&parts->at[parts->count - 1], heap, segment);
    }
    if (parts->count > 1) {
        qsort(parts->at, parts->count, sizeof *parts->at, by_reserved);
    }
    return ZV_OK;
}
