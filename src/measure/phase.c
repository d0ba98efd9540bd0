/* One phase: the order of readings, which is the protocol. */
#include <stdio.h>
#include <time.h>

#include "zirve/measure.h"

static struct zv_reading read_clock(const struct zv_counters *counters)
{
    struct timespec now;
    if (counters->has_no_clock || clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return (struct zv_reading){0};
    }
    return (struct zv_reading){(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, true};
}

static enum zv_status synchronise(const struct zv_counters *counters, struct zv_error *err)
{
    return counters->synchronise != NULL ? counters->synchronise(counters, err) : ZV_OK;
}

static void read_levels(const struct zv_counters *counters, struct zv_levels *to)
{
    *to = (struct zv_levels){0};
    if (counters->levels != NULL) {
        counters->levels(counters, to);
    }
}

static void fail(struct zv_phase *phase, const char *why)
{
    phase->succeeded = false;
    if (phase->message[0] == 0) { /* the first cause */
        (void)snprintf(phase->message, sizeof phase->message, "%s", why);
    }
}

enum zv_status zv_phase_begin(struct zv_phase *phase, const struct zv_counters *counters,
                              const char *name, struct zv_error *err)
{
    struct zv_error own = {0};
    struct zv_error *const to = err != NULL ? err : &own;
    *phase = (struct zv_phase){.repeat = 1, .succeeded = true};
    (void)snprintf(phase->name, sizeof phase->name, "%s", name);
    const enum zv_status status = synchronise(counters, to);
    read_levels(counters, &phase->before);
    if (status != ZV_OK) {
        fail(phase, to->text);
        return status;
    }
    if (counters->reset_peaks != NULL) {
        counters->reset_peaks(counters);
    }
    phase->started_ns = read_clock(counters);
    return ZV_OK;
}

void zv_phase_dimension(struct zv_phase *phase, const char *name, uint64_t value)
{
    if (phase->dimension_count < ZV_PHASE_DIMENSIONS) {
        struct zv_dimension *const to = &phase->dimensions[phase->dimension_count++];
        (void)snprintf(to->name, sizeof to->name, "%s", name);
        to->value = value;
    }
}

enum zv_status zv_phase_end(struct zv_phase *phase, const struct zv_counters *counters,
                            const char *failure, struct zv_error *err)
{
    struct zv_error own = {0};
    struct zv_error *const to = err != NULL ? err : &own;
    if (failure != NULL) {
        fail(phase, failure);
    }
    const enum zv_status status = synchronise(counters, to);
    const struct zv_reading now = read_clock(counters);
    if (now.known && phase->started_ns.known) {
        phase->duration_ns = (struct zv_reading){now.value - phase->started_ns.value, true};
    }
    if (counters->peaks != NULL) {
        counters->peaks(counters, &phase->peak_allocated, &phase->peak_reserved);
    }
    read_levels(counters, &phase->after);
    if (status != ZV_OK) {
        fail(phase, to->text);
    }
    return status;
}

/* ---- counters of an allocator over a device: context and second ---- */

static struct zv_reading known(uint64_t value)
{
    return (struct zv_reading){value, true};
}

static enum zv_status device_synchronise(const struct zv_counters *counters, struct zv_error *err)
{
    return counters->second != NULL ? zv_device_synchronise(counters->second, err) : ZV_OK;
}

static void both_levels(const struct zv_counters *counters, struct zv_levels *to)
{
    uint64_t free_bytes;
    uint64_t total_bytes;
    if (counters->context != NULL) {
        const struct zv_usage usage = zv_allocator_usage(counters->context);
        to->allocated = known(usage.allocated_bytes);
        to->reserved = known(usage.reserved_bytes);
    }
    if (counters->second != NULL &&
        zv_device_memory(counters->second, &free_bytes, &total_bytes, NULL) == ZV_OK) {
        to->free = known(free_bytes);
        to->total = known(total_bytes);
    }
}

static void allocator_reset(const struct zv_counters *counters)
{
    if (counters->context != NULL) {
        zv_allocator_reset_peaks(counters->context);
    }
}

static void allocator_peaks(const struct zv_counters *counters, struct zv_reading *allocated,
                            struct zv_reading *reserved)
{
    struct zv_memory_stats stats;
    if (counters->context == NULL) {
        return;
    }
    zv_allocator_get_stats(counters->context, &stats);
    *allocated = known((uint64_t)stats.counters[ZV_STAT_ALLOCATED_BYTES][ZV_STAT_ALL].peak);
    *reserved = known((uint64_t)stats.counters[ZV_STAT_RESERVED_BYTES][ZV_STAT_ALL].peak);
}

struct zv_counters zv_counters_of(struct zv_allocator *allocator, struct zv_device *device)
{
    return (struct zv_counters){.context = allocator,
                                .second = device,
                                .synchronise = device_synchronise,
                                .levels = both_levels,
                                .reset_peaks = allocator_reset,
                                .peaks = allocator_peaks,
                                .has_no_clock =
                                    device != NULL && zv_device_facts(device)->is_emulated};
}
