#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "trace/capture.h"
#include "trace/capture_bytes.h"
#include "trace/crop.h"

struct reader {
    struct zv_trace *trace;
    struct zv_slice input;
    const unsigned char *at;
    const unsigned char *end; /* of the chunk */
    uint32_t count;           /* records of the chunk */
    uint64_t event_total;
    struct zv_error *err; /* never NULL */
};

/* A line of the index. */
struct place {
    uint64_t type;
    uint64_t offset;
    uint64_t event;
};

static const unsigned char *start(const struct reader *reader)
{
    return (const unsigned char *)reader->input.at;
}

static bool bad(struct reader *reader, const char *what)
{
    (void)zv_fail_at(reader->err, ZV_E_SYNTAX, (uint64_t)(reader->at - start(reader)),
                     "capture: %s", what);
    return false;
}

static bool number(struct reader *reader, uint64_t *to)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (reader->at == reader->end) {
            return bad(reader, "truncated inside a record");
        }
        const unsigned char byte = *reader->at++;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *to = value;
            return true;
        }
    }
    return bad(reader, "a number of more than 64 bits");
}

/* A number below limit. */
static bool below(struct reader *reader, uint64_t limit, uint64_t *to)
{
    return number(reader, to) && (*to < limit || bad(reader, "a number that is out of range"));
}

/* The chunk at offset; its payload is between at and end. */
static bool open_chunk(struct reader *reader, uint64_t offset, uint64_t *type)
{
    reader->at = start(reader) + (offset < reader->input.length ? offset : reader->input.length);
    reader->end = start(reader) + reader->input.length;
    if (offset > reader->input.length || reader->input.length - offset < CAPTURE_HEAD_BYTES) {
        return bad(reader, "truncated at the head of a chunk");
    }
    const uint64_t bytes = zv_le64(reader->at + 8);
    *type = reader->at[0];
    reader->count = zv_le32(reader->at + 4);
    reader->at += CAPTURE_HEAD_BYTES;
    if (bytes > (uint64_t)(reader->end - reader->at)) {
        return bad(reader, "truncated inside a chunk");
    }
    reader->end = reader->at + bytes;
    return true;
}

static bool read_meta(struct reader *reader)
{
    struct zv_trace *const trace = reader->trace;
    struct zv_trace_settings *const settings = &trace->settings;
    uint64_t values[8];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (!number(reader, &values[i])) {
            return false;
        }
    }
    if (values[0] > ZV_SNAPSHOT_G6) {
        (void)zv_fail(reader->err, ZV_E_UNSUPPORTED, "a capture of a newer kind of record");
        return false;
    }
    trace->generation = (enum zv_snapshot_generation)values[0];
    reader->event_total = values[1];
    trace->devices[0].total_bytes = values[2];
    settings->known = values[3] != 0;
    settings->conf = (uint32_t)values[4];
    settings->expandable_segments = values[5] != 0;
    settings->has_max_split = values[6] != 0;
    settings->max_split_bytes = values[7];
    return values[4] <= UINT32_MAX || bad(reader, "a number that is out of range");
}

static bool read_text(struct reader *reader)
{
    uint64_t length;
    uint32_t index;
    if (!number(reader, &length)) {
        return false;
    }
    if (length > (uint64_t)(reader->end - reader->at)) {
        return bad(reader, "truncated inside a text");
    }
    const struct zv_slice text = {(const char *)reader->at, (size_t)length};
    const size_t before = reader->trace->text_count;
    reader->at += length;
    return trace_text(reader->trace, text, &index, reader->err) &&
           (index == before || bad(reader, "a text that is there already"));
}

static bool read_known(struct reader *reader)
{
    uint64_t known;
    uint64_t by;
    if (!number(reader, &known) || !below(reader, reader->trace->text_count, &by)) {
        return false;
    }
    if (known >= ZV_TRACE_KNOWN) {
        (void)zv_fail(reader->err, ZV_E_UNSUPPORTED,
                      "a capture whose events are known in a newer way");
        return false;
    }
    reader->trace->known = (enum zv_trace_known)known;
    reader->trace->known_by = (uint32_t)by;
    return true;
}

