/* The ways zirve estimate answers, one file each. Each writes the result to out and sets its exit
 * code. */
#ifndef ZIRVE_CLI_ESTIMATE_VERB_H
#define ZIRVE_CLI_ESTIMATE_VERB_H

#include "cli/estimate_session.h"
#include "cli/output.h"

/* Figures by hand: --parameters, --layers. */
enum zv_status estimate_numbers(struct session *session, const struct arguments *args,
                                struct output *out, struct zv_error *err);

/* What the options say of figures by hand, without bits and sequences. */
enum zv_status estimate_read_numbers(struct zv_numbers *numbers, const struct session *session,
                                     const struct arguments *args, struct zv_error *err);

/* --grid: weights x sizes x cards. */
enum zv_status estimate_grid(struct session *session, const struct arguments *args,
                             struct output *out, struct zv_error *err);

/* --framework NAME: a training step, run op by op. */
enum zv_status estimate_step(struct session *session, const struct arguments *args,
                             struct output *out, struct zv_error *err);

/* --from-log FILE: readings of a start, alone or beside a model. */
enum zv_status estimate_log(struct session *session, const struct arguments *args,
                            struct output *out, struct zv_error *err);

#endif
