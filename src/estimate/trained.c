#include "estimate/trained.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

/* Whether a name among the targets could mean one expert and not another: "experts.3.w1", "3". */
static bool names_one(struct zv_slice targets)
{
    while (targets.length != 0) {
        const struct zv_slice target = zv_slice_trim(zv_slice_cut(&targets, ','));
        uint64_t number;
        if (zv_slice_contains(target, ".") || zv_slice_u64(target, &number)) {
            return true;
        }
    }
    return false;
}

/* What peft adapts by itself, of the families that it knows (peft 0.18, utils/constants.py; of Phi
 * also fc1 and fc2). */
#define USUAL_TARGETS "q_proj,v_proj,query_key_value,c_attn,qkv_proj,Wqkv,query,value,q,v"

/* Whether a weight can have adapters. */
static bool is_adaptable(const struct zv_tensor *tensor)
{
    return tensor->linear && !tensor->metadata && tensor->dims >= 2 &&
           tensor->part != ZV_PART_HEAD && tensor->part != ZV_PART_VISION &&
           tensor->part != ZV_PART_ROUTER;
}

static bool is_target(const struct zv_train *train, const struct zv_tensor *tensor)
{
    struct zv_slice targets = train->lora_targets;
    if (!is_adaptable(tensor) || zv_slice_equal(targets, "all-linear")) {
        return is_adaptable(tensor);
    }
    if (targets.length == 0) {
        targets = zv_slice_of(USUAL_TARGETS);
    }
    while (targets.length != 0) {
        char module[128];
        const struct zv_slice target = zv_slice_trim(zv_slice_cut(&targets, ','));
        (void)snprintf(module, sizeof module, ".%.*s.",
                       (int)(target.length < 100 ? target.length : 100), target.at);
        if (target.length != 0 && zv_slice_contains(tensor->name, module)) {
            return true;
        }
    }
    return false;
}

/* "q_proj" of "model.layers.0.self_attn.q_proj.weight". */
static struct zv_slice module_name(struct zv_slice tensor)
{
    struct zv_slice last = {0};
    struct zv_slice before = {0};
    while (tensor.length != 0) {
        before = last;
        last = zv_slice_cut(&tensor, '.');
    }
    return zv_slice_equal(last, "weight") && before.length != 0 ? before : last;
}

/* The modules that can have adapters, each once, as far as there is room. */
static void list_adaptable(const struct zv_model *model, char to[256])
{
    size_t used = 0;
    to[0] = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        char name[130];
        const struct zv_slice module = module_name(model->tensors[i].name);
        (void)snprintf(name, sizeof name, "%.*s, ",
                       (int)(module.length < 120 ? module.length : 120), module.at);
        if (is_adaptable(&model->tensors[i]) && strstr(to, name) == NULL &&
            used + strlen(name) < 256) {
            used += (size_t)snprintf(to + used, 256 - used, "%s", name);
        }
    }
    to[used > 2 ? used - 2 : 0] = 0;
}

enum zv_status trained_none(const struct zv_train *train, const struct zv_model *model,
                            struct zv_error *err)
{
    char names[256];
    list_adaptable(model, names);
    if (names[0] == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "--lora-rank: no weight of this model takes adapters");
    }
    if (train->lora_targets.length == 0) {
        return zv_fail(err, ZV_E_USAGE,
                       "--lora-targets: the usual modules are not in this model; it has %s", names);
    }
    return zv_fail(err, ZV_E_USAGE, "--lora-targets %.*s: none of this model's modules; it has %s",
                   (int)train->lora_targets.length, train->lora_targets.at, names);
}

static uint64_t rank_values(const struct build *build, const struct zv_tensor *tensor)
{
    uint64_t values = tensor->elements;
    const uint64_t bytes = plan_rank_bytes(&build->plan, build->in->model, tensor);
    if (tensor->bytes != 0 && bytes != tensor->bytes) {
        (void)zv_mul_div(tensor->elements, bytes, tensor->bytes, &values);
    }
    return values;
}

/* copies tensors of that many values each. */
static void add_trained(struct build *build, struct trained *sum, const struct train_sizes *sizes,
                        uint64_t copies, uint64_t values, const uint64_t shape[2])
{
    uint64_t states = 0;
    if (!optimizer_state_bytes(&sizes->optimizer, values, shape[0], shape[1],
                               sizes->state_value_bytes, &states)) {
        build_fail(build, zv_fail(build->err, ZV_E_OVERFLOW, "optimizer states pass 2^64 bytes"));
    }
    sum->values = build_sum(build, sum->values, build_mul(build, values, copies));
    sum->state_bytes = build_sum(build, sum->state_bytes, build_mul(build, states, copies));
    sum->largest = values > sum->largest ? values : sum->largest;
    sum->tensors += copies;
}

