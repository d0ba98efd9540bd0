#include "trace/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "format/pickle.h"
#include "trace/snapshot_fold.h"
#include "trace/snapshot_list.h"

/* Whether value is a list of records of a kind from first on; *end is after the last. */
static bool is_run(const struct zv_pickle *pickle, struct zv_pickle_value value,
                   enum fold_kind kind, uint64_t first, uint64_t *end)
{
    uint32_t from;
    uint32_t count;
    if (!fold_run(pickle, value, kind, &from, &count)) {
        return false;
    }
    *end = first + count;
    return count == 0 || from == first;
}

static enum zv_status fail(const struct zv_pickle *pickle, const char *what, struct zv_error *err)
{
    return zv_fail_at(err, ZV_E_SYNTAX, pickle->input.length - 1, "no memory snapshot: %s", what);
}

static int by_place(const void *a, const void *b)
{
    const struct zv_trace_segment *const left = a;
    const struct zv_trace_segment *const right = b;
    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    return (left->address > right->address) - (left->address < right->address);
}

static enum zv_status sort_segments(struct zv_trace *trace, const struct zv_pickle *pickle,
                                    struct zv_error *err)
{
    if (trace->segment_count > 1) {
        qsort(trace->segments, trace->segment_count, sizeof *trace->segments, by_place);
    }
    for (size_t i = 1; i < trace->segment_count; i++) {
        const struct zv_trace_segment *const before = &trace->segments[i - 1];
        if (before->device == trace->segments[i].device &&
            before->address + before->bytes > trace->segments[i].address) {
            return fail(pickle, "two segments overlap", err);
        }
    }
    return ZV_OK;
}

static enum zv_status make_devices(struct zv_trace *trace, size_t traces, struct zv_error *err)
{
    size_t count = traces;
    for (size_t i = 0; i < trace->segment_count; i++) {
        const size_t device = trace->segments[i].device;
        count = device >= count ? device + 1 : count;
    }
    count = count == 0 ? 1 : count;
    trace->devices = zv_memory_alloc(count * sizeof *trace->devices);
    if (trace->devices == NULL) {
        return zv_fail_memory(err, "devices");
    }
    memset(trace->devices, 0, count * sizeof *trace->devices);
    trace->device_count = count;
    for (size_t i = 0; i < trace->segment_count; i++) {
        struct zv_trace_device *const device = &trace->devices[trace->segments[i].device];
        device->segments = device->segment_count == 0 ? &trace->segments[i] : device->segments;
        device->segment_count++;
    }
    return ZV_OK;
}

/* One list of events for each device. */
static enum zv_status read_traces(struct zv_trace *trace, const struct zv_pickle *pickle,
                                  struct zv_pickle_value value, struct zv_error *err)
{
    const struct zv_pickle_items lists = zv_pickle_items(pickle, value);
    if (lists.count > ZV_TRACE_MAX_DEVICES) {
        return fail(pickle, "more than 1024 devices", err);
    }
    const enum zv_status status = make_devices(trace, lists.count, err);
    uint64_t first = 0;
    for (size_t i = 0; i < lists.count && status == ZV_OK; i++) {
        uint64_t end;
        if (!is_run(pickle, lists.at[i], FOLD_EVENT, first, &end)) {
            return fail(pickle, "\"device_traces\" holds what is no list of events", err);
        }
        trace->devices[i].events = end != first ? trace->events + first : NULL;
        trace->devices[i].event_count = (size_t)(end - first);
        first = end;
    }
    return status;
}

static enum zv_status read_settings(struct zv_trace *trace, const struct zv_pickle *pickle,
                                    struct zv_pickle_value value, struct zv_error *err)
{
    struct zv_trace_settings *const settings = &trace->settings;
    struct zv_slice conf = {0};
    int64_t max_split;
    if (zv_pickle_kind(value) != ZV_PICKLE_DICT) {
        return ZV_OK;
    }
    settings->known = true;
    (void)zv_pickle_bool(zv_pickle_find(pickle, value, "expandable_segments"),
                         &settings->expandable_segments);
    if (zv_pickle_i64(pickle, zv_pickle_find(pickle, value, "max_split_size"), &max_split) &&
        max_split > 0) {
        settings->has_max_split = true;
        settings->max_split_bytes = (uint64_t)max_split;
    }
    if (zv_pickle_text(pickle, zv_pickle_find(pickle, value, "PYTORCH_ALLOC_CONF"), &conf) ||
        zv_pickle_text(pickle, zv_pickle_find(pickle, value, "PYTORCH_CUDA_ALLOC_CONF"), &conf)) {
        return trace_text(trace, conf, &settings->conf, err) ? ZV_OK : ZV_E_NOMEM;
    }
    return ZV_OK;
}

