/*
 * Selftest: how far are our answers from what was measured?
 *
 *   measured.jsonl ──► rows (rows.h) ──► predictions (predict_*.c, from the room estimate)
 *                                                │
 *                                                ▼
 *                        results: predicted | measured | exact, within, off, unchecked
 *
 * A prediction sees a row's facts (config, settings) and, where a runtime decides from what it
 * measured itself, that measurement; never the figure it predicts. A row that cannot be checked is
 * listed with the reason.
 *
 * Not here: formulas (room estimate), printing (room report).
 */
#ifndef ZIRVE_SELFTEST_SELFTEST_H
#define ZIRVE_SELFTEST_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "selftest/rows.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_check_status {
    ZV_CHECK_EXACT,  /* equal at the printed precision */
    ZV_CHECK_WITHIN, /* at most 3 % away */
    ZV_CHECK_OFF,
    ZV_CHECK_UNCHECKED, /* see reason */
    ZV_CHECK_COUNT
};

struct zv_check {
    const char *id;      /* of the row */
    const char *kind;    /* of the row: "llamacpp_load" */
    const char *item;    /* "kv_cache", "state", "output_buffer", "kv_tokens", "device_total" … */
    const char *runtime; /* "llama.cpp" */
    const char *arch;    /* "deepseek2"; "" when the row names none */
    const char *unit;    /* "MiB", "GiB", "tokens", "blocks" … */
    const char *predicted;    /* at the measured precision and unit; "" when unchecked */
    const char *measured;     /* as printed, without the unit */
    uint64_t predicted_value; /* bytes, or the count */
    uint64_t measured_value;
    enum zv_check_status status;
    const char *reason; /* why unchecked, or what "exact" rests on; never NULL */
    /* Of a step run op by op, from data/published/steps.tsv; else "", "" and 0. */
    const char *group;
    const char *set;       /* "training", "inference": of the figures that are a fair test */
    uint64_t stated_value; /* bytes, with what the row states; predicted may be a range */
};

/* Counts over one group of checks. */
struct zv_check_summary {
    const char *by;   /* "item", "runtime", "arch" */
    const char *name; /* the item's, runtime's or architecture's name */
    size_t count[ZV_CHECK_COUNT];
    uint64_t worst_millionths; /* largest relative error of the checked ones */
};

/* How near steps run op by op come, over one group or one set. Figures with a size: |stated /
 * measured - 1|. */
struct zv_step_group {
    const char *name;
    bool is_set;              /* all rows of a set, behind the groups */
    size_t rows;              /* with a size */
    size_t ran_out;           /* published as out of memory */
    size_t ran_out_predicted; /* of these */
    uint64_t median_millionths;
    uint64_t most_millionths; /* 95 of 100 are not above it (nearest rank) */
    uint64_t worst_millionths;
};

struct zv_selftest {
    const struct zv_check *checks; /* in the order of the rows */
    size_t check_count;
    size_t count[ZV_CHECK_COUNT];
    const struct zv_check_summary *summaries; /* by item, then runtime, then architecture; sorted */
    size_t summary_count;
    const struct zv_step_group *groups; /* in the order of the rows, then the sets */
    size_t group_count;
};

/* Errors: ZV_E_NOMEM, ZV_E_OVERFLOW (a row's figures are absurd: the row is then unchecked). */
enum zv_status zv_selftest_run(struct zv_selftest *to, const struct zv_rows *rows,
                               struct zv_arena *arena, struct zv_error *err);

const char *zv_check_status_name(enum zv_check_status status); /* "exact" */

#endif
