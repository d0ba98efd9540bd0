/* Levers of a serving job, in the order they are worth looking at when they save the same. */
#include "estimate/levers.h"

static const char quality[] = "another format is another model: check its quality again";
static const char cache_quality[] = "check quality again at the longest context; some attention "
                                    "backends do not take this type";
static const char host_speed[] = "what lies on the host is read over the bus: measure the speed";
static const char parallel_cost[] = "more cards of the same kind; each step waits for their link";

static const char *weights_fp8(struct variant *variant)
{
    return change_weights(variant, "fp8");
}

static const char *weights_int8(struct variant *variant)
{
    return change_weights(variant, "int8");
}

static const char *weights_nf4(struct variant *variant)
{
    return change_weights(variant, "nf4");
}

static const char *weights_awq(struct variant *variant)
{
    return change_weights(variant, "awq");
}

static const char *weights_q8_0(struct variant *variant)
{
    return change_weights(variant, "q8_0");
}

static const char *weights_q4_k_m(struct variant *variant)
{
    return change_weights(variant, "q4_K_M");
}

static const char *weights_q4_0(struct variant *variant)
{
    return change_weights(variant, "q4_0");
}

static const char *set_cache(struct variant *variant, const char *type)
{
    struct zv_serve *const serve = &variant->job.serve;
    if (variant->model.layer_count == 0 || !variant->model.causal) {
        return "the model keeps no cache that is known";
    }
    if (zv_slice_equal_nocase(serve->kv_dtype_k, type)) {
        return "the cache is of that type";
    }
    serve->kv_dtype_k = zv_slice_of(type);
    serve->kv_dtype_v = serve->kv_dtype_k;
    return NULL;
}

static const char *cache_fp8(struct variant *variant)
{
    return set_cache(variant, "fp8");
}

static const char *cache_q8(struct variant *variant)
{
    return set_cache(variant, "q8_0");
}

static const char *cache_q4(struct variant *variant)
{
    return set_cache(variant, "q4_0");
}

static const char *half_context(struct variant *variant)
{
    const uint64_t tokens = variant->now->context_tokens;
    if (tokens < 2) {
        return "there is no context to halve";
    }
    zv_dimension_set(ZV_DIMENSION_CONTEXT, &variant->job, tokens / 2);
    variant_name(variant, "context of %llu tokens", (unsigned long long)(tokens / 2));
    return NULL;
}

static const char *set_sequences(struct variant *variant, uint64_t sequences)
{
    struct zv_serve *const serve = &variant->job.serve;
    if (sequences == 0) {
        return "there is only one sequence at once";
    }
    /* fewer sequences of the same length, also where the total was given */
    zv_dimension_set(ZV_DIMENSION_CONTEXT, &variant->job, variant->now->context_tokens);
    serve->sequences = sequences;
    variant_name(variant, "%llu sequence%s at once", (unsigned long long)sequences,
                 sequences == 1 ? "" : "s");
    return NULL;
}

static const char *one_less(struct variant *variant)
{
    return set_sequences(variant, variant->now->sequences - 1);
}

static const char *half_sequences(struct variant *variant)
{
    const uint64_t sequences = variant->now->sequences;
    return sequences == 2 || sequences == 3 ? lever_absent : set_sequences(variant, sequences / 2);
}

static const char *more_cards(struct variant *variant)
{
    struct zv_job *const job = &variant->job;
    const uint32_t devices = job->devices == 0 ? 1 : job->devices;
    if (job->serve.tensor_split_count != 0) {
        return "the proportions of the cards are given";
    }
    if (devices > ZV_JOB_MAX_DEVICES / 2) {
        return "there are as many cards as there can be";
    }
    job->devices = devices * 2;
    variant_name(variant, "layers over %u cards", job->devices);
    return NULL;
}

static const char *half_layers(struct variant *variant)
{
    struct zv_serve *const serve = &variant->job.serve;
    const size_t all = variant->model.layer_count + 1;
    const size_t now = serve->gpu_layers_given && serve->gpu_layers < all ? serve->gpu_layers : all;
    if (now == 0 || variant->model.layer_count == 0) {
        return "no layers are on the card";
    }
    serve->gpu_layers = (uint32_t)(now / 2);
    serve->gpu_layers_given = true;
    variant_name(variant, "half of the layers on host (-ngl %zu)", now / 2);
    return NULL;
}

