#include "model/gguf_mix.h"

#include <string.h>

#include "model/quant_select.h"

/* Numbers of GGUF types. */
enum {
    Q4_0 = ZV_DTYPE_GGML + 2,
    Q4_1 = ZV_DTYPE_GGML + 3,
    Q5_0 = ZV_DTYPE_GGML + 6,
    Q5_1 = ZV_DTYPE_GGML + 7,
    Q8_0 = ZV_DTYPE_GGML + 8,
    Q4_K = ZV_DTYPE_GGML + 12,
    Q5_K = ZV_DTYPE_GGML + 13,
    Q6_K = ZV_DTYPE_GGML + 14
};

/* What a matrix is to the rules. */
enum role { ROLE_OTHER, ROLE_VALUES, ROLE_KEYS, ROLE_FUSED_QKV, ROLE_ATTENTION_OUT, ROLE_MLP_OUT };

bool gguf_mix_parse(struct zv_slice name, struct gguf_mix *mix)
{
    static const struct {
        const char *name;
        enum gguf_mix_kind kind;
        int base;
    } types[] = {
        {"q4_0", MIX_UNIFORM, Q4_0},  {"q4_1", MIX_UNIFORM, Q4_1}, {"q5_0", MIX_UNIFORM, Q5_0},
        {"q5_1", MIX_UNIFORM, Q5_1},  {"q8_0", MIX_UNIFORM, Q8_0}, {"q6_K", MIX_UNIFORM, Q6_K},
        {"q4_K_S", MIX_SMALL, Q4_K},  {"q5_K_S", MIX_SMALL, Q5_K}, {"q4_K_M", MIX_MEDIUM, Q4_K},
        {"q5_K_M", MIX_MEDIUM, Q5_K},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (zv_slice_equal_nocase(name, types[i].name)) {
            *mix = (struct gguf_mix){.kind = types[i].kind, .base = (enum zv_dtype)types[i].base};
            return true;
        }
    }
    return false;
}

static bool is_falcon(const struct zv_model *model)
{
    return zv_slice_equal(model->family, "falcon");
}

bool gguf_mix_covers(const struct gguf_mix *mix, const struct zv_model *model, const char **why)
{
    if (mix->kind == MIX_UNIFORM) {
        return true;
    }
    *why = NULL;
    for (size_t i = 0; i < model->layer_count; i++) {
        if (model->layers[i].attention != ZV_ATTENTION_HEADS ||
            model->layers[i].state != ZV_STATE_NONE) {
            *why = "its layers are not all plain attention, which llama.cpp stores in another cut";
        }
    }
    if (model->layer_count == 0 || !model->causal) {
        *why = "its layers are not known, or it does not generate";
    }
    if (model->encoder_layer_count != 0) {
        *why = "its tower or encoder goes to a file of its own";
    }
    return *why == NULL;
}

static bool has(const struct zv_tensor *tensor, const char *segment)
{
    return zv_slice_contains(tensor->name, segment);
}

static enum role role_of(const struct zv_tensor *tensor)
{
    if (has(tensor, ".v_proj.") || has(tensor, ".attn_v.")) {
        return ROLE_VALUES;
    }
    if (has(tensor, ".k_proj.") || has(tensor, ".attn_k.")) {
        return ROLE_KEYS;
    }
    if (has(tensor, "qkv") || has(tensor, "query_key_value") || has(tensor, ".c_attn.")) {
        return ROLE_FUSED_QKV;
    }
    if (tensor->split == ZV_SPLIT_COLUMNS) {
        return tensor->part == ZV_PART_ATTENTION ? ROLE_ATTENTION_OUT : ROLE_MLP_OUT;
    }
    return ROLE_OTHER;
}

void gguf_mix_start(struct gguf_mix *mix, const struct zv_model *model)
{
    mix->model = model;
    mix->values_seen = 0;
    mix->downs_seen = 0;
    mix->values_count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        const enum role role = tensor->linear ? role_of(tensor) : ROLE_OTHER;
        const bool values = role == ROLE_VALUES || role == ROLE_FUSED_QKV;
        mix->values_count += values ? zv_tensor_copies(tensor) : 0;
    }
}

/* The first and the last eighth of the layers, and every third between. */
static bool use_more_bits(uint64_t i, uint64_t n)
{
    return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
}

static uint32_t experts_of(const struct gguf_mix *mix, const struct zv_tensor *tensor)
{
    const bool in_layer = tensor->layer >= 0 && (size_t)tensor->layer < mix->model->layer_count;
    return in_layer ? mix->model->layers[tensor->layer].experts : 0;
}

