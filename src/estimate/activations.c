#include "estimate/activations.h"

#include "base/checked.h"

/* Widths of q, k, v and the attention output of one rank. */
static void attention_widths(const struct zv_layer *layer, uint32_t tp, uint64_t *q, uint64_t *kv,
                             uint64_t *out)
{
    const uint64_t heads = zv_ceil_div(layer->heads, tp);
    const uint64_t kv_heads =
        layer->attention == ZV_ATTENTION_LATENT ? heads : zv_kv_heads_of_rank(layer->kv_heads, tp);
    *q = heads * layer->head_dim_k;
    *kv = kv_heads * ((uint64_t)layer->head_dim_k + layer->head_dim_v);
    *out = heads * layer->head_dim_v;
}

/* Width of everything between the input and the output of the MLP, activated experts counted. */
static uint64_t mlp_width(const struct zv_layer *layer, uint32_t tp)
{
    if (layer->experts != 0) {
        return zv_ceil_div((uint64_t)layer->experts_used * layer->expert_ffn + layer->shared_ffn,
                           tp);
    }
    return zv_ceil_div(layer->ffn, tp);
}

uint64_t activation_forward_values(const struct zv_layer *layer, uint64_t hidden, uint32_t tp)
{
    uint64_t q;
    uint64_t kv;
    uint64_t out;
    attention_widths(layer, tp, &q, &kv, &out);
    const uint64_t state = zv_ceil_div(UINT64_C(2) * layer->d_inner +
                                           UINT64_C(2) * layer->state_groups * layer->d_state +
                                           UINT64_C(2) * layer->key_heads * layer->key_head_dim +
                                           UINT64_C(2) * layer->state_heads * layer->state_head_dim,
                                       tp);
    const uint64_t attention = q + kv + out + state;
    const uint64_t wide = mlp_width(layer, tp);
    const uint64_t copies = layer->experts != 0 ? hidden * layer->experts_used : 0;
    const uint64_t mlp = wide * (layer->gated ? 3 : 2) + copies;
    /* the residual stream and the normed input are there beside either */
    return 2 * hidden + (attention > mlp ? attention : mlp);
}

uint64_t activation_forward_peak(struct build *build, const struct zv_layer *layers, size_t count,
                                 uint64_t hidden)
{
    uint64_t peak = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t values = activation_forward_values(&layers[i], hidden, build->plan.tp);
        peak = values > peak ? values : peak;
    }
    return peak;
}

uint64_t activation_saved_bytes(const struct zv_layer *layer, uint64_t hidden, uint64_t value_bytes,
                                bool trained, uint32_t tp)
{
    uint64_t q;
    uint64_t kv;
    uint64_t out;
    attention_widths(layer, tp, &q, &kv, &out);
    /* two norms: the fp32 copy of the input (RMSNorm) and, if weights train, the normed output that
     * the linears behind it save */
    const uint64_t norms = 2 * hidden * (4 + (trained ? value_bytes : 0));
    const uint64_t lse =
        layer->attention != ZV_ATTENTION_NONE ? 4 * zv_ceil_div(layer->heads, tp) : 0;
    /* q, k, v and the output; the output is also the input that o_proj saves */
    const uint64_t attention = (q + kv + out) * value_bytes + lse;
    /* gate and up outputs, the activated gate, the product that the down projection saves */
    const uint64_t parts = layer->gated ? (trained ? 4 : 3) : (trained ? 2 : 1);
    const uint64_t mlp = mlp_width(layer, tp) * parts * value_bytes;
    const uint64_t experts = layer->experts != 0 ? hidden * layer->experts_used * value_bytes : 0;
    const uint64_t state =
        zv_ceil_div(
            UINT64_C(6) * layer->d_inner + UINT64_C(2) * layer->state_groups * layer->d_state, tp) *
        value_bytes;
    return norms + attention + mlp + experts + state;
}