static bool read_frame(struct reader *reader)
{
    struct zv_trace_frame frame;
    uint64_t file;
    uint64_t name;
    uint32_t index;
    if (!below(reader, reader->trace->text_count, &file) ||
        !below(reader, reader->trace->text_count, &name) || !number(reader, &frame.line)) {
        return false;
    }
    const size_t before = reader->trace->frame_count;
    frame.file = (uint32_t)file;
    frame.name = (uint32_t)name;
    return trace_frame(reader->trace, &frame, &index, reader->err) &&
           (index == before || bad(reader, "a frame that is there already"));
}

static bool read_stack(struct reader *reader)
{
    uint64_t outer;
    uint64_t frame;
    uint32_t index;
    if (!below(reader, reader->trace->stack_count, &outer) ||
        !below(reader, reader->trace->frame_count, &frame)) {
        return false;
    }
    const size_t before = reader->trace->stack_count;
    const struct zv_trace_stack stack = {(uint32_t)outer, (uint32_t)frame};
    return trace_stack(reader->trace, &stack, &index, reader->err) &&
           (index == before || bad(reader, "a stack that is there already"));
}

static bool read_stream(struct reader *reader)
{
    uint64_t handle;
    uint16_t index;
    return number(reader, &handle) && trace_stream(reader->trace, handle, &index, reader->err);
}

static bool read_pool(struct reader *reader)
{
    struct zv_trace_pool pool;
    uint16_t index;
    return number(reader, &pool.id[0]) && number(reader, &pool.id[1]) &&
           trace_pool(reader->trace, &pool, &index, reader->err);
}

static bool read_annotation(struct reader *reader)
{
    uint64_t time_us;
    uint64_t name;
    uint64_t is_end;
    if (!number(reader, &time_us) || !below(reader, reader->trace->text_count, &name) ||
        !below(reader, 2, &is_end)) {
        return false;
    }
    struct zv_trace_annotation *const added = trace_add_annotation(reader->trace, reader->err);
    if (added == NULL) {
        return false;
    }
    *added = (struct zv_trace_annotation){
        .time_us = time_us, .name = (uint32_t)name, .is_end = is_end != 0};
    return true;
}

static bool read_events(struct reader *reader)
{
    const struct zv_trace *const trace = reader->trace;
    struct zv_trace_event before = {0};
    for (uint32_t i = 0; i < reader->count; i++) {
        uint64_t action, stream, address, bytes, time_us, stack, context;
        if (!below(reader, ZV_TRACE_ACTION_COUNT, &action) ||
            !below(reader, trace->stream_count, &stream) || !number(reader, &address) ||
            !number(reader, &bytes) || !number(reader, &time_us) ||
            !below(reader, trace->stack_count, &stack) ||
            !below(reader, trace->text_count, &context)) {
            return false;
        }
        struct zv_trace_event *const event = trace_add_event(reader->trace, reader->err);
        if (event == NULL) {
            return false;
        }
        *event = (struct zv_trace_event){.address = before.address + capture_unzigzag(address),
                                         .bytes = bytes,
                                         .time_us = before.time_us + capture_unzigzag(time_us),
                                         .stack = (uint32_t)stack,
                                         .context = (uint32_t)context,
                                         .stream = (uint16_t)stream,
                                         .action = (uint8_t)action};
        before = *event;
    }
    return true;
}

/* ---- the state ---- */

struct state_tables {
    struct zv_trace_start state;
    size_t block_capacity;
};

