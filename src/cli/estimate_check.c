/* Options that contradict each other or the job: refused, for a figure that leaves one out in
 * silence answers another question. */
#include <string.h>

#include "base/fail.h"
#include "cli/estimate_options.h"
#include "runtime/versions.h"

/* Options of the other task. */
static enum zv_status check_task(const struct zv_job *job, const struct arguments *args,
                                 struct zv_error *err)
{
    static const struct {
        const char *serve;
        const char *train;
    } pairs[] = {{"context", "seq-length"}, {"concurrency", "micro-batch"}};
    /* a framework's program says what it is: step_settings_check() has the options */
    const size_t count = arguments_has(args, "framework") ? 0 : args->given_count;
    for (size_t i = 0; i < count; i++) {
        const struct given_option *const given = &args->given[i];
        if (job->task != ZV_TASK_TRAIN && strcmp(given->spec->group, estimate_train_group) == 0) {
            return zv_fail(err, ZV_E_USAGE, "%s is for training: add --task train, or leave it out",
                           given->spelling);
        }
        if (strcmp(given->spec->group, estimate_step_group) == 0) {
            return zv_fail(err, ZV_E_USAGE, "%s goes with --framework NAME", given->spelling);
        }
        for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
            if (job->task == ZV_TASK_TRAIN && strcmp(given->spec->name, pairs[k].serve) == 0) {
                return zv_fail(err, ZV_E_USAGE, "%s is for serving: with --task train it is --%s",
                               given->spelling, pairs[k].train);
            }
        }
    }
    return ZV_OK;
}

enum zv_status estimate_check(const struct zv_job *job, const struct arguments *args,
                              struct zv_error *err)
{
    const enum zv_status status = check_task(job, args, err);
    if (status != ZV_OK) {
        return status;
    }
    if (job->train.shard != ZV_SHARD_NONE && job->dp < 2) {
        return zv_fail(err, ZV_E_USAGE,
                       "--%s shares out over data-parallel ranks: add --dp N, a rank for each card",
                       arguments_has(args, "fsdp") ? "fsdp" : "zero");
    }
    if (arguments_has(args, "gpus") && !zv_runtime_is_llamacpp(job->runtime) && job->devices > 1) {
        return zv_fail(err, ZV_E_USAGE,
                       "--gpus spreads the layers of llama.cpp; other runtimes and training take "
                       "--tp, --pp or --dp");
    }
    return ZV_OK;
}
