/* Serving: caches, activations of prefill and decode, output buffers, the runtime's own share. */
#include <stdio.h>

#include "base/checked.h"
#include "base/fail.h"
#include "estimate/activations.h"
#include "estimate/extras.h"
#include "estimate/sizes.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

/* A dated figure somebody saw; false when the table has none for this run. */
static bool constant(struct build *build, enum zv_runtime_kind kind, const char *item,
                     struct zv_constant *to)
{
    const struct zv_constant_query query = {
        .kind = kind,
        .item = item,
        .version = zv_slice_of(build->in->rules != NULL ? build->in->rules->version : ""),
        .model = build->in->model->name,
        .tp = build->plan.tp,
    };
    bool found = false;
    if (build->status == ZV_OK) {
        build_fail(build, zv_runtime_constant(to, &found, &query, build->arena, build->err));
    }
    return found && build->status == ZV_OK;
}

static void add_constant(struct build *build, struct build_item item,
                         const struct zv_constant *seen)
{
    build_add(build, item, seen->bytes, ZV_ASSUMED, "seen with %s %s, %s, tp %u (%s)",
              zv_runtime_name(seen->kind), seen->version,
              seen->model[0] != 0 ? seen->model : "any model", seen->tp, seen->source);
}

/* A measured peak is of one model, version and split at one load; it is taken for nothing else. */
static bool is_of_this_run(const struct build *build, const struct zv_constant *seen)
{
    struct zv_slice name = build->in->model->name;
    struct zv_slice known = zv_slice_of(seen->model);
    while (zv_slice_contains(name, "/")) {
        (void)zv_slice_cut(&name, '/');
    }
    while (zv_slice_contains(known, "/")) {
        (void)zv_slice_cut(&known, '/');
    }
    char text[256];
    (void)snprintf(text, sizeof text, "%.*s", (int)(known.length < 255 ? known.length : 255),
                   known.at);
    return name.length != 0 && zv_slice_equal_nocase(name, text) && seen->tp == build->plan.tp &&
           zv_slice_equal(zv_slice_of(seen->version), build->in->rules->version);
}

static void llamacpp_buffers(struct build *build, const struct serve_sizes *sizes)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const uint64_t floor_values = build_sum(build, model->vocab, model->hidden);
    for (size_t i = 0; i < build->plan.stages && build->status == ZV_OK; i++) {
        const struct build_item item = {build->plan.scopes[i], "compute_buffer", "compute buffer",
                                        "activations", NULL};
        if (model->hidden == 0 || model->vocab == 0) {
            build_unknown(build, item, "the file does not name hidden width and vocabulary");
            continue;
        }
        uint64_t bytes = build_mul(build, build_mul(build, floor_values, sizes->ubatch), 4);
        if (!sizes->flash && model->layer_count != 0) {
            const uint64_t scores = build_mul(build, sizes->total, sizes->ubatch);
            bytes = build_sum(build, bytes,
                              build_mul(build, scores, UINT64_C(4) * model->layers[0].heads));
        }
        build_add(
            build, item, bytes, ZV_ASSUMED,
            "floor: (%llu vocabulary + %llu hidden) x %llu tokens x 4 B%s; there is no closed "
            "form",
            (ull)model->vocab, (ull)model->hidden, (ull)sizes->ubatch,
            sizes->flash ? "" : " + attention scores in f32");
    }
    uint64_t values = model->vocab;
    if (rules != NULL && rules->output_embeddings.known && rules->output_embeddings.value == 1) {
        values = build_sum(build, values, model->hidden);
    }
    build_add(build,
              (struct build_item){ZV_SCOPE_HOST, "output_buffer", "output buffer (pinned)",
                                  "activations", NULL},
              build_mul(build, build_mul(build, values, 4), sizes->sequences), ZV_CALCULATED,
              "%llu values x 4 B x %llu sequence%s", (ull)values, (ull)sizes->sequences,
              build_s(sizes->sequences));
}

