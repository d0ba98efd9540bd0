/* Room-internal: the usage after each event of a record, as far as the replay proves itself, else
 * by the record's own sums. */
#ifndef ZIRVE_EXPLAIN_SERIES_H
#define ZIRVE_EXPLAIN_SERIES_H

#include "explain/record.h"

/* Of a state, with what lies in no recorded segment. */
struct zv_trace_usage series_usage(const struct zv_trace_start *state);

enum zv_status series_run(const struct zv_record *record, struct zv_trace_replay *proof,
                          zv_record_series_fn *tell, void *context, struct zv_error *err);

#endif
