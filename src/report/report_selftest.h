/* The selftest's result as text and JSON. */
#ifndef ZIRVE_REPORT_REPORT_SELFTEST_H
#define ZIRVE_REPORT_REPORT_SELFTEST_H

#include <stdbool.h>

#include "base/stream.h"
#include "report/style.h"
#include "selftest/selftest.h"

/* Counts by item, runtime and architecture, then every row that is off; with rows, all of them. */
void report_selftest_text(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_selftest *result, bool rows);

/* "schema": "zirve.selftest/1". */
void report_selftest_json(struct zv_sink *sink, const struct zv_selftest *result);

#endif
