#include <string.h>

#include "base/fail.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "trace/capture.h"
#include "trace/capture_bytes.h"
#include "trace/capture_reader.h"

/* A line of the index. */
struct place {
    uint64_t type;
    uint64_t offset;
    uint64_t event;
};

const unsigned char *capture_start(const struct capture_reader *reader)
{
    return (const unsigned char *)reader->input.at;
}

bool capture_bad(struct capture_reader *reader, const char *what)
{
    (void)zv_fail_at(reader->err, ZV_E_SYNTAX, (uint64_t)(reader->at - capture_start(reader)),
                     "capture: %s", what);
    return false;
}

bool capture_number(struct capture_reader *reader, uint64_t *to)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (reader->at == reader->end) {
            return capture_bad(reader, "truncated inside a record");
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
    return capture_bad(reader, "a number of more than 64 bits");
}

bool capture_below(struct capture_reader *reader, uint64_t limit, uint64_t *to)
{
    return capture_number(reader, to) &&
           (*to < limit || capture_bad(reader, "a number that is out of range"));
}

/* The chunk at offset; its payload is between at and end. */
static bool open_chunk(struct capture_reader *reader, uint64_t offset, uint64_t *type)
{
    reader->at =
        capture_start(reader) + (offset < reader->input.length ? offset : reader->input.length);
    reader->end = capture_start(reader) + reader->input.length;
    if (offset > reader->input.length || reader->input.length - offset < CAPTURE_HEAD_BYTES) {
        return capture_bad(reader, "truncated at the head of a chunk");
    }
    const uint64_t bytes = zv_le64(reader->at + 8);
    *type = reader->at[0];
    reader->count = zv_le32(reader->at + 4);
    reader->at += CAPTURE_HEAD_BYTES;
    if (bytes > (uint64_t)(reader->end - reader->at)) {
        return capture_bad(reader, "truncated inside a chunk");
    }
    reader->end = reader->at + bytes;
    return true;
}

