/* Scopes: which annotation was open when. */
#include <stdlib.h>

#include "explain/groups.h"

static int by_time(const void *a, const void *b)
{
    const struct zv_trace_annotation *const left = a;
    const struct zv_trace_annotation *const right = b;
    return (left->time_us > right->time_us) - (left->time_us < right->time_us);
}

/* Opens and closes scopes up to a time; the innermost open one, 0 when there is none. */
struct scopes {
    const struct zv_trace_annotation *at;
    size_t count;
    size_t next;
    uint32_t *open;
    size_t depth;
};

static uint32_t scope_at(struct scopes *scopes, uint64_t time_us)
{
    for (; scopes->next < scopes->count && scopes->at[scopes->next].time_us <= time_us;
         scopes->next++) {
        const struct zv_trace_annotation *const annotation = &scopes->at[scopes->next];
        if (!annotation->is_end) {
            scopes->open[scopes->depth++] = annotation->name;
        } else if (scopes->depth != 0) {
            scopes->depth--;
        }
    }
    return scopes->depth != 0 ? scopes->open[scopes->depth - 1] : 0;
}

bool zv_has_scopes(const struct zv_record *record)
{
    for (size_t i = 0; i < record->trace.annotation_count; i++) {
        if (record->trace.annotations[i].device == record->device) {
            return true;
        }
    }
    return false;
}

const uint32_t *zv_scopes(const struct zv_record *record, struct zv_arena *arena)
{
    const struct zv_trace *const trace = &record->trace;
    const struct zv_trace_device *const device = zv_record_device(record);
    struct zv_trace_annotation *const annotations =
        zv_arena_array(arena, trace->annotation_count, sizeof *annotations);
    uint32_t *const open = zv_arena_array(arena, trace->annotation_count + 1, sizeof *open);
    uint32_t *const texts = zv_arena_array(arena, device->event_count + 1, sizeof *texts);
    struct scopes scopes = {.at = annotations, .open = open};
    if (annotations == NULL || open == NULL || texts == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < trace->annotation_count; i++) {
        if (trace->annotations[i].device == record->device) {
            annotations[scopes.count++] = trace->annotations[i];
        }
    }
    qsort(annotations, scopes.count, sizeof *annotations, by_time);
    for (size_t i = 0; i < device->event_count && scopes.count != 0; i++) {
        texts[i] = scope_at(&scopes, device->events[i].time_us);
    }
    return texts;
}
