/*
 * Session: what one run of zirve estimate holds open, and one estimate of a job on a card.
 *
 *   options ──► session_open ──► job, card
 *   MODEL   ──► session_open_model ──► model, rules
 *   a job and a card ──► session_answer ──► estimate, fit       (as often as wanted)
 *
 * The session owns everything; close it also after a failure.
 */
#ifndef ZIRVE_CLI_ESTIMATE_SESSION_H
#define ZIRVE_CLI_ESTIMATE_SESSION_H

#include "base/file.h"
#include "cli/card_files.h"
#include "cli/options.h"
#include "estimate/estimate.h"
#include "estimate/fit.h"
#include "job/job.h"
#include "model/model.h"
#include "runtime/command_line.h"
#include "runtime/versions.h"

struct session {
    struct zv_arena arena;
    struct card_files cards;
    struct zv_file items;
    struct zv_model_files *model_files;
    struct zv_model model;
    struct zv_job job;
    struct zv_command command;
    struct zv_runtime_rules rules;
    struct zv_capacity capacity;
    bool has_card;
    struct zv_fit_limits limits; /* the fraction is the estimate's: see session_answer */
};

/* One job on one card. */
struct answer {
    struct zv_estimate estimate;
    struct zv_fit fit;
    struct zv_fit_limits limits; /* as used */
    bool judged;                 /* a card was given: fit and limits mean something */
};

/* The job and the card of the options; card NULL: none. Errors: ZV_E_USAGE, ZV_E_IO, ZV_E_SYNTAX,
 * ZV_E_NOT_FOUND. */
enum zv_status session_open(struct session *session, const struct arguments *args,
                            struct zv_error *err);
enum zv_status session_open_card(struct session *session, const char *card, struct zv_error *err);

/* The model of the first operand or of a pasted command line, and the runtime's rules. Errors: as
 * zv_model_open and zv_runtime_resolve; ZV_E_USAGE without a model. */
enum zv_status session_open_model(struct session *session, const struct arguments *args,
                                  struct zv_error *err);

/* The rules of the session's runtime, NULL when the job names none. */
const struct zv_runtime_rules *session_rules(const struct session *session);

/* Estimates job on the session's model and judges it against capacity (NULL: not judged). The
 * answer lives in arena. Errors: as zv_estimate_run and zv_fit_judge. */
enum zv_status session_answer(const struct session *session, const struct zv_job *job,
                              const struct zv_capacity *capacity, struct answer *answer,
                              struct zv_arena *arena, struct zv_error *err);

/* 0 fits, 1 does not, 6 cannot tell. */
int session_exit_code(enum zv_verdict verdict);

/* What a pasted line said that matters and is not understood, and the rules' note: to standard
 * error. */
void session_notes(const struct session *session);

void session_close(struct session *session);

#endif
