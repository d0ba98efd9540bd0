/* Levers of a training job, in the order they are worth looking at when they save the same. */
#include "estimate/levers.h"

enum { LORA_RANK = 16 };

static const char recompute[] = "layers are computed again in backward: measure the time of a step";
static const char learns[] = "what is learned differs: check the quality again";
static const char shard_cost[] = "more cards of the same kind, and traffic between them every step";

static const char *checkpoint(struct variant *variant, enum zv_checkpointing how)
{
    struct zv_train *const train = &variant->job.train;
    if (train->checkpointing == how || train->checkpointing == ZV_CHECKPOINT_FULL) {
        return "activations are checkpointed";
    }
    train->checkpointing = how;
    return NULL;
}

static const char *checkpoint_full(struct variant *variant)
{
    return checkpoint(variant, ZV_CHECKPOINT_FULL);
}

static const char *checkpoint_selective(struct variant *variant)
{
    return checkpoint(variant, ZV_CHECKPOINT_SELECTIVE);
}

static const char *one_sequence(struct variant *variant)
{
    if (variant->now->sequences <= 1) {
        return "the micro-batch is one sequence";
    }
    variant->job.train.micro_batch = 1;
    return NULL;
}

static const char *half_length(struct variant *variant)
{
    const uint64_t tokens = variant->now->context_tokens;
    if (tokens < 2) {
        return "there is no sequence to halve";
    }
    variant->job.train.sequence_tokens = tokens / 2;
    variant_name(variant, "sequences of %llu tokens", (unsigned long long)(tokens / 2));
    return NULL;
}

static const char *optimizer(struct variant *variant, const char *name)
{
    if (zv_slice_equal_nocase(variant->job.train.optimizer, name)) {
        return "it is the optimizer";
    }
    variant->job.train.optimizer = zv_slice_of(name);
    return NULL;
}

static const char *optimizer_8bit(struct variant *variant)
{
    return optimizer(variant, "adamw-8bit");
}

static const char *optimizer_paged(struct variant *variant)
{
    return optimizer(variant, "paged-adamw-8bit");
}

static const char *optimizer_fused(struct variant *variant)
{
    const struct zv_slice now = variant->job.train.optimizer;
    if (now.length != 0 && !zv_slice_equal_nocase(now, "adamw") &&
        !zv_slice_equal_nocase(now, "adamw-fused")) {
        return "the optimizer is another one than AdamW";
    }
    return optimizer(variant, "adamw-fused");
}

static const char *optimizer_factored(struct variant *variant)
{
    return optimizer(variant, "adafactor");
}

static const char *lora(struct variant *variant)
{
    struct zv_train *const train = &variant->job.train;
    if (train->lora_rank != 0) {
        return "adapters alone are trained";
    }
    train->lora_rank = LORA_RANK;
    train->lora_targets = zv_slice_of("all-linear");
    variant_name(variant, "LoRA of rank %d on every linear layer", LORA_RANK);
    return NULL;
}

static const char *qlora(struct variant *variant)
{
    const char *const why = change_weights(variant, "nf4");
    if (why != NULL) {
        return why;
    }
    (void)lora(variant);
    variant_name(variant, "QLoRA: nf4 and adapters of rank %u",
                 (unsigned)variant->job.train.lora_rank);
    return NULL;
}

static const char *shard(struct variant *variant, enum zv_shard how)
{
    static const char *const names[] = {"", "ZeRO-1", "ZeRO-2", "ZeRO-3", "FSDP"};
    struct zv_job *const job = &variant->job;
    const enum zv_shard now = job->train.shard;
    const bool is_full = now == ZV_SHARD_ZERO3 || now == ZV_SHARD_FSDP;
    if (is_full || now >= how) {
        return job->dp > 1 ? "it is sharded at least so far" : "it is sharded, over one rank: --dp";
    }
    job->train.shard = how;
    job->dp = job->dp > 1 ? job->dp : 2;
    variant_name(variant, "%s over %u ranks", names[how], job->dp);
    return NULL;
}

static const char *zero1(struct variant *variant)
{
    return shard(variant, ZV_SHARD_ZERO1);
}

static const char *zero2(struct variant *variant)
{
    return shard(variant, ZV_SHARD_ZERO2);
}

static const char *zero3(struct variant *variant)
{
    return shard(variant, ZV_SHARD_ZERO3);
}

static const char *fsdp(struct variant *variant)
{
    return shard(variant, ZV_SHARD_FSDP);
}

static const char *fused_loss(struct variant *variant)
{
    if (variant->job.train.fused_loss == ZV_YES) {
        return "the logits are not materialised";
    }
    variant->job.train.fused_loss = ZV_YES;
    return NULL;
}

static const char *small_gradients(struct variant *variant)
{
    variant->job.train.gradient_dtype = zv_slice_of("bf16");
    return NULL;
}

