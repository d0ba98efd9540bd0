#include "estimate/weights_as.h"

#include "base/fail.h"

/* The runtimes' words for schemes that a checkpoint has or that are made while loading. */
static struct zv_slice usual_name(struct zv_slice name)
{
    static const struct {
        const char *word;
        const char *scheme;
    } rows[] = {
        {"gptq", "gptq-4"},    {"gptq_marlin", "gptq-4"},
        {"awq_marlin", "awq"}, {"bitsandbytes", "nf4"},
        {"bnb", "nf4"},        {"4bit", "nf4"},
        {"bnb-4bit", "nf4"},   {"8bit", "int8"},
        {"bnb-8bit", "int8"},  {"llm.int8", "int8"},
        {"fbgemm_fp8", "fp8"}, {"ptpc_fp8", "fp8"},
        {"w8a8_fp8", "fp8"},   {"w8a8_int8", "w8a8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (zv_slice_equal_nocase(name, rows[i].word)) {
            return zv_slice_of(rows[i].scheme);
        }
    }
    return name;
}

static bool asks_nothing(struct zv_slice name)
{
    return name.length == 0 || zv_slice_equal_nocase(name, "auto") ||
           zv_slice_equal_nocase(name, "none") || zv_slice_equal_nocase(name, "as-stored");
}

/* A runtime's flag that names how the checkpoint is quantised already. */
static bool names_own_scheme(const struct zv_model *model, struct zv_slice name)
{
    struct zv_quant quant;
    if (model->quant.method == ZV_QUANT_NONE) {
        return false;
    }
    return zv_slice_equal_nocase(name, "compressed-tensors") ||
           zv_slice_equal_nocase(name, "modelopt") || zv_slice_equal_nocase(name, "gguf") ||
           (zv_quant_parse(usual_name(name), &quant) && quant.method == model->quant.method);
}

enum zv_status zv_weights_as(struct zv_model *to, const struct zv_model *from, struct zv_slice name,
                             struct zv_arena *arena, struct zv_error *err)
{
    struct zv_quant quant;
    *to = *from;
    if (asks_nothing(name) || names_own_scheme(from, name)) {
        return ZV_OK;
    }
    name = usual_name(name);
    return zv_quant_parse(name, &quant) ? zv_model_requantize(to, from, &quant, arena, err)
                                        : zv_model_recast(to, from, name, arena, err);
}

/* A file that names no type is as wide as its tensors. */
static bool is_float32(const struct zv_model *model)
{
    return model->dtype == ZV_DTYPE_F32 ||
           (model->dtype == ZV_DTYPE_UNKNOWN && model->tensor_count != 0 &&
            model->tensors[0].dtype == ZV_DTYPE_F32);
}

enum zv_status zv_weights_loaded(struct zv_model *to, const struct zv_model *from,
                                 const struct zv_job *job, struct zv_arena *arena,
                                 struct zv_error *err)
{
    const bool serve = job->task == ZV_TASK_SERVE;
    const bool plain = from->quant.method == ZV_QUANT_NONE && from->source != ZV_SOURCE_GGUF;
    const struct zv_slice dtype = serve ? job->serve.dtype : job->train.weight_dtype;
    const bool casts = job->runtime == ZV_RUNTIME_VLLM || job->runtime == ZV_RUNTIME_SGLANG;
    struct zv_model typed = *from;
    enum zv_status status = ZV_OK;
    if (plain && !asks_nothing(dtype)) {
        status = zv_weights_as(&typed, from, dtype, arena, err);
    } else if (plain && serve && casts && is_float32(from)) {
        status = zv_weights_as(&typed, from, zv_slice_of("f16"), arena, err);
    }
    return status == ZV_OK ? zv_weights_as(to, &typed, job->serve.quantization, arena, err)
                           : status;
}
