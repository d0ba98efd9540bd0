#include "trace/profiler.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "format/json_reader.h"
#include "format/json_tree.h"
#include "format/unpack.h"

enum { WINDOW = 1 << 16, MAX_TOKEN = 1 << 24, NO_DEVICE = -1, KNOWN_DEVICES = 64 };

/* One event of a Chrome trace, as far as it was read. */
struct event {
    bool is_other; /* its name is known and none of the two */
    bool is_memory;
    bool is_oom;
    bool has_totals;
    int64_t bytes;
    int64_t device_type; /* 1: a GPU */
    int64_t device;
    uint64_t time_us;
    uint64_t address;
    uint64_t allocated_bytes;
    uint64_t reserved_bytes;
};

struct reader {
    struct zv_trace *trace;
    struct zv_json_reader json;
    struct zv_error *err;
    uint64_t device_bytes[KNOWN_DEVICES]; /* of deviceProperties, 0: not said */
};

static struct zv_slice token_text(const struct reader *reader)
{
    return (struct zv_slice){reader->json.text, reader->json.length};
}

static inline bool is_key(const struct reader *reader, const char *name)
{
    const size_t length = strlen(name); /* a constant where it is inlined */
    return reader->json.length == length && memcmp(reader->json.text, name, length) == 0;
}

/* The whole part of the token; 0 when it is no number or does not fit. */
static int64_t whole(const struct reader *reader)
{
    struct zv_slice text = token_text(reader);
    int64_t value = 0;
    if (zv_json_number_i64(text, &value)) {
        return value;
    }
    const struct zv_slice digits =
        zv_slice_cut(&text, '.'); /* times have fractions of a microsecond */
    return zv_json_number_i64(digits, &value) ? value : 0;
}

static uint64_t unsigned_whole(const struct reader *reader)
{
    uint64_t value = 0;
    return zv_json_number_u64(token_text(reader), &value) ? value : (uint64_t)whole(reader);
}

static bool broken(struct reader *reader)
{
    if (reader->err != NULL && reader->err->status == ZV_OK) {
        *reader->err = reader->json.err;
    }
    return false;
}

/* The next token; false at the end of the text and after a failure. */
static bool next(struct reader *reader, enum zv_json_token *token)
{
    *token = zv_json_next(&reader->json);
    return *token == ZV_JSON_ERROR ? broken(reader) : *token != ZV_JSON_END;
}

static bool opens(enum zv_json_token token)
{
    return token == ZV_JSON_OBJECT_BEGIN || token == ZV_JSON_ARRAY_BEGIN;
}

/* Reads past everything until depth is outside. */
static bool skip_to(struct reader *reader, int outside)
{
    return zv_json_skip(&reader->json, outside) || broken(reader);
}

/* Reads past the rest of a value whose first token this is. */
static bool skip(struct reader *reader, enum zv_json_token token)
{
    return !opens(token) || skip_to(reader, reader->json.depth - 1);
}

/* ---- recording ---- */

static bool record(struct reader *reader, const struct zv_trace_event *event,
                   const struct zv_trace_total *total)
{
    struct zv_trace_event *const added = trace_add_event(reader->trace, reader->err);
    struct zv_trace_total *const beside =
        added != NULL ? trace_add_total(reader->trace, reader->err) : NULL;
    if (beside == NULL) {
        return false;
    }
    *added = *event;
    *beside = *total;
    return true;
}

static bool record_event(struct reader *reader, const struct event *event)
{
    if (!(event->is_memory || event->is_oom) || event->device_type != 1 || event->device < 0) {
        return true;
    }
    if (event->device >= ZV_TRACE_MAX_DEVICES) {
        (void)zv_fail_at(reader->err, ZV_E_LIMIT, reader->json.offset,
                         "a memory event of device %lld", (long long)event->device);
        return false;
    }
    const bool takes = event->bytes >= 0;
    struct zv_trace_event row = {.address = event->address,
                                 .bytes =
                                     takes ? (uint64_t)event->bytes : 0 - (uint64_t)event->bytes,
                                 .time_us = event->time_us,
                                 .action = takes ? ZV_TRACE_ALLOC : ZV_TRACE_FREE_REQUESTED};
    if (event->is_oom) {
        row.action = ZV_TRACE_OOM;
        row.address = 0; /* bytes that were free: not written down */
    }
    const struct zv_trace_total total = {.allocated_bytes = event->allocated_bytes,
                                         .reserved_bytes = event->reserved_bytes,
                                         .device = (uint16_t)event->device,
                                         .known = event->has_totals};
    return record(reader, &row, &total);
}

