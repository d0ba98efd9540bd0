/* Parts of a trace: some of its events, with the state at their end. */
#ifndef ZIRVE_TRACE_CROP_H
#define ZIRVE_TRACE_CROP_H

#include <stddef.h>

#include "trace/start.h"
#include "trace/trace.h"

/*
 * Makes a state the end state of a device (free pieces between the live blocks are added); other
 * devices have none afterwards. Errors: ZV_E_NOMEM, ZV_E_LIMIT.
 */
enum zv_status trace_set_state(struct zv_trace *trace, size_t device,
                               const struct zv_trace_start *state, struct zv_error *err);

/*
 * Keeps the events from (0-based) to (not included) of one device of a snapshot; other devices are
 * emptied. from <= to <= the number of events. Errors: ZV_E_NOMEM.
 */
enum zv_status zv_trace_crop(struct zv_trace *trace, size_t device, size_t from, size_t to,
                             const struct zv_trace_rules *rules, struct zv_error *err);

/* The stacks of live blocks that an event before `until` allocated; others keep theirs. */
enum zv_status trace_name_blocks(const struct zv_trace *trace, size_t device, size_t until,
                                 struct zv_trace_start *state, struct zv_error *err);

#endif