static bool read_meta(struct capture_reader *reader)
{
    struct zv_trace *const trace = reader->trace;
    struct zv_trace_settings *const settings = &trace->settings;
    uint64_t values[8];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (!capture_number(reader, &values[i])) {
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
    return values[4] <= UINT32_MAX || capture_bad(reader, "a number that is out of range");
}

static bool read_text(struct capture_reader *reader)
{
    uint64_t length;
    uint32_t index;
    if (!capture_number(reader, &length)) {
        return false;
    }
    if (length > (uint64_t)(reader->end - reader->at)) {
        return capture_bad(reader, "truncated inside a text");
    }
    const struct zv_slice text = {(const char *)reader->at, (size_t)length};
    const size_t before = reader->trace->text_count;
    reader->at += length;
    return trace_text(reader->trace, text, &index, reader->err) &&
           (index == before || capture_bad(reader, "a text that is there already"));
}

static bool read_known(struct capture_reader *reader)
{
    uint64_t known;
    uint64_t by;
    if (!capture_number(reader, &known) || !capture_below(reader, reader->trace->text_count, &by)) {
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

static bool read_frame(struct capture_reader *reader)
{
    struct zv_trace_frame frame;
    uint64_t file;
    uint64_t name;
    uint32_t index;
    if (!capture_below(reader, reader->trace->text_count, &file) ||
        !capture_below(reader, reader->trace->text_count, &name) ||
        !capture_number(reader, &frame.line)) {
        return false;
    }
    const size_t before = reader->trace->frame_count;
    frame.file = (uint32_t)file;
    frame.name = (uint32_t)name;
    return trace_frame(reader->trace, &frame, &index, reader->err) &&
           (index == before || capture_bad(reader, "a frame that is there already"));
}

static bool read_stack(struct capture_reader *reader)
{
    uint64_t outer;
    uint64_t frame;
    uint32_t index;
    if (!capture_below(reader, reader->trace->stack_count, &outer) ||
        !capture_below(reader, reader->trace->frame_count, &frame)) {
        return false;
    }
    const size_t before = reader->trace->stack_count;
    const struct zv_trace_stack stack = {(uint32_t)outer, (uint32_t)frame};
    return trace_stack(reader->trace, &stack, &index, reader->err) &&
           (index == before || capture_bad(reader, "a stack that is there already"));
}

static bool read_stream(struct capture_reader *reader)
{
    uint64_t handle;
    uint16_t index;
    return capture_number(reader, &handle) &&
           trace_stream(reader->trace, handle, &index, reader->err);
}

static bool read_pool(struct capture_reader *reader)
{
    struct zv_trace_pool pool;
    uint16_t index;
    return capture_number(reader, &pool.id[0]) && capture_number(reader, &pool.id[1]) &&
           trace_pool(reader->trace, &pool, &index, reader->err);
}

static bool read_annotation(struct capture_reader *reader)
{
    uint64_t time_us;
    uint64_t name;
    uint64_t is_end;
    if (!capture_number(reader, &time_us) ||
        !capture_below(reader, reader->trace->text_count, &name) ||
        !capture_below(reader, 2, &is_end)) {
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

static bool read_events(struct capture_reader *reader)
{
    const struct zv_trace *const trace = reader->trace;
    struct zv_trace_event before = {0};
    for (uint32_t i = 0; i < reader->count; i++) {
        uint64_t action, stream, address, bytes, time_us, stack, context;
        if (!capture_below(reader, ZV_TRACE_ACTION_COUNT, &action) ||
            !capture_below(reader, trace->stream_count, &stream) ||
            !capture_number(reader, &address) || !capture_number(reader, &bytes) ||
            !capture_number(reader, &time_us) ||
            !capture_below(reader, trace->stack_count, &stack) ||
            !capture_below(reader, trace->text_count, &context)) {
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

/* ---- the whole ---- */

typedef bool record_fn(struct capture_reader *reader);

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
static bool read_tables(struct capture_reader *reader, uint64_t until)
{
    uint64_t offset = CAPTURE_MAGIC_BYTES;
    while (offset < until) {
        uint64_t type;
        if (!open_chunk(reader, offset, &type)) {
            return false;
        }
        offset = (uint64_t)(reader->end - capture_start(reader));
        record_fn *const read = record_of(type);
        for (uint32_t i = 0; i < reader->count && read != NULL; i++) {
            if (!read(reader)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_place(struct capture_reader *reader, struct place *to)
{
    uint64_t time_us;
    return capture_number(reader, &to->type) && capture_number(reader, &to->offset) &&
           capture_number(reader, &to->event) && capture_number(reader, &time_us);
}

static bool open_index(struct capture_reader *reader)
{
    uint64_t type;
    const size_t length = reader->input.length;
    reader->at = capture_start(reader);
    if (length < CAPTURE_MAGIC_BYTES + CAPTURE_TAIL_BYTES ||
        memcmp(capture_start(reader) + length - CAPTURE_MAGIC_BYTES, CAPTURE_END,
               CAPTURE_MAGIC_BYTES) != 0) {
        reader->at = capture_start(reader) + length;
        return capture_bad(reader, "truncated: it does not end with its index");
    }
    if (!open_chunk(reader, zv_le64(capture_start(reader) + length - CAPTURE_TAIL_BYTES), &type)) {
        return false;
    }
    return type == CAPTURE_INDEX || capture_bad(reader, "its end names no index");
}

/* Which state ends the range, and which chunk of events begins it. */
static bool choose(struct capture_reader *reader, struct zv_capture_range range,
                   struct place *first, struct place *state, uint64_t *tables_end)
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
    return state->type != 0 || capture_bad(reader, "its index names no state");
}

static bool read_range(struct capture_reader *reader, const struct place *first,
                       const struct place *state)
{
    uint64_t type;
    uint64_t offset = first->type != 0 ? first->offset : state->offset;
    while (offset < state->offset) {
        if (!open_chunk(reader, offset, &type)) {
            return false;
        }
        offset = (uint64_t)(reader->end - capture_start(reader));
        if (type == CAPTURE_EVENTS && !read_events(reader)) {
            return false;
        }
    }
    reader->trace->devices[0].events = reader->trace->events;
    reader->trace->devices[0].event_count = reader->trace->event_count;
    if (reader->trace->event_count != state->event - first->event) {
        return capture_bad(reader, "not as many events as its index says");
    }
    return open_chunk(reader, state->offset, &type) &&
           (type == CAPTURE_STATE || capture_bad(reader, "its index names no state")) &&
           capture_read_state(reader);
}

static bool read_all(struct capture_reader *reader, struct zv_capture_range range,
                     size_t *first_event)
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
           capture_bad(reader, "settings that are no text of it");
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
    struct capture_reader reader = {.trace = trace, .input = input, .err = &own};
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