/* ---- Chrome traces ---- */

static bool read_argument(struct reader *reader, struct event *event)
{
    enum zv_json_token token;
    enum { NONE, BYTES, ADDRESS, ALLOCATED, RESERVED, TYPE, DEVICE } which = NONE;
    which = is_key(reader, "Bytes")             ? BYTES
            : is_key(reader, "Addr")            ? ADDRESS
            : is_key(reader, "Total Allocated") ? ALLOCATED
            : is_key(reader, "Total Reserved")  ? RESERVED
            : is_key(reader, "Device Type")     ? TYPE
            : is_key(reader, "Device Id")       ? DEVICE
                                                : NONE;
    if (!next(reader, &token)) {
        return false;
    }
    if (token != ZV_JSON_NUMBER) {
        return skip(reader, token);
    }
    switch (which) {
    case BYTES:
        event->bytes = whole(reader);
        break;
    case ADDRESS:
        event->address = unsigned_whole(reader);
        break;
    case ALLOCATED:
        event->allocated_bytes = unsigned_whole(reader);
        event->has_totals = true;
        break;
    case RESERVED:
        event->reserved_bytes = unsigned_whole(reader);
        break;
    case TYPE:
        event->device_type = whole(reader);
        break;
    case DEVICE:
        event->device = whole(reader);
        break;
    case NONE:
        break;
    }
    return true;
}

/* An object has begun: calls member for each key until it ends, or until it is nobody's. */
typedef bool member_fn(struct reader *reader, struct event *event);

static bool read_members(struct reader *reader, struct event *event, member_fn *member)
{
    enum zv_json_token token;
    const int outside = reader->json.depth - 1;
    while (next(reader, &token)) {
        if (token == ZV_JSON_OBJECT_END) {
            return true;
        }
        if (!member(reader, event)) {
            return false;
        }
        if (event->is_other) { /* most of a trace */
            return skip_to(reader, outside);
        }
    }
    return false;
}

static bool read_event_member(struct reader *reader, struct event *event)
{
    enum zv_json_token token;
    const bool is_name = is_key(reader, "name");
    const bool is_time = is_key(reader, "ts");
    const bool is_args = is_key(reader, "args");
    if (!next(reader, &token)) {
        return false;
    }
    if (is_name && token == ZV_JSON_STRING) {
        event->is_memory = is_key(reader, "[memory]");
        event->is_oom = is_key(reader, "[OutOfMemory]");
        event->is_other = !event->is_memory && !event->is_oom;
    } else if (is_time && token == ZV_JSON_NUMBER) {
        const int64_t time = whole(reader);
        event->time_us = time > 0 ? (uint64_t)time : 0;
    } else if (is_args && token == ZV_JSON_OBJECT_BEGIN) {
        return read_members(reader, event, read_argument);
    } else {
        return skip(reader, token);
    }
    return true;
}

static bool read_events(struct reader *reader)
{
    enum zv_json_token token;
    while (next(reader, &token)) {
        if (token == ZV_JSON_ARRAY_END) {
            return true;
        }
        struct event event = {.device_type = -1, .device = NO_DEVICE};
        if (token != ZV_JSON_OBJECT_BEGIN) {
            if (!skip(reader, token)) {
                return false;
            }
        } else if (!read_members(reader, &event, read_event_member) ||
                   !record_event(reader, &event)) {
            return false;
        }
    }
    return false;
}

static bool read_property(struct reader *reader, struct event *event)
{
    enum zv_json_token token;
    const bool is_id = is_key(reader, "id");
    const bool is_total = is_key(reader, "totalGlobalMem");
    if (!next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_NUMBER && is_id) {
        event->device = whole(reader);
    } else if (token == ZV_JSON_NUMBER && is_total) {
        event->allocated_bytes = unsigned_whole(reader);
    }
    return skip(reader, token);
}

