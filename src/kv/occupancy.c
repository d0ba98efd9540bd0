#include "kv/serve.h"

/* Spans become twice as long, two by two. */
static void merge(struct kv_occupancy *occupancy)
{
    for (size_t i = 0; i < KV_OCCUPANCY_POINTS / 2; i++) {
        const size_t a = 2 * i;
        const size_t b = a + 1;
        const uint64_t peak_a = occupancy->points[a].peak_used;
        const uint64_t peak_b = occupancy->points[b].peak_used;
        occupancy->points[i].steps = occupancy->points[a].steps + occupancy->points[b].steps;
        occupancy->points[i].sum_used =
            occupancy->points[a].sum_used + occupancy->points[b].sum_used;
        occupancy->points[i].sum_running =
            occupancy->points[a].sum_running + occupancy->points[b].sum_running;
        occupancy->points[i].peak_used = peak_a > peak_b ? peak_a : peak_b;
    }
    occupancy->count = KV_OCCUPANCY_POINTS / 2;
    occupancy->span *= 2;
}

void occupancy_add(struct kv_occupancy *occupancy, uint64_t used, uint64_t running)
{
    if (occupancy->count == 0) {
        occupancy->span = 1;
    }
    if (occupancy->count == 0 || occupancy->points[occupancy->count - 1].steps == occupancy->span) {
        if (occupancy->count == KV_OCCUPANCY_POINTS) {
            merge(occupancy);
        }
        occupancy->points[occupancy->count].steps = 0;
        occupancy->points[occupancy->count].sum_used = 0;
        occupancy->points[occupancy->count].sum_running = 0;
        occupancy->points[occupancy->count++].peak_used = 0;
    }
    const size_t last = occupancy->count - 1;
    occupancy->points[last].steps++;
    occupancy->points[last].sum_used += used;
    occupancy->points[last].sum_running += running;
    if (used > occupancy->points[last].peak_used) {
        occupancy->points[last].peak_used = used;
    }
}
