/*
 * Measuring by phases: a named stretch of a program, with its counters before, at the peak and
 * after it.
 *
 *     struct zv_counters counters = zv_counters_of(allocator, device);
 *     struct zv_phase phase;
 *     zv_phase_begin(&phase, &counters, "forward", &err);
 *     zv_phase_dimension(&phase, "batch", 2);
 *     ... the work ...
 *     zv_phase_end(&phase, &counters, NULL, &err);
 *
 * begin: synchronise, read the levels, reset the peaks, start the clock. end: synchronise, stop the
 * clock, read the peaks and levels, keep how it went. A reading that nobody can give is unknown,
 * never 0. allocated and reserved are two counters of the same memory and are never added; a peak
 * is the largest value since begin, and two peaks need not fall together.
 *
 * One phase at a time on a set of counters; phases of several devices are several sets.
 */
#ifndef ZIRVE_MEASURE_H
#define ZIRVE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/allocator.h"
#include "zirve/device.h"
#include "zirve/error.h"

struct zv_reading {
    uint64_t value; /* bytes, or nanoseconds of a duration; meaningless when not known */
    bool known;
};

struct zv_levels {
    struct zv_reading allocated; /* bytes in use by tensors, of the allocator */
    struct zv_reading reserved;  /* bytes the allocator holds of the card */
    struct zv_reading free;      /* bytes the driver could still give, to anybody */
    struct zv_reading total;     /* bytes of the card, as the driver says */
};

/* Where counters come from. A function that is NULL, or says false, gives no reading. */
struct zv_counters {
    void *context;
    void *second; /* a second context, for those that need one */
    enum zv_status (*synchronise)(const struct zv_counters *counters, struct zv_error *err);
    void (*levels)(const struct zv_counters *counters, struct zv_levels *to);
    void (*reset_peaks)(const struct zv_counters *counters);
    void (*peaks)(const struct zv_counters *counters, struct zv_reading *allocated,
                  struct zv_reading *reserved);
    bool has_no_clock; /* an emulated card: durations are unknown */
};

enum { ZV_PHASE_NAME = 32, ZV_PHASE_MESSAGE = 512, ZV_PHASE_DIMENSIONS = 8 };

/* What was really processed, not what was configured. */
struct zv_dimension {
    char name[ZV_PHASE_NAME];
    uint64_t value;
};

struct zv_phase {
    char name[ZV_PHASE_NAME];
    struct zv_dimension dimensions[ZV_PHASE_DIMENSIONS];
    uint32_t dimension_count;
    uint32_t repeat; /* 1 unless the caller sets it: which of several of this name */
    struct zv_levels before;
    struct zv_levels after;
    struct zv_reading peak_allocated;
    struct zv_reading peak_reserved;
    struct zv_reading duration_ns; /* from the first synchronisation to the second */
    bool succeeded;
    char message[ZV_PHASE_MESSAGE]; /* of a failure; "" otherwise */

    struct zv_reading started_ns; /* private */
};

/* Counters of an allocator and the device it runs over; either may be NULL. */
struct zv_counters zv_counters_of(struct zv_allocator *allocator, struct zv_device *device);

/* Errors: those of the synchronisation; the phase is then a failed one with what could be read. */
enum zv_status zv_phase_begin(struct zv_phase *phase, const struct zv_counters *counters,
                              const char *name, struct zv_error *err);

/* Adds a dimension; more than ZV_PHASE_DIMENSIONS are dropped. */
void zv_phase_dimension(struct zv_phase *phase, const char *name, uint64_t value);

/*
 * failure: why the work did not succeed, NULL when it did. Errors: those of the synchronisation,
 * which make a phase fail too; the readings are taken all the same.
 */
enum zv_status zv_phase_end(struct zv_phase *phase, const struct zv_counters *counters,
                            const char *failure, struct zv_error *err);

#endif