static bool read_properties(struct reader *reader)
{
    enum zv_json_token token;
    while (next(reader, &token)) {
        struct event device = {.device = NO_DEVICE};
        if (token == ZV_JSON_ARRAY_END) {
            return true;
        }
        if (token != ZV_JSON_OBJECT_BEGIN) {
            if (!skip(reader, token)) {
                return false;
            }
        } else if (!read_members(reader, &device, read_property)) {
            return false;
        }
        if (device.device >= 0 && device.device < KNOWN_DEVICES) {
            reader->device_bytes[device.device] = device.allocated_bytes;
        }
    }
    return false;
}

static bool read_top(struct reader *reader, struct event *event)
{
    enum zv_json_token token;
    (void)event;
    const bool is_events = is_key(reader, "traceEvents");
    const bool is_devices = is_key(reader, "deviceProperties");
    if (!next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_ARRAY_BEGIN && is_events) {
        return read_events(reader);
    }
    if (token == ZV_JSON_ARRAY_BEGIN && is_devices) {
        return read_properties(reader);
    }
    return skip(reader, token);
}

/* ---- the rows of export_memory_timeline ---- */

static const char *const categories[] = {"parameter",       "optimizer state", "input",
                                         "temporary",       "activation",      "gradient",
                                         "autograd detail", "unknown"};

enum { ROW_TIME, ROW_ACTION, ROW_BYTES, ROW_CATEGORY, ROW_COLUMNS };
enum { ACTION_PREEXISTING = 1, ACTION_CREATE, ACTION_NEW_VERSION, ACTION_DESTROY };

static bool record_row(struct reader *reader, const int64_t row[ROW_COLUMNS])
{
    const bool gives_back = row[ROW_ACTION] == ACTION_DESTROY ||
                            (row[ROW_ACTION] == ACTION_NEW_VERSION && row[ROW_BYTES] < 0);
    const int64_t bytes = row[ROW_BYTES];
    const size_t category =
        row[ROW_CATEGORY] >= 0 && row[ROW_CATEGORY] < 7 ? (size_t)row[ROW_CATEGORY] : 7;
    struct zv_trace_event event = {.bytes = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes,
                                   .time_us =
                                       row[ROW_TIME] > 0 ? (uint64_t)row[ROW_TIME] / 1000 : 0,
                                   .action = gives_back ? ZV_TRACE_FREE_REQUESTED : ZV_TRACE_ALLOC};
    const struct zv_trace_total total = {0};
    return trace_text(reader->trace, zv_slice_of(categories[category]), &event.context,
                      reader->err) &&
           record(reader, &event, &total);
}

static bool no_row(struct reader *reader)
{
    if (reader->err == NULL || reader->err->status == ZV_OK) {
        (void)zv_fail_at(reader->err, ZV_E_SYNTAX, reader->json.offset,
                         "no row of a memory timeline: expected [ns, 1-4, bytes, 0-7], as in "
                         ".raw.json.gz, or [times, sizes by category], as in .json");
    }
    return false;
}

/* Numbers until the array ends, of which some were read; more than columns is no row. */
static bool read_numbers(struct reader *reader, int64_t *row, size_t columns, size_t have)
{
    enum zv_json_token token;
    while (next(reader, &token)) {
        if (token == ZV_JSON_ARRAY_END) {
            return have == columns || no_row(reader);
        }
        if (token != ZV_JSON_NUMBER || have == columns) {
            return no_row(reader);
        }
        row[have++] = whole(reader);
    }
    return false;
}

/* [time in ns, action 1-4, bytes, category 0-7]; the second row has begun with first. */
static bool read_rows(struct reader *reader, int64_t first)
{
    enum zv_json_token token;
    int64_t row[ROW_COLUMNS] = {first};
    size_t have = 1;
    do {
        if (!read_numbers(reader, row, ROW_COLUMNS, have) || !record_row(reader, row)) {
            return false;
        }
        have = 0;
    } while (next(reader, &token) && token == ZV_JSON_ARRAY_BEGIN);
    return token == ZV_JSON_ARRAY_END || no_row(reader);
}

enum { CATEGORIES = 8, SIZE_COLUMNS = CATEGORIES + 1 }; /* the first is 0, for plotting */