/* Logits of one step: of the last position of each sequence, or of every position. */
static void add_logits(struct build *build, const struct serve_sizes *sizes, int scope,
                       const char *phase, uint64_t rows)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const bool to_float =
        rules == NULL || !rules->logits_float.known || rules->logits_float.value != 0;
    const uint64_t value = sizes->value_bytes + (to_float && sizes->value_bytes < 4 ? 4 : 0);
    if (model->vocab == 0 || !model->causal) {
        return;
    }
    build_add(
        build,
        (struct build_item){scope, "logits", phase[0] == 'p' ? "logits, prefill" : "logits, decode",
                            "activations", phase},
        build_mul(build, build_mul(build, rows, model->vocab), value), ZV_ASSUMED,
        "%llu row%s x %llu vocabulary x %llu B%s", (ull)rows, build_s(rows), (ull)model->vocab,
        (ull)value, value > sizes->value_bytes ? " (with a float32 copy)" : "");
}

/*
 * vLLM measures its peak with every sequence it may run: the hidden states of the step are kept,
 * then logits in the model's type, their float32 copy, the probabilities and the noise that
 * sampling divides them by.
 */
static void add_sampling(struct build *build, const struct serve_sizes *sizes, int scope)
{
    const struct zv_model *const model = build->in->model;
    const uint64_t value = sizes->value_bytes + 3 * UINT64_C(4);
    build_add(
        build,
        (struct build_item){scope, "logits", "logits and sampling", "activations", "sampling"},
        build_mul(build, build_mul(build, sizes->profiled, model->vocab), value), ZV_ASSUMED,
        "%llu sequences x %llu vocabulary x %llu B (with three float32 copies)",
        (ull)sizes->profiled, (ull)model->vocab, (ull)value);
    build_add(
        build,
        (struct build_item){scope, "activations", "hidden states kept", "activations", "sampling"},
        build_mul(build, build_mul(build, 2 * model->hidden, sizes->batched), sizes->value_bytes),
        ZV_ASSUMED, "%llu tokens x 2 x %llu hidden x %llu B", (ull)sizes->batched,
        (ull)model->hidden, (ull)sizes->value_bytes);
}

static const char *why_unknown(const struct zv_model *model, size_t layers)
{
    if (model->diffusion) {
        return "a denoiser's activations depend on the resolution and are not modelled";
    }
    return model->hidden == 0 || layers == 0
               ? "the file does not say enough of its layers"
               : "no context given and the model declares none: give --context";
}

static void formula_activations(struct build *build, const struct serve_sizes *sizes, int stage)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_runtime_rules *const rules = build->in->rules;
    const int scope = build->plan.scopes[stage];
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    if (build->status != ZV_OK) {
        return;
    }
    const uint64_t peak = activation_forward_peak(build, layers, count, model->hidden);
    if (model->hidden == 0 || count == 0 || sizes->context == 0) {
        build_unknown(build,
                      (struct build_item){scope, "activations", "activations", "activations", NULL},
                      why_unknown(model, count));
        return;
    }
    static const char *const names[] = {"activations, prefill", "activations, decode"};
    static const char *const phases[] = {"prefill", "decode"};
    const uint64_t tokens[] = {sizes->batched, sizes->sequences};
    for (int i = 0; i < (model->causal ? 2 : 1); i++) {
        uint64_t bytes = build_mul(build, build_mul(build, peak, tokens[i]), sizes->value_bytes);
        uint64_t scores = 0;
        if (!sizes->flash) {
            scores = build_mul(build, build_mul(build, tokens[i], sizes->context),
                               (sizes->value_bytes + 4) * layers[0].heads);
            bytes = build_sum(build, bytes, scores);
        }
        build_add(build,
                  (struct build_item){scope, "activations", names[i], "activations",
                                      model->causal ? phases[i] : NULL},
                  bytes, ZV_ASSUMED, "%llu token%s x %llu values of the widest layer x %llu B%s",
                  (ull)tokens[i], build_s(tokens[i]), (ull)peak, (ull)sizes->value_bytes,
                  scores != 0 ? " + attention scores (eager)" : "");
    }
    const bool all_rows = rules != NULL && rules->logits_all.known && rules->logits_all.value != 0;
    if (stage == build->plan.head_stage && build->in->job->runtime == ZV_RUNTIME_VLLM &&
        model->causal && model->vocab != 0) {
        add_sampling(build, sizes, scope);
    } else if (stage == build->plan.head_stage) {
        add_logits(build, sizes, scope, "prefill", all_rows ? sizes->batched : sizes->sequences);
        add_logits(build, sizes, scope, "decode", sizes->sequences);
    }
}

