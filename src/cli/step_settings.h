/* Options of zirve estimate as settings of a step's program; what means nothing there is refused.
 */
#ifndef ZIRVE_CLI_STEP_SETTINGS_H
#define ZIRVE_CLI_STEP_SETTINGS_H

#include "cli/options.h"
#include "step/step.h"
#include "zirve/arena.h"

enum { STEP_SETTINGS_MAX = 48 };

struct step_settings {
    struct zv_step_setting at[STEP_SETTINGS_MAX];
    size_t count;
    char numbers[STEP_SETTINGS_MAX][24]; /* "2k" written out */
};

/* Refuses options that a step run op by op has no answer for, before anything else is done with
 * them. Errors: ZV_E_USAGE naming the option and why. */
enum zv_status step_settings_check(const struct arguments *args, struct zv_error *err);

/* What the options say, as settings of the program that is open. Errors: ZV_E_USAGE (the program
 * has no such setting), ZV_E_LIMIT. */
enum zv_status step_settings_read(struct step_settings *to, const struct arguments *args,
                                  const struct zv_step *step, struct zv_error *err);

/* What states a setting, for a message: "--micro-batch", "--set generate=VALUE". */
void step_settings_spell(struct zv_slice setting, char *to, size_t size);

/* The setting that --search of this word changes. Errors: ZV_E_USAGE. */
enum zv_status step_settings_search(const struct arguments *args, struct zv_slice *setting,
                                    struct zv_error *err);

#endif