/* What changed in each category from one time to the next. */
static bool record_sizes(struct reader *reader, uint64_t time_us, const int64_t *before,
                         const int64_t *now)
{
    const struct zv_trace_total total = {0};
    for (size_t i = 0; i < CATEGORIES; i++) {
        const uint64_t from = before[i + 1] > 0 ? (uint64_t)before[i + 1] : 0;
        const uint64_t to = now[i + 1] > 0 ? (uint64_t)now[i + 1] : 0;
        struct zv_trace_event event = {.bytes = to > from ? to - from : from - to,
                                       .time_us = time_us,
                                       .action =
                                           to > from ? ZV_TRACE_ALLOC : ZV_TRACE_FREE_REQUESTED};
        if (to != from &&
            !(trace_text(reader->trace, zv_slice_of(categories[i]), &event.context, reader->err) &&
              record(reader, &event, &total))) {
            return false;
        }
    }
    return true;
}

/* [[times in us], [[0, bytes of each category] ...]]: the first row of sizes has begun. */
static bool read_sizes(struct reader *reader, const int64_t *times, size_t count)
{
    enum zv_json_token token;
    int64_t rows[2][SIZE_COLUMNS] = {{0}, {0}};
    size_t at = 0;
    do {
        if (at == count) {
            return no_row(reader);
        }
        int64_t *const now = rows[at % 2];
        if (!read_numbers(reader, now, SIZE_COLUMNS, 0) ||
            !record_sizes(reader, times[at] > 0 ? (uint64_t)times[at] : 0, rows[(at + 1) % 2],
                          now)) {
            return false;
        }
        at++;
    } while (next(reader, &token) && token == ZV_JSON_ARRAY_BEGIN);
    return (at == count && token == ZV_JSON_ARRAY_END && next(reader, &token) &&
            token == ZV_JSON_ARRAY_END) ||
           no_row(reader);
}

/* The first list of numbers, which is a row, or all times. */
static bool read_first(struct reader *reader, int64_t **numbers, size_t *count)
{
    enum zv_json_token token;
    size_t capacity = 0;
    while (next(reader, &token) && token == ZV_JSON_NUMBER) {
        if (*count == capacity) {
            capacity = capacity == 0 ? 64 : capacity * 2;
            int64_t *const grown = capacity > ZV_TRACE_MAX_RECORDS
                                       ? NULL
                                       : zv_memory_resize(*numbers, capacity * sizeof *grown);
            if (grown == NULL) {
                (void)zv_fail_memory(reader->err, "times of a timeline");
                return false;
            }
            *numbers = grown;
        }
        (*numbers)[(*count)++] = whole(reader);
    }
    return token == ZV_JSON_ARRAY_END || no_row(reader);
}

/* Of either kind; the first inner array has begun. */
static bool read_lists(struct reader *reader, const int64_t *numbers, size_t count)
{
    enum zv_json_token token;
    if (!next(reader, &token)) {
        return false;
    }
    const bool is_row = count == ROW_COLUMNS;
    if (token == ZV_JSON_ARRAY_END) {
        return is_row ? record_row(reader, numbers) : no_row(reader);
    }
    if (token != ZV_JSON_ARRAY_BEGIN || !next(reader, &token)) {
        return no_row(reader);
    }
    if (token == ZV_JSON_ARRAY_BEGIN) {
        return read_sizes(reader, numbers, count);
    }
    return is_row && token == ZV_JSON_NUMBER
               ? record_row(reader, numbers) && read_rows(reader, whole(reader))
               : no_row(reader);
}

static bool read_timeline(struct reader *reader)
{
    int64_t *numbers = NULL;
    size_t count = 0;
    reader->trace->source = ZV_TRACE_FROM_TIMELINE;
    reader->trace->known = ZV_TRACE_CALCULATED; /* by the profiler, from tensors */
    const bool fine = read_first(reader, &numbers, &count) && read_lists(reader, numbers, count);
    zv_memory_free(numbers);
    return fine;
}

/* ---- the whole ---- */

static bool read_root(struct reader *reader)
{
    enum zv_json_token token;
    struct event unused = {0};
    if (!next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_OBJECT_BEGIN) {
        return read_members(reader, &unused, read_top) && !next(reader, &token);
    }
    if (token != ZV_JSON_ARRAY_BEGIN || !next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_ARRAY_BEGIN) {
        return read_timeline(reader) && !next(reader, &token);
    }
    struct event event = {.device_type = -1, .device = NO_DEVICE};
    if (token != ZV_JSON_OBJECT_BEGIN) {
        return token == ZV_JSON_ARRAY_END;
    }
    return read_members(reader, &event, read_event_member) && record_event(reader, &event) &&
           read_events(reader) && !next(reader, &token);
}