static bool has_experts(const struct zv_model *model)
{
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].part == ZV_PART_EXPERT) {
            return true;
        }
    }
    return false;
}

static const char *experts_on_host(struct variant *variant)
{
    if (!has_experts(&variant->model)) {
        return "the model has no routed experts";
    }
    variant->job.serve.cpu_moe_layers = ZV_JOB_ALL_LAYERS;
    return NULL;
}

static const char *cache_on_host(struct variant *variant)
{
    if (variant->job.serve.kv_offload == ZV_NO) {
        return "the cache is on the host";
    }
    variant->job.serve.kv_offload = ZV_NO;
    return NULL;
}

/* A quarter of the weights, in whole GiB. */
static const char *weights_on_host(struct variant *variant)
{
    enum { PART = 4 };
    struct zv_serve *const serve = &variant->job.serve;
    const uint64_t gib = variant->model.tensor_bytes / PART >> 30;
    if (serve->cpu_offload_bytes != 0) {
        return "weights are on the host";
    }
    if (gib == 0) {
        return "the weights are too small to split in GiB";
    }
    serve->cpu_offload_bytes = gib << 30;
    variant_name(variant, "%llu GiB of weights on the host", (unsigned long long)gib);
    return NULL;
}

static const char *no_graphs(struct variant *variant)
{
    if (variant->job.serve.enforce_eager == ZV_YES) {
        return "there are no CUDA graphs";
    }
    variant->job.serve.enforce_eager = ZV_YES;
    return NULL;
}

static const char *half_step(struct variant *variant)
{
    const uint64_t tokens = variant->now->step_tokens;
    if (tokens < 2) {
        return "the step is one token";
    }
    variant->job.serve.batched_tokens = tokens / 2;
    variant_name(variant, "steps of %llu tokens", (unsigned long long)(tokens / 2));
    return NULL;
}

static const char *half_ubatch(struct variant *variant)
{
    const uint64_t tokens = variant->now->step_tokens;
    if (tokens < 2) {
        return "the micro-batch is one token";
    }
    variant->job.serve.ubatch_tokens = tokens / 2;
    variant_name(variant, "micro-batch of %llu tokens (-ub)", (unsigned long long)(tokens / 2));
    return NULL;
}

static const char *windows_only(struct variant *variant)
{
    bool sliding = false;
    for (size_t i = 0; i < variant->model.layer_count; i++) {
        sliding = sliding || variant->model.layers[i].window != 0;
    }
    if (!sliding) {
        return "the model has no sliding layers";
    }
    if (variant->job.serve.swa_full != ZV_YES) {
        return "sliding layers keep their window only";
    }
    variant->job.serve.swa_full = ZV_NO;
    return NULL;
}

static const char *flash(struct variant *variant)
{
    if (variant->job.serve.flash_attention == ZV_YES) {
        return "it is flash attention";
    }
    variant->job.serve.flash_attention = ZV_YES;
    return NULL;
}

static const char *no_draft(struct variant *variant)
{
    if (variant->question.input.draft == NULL) {
        return lever_absent;
    }
    variant->question.input.draft = NULL;
    variant->job.serve.draft_path = (struct zv_slice){0};
    return NULL;
}

static const char *no_adapters(struct variant *variant)
{
    if (variant->question.input.adapter_count == 0) {
        return lever_absent;
    }
    variant->question.input.adapters = NULL;
    variant->question.input.adapter_count = 0;
    return NULL;
}

static const char *more_share(struct variant *variant)
{
    const uint64_t share = variant->now->fraction_millionths;
    if (share >= 950000) {
        return "the runtime may use 0.95 of the card or more";
    }
    variant->job.serve.memory_fraction = 950000;
    return NULL;
}

static const char *replicas(struct variant *variant)
{
    uint32_t *const dp = &variant->job.dp;
    if (*dp > UINT32_MAX / 2) {
        return "there are as many replicas as there can be";
    }
    *dp = (*dp == 0 ? 1 : *dp) * 2;
    variant_name(variant, "%u replicas", *dp);
    return NULL;
}

