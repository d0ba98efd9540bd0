#include "trace/trace.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

void zv_trace_close(struct zv_trace *trace)
{
    trace_finish(trace);
    void *const tables[] = {trace->devices, trace->texts,  trace->frames,   trace->stacks,
                            trace->events,  trace->blocks, trace->segments, trace->annotations,
                            trace->streams, trace->totals, trace->pools};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        zv_memory_free(tables[i]);
    }
    zv_arena_free(&trace->arena);
    *trace = (struct zv_trace){0};
}

struct zv_slice zv_trace_text(const struct zv_trace *trace, uint32_t text)
{
    return text < trace->text_count ? trace->texts[text] : zv_slice_of("");
}

static const char *const known_names[ZV_TRACE_KNOWN] = {"measured", "emulated", "calculated"};

const char *zv_trace_known_name(enum zv_trace_known known)
{
    return known_names[known];
}

bool zv_trace_known_parse(struct zv_slice name, enum zv_trace_known *to)
{
    for (int i = 0; i < ZV_TRACE_KNOWN; i++) {
        if (zv_slice_equal(name, known_names[i])) {
            *to = (enum zv_trace_known)i;
            return true;
        }
    }
    return false;
}

bool zv_trace_mark(struct zv_trace *trace, enum zv_trace_known known, struct zv_slice by,
                   struct zv_error *err)
{
    trace->known = known;
    for (size_t i = 0; i < trace->text_count;
         i++) { /* a trace that is read has no index any more */
        if (trace->texts[i].length == by.length &&
            (by.length == 0 || memcmp(trace->texts[i].at, by.at, by.length) == 0)) {
            trace->known_by = (uint32_t)i;
            return true;
        }
    }
    return trace_text(trace, by, &trace->known_by, err);
}

size_t zv_trace_main_device(const struct zv_trace *trace)
{
    size_t best = 0;
    for (size_t i = 1; i < trace->device_count; i++) {
        const struct zv_trace_device *const device = &trace->devices[i];
        const struct zv_trace_device *const known = &trace->devices[best];
        if (device->event_count > known->event_count ||
            (device->event_count == known->event_count &&
             device->segment_count > known->segment_count)) {
            best = i;
        }
    }
    return best;
}

const char *zv_trace_action_name(enum zv_trace_action action)
{
    static const char *const names[] = {
        "alloc",        "free_requested", "free_completed", "segment_alloc",
        "segment_free", "segment_map",    "segment_unmap",  "oom",
        "snapshot",     "other"};
    return (unsigned)action < ZV_TRACE_ACTION_COUNT ? names[action] : "other";
}

const char *zv_snapshot_versions(enum zv_snapshot_generation generation)
{
    static const char *const versions[] = {"up to 2.0",  "2.1",        "2.2",          "2.3 to 2.5",
                                           "2.6 to 2.7", "2.8 to 2.9", "2.10 or later"};
    return versions[generation <= ZV_SNAPSHOT_G6 ? generation : ZV_SNAPSHOT_G6];
}
