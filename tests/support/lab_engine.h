/* The lab exercise's requests, which docs/measuring.md derives by hand, a second time: through the
 * allocator engine alone, over its own simulated card. */
#ifndef ZIRVE_TESTS_LAB_ENGINE_H
#define ZIRVE_TESTS_LAB_ENGINE_H

#include "measure/measure.h"

/* The engine's card, for the emulated driver: 20 GiB. */
#define LAB_ENGINE_CARD "total=21474836480"

/* Fails where the run's phases differ from the engine's: allocated, reserved, free. */
void lab_engine_check(const struct measure_run *run, const struct measure_condition *condition);

#endif
