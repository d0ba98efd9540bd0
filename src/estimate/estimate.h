/*
 * Estimate: what should this job need?
 *
 *   model ─┐
 *   job ───┼──► plan (who holds what) ──► items ──► ledger: at least · expected · unknowns
 *   rules ─┘
 *
 * Everything is per GPU (a device group of identical ranks) or on the host; nothing is pooled. An
 * item that a formula gives from sizes is calculated; one that rests on a rule of thumb, a fitted
 * constant or a runtime's default nobody stated is assumed; what neither covers is an unknown item.
 * Formulas and their sources: docs/FORMULAS.md.
 *
 * Not here: reading files, looking at a device, printing, the list of cards.
 */
#ifndef ZIRVE_ESTIMATE_ESTIMATE_H
#define ZIRVE_ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "estimate/cache.h"
#include "job/job.h"
#include "model/model.h"
#include "runtime/versions.h"
#include "zirve/arena.h"
#include "zirve/error.h"
#include "zirve/quantity.h"

struct zv_estimate_input {
    const struct zv_model *model;       /* as it is loaded */
    const struct zv_model *unquantised; /* before a scheme was put on it, NULL when none was */
    const struct zv_job *job;
    const struct zv_runtime_rules *rules; /* of job->runtime; NULL for ZV_RUNTIME_NONE */
    const struct zv_model *draft;         /* speculative decoding, NULL when none */
    const struct zv_model *projector;     /* a separate vision file (mmproj), NULL when none */
    const struct zv_model *adapters;      /* LoRA checkpoints that are served */
    size_t adapter_count;
    uint64_t capacity_bytes; /* of one card, 0 unknown: what a runtime sizes its pool by */
};

enum { ESTIMATE_MAX_LINES = 48 };

/* The pool a runtime makes of what is left: only when a capacity is given. */
struct zv_pool {
    bool known;
    uint64_t budget_bytes; /* of the card that the runtime may use at all */
    uint64_t cache_bytes;  /* left for the cache */
    uint64_t blocks;       /* pages */
    uint64_t tokens;       /* as the runtime prints it */
    uint64_t token_bytes;  /* SGLang: of a token in all layers of the stage with least; else 0 */
    uint64_t concurrency;  /* sequences of full length, millionths */
    const char *basis;
};

struct zv_estimate {
    struct zv_ledger ledger;
    bool upper_bound;        /* some items are independent maxima: their sum is an upper bound */
    uint64_t context_tokens; /* as used, of one sequence */
    uint64_t sequences;
    uint64_t step_tokens; /* of one prefill step (llama.cpp: the micro-batch); training: 0 */
    uint64_t fraction_millionths; /* of a card that the runtime may use; 1000000 = all */
    struct zv_vllm_cache pages;   /* vLLM: the page geometry; page_bytes 0 otherwise */
    struct zv_pool pool;
    const char *assumptions[ESTIMATE_MAX_LINES]; /* values the user did not give, one line each */
    size_t assumption_count;
    const char *invalid_if[ESTIMATE_MAX_LINES]; /* what would make the answer wrong */
    size_t invalid_count;
};

/* Fills estimate; all of it lives in arena. Errors: ZV_E_USAGE (a job that makes no sense),
 * ZV_E_UNSUPPORTED, ZV_E_OVERFLOW, ZV_E_NOMEM. */
enum zv_status zv_estimate_run(struct zv_estimate *estimate, const struct zv_estimate_input *input,
                               struct zv_arena *arena, struct zv_error *err);

/* ---- by numbers: no model file ---- */

struct zv_numbers {
    uint64_t parameters;
    uint64_t bits; /* of one stored value */
    uint64_t reserve_bytes;
    uint64_t layers; /* 0: no cache */
    uint64_t kv_heads;
    uint64_t head_dim;
    uint64_t context_tokens;
    uint64_t kv_bits;
    uint64_t sequences;
};

/* parameters · bits / 8, rounded up to bytes. ZV_E_OVERFLOW. */
enum zv_status zv_numbers_weights(const struct zv_numbers *numbers, uint64_t *bytes,
                                  struct zv_error *err);

/* 2 · layers · kv_heads · head_dim · context · kv_bits / 8 · sequences. ZV_E_OVERFLOW. */
enum zv_status zv_numbers_cache(const struct zv_numbers *numbers, uint64_t *bytes,
                                struct zv_error *err);

/* The same as a ledger on one card. */
enum zv_status zv_numbers_ledger(const struct zv_numbers *numbers, struct zv_ledger *ledger,
                                 struct zv_error *err);

#endif
