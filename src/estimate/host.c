/*
 * Host memory: pinned buffers, swap space, what loading takes for a while. Weights and caches that
 * a job keeps on the host are placed by the plan; pages of mapped files are listed, in no total.
 */
#include "base/checked.h"
#include "base/fail.h"
#include "estimate/build.h"
#include "estimate/sizes.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

static uint64_t cards(const struct build *build)
{
    return (uint64_t)build->plan.stages * build->plan.ranks;
}

/* vLLM's first engine: pinned blocks for sequences that are swapped out, allocated at start. */
static void swap_space(struct build *build)
{
    const struct zv_runtime_rules *const rules = build->in->rules;
    const uint64_t given = build->in->job->serve.swap_bytes;
    const bool swaps = rules->engine.known && rules->engine.value == 0;
    const uint64_t bytes =
        given != 0 || !rules->swap_default_bytes.known ? given : rules->swap_default_bytes.value;
    if (given != 0 && !swaps) {
        build_assume(build, "swap space is not allocated: this engine does not swap (%s)",
                     rules->engine.source);
    }
    if (!swaps || bytes == 0) {
        return;
    }
    build_add(build,
              (struct build_item){ZV_SCOPE_HOST, "swap_space", "swap space for KV blocks (pinned)",
                                  "runtime", NULL},
              build_mul(build, bytes, cards(build)), given != 0 ? ZV_CALCULATED : ZV_ASSUMED,
              "%llu B a card x %llu cards%s", (ull)bytes, (ull)cards(build),
              given != 0 ? "" : ", the runtime's default");
}

/* Inputs of a graph that llama.cpp fills on the host: the token embeddings' rows and the mask. */
static void llamacpp_host_buffer(struct build *build)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const struct zv_model *const model = build->in->model;
    const struct build_item item = {ZV_SCOPE_HOST, "host_compute_buffer",
                                    "host compute buffer (pinned)", "activations", NULL};
    uint64_t ubatch = job->serve.ubatch_tokens;
    if (ubatch == 0) {
        ubatch = rules->ubatch_default.known ? rules->ubatch_default.value : 512;
    }
    const uint64_t tokens = build_mul(build, build->out->context_tokens, build->out->sequences);
    const uint64_t multiple = zv_rules_context_multiple(rules, serve_flash(build));
    uint64_t cells = tokens;
    if (multiple != 0 && !zv_round_up(tokens, multiple, &cells)) {
        cells = tokens;
    }
    if (model->hidden == 0 || cells == 0) {
        build_unknown(build, item, "the file does not name the hidden width, or no context is set");
        return;
    }
    const uint64_t values = build_mul(build, build_sum(build, cells, model->hidden), ubatch);
    build_add(build, item, build_mul(build, values, 4), ZV_ASSUMED,
              "floor: (%llu cells + %llu hidden) x %llu tokens x 4 B, mask and embedding rows; "
              "layers on the host add to it",
              (ull)cells, (ull)model->hidden, (ull)ubatch);
}

static uint64_t largest_tensor(const struct zv_model *model)
{
    uint64_t most = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        most = model->tensors[i].bytes > most ? model->tensors[i].bytes : most;
    }
    return most;
}

static void staging(struct build *build, enum zv_known known, const char *basis)
{
    build_add(build,
              (struct build_item){ZV_SCOPE_HOST, "load.staging", "loading: one tensor in transit",
                                  "loading", "load"},
              largest_tensor(build->in->model), known, "%s", basis);
}

static void file_pages(struct build *build, const char *basis)
{
    const struct zv_model *const model = build->in->model;
    const uint64_t bytes = model->file_bytes != 0 ? model->file_bytes : model->tensor_bytes;
    build_add_pages(build,
                    (struct build_item){ZV_SCOPE_HOST, "load.file_pages",
                                        "loading: file pages (reclaimable)", "loading", "load"},
                    bytes, basis);
}

static void loading(struct build *build)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_model *const model = build->in->model;
    if (model->tensor_count == 0) {
        return;
    }
    if (zv_runtime_is_llamacpp(build->in->job->runtime) && job->serve.mmap == ZV_NO) {
        staging(build, ZV_ASSUMED,
                "without mmap each tensor is read into host memory and copied to its card");
        return;
    }
    if (zv_runtime_is_llamacpp(build->in->job->runtime)) {
        file_pages(build, "the file is mapped: pages of tensors that went to a card are not needed "
                          "again, those of the host's weights are counted there");
        return;
    }
    file_pages(build, "safetensors shards are mapped and copied tensor by tensor");
    if (job->runtime == ZV_RUNTIME_TRANSFORMERS) {
        staging(build, ZV_ASSUMED,
                "the largest tensor, converted on the host; without low_cpu_mem_usage (before 5.0) "
                "the whole model is there, in its default type");
    }
    if (model->source == ZV_SOURCE_CONFIG) {
        build_invalid(build, "the checkpoint is a pickle (.bin, .pt): loading then holds a whole "
                             "shard in host memory");
    }
}

void build_host(struct build *build)
{
    const struct zv_job *const job = build->in->job;
    if (build->status != ZV_OK || build->in->rules == NULL) {
        return;
    }
    if (job->task == ZV_TASK_SERVE && job->runtime == ZV_RUNTIME_VLLM) {
        swap_space(build);
    }
    if (job->task == ZV_TASK_SERVE && zv_runtime_is_llamacpp(build->in->job->runtime)) {
        llamacpp_host_buffer(build);
    }
    loading(build);
    if (!zv_runtime_is_llamacpp(build->in->job->runtime)) {
        build_unknown(build,
                      (struct build_item){ZV_SCOPE_HOST, "runtime.host", "process and libraries",
                                          "runtime", NULL},
                      "no published figure");
    }
}
