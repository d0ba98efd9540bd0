#include "estimate/activations.h"

#include "base/checked.h"

/* Widths of q, k, v and the attention output of one rank, values per token. */
struct widths {
    uint64_t q;
    uint64_t kv;
    uint64_t out;
};

static uint64_t sum3(struct build *build, uint64_t a, uint64_t b, uint64_t c)
{
    return build_sum(build, build_sum(build, a, b), c);
}

static uint64_t mul3(struct build *build, uint64_t a, uint64_t b, uint64_t c)
{
    return build_mul(build, build_mul(build, a, b), c);
}

static struct widths attention_widths(struct build *build, const struct zv_layer *layer)
{
    const uint32_t tp = build->plan.tp;
    const uint64_t heads = zv_ceil_div(layer->heads, tp);
    const uint64_t kv_heads =
        layer->attention == ZV_ATTENTION_LATENT ? heads : zv_kv_heads_of_rank(layer->kv_heads, tp);
    return (struct widths){
        .q = build_mul(build, heads, layer->head_dim_k),
        .kv = build_mul(build, kv_heads, (uint64_t)layer->head_dim_k + layer->head_dim_v),
        .out = build_mul(build, heads, layer->head_dim_v),
    };
}

/* Width of everything between the input and the output of the MLP, activated experts counted. */
static uint64_t mlp_width(struct build *build, const struct zv_layer *layer)
{
    uint64_t width = layer->ffn;
    if (layer->experts != 0) {
        width = build_sum(build, build_mul(build, layer->experts_used, layer->expert_ffn),
                          layer->shared_ffn);
    }
    return zv_ceil_div(width, build->plan.tp);
}

/* The input of every routed expert is a copy of its own. */
static uint64_t expert_copies(struct build *build, const struct zv_layer *layer, uint64_t hidden)
{
    return layer->experts != 0 ? build_mul(build, hidden, layer->experts_used) : 0;
}

static uint64_t forward_values(struct build *build, const struct zv_layer *layer, uint64_t hidden)
{
    const struct widths widths = attention_widths(build, layer);
    const uint64_t groups = mul3(build, 2, layer->state_groups, layer->d_state);
    const uint64_t keys = mul3(build, 2, layer->key_heads, layer->key_head_dim);
    const uint64_t values = mul3(build, 2, layer->state_heads, layer->state_head_dim);
    const uint64_t state =
        build_sum(build, sum3(build, UINT64_C(2) * layer->d_inner, groups, keys), values);
    const uint64_t attention = build_sum(build, sum3(build, widths.q, widths.kv, widths.out),
                                         zv_ceil_div(state, build->plan.tp));
    const uint64_t wide = build_mul(build, mlp_width(build, layer), layer->gated ? 3 : 2);
    const uint64_t mlp = build_sum(build, wide, expert_copies(build, layer, hidden));
    /* the residual stream and the normed input are there beside either */
    return build_sum(build, build_mul(build, 2, hidden), attention > mlp ? attention : mlp);
}

uint64_t activation_forward_peak(struct build *build, const struct zv_layer *layers, size_t count,
                                 uint64_t hidden)
{
    uint64_t peak = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t values = forward_values(build, &layers[i], hidden);
        peak = values > peak ? values : peak;
    }
    return peak;
}

uint64_t activation_saved_bytes(struct build *build, const struct zv_layer *layer, uint64_t hidden,
                                uint64_t value_bytes, bool trained)
{
    const uint32_t tp = build->plan.tp;
    const struct widths widths = attention_widths(build, layer);
    /* two norms: the fp32 copy of the input (RMSNorm) and, if weights train, the normed output that
     * the linears behind it save */
    const uint64_t norms = mul3(build, 2, hidden, 4 + (trained ? value_bytes : 0));
    const uint64_t lse =
        layer->attention != ZV_ATTENTION_NONE ? 4 * zv_ceil_div(layer->heads, tp) : 0;
    /* q, k, v and the output; the output is also the input that o_proj saves */
    const uint64_t attention =
        build_mul(build, sum3(build, widths.q, widths.kv, widths.out), value_bytes);
    /* gate and up outputs, the activated gate, the product that the down projection saves */
    const uint64_t parts = layer->gated ? (trained ? 4 : 3) : (trained ? 2 : 1);
    const uint64_t mlp = mul3(build, mlp_width(build, layer), parts, value_bytes);
    const uint64_t experts = build_mul(build, expert_copies(build, layer, hidden), value_bytes);
    const uint64_t groups = mul3(build, 2, layer->state_groups, layer->d_state);
    const uint64_t state =
        build_mul(build, zv_ceil_div(build_sum(build, UINT64_C(6) * layer->d_inner, groups), tp),
                  value_bytes);
    return build_sum(build, sum3(build, norms, attention, lse), sum3(build, mlp, experts, state));
}
