/*
 * Our own record of a run: compact, written and read as a stream, with an index, so that a part of
 * a long one is read without the rest. The bytes are described in docs/FORMATS.md.
 *
 *     magic | meta | tables | events | state | events | state ... | index | end
 *
 * Events come in chunks that can be read alone; after every ZV_CAPTURE_STRIDE of them there is the
 * state then, so that a range of events costs the range and at most one stride more.
 */
#ifndef ZIRVE_TRACE_CAPTURE_H
#define ZIRVE_TRACE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "base/stream.h"
#include "trace/start.h"
#include "trace/trace.h"

enum { ZV_CAPTURE_CHUNK = 4096, ZV_CAPTURE_STRIDE = 65536 }; /* events */

bool zv_capture_is(struct zv_slice input);

/*
 * Writes one device of a snapshot. Errors: ZV_E_UNSUPPORTED (a profiler's trace has no state),
 * ZV_E_SYNTAX (segments of the record overlap at some event),
 * ZV_E_NOMEM; the sink remembers its own.
 */
enum zv_status zv_capture_write(struct zv_sink *sink, const struct zv_trace *trace, size_t device,
                                const struct zv_trace_rules *rules, struct zv_error *err);

/* Events from (0-based) to (not included) are wanted; {0, SIZE_MAX}: all. */
struct zv_capture_range {
    size_t from;
    size_t to;
};

/*
 * Reads what covers the range: *first is the number of the first event that was read, at most
 * range.from; the state is that after the last one. *trace must be zero; close it after a failure
 * too. Errors, with the byte: ZV_E_SYNTAX, ZV_E_UNSUPPORTED (a newer version), ZV_E_LIMIT,
 * ZV_E_NOMEM.
 */
enum zv_status zv_capture_read(struct zv_trace *trace, struct zv_slice input,
                               struct zv_capture_range range, size_t *first, struct zv_error *err);

#endif
