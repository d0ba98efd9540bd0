/* zirve replay --case DIR: recorded answers of a real allocator against ours. */
#ifndef ZIRVE_CLI_REPLAY_CASE_H
#define ZIRVE_CLI_REPLAY_CASE_H

#include "cli/options.h"
#include "cli/output.h"

enum zv_status replay_cases(const struct arguments *args, struct output *out, struct zv_error *err);

#endif
