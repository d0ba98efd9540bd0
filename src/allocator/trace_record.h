/* An op list, run and recorded: what PyTorch's recorder would have written about it. */
#ifndef ZIRVE_ALLOCATOR_TRACE_RECORD_H
#define ZIRVE_ALLOCATOR_TRACE_RECORD_H

#include "base/slice.h"
#include "trace/trace.h"
#include "zirve/allocator.h"

/*
 * options->on_event must be NULL and the policy in force the caching one (else ZV_E_UNSUPPORTED).
 * *trace must be zero; close it after a failure too. Its times are not known, its stacks empty;
 * events and blocks are emulated, and it says so. Errors: those of zv_replay_run.
 */
enum zv_status zv_trace_record(struct zv_trace *trace, struct zv_slice ops,
                               const struct zv_allocator_options *options, struct zv_error *err);

#endif
