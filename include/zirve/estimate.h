/*
 * Estimate: what should a job need? For programs; the command's options say the same in words.
 *
 *     struct zv_arena arena = {0};
 *     struct zv_error err = {0};
 *     struct zv_ledger ledger;
 *     const struct zv_estimate_options options = {.model_path = "Qwen2.5-7B", .context_tokens =
 * 8192}; if (zv_estimate(&ledger, &options, &arena, &err) == ZV_OK) …
 *
 * Nothing is printed and no device is looked at. Each item says how it is known and on what basis;
 * zv_ledger_total sums a device group. Formulas and their sources: docs/FORMULAS.md.
 */
#ifndef ZIRVE_ESTIMATE_H
#define ZIRVE_ESTIMATE_H

#include <stdint.h>

#include "zirve/arena.h"
#include "zirve/error.h"
#include "zirve/quantity.h"

/* Zero or NULL: not given, the runtime's or the model's own value is taken. */
struct zv_estimate_options {
    const char *model_path;   /* folder, .gguf, .safetensors, config.json; required */
    const char *runtime;      /* "vllm@0.19.0", "llama.cpp"; NULL: the model alone */
    const char *command_line; /* a runtime's own command line; what is given beside it wins */
    int train;                /* 0 serve, 1 train */
    uint64_t context_tokens;  /* of one sequence; of a training sequence */
    uint64_t sequences;       /* at once; of a micro-batch */
    uint32_t tp, pp, dp;      /* tensor, pipeline, data parallel ranks */
    const char *dtype;        /* "bf16" */
    const char *quantization; /* "nf4", "fp8", "q8_0" */
    const char *kv_dtype;     /* "fp8", "q8_0" */
    const char *optimizer;    /* "adamw-8bit" */
    uint32_t lora_rank;       /* 0: every weight trains */
    uint64_t capacity_bytes;  /* of one card: what a runtime sizes its pool by */
};

/*
 * Fills ledger; everything in it lives in arena, which outlives the model's files. Errors: those of
 * reading a model (ZV_E_IO, ZV_E_SYNTAX, ZV_E_LIMIT, ZV_E_NOT_FOUND, with where and offset),
 * ZV_E_UNSUPPORTED for a version or a scheme, ZV_E_USAGE for a job that makes no sense,
 * ZV_E_OVERFLOW, ZV_E_NOMEM.
 */
enum zv_status zv_estimate(struct zv_ledger *ledger, const struct zv_estimate_options *options,
                           struct zv_arena *arena, struct zv_error *err);

#endif
