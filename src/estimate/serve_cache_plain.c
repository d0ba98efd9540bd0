/* transformers, or no runtime: K and V of every token, whatever lies beneath. */
#include "base/checked.h"
#include "estimate/sizes.h"

typedef unsigned long long ull;

/* transformers' QuantizedCacheConfig: 4 bits, a scale and a shift per group, a tail as it is. */
enum { QUANTIZED_GROUP = 64, QUANTIZED_TAIL_TOKENS = 128 };

/* What the layers of a stage keep for one sequence. */
struct plain_sums {
    size_t layers;   /* that keep any */
    uint64_t kv;     /* bytes, of the context */
    uint64_t values; /* of K and V, of the context */
    uint64_t tail;   /* bytes of the last QUANTIZED_TAIL_TOKENS */
    uint64_t state;
    uint64_t largest; /* K and V of the largest layer */
    uint64_t half;    /* K or V of it, the larger */
};

static void add_layer(struct build *build, const struct serve_sizes *sizes,
                      const struct zv_layer *layer, struct plain_sums *sums)
{
    struct zv_cache_cell cell;
    build_fail(build, zv_cache_cell_of(&cell, layer, &sizes->form, build->err));
    if (build->status != ZV_OK) {
        return;
    }
    uint64_t tokens = sizes->context;
    if (layer->window != 0 && layer->window < tokens) {
        tokens = layer->window;
    }
    const uint64_t row = build_sum(build, build_sum(build, cell.k, cell.v), cell.index);
    const uint64_t bytes = build_mul(build, row, tokens);
    const uint64_t half = build_mul(build, cell.k > cell.v ? cell.k : cell.v, tokens);
    const uint64_t tail = tokens < QUANTIZED_TAIL_TOKENS ? tokens : QUANTIZED_TAIL_TOKENS;
    sums->layers += row != 0;
    sums->kv = build_sum(build, sums->kv, bytes);
    sums->values = build_sum(build, sums->values, bytes / sizes->value_bytes);
    sums->tail = build_sum(build, sums->tail, build_mul(build, row, tail));
    sums->state = build_sum(build, sums->state, build_sum(build, cell.conv, cell.scan));
    sums->largest = bytes > sums->largest ? bytes : sums->largest;
    sums->half = half > sums->half ? half : sums->half;
}

static void add_offloaded(struct build *build, const struct serve_sizes *sizes, int scope,
                          const struct plain_sums *sums)
{
    build_add(build, (struct build_item){scope, "kv_cache", "KV cache, two layers", "cache", NULL},
              build_mul(build, build_mul(build, sums->largest, sums->layers > 1 ? 2 : 1),
                        sizes->sequences),
              serve_cache_known(build),
              "the layer in use and the one fetched ahead, %llu tokens, %s", (ull)sizes->context,
              zv_dtype_name(sizes->form.k));
    build_add(build,
              (struct build_item){ZV_SCOPE_HOST, "kv_cache", "KV cache, offloaded", "cache", NULL},
              build_mul(build, sums->kv, sizes->sequences), serve_cache_known(build),
              "%llu layers on the host", (ull)sums->layers);
}

static void add_quantized(struct build *build, const struct serve_sizes *sizes, int scope,
                          const struct plain_sums *sums)
{
    const uint64_t groups = zv_ceil_div(sums->values, QUANTIZED_GROUP);
    const uint64_t packed = build_sum(build, zv_ceil_div(sums->values, 2),
                                      build_mul(build, groups, 2 * sizes->value_bytes));
    build_add(build, (struct build_item){scope, "kv_cache", "KV cache, quantized", "cache", NULL},
              build_mul(build, build_sum(build, packed, sums->tail), sizes->sequences), ZV_ASSUMED,
              "4 bits a value, a scale and a shift per %d, the last %d tokens in %s (transformers "
              "QuantizedCacheConfig)",
              QUANTIZED_GROUP, QUANTIZED_TAIL_TOKENS, zv_dtype_name(sizes->form.k));
}

static void add_whole(struct build *build, const struct serve_sizes *sizes, int scope,
                      const struct plain_sums *sums)
{
    const struct zv_runtime_rules *const rules = build->in->rules;
    const bool grows = build->in->job->serve.cache == ZV_CACHE_DYNAMIC && rules != NULL &&
                       rules->cache_concat.known && rules->cache_concat.value != 0;
    build_add(build, (struct build_item){scope, "kv_cache", "KV cache", "cache", NULL},
              build_mul(build, sums->kv, sizes->sequences), serve_cache_known(build),
              "%llu layers, %llu tokens x %llu sequence%s, %s", (ull)sums->layers,
              (ull)sizes->context, (ull)sizes->sequences, build_s(sizes->sequences),
              zv_dtype_name(sizes->form.k));
    if (grows) {
        build_add(build,
                  (struct build_item){scope, "kv_cache.growth",
                                      "cache growth, old and new of a layer", "cache", "decode"},
                  build_mul(build, sums->half, sizes->sequences), serve_cache_known(build),
                  "a dynamic cache grows by concatenation: one layer's K is there twice");
    }
}

void serve_cache_plain(struct build *build, const struct serve_sizes *sizes, int stage)
{
    const enum zv_cache_kind kind = build->in->job->serve.cache;
    const int scope = build->plan.scopes[stage];
    struct plain_sums sums = {0};
    size_t count;
    const struct zv_layer *const layers = stage_layers(build, stage, &count);
    for (size_t i = 0; i < count && build->status == ZV_OK; i++) {
        add_layer(build, sizes, &layers[i], &sums);
    }
    if (sums.kv != 0 && kind == ZV_CACHE_OFFLOADED) {
        add_offloaded(build, sizes, scope, &sums);
    } else if (sums.kv != 0 && kind == ZV_CACHE_QUANTIZED) {
        add_quantized(build, sizes, scope, &sums);
    } else if (sums.kv != 0) {
        add_whole(build, sizes, scope, &sums);
    }
    if (sums.state != 0) {
        build_add(build, (struct build_item){scope, "state", "recurrent state", "cache", NULL},
                  build_mul(build, sums.state, sizes->sequences), serve_cache_known(build),
                  "%s, %llu sequence%s", zv_dtype_name(sizes->form.conv_state),
                  (ull)sizes->sequences, build_s(sizes->sequences));
    }
}
