#include "trace/start.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "trace/address_map.h"

enum { MAX_RANGES = 1 << 16 };
#define LARGEST_REST  (UINT64_C(1) << 20) /* of a large block that is not split off */
#define SMALL_SEGMENT (UINT64_C(2) << 20)

/* Tables while the history is undone; entry 0 is none, removed ones have 0 bytes. */
struct undo {
    const struct zv_trace *trace;
    const struct zv_trace_device *device;
    const struct zv_trace_rules *rules;
    struct zv_trace_block *blocks;
    size_t block_count;
    size_t block_capacity;
    struct zv_trace_segment *segments;
    size_t segment_count;
    size_t segment_capacity;
    struct zv_trace_segment *ranges; /* mapped ones of expandable segments, by address */
    size_t range_count;
    size_t range_capacity;
    struct address_map live;
    struct address_map whole; /* segments from cudaMalloc */
    uint64_t stray;
};

static bool reserve(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t grown = *capacity == 0 ? 256 : *capacity * 2;
    void *const to = zv_memory_resize(*array, grown * size);
    if (to == NULL) {
        return false;
    }
    *array = to;
    *capacity = grown;
    return true;
}

static bool add_block(struct undo *undo, const struct zv_trace_block *block)
{
    void *blocks = undo->blocks;
    if (!reserve(&blocks, &undo->block_capacity, undo->block_count, sizeof *block)) {
        return false;
    }
    undo->blocks = blocks;
    undo->blocks[undo->block_count] = *block;
    return address_map_put(&undo->live, block->address, (uint32_t)undo->block_count++);
}

static bool add_segment(struct undo *undo, const struct zv_trace_segment *segment)
{
    void *segments = undo->segments;
    if (!reserve(&segments, &undo->segment_capacity, undo->segment_count, sizeof *segment)) {
        return false;
    }
    undo->segments = segments;
    undo->segments[undo->segment_count] = *segment;
    return address_map_put(&undo->whole, segment->address, (uint32_t)undo->segment_count++);
}

/* ---- ranges of expandable segments ---- */

