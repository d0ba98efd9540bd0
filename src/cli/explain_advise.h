/* zirve explain --advise: after a failure, the phase, its suspects, and one change at a time. */
#ifndef ZIRVE_CLI_EXPLAIN_ADVISE_H
#define ZIRVE_CLI_EXPLAIN_ADVISE_H

#include "cli/output.h"

/* Of the operand, with --phase and --job. Errors: those of reading it; ZV_E_USAGE. */
enum zv_status explain_advise(const struct arguments *args, struct output *out,
                              struct zv_error *err);

#endif
