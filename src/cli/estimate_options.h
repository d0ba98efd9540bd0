/* zirve estimate: its option table, and the job its options describe. */
#ifndef ZIRVE_CLI_ESTIMATE_OPTIONS_H
#define ZIRVE_CLI_ESTIMATE_OPTIONS_H

#include "cli/options.h"
#include "job/job.h"
#include "runtime/command_line.h"
#include "runtime/versions.h"
#include "zirve/arena.h"

enum { ESTIMATE_OPTION_COUNT = 78 };
extern const struct option_spec estimate_options[ESTIMATE_OPTION_COUNT];
extern const char estimate_train_group[]; /* heading of the options of --task train */
extern const char estimate_step_group[];  /* of those that --framework has beside itself */

/*
 * Fills job from --command first, then from the options, which win. command is what a pasted line
 * said (zero when there was none). Errors: ZV_E_USAGE, ZV_E_SYNTAX.
 */
enum zv_status estimate_job(struct zv_job *job, struct zv_command *command,
                            const struct arguments *args, struct zv_arena *arena,
                            struct zv_error *err);

/* Refuses options that contradict each other or the job's task. Errors: ZV_E_USAGE. */
enum zv_status estimate_check(const struct zv_job *job, const struct arguments *args,
                              struct zv_error *err);

/* Adds the items of a file: NAME=SIZE[:KNOWN] a line, "host:" before those of the host. */
enum zv_status estimate_items_file(struct zv_job *job, struct zv_slice text, struct zv_error *err);

/* Whether the arguments ask for figures by hand (--parameters, --layers without a model). */
bool estimate_is_by_numbers(const struct arguments *args);

#endif
