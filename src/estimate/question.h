/*
 * Question: one job on one card, asked as often as somebody wants to vary it.
 *
 *   question ──► zv_question_answer ──► estimate · fit
 *      └─ advise: levers · search: the largest value · grid: every combination
 *
 * Whoever varies a question copies it, changes the copy's job or model and asks again: a saving is
 * the difference of two answers of the same engine, never a figure of its own.
 */
#ifndef ZIRVE_ESTIMATE_QUESTION_H
#define ZIRVE_ESTIMATE_QUESTION_H

#include "estimate/estimate.h"
#include "estimate/fit.h"

/* Of which instant a need is asked. Zero: of the phase that needs most. */
struct zv_instant {
    bool one_phase;
    const char *phase; /* of the ledger; NULL: what is there all the time alone */
};

struct zv_question {
    struct zv_estimate_input input;     /* its capacity_bytes follows from capacity */
    const struct zv_capacity *capacity; /* NULL: no card, nothing is judged */
    uint64_t in_use_bytes;              /* of the card, by others */
    struct zv_instant instant;          /* for zv_answer_peak; fit looks at all phases */
};

struct zv_answer {
    struct zv_estimate estimate;
    struct zv_instant instant;
    bool judged;                 /* there was a card: fit and limits mean something */
    struct zv_fit fit;           /* of the device group that decides */
    struct zv_fit_limits limits; /* as used */
};

/* The answer lives in arena. Errors: as zv_estimate_run and zv_fit_judge. */
enum zv_status zv_question_answer(struct zv_answer *answer, const struct zv_question *question,
                                  struct zv_arena *arena, struct zv_error *err);

/* The device group that needs most at the question's instant and its bracket. Errors:
 * ZV_E_OVERFLOW; ZV_E_BUG for a ledger without devices. */
enum zv_status zv_answer_peak(const struct zv_answer *answer, struct zv_total *total, int *scope,
                              struct zv_error *err);

/* What can be varied one value at a time. */
enum zv_dimension {
    ZV_DIMENSION_CONTEXT,
    ZV_DIMENSION_CONCURRENCY,
    ZV_DIMENSION_MICRO_BATCH,
    ZV_DIMENSION_SEQ_LENGTH
};

const char *zv_dimension_name(enum zv_dimension dimension); /* "micro-batch" */
bool zv_dimension_is_of(enum zv_dimension dimension, enum zv_task task);
void zv_dimension_set(enum zv_dimension dimension, struct zv_job *job, uint64_t value);

#endif
