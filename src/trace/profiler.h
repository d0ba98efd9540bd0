/*
 * What torch.profiler leaves: Chrome traces (memory events, 2021 to now) and the raw rows of
 * export_memory_timeline. Read as a stream, plain or compressed.
 *
 * Sizes are of blocks, rounded; there is no stream and no request. So an exact replay is
 * impossible: what follows from these are recorded totals and bounds (docs/FORMATS.md).
 */
#ifndef ZIRVE_TRACE_PROFILER_H
#define ZIRVE_TRACE_PROFILER_H

#include "base/slice.h"
#include "trace/trace.h"
#include "zirve/error.h"

/*
 * Reads JSON of either kind. *trace must be zero; close it after a failure too. Errors: those of
 * the JSON reader with the byte (of the decompressed text), ZV_E_SYNTAX when there is no memory
 * event in it, saying how to record some.
 */
enum zv_status zv_profiler_read(struct zv_trace *trace, struct zv_slice input,
                                struct zv_error *err);

#endif
