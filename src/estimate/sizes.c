#include "estimate/sizes.h"

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/sglang_defaults.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

/* A rule's value, or fallback when the table has none for this version; says which. */
static uint64_t rule_or(struct build *build, const struct zv_rule *rule, uint64_t given,
                        uint64_t fallback, const char *what)
{
    if (given != 0) {
        return given;
    }
    if (rule != NULL && rule->known) {
        build_assume(build, "%s: %llu, the runtime's default", what,
                     (unsigned long long)rule->value);
        return rule->value;
    }
    build_assume(build, "%s: %llu, not given", what, (unsigned long long)fallback);
    return fallback;
}

static void set_context(struct build *build, struct serve_sizes *sizes)
{
    const struct zv_serve *const serve = &build->in->job->serve;
    const struct zv_model *const model = build->in->model;
    const struct zv_runtime_rules *const rules = build->in->rules;
    uint64_t asked = serve->context_tokens;
    if (asked == 0 && zv_runtime_is_llamacpp(build->in->job->runtime) && rules != NULL &&
        rules->context_default.known && rules->context_default.value != 0) {
        asked = rules->context_default.value;
        build_assume(build, "context: %llu tokens, the runtime's default",
                     (unsigned long long)asked);
        sizes->total = asked;
        sizes->context = asked / sizes->sequences;
        return;
    }
    if (asked == 0 && model->max_context != 0) {
        asked = model->max_context;
        build_assume(build, "context: %llu tokens, the most the model declares",
                     (unsigned long long)asked);
    } else if (asked > model->max_context && model->max_context != 0) {
        build_invalid(build, "the model cannot take %llu tokens: it declares %llu",
                      (unsigned long long)asked, (unsigned long long)model->max_context);
    }
    if (serve->context_is_total) {
        sizes->total = asked;
        sizes->context = asked / sizes->sequences;
    } else {
        sizes->context = asked;
        sizes->total = build_mul(build, asked, sizes->sequences);
    }
}

static enum zv_dtype compute_dtype(struct build *build)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_model *const model = build->in->model;
    const struct zv_slice given = job->serve.dtype;
    if (given.length != 0 && !zv_slice_equal(given, "auto")) {
        const enum zv_dtype dtype = zv_dtype_parse(given);
        if (dtype == ZV_DTYPE_UNKNOWN) {
            build_fail(build, zv_fail(build->err, ZV_E_USAGE, "dtype %.*s: no such type",
                                      (int)given.length, given.at));
        }
        return dtype;
    }
    if (zv_runtime_is_llamacpp(job->runtime)) {
        return ZV_DTYPE_F32; /* activations of ggml */
    }
    if (job->runtime == ZV_RUNTIME_TRANSFORMERS && given.length == 0 && build->in->rules != NULL &&
        zv_slice_starts(zv_slice_of(build->in->rules->version), "4.") &&
        model->dtype != ZV_DTYPE_F32 && model->quant.method == ZV_QUANT_NONE) {
        build_assume(build,
                     "weights in the file's type: transformers before 5 loads float32 unless "
                     "torch_dtype is given (--dtype f32)");
    }
    if (model->dtype == ZV_DTYPE_UNKNOWN) {
        build_assume(build, "compute type: bf16, the file names none");
        return ZV_DTYPE_BF16;
    }
    if (model->dtype == ZV_DTYPE_F32 && job->runtime == ZV_RUNTIME_VLLM) {
        build_assume(build, "compute type: f16, as vLLM casts float32 models");
        return ZV_DTYPE_F16;
    }
    return model->dtype;
}

/* "auto" and nothing are the runtime's own choice. */
static enum zv_dtype cache_dtype(struct build *build, struct zv_slice name, enum zv_dtype compute)
{
    const bool llamacpp = zv_runtime_is_llamacpp(build->in->job->runtime);
    if (name.length == 0 || zv_slice_equal(name, "auto")) {
        return llamacpp ? ZV_DTYPE_F16 : compute;
    }
    const struct zv_slice fp8 = zv_slice_of("fp8_e4m3");
    const bool plain_fp8 = zv_slice_equal_nocase(name, "fp8") ||
                           zv_slice_equal_nocase(name, "fp8_inc") ||
                           zv_slice_equal_nocase(name, "fp8_ds_mla");
    const enum zv_dtype dtype = zv_dtype_parse(plain_fp8 ? fp8 : name);
    if (dtype == ZV_DTYPE_UNKNOWN) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE, "KV cache type %.*s: no such type",
                                  (int)name.length, name.at));
    }
    return dtype;
}

