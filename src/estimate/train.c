/*
 * Training: exact items (weights, gradients, optimizer states, master copies, their shards) and
 * first answers by formula for activations, loss and what an update needs for a moment.
 */
#include <stdio.h>

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/activations.h"
#include "estimate/sizes.h"
#include "estimate/trained.h"

typedef unsigned long long ull;

static const char *shard_name(enum zv_shard shard)
{
    static const char *const names[] = {"", "ZeRO-1", "ZeRO-2", "ZeRO-3", "FSDP"};
    return names[shard];
}

/* ", 1/8 of it (ZeRO-3)" */
static void share_text(char to[64], const struct build *build, bool sharded)
{
    to[0] = 0;
    if (sharded && build->plan.dp > 1) {
        (void)snprintf(to, 64, ", 1/%u of it (%s)", build->plan.dp,
                       shard_name(build->in->job->train.shard));
    }
}

static void state_items(struct build *build, const struct train_sizes *sizes,
                        const struct trained *sum, int scope)
{
    const struct zv_train *const train = &build->in->job->train;
    const uint32_t dp = build->plan.dp;
    const bool full = train->shard == ZV_SHARD_ZERO3 || train->shard == ZV_SHARD_FSDP;
    const bool grads = full || train->shard == ZV_SHARD_ZERO2;
    const bool states = grads || train->shard == ZV_SHARD_ZERO1;
    char share[64];
    if (sum->hidden_shapes != 0) {
        build_unknown(
            build, (struct build_item){scope, "lora", "LoRA of packed weights", "training", NULL},
            "the packed file does not show the sizes of the weights that are adapted");
    }
    if (sizes->lora) {
        share_text(share, build, full);
        build_add(
            build, (struct build_item){scope, "lora", "LoRA weights", "weights", NULL},
            zv_ceil_div(build_mul(build, sum->values, sizes->state_value_bytes), full ? dp : 1),
            ZV_CALCULATED, "rank %u: %llu values x %llu B%s", train->lora_rank, (ull)sum->values,
            (ull)sizes->state_value_bytes, share);
    }
    share_text(share, build, grads);
    build_add(build, (struct build_item){scope, "gradients", "gradients", "training", NULL},
              zv_ceil_div(build_mul(build, sum->values, sizes->gradient_bytes), grads ? dp : 1),
              ZV_CALCULATED, "%llu trained values x %llu B%s", (ull)sum->values,
              (ull)sizes->gradient_bytes, share);
    share_text(share, build, states);
    if (sum->state_bytes != 0) {
        build_add(build,
                  (struct build_item){sizes->optimizer.managed ? ZV_SCOPE_HOST : scope, "optimizer",
                                      sizes->optimizer.managed ? "optimizer states (managed memory)"
                                                               : "optimizer states",
                                      "training", NULL},
                  zv_ceil_div(sum->state_bytes, states ? dp : 1), ZV_CALCULATED,
                  "%.*s: %llu state%s of %llu values%s", (int)sizes->optimizer.name.length,
                  sizes->optimizer.name.at, (ull)sizes->optimizer.states,
                  build_s(sizes->optimizer.states), (ull)sum->values, share);
    }
    if (sizes->master) {
        build_add(build, (struct build_item){scope, "master", "master weights", "training", NULL},
                  zv_ceil_div(build_mul(build, sum->values, 4), states ? dp : 1), ZV_CALCULATED,
                  "%llu trained values x 4 B (float32)%s", (ull)sum->values, share);
    }
}

/* What is there only while weights are gathered or an update runs. */
static void moment_items(struct build *build, const struct train_sizes *sizes,
                         const struct trained *sum, int scope)
{
    const struct zv_train *const train = &build->in->job->train;
    const uint32_t dp = build->plan.dp;
    const bool full = train->shard == ZV_SHARD_ZERO3 || train->shard == ZV_SHARD_FSDP;
    const uint64_t ways = train->shard != ZV_SHARD_NONE ? dp : 1;
    uint64_t copies = 0;
    if (sizes->optimizer.update == OPTIMIZER_UPDATE_ALL) {
        copies = zv_ceil_div(sum->values, ways);
    } else if (sizes->optimizer.update == OPTIMIZER_UPDATE_LARGEST) {
        copies = zv_ceil_div(sum->largest, ways);
    }
    if (copies != 0) {
        build_add(build,
                  (struct build_item){scope, "update", "temporaries of the update", "activations",
                                      "update"},
                  build_mul(build, copies, sizes->state_value_bytes), ZV_ASSUMED,
                  "%s of the trained values once more, %llu B each%s",
                  sizes->optimizer.update == OPTIMIZER_UPDATE_ALL ? "all" : "the largest tensor",
                  (ull)sizes->state_value_bytes, ways > 1 ? ", of this rank's share" : "");
    }
    if (full && dp > 1) {
        build_add(
            build,
            (struct build_item){scope, "gathered", "gathered layers", "activations", "backward"},
            build_mul(build, build_mul(build, sum->layer_values, sizes->value_bytes), 2),
            ZV_ASSUMED, "two units of %llu values at once: one computed, one prefetched",
            (ull)sum->layer_values);
    } else if (dp > 1 && train->shard == ZV_SHARD_NONE) {
        build_add(build,
                  (struct build_item){scope, "buckets", "gradient buckets", "training", NULL},
                  build_mul(build, sum->values, sizes->gradient_bytes), ZV_ASSUMED,
                  "DDP keeps a second copy unless gradient_as_bucket_view");
    }
}

