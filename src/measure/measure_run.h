/* A run into memory that the caller has. Room-internal. */
#ifndef ZIRVE_MEASURE_MEASURE_RUN_H
#define ZIRVE_MEASURE_MEASURE_RUN_H

#include "measure/measure.h"

/* The most phases that a run of the condition has. */
size_t measure_most_phases(const struct measure_condition *condition);

/*
 * measure_run_here with room for the phases. run and phases hold at every moment what is known so
 * far: of a process that dies somebody else can still read it.
 */
enum zv_status measure_run_into(struct measure_run *run, struct zv_phase *phases,
                                const struct measure_condition *condition,
                                const struct measure_place *place, struct zv_arena *arena,
                                struct zv_error *err);

#endif
