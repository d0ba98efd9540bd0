#include "support/tiny_model.h"

static struct zv_tensor matrix(const char *name, int32_t layer, uint64_t rows, uint64_t columns)
{
    return (struct zv_tensor){
        .name = zv_slice_of(name),
        .dtype = ZV_DTYPE_BF16,
        .dims = 2,
        .shape = {rows, columns},
        .elements = rows * columns,
        .bytes = rows * columns * 2,
        .layer = layer,
        .split = ZV_SPLIT_ROWS,
        .linear = true,
    };
}

void tiny_model_make(struct tiny_model *tiny)
{
    *tiny = (struct tiny_model){0};
    size_t count = 0;
    tiny->tensors[count] = matrix("model.embed_tokens.weight", -1, 64, 32);
    tiny->tensors[count].linear = false;
    tiny->tensors[count++].part = ZV_PART_EMBEDDING;
    tiny->tensors[count] = matrix("lm_head.weight", -1, 64, 32);
    tiny->tensors[count++].part = ZV_PART_HEAD;
    for (int32_t i = 0; i < TINY_LAYERS; i++) {
        tiny->layers[i] = (struct zv_layer){
            .attention = ZV_ATTENTION_HEADS,
            .heads = 4,
            .kv_heads = 2,
            .head_dim_k = 8,
            .head_dim_v = 8,
            .ffn = 64,
        };
        tiny->tensors[count] = matrix("model.layers.0.self_attn.q_proj.weight", i, 32, 32);
        tiny->tensors[count++].part = ZV_PART_ATTENTION;
        tiny->tensors[count] = matrix("model.layers.0.mlp.up_proj.weight", i, 128, 32);
        tiny->tensors[count++].part = ZV_PART_MLP;
    }
    tiny->model = (struct zv_model){
        .name = zv_slice_of("tiny"),
        .family = zv_slice_of("llama"),
        .family_known = true,
        .dtype = ZV_DTYPE_BF16,
        .hidden = 32,
        .vocab = 64,
        .max_context = 4096,
        .causal = true,
        .layers = tiny->layers,
        .layer_count = TINY_LAYERS,
        .tensors = tiny->tensors,
        .tensor_count = count,
    };
    for (size_t i = 0; i < count; i++) {
        tiny->model.parameters += tiny->tensors[i].elements;
        tiny->model.tensor_bytes += tiny->tensors[i].bytes;
    }
}
