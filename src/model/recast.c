/*
 * The same model in another element type. For GGUF types: the rule of llama.cpp's quantize (src/
 * llama-quant.cpp, llama_tensor_get_type and llama_model_quantize_impl) for the file types that
 * name one type, applied to the checkpoint's own tensors.
 */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "model/model_reader.h"
#include "model/quant_select.h"

enum { GGML_Q8_0 = 8, GGML_Q5_0 = 6, GGML_Q4_0 = 2, GGML_Q4_1 = 3, GGML_Q5_1 = 7, GGML_Q6_K = 14 };

static bool is_float(enum zv_dtype dtype)
{
    return dtype == ZV_DTYPE_F64 || dtype == ZV_DTYPE_F32 || dtype == ZV_DTYPE_F16 ||
           dtype == ZV_DTYPE_BF16;
}

/* One type for all weights: the file type's name is the type's. */
static bool is_uniform(enum zv_dtype dtype)
{
    static const int types[] = {GGML_Q4_0, GGML_Q4_1, GGML_Q5_0, GGML_Q5_1, GGML_Q8_0, GGML_Q6_K};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if ((int)dtype == ZV_DTYPE_GGML + types[i]) {
            return true;
        }
    }
    return false;
}

static uint64_t row_length(const struct zv_tensor *tensor)
{
    struct quant_matrix matrix;
    if (tensor->linear && quant_matrix_of(tensor, &matrix)) {
        return matrix.columns;
    }
    return tensor->dims != 0 ? tensor->shape[tensor->dims - 1] : 1;
}

static bool divides(enum zv_dtype dtype, uint64_t row)
{
    uint64_t elements = 1;
    uint64_t bytes = 0;
    return zv_dtype_block(dtype, &elements, &bytes) && row % elements == 0;
}

/* The type llama.cpp gives a tensor in a file of one type. */
static enum zv_dtype gguf_type(const struct zv_model *model, const struct zv_tensor *tensor,
                               enum zv_dtype wanted)
{
    const bool table = tensor->part == ZV_PART_EMBEDDING && tensor->dims == 2 &&
                       !zv_slice_contains(tensor->name, "token_type");
    const bool quantised =
        tensor->dims >= 2 && (table || (tensor->linear && tensor->part != ZV_PART_ROUTER));
    if (!quantised) {
        return ZV_DTYPE_F32;
    }
    const uint64_t row = row_length(tensor);
    enum zv_dtype type = wanted;
    const bool output = tensor->part == ZV_PART_HEAD || (table && model->tied);
    if (output && (int)wanted != ZV_DTYPE_GGML + GGML_Q8_0) {
        type = ZV_DTYPE_GGML + (row % 256 != 0 ? GGML_Q8_0 : GGML_Q6_K);
    } else if (tensor->split == ZV_SPLIT_KV_HEADS && tensor->layer >= 0 &&
               (size_t)tensor->layer < model->layer_count &&
               model->layers[tensor->layer].experts == 8) {
        type = ZV_DTYPE_GGML + GGML_Q8_0; /* small beside eight experts, so kept better */
    }
    if (!divides(type, row) && (int)type == ZV_DTYPE_GGML + GGML_Q6_K) {
        type = ZV_DTYPE_GGML + GGML_Q8_0;
    }
    return divides(type, row) ? type : ZV_DTYPE_F16;
}

static enum zv_status convert(const struct zv_model *model, struct zv_tensor *tensor,
                              enum zv_dtype wanted, struct zv_error *err)
{
    if (!is_float(tensor->dtype)) {
        return ZV_OK; /* integers and masks stay what they are */
    }
    tensor->dtype = wanted >= ZV_DTYPE_GGML ? gguf_type(model, tensor, wanted) : wanted;
    uint64_t stored = 1; /* elements is 0 for what loading does not keep */
    for (uint8_t i = 0; i < tensor->dims; i++) {
        if (!zv_mul(stored, tensor->shape[i], &stored)) {
            return zv_fail(err, ZV_E_OVERFLOW, "a tensor of more than 2^64 elements");
        }
    }
    return zv_dtype_bytes(tensor->dtype, stored, &tensor->bytes)
               ? ZV_OK
               : zv_fail(err, ZV_E_OVERFLOW, "%.*s does not fit in %s", (int)tensor->name.length,
                         tensor->name.at, zv_dtype_name(tensor->dtype));
}

static enum zv_status refuse(const struct zv_model *from, struct zv_slice type, enum zv_dtype dtype,
                             struct zv_error *err)
{
    if (from->tensor_count == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "the model's tensors are not known");
    }
    for (size_t i = 0; i < from->tensor_count; i++) {
        if (from->tensors[i].metadata || from->tensors[i].dtype >= ZV_DTYPE_GGML) {
            return zv_fail(err, ZV_E_UNSUPPORTED, "the model is quantised already");
        }
    }
    if (is_float(dtype) || is_uniform(dtype)) {
        return ZV_OK;
    }
    const bool mix = zv_slice_contains(type, "_K") || zv_slice_contains(type, "_k") ||
                     zv_slice_contains(type, "iq") || zv_slice_contains(type, "IQ");
    return zv_fail(err, ZV_E_UNSUPPORTED,
                   mix ? "\"%.*s\" is a mix of types chosen tensor by tensor: name the .gguf itself"
                       : "\"%.*s\" is no element type that weights can be held in",
                   (int)type.length, type.at);
}

enum zv_status zv_model_recast(struct zv_model *to, const struct zv_model *from,
                               struct zv_slice type, struct zv_arena *arena, struct zv_error *err)
{
    const enum zv_dtype dtype = zv_dtype_parse(type);
    enum zv_status status = refuse(from, type, dtype, err);
    if (status != ZV_OK) {
        return status;
    }
    struct zv_tensor *const tensors = zv_arena_array(arena, from->tensor_count, sizeof *tensors);
    if (tensors == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    memcpy(tensors, from->tensors, from->tensor_count * sizeof *tensors);
    for (size_t i = 0; status == ZV_OK && i < from->tensor_count; i++) {
        status = convert(from, &tensors[i], dtype, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    *to = *from;
    to->tensors = tensors;
    to->dtype = is_float(dtype) ? dtype : from->dtype;
    return model_total(to, err);
}
