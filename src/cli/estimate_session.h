/*
 * Session: what one run of zirve estimate holds open, and the question it asks of room estimate.
 *
 *   options ──► session_open ──► job, card
 *   MODEL   ──► session_open_model ──► model, rules
 *   all of it ──► session_question ──► answered, searched, varied by room estimate
 *
 * The session owns everything; close it also after a failure.
 */
#ifndef ZIRVE_CLI_ESTIMATE_SESSION_H
#define ZIRVE_CLI_ESTIMATE_SESSION_H

#include "base/file.h"
#include "cli/card_files.h"
#include "cli/estimate_extras.h"
#include "cli/options.h"
#include "estimate/grid.h"
#include "estimate/question.h"
#include "job/job.h"
#include "model/model.h"
#include "runtime/command_line.h"
#include "runtime/versions.h"

struct session {
    struct zv_arena arena;
    struct card_files cards;
    bool has_cards; /* the table is read */
    struct zv_file items;
    struct zv_model_files *model_files;
    struct zv_model stored; /* as the files have it */
    struct zv_model model;  /* as it is loaded */
    struct extra_models extras;
    struct zv_job job;
    struct zv_command command;
    struct zv_runtime_rules rules;
    struct zv_capacity capacity;
    bool has_card;
    uint64_t in_use_bytes; /* of the card, by others */
};

/* The job of the options. Errors: ZV_E_USAGE, ZV_E_IO, ZV_E_SYNTAX. */
enum zv_status session_open(struct session *session, const struct arguments *args,
                            struct zv_error *err);

/* What --card NAME offers; says so when it is a size taken literally. Errors: as zv_capacity_of. */
enum zv_status session_open_card(struct session *session, const char *name,
                                 struct zv_capacity *capacity, struct zv_error *err);

/* The model of the first operand or of a pasted command line, and the runtime's rules. Errors: as
 * zv_model_open and zv_runtime_resolve; ZV_E_USAGE without a model. */
enum zv_status session_open_model(struct session *session, const struct arguments *args,
                                  struct zv_error *err);

/* The session's model with its weights stored as to->name says; what it cannot be is in to->why.
 * Errors: ZV_E_NOMEM. */
enum zv_status session_weights(struct session *session, struct zv_grid_model *to,
                               struct zv_error *err);

/* The rules of the session's runtime, NULL when the job names none. */
const struct zv_runtime_rules *session_rules(const struct session *session);

/* The session's job on its model and card, with all that was opened beside them: what
 * zv_question_answer, zv_advise, zv_search_run and zv_grid_run take. Points into the session. */
struct zv_question session_question(const struct session *session);

/* 0 fits, 1 does not, 6 cannot tell. */
int session_exit_code(enum zv_verdict verdict);

/* What a pasted line said that matters and is not understood, and the rules' note: to standard
 * error. */
void session_notes(const struct session *session);

void session_close(struct session *session);

#endif
