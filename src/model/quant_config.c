/*
 * quantization_config, in the words of each quantiser. Sources: transformers
 * utils/quantization_config.py; compressed-tensors' QuantizationConfig; Model Optimizer's hf_quant
 * config.
 */
#include <string.h>

#include "base/fail.h"
#include "model/model_reader.h"

static struct zv_slice text_of(const struct zv_json_value *object, const char *key)
{
    struct zv_slice text = {0};
    (void)zv_json_string(zv_json_find(object, key), &text);
    return text;
}

static bool flag_of(const struct zv_json_value *object, const char *key)
{
    bool flag = false;
    return zv_json_bool(zv_json_find(object, key), &flag) && flag;
}

/* A count, or otherwise when it is missing, null or -1 ("whole channel"). */
static uint32_t count_of(const struct zv_json_value *object, const char *key, uint32_t otherwise)
{
    int64_t count = 0;
    if (!zv_json_i64(zv_json_find(object, key), &count)) {
        return otherwise;
    }
    return count > 0 && count <= UINT32_MAX ? (uint32_t)count : 0;
}

static enum zv_status read_skip(struct model_reader *reader, const struct zv_json_value *list,
                                struct zv_quant *quant, struct zv_error *err)
{
    const size_t count = zv_json_is(list, ZV_JSON_IS_ARRAY) ? zv_json_count(list) : 0;
    if (count == 0) {
        return ZV_OK;
    }
    struct zv_slice *const skip = zv_arena_array(reader->arena, count, sizeof *skip);
    if (skip == NULL) {
        return zv_fail_memory(err, "quantization_config");
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        kept += zv_json_string(zv_json_item(list, i), &skip[kept]);
    }
    quant->skip = skip;
    quant->skip_count = kept;
    return ZV_OK;
}

static void read_bitsandbytes(const struct zv_json_value *config, struct zv_quant *quant)
{
    const bool eight = flag_of(config, "load_in_8bit") || flag_of(config, "_load_in_8bit");
    quant->method = eight ? ZV_QUANT_BNB8 : ZV_QUANT_BNB4;
    quant->bits = eight ? 8 : 4;
    quant->group = eight ? 0 : 64;
    quant->per_channel = eight;
    quant->double_quant = !eight && flag_of(config, "bnb_4bit_use_double_quant");
    const struct zv_slice type = text_of(config, "bnb_4bit_quant_type");
    quant->name = zv_slice_of(eight ? "int8" : zv_slice_equal(type, "nf4") ? "nf4" : "fp4");
}

static void read_gptq(const struct zv_json_value *config, struct zv_quant *quant)
{
    quant->method = ZV_QUANT_GPTQ;
    quant->bits = count_of(config, "bits", 4);
    quant->group = count_of(config, "group_size", 128);
    quant->act_order = flag_of(config, "desc_act");
    quant->zero_point = true; /* qzeros are stored for symmetric weights too */
}

static void read_awq(const struct zv_json_value *config, struct zv_quant *quant)
{
    quant->method = ZV_QUANT_AWQ;
    quant->bits = count_of(config, "bits", count_of(config, "w_bit", 4));
    quant->group = count_of(config, "group_size", count_of(config, "q_group_size", 128));
    quant->zero_point = true;
}

static void read_fp8(const struct zv_json_value *config, struct zv_quant *quant)
{
    const struct zv_json_value *const block = zv_json_find(config, "weight_block_size");
    uint64_t rows = 0;
    uint64_t columns = 0;
    quant->method = ZV_QUANT_FP8;
    quant->bits = 8;
    quant->static_input = zv_slice_equal(text_of(config, "activation_scheme"), "static");
    if (zv_json_u64(zv_json_item(block, 0), &rows) &&
        zv_json_u64(zv_json_item(block, 1), &columns) && rows != 0 && columns != 0 &&
        rows <= UINT32_MAX && columns <= UINT32_MAX) {
        quant->block_rows = (uint32_t)rows;
        quant->block_columns = (uint32_t)columns;
    }
}

