/* Weights: the tensors themselves, part by part, on the rank that holds them. */
#include <stdio.h>

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/extras.h"

struct part_sum {
    uint64_t bytes;
    uint64_t elements;
    uint64_t metadata;
    uint64_t tensors;
};

static const char *part_id(enum zv_part part)
{
    static const char *const ids[ZV_PART_COUNT] = {
        [ZV_PART_OTHER] = "weights.other",       [ZV_PART_EMBEDDING] = "weights.embedding",
        [ZV_PART_POSITION] = "weights.position", [ZV_PART_HEAD] = "weights.head",
        [ZV_PART_NORM] = "weights.norm",         [ZV_PART_ATTENTION] = "weights.attention",
        [ZV_PART_MLP] = "weights.mlp",           [ZV_PART_ROUTER] = "weights.router",
        [ZV_PART_EXPERT] = "weights.experts",    [ZV_PART_SHARED_EXPERT] = "weights.shared_experts",
        [ZV_PART_STATE] = "weights.state",       [ZV_PART_ENCODER] = "weights.encoder",
        [ZV_PART_VISION] = "weights.vision",     [ZV_PART_PROJECTOR] = "weights.projector",
        [ZV_PART_ADAPTER] = "weights.adapter",   [ZV_PART_DRAFT] = "weights.draft",
        [ZV_PART_DENOISER] = "weights.denoiser", [ZV_PART_VAE] = "weights.vae",
    };
    return ids[part];
}

static void add_part(struct build *build, int scope, enum zv_part part, const struct part_sum *sum)
{
    char metadata[96] = "";
    if (sum->metadata != 0) {
        (void)snprintf(metadata, sizeof metadata, ", %llu B of it scales and indices",
                       (unsigned long long)sum->metadata);
    }
    const char *const share =
        build->plan.tp > 1 || build->plan.ep > 1 || build->plan.weight_ways > 1 ? "share of " : "";
    build_add(build, (struct build_item){scope, part_id(part), zv_part_name(part), "weights", NULL},
              sum->bytes, ZV_CALCULATED, "%s%llu tensor%s, %llu values%s", share,
              (unsigned long long)sum->tensors, build_s(sum->tensors),
              (unsigned long long)sum->elements, metadata);
}

static void add_scope(struct build *build, const struct part_sum *sums, int scope)
{
    for (int part = 0; part < ZV_PART_COUNT; part++) {
        if (sums[part].bytes != 0) {
            add_part(build, scope, (enum zv_part)part, &sums[part]);
        }
    }
}

static void add_tensor(struct build *build, struct part_sum *sums, const struct zv_tensor *tensor)
{
    const struct zv_model *const model = build->in->model;
    struct part_sum *const sum = &sums[tensor->part];
    const uint64_t copies = zv_tensor_copies(tensor);
    const uint64_t bytes = build_mul(build, plan_stored_bytes(&build->plan, model, tensor), copies);
    sum->bytes = build_sum(build, sum->bytes, bytes);
    sum->elements = build_sum(build, sum->elements, build_mul(build, tensor->elements, copies));
    sum->metadata = build_sum(build, sum->metadata, tensor->metadata ? bytes : 0);
    sum->tensors += copies;
}

/*
 * A tied head is the embedding seen from the last stage: it is stored again where the first stage
 * is another device, and on the card when llama.cpp keeps the embedding itself on the host.
 */
static void add_tied_head(struct build *build, struct part_sum *sums)
{
    const struct zv_model *const model = build->in->model;
    const struct plan *const plan = &build->plan;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        if (tensor->part != ZV_PART_EMBEDDING) {
            continue;
        }
        const int from = plan_stage_of(plan, model, tensor);
        if (from != plan->head_stage && plan->head_stage >= 0) {
            struct zv_tensor head = *tensor;
            head.part = ZV_PART_HEAD;
            head.elements = 0;
            add_tensor(build, sums + (size_t)(plan->head_stage + 1) * ZV_PART_COUNT, &head);
        }
    }
}

static bool has_head(const struct zv_model *model)
{
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].part == ZV_PART_HEAD) {
            return true;
        }
    }
    return false;
}

/*
 * --cpu-offload-gb: each rank takes layer weights in order until their sum reaches the limit; the
 * one that passes it goes too. They stay pinned on the host.
 */
struct offload {
    uint64_t left; /* bytes that the rank may still move */
    uint64_t moved;
};