static void set_form(struct build *build, struct serve_sizes *sizes)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const bool llamacpp = zv_runtime_is_llamacpp(job->runtime);
    struct zv_cache_form *const form = &sizes->form;
    form->k = cache_dtype(build, job->serve.kv_dtype_k, sizes->dtype);
    form->v = job->serve.kv_dtype_v.length != 0
                  ? cache_dtype(build, job->serve.kv_dtype_v, sizes->dtype)
                  : form->k;
    if (llamacpp && job->serve.kv_dtype_v.length == 0) {
        form->v = ZV_DTYPE_F16;
    }
    form->conv_state = llamacpp ? ZV_DTYPE_F32 : sizes->dtype;
    form->scan_state = form->conv_state;
    form->tp = build->plan.attention_tp;
    form->mla = ZV_MLA_LATENT;
    if (job->runtime == ZV_RUNTIME_TRANSFORMERS || job->runtime == ZV_RUNTIME_NONE) {
        form->mla = ZV_MLA_PER_HEAD; /* transformers caches K and V per head, up-projected */
        form->transformers = true;
    } else if (llamacpp && rules != NULL && rules->mla_form.known) {
        form->mla = (enum zv_mla_form)rules->mla_form.value;
    }
    if (job->runtime == ZV_RUNTIME_IK_LLAMACPP) {
        static const enum zv_mla_form by_option[] = {ZV_MLA_PER_HEAD, ZV_MLA_LATENT_AND_COPY,
                                                     ZV_MLA_LATENT, ZV_MLA_LATENT};
        form->mla = by_option[job->serve.mla <= 3 ? job->serve.mla : 3];
    }
    if (zv_slice_equal_nocase(job->serve.kv_dtype_k, "fp8_ds_mla")) {
        form->latent_token_bytes = 656; /* 512 fp8 + 16 B scales + 128 B rope in bf16 */
        form->index_token_bytes = 132;  /* 128 fp8 + one fp32 scale */
    }
}

bool serve_flash(const struct build *build)
{
    const struct zv_serve *const serve = &build->in->job->serve;
    const struct zv_runtime_rules *const rules = build->in->rules;
    return serve->flash_attention == ZV_YES ||
           (serve->flash_attention == ZV_UNSET && rules != NULL &&
            rules->flash_attention_default.known && rules->flash_attention_default.value != 0);
}

static void set_llamacpp(struct build *build, struct serve_sizes *sizes)
{
    const struct zv_serve *const serve = &build->in->job->serve;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const struct zv_rule *unified = NULL;
    if (rules != NULL && serve->kv_unified == ZV_UNSET) {
        unified = serve->sequences == 0 ? &rules->kv_unified_default : &rules->kv_unified_explicit;
    }
    sizes->unified =
        serve->kv_unified == ZV_YES || (unified != NULL && unified->known && unified->value != 0);
    sizes->ubatch = rule_or(build, rules != NULL ? &rules->ubatch_default : NULL,
                            serve->ubatch_tokens, 512, "micro-batch (n_ubatch)");
    sizes->batched = sizes->ubatch;
    sizes->window_batch = sizes->ubatch;
    if (rules != NULL && rules->iswa_batch.known && rules->iswa_batch.value != 0) {
        sizes->window_batch =
            rule_or(build, &rules->batch_default, serve->batched_tokens, 2048, "batch (n_batch)");
    }
    if (rules != NULL && !serve->gpu_layers_given && rules->gpu_layers_default.known &&
        rules->gpu_layers_default.value < ZV_JOB_ALL_LAYERS) {
        build_assume(build, "layers on cards: all; without -ngl this version keeps %llu there",
                     (unsigned long long)rules->gpu_layers_default.value);
    }
    sizes->flash = serve_flash(build);
}

static struct zv_sglang_defaults sglang_defaults(const struct build *build)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_rule *const form = &build->in->rules->fraction_form;
    const struct zv_sglang_plan plan = {
        .card_mib = build->in->capacity_bytes >> 20,
        .tp = job->tp != 0 ? job->tp : 1,
        .pp = job->pp != 0 ? job->pp : 1,
        .dp = job->dp != 0 ? job->dp : 1,
        .dp_attention = job->serve.dp_attention == ZV_YES,
        .chunk_tokens = job->serve.batched_tokens,
    };
    return zv_sglang_defaults_of(
        form->known ? (enum zv_fraction_form)form->value : ZV_FRACTION_BY_SIZES, &plan);
}

/* A default of 0 is a formula: vLLM's first engine takes a whole sequence, at least 2048 tokens;
 * SGLang's follows the card's memory. */
static uint64_t step_tokens(struct build *build, const struct serve_sizes *sizes,
                            const struct zv_rule *rule)
{
    const struct zv_job *const job = build->in->job;
    const uint64_t given = job->serve.batched_tokens;
    if (given != 0 || !rule->known || rule->value != 0) {
        return rule_or(build, rule, given, 8192, "tokens of one step (max_num_batched_tokens)");
    }
    uint64_t tokens = sizes->context > 2048 ? sizes->context : 2048;
    if (job->runtime == ZV_RUNTIME_SGLANG) {
        tokens = sglang_defaults(build).chunk_tokens;
    }
    build_assume(build, "tokens of one step: %llu, by the runtime's formula",
                 (unsigned long long)tokens);
    return tokens;
}

