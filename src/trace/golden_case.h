/*
 * A conformance case: an op list and what a real allocator answered (docs/ALLOCATOR.md, "Truth").
 *
 *     case.json      version, settings, card, peaks        ops.txt      what was asked
 *     expected.tsv   counters after every operation        events.tsv   every trace entry
 */
#ifndef ZIRVE_TRACE_GOLDEN_CASE_H
#define ZIRVE_TRACE_GOLDEN_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/allocator.h"
#include "zirve/arena.h"
#include "zirve/error.h"

struct zv_golden_case {
    enum zv_torch_profile profile;
    const char *conf;
    uint64_t capacity_bytes;
    uint64_t baseline_bytes;
    /* Of the end of the run; what the file does not say is not compared. */
    struct zv_golden_peak {
        bool known;
        uint64_t value;
    } peaks[ZV_STAT_COUNT];
    bool ooms_known;
    uint64_t ooms;
    bool operations_known;
    uint64_t operations;
};

/* Strings live in the arena. Errors: ZV_E_SYNTAX, ZV_E_UNSUPPORTED (version), ZV_E_NOMEM. */
enum zv_status zv_golden_case_read(struct zv_golden_case *to, struct zv_slice json,
                                   struct zv_arena *arena, struct zv_error *err);

#endif
