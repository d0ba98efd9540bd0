/*
 * Any bytes as a profiler's trace: an error, or events that belong to devices without a gap, each
 * with its totals beside it.
 */
#include <stdlib.h>

#include "trace/profiler.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_trace trace = {0};
    struct zv_error err = {0};
    const enum zv_status status =
        zv_profiler_read(&trace, (struct zv_slice){(const char *)data, size}, &err);
    must(status == err.status);
    size_t events = 0;
    for (size_t i = 0; i < trace.device_count && status == ZV_OK; i++) {
        must(trace.devices[i].events == trace.events + events);
        for (size_t j = 0; j < trace.devices[i].event_count; j++) {
            must(trace.totals[events + j].device == i);
            must(trace.events[events + j].action < ZV_TRACE_ACTION_COUNT);
            must(trace.events[events + j].context < trace.text_count);
        }
        events += trace.devices[i].event_count;
    }
    must(status != ZV_OK || (events == trace.event_count && events != 0));
    zv_trace_close(&trace);
    return 0;
}
