#include "estimate/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/pattern.h"
#include "estimate/build.h"
#include "runtime/versions.h"

static uint32_t at_least_one(uint32_t value)
{
    return value == 0 ? 1 : value;
}

/*
 * Pipeline stages as vLLM cuts them: equal shares; what is left over goes to the stages before the
 * last, from the back, because the last also holds the head.
 */
static void cut_stages(struct plan *plan, size_t layers, uint32_t pp)
{
    const size_t share = layers / pp;
    const size_t rest = layers % pp;
    size_t layer = 0;
    for (uint32_t stage = 0; stage < pp; stage++) {
        const bool gets_more = stage + 1 < pp && pp - 1 - stage <= rest;
        const size_t count = share + (gets_more ? 1 : 0);
        for (size_t i = 0; i < count && layer < layers; i++) {
            plan->layer_stage[layer++] = (int)stage;
        }
    }
    plan->head_stage = (int)pp - 1;
}

/* Of a card in the split; equal ones when none are given, nothing for cards beyond the list. */
static uint64_t proportion(const struct zv_job *job, uint32_t card)
{
    if (job->serve.tensor_split_count == 0) {
        return 1;
    }
    return card < job->serve.tensor_split_count ? job->serve.tensor_split[card] : 0;
}

/*
 * llama.cpp: the last n_gpu_layers of layers + output go to cards, in proportion to the split;
 * a layer goes to the first card whose cumulative share lies beyond its position.
 */
static int split_device(struct build *build, uint32_t devices, uint64_t position, uint64_t of)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < devices; i++) {
        total = build_sum(build, total, proportion(build->in->job, i));
    }
    uint64_t reached = 0;
    for (uint32_t i = 0; i < devices && build->status == ZV_OK; i++) {
        reached += proportion(build->in->job, i); /* at most total */
        if (zv_product_below(position, total, reached, of)) {
            return (int)i;
        }
    }
    return (int)devices - 1;
}

static void place_llamacpp(struct build *build, uint32_t devices)
{
    struct plan *const plan = &build->plan;
    const struct zv_job *const job = build->in->job;
    const size_t layers = build->in->model->layer_count;
    size_t offloaded = layers + 1;
    if (job->serve.gpu_layers_given && job->serve.gpu_layers < offloaded) {
        offloaded = job->serve.gpu_layers;
    }
    const size_t start = layers + 1 - offloaded;
    const bool one = zv_slice_equal(job->serve.split_mode, "none");
    for (size_t i = 0; i <= layers; i++) {
        int stage = PLAN_HOST;
        if (i >= start) {
            stage = one ? (int)job->serve.main_device
                        : split_device(build, devices, i - start, offloaded);
        }
        if (i < layers) {
            plan->layer_stage[i] = stage;
        } else {
            plan->head_stage = stage;
        }
    }
    plan->embedding_on_host = true;
    plan->first_stage = PLAN_HOST;
}

static void add_override(struct build *build, const char *pattern, struct zv_slice buffer)
{
    struct plan *const plan = &build->plan;
    const size_t at = plan->override_count;
    if (at == sizeof plan->patterns / sizeof plan->patterns[0]) {
        build_fail(build, zv_fail(build->err, ZV_E_LIMIT, "more than %zu tensor overrides", at));
        return;
    }
    struct zv_error cause = {0};
    const enum zv_status status = zv_pattern_compile(&plan->patterns[at], pattern, &cause);
    if (status != ZV_OK) {
        build_fail(build, zv_fail(build->err, status, "tensor override %s", cause.text));
        return;
    }
    uint64_t device = 0;
    struct zv_slice digits = buffer;
    while (digits.length != 0 && (digits.at[0] < '0' || digits.at[0] > '9')) {
        digits.at++;
        digits.length--;
    }
    const bool host = zv_slice_starts(buffer, "CPU") || zv_slice_ends(buffer, "_Host");
    if (!host && digits.length != 0 && (!zv_slice_u64(digits, &device) || device >= plan->stages)) {
        regfree(&plan->patterns[at]);
        build_fail(build,
                   zv_fail(build->err, ZV_E_USAGE, "tensor override to %.*s: there are %zu cards",
                           (int)buffer.length, buffer.at, plan->stages));
        return;
    }
    plan->override_stage[at] = host ? PLAN_HOST : (int)device;
    plan->override_count++;
}