/* Activations, logits and output buffers of prefill and decode. */
static void add_activations(struct build *build, const struct serve_sizes *sizes)
{
    if (build->status != ZV_OK) {
        return;
    }
    if (zv_runtime_is_llamacpp(build->in->job->runtime)) {
        llamacpp_buffers(build, sizes);
        return;
    }
    struct zv_constant seen;
    const bool profiled = build->in->job->runtime == ZV_RUNTIME_VLLM &&
                          constant(build, ZV_RUNTIME_VLLM, "activation_peak", &seen) &&
                          is_of_this_run(build, &seen);
    for (int stage = 0; stage < (int)build->plan.stages && build->status == ZV_OK; stage++) {
        if (profiled) {
            add_constant(build,
                         (struct build_item){build->plan.scopes[stage], "activations",
                                             "activations, profiled peak", "activations", NULL},
                         &seen);
        } else {
            formula_activations(build, sizes, stage);
        }
    }
}

/* vLLM keeps one table of cosines and sines for all layers of a stage, on every rank. */
static void add_rotary_table(struct build *build, const struct serve_sizes *sizes, int stage)
{
    const struct zv_model *const model = build->in->model;
    uint64_t width = 0;
    for (size_t i = 0; i < model->layer_count && width == 0; i++) {
        const struct zv_layer *const layer = &model->layers[i];
        width = layer->attention == ZV_ATTENTION_LATENT ? layer->rope_dim : layer->head_dim_k;
    }
    if (width == 0 || model->max_context == 0 || !model->causal) {
        return;
    }
    build_add(build,
              (struct build_item){build->plan.scopes[stage], "runtime.rotary", "rotary table",
                                  "runtime", NULL},
              build_mul(build, build_mul(build, model->max_context, width), sizes->value_bytes),
              ZV_ASSUMED, "%llu positions x %llu values x %llu B: every value of a head is turned",
              (ull)model->max_context, (ull)width, (ull)sizes->value_bytes);
}

/*
 * CUDA graphs are part of what vLLM budgets only from the version on that subtracts them; before,
 * they live in the share of the card that is left to others.
 */
static void add_graphs(struct build *build, int stage)
{
    const struct zv_rule *const rule = &build->in->rules->graphs_subtracted;
    struct zv_constant seen;
    if (build->in->job->serve.enforce_eager == ZV_YES) {
        return;
    }
    if (!rule->known || rule->value == 0) {
        build_invalid(build, "CUDA graphs find no room in the share of the card that "
                             "is left to others");
    } else if (constant(build, ZV_RUNTIME_VLLM, "cuda_graph_estimate", &seen)) {
        add_constant(build,
                     (struct build_item){build->plan.scopes[stage], "runtime.graphs", "CUDA graphs",
                                         "runtime", NULL},
                     &seen);
    }
}

/* Whether the user itemises what the device's context takes: then nothing is assumed for it. */
static bool user_gives_context(const struct zv_job *job)
{
    static const char *const names[] = {"context",     "CUDA context",   "HIP context",
                                        "GPU context", "device context", "ROCm context"};
    for (size_t i = 0; i < job->item_count; i++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0] && !job->items[i].host; k++) {
            if (zv_slice_equal_nocase(job->items[i].name, names[k])) {
                return true;
            }
        }
    }
    return false;
}

