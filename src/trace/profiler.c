#include "trace/profiler.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "format/json_tree.h"
#include "format/unpack.h"
#include "trace/profiler_reader.h"

enum { WINDOW = 1 << 16, LEAST_WINDOW = 16, MAX_TOKEN = 1 << 24 };

static struct zv_slice token_text(const struct profiler_reader *reader)
{
    return (struct zv_slice){reader->json.text, reader->json.length};
}

int64_t profiler_whole(const struct profiler_reader *reader)
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

uint64_t profiler_unsigned(const struct profiler_reader *reader)
{
    uint64_t value = 0;
    if (zv_json_number_u64(token_text(reader), &value)) {
        return value;
    }
    const int64_t whole = profiler_whole(reader);
    return whole > 0 ? (uint64_t)whole : 0; /* no count of bytes and no address is below 0 */
}

bool profiler_broken(struct profiler_reader *reader)
{
    if (reader->err != NULL && reader->err->status == ZV_OK) {
        *reader->err = reader->json.err;
    }
    return false;
}

bool profiler_record(struct profiler_reader *reader, const struct zv_trace_event *event,
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

static bool read_root(struct profiler_reader *reader)
{
    enum zv_json_token token;
    if (!profiler_next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_OBJECT_BEGIN) {
        return profiler_chrome_object(reader) && !profiler_next(reader, &token);
    }
    if (token != ZV_JSON_ARRAY_BEGIN || !profiler_next(reader, &token)) {
        return false;
    }
    if (token == ZV_JSON_ARRAY_BEGIN) {
        return profiler_timeline(reader) && !profiler_next(reader, &token);
    }
    if (token != ZV_JSON_OBJECT_BEGIN) {
        return token == ZV_JSON_ARRAY_END;
    }
    return profiler_chrome_events(reader) && !profiler_next(reader, &token);
}

/* Puts every event where to says, and its total beside it, in no more memory. */
static void rearrange(struct zv_trace *trace, uint32_t *to)
{
    for (size_t i = 0; i < trace->event_count; i++) {
        while (to[i] != i) { /* each round puts one in its place */
            const size_t at = to[i];
            const struct zv_trace_event event = trace->events[at];
            const struct zv_trace_total total = trace->totals[at];
            const uint32_t next = to[at];
            trace->events[at] = trace->events[i];
            trace->totals[at] = trace->totals[i];
            to[at] = (uint32_t)at;
            trace->events[i] = event;
            trace->totals[i] = total;
            to[i] = next;
        }
    }
}

/* Events of one device follow each other, in the order of the file: firsts[d] is device d's first.
 */
static enum zv_status sort_by_device(struct zv_trace *trace, const size_t *firsts, size_t devices,
                                     struct zv_error *err)
{
    size_t next[ZV_TRACE_MAX_DEVICES];
    uint32_t *const to = zv_memory_alloc(trace->event_count * sizeof *to);
    if (to == NULL) {
        return zv_fail_memory(err, "the events of a trace");
    }
    memcpy(next, firsts, devices * sizeof *next);
    for (size_t i = 0; i < trace->event_count; i++) {
        to[i] = (uint32_t)next[trace->totals[i].device]++;
    }
    rearrange(trace, to);
    zv_memory_free(to);
    return ZV_OK;
}

struct moment {
    uint64_t time_us;
    uint32_t at;
};

/* Of one time in the order of the file. */
static int by_time(const void *a, const void *b)
{
    const struct moment *const left = a;
    const struct moment *const right = b;
    return left->time_us != right->time_us ? (left->time_us > right->time_us ? 1 : -1)
                                           : (left->at > right->at) - (left->at < right->at);
}

static bool is_in_order(const struct zv_trace_device *device)
{
    for (size_t i = 1; i < device->event_count; i++) {
        if (device->events[i].time_us < device->events[i - 1].time_us) {
            return false;
        }
    }
    return true;
}

/* Chrome traces list one thread after the other; what a device saw is the order in time. */
static enum zv_status sort_by_time(struct zv_trace *trace, struct zv_error *err)
{
    struct moment *const moments = zv_memory_alloc(trace->event_count * sizeof *moments);
    uint32_t *const to = zv_memory_alloc(trace->event_count * sizeof *to);
    if (moments != NULL && to != NULL) {
        for (size_t i = 0; i < trace->event_count; i++) {
            moments[i] = (struct moment){trace->events[i].time_us, (uint32_t)i};
        }
        for (size_t i = 0; i < trace->device_count; i++) {
            const struct zv_trace_device *const device = &trace->devices[i];
            if (device->event_count > 1) {
                qsort(moments + (device->events - trace->events), device->event_count,
                      sizeof *moments, by_time);
            }
        }
        for (size_t i = 0; i < trace->event_count; i++) {
            to[moments[i].at] = (uint32_t)i;
        }
        rearrange(trace, to);
    }
    const bool fine = moments != NULL && to != NULL;
    zv_memory_free(to);
    zv_memory_free(moments);
    return fine ? ZV_OK : zv_fail_memory(err, "the events of a trace");
}

static enum zv_status group(struct profiler_reader *reader, struct zv_error *err)
{
    struct zv_trace *const trace = reader->trace;
    size_t firsts[ZV_TRACE_MAX_DEVICES + 1] = {0};
    size_t devices = 1;
    for (size_t i = 0; i < trace->event_count; i++) {
        const size_t device = trace->totals[i].device;
        firsts[device + 1]++;
        devices = device >= devices ? device + 1 : devices;
    }
    for (size_t i = 0; i < devices; i++) {
        firsts[i + 1] += firsts[i];
    }
    trace->devices = zv_memory_alloc(devices * sizeof *trace->devices);
    if (trace->devices == NULL) {
        return zv_fail_memory(err, "the events of a trace");
    }
    trace->device_count = devices;
    for (size_t i = 0; i < devices; i++) {
        trace->devices[i] = (struct zv_trace_device){
            .events = trace->events + firsts[i],
            .event_count = firsts[i + 1] - firsts[i],
            .total_bytes = i < PROFILER_KNOWN_DEVICES ? reader->device_bytes[i] : 0};
    }
    const enum zv_status status =
        devices == 1 ? ZV_OK : sort_by_device(trace, firsts, devices, err);
    bool in_order = true;
    for (size_t i = 0; i < devices && in_order; i++) {
        in_order = is_in_order(&trace->devices[i]);
    }
    return status != ZV_OK || in_order ? status : sort_by_time(trace, err);
}

static enum zv_status finish(struct profiler_reader *reader, struct zv_error *err)
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
    struct profiler_reader reader = {.trace = trace, .err = &own};
    trace->source = ZV_TRACE_FROM_PROFILER;
    enum zv_status status = zv_unpack_open(&unpacker, input, &own);
    if (status == ZV_OK) {
        const size_t window = unpacker.packing == ZV_PACKED_NOT && input.length < WINDOW
                                  ? input.length + LEAST_WINDOW
                                  : WINDOW;
        status = zv_json_open(&reader.json, zv_unpack_read, &unpacker, window, MAX_TOKEN);
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
