/*
 * The same model in another element type. For GGUF types: the rule of llama.cpp's quantize (src/
 * llama-quant.cpp, llama_tensor_get_type and llama_model_quantize_impl) for the file types that
 * name one type, applied to the checkpoint's own tensors.
 */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "model/gguf_mix.h"
#include "model/model_reader.h"

static bool is_float(enum zv_dtype dtype)
{
    return dtype == ZV_DTYPE_F64 || dtype == ZV_DTYPE_F32 || dtype == ZV_DTYPE_F16 ||
           dtype == ZV_DTYPE_BF16;
}

static enum zv_status convert(struct zv_tensor *tensor, enum zv_dtype dtype, struct gguf_mix *mix,
                              struct zv_error *err)
{
    if (!is_float(tensor->dtype)) {
        return ZV_OK; /* integers and masks stay what they are */
    }
    tensor->dtype = mix->model != NULL ? gguf_mix_next(mix, tensor) : dtype;
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

static enum zv_status check(const struct zv_model *from, struct zv_error *err)
{
    if (from->tensor_count == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "the model's tensors are not known");
    }
    for (size_t i = 0; i < from->tensor_count; i++) {
        if (from->tensors[i].metadata || from->tensors[i].dtype >= ZV_DTYPE_GGML) {
            return zv_fail(err, ZV_E_UNSUPPORTED, "the model is quantised already");
        }
    }
    return ZV_OK;
}

/* A floating-point type, or a file type whose rule is known and covers the model. */
static enum zv_status choose(const struct zv_model *from, struct zv_slice type,
                             enum zv_dtype *dtype, struct gguf_mix *mix, struct zv_error *err)
{
    const char *why = NULL;
    *dtype = zv_dtype_parse(type);
    if (is_float(*dtype)) {
        return ZV_OK;
    }
    if (!gguf_mix_parse(type, mix)) {
        const bool block = *dtype >= ZV_DTYPE_GGML || zv_slice_contains(type, "_K") ||
                           zv_slice_starts(type, "iq") || zv_slice_starts(type, "IQ");
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       block
                           ? "\"%.*s\" is a mix of types chosen tensor by tensor by a rule that is "
                             "not known here: name the .gguf itself"
                           : "\"%.*s\" is no element type that weights can be held in",
                       (int)type.length, type.at);
    }
    if (!gguf_mix_covers(mix, from, &why)) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "\"%.*s\" of this model: %s: name the .gguf itself",
                       (int)type.length, type.at, why);
    }
    gguf_mix_start(mix, from);
    return ZV_OK;
}

enum zv_status zv_model_recast(struct zv_model *to, const struct zv_model *from,
                               struct zv_slice type, struct zv_arena *arena, struct zv_error *err)
{
    enum zv_dtype dtype = ZV_DTYPE_UNKNOWN;
    struct gguf_mix mix = {0};
    enum zv_status status = check(from, err);
    if (status == ZV_OK) {
        status = choose(from, type, &dtype, &mix, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    struct zv_tensor *const tensors = zv_arena_array(arena, from->tensor_count, sizeof *tensors);
    if (tensors == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    memcpy(tensors, from->tensors, from->tensor_count * sizeof *tensors);
    for (size_t i = 0; status == ZV_OK && i < from->tensor_count; i++) {
        status = convert(&tensors[i], dtype, &mix, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    *to = *from;
    to->tensors = tensors;
    to->dtype = is_float(dtype) ? dtype : from->dtype;
    return model_total(to, err);
}
