/* The rows of a recorded table below tests/data/steps, for a test of the step engine. */
#ifndef ZIRVE_TESTS_STEP_ROWS_H
#define ZIRVE_TESTS_STEP_ROWS_H

#include <stddef.h>

#include "base/slice.h"

/* Families and programs beside a table, in FOLDER/zirve, are looked at before the project's own. */
void step_rows_use(const char *folder);

/* Calls check for every line of FOLDER/FILE that is no comment; how many there were. */
size_t step_rows_each(const char *folder, const char *file, void (*check)(struct zv_slice line));

#endif