static void activation_items(struct build *build, const struct train_sizes *sizes, int stage)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_train *const train = &build->in->job->train;
    const int scope = build->plan.scopes[stage];
    const struct build_item item = {scope, "activations", "saved activations", "activations",
                                    "backward"};
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    if (build->status != ZV_OK || count == 0 || model->hidden == 0 ||
        model->encoder_layer_count != 0) {
        build_unknown(build, item,
                      "the file does not say enough of its layers, or the family has an "
                      "encoder that the formula does not cover");
        return;
    }
    const bool eager = zv_slice_equal(train->attention, "eager");
    uint64_t saved = 0;
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = activation_saved_bytes(build, &layers[i], model->hidden,
                                                sizes->value_bytes, !sizes->lora);
        if (eager && layers[i].attention != ZV_ATTENTION_NONE) {
            const uint64_t scores = build_mul(build, zv_ceil_div(layers[i].heads, build->plan.tp),
                                              build->out->context_tokens);
            bytes = build_sum(build, bytes, build_mul(build, scores, 2 * sizes->value_bytes + 4));
        }
        saved = build_sum(build, saved, bytes);
        largest = bytes > largest ? bytes : largest;
    }
    const char *how = "every layer's saved tensors";
    if (train->checkpointing == ZV_CHECKPOINT_FULL) {
        const uint64_t inputs = build_mul(build, count, model->hidden);
        saved = build_sum(build, build_mul(build, inputs, sizes->value_bytes), largest);
        how = "each layer's input, and one layer recomputed";
    } else if (train->checkpointing == ZV_CHECKPOINT_SELECTIVE) {
        saved = build_sum(build, saved / 2, largest);
        how = "about half of the saved tensors (every other product), and one layer recomputed";
    }
    build_add(build, item, build_mul(build, saved, sizes->tokens), ZV_ASSUMED,
              "%llu tokens x %llu B: %s", (ull)sizes->tokens, (ull)saved, how);
    if (stage != build->plan.head_stage || model->vocab == 0) {
        return;
    }
    const uint64_t each = train->fused_loss == ZV_YES ? 0 : sizes->value_bytes + 3 * UINT64_C(4);
    const uint64_t per_token =
        each != 0 ? build_mul(build, model->vocab, each)
                  : build_mul(build, build_mul(build, 2, model->hidden), sizes->value_bytes);
    build_add(
        build, (struct build_item){scope, "loss", "logits and loss", "activations", "backward"},
        build_mul(build, per_token, sizes->tokens), ZV_ASSUMED,
        each != 0 ? "%llu tokens x %llu vocabulary x %llu B: logits and three float32 copies"
                  : "%llu tokens, chunked over a vocabulary of %llu (fused loss), %llu B each",
        (ull)sizes->tokens, (ull)model->vocab, (ull)(each != 0 ? each : per_token));
}

static uint64_t value_bytes_of(struct build *build, struct zv_slice name, uint64_t fallback,
                               const char *what)
{
    uint64_t elements;
    uint64_t bytes;
    if (name.length == 0) {
        return fallback;
    }
    const enum zv_dtype dtype = zv_dtype_parse(name);
    if (!zv_dtype_block(dtype, &elements, &bytes) || elements != 1) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE, "%s %.*s: expected f32, bf16, f16 or fp8",
                                  what, (int)name.length, name.at));
        return fallback;
    }
    return bytes;
}

/* The cheapest form is what a 16-bit checkpoint gives; most recipes keep more. */
static void assume_precision(struct build *build, const struct train_sizes *sizes, uint64_t weight)
{
    const struct zv_train *const train = &build->in->job->train;
    if (!sizes->lora && weight == 2 && !sizes->master && train->optimizer_dtype.length == 0) {
        build_assume(build, "weights and optimizer states in 16 bits, without the float32 copy "
                            "that mixed precision keeps (--master-weights)");
    }
}

