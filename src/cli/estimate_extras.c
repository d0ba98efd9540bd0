#include "cli/estimate_extras.h"

#include <unistd.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/units.h"
#include "cli/output.h"

static void set_state(const struct arguments *args, const char *name, enum zv_tristate value,
                      enum zv_tristate *to)
{
    if (arguments_has(args, name)) {
        *to = value;
    }
}

/* "4", "4.5": GiB, as the runtimes count these two options. */
static enum zv_status set_gib(const struct arguments *args, const char *name, uint64_t *to,
                              struct zv_error *err)
{
    const char *const text = arguments_value(args, name);
    uint64_t millionths = 0;
    if (text == NULL) {
        return ZV_OK;
    }
    if (!zv_slice_fixed(zv_slice_of(text), 6, &millionths) ||
        !zv_mul_div(millionths, ZV_GIB, 1000000, to)) {
        return zv_fail(err, ZV_E_USAGE, "--%s %s: expected GiB such as 4 or 1.5", name, text);
    }
    return ZV_OK;
}

enum zv_status extra_options(struct zv_job *job, const struct arguments *args, struct zv_error *err)
{
    struct zv_serve *const serve = &job->serve;
    set_state(args, "mtp", ZV_YES, &serve->draft_layers);
    set_state(args, "language-model-only", ZV_YES, &serve->language_only);
    set_state(args, "no-mmproj-offload", ZV_NO, &serve->mmproj_offload);
    set_state(args, "no-mmap", ZV_NO, &serve->mmap);
    const struct {
        const char *name;
        uint64_t *to;
    } counts[] = {{"source-tokens", &serve->source_tokens},
                  {"max-loras", &serve->max_loras},
                  {"max-lora-rank", &serve->max_lora_rank}};
    enum zv_status status = set_gib(args, "cpu-offload-gb", &serve->cpu_offload_bytes, err);
    if (status == ZV_OK) {
        status = set_gib(args, "swap-space", &serve->swap_bytes, err);
    }
    for (size_t i = 0; status == ZV_OK && i < sizeof counts / sizeof counts[0]; i++) {
        status = arguments_u64(args, counts[i].name, counts[i].to, err);
        if (status == ZV_OK && arguments_has(args, counts[i].name) && *counts[i].to == 0) {
            status = zv_fail(err, ZV_E_USAGE, "--%s 0: expected at least 1", counts[i].name);
        }
    }
    return status;
}

/* What is opened for whom. */
struct opening {
    struct extra_models *extras;
    const struct arguments *args;
    struct zv_arena *arena;
};

static enum zv_status open_one(const struct opening *opening, struct zv_slice path,
                               const char *option, struct zv_model *model, bool *opened,
                               struct zv_error *err)
{
    struct extra_models *const extras = opening->extras;
    *opened = false;
    if (path.length == 0) {
        return ZV_OK;
    }
    const char *const name = zv_arena_copy(opening->arena, path.at, path.length);
    if (name == NULL) {
        return zv_fail_memory(err, "a path");
    }
    if (!arguments_has(opening->args, option) && access(name, F_OK) != 0) {
        output_note("%s of the command line is not here: not counted (give --%s)", name, option);
        return ZV_OK;
    }
    const enum zv_status status =
        zv_model_open(model, &extras->files[extras->file_count], name, opening->arena, err);
    if (status == ZV_OK) {
        extras->file_count++;
        *opened = true;
    }
    return status;
}

enum zv_status extra_models_open(struct extra_models *extras, const struct zv_job *job,
                                 const struct arguments *args, struct zv_arena *arena,
                                 struct zv_error *err)
{
    const struct opening opening = {extras, args, arena};
    *extras = (struct extra_models){0};
    enum zv_status status =
        open_one(&opening, job->serve.draft_path, "draft", &extras->draft, &extras->has_draft, err);
    if (status == ZV_OK) {
        status = open_one(&opening, job->serve.mmproj_path, "mmproj", &extras->projector,
                          &extras->has_projector, err);
    }
    for (size_t i = 0; status == ZV_OK && i < job->lora_count; i++) {
        bool opened;
        status = open_one(&opening, job->lora_paths[i], "lora",
                          &extras->adapters[extras->adapter_count], &opened, err);
        extras->adapter_count += opened;
    }
    return status;
}

void extra_models_set(const struct extra_models *extras, struct zv_estimate_input *input)
{
    input->draft = extras->has_draft ? &extras->draft : NULL;
    input->projector = extras->has_projector ? &extras->projector : NULL;
    input->adapters = extras->adapter_count != 0 ? extras->adapters : NULL;
    input->adapter_count = extras->adapter_count;
}

void extra_models_close(struct extra_models *extras)
{
    for (size_t i = 0; i < extras->file_count; i++) {
        zv_model_close(extras->files[i]);
    }
    extras->file_count = 0;
}