static void read_modelopt(const struct zv_json_value *config, struct zv_quant *quant)
{
    const struct zv_json_value *const inner = zv_json_find(config, "quantization");
    const struct zv_json_value *const at = inner != NULL ? inner : config;
    const struct zv_slice algorithm = text_of(at, "quant_algo");
    quant->layout = ZV_LAYOUT_MODELOPT;
    quant->static_input = true;
    if (zv_slice_contains(algorithm, "NVFP4")) {
        quant->method = ZV_QUANT_NVFP4;
        quant->bits = 4;
        quant->group = count_of(at, "group_size", 16);
    } else if (zv_slice_contains(algorithm, "FP8")) {
        quant->method = ZV_QUANT_FP8;
        quant->bits = 8;
        quant->kv_scales = zv_slice_contains(text_of(at, "kv_cache_quant_algo"), "FP8");
    }
}

static void read_compressed(const struct zv_json_value *config, struct zv_quant *quant)
{
    const struct zv_json_value *const group =
        zv_json_item(zv_json_find(config, "config_groups"), 0);
    const struct zv_json_value *const weights = zv_json_find(group, "weights");
    const struct zv_json_value *const inputs = zv_json_find(group, "input_activations");
    const struct zv_slice format = text_of(config, "format");
    const struct zv_slice strategy = text_of(weights, "strategy");
    bool dynamic = true;
    quant->layout = ZV_LAYOUT_COMPRESSED;
    quant->bits = count_of(weights, "num_bits", 0);
    quant->group = count_of(weights, "group_size", 0);
    quant->per_channel = zv_slice_equal(strategy, "channel");
    quant->zero_point = !flag_of(weights, "symmetric");
    quant->act_order = zv_slice_equal(text_of(weights, "actorder"), "group");
    quant->kv_scales = zv_json_is(zv_json_find(config, "kv_cache_scheme"), ZV_JSON_IS_OBJECT);
    quant->static_input = zv_json_is(inputs, ZV_JSON_IS_OBJECT) &&
                          (!zv_json_bool(zv_json_find(inputs, "dynamic"), &dynamic) || !dynamic);
    const bool floats = zv_slice_equal(text_of(weights, "type"), "float");
    if (floats && quant->bits == 4) {
        quant->method = zv_slice_contains(format, "mxfp4") ? ZV_QUANT_MXFP4 : ZV_QUANT_NVFP4;
    } else if (floats && quant->bits == 8) {
        quant->method = ZV_QUANT_FP8;
        const struct zv_json_value *const block = zv_json_find(weights, "block_structure");
        quant->block_rows = count_of(NULL, "", 0);
        uint64_t side = 0;
        if (zv_slice_equal(strategy, "block") && zv_json_u64(zv_json_item(block, 0), &side) &&
            side != 0 && side <= UINT32_MAX) {
            quant->block_rows = (uint32_t)side;
            quant->block_columns =
                zv_json_u64(zv_json_item(block, 1), &side) && side != 0 && side <= UINT32_MAX
                    ? (uint32_t)side
                    : quant->block_rows;
        }
    } else if (quant->bits != 0 && quant->bits <= 8) {
        quant->method = ZV_QUANT_INT;
    }
}

static void read_method(const struct zv_json_value *config, struct zv_quant *quant)
{
    const struct zv_slice method = quant->name;
    if (zv_slice_equal(method, "bitsandbytes") || flag_of(config, "load_in_4bit") ||
        flag_of(config, "load_in_8bit")) {
        read_bitsandbytes(config, quant);
    } else if (zv_slice_equal(method, "gptq") ||
               (zv_slice_contains(method, "auto") && zv_slice_contains(method, "round"))) {
        read_gptq(config, quant);
    } else if (zv_slice_equal(method, "awq")) {
        read_awq(config, quant);
    } else if (zv_slice_equal(method, "fp8")) {
        read_fp8(config, quant);
    } else if (zv_slice_equal(method, "fbgemm_fp8")) {
        read_fp8(config, quant);
        quant->per_channel = true;
    } else if (zv_slice_equal(method, "mxfp4")) {
        quant->method = ZV_QUANT_MXFP4;
        quant->bits = 4;
        quant->group = 32;
    } else if (zv_slice_equal(method, "compressed-tensors")) {
        read_compressed(config, quant);
    } else if (zv_slice_equal(method, "modelopt") || zv_slice_equal(method, "modelopt_fp4")) {
        read_modelopt(config, quant);
    }
}