const struct lever serve_levers[] = {
    {"weights.fp8", "weights in 8 bits (fp8)", quality, NULL, FOR_SERVERS, weights_fp8},
    {"weights.int8", "weights in 8 bits (int8)", quality, NULL, FOR_PLAIN, weights_int8},
    {"weights.awq", "weights in 4 bits (awq)", quality, NULL, FOR_SERVERS, weights_awq},
    {"weights.nf4", "weights in 4 bits (nf4)", quality, NULL, FOR_PLAIN, weights_nf4},
    {"weights.q8_0", "weights in 8.5 bits (q8_0)", quality, NULL, FOR_LLAMACPP, weights_q8_0},
    {"weights.q4_K_M", "weights as q4_K_M, about 5 bits", quality, NULL, FOR_LLAMACPP,
     weights_q4_k_m},
    {"weights.q4_0", "weights in 4.5 bits (q4_0)", quality, NULL, FOR_LLAMACPP, weights_q4_0},
    {"kv_cache.fp8", "KV cache in 8 bits (fp8)", cache_quality, "the cache is of 8 bits",
     FOR_SERVERS, cache_fp8},
    {"kv_cache.q8_0", "KV cache as q8_0", cache_quality, "there is no cache on this card",
     FOR_LLAMACPP, cache_q8},
    {"kv_cache.q4_0", "KV cache as q4_0", cache_quality, "there is no cache on this card",
     FOR_LLAMACPP, cache_q4},
    {"context.half", "half of the context", "longer requests are refused or cut: check your inputs",
     "what the layers keep does not grow with the context", FOR_ALL, half_context},
    {"concurrency.less", "one sequence less at once", "requests wait longer",
     "nothing is kept per sequence", FOR_ALL, one_less},
    {"concurrency.half", "half of the sequences at once", "requests wait longer",
     "nothing is kept per sequence", FOR_ALL, half_sequences},
    {"tp.double", "tensor parallelism", parallel_cost, "nothing in the model can be cut", FOR_RANKS,
     change_tp},
    {"pp.double", "pipeline stages", parallel_cost, "the fullest stage holds as much", FOR_RANKS,
     change_pp},
    {"gpus.double", "layers over more cards", parallel_cost, "the fullest card holds as much",
     FOR_LLAMACPP, more_cards},
    {"experts.host", "experts on the host (--cpu-moe)", host_speed, "no experts are on this card",
     FOR_LLAMACPP, experts_on_host},
    {"layers.host", "half of the layers on the host", host_speed, "no layers are on this card",
     FOR_LLAMACPP, half_layers},
    {"kv_cache.host", "cache on the host (--no-kv-offload)", host_speed,
     "there is no cache on this card", FOR_LLAMACPP, cache_on_host},
    {"weights.host", "weights on the host", host_speed, NULL, FOR_VLLM, weights_on_host},
    {"graphs.none", "no CUDA graphs (--enforce-eager)",
     "each step starts its kernels one by one: measure the time of a token",
     "no figure for this runtime's graphs is known: nothing can be counted", FOR_VLLM, no_graphs},
    {"step.half", "smaller prefill steps",
     "max_num_batched_tokens: long prompts take more steps, measure the time to the first token",
     "the activations here are a figure of one model and load, not of the step", FOR_SERVERS,
     half_step},
    {"ubatch.half", "smaller micro-batch", "prompts are read more slowly: measure it",
     "no buffer here grows with the micro-batch", FOR_LLAMACPP, half_ubatch},
    {"swa.window", "sliding layers keep their window only",
     "a changed prompt cannot reuse what has slid away", NULL, FOR_LLAMACPP, windows_only},
    {"attention.flash", "flash attention instead of eager", "check that this card has the kernels",
     "the scores are not materialised already", FOR_PLAIN | FOR_LLAMACPP, flash},
    {"draft.none", "no draft model", "decoding loses the speculation's speed", NULL, FOR_ALL,
     no_draft},
    {"adapters.none", "no LoRA adapters, or merged ones", "one model per adapter, or none", NULL,
     FOR_ALL, no_adapters},
    {"share.more", "0.95 of the card for the runtime",
     "gpu_memory_utilization: less is left for other programs and for what the runtime did not "
     "plan",
     "the need is the same: only the limit moves", FOR_SERVERS, more_share},
    {"dp.double", "more replicas", "more throughput, and as many cards more",
     "every replica holds all weights", FOR_RANKS, replicas},
};
const size_t serve_lever_count = sizeof serve_levers / sizeof serve_levers[0];