/* The first range that ends after address. */
static size_t range_after(const struct undo *undo, uint64_t address)
{
    size_t low = 0;
    size_t high = undo->range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (undo->ranges[middle].address + undo->ranges[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool insert_range(struct undo *undo, size_t at, const struct zv_trace_segment *range)
{
    void *ranges = undo->ranges;
    if (range->bytes == 0) {
        return true;
    }
    if (undo->range_count == MAX_RANGES ||
        !reserve(&ranges, &undo->range_capacity, undo->range_count, sizeof *range)) {
        return false;
    }
    undo->ranges = ranges;
    memmove(&undo->ranges[at + 1], &undo->ranges[at],
            (undo->range_count - at) * sizeof *undo->ranges);
    undo->ranges[at] = *range;
    undo->range_count++;
    return true;
}

static bool touch(const struct zv_trace_segment *a, const struct zv_trace_segment *b)
{
    return a->address + a->bytes == b->address && a->stream == b->stream;
}

/* A range and its neighbours become one; what was known of a neighbour holds for it too. */
static bool join_ranges(struct undo *undo, size_t at)
{
    struct zv_trace_segment *const ranges = undo->ranges;
    if (at + 1 < undo->range_count && touch(&ranges[at], &ranges[at + 1])) {
        const uint64_t bytes = ranges[at].bytes;
        const uint64_t address = ranges[at].address;
        undo->range_count--;
        memmove(&ranges[at], &ranges[at + 1], (undo->range_count - at) * sizeof *ranges);
        ranges[at].address = address;
        ranges[at].bytes += bytes;
    }
    if (at != 0 && touch(&ranges[at - 1], &ranges[at])) {
        ranges[at - 1].bytes += ranges[at].bytes;
        undo->range_count--;
        memmove(&ranges[at], &ranges[at + 1], (undo->range_count - at) * sizeof *ranges);
    }
    return true;
}

/* Undoes an unmap. */
static bool map_again(struct undo *undo, const struct zv_trace_event *event)
{
    const size_t at = range_after(undo, event->address);
    if (at < undo->range_count && undo->ranges[at].address < event->address + event->bytes) {
        undo->stray++;
        return true;
    }
    const struct zv_trace_segment range = {.address = event->address,
                                           .bytes = event->bytes,
                                           .stream = event->stream,
                                           .is_expandable = true,
                                           .is_small = event->bytes % (10 * SMALL_SEGMENT) != 0};
    return insert_range(undo, at, &range) && (event->bytes == 0 || join_ranges(undo, at));
}

/* Undoes a map: the range goes, perhaps out of the middle of a larger one. */
static bool unmap_again(struct undo *undo, const struct zv_trace_event *event)
{
    const size_t at = range_after(undo, event->address);
    struct zv_trace_segment *const range = at < undo->range_count ? &undo->ranges[at] : NULL;
    if (range == NULL || range->address > event->address ||
        range->address + range->bytes < event->address + event->bytes) {
        undo->stray++;
        return true;
    }
    struct zv_trace_segment rest = *range;
    rest.address = event->address + event->bytes;
    rest.bytes = range->address + range->bytes - rest.address;
    range->bytes = event->address - range->address;
    if (range->bytes == 0) {
        undo->range_count--;
        memmove(range, range + 1, (undo->range_count - at) * sizeof *range);
        return rest.bytes == 0 || insert_range(undo, at, &rest);
    }
    return rest.bytes == 0 || insert_range(undo, at + 1, &rest);
}

/* ---- undoing ---- */

static bool load_end(struct undo *undo)
{
    const struct zv_trace_device *const device = undo->device;
    undo->block_count = 1;
    undo->segment_count = 1;
    for (size_t i = 0; i < device->segment_count; i++) {
        const struct zv_trace_segment *const segment = &device->segments[i];
        if (!(segment->is_expandable ? insert_range(undo, undo->range_count, segment)
                                     : add_segment(undo, segment))) {
            return false;
        }
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block =
                &undo->trace->blocks[segment->first_block + j];
            if (block->state != ZV_BLOCK_FREE && !add_block(undo, block)) {
                return false;
            }
        }
    }
    return true;
}

/* What is known of the block whose free this event completed; 0: nothing. */
static uint64_t odd_bytes(const struct zv_trace_rules *rules, size_t event)
{
    size_t low = 0;
    size_t high = rules->odd_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rules->odd[middle].event < event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < rules->odd_count && rules->odd[low].event == event ? rules->odd[low].bytes : 0;
}

static bool undo_free(struct undo *undo, const struct zv_trace_event *event)
{
    const uint64_t odd = odd_bytes(undo->rules, (size_t)(event - undo->device->events));
    const uint64_t rounded = undo->rules->round(undo->rules->context, event->bytes);
    const struct zv_trace_block block = {.address = event->address,
                                         .bytes = odd != 0 ? odd : rounded,
                                         .requested_bytes = event->bytes,
                                         .state = ZV_BLOCK_PENDING,
                                         .is_guess = odd == 0};
    if (address_map_get(&undo->live, event->address) != 0) {
        undo->stray++;
        return true;
    }
    return add_block(undo, &block);
}

static bool undo_segment_free(struct undo *undo, const struct zv_trace_event *event)
{
    const struct zv_trace_segment segment = {.address = event->address,
                                             .bytes = event->bytes,
                                             .stack = event->stack,
                                             .stream = event->stream,
                                             .is_small = event->bytes == SMALL_SEGMENT};
    if (address_map_get(&undo->whole, event->address) != 0) {
        undo->stray++;
        return true;
    }
    return add_segment(undo, &segment);
}

/* What a range serves tells which pool it is of. */
static void learn_pool(struct undo *undo, const struct zv_trace_event *event)
{
    const size_t at = undo->range_count == 0 ? 0 : range_after(undo, event->address);
    if (at < undo->range_count && undo->ranges[at].address <= event->address) {
        undo->ranges[at].is_small =
            undo->rules->round(undo->rules->context, event->bytes) <= LARGEST_REST;
    }
}

static bool undo_event(struct undo *undo, const struct zv_trace_event *event)
{
    uint32_t at;
    switch ((enum zv_trace_action)event->action) {
    case ZV_TRACE_ALLOC:
        at = address_map_take(&undo->live, event->address);
        undo->stray += at == 0;
        undo->blocks[at].bytes = 0;
        learn_pool(undo, event);
        return true;
    case ZV_TRACE_FREE_REQUESTED:
        at = address_map_get(&undo->live, event->address);
        undo->stray += at == 0;
        undo->blocks[at].state = ZV_BLOCK_ALLOCATED;
        return true;
    case ZV_TRACE_FREE_COMPLETED:
        return undo_free(undo, event);
    case ZV_TRACE_SEGMENT_ALLOC:
        at = address_map_take(&undo->whole, event->address);
        undo->stray += at == 0;
        undo->segments[at].bytes = 0;
        return true;
    case ZV_TRACE_SEGMENT_FREE:
        return undo_segment_free(undo, event);
    case ZV_TRACE_SEGMENT_MAP:
        return unmap_again(undo, event);
    case ZV_TRACE_SEGMENT_UNMAP:
        return map_again(undo, event);
    case ZV_TRACE_OOM:
    case ZV_TRACE_SNAPSHOT:
    case ZV_TRACE_OTHER:
    case ZV_TRACE_ACTION_COUNT:
        break;
    }
    return true;
}

/* ---- the result ---- */

static int segment_order(const void *a, const void *b)
{
    const struct zv_trace_segment *const left = a;
    const struct zv_trace_segment *const right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static int block_order(const void *a, const void *b)
{
    const struct zv_trace_block *const left = a;
    const struct zv_trace_block *const right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static bool collect(struct undo *undo, struct zv_trace_start *start)
{
    const size_t segments = undo->segment_count + undo->range_count;
    start->segments = zv_memory_alloc(segments * sizeof *start->segments);
    start->blocks = zv_memory_alloc(undo->block_count * sizeof *start->blocks);
    start->loose = zv_memory_alloc(undo->block_count * sizeof *start->loose);
    if (start->segments == NULL || start->blocks == NULL || start->loose == NULL) {
        return false;
    }
    for (size_t i = 1; i < undo->segment_count; i++) {
        if (undo->segments[i].bytes != 0) {
            start->segments[start->segment_count++] = undo->segments[i];
        }
    }
    for (size_t i = 0; i < undo->range_count; i++) {
        start->segments[start->segment_count++] = undo->ranges[i];
    }
    for (size_t i = 1; i < undo->block_count; i++) {
        if (undo->blocks[i].bytes != 0) {
            start->blocks[start->block_count++] = undo->blocks[i];
        }
    }
    qsort(start->segments, start->segment_count, sizeof *start->segments, segment_order);
    qsort(start->blocks, start->block_count, sizeof *start->blocks, block_order);
    return true;
}

/* A gap that no split would have left belongs to the block before it. */
static void stretch(const struct undo *undo, const struct zv_trace_segment *segment,
                    struct zv_trace_block *block, uint64_t end)
{
    const uint64_t gap = end - (block->address + block->bytes);
    if (block->is_guess && !segment->is_small && !segment->is_expandable &&
        (gap <= LARGEST_REST || block->bytes >= undo->rules->max_split_bytes)) {
        block->bytes += gap;
        block->is_guess = false;
    }
}

/* A block that is in no segment and overlaps none before it. next: the first address after it that
 * is taken. */
static void put_loose(struct undo *undo, struct zv_trace_start *start, size_t at, uint64_t next)
{
    const struct zv_trace_block *const block = &start->blocks[at];
    const struct zv_trace_block *const before =
        start->loose_count != 0 ? &start->loose[start->loose_count - 1] : NULL;
    undo->stray++;
    if (block->bytes <= next - block->address &&
        (before == NULL || before->address + before->bytes <= block->address)) {
        start->loose[start->loose_count++] = *block;
    }
}

/* Puts blocks into their segments; what overlaps is dropped as stray. */
static void settle(struct undo *undo, struct zv_trace_start *start)
{
    size_t at = 0;
    size_t kept = 0;
    for (size_t i = 0; i < start->segment_count; i++) {
        struct zv_trace_segment *const segment = &start->segments[i];
        const uint64_t segment_end = segment->address + segment->bytes;
        uint64_t end = segment->address;
        segment->first_block = (uint32_t)kept;
        for (; at < start->block_count && start->blocks[at].address < end; at++) {
            put_loose(undo, start, at, segment->address);
        }
        for (; at < start->block_count && start->blocks[at].address < segment_end; at++) {
            const struct zv_trace_block block = start->blocks[at];
            if (block.address < end || block.bytes > segment_end - block.address) {
                undo->stray++;
                continue;
            }
            if (kept != segment->first_block) {
                stretch(undo, segment, &start->blocks[kept - 1], block.address);
            }
            end = block.address + block.bytes;
            start->blocks[kept++] = block;
        }
        if (kept != segment->first_block) {
            stretch(undo, segment, &start->blocks[kept - 1], segment_end);
        }
        segment->block_count = (uint32_t)(kept - segment->first_block);
        start->reserved_bytes += segment->bytes;
    }
    for (; at < start->block_count; at++) {
        put_loose(undo, start, at, UINT64_MAX);
    }
    start->block_count = kept;
    for (size_t i = 0; i < kept; i++) {
        start->live_bytes += start->blocks[i].bytes;
    }
    start->stray_events = undo->stray;
}

enum zv_status zv_trace_start(struct zv_trace_start *start, const struct zv_trace *trace,
                              size_t device, const struct zv_trace_rules *rules,
                              struct zv_error *err)
{
    return zv_trace_state_at(start, trace, device, 0, rules, err);
}

enum zv_status zv_trace_state_at(struct zv_trace_start *start, const struct zv_trace *trace,
                                 size_t device, size_t until, const struct zv_trace_rules *rules,
                                 struct zv_error *err)
{
    struct undo undo = {.trace = trace, .device = &trace->devices[device], .rules = rules};
    *start = (struct zv_trace_start){0};
    void *blocks = NULL;
    void *segments = NULL;
    bool fine = reserve(&blocks, &undo.block_capacity, 0, sizeof *undo.blocks) &&
                reserve(&segments, &undo.segment_capacity, 0, sizeof *undo.segments);
    undo.blocks = blocks;
    undo.segments = segments;
    fine = fine && load_end(&undo);
    for (size_t i = undo.device->event_count; i > until && fine; i--) {
        fine = undo_event(&undo, &undo.device->events[i - 1]);
    }
    fine = fine && collect(&undo, start);
    if (fine) {
        settle(&undo, start);
    }
    const bool full = undo.range_count == MAX_RANGES;
    zv_memory_free(undo.blocks);
    zv_memory_free(undo.segments);
    zv_memory_free(undo.ranges);
    address_map_free(&undo.live);
    address_map_free(&undo.whole);
    if (fine) {
        return ZV_OK;
    }
    return full ? zv_fail(err, ZV_E_LIMIT, "more than %d mapped ranges", MAX_RANGES)
                : zv_fail_memory(err, "the state before a trace");
}

void zv_trace_start_close(struct zv_trace_start *start)
{
    zv_memory_free(start->segments);
    zv_memory_free(start->blocks);
    zv_memory_free(start->loose);
    *start = (struct zv_trace_start){0};
}
