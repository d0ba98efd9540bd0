/* The state of a capture: segments and their blocks, each by what lies between it and the one
 * before. */
#include "base/fail.h"
#include "base/memory.h"
#include "trace/capture_reader.h"
#include "trace/crop.h"
#include "trace/start.h"

struct state_tables {
    struct zv_trace_start state;
    size_t block_capacity;
};

static bool add_block(struct capture_reader *reader, struct state_tables *tables,
                      const struct zv_trace_block *block)
{
    struct zv_trace_start *const state = &tables->state;
    if (state->block_count == tables->block_capacity) {
        const size_t capacity = tables->block_capacity == 0 ? 256 : tables->block_capacity * 2;
        void *const grown = zv_memory_resize(state->blocks, capacity * sizeof *state->blocks);
        if (grown == NULL) {
            (void)zv_fail_memory(reader->err, "blocks");
            return false;
        }
        state->blocks = grown;
        tables->block_capacity = capacity;
    }
    state->blocks[state->block_count++] = *block;
    return true;
}

static bool read_block(struct capture_reader *reader, struct state_tables *tables,
                       const struct zv_trace_segment *segment, uint64_t *at)
{
    struct zv_trace_block block = {0};
    uint64_t gap, stack, state;
    if (!capture_number(reader, &gap) || !capture_number(reader, &block.bytes) ||
        !capture_number(reader, &block.requested_bytes) ||
        !capture_below(reader, reader->trace->stack_count, &stack) ||
        !capture_below(reader, ZV_BLOCK_PENDING + 1, &state)) {
        return false;
    }
    const uint64_t room = segment->address + segment->bytes - *at;
    if (gap > room || block.bytes > room - gap) {
        return capture_bad(reader, "a block outside its segment");
    }
    block.address = *at + gap;
    block.stack = (uint32_t)stack;
    block.state = (uint8_t)state;
    *at = block.address + block.bytes;
    return add_block(reader, tables, &block);
}

static bool read_segment(struct capture_reader *reader, struct state_tables *tables, uint64_t *end)
{
    struct zv_trace_segment *const segment = &tables->state.segments[tables->state.segment_count];
    uint64_t gap, stack, stream, pool, flags, blocks;
    if (!capture_number(reader, &gap) || !capture_number(reader, &segment->bytes) ||
        !capture_below(reader, reader->trace->stack_count, &stack) ||
        !capture_below(reader, reader->trace->stream_count, &stream) ||
        !capture_below(reader, reader->trace->pool_count, &pool) ||
        !capture_below(reader, 4, &flags) ||
        !capture_below(reader, ZV_TRACE_MAX_RECORDS, &blocks)) {
        return false;
    }
    if (gap > UINT64_MAX - *end || segment->bytes > UINT64_MAX - *end - gap) {
        return capture_bad(reader, "a segment outside the address space");
    }
    segment->address = *end + gap;
    segment->first_block = (uint32_t)tables->state.block_count;
    segment->stack = (uint32_t)stack;
    segment->stream = (uint16_t)stream;
    segment->pool = (uint16_t)pool;
    segment->is_small = (flags & 1) != 0;
    segment->is_expandable = (flags & 2) != 0;
    uint64_t at = segment->address;
    for (uint64_t i = 0; i < blocks; i++) {
        if (!read_block(reader, tables, segment, &at)) {
            return false;
        }
        segment->block_count++;
    }
    *end = segment->address + segment->bytes;
    tables->state.segment_count++;
    return true;
}

bool capture_read_state(struct capture_reader *reader)
{
    struct state_tables tables = {0};
    uint64_t end = 0;
    enum { SEGMENT_LEAST = 7 }; /* bytes of a segment without blocks */
    if (reader->count > (uint64_t)(reader->end - reader->at) / SEGMENT_LEAST) {
        return capture_bad(reader, "more segments than fit the chunk");
    }
    tables.state.segments =
        zv_memory_alloc((reader->count + UINT64_C(1)) * sizeof *tables.state.segments);
    bool fine = tables.state.segments != NULL;
    if (!fine) {
        (void)zv_fail_memory(reader->err, "segments");
    }
    for (uint32_t i = 0; i < reader->count && fine; i++) {
        tables.state.segments[i] = (struct zv_trace_segment){0};
        fine = read_segment(reader, &tables, &end);
    }
    fine = fine && trace_set_state(reader->trace, 0, &tables.state, reader->err) == ZV_OK;
    zv_trace_start_close(&tables.state);
    return fine;
}