/* Without a card there is nothing to take a share of. */
static void set_fraction_by_card(struct build *build, struct serve_sizes *sizes)
{
    sizes->fraction = 1000000;
    if (build->in->capacity_bytes != 0) {
        sizes->fraction = sglang_defaults(build).fraction;
        build_assume(build, "weights and cache may use %llu.%03llu of the card, by the formula",
                     (unsigned long long)(sizes->fraction / 1000000),
                     (unsigned long long)(sizes->fraction % 1000000 / 1000));
    }
}

static void set_server(struct build *build, struct serve_sizes *sizes)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const bool vllm = job->runtime == ZV_RUNTIME_VLLM;
    const bool large = build->in->capacity_bytes >= (UINT64_C(70) << 30);
    const struct zv_rule *const batched =
        vllm ? (large ? &rules->batched_default_large : &rules->batched_default)
             : &rules->chunk_default;
    sizes->block = rule_or(build, vllm ? &rules->block_default : &rules->page_default,
                           job->serve.block_tokens, vllm ? 16 : 1, "page, tokens");
    sizes->batched = step_tokens(build, sizes, batched);
    sizes->fraction = job->serve.memory_fraction;
    if (!vllm && sizes->fraction == 0) {
        set_fraction_by_card(build, sizes);
    }
    if (sizes->fraction == 0 && rules->memory_fraction.known && rules->memory_fraction.value != 0) {
        sizes->fraction = rules->memory_fraction.value;
        build_assume(build, "the runtime may use %llu.%02llu of the card, its default",
                     (unsigned long long)(sizes->fraction / 1000000),
                     (unsigned long long)(sizes->fraction % 1000000 / 10000));
    }
    const struct zv_rule *const most =
        large ? &rules->sequences_default_large : &rules->sequences_default;
    sizes->profiled = job->serve.max_sequences;
    if (vllm && sizes->profiled == 0 && most->known) {
        sizes->profiled = most->value;
        build_assume(build, "sequences it may run (max_num_seqs): %llu, the runtime's default",
                     (unsigned long long)most->value);
    }
    if (sizes->profiled < sizes->sequences) {
        sizes->profiled = sizes->sequences;
    }
    sizes->flash = true;
}

void serve_sizes_of(struct build *build, struct serve_sizes *sizes)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_runtime_rules *const rules = build->in->rules;
    *sizes = (struct serve_sizes){.sequences = job->serve.sequences, .fraction = 1000000};
    if (sizes->sequences == 0 && zv_runtime_is_llamacpp(job->runtime) &&
        job->serve.context_is_total && rules != NULL && rules->slots_default.known) {
        sizes->sequences = rules->slots_default.value;
        build_assume(build, "sequences at once: %llu slot%s, the server's default",
                     (unsigned long long)sizes->sequences, build_s(sizes->sequences));
    } else if (sizes->sequences == 0) {
        sizes->sequences = 1;
        build_assume(build, "sequences at once: 1, not given");
    }
    const uint64_t asked = sizes->sequences;
    sizes->sequences = zv_ceil_div(asked, build->plan.replicas);
    if (sizes->sequences != asked) {
        build_assume(build, "%llu sequences shared out over %u replicas: %llu each", (ull)asked,
                     build->plan.replicas, (ull)sizes->sequences);
    }
    set_context(build, sizes);
    sizes->dtype = compute_dtype(build);
    uint64_t elements = 1;
    uint64_t bytes = 0;
    if (build->status == ZV_OK &&
        (!zv_dtype_block(sizes->dtype, &elements, &bytes) || elements != 1)) {
        build_fail(build, zv_fail(build->err, ZV_E_USAGE, "%s is no type to compute in",
                                  zv_dtype_name(sizes->dtype)));
    }
    sizes->value_bytes = bytes;
    if (zv_runtime_is_llamacpp(job->runtime)) {
        set_llamacpp(build, sizes);
    } else if ((job->runtime == ZV_RUNTIME_VLLM || job->runtime == ZV_RUNTIME_SGLANG) &&
               rules != NULL) {
        set_server(build, sizes);
    } else {
        sizes->batched = build_mul(build, sizes->context, sizes->sequences);
        sizes->flash = job->serve.flash_attention != ZV_NO;
    }
    set_form(build, sizes);
    build->out->context_tokens = sizes->context;
    build->out->sequences = asked;
    build->out->step_tokens = sizes->batched;
    build->out->fraction_millionths = sizes->fraction;
}

const struct zv_layer *stage_layers(struct build *build, int stage, size_t *count)
{
    const struct zv_model *const model = build->in->model;
    struct zv_layer *const layers =
        zv_arena_array(build->arena, model->layer_count + 1, sizeof *layers);
    *count = 0;
    if (layers == NULL) {
        build_fail(build, zv_fail_memory(build->err, "layers"));
        return NULL;
    }
    for (size_t i = 0; i < model->layer_count; i++) {
        if (build->plan.layer_stage[i] == stage) {
            layers[(*count)++] = model->layers[i];
        }
    }
    return layers;
}