/* DeepSpeed's ZeRO trains 16-bit weights beside a float32 copy, whatever the optimizer. */
static bool keeps_master(struct build *build, const struct train_sizes *sizes, uint64_t weight)
{
    const struct zv_train *const train = &build->in->job->train;
    const bool zero = train->shard == ZV_SHARD_ZERO1 || train->shard == ZV_SHARD_ZERO2 ||
                      train->shard == ZV_SHARD_ZERO3;
    if (train->master_weights != ZV_UNSET) {
        return train->master_weights == ZV_YES;
    }
    if (zero && !sizes->lora && weight == 2) {
        build_assume(build, "float32 master weights, as DeepSpeed keeps them under ZeRO "
                            "(--no-master-weights)");
        return true;
    }
    return false;
}

static void train_sizes_of(struct build *build, struct train_sizes *sizes)
{
    const struct zv_train *const train = &build->in->job->train;
    const struct zv_model *const model = build->in->model;
    uint64_t elements;
    uint64_t stored = 2;
    *sizes = (struct train_sizes){.lora = train->lora_rank != 0};
    if (model->dtype == ZV_DTYPE_UNKNOWN || !zv_dtype_block(model->dtype, &elements, &stored)) {
        stored = 2;
        build_assume(build, "weights compute in 2 bytes a value, the file names no type");
    }
    const uint64_t weight = value_bytes_of(build, train->weight_dtype, stored, "weight type");
    sizes->value_bytes = train->autocast == ZV_YES ? 2 : weight;
    const uint64_t trained = sizes->lora ? 4 : weight;
    if (sizes->lora) {
        build_assume(build, "LoRA weights in float32, as PEFT casts adapters");
        if (train->lora_targets.length == 0) {
            build_assume(build,
                         "LoRA on what PEFT adapts by itself (q_proj and v_proj, query_key_value, "
                         "...), no --lora-targets given");
        }
    }
    sizes->gradient_bytes = value_bytes_of(build, train->gradient_dtype, trained, "gradient type");
    sizes->master = keeps_master(build, sizes, weight);
    sizes->state_value_bytes = value_bytes_of(build, train->optimizer_dtype,
                                              sizes->master ? 4 : trained, "optimizer type");
    assume_precision(build, sizes, weight);
    struct zv_slice optimizer = train->optimizer;
    if (optimizer.length == 0) {
        optimizer = zv_slice_of("adamw");
        build_assume(build, "optimizer: adamw (foreach), not given");
    }
    build_fail(build, optimizer_find(&sizes->optimizer, optimizer, build->arena, build->err));
    uint64_t batch = train->micro_batch;
    uint64_t length = train->sequence_tokens;
    if (batch == 0) {
        batch = 1;
        build_assume(build, "micro-batch: 1 sequence, not given");
    }
    if (length == 0) {
        length = model->max_context;
        build_assume(build, "sequence: %llu tokens, the most the model declares", (ull)length);
    }
    sizes->tokens = build_mul(build, batch, length);
    build->out->context_tokens = length;
    build->out->sequences = batch;
}

void build_train(struct build *build)
{
    struct train_sizes sizes;
    if (build->status != ZV_OK) {
        return;
    }
    train_sizes_of(build, &sizes);
    uint64_t adapters = 0;
    for (int stage = 0; stage < (int)build->plan.stages && build->status == ZV_OK; stage++) {
        struct trained sum = {0};
        trained_collect(build, &sum, &sizes, stage);
        adapters += sum.tensors + sum.hidden_shapes;
        state_items(build, &sizes, &sum, build->plan.scopes[stage]);
        moment_items(build, &sizes, &sum, build->plan.scopes[stage]);
        activation_items(build, &sizes, stage);
    }
    if (sizes.lora && adapters == 0 && build->status == ZV_OK) {
        build_fail(build, trained_none(&build->in->job->train, build->in->model, build->err));
    }
    serve_overhead(build, &(struct serve_sizes){0});
    build_assume(build, "activations, loss and what an update needs for a moment by closed "
                        "formulas: --framework NAME runs the step op by op");
    build_invalid(build, "longer sequences or a larger micro-batch in any step");
    build_invalid(build, "evaluation or export in the same process: they have peaks of their own");
    build_invalid(build, "another attention backend, loss, optimizer or version of the framework");
    build->out->upper_bound = true;
}
