/* Encoders of encoder-decoder models and towers of multimodal ones. */
#include "base/checked.h"
#include "base/fail.h"
#include "estimate/activations.h"
#include "estimate/extras.h"
#include "runtime/versions.h"

typedef unsigned long long ull;

static bool has_part(const struct zv_model *model, enum zv_part part)
{
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].part == part) {
            return true;
        }
    }
    return false;
}

/* Tokens of one input of the encoder: as given, else the most that the model declares; 0 unknown.
 */
static uint64_t source_tokens(struct build *build)
{
    const uint64_t given = build->in->job->serve.source_tokens;
    const uint64_t most = build->in->model->max_source;
    if (given == 0 && most != 0) {
        build_assume(build, "encoder input: %llu tokens, the most the model declares", (ull)most);
    }
    return given != 0 ? given : most;
}

/* Keys and values of the encoder's output, kept by every decoder layer that reads it. */
static void cross_cache(struct build *build, const struct serve_sizes *sizes, int stage,
                        uint64_t source)
{
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    const struct build_item item = {build->plan.scopes[stage], "kv_cache.cross",
                                    "KV cache, cross attention", "cache", NULL};
    uint64_t row = 0;
    uint64_t cross = 0;
    for (size_t i = 0; i < count && build->status == ZV_OK; i++) {
        struct zv_cache_cell cell;
        struct zv_layer reads = layers[i];
        reads.shares_cache = false; /* also of a layer that has none for the text itself */
        if (layers[i].cross) {
            build_fail(build, zv_cache_cell_of(&cell, &reads, &sizes->form, build->err));
            row = build_sum(build, row, cell.k + cell.v);
            cross++;
        }
    }
    if (build->status != ZV_OK || cross == 0) {
        return;
    }
    if (source == 0) {
        build_unknown(build, item, "the encoder's tokens are not known: give --source-tokens");
        return;
    }
    uint64_t tokens = source;
    if (build->in->job->runtime == ZV_RUNTIME_VLLM && !zv_round_up(source, sizes->block, &tokens)) {
        tokens = source;
    }
    build_add(build, item, build_mul(build, build_mul(build, row, tokens), sizes->sequences),
              ZV_CALCULATED, "%llu layers, %llu encoder tokens x %llu sequence%s, %s", (ull)cross,
              (ull)tokens, (ull)sizes->sequences, build_s(sizes->sequences),
              zv_dtype_name(sizes->form.k));
}

/* A forward pass of the encoder or tower over one input of each sequence. */
static void encoder_activations(struct build *build, const struct serve_sizes *sizes,
                                const char *name, uint64_t tokens)
{
    const struct zv_model *const model = build->in->model;
    const struct build_item item = {build->plan.scopes[0], "activations.encoder", name,
                                    "activations", "encode"};
    if (model->encoder_layer_count == 0 || model->encoder_hidden == 0) {
        build_unknown(build, item, "the file does not describe its layers");
        return;
    }
    if (tokens == 0) {
        build_unknown(build, item,
                      "the tokens of one input are not in the file: give --source-tokens");
        return;
    }
    const uint64_t rows = build_mul(build, tokens, sizes->sequences);
    const uint64_t peak = activation_forward_peak(
        build, model->encoder_layers, model->encoder_layer_count, model->encoder_hidden);
    build_add(build, item, build_mul(build, build_mul(build, rows, peak), sizes->value_bytes),
              ZV_ASSUMED, "%llu tokens x %llu values of the widest layer x %llu B", (ull)rows,
              (ull)peak, (ull)sizes->value_bytes);
}

/* The encoder's output stays for as long as the decoder generates. */
static void encoder_output(struct build *build, const struct serve_sizes *sizes, uint64_t tokens)
{
    const struct zv_model *const model = build->in->model;
    const uint64_t width = model->encoder_hidden != 0 ? model->encoder_hidden : model->hidden;
    const int scope =
        zv_runtime_is_llamacpp(build->in->job->runtime) ? ZV_SCOPE_HOST : build->plan.scopes[0];
    if (tokens == 0 || width == 0) {
        return;
    }
    const uint64_t values = build_mul(build, build_mul(build, tokens, width), sizes->sequences);
    build_add(build,
              (struct build_item){scope, "encoder_output", "encoder output", "activations", NULL},
              build_mul(build, values, sizes->value_bytes), ZV_CALCULATED,
              "%llu tokens x %llu x %llu sequences x %llu B", (ull)tokens, (ull)width,
              (ull)sizes->sequences, (ull)sizes->value_bytes);
}

static bool reads_encoder(const struct zv_model *model)
{
    for (size_t i = 0; i < model->layer_count; i++) {
        if (model->layers[i].cross) {
            return true;
        }
    }
    return false;
}

void extras_encoder(struct build *build, const struct serve_sizes *sizes)
{
    const struct zv_model *const model = build->in->model;
    const struct zv_serve *const serve = &build->in->job->serve;
    if (build->status != ZV_OK) {
        return;
    }
    if (reads_encoder(model)) {
        const uint64_t tokens = source_tokens(build);
        for (int stage = 0;
             stage < (int)build->plan.stages && !zv_runtime_is_llamacpp(build->in->job->runtime);
             stage++) {
            cross_cache(build, sizes, stage, tokens);
        }
        if (!zv_runtime_is_llamacpp(
                build->in->job->runtime)) { /* its compute buffer covers both passes */
            encoder_activations(build, sizes, "activations, encoder", tokens);
        }
        encoder_output(build, sizes, tokens);
        return;
    }
    const bool tower = has_part(model, ZV_PART_VISION);
    if (tower && model->causal && serve->language_only != ZV_YES &&
        !zv_runtime_is_llamacpp(build->in->job->runtime)) {
        encoder_activations(build, sizes, "activations, tower", source_tokens(build));
    }
}
