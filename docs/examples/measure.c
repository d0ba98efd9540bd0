/*
 * Phases around one's own work: counters of an allocator, here over a simulated card. With a real
 * one, open a device (zirve/device.h), give its driver to the allocator and both to zv_counters_of.
 */
#include "zirve/measure.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    struct zv_allocator_options options = {.capacity_bytes = UINT64_C(24000000000)};
    struct zv_allocator *allocator;
    struct zv_allocation kept;
    struct zv_allocation temporary;
    struct zv_phase phase;
    struct zv_error err = {0};
    if (zv_allocator_open(&allocator, &options, &err) != ZV_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct zv_counters counters = zv_counters_of(allocator, NULL);
    (void)zv_phase_begin(&phase, &counters, "forward", &err);
    zv_phase_dimension(&phase, "batch", 2);
    const char *failure = NULL;
    if (zv_allocator_malloc(allocator, 1 << 20, 0, &kept, &err) != ZV_OK ||
        zv_allocator_malloc(allocator, 1 << 22, 0, &temporary, &err) != ZV_OK ||
        zv_allocator_free(allocator, temporary, &err) != ZV_OK) {
        failure = err.text;
    }
    (void)zv_phase_end(&phase, &counters, failure, &err);
    (void)printf("%s: allocated %" PRIu64 " -> peak %" PRIu64 " -> %" PRIu64
                 "; reserved peak %" PRIu64 "; free on the device %s\n",
                 phase.name, phase.before.allocated.value, phase.peak_allocated.value,
                 phase.after.allocated.value, phase.peak_reserved.value,
                 phase.after.free.known ? "known" : "unknown");
    zv_allocator_close(allocator);
    return phase.succeeded && phase.peak_allocated.value > phase.after.allocated.value ? 0 : 1;
}