static void add_overrides(struct build *build)
{
    const struct zv_serve *const serve = &build->in->job->serve;
    for (size_t i = 0; i < serve->override_count && build->status == ZV_OK; i++) {
        char pattern[512];
        const struct zv_slice text = serve->overrides[i].pattern;
        if (text.length >= sizeof pattern) {
            build_fail(build,
                       zv_fail(build->err, ZV_E_LIMIT, "a tensor override of more than %zu bytes",
                               sizeof pattern - 1));
            return;
        }
        (void)snprintf(pattern, sizeof pattern, "%.*s", (int)text.length, text.at);
        add_override(build, pattern, serve->overrides[i].buffer);
    }
}

static void add_groups(struct build *build)
{
    struct plan *const plan = &build->plan;
    const uint32_t count = plan->ranks;
    for (size_t i = 0; i < plan->stages && build->status == ZV_OK; i++) {
        const char *const role =
            plan->stages == 1
                ? ""
                : zv_arena_print(build->arena, "stage %zu of %zu", i + 1, plan->stages);
        const struct zv_device_group group = {(uint32_t)i * count, count, role};
        build_fail(build, role == NULL ? zv_fail_memory(build->err, "a plan")
                                       : zv_ledger_add_group(&build->out->ledger, group,
                                                             &plan->scopes[i], build->err));
    }
}

/* vLLM refuses ranks that do not divide the query heads (vllm-project/vllm#2652, PR 52535). */
static enum zv_status check_heads(const struct build *build)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_job *const job = build->in->job;
    if (job->runtime != ZV_RUNTIME_VLLM || job->task != ZV_TASK_SERVE) {
        return ZV_OK;
    }
    for (size_t i = 0; i < model->layer_count; i++) {
        if (model->layers[i].heads % build->plan.tp != 0) {
            return zv_fail(build->err, ZV_E_USAGE,
                           "vllm refuses tensor parallelism over %u: it must divide the model's "
                           "%u query heads",
                           build->plan.tp, model->layers[i].heads);
        }
    }
    return ZV_OK;
}

/* SGLang's data-parallel attention cuts tp ranks into dp groups; elsewhere dp adds ranks. */
static void set_replicas(struct plan *plan, const struct zv_job *job)
{
    const bool within = job->task == ZV_TASK_SERVE && job->runtime == ZV_RUNTIME_SGLANG &&
                        job->serve.dp_attention == ZV_YES && plan->dp <= plan->tp;
    plan->replicas = job->task == ZV_TASK_SERVE ? plan->dp : 1;
    plan->attention_tp = within ? plan->tp / plan->dp : plan->tp;
    plan->ranks = within ? plan->tp : plan->tp * plan->dp;
}

void build_plan(struct build *build)
{
    struct plan *const plan = &build->plan;
    const struct zv_job *const job = build->in->job;
    const size_t layers = build->in->model->layer_count;
    const bool llamacpp = zv_runtime_is_llamacpp(job->runtime) && job->task == ZV_TASK_SERVE;
    const uint32_t pp = at_least_one(job->pp);
    uint32_t devices = at_least_one(job->devices);
    if (job->serve.tensor_split_count > devices) {
        devices = (uint32_t)job->serve.tensor_split_count;
    }
    plan->tp = llamacpp ? 1 : at_least_one(job->tp);
    plan->dp = llamacpp ? 1 : at_least_one(job->dp);
    plan->ep = at_least_one(job->ep);
    set_replicas(plan, job);
    plan->cpu_moe_layers = llamacpp ? job->serve.cpu_moe_layers : 0;
    const bool sharded = job->train.shard == ZV_SHARD_ZERO3 || job->train.shard == ZV_SHARD_FSDP;
    plan->weight_ways = job->task == ZV_TASK_TRAIN && sharded ? plan->dp : 1;
    plan->stages = llamacpp ? devices : pp;
    plan->vocabulary_padded = job->runtime == ZV_RUNTIME_VLLM || job->runtime == ZV_RUNTIME_SGLANG;
    if (check_heads(build) != ZV_OK) {
        build_fail(build, ZV_E_USAGE);
        return;
    }
    if (plan->stages > PLAN_MAX_STAGES || (uint64_t)plan->tp * plan->dp > 65536) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE, "at most %d stages and 65536 ranks each",
                                  PLAN_MAX_STAGES));
        return;
    }
    if (!llamacpp && pp > 1 && layers < pp) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE, "%u pipeline stages for %zu layers", pp,
                                  layers));
        return;
    }
    if (llamacpp && job->serve.main_device >= devices) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE, "main device %u of %u cards",
                                  job->serve.main_device, devices));
        return;
    }
    plan->layer_stage = zv_arena_array(build->arena, layers + 1, sizeof *plan->layer_stage);
    if (plan->layer_stage == NULL) {
        build_fail(build, zv_fail_memory(build->err, "a plan"));
        return;
    }
    if (llamacpp) {
        place_llamacpp(build, devices);
    } else {
        cut_stages(plan, layers, pp);
    }
    add_groups(build);
    add_overrides(build);
}

