/* The cache and state items of a serving job, by each runtime's way of laying them out. */
#include "base/checked.h"
#include "base/fail.h"
#include "estimate/sizes.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

enum zv_known serve_cache_known(const struct build *build)
{
    return build->in->model->family_known ? ZV_CALCULATED : ZV_ASSUMED;
}

static void add_cache(struct build *build, int scope, const char *id, const char *name,
                      uint64_t bytes, const char *basis)
{
    if (bytes != 0) {
        build_add(build, (struct build_item){scope, id, name, "cache", NULL}, bytes,
                  serve_cache_known(build), "%s", basis);
    }
}

static const char *text(struct build *build, const char *line)
{
    if (line == NULL) {
        build_fail(build, zv_fail_memory(build->err, "an estimate"));
        return "";
    }
    return line;
}

/* llama.cpp: the cache of a layer lies where the layer is, or on the host with --no-kv-offload. */
static void llamacpp_stage(struct build *build, const struct serve_sizes *sizes, int stage,
                           uint64_t multiple, bool iswa)
{
    const struct zv_serve *const serve = &build->in->job->serve;
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    const struct zv_llamacpp_request request = {
        .n_ctx = sizes->total,
        .n_seq = sizes->sequences,
        .n_ubatch = sizes->window_batch,
        .unified = sizes->unified,
        .iswa = iswa,
        .swa_full = serve->swa_full == ZV_YES,
        .multiple = multiple,
        .form = sizes->form,
    };
    struct zv_llamacpp_cache cache;
    if (build->status != ZV_OK || count == 0) {
        return;
    }
    build_fail(build, zv_cache_llamacpp(&cache, layers, count, &request, build->err));
    if (build->status != ZV_OK) {
        return;
    }
    const bool on_host = stage == PLAN_HOST || serve->kv_offload == ZV_NO;
    const int scope = on_host ? ZV_SCOPE_HOST : build->plan.scopes[stage];
    const char *const types =
        text(build, zv_arena_print(build->arena, "K %s, V %s", zv_dtype_name(sizes->form.k),
                                   zv_dtype_name(sizes->form.v)));
    add_cache(build, scope, "kv_cache", "KV cache", build_sum(build, cache.k, cache.v),
              text(build,
                   zv_arena_print(build->arena, "%llu cells in %llu stream%s, %s", (ull)cache.cells,
                                  (ull)cache.streams, build_s(cache.streams), types)));
    add_cache(
        build, scope, "kv_cache.sliding", "KV cache, sliding layers",
        build_sum(build, cache.swa_k, cache.swa_v),
        text(build, zv_arena_print(
                        build->arena, "%llu cells: window and one %s, %s", (ull)cache.swa_cells,
                        sizes->window_batch != sizes->ubatch ? "batch" : "micro-batch", types)));
    add_cache(build, scope, "state", "recurrent state", build_sum(build, cache.conv, cache.scan),
              text(build, zv_arena_print(build->arena, "f32, %llu sequence%s",
                                         (ull)sizes->sequences, build_s(sizes->sequences))));
}

static void llamacpp_cache(struct build *build, const struct serve_sizes *sizes)
{
    const struct zv_runtime_rules *const rules = build->in->rules;
    uint64_t multiple = 256;
    bool iswa = true;
    if (rules != NULL && zv_rules_context_multiple(rules, sizes->flash) != 0) {
        multiple = zv_rules_context_multiple(rules, sizes->flash);
    }
    if (rules != NULL && rules->iswa_cache.known) {
        iswa = rules->iswa_cache.value != 0;
    }
    for (int stage = PLAN_HOST; stage < (int)build->plan.stages; stage++) {
        llamacpp_stage(build, sizes, stage, multiple, iswa);
    }
}

