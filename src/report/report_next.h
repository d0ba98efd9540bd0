/* What to run next: commands that may be copied, by what the verdict was. */
#ifndef ZIRVE_REPORT_REPORT_NEXT_H
#define ZIRVE_REPORT_REPORT_NEXT_H

#include "report/report_explain.h"

/* Nothing without a path, or for standard input. */
void report_next_text(struct zv_sink *sink, const struct report_explain *explain);

#endif