/* The key that zirve writes into what it did not record. */
static enum zv_status read_known(struct zv_trace *trace, const struct zv_pickle *pickle,
                                 struct zv_error *err)
{
    const struct zv_pickle_value mark = zv_pickle_find(pickle, pickle->root, "zirve");
    enum zv_trace_known known;
    struct zv_slice name = {0};
    struct zv_slice by = {0};
    if (zv_pickle_kind(mark) != ZV_PICKLE_DICT) {
        return ZV_OK;
    }
    (void)zv_pickle_text(pickle, zv_pickle_find(pickle, mark, "by"), &by);
    if (!zv_pickle_text(pickle, zv_pickle_find(pickle, mark, "known"), &name) ||
        !zv_trace_known_parse(name, &known)) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, pickle->input.length - 1,
                          "a snapshot of zirve's whose events are known as \"%.*s\": expected "
                          "measured, emulated or calculated",
                          (int)(name.length < 40 ? name.length : 40),
                          name.length != 0 ? name.at : "");
    }
    return zv_trace_mark(trace, known, by, err) ? ZV_OK : ZV_E_NOMEM;
}

static enum zv_snapshot_generation generation_of(const struct fold *fold, bool has_settings,
                                                 bool has_annotations)
{
    return fold->saw_user_metadata     ? ZV_SNAPSHOT_G6
           : fold->saw_compile_context ? ZV_SNAPSHOT_G5
           : has_annotations           ? ZV_SNAPSHOT_G4
           : has_settings              ? ZV_SNAPSHOT_G3
           : fold->saw_time            ? ZV_SNAPSHOT_G2
           : fold->saw_block_address   ? ZV_SNAPSHOT_G1
                                       : ZV_SNAPSHOT_G0;
}

/* A dict of everything, or a bare list of segments. */
static enum zv_status read_root(struct zv_trace *trace, const struct zv_pickle *pickle,
                                const struct fold *fold, struct zv_error *err)
{
    const bool is_list = zv_pickle_kind(pickle->root) != ZV_PICKLE_DICT;
    const struct zv_pickle_value segments =
        is_list ? pickle->root : zv_pickle_find(pickle, pickle->root, "segments");
    const struct zv_pickle_value traces = zv_pickle_find(pickle, pickle->root, "device_traces");
    const struct zv_pickle_value settings =
        zv_pickle_find(pickle, pickle->root, "allocator_settings");
    const struct zv_pickle_value annotations =
        zv_pickle_find(pickle, pickle->root, "external_annotations");
    uint64_t end = 0;
    if (zv_pickle_kind(segments) != ZV_PICKLE_LIST &&
        zv_pickle_kind(segments) != ZV_PICKLE_HANDLE) {
        return fail(pickle, "it has no list of segments", err);
    }
    if (!is_run(pickle, segments, FOLD_SEGMENT, 0, &end)) {
        return fail(pickle, "its list of segments holds something else", err);
    }
    trace->source = ZV_TRACE_FROM_SNAPSHOT;
    trace->generation = generation_of(fold, settings.bits != 0, annotations.bits != 0);
    enum zv_status status = sort_segments(trace, pickle, err);
    status = status == ZV_OK ? read_traces(trace, pickle, traces, err) : status;
    status = status == ZV_OK ? read_settings(trace, pickle, settings, err) : status;
    return status == ZV_OK ? read_known(trace, pickle, err) : status;
}

enum zv_status zv_snapshot_read(struct zv_trace *trace, struct zv_slice input, struct zv_error *err)
{
    struct fold *const fold = zv_memory_alloc(sizeof *fold);
    if (fold == NULL) {
        return zv_fail_memory(err, "a snapshot");
    }
    memset(fold, 0, sizeof *fold);
    fold->trace = trace;
    struct zv_pickle pickle = {
        .input = input, .fold = snapshot_fold, .tag = snapshot_tag, .context = fold};
    struct zv_error own = {0}; /* the folds tell failures by it, so it is always there */
    enum zv_status status = trace_begin(trace, &own) ? ZV_OK : own.status;
    status = status == ZV_OK ? zv_pickle_read(&pickle, &own) : status;
    status = status == ZV_OK ? read_root(trace, &pickle, fold, &own) : status;
    zv_pickle_close(&pickle);
    zv_memory_free(fold->calls);
    zv_memory_free(fold);
    trace_finish(trace);
    if (status != ZV_OK && err != NULL && err->status == ZV_OK) {
        *err = own;
    }
    return status;
}
