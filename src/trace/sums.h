/*
 * Sums over a record by the record alone: what is live, and what each event adds or takes.
 *
 *     state before event 0 ──step──► state before event 1 ──► ... ──► the end state
 *
 * The size of a block is that of the end state where it is still live. Of one that came and went it
 * is the request rounded, and what lies behind it when no split would have left that: the addresses
 * tell (start.h). What contradicts the end state changes nothing, as when the history is undone.
 */
#ifndef ZIRVE_TRACE_SUMS_H
#define ZIRVE_TRACE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/address_map.h"
#include "trace/index_set.h"
#include "trace/start.h"

struct zv_trace_sums {
    uint64_t allocated_bytes;
    uint64_t active_bytes;
    uint64_t requested_bytes;
    uint64_t reserved_bytes;

    /* private */
    const struct zv_trace_device *device;
    struct zv_trace_rules rules;
    size_t at;        /* the next event */
    uint64_t *sizes;  /* by event: of the block; 0: not live at the end; SUMS_STRAY */
    uint64_t *places; /* every address where a block or a segment begins, in order */
    size_t place_count;
    struct index_set blocks;   /* places of what is live */
    struct index_set segments; /* places of segments from cudaMalloc that are there */
    uint64_t *ends;            /* by place: of the segment */
    struct address_map live;   /* live block + 1 by address */
    struct sums_block {
        uint64_t bytes;
        uint64_t requested_bytes;
        bool is_pending;
        bool is_loose; /* in no recorded segment: reserved while it is live */
    } * table;         /* as many as there can be */
    size_t count;
};

/* start: of the device. Close after a failure too. Errors: ZV_E_NOMEM. */
enum zv_status zv_trace_sums_open(struct zv_trace_sums *sums, const struct zv_trace *trace,
                                  size_t device, const struct zv_trace_start *start,
                                  const struct zv_trace_rules *rules, struct zv_error *err);

/* Takes the next event. Not after the last one. False with the error set: memory is short. */
bool zv_trace_sums_step(struct zv_trace_sums *sums, struct zv_error *err);

void zv_trace_sums_close(struct zv_trace_sums *sums);

#endif
