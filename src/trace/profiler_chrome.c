/* Chrome traces: the instants named [memory] and [OutOfMemory], and what the devices are. */
#include "base/fail.h"
#include "format/json_tree.h"
#include "trace/profiler_reader.h"

enum { NO_DEVICE = -1 };

/* One event of a Chrome trace, as far as it was read. */
struct chrome_event {
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

static bool record_event(struct profiler_reader *reader, const struct chrome_event *event)
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
    return profiler_record(reader, &row, &total);
}

static bool read_argument(struct profiler_reader *reader, struct chrome_event *event)
{
    enum zv_json_token token;
    enum { NONE, BYTES, ADDRESS, ALLOCATED, RESERVED, TYPE, DEVICE } which = NONE;
    which = profiler_is(reader, "Bytes")             ? BYTES
            : profiler_is(reader, "Addr")            ? ADDRESS
            : profiler_is(reader, "Total Allocated") ? ALLOCATED
            : profiler_is(reader, "Total Reserved")  ? RESERVED
            : profiler_is(reader, "Device Type")     ? TYPE
            : profiler_is(reader, "Device Id")       ? DEVICE
                                                     : NONE;
    if (!profiler_next(reader, &token)) {
        return false;
    }
    if (token != ZV_JSON_NUMBER) {
        return profiler_skip(reader, token);
    }
    switch (which) {
    case BYTES:
        event->bytes = profiler_whole(reader);
        break;
    case ADDRESS:
        event->address = profiler_unsigned(reader);
        break;
    case ALLOCATED:
        event->allocated_bytes = profiler_unsigned(reader);
        event->has_totals = true;
        break;
    case RESERVED:
        event->reserved_bytes = profiler_unsigned(reader);
        break;
    case TYPE:
        event->device_type = profiler_whole(reader);
        break;
    case DEVICE:
        event->device = profiler_whole(reader);
        break;
    case NONE:
        break;
    }
    return true;
}

/* An object has begun: calls member for each key until it ends, or until it is nobody's. */
typedef bool member_fn(struct profiler_reader *reader, struct chrome_event *event);

static bool read_members(struct profiler_reader *reader, struct chrome_event *event,
                         member_fn *member)
{
    enum zv_json_token token;
    const int outside = reader->json.depth - 1;
    while (profiler_next(reader, &token)) {
        if (token == ZV_JSON_OBJECT_END) {
            return true;
        }
        if (!member(reader, event)) {
            return false;
        }
        if (event->is_other) { /* most of a trace */
            return profiler_skip_to(reader, outside);
        }
    }
    return false;
}

static bool read_event_member(struct profiler_reader *reader, struct chrome_event *event)
{
    enum zv_json_token token;
    const bool is_name = profiler_is(reader, "name");
    const bool is_time = profiler_is(reader, "ts");
    const bool is_args = profiler_is(reader, "args");
    if (!profiler_next(reader, &token)) {
        return false;
    }
    if (is_name && token == ZV_JSON_STRING) {
        event->is_memory = profiler_is(reader, "[memory]");
        event->is_oom = profiler_is(reader, "[OutOfMemory]");
        event->is_other = !event->is_memory && !event->is_oom;
    } else if (is_time && token == ZV_JSON_NUMBER) {
        const int64_t time = profiler_whole(reader);
        event->time_us = time > 0 ? (uint64_t)time : 0;
    } else if (is_args && token == ZV_JSON_OBJECT_BEGIN) {
        return read_members(reader, event, read_argument);
    } else {
        return profiler_skip(reader, token);
    }
    return true;
}

static bool read_events(struct profiler_reader *reader)
{
    enum zv_json_token token;
    while (profiler_next(reader, &token)) {
        if (token == ZV_JSON_ARRAY_END) {
            return true;
        }
        struct chrome_event event = {.device_type = -1, .device = NO_DEVICE};
        if (token != ZV_JSON_OBJECT_BEGIN) {
            if (!profiler_skip(reader, token)) {
                return false;
            }
        } else if (!read_members(reader, &event, read_event_member) ||
                   !record_event(reader, &event)) {
            return false;
        }
    }
    return false;
}

static bool read_property(struct profiler_reader *reader, struct chrome_event *event)
{
    enum zv_json_token token;
    const bool is_id = profiler_is(reader, "id");
    const bool is_total = profiler_is(reader, "totalGlobalMem");
    if (!profiler_next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_NUMBER && is_id) {
        event->device = profiler_whole(reader);
    } else if (token == ZV_JSON_NUMBER && is_total) {
        event->allocated_bytes = profiler_unsigned(reader);
    }
    return profiler_skip(reader, token);
}

static bool read_properties(struct profiler_reader *reader)
{
    enum zv_json_token token;
    while (profiler_next(reader, &token)) {
        struct chrome_event device = {.device = NO_DEVICE};
        if (token == ZV_JSON_ARRAY_END) {
            return true;
        }
        if (token != ZV_JSON_OBJECT_BEGIN) {
            if (!profiler_skip(reader, token)) {
                return false;
            }
        } else if (!read_members(reader, &device, read_property)) {
            return false;
        }
        if (device.device >= 0 && device.device < PROFILER_KNOWN_DEVICES) {
            reader->device_bytes[device.device] = device.allocated_bytes;
        }
    }
    return false;
}

static bool read_top(struct profiler_reader *reader, struct chrome_event *event)
{
    enum zv_json_token token;
    (void)event;
    const bool is_events = profiler_is(reader, "traceEvents");
    const bool is_devices = profiler_is(reader, "deviceProperties");
    if (!profiler_next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_ARRAY_BEGIN && is_events) {
        return read_events(reader);
    }
    if (token == ZV_JSON_ARRAY_BEGIN && is_devices) {
        return read_properties(reader);
    }
    return profiler_skip(reader, token);
}

bool profiler_chrome_object(struct profiler_reader *reader)
{
    struct chrome_event unused = {0};
    return read_members(reader, &unused, read_top);
}

bool profiler_chrome_events(struct profiler_reader *reader)
{
    struct chrome_event event = {.device_type = -1, .device = NO_DEVICE};
    return read_members(reader, &event, read_event_member) && record_event(reader, &event) &&
           read_events(reader);
}
