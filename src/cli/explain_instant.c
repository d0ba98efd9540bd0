#include "cli/explain_instant.h"

#include <string.h>

#include "base/fail.h"

/* After the last event until then, "1.5s" since the first; false: no time, or none was recorded. */
static bool instant_of_time(const struct zv_record *record, const char *text, size_t *to)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    struct zv_slice number = zv_slice_of(text);
    uint64_t us = 0;
    if (!zv_slice_ends(number, "s") || device->event_count == 0 || device->events[0].time_us == 0) {
        return false;
    }
    number.length--;
    if (!zv_slice_fixed(number, 6, &us)) {
        return false;
    }
    const uint64_t first = device->events[0].time_us;
    for (*to = 0; *to < device->event_count; ++*to) {
        if (device->events[*to].time_us >= first && device->events[*to].time_us - first > us) {
            break;
        }
    }
    return true;
}

enum zv_status explain_instant(const struct explain_session *session, const char *text, size_t *to,
                               struct zv_error *err)
{
    const struct zv_record *const record = &session->record;
    const size_t end = zv_record_device(record)->event_count;
    uint64_t number;
    *to = session->cause.event;
    if (text == NULL) {
        return ZV_OK;
    }
    if (strcmp(text, "peak") == 0) {
        *to = record->peak_allocated.event;
    } else if (strcmp(text, "reserved-peak") == 0) {
        *to = record->peak_reserved.event;
    } else if (strcmp(text, "end") == 0) {
        *to = end;
    } else if (strcmp(text, "oom") == 0) {
        if (!record->has_oom) {
            return zv_fail(err, ZV_E_USAGE, "--at oom: no request failed in this record");
        }
        *to = record->last_oom;
    } else if (zv_slice_u64(zv_slice_of(text), &number) && number <= end) {
        *to = (size_t)number;
    } else if (instant_of_time(record, text, to)) {
        return ZV_OK;
    } else {
        return zv_fail(err, ZV_E_USAGE,
                       "--at %s: expected an event (0 to %zu), a time such as 1.5s, peak, "
                       "reserved-peak, oom or end",
                       text, end);
    }
    return ZV_OK;
}