static bool add_block(struct reader *reader, struct state_tables *tables,
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

static bool read_block(struct reader *reader, struct state_tables *tables,
                       const struct zv_trace_segment *segment, uint64_t *at)
{
    struct zv_trace_block block = {0};
    uint64_t gap, stack, state;
    if (!number(reader, &gap) || !number(reader, &block.bytes) ||
        !number(reader, &block.requested_bytes) ||
        !below(reader, reader->trace->stack_count, &stack) ||
        !below(reader, ZV_BLOCK_PENDING + 1, &state)) {
        return false;
    }
    const uint64_t room = segment->address + segment->bytes - *at;
    if (gap > room || block.bytes > room - gap) {
        return bad(reader, "a block outside its segment");
    }
    block.address = *at + gap;
    block.stack = (uint32_t)stack;
    block.state = (uint8_t)state;
    *at = block.address + block.bytes;
    return add_block(reader, tables, &block);
}

static bool read_segment(struct reader *reader, struct state_tables *tables, uint64_t *end)
{
    struct zv_trace_segment *const segment = &tables->state.segments[tables->state.segment_count];
    uint64_t gap, stack, stream, pool, flags, blocks;
    if (!number(reader, &gap) || !number(reader, &segment->bytes) ||
        !below(reader, reader->trace->stack_count, &stack) ||
        !below(reader, reader->trace->stream_count, &stream) ||
        !below(reader, reader->trace->pool_count, &pool) || !below(reader, 4, &flags) ||
        !below(reader, ZV_TRACE_MAX_RECORDS, &blocks)) {
        return false;
    }
    if (gap > UINT64_MAX - *end || segment->bytes > UINT64_MAX - *end - gap) {
        return bad(reader, "a segment outside the address space");
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

static bool read_state(struct reader *reader)
{
    struct state_tables tables = {0};
    uint64_t end = 0;
    enum { SEGMENT_LEAST = 7 }; /* bytes of a segment without blocks */
    if (reader->count > (uint64_t)(reader->end - reader->at) / SEGMENT_LEAST) {
        return bad(reader, "more segments than fit the chunk");
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

/* ---- the whole ---- */

typedef bool record_fn(struct reader *reader);

static record_fn *record_of(uint64_t type)
{
    switch (type) {
    case CAPTURE_META:
        return read_meta;
    case CAPTURE_TEXTS:
        return read_text;
    case CAPTURE_KNOWN:
        return read_known;
    case CAPTURE_FRAMES:
        return read_frame;
    case CAPTURE_STACKS:
        return read_stack;
    case CAPTURE_STREAMS:
        return read_stream;
    case CAPTURE_POOLS:
        return read_pool;
    case CAPTURE_ANNOTATIONS:
        return read_annotation;
    default:
        return NULL;
    }
}

/* Meta and tables: the chunks up to the first that the index names. */
static bool read_tables(struct reader *reader, uint64_t until)
{
    uint64_t offset = CAPTURE_MAGIC_BYTES;
    while (offset < until) {
        uint64_t type;
        if (!open_chunk(reader, offset, &type)) {
            return false;
        }
        offset = (uint64_t)(reader->end - start(reader));
        record_fn *const read = record_of(type);
        for (uint32_t i = 0; i < reader->count && read != NULL; i++) {
            if (!read(reader)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_place(struct reader *reader, struct place *to)
{
    uint64_t time_us;
    return number(reader, &to->type) && number(reader, &to->offset) && number(reader, &to->event) &&
           number(reader, &time_us);
}

static bool open_index(struct reader *reader)
{
    uint64_t type;
    const size_t length = reader->input.length;
    reader->at = start(reader);
    if (length < CAPTURE_MAGIC_BYTES + CAPTURE_TAIL_BYTES ||
        memcmp(start(reader) + length - CAPTURE_MAGIC_BYTES, CAPTURE_END, CAPTURE_MAGIC_BYTES) !=
            0) {
        reader->at = start(reader) + length;
        return bad(reader, "truncated: it does not end with its index");
    }
    if (!open_chunk(reader, zv_le64(start(reader) + length - CAPTURE_TAIL_BYTES), &type)) {
        return false;
    }
    return type == CAPTURE_INDEX || bad(reader, "its end names no index");
}

/* Which state ends the range, and which chunk of events begins it. */
static bool choose(struct reader *reader, struct zv_capture_range range, struct place *first,
                   struct place *state, uint64_t *tables_end)
{
    *first = (struct place){0};
    *state = (struct place){0};
    *tables_end = 0;
    for (uint32_t i = 0; i < reader->count; i++) {
        struct place place;
        if (!read_place(reader, &place)) {
            return false;
        }
        *tables_end = i == 0 ? place.offset : *tables_end;
        if (place.type == CAPTURE_EVENTS && (first->type == 0 || place.event <= range.from)) {
            *first = place;
        } else if (place.type == CAPTURE_STATE && (state->type == 0 || state->event < range.to)) {
            *state = place;
        }
    }
    return state->type != 0 || bad(reader, "its index names no state");
}

static bool read_range(struct reader *reader, const struct place *first, const struct place *state)
{
    uint64_t type;
    uint64_t offset = first->type != 0 ? first->offset : state->offset;
    while (offset < state->offset) {
        if (!open_chunk(reader, offset, &type)) {
            return false;
        }
        offset = (uint64_t)(reader->end - start(reader));
        if (type == CAPTURE_EVENTS && !read_events(reader)) {
            return false;
        }
    }
    reader->trace->devices[0].events = reader->trace->events;
    reader->trace->devices[0].event_count = reader->trace->event_count;
    if (reader->trace->event_count != state->event - first->event) {
        return bad(reader, "not as many events as its index says");
    }
    return open_chunk(reader, state->offset, &type) &&
           (type == CAPTURE_STATE || bad(reader, "its index names no state")) && read_state(reader);
}

static bool read_all(struct reader *reader, struct zv_capture_range range, size_t *first_event)
{
    struct place first;
    struct place state;
    uint64_t tables_end;
    if (!trace_begin(reader->trace, reader->err) || !open_index(reader) ||
        !choose(reader, range, &first, &state, &tables_end) || !read_tables(reader, tables_end) ||
        !read_range(reader, &first, &state)) {
        return false;
    }
    *first_event = (size_t)first.event;
    return reader->trace->settings.conf < reader->trace->text_count ||
           bad(reader, "settings that are no text of it");
}

bool zv_capture_is(struct zv_slice input)
{
    return input.length >= CAPTURE_MAGIC_BYTES &&
           memcmp(input.at, CAPTURE_MAGIC, CAPTURE_MAGIC_BYTES - 1) == 0;
}

enum zv_status zv_capture_read(struct zv_trace *trace, struct zv_slice input,
                               struct zv_capture_range range, size_t *first, struct zv_error *err)
{
    struct zv_error own = {0};
    struct reader reader = {.trace = trace, .input = input, .err = &own};
    trace->source = ZV_TRACE_FROM_SNAPSHOT;
    trace->devices = zv_memory_alloc(sizeof *trace->devices);
    if (!zv_capture_is(input)) {
        (void)zv_fail_at(&own, ZV_E_SYNTAX, 0, "no capture: its first bytes are others");
    } else if (input.at[CAPTURE_MAGIC_BYTES - 1] != CAPTURE_MAGIC[CAPTURE_MAGIC_BYTES - 1]) {
        (void)zv_fail_at(&own, ZV_E_UNSUPPORTED, CAPTURE_MAGIC_BYTES - 1,
                         "a capture of version %d, 1 is read", input.at[CAPTURE_MAGIC_BYTES - 1]);
    } else if (trace->devices == NULL) {
        (void)zv_fail_memory(&own, "a device");
    } else {
        trace->devices[0] = (struct zv_trace_device){0};
        trace->device_count = 1;
        (void)read_all(&reader, range, first);
    }
    trace_finish(trace);
    if (own.status != ZV_OK && err != NULL && err->status == ZV_OK) {
        *err = own;
    }
    return own.status;
}
