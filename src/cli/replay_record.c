#include "cli/replay_record.h"

#include "base/fail.h"
#include "trace/open.h"

enum zv_status replay_record_open(struct replay_record *to, struct zv_slice file,
                                  const struct arguments *args, struct zv_error *err)
{
    struct zv_record_options options = {.device = ZV_RECORD_ANY_DEVICE};
    uint64_t device = 0;
    bool is_ops;
    *to = (struct replay_record){0};
    enum zv_status status = zv_trace_or_ops(file, "", &is_ops, err);
    to->is_record = !is_ops;
    if (status == ZV_OK && is_ops) {
        return arguments_has(args, "device")
                   ? zv_fail(err, ZV_E_USAGE, "--device: an op list has one device")
                   : ZV_OK;
    }
    status = status == ZV_OK ? arguments_u64(args, "device", &device, err) : status;
    if (status == ZV_OK && arguments_has(args, "device")) {
        options.device = (size_t)device;
    }
    status = status == ZV_OK ? zv_record_open(&to->record, file, &options, err) : status;
    return status == ZV_OK ? zv_requests_make(&to->requests, &to->record, err) : status;
}

void replay_record_close(struct replay_record *record)
{
    zv_record_close(&record->record);
    zv_requests_close(&record->requests);
    *record = (struct replay_record){0};
}
