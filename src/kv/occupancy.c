#include "base/checked.h"
#include "kv/serve.h"

static void raise(struct kv_moment *peak, const struct kv_moment *moment)
{
    peak->used = zv_larger(peak->used, moment->used);
    peak->cached = zv_larger(peak->cached, moment->cached);
    peak->running = zv_larger(peak->running, moment->running);
    peak->waiting = zv_larger(peak->waiting, moment->waiting);
    peak->preemptions = zv_larger(peak->preemptions, moment->preemptions);
}

/* Spans become twice as long, two by two; the last may stay alone. */
static void merge(struct kv_occupancy *occupancy)
{
    for (size_t i = 0; 2 * i < occupancy->count; i++) {
        struct kv_point merged = occupancy->points[2 * i];
        if (2 * i + 1 < occupancy->count) {
            const struct kv_point *const second = &occupancy->points[2 * i + 1];
            merged.steps += second->steps;
            merged.sum_used += second->sum_used;
            merged.sum_running += second->sum_running;
            raise(&merged.peak, &second->peak);
        }
        occupancy->points[i] = merged;
    }
    occupancy->count = (occupancy->count + 1) / 2;
    occupancy->span *= 2;
}

void kv_occupancy_coarsen(struct kv_occupancy *occupancy, size_t most)
{
    while (occupancy->count > most && occupancy->count > 1) {
        merge(occupancy);
    }
}

void occupancy_add(struct kv_occupancy *occupancy, const struct kv_moment *moment)
{
    if (occupancy->count == 0) {
        occupancy->span = 1;
    }
    if (occupancy->count == 0 || occupancy->points[occupancy->count - 1].steps == occupancy->span) {
        if (occupancy->count == KV_OCCUPANCY_POINTS) {
            merge(occupancy);
        }
        occupancy->points[occupancy->count++] = (struct kv_point){0};
    }
    struct kv_point *const last = &occupancy->points[occupancy->count - 1];
    last->steps++;
    last->sum_used += moment->used;
    last->sum_running += moment->running;
    raise(&last->peak, moment);
}
