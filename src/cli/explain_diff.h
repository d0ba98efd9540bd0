/* zirve explain --diff: what two snapshots hold at their ends. */
#ifndef ZIRVE_CLI_EXPLAIN_DIFF_H
#define ZIRVE_CLI_EXPLAIN_DIFF_H

#include "cli/explain_session.h"
#include "cli/output.h"

/* Reads the earlier file into session->before and writes what changed until session->record. */
enum zv_status explain_diff(struct explain_session *session, const struct arguments *args,
                            const struct zv_record_options *record_options, struct output *out,
                            struct zv_error *err);

/* Which of zv_group_words a word of --by is. ZV_E_USAGE: none. */
enum zv_status explain_by(const char *word, unsigned *which, struct zv_error *err);

#endif
