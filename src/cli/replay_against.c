#include "cli/replay_against.h"

#include "base/fail.h"
#include "base/file.h"
#include "cli/input_file.h"
#include "explain/groups.h"
#include "report/report_requests.h"
#include "trace/open.h"

/* Options that have no meaning when nothing is run. */
static const char *const settings[] = {"alloc-conf", "capacity", "card",     "baseline", "torch",
                                       "policy",     "advise",   "stats",    "summary",  "counters",
                                       "events",     "snapshot", "write-ops"};

static enum zv_status refuse_settings(const struct arguments *args, struct zv_error *err)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (arguments_has(args, settings[i])) {
            return zv_fail(err, ZV_E_USAGE,
                           "--against compares what two programs asked for: --%s has no meaning "
                           "beside it",
                           settings[i]);
        }
    }
    return ZV_OK;
}

static enum zv_status device_of(const struct zv_trace *trace, const struct arguments *args,
                                size_t *device, struct zv_error *err)
{
    uint64_t given = 0;
    const enum zv_status status = arguments_u64(args, "device", &given, err);
    *device = arguments_has(args, "device") ? (size_t)given : zv_trace_main_device(trace);
    return status == ZV_OK && *device >= trace->device_count
               ? zv_fail(err, ZV_E_NOT_FOUND, "device %zu: the file has %zu (0 to %zu)", *device,
                         trace->device_count, trace->device_count - 1)
               : status;
}

/* Nothing of what is read points into the file. */
static enum zv_status read_run(struct report_run *run, struct zv_trace *trace,
                               struct zv_slice content, const struct arguments *args,
                               struct zv_arena *arena, struct zv_error *err)
{
    size_t first;
    size_t device;
    bool is_ops;
    enum zv_status status = zv_trace_or_ops(content, "", &is_ops, err);
    if (status == ZV_OK && is_ops) {
        return zv_requests_of_ops(&run->requests, content, arena, err);
    }
    status = status == ZV_OK ? zv_trace_open(trace, content, (struct zv_capture_range){0, SIZE_MAX},
                                             &first, err)
                             : status;
    status = status == ZV_OK ? device_of(trace, args, &device, err) : status;
    status =
        status == ZV_OK ? zv_requests_of_trace(&run->requests, trace, device, arena, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    run->trace = trace;
    run->user_frames = zv_user_frames(trace, arena);
    return run->user_frames != NULL ? ZV_OK : zv_fail_memory(err, "frames");
}

enum zv_status replay_against(const struct arguments *args, struct output *out,
                              struct zv_error *err)
{
    struct report_requests both = {0};
    struct zv_trace traces[2] = {{0}, {0}};
    struct zv_arena arena = {0};
    const char *const names[2] = {args->operands[0], arguments_value(args, "against")};
    enum zv_status status = refuse_settings(args, err);
    for (int i = 0; i < 2 && status == ZV_OK; i++) {
        struct zv_file file;
        both.runs[i].name = names[i];
        status = input_file_open(&file, names[i], err);
        if (status == ZV_OK) {
            status = read_run(&both.runs[i], &traces[i], zv_file_slice(&file), args, &arena, err);
            zv_file_close(&file);
        }
        if (status != ZV_OK) {
            (void)zv_fail_where(err, names[i]);
        }
    }
    if (status == ZV_OK) {
        status = zv_requests_compare(&both.comparison, &both.runs[0].requests,
                                     &both.runs[1].requests, err);
    }
    if (status == ZV_OK && out->json) {
        report_requests_json(&out->sink, &both);
    } else if (status == ZV_OK) {
        report_requests_text(&out->sink, &out->style, &both);
    }
    if (status == ZV_OK) {
        out->exit_code = both.comparison.difference_count == 0 ? 0 : 1;
    }
    zv_trace_close(&traces[0]);
    zv_trace_close(&traces[1]);
    zv_arena_free(&arena);
    return status;
}
