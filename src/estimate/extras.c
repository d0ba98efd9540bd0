/* Draft models, draft layers, projector files and towers. */
#include "estimate/extras.h"

#include <string.h>

#include "base/fail.h"
#include "model/tensor_parts.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

uint64_t extras_model_bytes(struct build *build, const struct zv_model *model)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (!model->tensors[i].rebuilt) {
            const struct zv_tensor *const tensor = &model->tensors[i];
            bytes =
                build_sum(build, bytes, build_mul(build, tensor->bytes, zv_tensor_copies(tensor)));
        }
    }
    return bytes;
}

/* Whether the runtime keeps the model's own draft layers in this job; yes where nobody looked. */
static bool keeps_draft_layers(const struct build *build)
{
    const struct zv_runtime_rules *const rules = build->in->rules;
    const bool used = build->in->job->serve.draft_layers == ZV_YES;
    if (rules == NULL) {
        return used;
    }
    if (!rules->draft_layers.known) {
        return true;
    }
    return rules->draft_layers.value == 1 || (rules->draft_layers.value == 2 && used);
}

bool extras_skip_tensor(const struct build *build, const struct zv_tensor *tensor)
{
    const struct zv_job *const job = build->in->job;
    if (job->task != ZV_TASK_SERVE) {
        return false;
    }
    if (tensor->part == ZV_PART_DRAFT) {
        return !keeps_draft_layers(build);
    }
    const bool tower = tensor->part == ZV_PART_VISION || tensor->part == ZV_PART_PROJECTOR;
    return tower && job->serve.language_only == ZV_YES;
}

/* ---- a second model, by the same rules ---- */

struct nested {
    const struct zv_model *model;
    const char *prefix; /* of the names, "draft: " */
    bool with_weights;
    bool with_buffers; /* llama.cpp: a context of its own has compute and output buffers */
};

/* The job as the second model sees it: the same load, its own placement, nothing beside it. */
static struct zv_job nested_job(const struct build *build)
{
    struct zv_job job = *build->in->job;
    const struct zv_estimate *const out = build->out;
    job.pp = 1;
    job.item_count = 0;
    job.lora_count = 0;
    job.serve.draft_layers = ZV_NO;
    job.serve.sequences = out->sequences;
    job.serve.context_tokens =
        job.serve.context_is_total ? out->context_tokens * out->sequences : out->context_tokens;
    job.serve.cpu_offload_bytes = 0;
    job.serve.cpu_moe_layers = 0;
    job.serve.override_count = 0;
    job.serve.gpu_layers_given = false;
    if (zv_runtime_is_llamacpp(build->in->job->runtime)) {
        job.serve.kv_dtype_k = job.serve.kv_dtype_v = zv_slice_of("f16");
    }
    return job;
}

static void copy_item(struct build *build, const struct nested *nested, const struct zv_item *item,
                      int scope)
{
    const char *const id = zv_arena_print(build->arena, "draft.%s", item->id);
    const char *const name = zv_arena_print(build->arena, "%s%s", nested->prefix, item->name);
    if (id == NULL || name == NULL) {
        build_fail(build, zv_fail_memory(build->err, "a draft model"));
        return;
    }
    const struct build_item copy = {scope, id, name, item->group, item->phase};
    if (item->quantity.known == ZV_UNKNOWN) {
        build_unknown(build, copy, item->quantity.basis);
    } else {
        build_add(build, copy, item->quantity.bytes, item->quantity.known, "%s",
                  item->quantity.basis);
    }
}

static bool is_wanted(const struct nested *nested, const struct zv_item *item)
{
    if (strcmp(item->group, "cache") == 0) {
        return true;
    }
    const bool buffer =
        strcmp(item->id, "compute_buffer") == 0 || strcmp(item->id, "output_buffer") == 0;
    return nested->with_buffers && buffer;
}

/* All weights of a scope as one item; the rest item by item. */
static void take_scope(struct build *build, const struct nested *nested,
                       const struct zv_ledger *ledger, int from, int to)
{
    uint64_t weights = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (item->scope == from && strcmp(item->group, "weights") == 0 &&
            item->quantity.known != ZV_UNKNOWN) {
            weights = build_sum(build, weights, item->quantity.bytes);
        }
    }
    if (nested->with_weights && weights != 0) {
        build_add(build,
                  (struct build_item){to, "draft.weights", "draft model weights", "weights", NULL},
                  weights, ZV_CALCULATED, "%llu values of %.*s", (ull)nested->model->parameters,
                  (int)(nested->model->name.length < 60 ? nested->model->name.length : 60),
                  nested->model->name.at != NULL ? nested->model->name.at : "");
    }
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->items[i].scope == from && is_wanted(nested, &ledger->items[i])) {
            copy_item(build, nested, &ledger->items[i], to);
        }
    }
}

