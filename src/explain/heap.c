#include "explain/heap.h"

#include <string.h>

#include "base/fail.h"
#include "trace/address_map.h"

/* Which event allocated what is live before event `until`. */
static bool note_births(const struct zv_trace_device *device, size_t until,
                        struct address_map *births)
{
    for (size_t i = 0; i < until; i++) {
        if (device->events[i].action == ZV_TRACE_ALLOC &&
            !address_map_put(births, device->events[i].address, (uint32_t)i + 1)) {
            return false;
        }
    }
    return true;
}

static void add_piece(struct zv_heap *heap, const struct zv_heap_block *piece)
{
    struct zv_heap_segment *const segment = &heap->segments[piece->segment];
    heap->blocks[heap->block_count++] = *piece;
    segment->facts.block_count++;
    if (piece->state == ZV_BLOCK_FREE) {
        segment->free_bytes += piece->bytes;
        if (piece->bytes > segment->largest_hole_bytes) {
            segment->largest_hole_bytes = piece->bytes;
        }
        return;
    }
    segment->live_bytes += piece->bytes;
    heap->usage.active_bytes += piece->bytes;
    heap->usage.requested_bytes += piece->requested_bytes;
    heap->usage.allocated_bytes += piece->state == ZV_BLOCK_ALLOCATED ? piece->bytes : 0;
    heap->no_stack_bytes += piece->stack == 0 ? piece->bytes : 0;
    heap->before_bytes += piece->born == ZV_BORN_BEFORE ? piece->bytes : 0;
}

static void add_free(struct zv_heap *heap, uint32_t segment, uint64_t from, uint64_t to)
{
    if (from < to) {
        add_piece(heap, &(struct zv_heap_block){.address = from,
                                                .bytes = to - from,
                                                .born = ZV_BORN_BEFORE,
                                                .segment = segment,
                                                .state = ZV_BLOCK_FREE});
    }
}

static struct zv_heap_block live_piece(const struct zv_trace_device *device,
                                       const struct zv_trace_block *block, uint32_t segment,
                                       const struct address_map *births)
{
    const uint32_t birth = address_map_get(births, block->address);
    struct zv_heap_block piece = {.address = block->address,
                                  .bytes = block->bytes,
                                  .requested_bytes = block->requested_bytes,
                                  .born = ZV_BORN_BEFORE,
                                  .segment = segment,
                                  .stack = block->stack,
                                  .state = block->state};
    if (birth != 0) {
        piece.born = birth - 1;
        piece.stack = device->events[birth - 1].stack;
        piece.context = device->events[birth - 1].context;
    }
    return piece;
}

/* The blocks of one segment of the state, with what is free between them. */
static void add_segment(struct zv_heap *heap, const struct zv_trace_device *device,
                        const struct zv_trace_start *state, size_t at,
                        const struct address_map *births)
{
    const struct zv_trace_segment *const from = &state->segments[at];
    const uint32_t number = (uint32_t)heap->segment_count;
    struct zv_heap_segment *const to = &heap->segments[heap->segment_count++];
    uint64_t end = from->address;
    to->facts = *from;
    to->facts.first_block = (uint32_t)heap->block_count;
    to->facts.block_count = 0;
    to->has_stream = true;
    for (uint32_t i = 0; i < from->block_count; i++) {
        const struct zv_trace_block *const block = &state->blocks[from->first_block + i];
        const struct zv_heap_block piece = live_piece(device, block, number, births);
        add_free(heap, number, end, block->address);
        add_piece(heap, &piece);
        end = block->address + block->bytes;
    }
    add_free(heap, number, end, from->address + from->bytes);
}

/* A block in no segment has one of its own, so that nothing that is held is left out. */
static void add_loose(struct zv_heap *heap, const struct zv_trace_device *device,
                      const struct zv_trace_block *block, const struct address_map *births)
{
    const uint32_t number = (uint32_t)heap->segment_count;
    const struct zv_heap_block piece = live_piece(device, block, number, births);
    heap->segments[heap->segment_count++] = (struct zv_heap_segment){
        .facts = {.address = block->address,
                  .bytes = block->bytes,
                  .first_block = (uint32_t)heap->block_count,
                  .stream = piece.born != ZV_BORN_BEFORE ? device->events[piece.born].stream : 0},
        .is_loose = true,
        .has_stream = piece.born != ZV_BORN_BEFORE};
    add_piece(heap, &piece);
    heap->loose_bytes += block->bytes;
    heap->loose_count++;
}

static void sum_up(struct zv_heap *heap)
{
    for (size_t i = 0; i < heap->segment_count; i++) {
        const struct zv_heap_segment *const segment = &heap->segments[i];
        heap->usage.reserved_bytes += segment->facts.bytes;
        heap->free_bytes += segment->free_bytes;
        if (segment->largest_hole_bytes > heap->largest_hole_bytes) {
            heap->largest_hole_bytes = segment->largest_hole_bytes;
        }
        if (!segment->facts.is_expandable && segment->facts.block_count > 1) {
            heap->usage.inactive_split_bytes += segment->free_bytes;
        }
    }
}

static enum zv_status build(struct zv_heap *heap, const struct zv_record *record,
                            const struct zv_trace_start *state, const struct address_map *births,
                            struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    const size_t segments = state->segment_count + state->loose_count;
    heap->segments = zv_arena_array(arena, segments, sizeof *heap->segments);
    heap->blocks = zv_arena_array(arena, 2 * state->block_count + state->loose_count + segments,
                                  sizeof *heap->blocks);
    if (heap->segments == NULL || heap->blocks == NULL) {
        return zv_fail_memory(err, "a heap");
    }
    size_t loose = 0;
    for (size_t i = 0; i <= state->segment_count; i++) {
        const uint64_t next = i < state->segment_count ? state->segments[i].address : UINT64_MAX;
        for (; loose < state->loose_count && state->loose[loose].address < next; loose++) {
            add_loose(heap, device, &state->loose[loose], births);
        }
        if (i < state->segment_count) {
            add_segment(heap, device, state, i, births);
        }
    }
    sum_up(heap);
    return ZV_OK;
}

enum zv_status zv_heap_at(struct zv_heap *heap, const struct zv_record *record, size_t event,
                          struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    struct zv_trace_start state;
    struct address_map births = {0};
    *heap = (struct zv_heap){.event = event};
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT || event > device->event_count) {
        return zv_fail(err, ZV_E_USAGE, "no such event: the record has %zu", device->event_count);
    }
    enum zv_status status =
        zv_trace_state_at(&state, &record->trace, record->device, event, &record->rules, err);
    if (status == ZV_OK && !note_births(device, event, &births)) {
        status = zv_fail_memory(err, "a heap");
    }
    status = status == ZV_OK ? build(heap, record, &state, &births, arena, err) : status;
    zv_trace_start_close(&state);
    address_map_free(&births);
    return status;
}
