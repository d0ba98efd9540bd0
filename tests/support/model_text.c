#include "support/model_text.h"

#include <string.h>

static void print_layer(const struct zv_layer *layer, struct zv_sink *sink)
{
    static const char *const attentions[] = {"no attention", "attention", "latent attention"};
    static const char *const states[] = {"", "mamba1", "mamba2", "delta", "conv"};
    zv_sink_print(sink, "%s", attentions[layer->attention]);
    if (layer->attention != ZV_ATTENTION_NONE) {
        zv_sink_print(sink, " heads %u kv %u dim %u/%u", layer->heads, layer->kv_heads,
                      layer->head_dim_k, layer->head_dim_v);
        zv_sink_print(sink, " window %llu%s%s%s", (unsigned long long)layer->window,
                      layer->chunked ? " chunked" : "", layer->shares_cache ? " shared" : "",
                      layer->cross ? " cross" : "");
    }
    if (layer->attention == ZV_ATTENTION_LATENT) {
        zv_sink_print(sink, " latent %u rope %u index %u query %u", layer->latent_rank,
                      layer->rope_dim, layer->index_dim, layer->query_rank);
    }
    if (layer->state != ZV_STATE_NONE) {
        zv_sink_print(sink, ", %s conv %u inner %u state %u groups %u heads %u x %u keys %u x %u",
                      states[layer->state], layer->d_conv, layer->d_inner, layer->d_state,
                      layer->state_groups, layer->state_heads, layer->state_head_dim,
                      layer->key_heads, layer->key_head_dim);
    }
    zv_sink_print(sink, ", ffn %u%s", layer->ffn, layer->gated ? " gated" : "");
    if (layer->experts != 0) {
        zv_sink_print(sink, ", experts %u of %u x %u shared %u", layer->experts_used,
                      layer->experts, layer->expert_ffn, layer->shared_ffn);
    }
    zv_sink_print(sink, "\n");
}

static void print_layers(const char *name, const struct zv_layer *layers, size_t count,
                         struct zv_sink *sink)
{
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && /* padding too: arenas are zeroed */
               memcmp(&layers[i], &layers[end], sizeof layers[i]) == 0) { /* NOLINT */
            end++;
        }
        zv_sink_print(sink, "%s %zu-%zu: ", name, i, end - 1);
        print_layer(&layers[i], sink);
        i = end;
    }
}

static void print_tensor(const struct zv_tensor *tensor, struct zv_sink *sink)
{
    static const char *const splits[] = {"-", "rows", "columns", "kv_heads"};
    zv_sink_print(sink, "%.*s\t%s\t", (int)tensor->name.length, tensor->name.at,
                  zv_dtype_name(tensor->dtype));
    for (uint8_t d = 0; d < tensor->dims; d++) {
        zv_sink_print(sink, "%s%llu", d == 0 ? "" : ",", (unsigned long long)tensor->shape[d]);
    }
    zv_sink_print(sink, "\t%llu\t%llu\t%d\t%s\t%s\t%s%s%s\n", (unsigned long long)tensor->elements,
                  (unsigned long long)tensor->bytes, tensor->layer, zv_part_name(tensor->part),
                  splits[tensor->split], tensor->linear ? "linear " : "",
                  tensor->metadata ? "metadata " : "", tensor->rebuilt ? "rebuilt" : "");
}

/* As a checkpoint lists them: expert by expert. */
static void print_run(const struct zv_model *model, size_t first, size_t end, struct zv_sink *sink)
{
    for (uint32_t copy = 0; copy <= model->tensors[first].more; copy++) {
        for (size_t i = first; i < end; i++) {
            char name[ZV_TENSOR_NAME];
            const struct zv_tensor one = zv_tensor_copy(&model->tensors[i], copy, name);
            print_tensor(&one, sink);
        }
    }
}

void model_text(const struct zv_model *model, bool tensors, struct zv_sink *sink)
{
    zv_sink_print(sink, "name %.*s\nfamily %.*s%s\n", (int)model->name.length, model->name.at,
                  (int)model->family.length, model->family.at,
                  model->family_known ? "" : " (no table)");
    zv_sink_print(sink, "dtype %s\nhidden %llu\nvocab %llu\ncontext %llu\nsource %llu\n",
                  zv_dtype_name(model->dtype), (unsigned long long)model->hidden,
                  (unsigned long long)model->vocab, (unsigned long long)model->max_context,
                  (unsigned long long)model->max_source);
    zv_sink_print(sink, "tied %d\ncausal %d\nparameters %llu\nbytes %llu\ntensors %zu\n",
                  model->tied, model->causal, (unsigned long long)model->parameters,
                  (unsigned long long)model->tensor_bytes, (size_t)zv_model_tensors(model));
    if (model->quant.method != ZV_QUANT_NONE) {
        zv_sink_print(sink, "quant %d %.*s bits %u group %u block %ux%u\n", model->quant.method,
                      (int)model->quant.name.length, model->quant.name.at, model->quant.bits,
                      model->quant.group, model->quant.block_rows, model->quant.block_columns);
    }
    print_layers("layers", model->layers, model->layer_count, sink);
    print_layers("encoder", model->encoder_layers, model->encoder_layer_count, sink);
    for (size_t i = 0; i < model->unknown_count; i++) {
        zv_sink_print(sink, "unknown: %s\n", model->unknown[i]);
    }
    for (size_t i = 0; i < model->note_count; i++) {
        zv_sink_print(sink, "note: %s\n", model->notes[i]);
    }
    for (size_t i = 0; tensors && i < model->tensor_count;) {
        const size_t end = zv_tensor_run(model, i);
        print_run(model, i, end, sink);
        i = end;
    }
}