void serve_overhead(struct build *build, const struct serve_sizes *sizes)
{
    const bool vllm = build->in->job->runtime == ZV_RUNTIME_VLLM;
    struct zv_constant seen;
    for (size_t i = 0; i < build->plan.stages && build->status == ZV_OK; i++) {
        struct build_item item = {build->plan.scopes[i], "runtime.non_torch",
                                  "context, libraries, communication", "runtime", NULL};
        if (vllm) {
            add_rotary_table(build, sizes, (int)i);
        }
        if (vllm && constant(build, ZV_RUNTIME_VLLM, "non_torch", &seen)) {
            add_constant(build, item, &seen);
        } else if (user_gives_context(build->in->job)) {
            continue; /* with the user's items */
        } else if (constant(build, ZV_RUNTIME_TRANSFORMERS, "cuda_context", &seen)) {
            item.id = "runtime.context";
            item.name = "device context and libraries";
            build_add(build, item, seen.bytes, ZV_ASSUMED, "about, with lazy loading (%s)",
                      seen.source);
        } else {
            build_unknown(build, item, "no published figure for this runtime");
        }
        if (vllm) {
            add_graphs(build, (int)i);
        }
    }
}

/* What a scope is expected to hold beside its cache: what vLLM takes off before it sizes the pool.
 */
static uint64_t without_cache(struct build *build, int scope)
{
    const struct zv_ledger *const ledger = &build->out->ledger;
    struct zv_ledger rest = {.arena = build->arena};
    struct zv_total total = {0};
    for (size_t i = 0; i < ledger->count && build->status == ZV_OK; i++) {
        const struct zv_item *const item = &ledger->items[i];
        if (!zv_slice_equal(zv_slice_of(item->group), "cache")) {
            build_fail(build, zv_ledger_add(&rest, item, build->err));
        }
    }
    if (build->status == ZV_OK) {
        build_fail(build, zv_ledger_total(&rest, scope, &total, build->err));
    }
    return total.expected;
}

/* vLLM: what is left of the card becomes the pool. */
static void add_pool(struct build *build, const struct serve_sizes *sizes)
{
    struct zv_pool *const pool = &build->out->pool;
    const struct zv_vllm_cache *const pages = &build->out->pages;
    const bool vllm = build->in->job->runtime == ZV_RUNTIME_VLLM;
    if (build->status != ZV_OK || build->in->capacity_bytes == 0 || !vllm ||
        pages->page_bytes == 0 ||
        !zv_mul_div(build->in->capacity_bytes, sizes->fraction, 1000000, &pool->budget_bytes)) {
        return;
    }
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < build->plan.stages; i++) {
        const uint64_t taken = without_cache(build, build->plan.scopes[i]);
        const uint64_t left = taken < pool->budget_bytes ? pool->budget_bytes - taken : 0;
        least = left < least ? left : least;
    }
    const struct zv_rule *const form = &build->in->rules->token_form;
    pool->known = build->status == ZV_OK;
    pool->cache_bytes = least;
    pool->blocks = build->in->job->serve.num_blocks != 0 ? build->in->job->serve.num_blocks
                                                         : zv_cache_vllm_blocks(pages, least);
    pool->tokens =
        zv_cache_vllm_tokens(pages, pool->blocks, sizes->context,
                             form->known ? (enum zv_token_form)form->value : ZV_TOKENS_PER_GROUP);
    if (pages->blocks_per_request == 0 ||
        !zv_mul_div(pool->blocks, 1000000, pages->blocks_per_request, &pool->concurrency)) {
        pool->concurrency = 0;
    }
    pool->basis = "card x fraction - weights - activations - context (- CUDA graphs), in pages";
}

void build_serve(struct build *build)
{
    struct serve_sizes sizes;
    if (build->status != ZV_OK) {
        return;
    }
    serve_sizes_of(build, &sizes);
    serve_cache(build, &sizes);
    add_activations(build, &sizes);
    serve_extras(build, &sizes);
    serve_overhead(build, &sizes);
    add_pool(build, &sizes);
    serve_pool_sglang(build, &sizes);
    if (build->in->model->causal) {
        build_invalid(build, "a sequence grows past %llu tokens, or more than %llu run at once",
                      (ull)sizes.context, (ull)sizes.sequences);
    }
    build_invalid(build, "another version of the runtime, other kernels or attention backend");
    if (zv_runtime_is_llamacpp(build->in->job->runtime)) {
        build_invalid(build, "the compute buffer is larger than its floor, as in most published "
                             "starts");
    }
    build->out->upper_bound = !zv_runtime_is_llamacpp(build->in->job->runtime);
}
