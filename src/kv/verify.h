/*
 * Verification: rows of expected integers, each run again. A row is a case, its parameters
 * (name=value …) and its results (name=value …), tab-separated, below a header line.
 *
 *   prefix_*      kv/prefix_policy.h          serve_paged, serve_contig  kv/serve.h
 *   freeq_seq, hybrid_seq  kv/one_at_a_time.h waste_*, fit               kv/waste.h
 */
#ifndef ZIRVE_KV_VERIFY_H
#define ZIRVE_KV_VERIFY_H

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_kv_row_outcome { ZV_KV_ROW_EQUAL, ZV_KV_ROW_DIFFERS, ZV_KV_ROW_NOT_RUN };

struct zv_kv_row {
    uint64_t line;
    struct zv_slice name;
    struct zv_slice parameters;
    enum zv_kv_row_outcome outcome;
    size_t figures;       /* compared */
    struct zv_slice what; /* differs: the first column that does */
    uint64_t expected;
    uint64_t got;
    const char *why; /* not run: one sentence */
};

struct zv_kv_verify {
    struct zv_kv_row *rows;
    size_t count;
    size_t outcomes[3];
    size_t figures;
};

/*
 * Runs the rows of text on traces in folder; a row whose trace is not there is not run. Slices
 * point into text. Errors: ZV_E_SYNTAX with the line for what is no such row, those of a trace
 * (with its file), ZV_E_NOMEM.
 */
enum zv_status zv_kv_verify(struct zv_kv_verify *to, struct zv_slice text, const char *folder,
                            struct zv_arena *arena, struct zv_error *err);

#endif
