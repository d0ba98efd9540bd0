/* The instant that --at of zirve explain means. */
#ifndef ZIRVE_CLI_EXPLAIN_INSTANT_H
#define ZIRVE_CLI_EXPLAIN_INSTANT_H

#include "cli/explain_session.h"

/*
 * text NULL: where the verdict looks. *to: the number of events before the instant. Errors:
 * ZV_E_USAGE.
 */
enum zv_status explain_instant(const struct explain_session *session, const char *text, size_t *to,
                               struct zv_error *err);

#endif
