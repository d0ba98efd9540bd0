/*
 * A trace as an op list: the same requests in the same order, ready for any allocator.
 *
 * What was live before the record comes first, in order of address (its own order is not known).
 * A request that failed is written as one that is freed at once, so that an allocator with more
 * room shows that it fits. Frees that waited for another stream wait for a stream of their own.
 * Of a profiler's trace what was live before comes first: blocks that are freed later, and the rest
 * of the first total as one block. Without addresses a free is that of the latest live block of its
 * size.
 */
#ifndef ZIRVE_TRACE_OPS_WRITE_H
#define ZIRVE_TRACE_OPS_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/stream.h"
#include "trace/start.h"
#include "trace/trace.h"

/*
 * lines, when not NULL, has room for event_count entries: the 1-based line where each event's
 * operation is (of an event without one: the next). Errors: ZV_E_NOMEM; the sink remembers its own.
 */
enum zv_status zv_ops_write(struct zv_sink *sink, const struct zv_trace *trace, size_t device,
                            const struct zv_trace_start *start, uint64_t *lines,
                            struct zv_error *err);

#endif
