#include "trace/requests.h"

#include <inttypes.h>

#include "base/fail.h"
#include "trace/address_map.h"
#include "trace/op_list.h"

/* ---- of a trace ---- */

static size_t count_of(const struct zv_trace_device *device)
{
    size_t count = 0;
    for (size_t i = 0; i < device->event_count; i++) {
        count += device->events[i].action == ZV_TRACE_ALLOC;
    }
    return count;
}

static enum zv_status read_events(struct zv_request_list *to, const struct zv_trace_device *device,
                                  struct address_map *live, struct zv_error *err)
{
    for (size_t i = 0; i < device->event_count; i++) {
        const struct zv_trace_event *const event = &device->events[i];
        if (event->action == ZV_TRACE_FREE_REQUESTED && !to->lifetimes_unknown) {
            const uint32_t known = address_map_take(live, event->address);
            if (known == 0) {
                to->other_frees++;
            } else {
                to->at[known - 1].freed_at = (uint32_t)to->count;
            }
        } else if (event->action == ZV_TRACE_ALLOC) {
            to->at[to->count++] =
                (struct zv_request){event->bytes, i, ZV_REQUEST_KEPT, event->stack};
            if (!to->lifetimes_unknown &&
                !address_map_put(live, event->address, (uint32_t)to->count)) {
                return zv_fail_memory(err, "live requests");
            }
        }
    }
    return ZV_OK;
}

enum zv_status zv_requests_of_trace(struct zv_request_list *to, const struct zv_trace *trace,
                                    size_t device, struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_trace_device *const from = &trace->devices[device];
    struct address_map live = {0};
    *to = (struct zv_request_list){.lifetimes_unknown = !zv_trace_has_addresses(from),
                                   .sizes_of_blocks = trace->source == ZV_TRACE_FROM_PROFILER};
    if (trace->source == ZV_TRACE_FROM_TIMELINE) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a memory timeline has no addresses: nothing tells which free is of which "
                       "allocation");
    }
    to->at = zv_arena_array(arena, count_of(from), sizeof *to->at);
    if (to->at == NULL) {
        return zv_fail_memory(err, "requests");
    }
    const enum zv_status status = read_events(to, from, &live, err);
    address_map_free(&live);
    return status;
}

/* ---- of an op list ---- */

static enum zv_status count_ops(struct zv_slice ops, size_t *count, struct zv_error *err)
{
    struct zv_op_reader reader;
    struct zv_op op;
    bool more = true;
    zv_op_reader_open(&reader, ops);
    for (*count = 0; more; *count += more && op.kind == ZV_OP_ALLOCATE) {
        const enum zv_status status = zv_op_read(&reader, &op, &more, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return *count <= ZV_TRACE_MAX_RECORDS ? ZV_OK
                                          : zv_fail(err, ZV_E_LIMIT, "more than 2^28 requests");
}

static enum zv_status apply(struct zv_request_list *to, const struct zv_op *op, uint64_t line,
                            struct address_map *live, struct zv_error *err)
{
    if (op->kind == ZV_OP_FREE) {
        const uint32_t known = address_map_take(live, op->id);
        if (known == 0) {
            return zv_fail_line(err, ZV_E_SYNTAX, line, "id %" PRIu64 " is not allocated", op->id);
        }
        to->at[known - 1].freed_at = (uint32_t)to->count;
    }
    if (op->kind != ZV_OP_ALLOCATE) {
        return ZV_OK;
    }
    if (address_map_get(live, op->id) != 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, line, "id %" PRIu64 " is allocated already", op->id);
    }
    to->at[to->count++] = (struct zv_request){op->bytes, line, ZV_REQUEST_KEPT, 0};
    return address_map_put(live, op->id, (uint32_t)to->count)
               ? ZV_OK
               : zv_fail_memory(err, "live requests");
}

enum zv_status zv_requests_of_ops(struct zv_request_list *to, struct zv_slice ops,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct zv_op_reader reader;
    struct zv_op op;
    struct address_map live = {0};
    size_t count;
    bool more = true;
    *to = (struct zv_request_list){0};
    enum zv_status status = count_ops(ops, &count, err);
    to->at = status == ZV_OK ? zv_arena_array(arena, count, sizeof *to->at) : NULL;
    if (to->at == NULL) {
        return status == ZV_OK ? zv_fail_memory(err, "requests") : status;
    }
    zv_op_reader_open(&reader, ops);
    while (status == ZV_OK && more) {
        status = zv_op_read(&reader, &op, &more, err);
        status = status == ZV_OK && more ? apply(to, &op, reader.line, &live, err) : status;
    }
    address_map_free(&live);
    return status;
}
