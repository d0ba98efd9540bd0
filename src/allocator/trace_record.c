#include "allocator/trace_record.h"

#include <stdlib.h>
#include <string.h>

#include "allocator/replay.h"
#include "allocator/walk.h"
#include "base/fail.h"
#include "base/memory.h"

struct recorder {
    struct zv_trace *trace;
    struct zv_walk_block *blocks;
    size_t count;
    size_t capacity;
    struct zv_error err;
};

static enum zv_trace_action action_of(enum zv_allocator_action action)
{
    static const enum zv_trace_action actions[ZV_ACTION_COUNT] = {
        ZV_TRACE_ALLOC,          ZV_TRACE_FREE_REQUESTED,
        ZV_TRACE_FREE_COMPLETED, ZV_TRACE_SEGMENT_ALLOC,
        ZV_TRACE_SEGMENT_FREE,   ZV_TRACE_SEGMENT_MAP,
        ZV_TRACE_SEGMENT_UNMAP,  ZV_TRACE_OOM};
    return actions[action];
}

static void on_event(void *context, const struct zv_allocator_event *event)
{
    struct recorder *const recorder = context;
    uint16_t stream;
    if (recorder->err.status != ZV_OK ||
        !trace_stream(recorder->trace, event->stream, &stream, &recorder->err)) {
        return;
    }
    struct zv_trace_event *const added = trace_add_event(recorder->trace, &recorder->err);
    if (added != NULL) {
        *added = (struct zv_trace_event){.address = event->address,
                                         .bytes = event->size_bytes,
                                         .stream = stream,
                                         .action = (uint8_t)action_of(event->action)};
    }
}

static void on_block(void *context, const struct zv_walk_block *block)
{
    struct recorder *const recorder = context;
    if (recorder->count == recorder->capacity) {
        const size_t capacity = recorder->capacity == 0 ? 256 : recorder->capacity * 2;
        void *const grown = zv_memory_resize(recorder->blocks, capacity * sizeof *recorder->blocks);
        if (grown == NULL) {
            (void)zv_fail_memory(&recorder->err, "blocks");
            return;
        }
        recorder->blocks = grown;
        recorder->capacity = capacity;
    }
    recorder->blocks[recorder->count++] = *block;
}

