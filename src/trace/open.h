/* Any file that this room reads, told by its first bytes; plain, .gz or .zst. */
#ifndef ZIRVE_TRACE_OPEN_H
#define ZIRVE_TRACE_OPEN_H

#include <stdbool.h>

#include "base/slice.h"
#include "trace/capture.h"
#include "trace/trace.h"
#include "zirve/error.h"

/* Decompressed snapshots are read from memory, at most this many bytes. */
#define ZV_TRACE_MAX_UNPACKED (UINT64_C(4) << 30)

/*
 * range is what is wanted of a capture; *first how many events were left out before what was read
 * (0 of all other files, which are read whole). *trace must be zero; close it after a failure too.
 * Nothing of it points into the input. Errors: ZV_E_UNSUPPORTED naming what the file looks like,
 * those of the readers.
 */
enum zv_status zv_trace_open(struct zv_trace *trace, struct zv_slice input,
                             struct zv_capture_range range, size_t *first, struct zv_error *err);

/*
 * For who reads traces and op lists: *is_ops when it is an op list (an empty one too). also: what
 * else was looked for, before the rest ("blocks in CSV, "); or "". Errors: that of the first
 * operation, with its line, when it is neither: no file of a kind that is read.
 */
enum zv_status zv_trace_or_ops(struct zv_slice input, const char *also, bool *is_ops,
                               struct zv_error *err);

/* Whether the content looks like a trace, and not like an op list or plain text. */
bool zv_trace_is(struct zv_slice input);

#endif