int plan_stage_of(const struct plan *plan, const struct zv_model *model,
                  const struct zv_tensor *tensor)
{
    /* --n-cpu-moe: the routed experts of the first layers stay on the host */
    if (tensor->part == ZV_PART_EXPERT && tensor->layer >= 0 &&
        (uint32_t)tensor->layer < plan->cpu_moe_layers) {
        return PLAN_HOST;
    }
    for (size_t i = 0; i < plan->override_count; i++) {
        char name[256];
        (void)snprintf(name, sizeof name, "%.*s",
                       (int)(tensor->name.length < 255 ? tensor->name.length : 255),
                       tensor->name.at);
        if (regexec(&plan->patterns[i], name, 0, NULL, 0) == 0) {
            return plan->override_stage[i];
        }
    }
    if (tensor->layer >= 0 && (size_t)tensor->layer < model->layer_count &&
        tensor->part != ZV_PART_ENCODER && tensor->part != ZV_PART_VISION) {
        return plan->layer_stage[tensor->layer];
    }
    if (tensor->part == ZV_PART_HEAD || tensor->part == ZV_PART_NORM) {
        return plan->head_stage;
    }
    if (tensor->part == ZV_PART_EMBEDDING || tensor->part == ZV_PART_POSITION) {
        return plan->embedding_on_host ? PLAN_HOST : plan->first_stage;
    }
    return plan->embedding_on_host && plan->head_stage >= 0 ? plan->head_stage : plan->first_stage;
}

uint64_t plan_rank_bytes(const struct plan *plan, const struct zv_model *model,
                         const struct zv_tensor *tensor)
{
    if (tensor->part == ZV_PART_EXPERT && plan->ep > 1) {
        return zv_ceil_div(tensor->bytes, plan->ep);
    }
    const bool attention = tensor->part == ZV_PART_ATTENTION || tensor->part == ZV_PART_STATE;
    const uint32_t tp = attention ? plan->attention_tp : plan->tp;
    if (tp == 1 || tensor->split == ZV_SPLIT_NONE) {
        return tensor->bytes;
    }
    if (tensor->split == ZV_SPLIT_KV_HEADS && tensor->layer >= 0 &&
        (size_t)tensor->layer < model->layer_count) {
        const uint32_t heads = model->layers[tensor->layer].kv_heads;
        const uint32_t ways = heads != 0 && heads < tp ? heads : tp;
        return zv_ceil_div(tensor->bytes, ways);
    }
    const bool vocabulary = tensor->part == ZV_PART_EMBEDDING || tensor->part == ZV_PART_HEAD;
    if (vocabulary && plan->vocabulary_padded && tensor->dims >= 1 && tensor->shape[0] != 0) {
        uint64_t rows = tensor->shape[0];
        uint64_t bytes = 0;
        if (zv_round_up(rows, 64, &rows) &&
            zv_mul_div(tensor->bytes, zv_ceil_div(rows, plan->tp), tensor->shape[0], &bytes)) {
            return bytes;
        }
    }
    return zv_ceil_div(tensor->bytes, tp);
}

uint64_t plan_stored_bytes(const struct plan *plan, const struct zv_model *model,
                           const struct zv_tensor *tensor)
{
    return zv_ceil_div(plan_rank_bytes(plan, model, tensor), plan->weight_ways);
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->override_count; i++) {
        regfree(&plan->patterns[i]);
    }
    plan->override_count = 0;
}
