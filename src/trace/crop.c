#include "trace/crop.h"

#include "base/fail.h"
#include "trace/address_map.h"

static bool add_free(struct zv_trace *trace, struct zv_trace_segment *segment, uint64_t from,
                     uint64_t to, struct zv_error *err)
{
    if (from == to) {
        return true;
    }
    struct zv_trace_block *const block = trace_add_block(trace, err);
    if (block == NULL) {
        return false;
    }
    *block = (struct zv_trace_block){.address = from, .bytes = to - from};
    segment->block_count++;
    return true;
}

static bool add_segment(struct zv_trace *trace, size_t device, const struct zv_trace_start *state,
                        const struct zv_trace_segment *from, struct zv_error *err)
{
    struct zv_trace_segment *const segment = trace_add_segment(trace, err);
    if (segment == NULL) {
        return false;
    }
    *segment = *from;
    segment->device = (uint16_t)device;
    segment->first_block = (uint32_t)trace->block_count;
    segment->block_count = 0;
    segment->allocated_bytes = segment->active_bytes = segment->requested_bytes = 0;
    uint64_t end = from->address;
    for (uint32_t i = 0; i < from->block_count; i++) {
        const struct zv_trace_block *const live = &state->blocks[from->first_block + i];
        if (!add_free(trace, segment, end, live->address, err)) {
            return false;
        }
        struct zv_trace_block *const block = trace_add_block(trace, err);
        if (block == NULL) {
            return false;
        }
        *block = *live;
        segment->block_count++;
        segment->active_bytes += live->bytes;
        segment->requested_bytes += live->requested_bytes;
        segment->allocated_bytes += live->state == ZV_BLOCK_ALLOCATED ? live->bytes : 0;
        end = live->address + live->bytes;
    }
    return add_free(trace, segment, end, from->address + from->bytes, err);
}

enum zv_status trace_set_state(struct zv_trace *trace, size_t device,
                               const struct zv_trace_start *state, struct zv_error *err)
{
    struct zv_error own = {0};
    trace->segment_count = 0;
    trace->block_count = 0;
    for (size_t i = 0; i < state->segment_count && own.status == ZV_OK; i++) {
        (void)add_segment(trace, device, state, &state->segments[i], &own);
    }
    for (size_t i = 0; i < trace->device_count; i++) {
        trace->devices[i].segments = i == device ? trace->segments : NULL;
        trace->devices[i].segment_count = i == device ? trace->segment_count : 0;
    }
    if (own.status != ZV_OK && err != NULL && err->status == ZV_OK) {
        *err = own;
    }
    return own.status;
}

enum zv_status trace_name_blocks(const struct zv_trace *trace, size_t device, size_t until,
                                 struct zv_trace_start *state, struct zv_error *err)
{
    const struct zv_trace_event *const events = trace->devices[device].events;
    struct address_map births = {0};
    bool fine = true;
    for (size_t i = 0; i < until && fine; i++) {
        fine = events[i].action != ZV_TRACE_ALLOC ||
               address_map_put(&births, events[i].address, (uint32_t)i + 1);
    }
    for (size_t i = 0; i < state->block_count && fine; i++) {
        const uint32_t birth = address_map_get(&births, state->blocks[i].address);
        if (birth != 0) {
            state->blocks[i].stack = events[birth - 1].stack;
        }
    }
    address_map_free(&births);
    return fine ? ZV_OK : zv_fail_memory(err, "blocks");
}

enum zv_status zv_trace_crop(struct zv_trace *trace, size_t device, size_t from, size_t to,
                             const struct zv_trace_rules *rules, struct zv_error *err)
{
    struct zv_trace_start state;
    enum zv_status status = zv_trace_state_at(&state, trace, device, to, rules, err);
    status = status == ZV_OK ? trace_name_blocks(trace, device, to, &state, err) : status;
    status = status == ZV_OK ? trace_set_state(trace, device, &state, err) : status;
    zv_trace_start_close(&state);
    for (size_t i = 0; i < trace->device_count && status == ZV_OK; i++) {
        struct zv_trace_device *const one = &trace->devices[i];
        one->events = i == device && to != from ? one->events + from : NULL;
        one->event_count = i == device ? to - from : 0;
    }
    return status;
}
