#include "base/fail.h"
#include "estimate/estimate.h"
#include "estimate/weights_as.h"
#include "runtime/command_line.h"
#include "zirve/estimate.h"

static void set_text(struct zv_slice *to, const char *text)
{
    if (text != NULL) {
        *to = zv_slice_of(text);
    }
}

static enum zv_status job_of(struct zv_job *job, const struct zv_estimate_options *options,
                             struct zv_arena *arena, struct zv_error *err)
{
    struct zv_command command;
    enum zv_status status = ZV_OK;
    *job = (struct zv_job){.task = options->train != 0 ? ZV_TASK_TRAIN : ZV_TASK_SERVE};
    if (options->command_line != NULL) {
        status = zv_command_read(&command, job, zv_slice_of(options->command_line), arena, err);
    }
    if (status == ZV_OK && options->runtime != NULL &&
        !zv_runtime_parse(zv_slice_of(options->runtime), &job->runtime, &job->runtime_version)) {
        return zv_fail(err, ZV_E_USAGE, "runtime %s: no such runtime", options->runtime);
    }
    if (options->context_tokens != 0) {
        job->serve.context_tokens = options->context_tokens;
        job->serve.context_is_total = false;
        job->train.sequence_tokens = options->context_tokens;
    }
    if (options->sequences != 0) {
        job->serve.sequences = options->sequences;
        job->train.micro_batch = options->sequences;
    }
    job->tp = options->tp != 0 ? options->tp : job->tp;
    job->pp = options->pp != 0 ? options->pp : job->pp;
    job->dp = options->dp != 0 ? options->dp : job->dp;
    job->train.lora_rank = options->lora_rank;
    set_text(&job->serve.dtype, options->dtype);
    set_text(&job->train.weight_dtype, options->dtype);
    set_text(&job->serve.quantization, options->quantization);
    set_text(&job->serve.kv_dtype_k, options->kv_dtype);
    set_text(&job->train.optimizer, options->optimizer);
    return status;
}

/* The estimate itself, on a model that is open. */
static enum zv_status run(struct zv_ledger *ledger, const struct zv_model *stored,
                          const struct zv_job *job, uint64_t capacity_bytes, struct zv_error *err)
{
    struct zv_arena *const arena = ledger->arena;
    struct zv_model model;
    struct zv_runtime_rules rules = {0};
    struct zv_estimate estimate;
    enum zv_status status = zv_weights_loaded(&model, stored, job, arena, err);
    if (status == ZV_OK) {
        status = zv_runtime_resolve(&rules, job->runtime, job->runtime_version, false, arena, err);
    }
    const struct zv_estimate_input input = {
        .model = &model,
        .unquantised = stored,
        .job = job,
        .rules = job->runtime != ZV_RUNTIME_NONE ? &rules : NULL,
        .capacity_bytes = capacity_bytes,
    };
    if (status == ZV_OK) {
        status = zv_estimate_run(&estimate, &input, arena, err);
    }
    if (status == ZV_OK) {
        *ledger = estimate.ledger;
    }
    return status;
}

enum zv_status zv_estimate(struct zv_ledger *ledger, const struct zv_estimate_options *options,
                           struct zv_arena *arena, struct zv_error *err)
{
    struct zv_model stored;
    struct zv_model_files *files = NULL;
    struct zv_job job;
    *ledger = (struct zv_ledger){.arena = arena};
    if (options->model_path == NULL) {
        return zv_fail(err, ZV_E_USAGE, "no model");
    }
    enum zv_status status = job_of(&job, options, arena, err);
    if (status == ZV_OK) {
        status = zv_model_open(&stored, &files, options->model_path, arena, err);
    }
    if (status == ZV_OK) {
        status = run(ledger, &stored, &job, options->capacity_bytes, err);
    }
    zv_model_close(files);
    return status;
}
