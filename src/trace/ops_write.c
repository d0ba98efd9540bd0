#include "trace/ops_write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "trace/address_map.h"
#include "trace/op_list.h"

enum { WAITING_STREAM = 60000, WAITING_STREAMS = 5000 };

struct writer {
    struct zv_sink *sink;
    const struct zv_trace *trace;
    const struct zv_trace_device *device;
    struct address_map live; /* id by address; without addresses the latest id by size */
    uint32_t *earlier;       /* without addresses: the live id of the same size before an id */
    uint64_t line;
    uint32_t next_id;
    bool out_of_memory;
};

static void put_line(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_line(struct writer *writer, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    zv_sink_write(writer->sink, text, length > 0 ? (size_t)length : 0);
    zv_sink_write(writer->sink, "\n", 1);
    writer->line++;
}

/* ---- which block a free is of ---- */

/* Without addresses a free is taken to be of the latest live block of its size. */
static bool match_by_size(struct writer *writer)
{
    if (writer->trace->source == ZV_TRACE_FROM_SNAPSHOT || zv_trace_has_addresses(writer->device)) {
        return true;
    }
    writer->earlier =
        zv_memory_alloc((2 * writer->device->event_count + 1) * sizeof *writer->earlier);
    return writer->earlier != NULL;
}

static uint64_t key_of(const struct writer *writer, const struct zv_trace_event *event)
{
    return writer->earlier != NULL ? event->bytes : event->address;
}

static bool note_live(struct writer *writer, uint64_t key, uint32_t id)
{
    if (writer->earlier != NULL) {
        writer->earlier[id] = address_map_get(&writer->live, key);
    }
    return address_map_put(&writer->live, key, id);
}

static void forget_live(struct writer *writer, uint64_t key, uint32_t id)
{
    const uint32_t before = writer->earlier != NULL ? writer->earlier[id] : 0;
    if (before == 0) {
        (void)address_map_take(&writer->live, key);
    } else {
        (void)address_map_put(&writer->live, key, before); /* replaces: needs no memory */
    }
}

/* ---- operations ---- */

/* The pool of the segment that holds an address at the end of the record; 0: the default. */
static unsigned pool_of(const struct writer *writer, uint64_t address)
{
    const struct zv_trace_device *const device = writer->device;
    size_t low = 0;
    size_t high = device->segment_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (device->segments[middle].address + device->segments[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < device->segment_count && device->segments[low].address <= address
               ? device->segments[low].pool
               : 0;
}

static void allocate(struct writer *writer, uint64_t key, uint64_t bytes, unsigned stream)
{
    const unsigned pool = pool_of(writer, key);
    const uint32_t id = writer->next_id++;
    if (pool != 0) {
        put_line(writer, "b %u", pool);
    }
    put_line(writer, "a %" PRIu32 " %" PRIu64 " %u", id, bytes, stream);
    if (pool != 0) {
        put_line(writer, "n %u", pool);
    }
    writer->out_of_memory = writer->out_of_memory || !note_live(writer, key, id);
}

static unsigned waiting_stream(uint32_t id)
{
    return WAITING_STREAM + id % WAITING_STREAMS;
}

/* Whether the free at `at` is complete in the very next event. */
static bool completes_at_once(const struct writer *writer, size_t at)
{
    const struct zv_trace_event *const events = writer->device->events;
    return at + 1 >= writer->device->event_count || writer->trace->totals != NULL ||
           (events[at + 1].action == ZV_TRACE_FREE_COMPLETED &&
            events[at + 1].address == events[at].address);
}

static void give_back(struct writer *writer, size_t at)
{
    const uint64_t key = key_of(writer, &writer->device->events[at]);
    const uint32_t id = address_map_get(&writer->live, key);
    if (id == 0) {
        return; /* older than the record, or the record contradicts itself */
    }
    if (completes_at_once(writer, at)) {
        forget_live(writer, key, id);
    } else {
        put_line(writer, "s %" PRIu32 " %u", id, waiting_stream(id));
    }
    put_line(writer, "f %" PRIu32, id);
}

/* A free that waited is complete: the work of the other stream is done. */
static void complete(struct writer *writer, size_t at)
{
    const struct zv_trace_event *const event = &writer->device->events[at];
    const uint32_t id = address_map_take(&writer->live, event->address);
    if (id != 0) {
        put_line(writer, "y %u", waiting_stream(id));
    }
}

/* Whether the segments given back from `at` on were not for a request that lacked room. */
static bool is_empty_cache(const struct writer *writer, size_t at)
{
    const struct zv_trace_device *const device = writer->device;
    if (at != 0 && (device->events[at - 1].action == ZV_TRACE_SEGMENT_FREE ||
                    device->events[at - 1].action == ZV_TRACE_SEGMENT_UNMAP)) {
        return false; /* not the first of them */
    }
    while (at < device->event_count && (device->events[at].action == ZV_TRACE_SEGMENT_FREE ||
                                        device->events[at].action == ZV_TRACE_SEGMENT_UNMAP)) {
        at++;
    }
    const uint8_t next =
        at < device->event_count ? device->events[at].action : (uint8_t)ZV_TRACE_OTHER;
    return next != ZV_TRACE_SEGMENT_ALLOC && next != ZV_TRACE_SEGMENT_MAP && next != ZV_TRACE_OOM;
}

static void write_event(struct writer *writer, size_t at)
{
    const struct zv_trace_event *const event = &writer->device->events[at];
    switch ((enum zv_trace_action)event->action) {
    case ZV_TRACE_ALLOC:
        allocate(writer, key_of(writer, event), event->bytes, event->stream);
        break;
    case ZV_TRACE_FREE_REQUESTED:
        give_back(writer, at);
        break;
    case ZV_TRACE_FREE_COMPLETED:
        complete(writer, at);
        break;
    case ZV_TRACE_OOM:
        put_line(writer, "a %" PRIu32 " %" PRIu64 " %u", writer->next_id, event->bytes,
                 event->stream);
        put_line(writer, "f %" PRIu32, writer->next_id++);
        break;
    case ZV_TRACE_SEGMENT_FREE:
    case ZV_TRACE_SEGMENT_UNMAP:
        if (is_empty_cache(writer, at)) {
            put_line(writer, "e");
        }
        break;
    case ZV_TRACE_SEGMENT_ALLOC:
    case ZV_TRACE_SEGMENT_MAP:
    case ZV_TRACE_SNAPSHOT:
    case ZV_TRACE_OTHER:
    case ZV_TRACE_ACTION_COUNT:
        break;
    }
}

static void write_start(struct writer *writer, const struct zv_trace_start *start)
{
    for (unsigned i = 1; i < writer->trace->pool_count; i++) {
        put_line(writer, "p %u", i);
    }
    for (size_t i = 0; i < start->segment_count; i++) {
        const struct zv_trace_segment *const segment = &start->segments[i];
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block = &start->blocks[segment->first_block + j];
            const uint32_t id = writer->next_id;
            allocate(writer, block->address, block->requested_bytes, segment->stream);
            if (block->state == ZV_BLOCK_PENDING) {
                put_line(writer, "s %" PRIu32 " %u", id, waiting_stream(id));
                put_line(writer, "f %" PRIu32, id);
            }
        }
    }
}

/* What a profiler's totals say was live before its first event; 0: not recorded. */
static uint64_t total_before(const struct writer *writer)
{
    const struct zv_trace_event *const first = &writer->device->events[0];
    const struct zv_trace_total *const total =
        &writer->trace->totals[first - writer->trace->events];
    if (!total->known || first->action == ZV_TRACE_OOM) {
        return 0;
    }
    if (first->action == ZV_TRACE_FREE_REQUESTED) {
        return total->allocated_bytes + first->bytes;
    }
    return total->allocated_bytes > first->bytes ? total->allocated_bytes - first->bytes : 0;
}

/* Blocks that a profiler saw freed but not allocated; returns their bytes. */
static uint64_t write_freed_later(struct writer *writer)
{
    struct address_map seen = {0}; /* live ones of a key */
    uint64_t bytes = 0;
    for (size_t i = 0; i < writer->device->event_count && !writer->out_of_memory; i++) {
        const struct zv_trace_event *const event = &writer->device->events[i];
        const uint64_t key = key_of(writer, event);
        const uint32_t live = address_map_get(&seen, key);
        if (event->action == ZV_TRACE_ALLOC) {
            const uint32_t count = writer->earlier != NULL ? live + 1 : 1;
            writer->out_of_memory = !address_map_put(&seen, key, count);
        } else if (event->action == ZV_TRACE_FREE_REQUESTED && live > 1) {
            (void)address_map_put(&seen, key, live - 1);
        } else if (event->action == ZV_TRACE_FREE_REQUESTED && live == 1) {
            (void)address_map_take(&seen, key);
        } else if (event->action == ZV_TRACE_FREE_REQUESTED) {
            allocate(writer, key, event->bytes, 0);
            bytes += event->bytes;
        }
    }
    address_map_free(&seen);
    return bytes;
}

/* The rest of what was live before is one block: where its blocks lay is not known. */
static void write_profiler_start(struct writer *writer)
{
    const uint64_t freed_later = write_freed_later(writer);
    const uint64_t before = total_before(writer);
    if (before > freed_later && before - freed_later <= ZV_OP_MAX_BYTES) {
        put_line(writer, "a %" PRIu32 " %" PRIu64 " 0", writer->next_id++, before - freed_later);
    }
}

enum zv_status zv_ops_write(struct zv_sink *sink, const struct zv_trace *trace, size_t device,
                            const struct zv_trace_start *start, uint64_t *lines,
                            struct zv_error *err)
{
    struct writer writer = {
        .sink = sink, .trace = trace, .device = &trace->devices[device], .next_id = 1};
    writer.out_of_memory = !match_by_size(&writer);
    write_start(&writer, start);
    if (trace->totals != NULL && writer.device->event_count != 0) {
        write_profiler_start(&writer);
    }
    for (size_t i = 0; i < writer.device->event_count && !writer.out_of_memory; i++) {
        if (lines != NULL) {
            lines[i] = writer.line + 1;
        }
        write_event(&writer, i);
    }
    address_map_free(&writer.live);
    zv_memory_free(writer.earlier);
    return writer.out_of_memory ? zv_fail_memory(err, "an op list") : ZV_OK;
}
