/* After an overflow: phase, suspects, changes. Text and JSON ("zirve.advice/1"). */
#ifndef ZIRVE_REPORT_REPORT_OVERFLOW_H
#define ZIRVE_REPORT_REPORT_OVERFLOW_H

#include "base/stream.h"
#include "decide/overflow.h"
#include "report/style.h"

struct report_overflow {
    const struct zv_overflow *overflow;
    const struct zv_advice *advice; /* of the phase; NULL: no estimate, or it has no such phase */
    bool has_model;                 /* a job with a model was given to estimate */
};

void report_overflow_text(struct zv_sink *sink, const struct report_style *style,
                          const struct report_overflow *report);
void report_overflow_json(struct zv_sink *sink, const struct report_overflow *report);

#endif
