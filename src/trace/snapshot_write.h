/* A trace as a memory snapshot that PyTorch's own viewer and _memory_viz.py read. */
#ifndef ZIRVE_TRACE_SNAPSHOT_WRITE_H
#define ZIRVE_TRACE_SNAPSHOT_WRITE_H

#include "base/stream.h"
#include "trace/trace.h"

/*
 * Pickle, protocol 4, in the form of PyTorch 2.10; what is not known is left out (times) or empty
 * (stacks). Errors: ZV_E_NOMEM; the sink remembers its own.
 */
enum zv_status zv_snapshot_write(struct zv_sink *sink, const struct zv_trace *trace,
                                 struct zv_error *err);

#endif
