/* Files that an estimate opens beside the model: draft model, projector, LoRA adapters. */
#ifndef ZIRVE_CLI_ESTIMATE_EXTRAS_H
#define ZIRVE_CLI_ESTIMATE_EXTRAS_H

#include "cli/options.h"
#include "estimate/estimate.h"
#include "job/job.h"
#include "model/model.h"
#include "zirve/arena.h"

enum { EXTRA_MODELS_MAX = 18 }; /* a draft, a projector, 16 adapters */

/* Zero-initialise; close also after a failure. */
struct extra_models {
    struct zv_model draft;
    struct zv_model projector;
    struct zv_model adapters[16];
    bool has_draft;
    bool has_projector;
    size_t adapter_count;
    struct zv_model_files *files[EXTRA_MODELS_MAX];
    size_t file_count;
};

/* The options of extras and of host memory into job. Errors: ZV_E_USAGE. */
enum zv_status extra_options(struct zv_job *job, const struct arguments *args,
                             struct zv_error *err);

/*
 * Opens what job names. A file that only a pasted command line names and that is not here is a
 * note, not an error. Errors: as zv_model_open.
 */
enum zv_status extra_models_open(struct extra_models *extras, const struct zv_job *job,
                                 const struct arguments *args, struct zv_arena *arena,
                                 struct zv_error *err);
void extra_models_set(const struct extra_models *extras, struct zv_estimate_input *input);
void extra_models_close(struct extra_models *extras);

#endif
