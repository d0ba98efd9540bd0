/*
 * PyTorch memory snapshots: torch.cuda.memory._snapshot() and memory_snapshot(), pickled.
 *
 * No file says its version; every key is optional and unknown ones are ignored, so that old and
 * new files read alike (docs/FORMATS.md).
 */
#ifndef ZIRVE_TRACE_SNAPSHOT_H
#define ZIRVE_TRACE_SNAPSHOT_H

#include "base/slice.h"
#include "trace/trace.h"
#include "zirve/error.h"

/*
 * Reads the pickle, not compressed. *trace must be zero; close it after a failure too. Nothing of
 * it points into the input. Errors: those of zv_pickle_read, ZV_E_SYNTAX with the byte when a
 * record lacks what it must have.
 */
enum zv_status zv_snapshot_read(struct zv_trace *trace, struct zv_slice input,
                                struct zv_error *err);

#endif