static const struct zv_json_value *find_config(const struct zv_json_value *root)
{
    static const char *const inner[] = {NULL, "text_config", "llm_config"};
    static const char *const keys[] = {"quantization_config", "compression_config"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        const struct zv_json_value *const at =
            inner[i] == NULL ? root : zv_json_find(root, inner[i]);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const struct zv_json_value *const found = zv_json_find(at, keys[k]);
            if (zv_json_is(found, ZV_JSON_IS_OBJECT)) {
                return found;
            }
        }
    }
    return NULL;
}

enum zv_status model_read_quant(struct model_reader *reader, const struct zv_json_value *root,
                                struct zv_quant *quant, struct zv_error *err)
{
    static const char *const skips[] = {"modules_to_not_convert", "llm_int8_skip_modules", "ignore",
                                        "ignored_layers", "exclude_modules"};
    const struct zv_json_value *const config = find_config(root);
    *quant = (struct zv_quant){0};
    if (config == NULL) {
        return ZV_OK;
    }
    quant->method = ZV_QUANT_UNKNOWN;
    quant->name = text_of(config, "quant_method");
    read_method(config, quant);
    if (quant->bits > 32) {
        return zv_fail_at(err, ZV_E_SYNTAX, config->offset, "weights of %u bits", quant->bits);
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && quant->skip_count == 0 && i < 5; i++) {
        status = read_skip(reader, zv_json_find(config, skips[i]), quant, err);
    }
    return status;
}

bool zv_quant_parse(struct zv_slice name, struct zv_quant *quant)
{
    static const struct zv_quant schemes[] = {
        {.method = ZV_QUANT_BNB4, .name = {"nf4", 3}, .bits = 4, .group = 64},
        {.method = ZV_QUANT_BNB4, .name = {"fp4", 3}, .bits = 4, .group = 64},
        {.method = ZV_QUANT_BNB4,
         .name = {"nf4-dq", 6},
         .bits = 4,
         .group = 64,
         .double_quant = true},
        {.method = ZV_QUANT_BNB8, .name = {"int8", 4}, .bits = 8, .per_channel = true},
        {.method = ZV_QUANT_GPTQ,
         .name = {"gptq-4", 6},
         .bits = 4,
         .group = 128,
         .zero_point = true},
        {.method = ZV_QUANT_GPTQ,
         .name = {"gptq-8", 6},
         .bits = 8,
         .group = 128,
         .zero_point = true},
        {.method = ZV_QUANT_AWQ, .name = {"awq", 3}, .bits = 4, .group = 128, .zero_point = true},
        {.method = ZV_QUANT_FP8,
         .name = {"fp8", 3},
         .bits = 8,
         .per_channel = true,
         .layout = ZV_LAYOUT_COMPRESSED},
        {.method = ZV_QUANT_FP8,
         .name = {"fp8-block", 9},
         .bits = 8,
         .block_rows = 128,
         .block_columns = 128},
        {.method = ZV_QUANT_FP8,
         .name = {"fp8-tensor", 10},
         .bits = 8,
         .static_input = true,
         .layout = ZV_LAYOUT_COMPRESSED},
        {.method = ZV_QUANT_MXFP4, .name = {"mxfp4", 5}, .bits = 4, .group = 32},
        {.method = ZV_QUANT_NVFP4,
         .name = {"nvfp4", 5},
         .bits = 4,
         .group = 16,
         .static_input = true,
         .layout = ZV_LAYOUT_COMPRESSED},
        {.method = ZV_QUANT_INT,
         .name = {"w4a16", 5},
         .bits = 4,
         .group = 128,
         .layout = ZV_LAYOUT_COMPRESSED},
        {.method = ZV_QUANT_INT,
         .name = {"w8a8", 4},
         .bits = 8,
         .per_channel = true,
         .layout = ZV_LAYOUT_COMPRESSED},
    };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (zv_slice_equal_nocase(name, schemes[i].name.at)) {
            *quant = schemes[i];
            return true;
        }
    }
    return false;
}