static void add_nested(struct build *build, const struct nested *nested)
{
    const struct zv_job job = nested_job(build);
    const struct zv_estimate_input input = {
        .model = nested->model, .job = &job, .rules = build->in->rules};
    struct zv_estimate *const estimate = zv_arena_alloc(build->arena, sizeof *estimate);
    if (estimate == NULL) {
        build_fail(build, zv_fail_memory(build->err, "a draft model"));
        return;
    }
    build_fail(build, zv_estimate_run(estimate, &input, build->arena, build->err));
    if (build->status != ZV_OK) {
        return;
    }
    for (size_t i = 0; i < estimate->ledger.group_count; i++) {
        /* with pipeline stages the draft runs beside the head */
        const size_t stage =
            zv_runtime_is_llamacpp(build->in->job->runtime) ? i : build->plan.stages - 1;
        take_scope(build, nested, &estimate->ledger, (int)i, build->plan.scopes[stage]);
    }
    take_scope(build, nested, &estimate->ledger, ZV_SCOPE_HOST, ZV_SCOPE_HOST);
}

/* How many draft layers the tensors speak of. */
static size_t draft_layer_count(const struct zv_model *model)
{
    int64_t seen[16];
    size_t count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].part != ZV_PART_DRAFT) {
            continue;
        }
        const int64_t layer = tensor_layer_of(model->tensors[i].name);
        size_t at = 0;
        while (at < count && seen[at] != layer) {
            at++;
        }
        if (at == count && layer >= 0 && count < sizeof seen / sizeof seen[0]) {
            seen[count++] = layer;
        }
    }
    return count;
}

/* The model's own draft layers keep a cache as the last attention layer of the model does. */
static void own_layers(struct build *build)
{
    const struct zv_model *const model = build->in->model;
    const size_t count = draft_layer_count(model);
    size_t last = model->layer_count;
    while (last > 0 && model->layers[last - 1].attention == ZV_ATTENTION_NONE) {
        last--;
    }
    if (count == 0 || last == 0) {
        build_assume(build, count == 0 ? "no multi-token-prediction layers in these files"
                                       : "the draft layers' cache is not counted");
        return;
    }
    struct zv_layer *const layers = zv_arena_array(build->arena, count, sizeof *layers);
    struct zv_model draft = *model;
    if (layers == NULL) {
        build_fail(build, zv_fail_memory(build->err, "draft layers"));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        layers[i] = model->layers[last - 1];
    }
    draft.layers = layers;
    draft.layer_count = count;
    draft.tensor_count = 0;
    draft.encoder_layer_count = 0;
    add_nested(build,
               &(struct nested){.model = &draft,
                                .prefix = "draft layers: ",
                                .with_buffers = zv_runtime_is_llamacpp(build->in->job->runtime)});
}

static void note_own_layers(struct build *build)
{
    const struct zv_runtime_rules *const rules = build->in->rules;
    if (draft_layer_count(build->in->model) == 0) {
        return;
    }
    if (!keeps_draft_layers(build)) {
        build_assume(build, "the model's multi-token-prediction layers are not loaded: the runtime "
                            "does so only to draft with them (--mtp)");
    } else if (rules != NULL && !rules->draft_layers.known) {
        build_assume(build, "the model's multi-token-prediction layers are loaded: not looked up "
                            "for this runtime");
    }
}

static void add_draft(struct build *build)
{
    const struct zv_model *const draft = build->in->draft;
    if (build->status == ZV_OK) {
        note_own_layers(build);
    }
    if (build->status == ZV_OK && draft != NULL) {
        add_nested(build, &(struct nested){.model = draft,
                                           .prefix = "draft: ",
                                           .with_weights = true,
                                           .with_buffers =
                                               zv_runtime_is_llamacpp(build->in->job->runtime)});
        if (!zv_runtime_is_llamacpp(build->in->job->runtime)) {
            build_assume(build, "the draft runs between the model's steps: its activations lie "
                                "within the model's");
        }
        build_assume(build, "the draft model lies whole on the cards, with the model's context");
    }
    if (build->status == ZV_OK && build->in->job->serve.draft_layers == ZV_YES) {
        own_layers(build);
    }
}

/* ---- projector files ---- */

static void add_projector(struct build *build)
{
    const struct zv_model *const projector = build->in->projector;
    if (build->status != ZV_OK || projector == NULL) {
        return;
    }
    const bool host = build->in->job->serve.mmproj_offload == ZV_NO;
    const int scope = host ? ZV_SCOPE_HOST : build->plan.scopes[0];
    build_add(
        build,
        (struct build_item){scope, "projector.weights", "vision projector file", "weights", NULL},
        extras_model_bytes(build, projector), ZV_CALCULATED, "%llu tensors",
        (ull)zv_model_tensors(projector));
    build_unknown(build,
                  (struct build_item){scope, "projector.compute_buffer", "vision compute buffer",
                                      "activations", NULL},
                  "depends on the image sizes that arrive; there is no closed form");
}

void serve_extras(struct build *build, const struct serve_sizes *sizes)
{
    add_draft(build);
    add_projector(build);
    extras_adapters(build, sizes);
    extras_encoder(build, sizes);
}
