#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "trace/capture.h"
#include "trace/capture_bytes.h"
#include "trace/crop.h"

struct writer {
    struct zv_sink *sink;
    const struct zv_trace *trace;
    const struct zv_trace_device *device;
    struct zv_buffer chunk; /* payload of the chunk at work */
    struct zv_buffer index;
    uint32_t index_count;
    uint32_t count; /* records of the chunk */
    uint64_t begin; /* of the sink */
    bool out_of_memory;
};

static void put_number(struct writer *writer, struct zv_buffer *to, uint64_t value)
{
    char bytes[10];
    size_t size = 0;
    do {
        bytes[size++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value != 0);
    writer->out_of_memory = writer->out_of_memory || !zv_buffer_append(to, bytes, size);
}

static void put(struct writer *writer, uint64_t value)
{
    put_number(writer, &writer->chunk, value);
}

static void put_fixed(char *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = (char)(value >> (8 * i));
    }
}

/* Writes the chunk that was collected, even an empty one. */
static void end_chunk(struct writer *writer, enum capture_chunk type)
{
    char head[CAPTURE_HEAD_BYTES] = {(char)type};
    put_fixed(head + 4, writer->count, 4);
    put_fixed(head + 8, writer->chunk.size, 8);
    zv_sink_write(writer->sink, head, sizeof head);
    zv_sink_write(writer->sink, writer->chunk.data, writer->chunk.size);
    writer->chunk.size = 0;
    writer->count = 0;
}

/* One line of the index: a chunk of events or a state, where it is and what it starts with. */
static void note_chunk(struct writer *writer, enum capture_chunk type, size_t event,
                       uint64_t time_us)
{
    put_number(writer, &writer->index, (uint64_t)type);
    put_number(writer, &writer->index, writer->sink->written - writer->begin);
    put_number(writer, &writer->index, event);
    put_number(writer, &writer->index, time_us);
    writer->index_count++;
}

static void put_meta(struct writer *writer)
{
    const struct zv_trace *const trace = writer->trace;
    put(writer, (uint64_t)trace->generation);
    put(writer, writer->device->event_count);
    put(writer, writer->device->total_bytes);
    put(writer, trace->settings.known);
    put(writer, trace->settings.conf);
    put(writer, trace->settings.expandable_segments);
    put(writer, trace->settings.has_max_split);
    put(writer, trace->settings.max_split_bytes);
    writer->count = 1;
    end_chunk(writer, CAPTURE_META);
}

static void put_tables(struct writer *writer, size_t device)
{
    const struct zv_trace *const trace = writer->trace;
    for (size_t i = 1; i < trace->text_count; i++, writer->count++) {
        put(writer, trace->texts[i].length);
        writer->out_of_memory =
            writer->out_of_memory ||
            !zv_buffer_append(&writer->chunk, trace->texts[i].at, trace->texts[i].length);
    }
    end_chunk(writer, CAPTURE_TEXTS);
    if (trace->known != ZV_TRACE_RECORDED) {
        put(writer, (uint64_t)trace->known);
        put(writer, trace->known_by);
        writer->count = 1;
        end_chunk(writer, CAPTURE_KNOWN);
    }
    for (size_t i = 1; i < trace->frame_count; i++, writer->count++) {
        put(writer, trace->frames[i].file);
        put(writer, trace->frames[i].name);
        put(writer, trace->frames[i].line);
    }
    end_chunk(writer, CAPTURE_FRAMES);
    for (size_t i = 1; i < trace->stack_count; i++, writer->count++) {
        put(writer, trace->stacks[i].outer);
        put(writer, trace->stacks[i].frame);
    }
    end_chunk(writer, CAPTURE_STACKS);
    for (size_t i = 0; i < trace->stream_count; i++, writer->count++) {
        put(writer, trace->streams[i]);
    }
    end_chunk(writer, CAPTURE_STREAMS);
    for (size_t i = 1; i < trace->pool_count; i++, writer->count++) {
        put(writer, trace->pools[i].id[0]);
        put(writer, trace->pools[i].id[1]);
    }
    end_chunk(writer, CAPTURE_POOLS);
    for (size_t i = 0; i < trace->annotation_count; i++) {
        if (trace->annotations[i].device == device) {
            put(writer, trace->annotations[i].time_us);
            put(writer, trace->annotations[i].name);
            put(writer, trace->annotations[i].is_end);
            writer->count++;
        }
    }
    end_chunk(writer, CAPTURE_ANNOTATIONS);
}

static void put_events(struct writer *writer, size_t from, size_t to)
{
    struct zv_trace_event before = {0};
    note_chunk(writer, CAPTURE_EVENTS, from, writer->device->events[from].time_us);
    for (size_t i = from; i < to; i++, writer->count++) {
        const struct zv_trace_event *const event = &writer->device->events[i];
        put(writer, event->action);
        put(writer, event->stream);
        put(writer, capture_zigzag(event->address - before.address));
        put(writer, event->bytes);
        put(writer, capture_zigzag(event->time_us - before.time_us));
        put(writer, event->stack);
        put(writer, event->context);
        before = *event;
    }
    end_chunk(writer, CAPTURE_EVENTS);
}

