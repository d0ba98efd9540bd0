/*
 * The simulated card as a driver, with a count of the calls and what they would have cost.
 *
 * The latency model is a table of nanoseconds per call, per page and per GiB (docs/ALLOCATOR.md
 * says where the figures come from). It is assumed, not measured: it orders configurations by what
 * they ask of the driver, it does not promise milliseconds.
 */
#ifndef ZIRVE_ALLOCATOR_SIM_DRIVER_H
#define ZIRVE_ALLOCATOR_SIM_DRIVER_H

#include "simcard/simcard.h"
#include "zirve/driver.h"

struct sim_driver {
    struct zv_simcard card;
    struct zv_driver_calls calls; /* time_ns is filled in by sim_driver_calls */
    uint64_t allocated_bytes;     /* ever, by allocate: allocation takes longer for more */
};

/* card must be open. The driver points to sim, which must stay where it is. */
void sim_driver_init(struct sim_driver *sim, struct zv_driver *driver);

/* The counters with the time they stand for. */
struct zv_driver_calls sim_driver_calls(const struct sim_driver *sim);

#endif
