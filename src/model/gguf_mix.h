/*
 * What type llama.cpp's quantize gives each tensor of a file type. Source: llama.cpp
 * src/llama-quant.cpp, llama_tensor_get_type and llama_model_quantize_impl, without an importance
 * matrix and without overrides.
 */
#ifndef ZIRVE_MODEL_GGUF_MIX_H
#define ZIRVE_MODEL_GGUF_MIX_H

#include "model/model.h"

enum gguf_mix_kind { MIX_UNIFORM, MIX_SMALL, MIX_MEDIUM }; /* q8_0; q4_K_S; q4_K_M */

struct gguf_mix {
    enum gguf_mix_kind kind;
    enum zv_dtype base; /* of most matrices */
    const struct zv_model *model;
    uint64_t values_count; /* value projections of the model */
    uint64_t values_seen;  /* so far, in the order of the tensors */
    uint64_t downs_seen;   /* MLP output projections */
};

/* "q8_0", "q4_K_M" …; false for what is no file type whose rule is known. */
bool gguf_mix_parse(struct zv_slice name, struct gguf_mix *mix);

/* Whether the rule covers the model; *why says what it does not. */
bool gguf_mix_covers(const struct gguf_mix *mix, const struct zv_model *model, const char **why);

/* Starts over on model's tensors, which are then asked for in their order. */
void gguf_mix_start(struct gguf_mix *mix, const struct zv_model *model);
enum zv_dtype gguf_mix_next(struct gguf_mix *mix, const struct zv_tensor *tensor);

#endif