static enum zv_status only_device(struct reader *reader, struct zv_error *err)
{
    struct zv_trace *const trace = reader->trace;
    trace->devices = zv_memory_alloc(sizeof *trace->devices);
    if (trace->devices == NULL) {
        return zv_fail_memory(err, "the events of a trace");
    }
    trace->device_count = 1;
    trace->devices[0] = (struct zv_trace_device){.events = trace->events,
                                                 .event_count = trace->event_count,
                                                 .total_bytes = reader->device_bytes[0]};
    return ZV_OK;
}

/* Events of one device follow each other, in the order of the file. */
static enum zv_status group(struct reader *reader, struct zv_error *err)
{
    struct zv_trace *const trace = reader->trace;
    size_t counts[ZV_TRACE_MAX_DEVICES + 1] = {0};
    size_t devices = 1;
    for (size_t i = 0; i < trace->event_count; i++) {
        const size_t device = trace->totals[i].device;
        counts[device + 1]++;
        devices = device >= devices ? device + 1 : devices;
    }
    if (devices == 1) {
        return only_device(reader, err);
    }
    struct zv_trace_event *const events =
        zv_memory_alloc((trace->event_count + 1) * sizeof *events);
    struct zv_trace_total *const totals =
        zv_memory_alloc((trace->event_count + 1) * sizeof *totals);
    trace->devices = zv_memory_alloc(devices * sizeof *trace->devices);
    if (events == NULL || totals == NULL || trace->devices == NULL) {
        zv_memory_free(events);
        zv_memory_free(totals);
        return zv_fail_memory(err, "the events of a trace");
    }
    memset(trace->devices, 0, devices * sizeof *trace->devices);
    trace->device_count = devices;
    for (size_t i = 0; i < devices; i++) {
        counts[i + 1] += counts[i];
        trace->devices[i].events = events + counts[i];
        trace->devices[i].event_count = counts[i + 1] - counts[i];
        trace->devices[i].total_bytes = i < KNOWN_DEVICES ? reader->device_bytes[i] : 0;
    }
    for (size_t i = 0; i < trace->event_count; i++) {
        const size_t to = counts[trace->totals[i].device]++;
        events[to] = trace->events[i];
        totals[to] = trace->totals[i];
    }
    zv_memory_free(trace->events);
    zv_memory_free(trace->totals);
    trace->events = events;
    trace->totals = totals;
    return ZV_OK;
}

static enum zv_status finish(struct reader *reader, struct zv_error *err)
{
    uint16_t stream;
    if (reader->trace->event_count == 0) {
        return zv_fail(err, ZV_E_SYNTAX,
                       "no memory event of a GPU in it: record with profile_memory=True");
    }
    if (!trace_stream(reader->trace, 0, &stream, err)) {
        return ZV_E_NOMEM;
    }
    return group(reader, err);
}

enum zv_status zv_profiler_read(struct zv_trace *trace, struct zv_slice input, struct zv_error *err)
{
    struct zv_error own = {0};
    struct zv_unpacker unpacker;
    struct reader reader = {.trace = trace, .err = &own};
    trace->source = ZV_TRACE_FROM_PROFILER;
    enum zv_status status = zv_unpack_open(&unpacker, input, &own);
    if (status == ZV_OK) {
        status = zv_json_open(&reader.json, zv_unpack_read, &unpacker, WINDOW, MAX_TOKEN);
        reader.json.allow_nonfinite = true;
        if (status != ZV_OK) {
            (void)zv_fail_memory(&own, "a JSON reader");
        }
    }
    if (status == ZV_OK && trace_begin(trace, &own) && !read_root(&reader)) {
        (void)zv_fail_at(
            &own, ZV_E_SYNTAX, reader.json.offset,
            "no profiler trace: expected {\"traceEvents\": [...]}, a list of events or "
            "rows of a memory timeline");
    }
    if (status == ZV_OK && own.status == ZV_OK) {
        (void)finish(&reader, &own);
    }
    if (unpacker.err.status != ZV_OK) { /* the cause, in place of a reader that got nothing */
        own = unpacker.err;
    }
    zv_json_close(&reader.json);
    zv_unpack_close(&unpacker);
    trace_finish(trace);
    if (own.status != ZV_OK && err != NULL && err->status == ZV_OK) {
        *err = own;
    }
    return own.status;
}
