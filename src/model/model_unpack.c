/*
 * Quantised checkpoints as files hold them: which tensors are packed weights, which describe them.
 * Sources: the loaders of transformers (bitsandbytes, GPTQ, AWQ, FP8, MXFP4), compressed-tensors
 * and TensorRT Model Optimizer; layouts in docs/FORMULAS.md.
 */
#include "base/checked.h"
#include "base/fail.h"
#include "base/strmap.h"
#include "model/model_reader.h"

/* Endings of tensors that describe a quantised weight and are no parameters themselves. */
static const char *const describing[] = {
    ".weight.absmax",
    ".weight.quant_map",
    ".weight.nested_absmax",
    ".weight.nested_quant_map",
    ".SCB",
    ".weight_format",
    ".qzeros",
    ".scales",
    ".g_idx",
    ".weight_scale_inv",
    ".weight_scale",
    ".weight_scale_2",
    ".input_scale",
    ".weight_shape",
    ".weight_zero_point",
    ".weight_g_idx",
    ".weight_global_scale",
    ".input_global_scale",
    ".k_scale",
    ".v_scale",
    ".q_scale",
    "_proj_scales",
    "_blocks_scales",
    ".output_scale",
    ".input_zero_point",
    ".activation_scale",
};

static bool describes(const struct zv_tensor *tensor)
{
    for (size_t i = 0; i < sizeof describing / sizeof *describing; i++) {
        if (zv_slice_ends(tensor->name, describing[i])) {
            return true;
        }
    }
    return zv_slice_contains(tensor->name, ".weight.quant_state.");
}

/* Whether the list has stem (name without its ending) + ending. */
static bool has_sibling(const struct zv_strmap *names, struct zv_slice stem, const char *ending)
{
    char name[640];
    const size_t length = __builtin_strlen(ending);
    if (stem.length + length > sizeof name) {
        return false;
    }
    __builtin_memcpy(name, stem.at, stem.length);
    __builtin_memcpy(name + stem.length, ending, length);
    return zv_strmap_find(names, (struct zv_slice){name, stem.length + length}) != NULL;
}

static struct zv_slice without(struct zv_slice name, const char *ending)
{
    return (struct zv_slice){name.at, name.length - __builtin_strlen(ending)};
}

/* Values in one stored element, as a fraction: values = elements * times / per. */
struct packing {
    uint64_t times;
    uint64_t per;
};

static struct packing packing_of(const struct model_reader *reader, const struct zv_strmap *names,
                                 const struct zv_tensor *tensor)
{
    const uint32_t stated = reader->model->quant.bits;
    const uint64_t bits = stated != 0 ? stated : 4;
    if (zv_slice_ends(tensor->name, ".qweight") && tensor->dtype == ZV_DTYPE_I32) {
        return (struct packing){32, bits};
    }
    if (zv_slice_ends(tensor->name, ".weight_packed")) {
        return tensor->dtype == ZV_DTYPE_I32 ? (struct packing){32, bits} : (struct packing){2, 1};
    }
    if (zv_slice_ends(tensor->name, "_blocks") && tensor->dtype == ZV_DTYPE_U8) {
        return (struct packing){2, 1}; /* MXFP4: 16 bytes hold 32 values */
    }
    if (zv_slice_ends(tensor->name, ".weight") && tensor->dtype == ZV_DTYPE_U8) {
        const struct zv_slice stem = without(tensor->name, ".weight");
        if (has_sibling(names, tensor->name, ".absmax") ||
            has_sibling(names, stem, ".weight_scale")) {
            return (struct packing){2, 1}; /* bitsandbytes 4 bit, NVFP4 of Model Optimizer */
        }
    }
    return (struct packing){1, 1};
}

static enum zv_status unpack(const struct model_reader *reader, const struct zv_strmap *names,
                             struct zv_tensor *tensor, struct zv_error *err)
{
    if (describes(tensor)) {
        tensor->metadata = true;
        tensor->elements = 0;
        tensor->linear = false;
        return ZV_OK;
    }
    const struct packing packing = packing_of(reader, names, tensor);
    if (packing.times == packing.per) {
        return ZV_OK;
    }
    tensor->linear = true;
    return zv_mul_div(tensor->elements, packing.times, packing.per, &tensor->elements)
               ? ZV_OK
               : zv_fail(err, ZV_E_OVERFLOW, "%.*s holds more than 2^64 values",
                         (int)tensor->name.length, tensor->name.at);
}

/* Only bytes named .weight are told by what stands beside them. */
static bool needs_names(const struct model_tensors *tensors)
{
    for (size_t i = 0; i < tensors->count; i++) {
        if (tensors->at[i].dtype == ZV_DTYPE_U8 && zv_slice_ends(tensors->at[i].name, ".weight")) {
            return true;
        }
    }
    return false;
}

enum zv_status model_unpack(struct model_reader *reader, struct model_tensors *tensors,
                            struct zv_error *err)
{
    struct zv_strmap names = {0};
    enum zv_status status = ZV_OK;
    const bool named = needs_names(tensors);
    if (named) {
        status = model_unfold(reader, tensors, NULL, err);
    }
    for (size_t i = 0; named && status == ZV_OK && i < tensors->count; i++) {
        struct zv_strmap_entry *entry;
        if (zv_strmap_add(&names, tensors->at[i].name, i, &entry) == ZV_STRMAP_NOMEM) {
            status = zv_fail_memory(err, "tensor names");
        }
    }
    for (size_t i = 0; status == ZV_OK && i < tensors->count; i++) {
        status = unpack(reader, &names, &tensors->at[i], err);
    }
    zv_strmap_free(&names);
    return status;
}