/* A packed weight's shape is that of the packing: the adapter's sizes cannot be read off it. */
static bool shows_shape(const struct zv_tensor *tensor)
{
    uint64_t values = 1;
    for (unsigned d = 0; d < tensor->dims; d++) {
        if (!zv_mul(values, tensor->shape[d], &values)) {
            return false;
        }
    }
    return values == tensor->elements;
}

/* rank x in and out x rank for each adapted weight; stacked experts have one pair each. */
static void add_adapter(struct build *build, struct trained *sum, const struct train_sizes *sizes,
                        const struct zv_tensor *tensor)
{
    const uint64_t rank = build->in->job->train.lora_rank;
    const uint64_t copies = zv_tensor_copies(tensor);
    uint64_t experts = 1;
    if (!shows_shape(tensor)) {
        sum->hidden_shapes += copies;
        return;
    }
    for (unsigned d = 0; d + 2 < tensor->dims; d++) {
        experts = build_mul(build, experts, tensor->shape[d]);
    }
    const uint64_t out = build_mul(build, experts, tensor->shape[tensor->dims - 2U]);
    const uint64_t in = build_mul(build, experts, tensor->shape[tensor->dims - 1U]);
    add_trained(build, sum, sizes, copies, build_mul(build, rank, in),
                (const uint64_t[2]){rank, in});
    add_trained(build, sum, sizes, copies, build_mul(build, rank, out),
                (const uint64_t[2]){out, rank});
}

/* Adapters are sized by the weights before they were quantised, where these are known. */
static void collect_adapters(struct build *build, struct trained *sum,
                             const struct train_sizes *sizes, int stage)
{
    const struct zv_model *const model =
        build->in->unquantised != NULL ? build->in->unquantised : build->in->model;
    const struct zv_train *const train = &build->in->job->train;
    const bool each = names_one(train->lora_targets);
    for (size_t i = 0; i < model->tensor_count && build->status == ZV_OK; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        if (tensor->rebuilt || plan_stage_of(&build->plan, model, tensor) != stage) {
            continue;
        }
        for (uint32_t copy = 0; copy <= (each ? tensor->more : 0); copy++) {
            char name[ZV_TENSOR_NAME];
            const struct zv_tensor one = each ? zv_tensor_copy(tensor, copy, name) : *tensor;
            if (is_target(train, &one)) {
                add_adapter(build, sum, sizes, &one);
            }
        }
    }
}

void trained_collect(struct build *build, struct trained *sum, const struct train_sizes *sizes,
                     int stage)
{
    const struct zv_model *const model = build->in->model;
    uint64_t *const per_layer =
        zv_arena_array(build->arena, model->layer_count + 1, sizeof *per_layer);
    if (per_layer == NULL) {
        build_fail(build, zv_fail_memory(build->err, "layers"));
        return;
    }
    if (!sizes->lora && model->quant.method != ZV_QUANT_NONE) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE,
                                  "quantised weights do not train: adapters beside them do "
                                  "(--lora-rank)"));
        return;
    }
    for (size_t i = 0; i < model->tensor_count && build->status == ZV_OK; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        if (tensor->rebuilt || tensor->metadata ||
            plan_stage_of(&build->plan, model, tensor) != stage) {
            continue;
        }
        const uint64_t copies = zv_tensor_copies(tensor);
        const uint64_t values = rank_values(build, tensor);
        if (tensor->layer >= 0 && (size_t)tensor->layer < model->layer_count) {
            uint64_t *const sum_of_layer = &per_layer[tensor->layer];
            *sum_of_layer = build_sum(build, *sum_of_layer, build_mul(build, values, copies));
        }
        if (!sizes->lora) {
            const bool matrix = tensor->dims == 2;
            add_trained(
                build, sum, sizes, copies, values,
                (const uint64_t[2]){matrix ? tensor->shape[0] : 0, matrix ? tensor->shape[1] : 0});
        }
    }
    for (size_t i = 0; i < model->layer_count; i++) {
        sum->layer_values = per_layer[i] > sum->layer_values ? per_layer[i] : sum->layer_values;
    }
    if (sizes->lora) {
        collect_adapters(build, sum, sizes, stage);
    }
}