static const char *autocast(struct variant *variant)
{
    if (variant->job.train.autocast == ZV_YES) {
        return "it computes in 16 bits";
    }
    variant->job.train.autocast = ZV_YES;
    return NULL;
}

static const char *flash(struct variant *variant)
{
    if (!zv_slice_equal(variant->job.train.attention, "eager")) {
        return "the scores are not materialised";
    }
    variant->job.train.attention = zv_slice_of("flash");
    return NULL;
}

static const char *no_master(struct variant *variant)
{
    const enum zv_shard shard = variant->job.train.shard;
    const bool by_zero = variant->job.train.master_weights == ZV_UNSET && shard != ZV_SHARD_NONE &&
                         shard != ZV_SHARD_FSDP;
    if (variant->job.train.master_weights != ZV_YES && !by_zero) {
        return lever_absent;
    }
    variant->job.train.master_weights = ZV_NO;
    return NULL;
}

static const char *accumulate(struct variant *variant)
{
    struct zv_train *const train = &variant->job.train;
    train->accumulation = train->accumulation <= 1 ? 2 : train->accumulation;
    if (train->accumulation <= UINT64_MAX / 2) {
        train->accumulation *= 2;
    }
    return NULL;
}

static const char *replicas(struct variant *variant)
{
    struct zv_job *const job = &variant->job;
    if (job->dp > UINT32_MAX / 2) {
        return "there are as many ranks as there can be";
    }
    job->dp = (job->dp == 0 ? 1 : job->dp) * 2;
    variant_name(variant, "%u data-parallel ranks%s", job->dp,
                 job->train.shard == ZV_SHARD_NONE ? ", nothing sharded" : "");
    return NULL;
}

const struct lever train_levers[] = {
    {"checkpointing.full", "checkpointing of every layer", recompute, NULL, FOR_ALL,
     checkpoint_full},
    {"checkpointing.selective", "selective checkpointing", recompute, NULL, FOR_ALL,
     checkpoint_selective},
    {"micro_batch.one", "micro-batch of one sequence",
     "accumulate to keep the batch of a step; measure its time", NULL, FOR_ALL, one_sequence},
    {"seq_length.half", "shorter sequences",
     "longer texts are cut: a run that cut data does not validate the load", NULL, FOR_ALL,
     half_length},
    {"optimizer.8bit", "AdamW with 8-bit states", learns, "the states are of 8 bits", FOR_ALL,
     optimizer_8bit},
    {"optimizer.paged", "paged AdamW with 8-bit states",
     "states move to the host when the card is full: measure the time of a step, check the quality",
     "the states are not on the card", FOR_ALL, optimizer_paged},
    {"optimizer.fused", "fused AdamW", "the same update in one kernel",
     "another phase than the update decides", FOR_ALL, optimizer_fused},
    {"optimizer.factored", "Adafactor", learns, "the states are as small", FOR_ALL,
     optimizer_factored},
    {"lora", "LoRA", learns, NULL, FOR_ALL, lora},
    {"qlora", "QLoRA", learns, NULL, FOR_ALL, qlora},
    {"zero1", "ZeRO-1", shard_cost, NULL, FOR_ALL, zero1},
    {"zero2", "ZeRO-2", shard_cost, NULL, FOR_ALL, zero2},
    {"zero3", "ZeRO-3", shard_cost, NULL, FOR_ALL, zero3},
    {"fsdp", "FSDP", shard_cost, NULL, FOR_ALL, fsdp},
    {"tp.double", "tensor parallelism", shard_cost, "nothing in the model can be cut", FOR_ALL,
     change_tp},
    {"pp.double", "pipeline stages", shard_cost, "the fullest stage holds as much", FOR_ALL,
     change_pp},
    {"loss.fused", "fused loss: logits never materialised", "compare the loss with the plain one",
     "another phase than the loss decides", FOR_ALL, fused_loss},
    {"gradients.bf16", "gradients in bf16", "sums lose digits: compare the losses",
     "gradients are of 16 bits", FOR_ALL, small_gradients},
    {"autocast", "compute in 16 bits (autocast)", "compare the losses",
     "it computes in 16 bits already", FOR_ALL, autocast},
    {"attention.flash", "flash attention instead of eager", "check that this card has the kernels",
     NULL, FOR_ALL, flash},
    {"master.none", "no float32 master weights",
     "small updates are lost in 16 bits without stochastic rounding: check the quality", NULL,
     FOR_ALL, no_master},
    {"accumulation.double", "more accumulation", "the batch of a step grows",
     "micro-batches run one after another: the peak is that of one", FOR_ALL, accumulate},
    {"dp.double", "more data-parallel ranks", shard_cost, "every rank holds everything", FOR_ALL,
     replicas},
};
const size_t train_lever_count = sizeof train_levers / sizeof train_levers[0];
