/* A checker of OpenMetrics 1.0 text, of gauges: order and syntax of lines, units, unique series. */
#ifndef ZIRVE_TESTS_OPENMETRICS_H
#define ZIRVE_TESTS_OPENMETRICS_H

#include "base/slice.h"

/* NULL when text follows the grammar, else what is wrong; samples: how many there are. */
const char *openmetrics_check(struct zv_slice text, size_t *samples);

#endif
