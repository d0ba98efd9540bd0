/*
 * A step held against a record of PyTorch's own: every birth, resize and death of a storage, with
 * its size, its stream, and each death of the same storage. What kernels take for themselves is not
 * compared. Words as tests/tooling/step_parallel.py writes them; the engine's events count from the
 * death of a storage of 12345 bytes.
 */
#ifndef ZIRVE_TESTS_STEP_RECORD_H
#define ZIRVE_TESTS_STEP_RECORD_H

#include "support/step_peak.h"

/* Runs the case and fails the test at the first difference; what: its name. */
void step_record_meet(const char *what, struct step_case of, uint64_t from_bytes,
                      struct zv_slice record, struct zv_step_result *result);

#endif
