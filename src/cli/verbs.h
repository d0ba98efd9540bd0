/* The verbs that work: each in its own cmd_VERB.c. A new verb is one line here and one in verbs.c.
 */
#ifndef ZIRVE_CLI_VERBS_H
#define ZIRVE_CLI_VERBS_H

#include <stddef.h>

#include "cli/options.h"

extern const struct verb verb_cards;
extern const struct verb verb_explain;
extern const struct verb verb_choose;
extern const struct verb verb_run;
extern const struct verb verb_record;
extern const struct verb verb_compare;
extern const struct verb verb_environment;
extern const struct verb verb_kv;
extern const struct verb verb_measure;
extern const struct verb verb_replay;
extern const struct verb verb_estimate;
extern const struct verb verb_selftest;
extern const struct verb verb_place;
extern const struct verb verb_view;

extern const struct verb *const verbs[]; /* in the order of the help */
extern const size_t verb_count;

#endif