static int by_address(const void *a, const void *b)
{
    const struct zv_walk_block *const left = a;
    const struct zv_walk_block *const right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static bool begin_segment(struct recorder *recorder, const struct zv_walk_block *block)
{
    struct zv_trace *const trace = recorder->trace;
    const struct zv_trace_pool pool = {{0, block->pool_id}};
    uint16_t stream;
    uint16_t pool_index;
    if (!trace_stream(trace, block->stream, &stream, &recorder->err) ||
        !trace_pool(trace, &pool, &pool_index, &recorder->err)) {
        return false;
    }
    struct zv_trace_segment *const segment = trace_add_segment(trace, &recorder->err);
    if (segment == NULL) {
        return false;
    }
    *segment = (struct zv_trace_segment){.address = block->address,
                                         .first_block = (uint32_t)trace->block_count,
                                         .stream = stream,
                                         .pool = pool_index,
                                         .is_small = block->is_small,
                                         .is_expandable = block->is_expandable};
    return true;
}

/* The mapped parts of a reservation that touch are one segment, as PyTorch shows them. */
static bool begins(const struct zv_walk_block *before, const struct zv_walk_block *block)
{
    if (before == NULL || block->begins || before->is_expandable != block->is_expandable) {
        return true;
    }
    return block->is_expandable &&
           (before->address + before->bytes != block->address || before->stream != block->stream ||
            before->is_small != block->is_small || before->pool_id != block->pool_id);
}

static bool add_block(struct recorder *recorder, const struct zv_walk_block *before,
                      const struct zv_walk_block *block)
{
    struct zv_trace *const trace = recorder->trace;
    if (begins(before, block) && !begin_segment(recorder, block)) {
        return false;
    }
    struct zv_trace_segment *const segment = &trace->segments[trace->segment_count - 1];
    struct zv_trace_block *const added = trace_add_block(trace, &recorder->err);
    if (added == NULL) {
        return false;
    }
    *added = (struct zv_trace_block){.address = block->address,
                                     .bytes = block->bytes,
                                     .requested_bytes = block->requested_bytes,
                                     .state = block->is_allocated ? ZV_BLOCK_ALLOCATED
                                              : block->is_pending ? ZV_BLOCK_PENDING
                                                                  : ZV_BLOCK_FREE};
    segment->bytes += block->bytes;
    segment->block_count++;
    segment->requested_bytes += block->requested_bytes;
    segment->allocated_bytes += block->is_allocated ? block->bytes : 0;
    segment->active_bytes += block->is_allocated || block->is_pending ? block->bytes : 0;
    return true;
}

static bool add_blocks(struct recorder *recorder)
{
    if (recorder->count > 1) {
        qsort(recorder->blocks, recorder->count, sizeof *recorder->blocks, by_address);
    }
    for (size_t i = 0; i < recorder->count; i++) {
        if (!add_block(recorder, i == 0 ? NULL : &recorder->blocks[i - 1], &recorder->blocks[i])) {
            return false;
        }
    }
    return true;
}

static bool finish(struct recorder *recorder, const struct zv_allocator_options *options)
{
    struct zv_trace *const trace = recorder->trace;
    const struct zv_slice conf = zv_slice_of(options->conf);
    trace->devices = zv_memory_alloc(sizeof *trace->devices);
    if (trace->devices == NULL) {
        (void)zv_fail_memory(&recorder->err, "a device");
        return false;
    }
    trace->device_count = 1;
    trace->devices[0] = (struct zv_trace_device){.events = trace->events,
                                                 .event_count = trace->event_count,
                                                 .segments = trace->segments,
                                                 .segment_count = trace->segment_count,
                                                 .total_bytes = options->capacity_bytes};
    trace->source = ZV_TRACE_FROM_SNAPSHOT;
    trace->generation = options->profile == ZV_TORCH_2_6 ? ZV_SNAPSHOT_G4 : ZV_SNAPSHOT_G6;
    trace->settings.known = true;
    return trace_text(trace, conf, &trace->settings.conf, &recorder->err) &&
           zv_trace_mark(trace, ZV_TRACE_EMULATED,
                         zv_slice_of("an op list, run on the simulated card"), &recorder->err);
}

enum zv_status zv_trace_record(struct zv_trace *trace, struct zv_slice ops,
                               const struct zv_allocator_options *options, struct zv_error *err)
{
    struct recorder recorder = {.trace = trace};
    struct zv_allocator_options own = *options;
    struct zv_replay replay = {0};
    own.on_event = on_event;
    own.context = &recorder;
    enum zv_status status = trace_begin(trace, err) ? ZV_OK : ZV_E_NOMEM;
    status = status == ZV_OK ? zv_replay_open(&replay, &own, NULL, err) : status;
    if (status == ZV_OK && zv_allocator_policy(replay.allocator) != ZV_POLICY_CACHING) {
        status = zv_fail(err, ZV_E_UNSUPPORTED, "only the caching policy has a record");
    }
    status = status == ZV_OK ? zv_replay_run(&replay, ops, NULL, err) : status;
    if (status == ZV_OK) {
        zv_allocator_walk(replay.allocator, on_block, &recorder);
        if (recorder.err.status == ZV_OK && add_blocks(&recorder)) {
            (void)finish(&recorder, options);
        }
        status = recorder.err.status;
        if (status != ZV_OK && err != NULL && err->status == ZV_OK) {
            *err = recorder.err;
        }
    }
    zv_replay_close(&replay);
    zv_memory_free(recorder.blocks);
    trace_finish(trace);
    return status;
}