static enum zv_dtype values_type(struct gguf_mix *mix, const struct zv_tensor *tensor,
                                 uint32_t experts)
{
    const uint64_t index = mix->values_seen;
    mix->values_seen += zv_tensor_copies(tensor);
    enum zv_dtype type = mix->base;
    if (mix->kind == MIX_MEDIUM && use_more_bits(index, mix->values_count)) {
        type = (enum zv_dtype)Q6_K;
    } else if (mix->kind == MIX_SMALL && (int)mix->base == Q4_K && index < 4) {
        type = (enum zv_dtype)Q5_K;
    }
    if (mix->model->layer_count == 80 && (int)type == Q4_K) {
        type = (enum zv_dtype)Q5_K; /* 70B: eight heads share one */
    }
    return experts == 8 ? (enum zv_dtype)Q8_0 : type;
}

static enum zv_dtype mlp_out_type(struct gguf_mix *mix, const struct zv_tensor *tensor,
                                  uint32_t experts)
{
    const uint64_t n = mix->model->layer_count;
    const uint64_t seen = mix->downs_seen;
    mix->downs_seen += zv_tensor_copies(tensor);
    const uint64_t layer = experts > 1 && tensor->layer >= 0 ? (uint64_t)tensor->layer : seen;
    const bool more = use_more_bits(layer, n);
    if (mix->kind == MIX_SMALL) {
        return (int)mix->base == Q4_K && !is_falcon(mix->model) && layer < n / 8
                   ? (enum zv_dtype)Q5_K
                   : mix->base;
    }
    if (mix->kind == MIX_UNIFORM || !more) {
        return mix->base;
    }
    if (is_falcon(mix->model) && (int)mix->base == Q4_K) {
        return (enum zv_dtype)(layer < n / 16 ? Q6_K : Q5_K);
    }
    return (enum zv_dtype)Q6_K;
}

static enum zv_dtype matrix_type(struct gguf_mix *mix, const struct zv_tensor *tensor)
{
    const uint32_t experts = experts_of(mix, tensor);
    switch (role_of(tensor)) {
    case ROLE_VALUES:
        return values_type(mix, tensor, experts);
    case ROLE_KEYS:
        return experts == 8 ? (enum zv_dtype)Q8_0 : mix->base;
    case ROLE_FUSED_QKV:
        return mix->kind != MIX_MEDIUM ? mix->base
                                       : (enum zv_dtype)((int)mix->base == Q4_K ? Q5_K : Q6_K);
    case ROLE_ATTENTION_OUT:
        return experts == 8 && (int)mix->base == Q4_K ? (enum zv_dtype)Q5_K : mix->base;
    case ROLE_MLP_OUT:
        return mlp_out_type(mix, tensor, experts);
    case ROLE_OTHER:
        break;
    }
    return mix->base;
}

static bool divides(enum zv_dtype dtype, uint64_t row)
{
    uint64_t elements = 1;
    uint64_t bytes = 0;
    return zv_dtype_block(dtype, &elements, &bytes) && row % elements == 0;
}

/* A type whose blocks divide the row. */
static enum zv_dtype fitting(enum zv_dtype type, uint64_t row)
{
    if (divides(type, row)) {
        return type;
    }
    const enum zv_dtype smaller = (enum zv_dtype)((int)type == Q4_K   ? Q5_0
                                                  : (int)type == Q5_K ? Q5_1
                                                                      : Q8_0);
    return (int)type >= Q4_K && divides(smaller, row) ? smaller : ZV_DTYPE_F16;
}

static uint64_t row_length(const struct zv_tensor *tensor)
{
    struct quant_matrix matrix;
    if (tensor->linear && quant_matrix_of(tensor, &matrix)) {
        return matrix.columns;
    }
    return tensor->dims != 0 ? tensor->shape[tensor->dims - 1] : 1;
}

enum zv_dtype gguf_mix_next(struct gguf_mix *mix, const struct zv_tensor *tensor)
{
    const bool table =
        tensor->part == ZV_PART_EMBEDDING && tensor->dims == 2 && !has(tensor, "token_type");
    if (tensor->dims < 2 || (!table && (!tensor->linear || tensor->part == ZV_PART_ROUTER))) {
        return ZV_DTYPE_F32; /* vectors, norms, routers, convolutions */
    }
    const uint64_t row = row_length(tensor);
    if (tensor->part == ZV_PART_HEAD || (table && mix->model->tied)) {
        const bool small = is_falcon(mix->model) || row % 256 != 0;
        return (int)mix->base == Q8_0 ? mix->base : (enum zv_dtype)(small ? Q8_0 : Q6_K);
    }
    return fitting(table ? mix->base : matrix_type(mix, tensor), row);
}