static void vllm_stage(struct build *build, const struct serve_sizes *sizes, int stage)
{
    const struct zv_runtime_rules *const rules = build->in->rules;
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    const struct zv_vllm_request request = {
        .block_tokens = sizes->block,
        .max_tokens = sizes->context,
        .batched_tokens = sizes->batched,
        .hybrid_groups = !rules->hybrid_groups.known || rules->hybrid_groups.value != 0,
        .prefix_caching = build->in->job->serve.prefix_caching != ZV_NO,
        .form = sizes->form,
    };
    struct zv_vllm_cache pages;
    if (build->status != ZV_OK) {
        return;
    }
    build_fail(build, zv_cache_vllm(&pages, layers, count, &request, build->err));
    if (build->status != ZV_OK || pages.page_bytes == 0) {
        return;
    }
    if (build->out->pages.page_bytes == 0) {
        build->out->pages = pages;
    }
    const uint64_t blocks = build_mul(build, pages.blocks_per_request, sizes->sequences);
    build_add(
        build,
        (struct build_item){build->plan.scopes[stage], "kv_cache", "KV cache", "cache", NULL},
        build_mul(build, blocks, pages.block_bytes), serve_cache_known(build),
        "%llu sequence%s x %llu blocks of %llu tokens x %llu B (%llu group%s of %llu layers), %s",
        (ull)sizes->sequences, build_s(sizes->sequences), (ull)pages.blocks_per_request,
        (ull)pages.block_tokens, (ull)pages.block_bytes, (ull)pages.groups, build_s(pages.groups),
        (ull)pages.group_size, zv_dtype_name(sizes->form.k));
}

static void sglang_stage(struct build *build, const struct serve_sizes *sizes, int stage)
{
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    struct zv_sglang_cache cache;
    const struct zv_sglang_request request = {
        .tokens = build_mul(build, sizes->context, sizes->sequences),
        .page_tokens = sizes->block,
        .form = sizes->form,
    };
    if (build->status != ZV_OK) {
        return;
    }
    build_fail(build, zv_cache_sglang(&cache, layers, count, &request, build->err));
    const int scope = build->plan.scopes[stage];
    add_cache(build, scope, "kv_cache", "KV cache", build_sum(build, cache.k, cache.v),
              text(build, zv_arena_print(build->arena,
                                         "%llu token slots (one page more than the "
                                         "load), %s",
                                         (ull)cache.slots, zv_dtype_name(sizes->form.k))));
    add_cache(build, scope, "kv_cache.index", "sparse-attention index", cache.index,
              "per token slot");
}

/* States alone are of one size whatever the context. */
static bool has_attention(const struct zv_model *model)
{
    for (size_t i = 0; i < model->layer_count; i++) {
        if (model->layers[i].attention != ZV_ATTENTION_NONE) {
            return true;
        }
    }
    return false;
}

void serve_cache(struct build *build, const struct serve_sizes *sizes)
{
    const struct zv_job *const job = build->in->job;
    const struct zv_model *const model = build->in->model;
    if (build->status != ZV_OK || !model->causal) {
        return;
    }
    if (model->layer_count == 0 || (sizes->context == 0 && has_attention(model))) {
        const char *const why =
            model->layer_count == 0
                ? "the file does not say what its layers keep per token"
                : "no context given and the model declares none: give --context";
        for (size_t i = 0; i < build->plan.stages; i++) {
            build_unknown(
                build,
                (struct build_item){build->plan.scopes[i], "kv_cache", "KV cache", "cache", NULL},
                why);
        }
        return;
    }
    if (zv_runtime_is_llamacpp(job->runtime)) {
        llamacpp_cache(build, sizes);
        return;
    }
    for (int stage = 0; stage < (int)build->plan.stages; stage++) {
        if (job->runtime == ZV_RUNTIME_VLLM) {
            vllm_stage(build, sizes, stage);
        } else if (job->runtime == ZV_RUNTIME_SGLANG) {
            sglang_stage(build, sizes, stage);
        } else {
            serve_cache_plain(build, sizes, stage);
        }
    }
}