static bool takes_offload(struct offload *offload, struct build *build,
                          const struct zv_tensor *tensor)
{
    if (offload->left == 0 || tensor->layer < 0) {
        return false;
    }
    const uint64_t bytes = plan_stored_bytes(&build->plan, build->in->model, tensor);
    offload->left -= bytes < offload->left ? bytes : offload->left;
    offload->moved = build_sum(build, offload->moved, bytes);
    return true;
}

static void add_offloaded(struct build *build, const struct offload *offloads)
{
    const uint64_t ranks = (uint64_t)build->plan.ranks;
    uint64_t bytes = 0;
    for (size_t i = 0; i < build->plan.stages; i++) {
        bytes = build_sum(build, bytes, build_mul(build, offloads[i].moved, ranks));
    }
    if (bytes != 0) {
        build_add(build,
                  (struct build_item){ZV_SCOPE_HOST, "weights.offloaded",
                                      "weights kept on the host (pinned)", "weights", NULL},
                  bytes, ZV_ASSUMED,
                  "layers in order until %llu B a card are reached, %zu cards; which tensor comes "
                  "last is the runtime's order",
                  (unsigned long long)build->in->job->serve.cpu_offload_bytes,
                  (size_t)ranks * build->plan.stages);
    }
}

static void place_tensor(struct build *build, struct part_sum *sums, struct offload *offloads,
                         const struct zv_tensor *tensor)
{
    const int stage = plan_stage_of(&build->plan, build->in->model, tensor);
    if (!tensor->rebuilt && !extras_skip_tensor(build, tensor) &&
        (stage < 0 || !takes_offload(&offloads[stage], build, tensor))) {
        add_tensor(build, sums + (size_t)(stage + 1) * ZV_PART_COUNT, tensor);
    }
}

/* Whether names, or the order, decide where the tensors from first to end go. */
static bool places_each(const struct build *build, const struct offload *offloads, size_t first,
                        size_t end)
{
    const struct zv_model *const model = build->in->model;
    bool each = build->plan.override_count != 0;
    for (size_t i = first; !each && i < end; i++) {
        const int stage = plan_stage_of(&build->plan, model, &model->tensors[i]);
        each = stage >= 0 && offloads[stage].left != 0;
    }
    return each && model->tensors[first].more != 0;
}

static void place_run(struct build *build, struct part_sum *sums, struct offload *offloads,
                      size_t first, size_t end)
{
    const struct zv_tensor *const tensors = build->in->model->tensors;
    const bool each = places_each(build, offloads, first, end);
    for (uint32_t copy = 0; copy <= (each ? tensors[first].more : 0); copy++) {
        for (size_t i = first; i < end; i++) {
            char name[ZV_TENSOR_NAME];
            const struct zv_tensor one =
                each ? zv_tensor_copy(&tensors[i], copy, name) : tensors[i];
            place_tensor(build, sums, offloads, &one);
        }
    }
}

static void sum_tensors(struct build *build, struct part_sum *sums)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_job *const job = build->in->job;
    struct offload offloads[PLAN_MAX_STAGES] = {{0}};
    const bool offloading = job->task == ZV_TASK_SERVE &&
                            (job->runtime == ZV_RUNTIME_VLLM || job->runtime == ZV_RUNTIME_SGLANG);
    for (size_t i = 0; offloading && i < build->plan.stages; i++) {
        offloads[i].left = job->serve.cpu_offload_bytes;
    }
    for (size_t i = 0; i < model->tensor_count;) {
        const size_t end = zv_tensor_run(model, i);
        place_run(build, sums, offloads, i, end);
        i = end;
    }
    add_offloaded(build, offloads);
}

void build_weights(struct build *build)
{
    const struct zv_model *const model = build->in->model;
    const struct plan *const plan = &build->plan;
    if (build->status != ZV_OK) {
        return;
    }
    if (model->tensor_count == 0) {
        for (size_t i = 0; i < plan->stages; i++) {
            build_unknown(
                build, (struct build_item){plan->scopes[i], "weights", "weights", "weights", NULL},
                "no tensors: the family has no table and no checkpoint was given");
        }
        return;
    }
    /* row 0 is the host, row 1 + s stage s */
    struct part_sum *const sums =
        zv_arena_array(build->arena, (plan->stages + 1) * ZV_PART_COUNT, sizeof *sums);
    if (sums == NULL) {
        build_fail(build, zv_fail_memory(build->err, "weights"));
        return;
    }
    sum_tensors(build, sums);
    if (model->tied && !has_head(model)) {
        add_tied_head(build, sums);
    }
    for (size_t i = 0; i < plan->stages; i++) {
        add_scope(build, sums + (i + 1) * ZV_PART_COUNT, plan->scopes[i]);
    }
    add_scope(build, sums, ZV_SCOPE_HOST);
}
