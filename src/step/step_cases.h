/*
 * Cases: what a step may be when not everything is stated.
 *
 *   optimizer = a | b | c ─┐
 *   checkpoint = no | yes ─┴─► combinations ──► those that differ in what a run asked for
 *
 * A setting that a run never asks for cannot change it, so combinations that agree with a run on
 * all that it asked for are that run, and are not run again.
 */
#ifndef ZIRVE_STEP_STEP_CASES_H
#define ZIRVE_STEP_STEP_CASES_H

#include "step/peak.h"

enum { STEP_MAX_STATED = 52, STEP_MAX_VALUES = 8, STEP_MAX_COMBINATIONS = 4096 };

struct step_open {
    struct zv_slice name;
    struct zv_slice text; /* "a | b" */
    struct zv_slice values[STEP_MAX_VALUES];
    size_t count;
    size_t index; /* of the link's settings */
};

/* A value for each open setting. */
struct step_choice {
    uint8_t value[ZV_STEP_OPEN];
};

/* A run that was made. */
struct step_known {
    struct step_choice choice;
    struct step_setting_set asked;
    uint64_t allocated_bytes; /* UINT64_MAX: it ran out of memory */
    uint64_t reserved_bytes;
};

struct step_cases {
    const struct zv_step *step;
    const struct zv_step_request *request;
    struct step_open open[ZV_STEP_OPEN];
    size_t open_count;
    size_t combinations;
    struct step_known known[ZV_STEP_MAX_RUNS];
    size_t known_count;
    struct step_setting_set asked;                                   /* by any of them */
    struct zv_step_setting settings[STEP_MAX_STATED + ZV_STEP_OPEN]; /* of the last run */
};

/* What is open: stated as "a | b", or not stated and so in a program. Errors: ZV_E_LIMIT. */
enum zv_status step_cases_begin(struct step_cases *cases, const struct zv_step *step,
                                const struct zv_step_request *request, struct zv_error *err);

struct step_choice step_cases_choice(const struct step_cases *cases, size_t combination);

/* The run that this choice comes to; NULL: none yet. */
const struct step_known *step_cases_find(const struct step_cases *cases,
                                         const struct step_choice *choice);

/* request with the settings of a choice, which live in cases. */
struct zv_step_request step_cases_request(struct step_cases *cases,
                                          const struct step_choice *choice);

/* Runs a choice, of which nothing is heard but the result. Errors: as zv_step_run; ZV_E_LIMIT. */
enum zv_status step_cases_run(struct step_cases *cases, const struct step_choice *choice,
                              struct zv_step_result *result, struct zv_error *err);

#endif
