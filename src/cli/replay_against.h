/* zirve replay A --against B: what two programs asked for, request by request. */
#ifndef ZIRVE_CLI_REPLAY_AGAINST_H
#define ZIRVE_CLI_REPLAY_AGAINST_H

#include "cli/options.h"
#include "cli/output.h"

enum zv_status replay_against(const struct arguments *args, struct output *out,
                              struct zv_error *err);

#endif
