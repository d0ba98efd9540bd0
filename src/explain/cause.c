#include "explain/cause.h"

#include <stdlib.h>

#include "base/fail.h"

#define SMALL_REQUEST (UINT64_C(1) << 20) /* rounded; larger ones use the large pool */

const char *zv_cause_name(enum zv_cause_kind kind)
{
    static const char *const names[] = {"peak",          "static",  "capacity",
                                        "fragmentation", "outside", "limit"};
    return (unsigned)kind < ZV_CAUSE_COUNT ? names[kind] : "unknown";
}

static bool is_usable(const struct zv_heap_segment *segment, const struct zv_trace_event *oom)
{
    return segment->facts.is_small == (oom->bytes <= SMALL_REQUEST) &&
           segment->facts.stream == oom->stream;
}

static int by_live(const void *a, const void *b)
{
    const struct zv_pinned *const left = a;
    const struct zv_pinned *const right = b;
    if (left->live_bytes != right->live_bytes) {
        return left->live_bytes < right->live_bytes ? -1 : 1;
    }
    if (left->free_bytes != right->free_bytes) {
        return left->free_bytes > right->free_bytes ? -1 : 1;
    }
    return (left->segment > right->segment) - (left->segment < right->segment);
}

/* Segments with both live blocks and room, and those with room only. */
static enum zv_status find_pinned(struct zv_cause *verdict, const struct zv_heap *heap,
                                  struct zv_arena *arena, struct zv_error *err)
{
    verdict->pinned = zv_arena_array(arena, heap->segment_count, sizeof *verdict->pinned);
    if (verdict->pinned == NULL) {
        return zv_fail_memory(err, "a verdict");
    }
    for (size_t i = 0; i < heap->segment_count; i++) {
        const struct zv_heap_segment *const segment = &heap->segments[i];
        if (segment->live_bytes == 0) {
            verdict->idle_bytes += segment->facts.bytes;
        } else if (segment->free_bytes != 0) {
            struct zv_pinned *const pinned = &verdict->pinned[verdict->pinned_count++];
            *pinned = (struct zv_pinned){(uint32_t)i, segment->live_bytes, segment->free_bytes, 0};
            for (uint32_t j = 0; j < segment->facts.block_count; j++) {
                pinned->live_blocks +=
                    heap->blocks[segment->facts.first_block + j].state != ZV_BLOCK_FREE;
            }
        }
    }
    qsort(verdict->pinned, verdict->pinned_count, sizeof *verdict->pinned, by_live);
    return ZV_OK;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void judge_oom(struct zv_cause *verdict, const struct zv_heap *heap,
                      const struct zv_trace_event *oom)
{
    const uint64_t requested = oom->bytes;
    verdict->is_oom = true;
    verdict->requested_bytes = requested;
    verdict->device_free_bytes = oom->address;
    verdict->device_free_known = true;
    for (size_t i = 0; i < heap->segment_count; i++) {
        const struct zv_heap_segment *const segment = &heap->segments[i];
        if (is_usable(segment, oom)) {
            verdict->pool_free_bytes += segment->free_bytes;
            if (segment->largest_hole_bytes > verdict->pool_hole_bytes) {
                verdict->pool_hole_bytes = segment->largest_hole_bytes;
            }
        }
    }
    const uint64_t within_reach = most(heap->usage.reserved_bytes, verdict->device_free_bytes);
    const uint64_t needed = most(heap->usage.active_bytes, requested); /* any number can be asked */
    if (verdict->capacity_bytes > within_reach) {
        verdict->outside_bytes = verdict->capacity_bytes - within_reach;
    }
    verdict->missing_bytes = needed > within_reach ? needed - within_reach : 0;
    if (requested <= verdict->device_free_bytes) {
        verdict->kind = ZV_CAUSE_LIMIT;
    } else if (needed <= within_reach) {
        verdict->kind = ZV_CAUSE_FRAGMENTATION;
    } else if (verdict->capacity_bytes != 0 && needed <= verdict->capacity_bytes) {
        verdict->kind = ZV_CAUSE_OUTSIDE;
    } else {
        verdict->kind = ZV_CAUSE_CAPACITY;
    }
}

enum zv_status zv_cause_make(struct zv_cause *verdict, struct zv_heap *heap,
                             const struct zv_record *record, uint64_t capacity_bytes,
                             struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    *verdict = (struct zv_cause){.capacity_bytes = capacity_bytes};
    if (verdict->capacity_bytes == 0) {
        verdict->capacity_bytes = device->total_bytes;
    }
    verdict->kind = record->has_history ? ZV_CAUSE_PEAK : ZV_CAUSE_STATIC;
    verdict->event = record->has_oom       ? record->last_oom
                     : record->has_history ? record->peak_allocated.event
                                           : device->event_count;
    *heap = (struct zv_heap){.event = verdict->event};
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        return ZV_OK; /* totals are known, blocks are not */
    }
    enum zv_status status = zv_heap_at(heap, record, verdict->event, arena, err);
    status = status == ZV_OK ? find_pinned(verdict, heap, arena, err) : status;
    if (status == ZV_OK && record->has_oom) {
        judge_oom(verdict, heap, &device->events[record->last_oom]);
    }
    return status;
}
