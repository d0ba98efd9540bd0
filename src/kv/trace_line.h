/* One line of a trace into a request. Room-internal. */
#ifndef ZIRVE_KV_TRACE_LINE_H
#define ZIRVE_KV_TRACE_LINE_H

#include "kv/request_trace.h"

/* Finds the columns in the header of a CSV. Errors: ZV_E_SYNTAX naming the columns there are. */
enum zv_status kv_trace_header(struct zv_request_trace *trace, struct zv_slice line,
                               struct zv_error *err);

enum zv_status kv_trace_csv_line(const struct zv_request_trace *trace, struct zv_slice line,
                                 struct zv_request *request, struct zv_error *err);

/* Fills trace->ids. */
enum zv_status kv_trace_json_line(struct zv_request_trace *trace, struct zv_slice line,
                                  struct zv_request *request, struct zv_error *err);

#endif
