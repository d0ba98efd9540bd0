/* Who held what in a memory timeline: its categories. */
#include <stdlib.h>

#include "base/fail.h"
#include "explain/groups.h"

static int largest_first(const void *a, const void *b)
{
    const struct zv_group *const left = a;
    const struct zv_group *const right = b;
    if (left->bytes != right->bytes) {
        return left->bytes > right->bytes ? -1 : 1;
    }
    return left < right ? -1 : 1; /* by category, as they are in the table of texts */
}

enum zv_status zv_groups_of_timeline(struct zv_groups *groups, const struct zv_record *record,
                                     size_t event, struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    const size_t texts = record->trace.text_count;
    struct zv_group *const all = zv_arena_array(arena, texts, sizeof *all);
    *groups = (struct zv_groups){.at = all};
    if (all == NULL) {
        return zv_fail_memory(err, "categories");
    }
    for (size_t i = 0; i < event && i < device->event_count; i++) {
        const struct zv_trace_event *const one = &device->events[i];
        struct zv_group *const group = &all[one->context];
        const bool takes = one->action == ZV_TRACE_ALLOC;
        const uint64_t gone = one->bytes < group->bytes ? one->bytes : group->bytes;
        group->label = zv_trace_text(&record->trace, one->context);
        group->bytes = takes ? group->bytes + one->bytes : group->bytes - gone;
        group->blocks += takes;
        group->blocks -= !takes && group->blocks != 0;
    }
    for (size_t i = 0; i < texts; i++) {
        groups->total_bytes += all[i].bytes;
        if (all[i].bytes != 0) {
            all[i].requested_bytes = all[i].bytes; /* sizes of tensors: nothing is rounded */
            groups->at[groups->count++] = all[i];
        }
    }
    qsort(groups->at, groups->count, sizeof *groups->at, largest_first);
    return ZV_OK;
}
