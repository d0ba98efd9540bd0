#include "explain/what_if.h"

#include "base/fail.h"
#include "base/memory.h"
#include "trace/op_list.h"
#include "trace/ops_write.h"

#define MAX_OPS_BYTES (UINT64_C(8) << 30)

enum zv_status zv_requests_make(struct zv_requests *requests, const struct zv_record *record,
                                struct zv_error *err)
{
    const size_t count = zv_record_device(record)->event_count;
    *requests = (struct zv_requests){.ops.limit = MAX_OPS_BYTES, .event_count = count};
    if (record->trace.source == ZV_TRACE_FROM_TIMELINE) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a memory timeline has no addresses: nothing tells which free is of which "
                       "allocation");
    }
    struct zv_sink sink = zv_buffer_sink(&requests->ops);
    requests->lines = zv_memory_alloc((count + 1) * sizeof *requests->lines);
    if (requests->lines == NULL) {
        return zv_fail_memory(err, "an op list");
    }
    const enum zv_status status =
        zv_ops_write(&sink, &record->trace, record->device, &record->start, requests->lines, err);
    return status == ZV_OK && sink.failed ? zv_fail_memory(err, "an op list") : status;
}

void zv_requests_close(struct zv_requests *requests)
{
    zv_buffer_free(&requests->ops);
    zv_memory_free(requests->lines);
    *requests = (struct zv_requests){0};
}

uint64_t zv_requests_event(const struct zv_requests *requests, uint64_t line)
{
    size_t low = 0;
    size_t high = requests->event_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (requests->lines[middle] <= line) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Columns that no request falls into have what the one before them had at its end. */
static void fill_columns(struct zv_curve *curve, size_t *column, size_t to, uint64_t bytes)
{
    while (*column < to) {
        curve->reserved_bytes[++*column] = bytes;
    }
}

static enum zv_status run_requests(struct zv_curve *curve, struct zv_replay *replay,
                                   const struct zv_requests *requests, struct zv_error *err)
{
    struct zv_op_reader reader;
    struct zv_op op;
    bool more = true;
    size_t event = 0;
    size_t column = 0;
    uint64_t reserved = 0;
    zv_op_reader_open(&reader, (struct zv_slice){requests->ops.data, requests->ops.size});
    while (more) {
        enum zv_status status = zv_op_read(&reader, &op, &more, err);
        if (status == ZV_OK && more) {
            status = zv_replay_step(replay, &op, reader.line, err);
        }
        if (status != ZV_OK) {
            return status;
        }
        while (event < requests->event_count && requests->lines[event] <= reader.line) {
            event++;
        }
        fill_columns(curve, &column, event * curve->columns / (requests->event_count + 1),
                     reserved);
        reserved = zv_allocator_usage(replay->allocator).reserved_bytes;
        if (reserved > curve->reserved_bytes[column]) {
            curve->reserved_bytes[column] = reserved;
        }
    }
    fill_columns(curve, &column, curve->columns - 1, reserved);
    return zv_replay_finish(replay, err);
}

enum zv_status zv_curve_run(struct zv_curve *curve, struct zv_replay_outcome *outcome,
                            const struct zv_requests *requests,
                            const struct zv_allocator_options *options, struct zv_arena *arena,
                            struct zv_error *err)
{
    struct zv_replay replay;
    *curve = (struct zv_curve){.columns = requests->event_count < ZV_CURVE_COLUMNS
                                              ? requests->event_count + 1
                                              : ZV_CURVE_COLUMNS};
    enum zv_status status = zv_replay_open(&replay, options, NULL, err);
    if (status == ZV_OK) {
        replay.arena = arena;
        status = run_requests(curve, &replay, requests, err);
    }
    *outcome = replay.outcome;
    zv_replay_close(&replay);
    return status;
}
