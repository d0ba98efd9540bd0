#include "cli/replay_record.h"

#include "base/fail.h"
#include "base/memory.h"
#include "trace/open.h"
#include "trace/ops_write.h"

#define MAX_OPS_BYTES (UINT64_C(8) << 30)

static enum zv_status write_ops(struct replay_record *to, struct zv_error *err)
{
    const struct zv_record *const record = &to->record;
    const size_t count = zv_record_device(record)->event_count;
    struct zv_sink sink = zv_buffer_sink(&to->ops);
    to->ops.limit = MAX_OPS_BYTES;
    to->lines = zv_memory_alloc((count + 1) * sizeof *to->lines);
    if (to->lines == NULL) {
        return zv_fail_memory(err, "an op list");
    }
    const enum zv_status status =
        zv_ops_write(&sink, &record->trace, record->device, &record->start, to->lines, err);
    return status == ZV_OK && sink.failed ? zv_fail_memory(err, "an op list") : status;
}

enum zv_status replay_record_open(struct replay_record *to, struct zv_slice file,
                                  const struct arguments *args, struct zv_error *err)
{
    struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    uint64_t device = 0;
    *to = (struct replay_record){.is_record = zv_trace_is(file)};
    if (!to->is_record) {
        return arguments_has(args, "device")
                   ? zv_fail(err, ZV_E_USAGE, "--device: an op list has one device")
                   : ZV_OK;
    }
    enum zv_status status = arguments_u64(args, "device", &device, err);
    if (status == ZV_OK && arguments_has(args, "device")) {
        options.device = (size_t)device;
    }
    status = status == ZV_OK ? zv_record_open(&to->record, file, &options, err) : status;
    if (status == ZV_OK && to->record.trace.source == ZV_TRACE_FROM_TIMELINE) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a memory timeline has no addresses: nothing tells which free is of which "
                       "allocation");
    }
    return status == ZV_OK ? write_ops(to, err) : status;
}

void replay_record_close(struct replay_record *record)
{
    zv_record_close(&record->record);
    zv_buffer_free(&record->ops);
    zv_memory_free(record->lines);
    *record = (struct replay_record){0};
}

uint64_t replay_record_event(const struct replay_record *record, uint64_t line)
{
    size_t low = 0;
    size_t high = zv_record_device(&record->record)->event_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (record->lines[middle] <= line) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
