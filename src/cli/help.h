/* Help: the option tables as text for people. */
#ifndef ZIRVE_CLI_HELP_H
#define ZIRVE_CLI_HELP_H

#include "base/stream.h"
#include "cli/options.h"

void help_overview(struct zv_sink *sink);                      /* zirve --help */
void help_verb(struct zv_sink *sink, const struct verb *verb); /* zirve VERB --help */

#endif