static void put_state(struct writer *writer, const struct zv_trace_start *state, size_t event)
{
    uint64_t end = 0;
    note_chunk(writer, CAPTURE_STATE, event, 0);
    for (size_t i = 0; i < state->segment_count; i++, writer->count++) {
        const struct zv_trace_segment *const segment = &state->segments[i];
        put(writer, segment->address - end);
        put(writer, segment->bytes);
        put(writer, segment->stack);
        put(writer, segment->stream);
        put(writer, segment->pool);
        put(writer, (uint64_t)segment->is_small | (uint64_t)segment->is_expandable << 1);
        put(writer, segment->block_count);
        uint64_t at = segment->address;
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block = &state->blocks[segment->first_block + j];
            put(writer, block->address - at);
            put(writer, block->bytes);
            put(writer, block->requested_bytes);
            put(writer, block->stack);
            put(writer, block->state);
            at = block->address + block->bytes;
        }
        end = segment->address + segment->bytes;
    }
    end_chunk(writer, CAPTURE_STATE);
}

/* Differences of addresses are written: each piece must begin where the one before it has ended. */
static bool is_in_order(const struct zv_trace_start *state)
{
    uint64_t end = 0;
    for (size_t i = 0; i < state->segment_count; i++) {
        const struct zv_trace_segment *const segment = &state->segments[i];
        uint64_t at = segment->address;
        if (at < end || segment->bytes > UINT64_MAX - at) {
            return false;
        }
        end = at + segment->bytes;
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block = &state->blocks[segment->first_block + j];
            if (block->address < at || block->address > end ||
                block->bytes > end - block->address) {
                return false;
            }
            at = block->address + block->bytes;
        }
    }
    return true;
}

static enum zv_status put_state_at(struct writer *writer, size_t device, size_t event,
                                   const struct zv_trace_rules *rules, struct zv_error *err)
{
    struct zv_trace_start state;
    enum zv_status status = zv_trace_state_at(&state, writer->trace, device, event, rules, err);
    status =
        status == ZV_OK ? trace_name_blocks(writer->trace, device, event, &state, err) : status;
    if (status == ZV_OK && !is_in_order(&state)) {
        status = zv_fail(err, ZV_E_SYNTAX,
                         "the record contradicts itself: segments overlap before event %zu", event);
    } else if (status == ZV_OK) {
        put_state(writer, &state, event);
    }
    zv_trace_start_close(&state);
    return status;
}

static enum zv_status put_history(struct writer *writer, size_t device,
                                  const struct zv_trace_rules *rules, struct zv_error *err)
{
    const size_t count = writer->device->event_count;
    size_t at = 0;
    enum zv_status status = ZV_OK;
    do {
        const size_t stride = count - at < ZV_CAPTURE_STRIDE ? count : at + ZV_CAPTURE_STRIDE;
        while (at < stride) {
            const size_t end = stride - at < ZV_CAPTURE_CHUNK ? stride : at + ZV_CAPTURE_CHUNK;
            put_events(writer, at, end);
            at = end;
        }
        status = put_state_at(writer, device, at, rules, err);
    } while (at < count && status == ZV_OK);
    return status;
}

static void put_index(struct writer *writer)
{
    char tail[CAPTURE_TAIL_BYTES];
    put_fixed(tail, writer->sink->written - writer->begin, 8);
    memcpy(tail + 8, CAPTURE_END, CAPTURE_MAGIC_BYTES);
    writer->out_of_memory =
        writer->out_of_memory ||
        !zv_buffer_append(&writer->chunk, writer->index.data, writer->index.size);
    writer->count = writer->index_count;
    end_chunk(writer, CAPTURE_INDEX);
    zv_sink_write(writer->sink, tail, sizeof tail);
}

enum zv_status zv_capture_write(struct zv_sink *sink, const struct zv_trace *trace, size_t device,
                                const struct zv_trace_rules *rules, struct zv_error *err)
{
    struct writer writer = {.sink = sink,
                            .trace = trace,
                            .device = &trace->devices[device],
                            .chunk = {.limit = SIZE_MAX / 2},
                            .index = {.limit = SIZE_MAX / 2},
                            .begin = sink->written};
    if (trace->source != ZV_TRACE_FROM_SNAPSHOT) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "a profiler's trace has no state to capture");
    }
    zv_sink_write(sink, CAPTURE_MAGIC, CAPTURE_MAGIC_BYTES);
    put_meta(&writer);
    put_tables(&writer, device);
    enum zv_status status = put_history(&writer, device, rules, err);
    put_index(&writer);
    zv_buffer_free(&writer.chunk);
    zv_buffer_free(&writer.index);
    if (status == ZV_OK && writer.out_of_memory) {
        status = zv_fail_memory(err, "a capture");
    }
    return status;
}
