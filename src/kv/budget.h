/*
 * Budget: how many pages does a card have for a model, term by term?
 *
 *   card × fraction − weights − activations − context … = KV bytes → pages → tokens     vLLM
 *   (card − context) × fraction − weights = KV bytes → token slots → pages             SGLang
 *
 * The terms are the items of the estimate (room estimate), of the pipeline stage with least left,
 * in the phase where its total is largest; their sum is exact.
 */
#ifndef ZIRVE_KV_BUDGET_H
#define ZIRVE_KV_BUDGET_H

#include "estimate/question.h"
#include "zirve/kv.h"

enum { ZV_KV_MAX_TERMS = 48 };

struct zv_kv_term {
    const char *name;
    struct zv_quantity quantity; /* unknown: in no sum */
};

struct zv_kv_budget {
    enum zv_runtime_kind runtime;
    uint64_t context_bytes; /* SGLang: taken off the card before the fraction is */
    uint64_t capacity_bytes;
    uint64_t fraction_millionths;             /* that the runtime may use */
    uint64_t budget_bytes;                    /* capacity × fraction */
    struct zv_kv_term terms[ZV_KV_MAX_TERMS]; /* taken off */
    size_t term_count;
    size_t unknown_count; /* of the terms */
    uint64_t cache_bytes; /* left; 0 when the terms pass the budget */
    uint64_t missing_bytes;

    struct zv_vllm_cache geometry; /* SGLang: one group, a page of all layers */
    uint64_t pages;                /* that can be used */
    bool has_null_page;            /* one more is a placeholder */
    uint64_t token_bytes;          /* of one token in all layers, none of them sliding */
    uint64_t slots;                /* cache_bytes / token_bytes: tokens, were they one piece */
    uint64_t tokens;               /* as the runtime prints it */
    uint64_t context_tokens;
    uint64_t step_tokens;
    bool admit_whole; /* rules of this version */
    bool unkeyed_first;

    struct zv_kv_group groups[ZV_KV_MAX_GROUPS]; /* as the pages are shared */
    size_t group_count;
};

/*
 * question has a capacity and the rules of vLLM or SGLang. Errors: those of zv_question_answer;
 * ZV_E_UNSUPPORTED for another runtime, a model without a cache, windows or states under SGLang
 * (pools of their own, by rules that are not published), or more than ZV_KV_MAX_GROUPS groups.
 */
enum zv_status zv_kv_budget_of(struct zv_kv_budget *to, const struct zv_question *question,
                               struct zv_arena *arena, struct zv_error *err);

/* Room-internal: the rest of it for SGLang, once the question is answered. */
enum zv_status budget_sglang(struct zv_kv_budget *to, const struct zv_question *question,
                             const struct zv_estimate *estimate, struct zv_error *err);

/*
 * What if layers that slide saw so many tokens, or, where none slides, all layers did? 0: none
 * slides. model's layers are replaced by changed ones in the arena. Errors: ZV_E_NOMEM.
 */
enum zv_status zv_kv_set_window(struct zv_model *model, uint64_t tokens, struct zv_arena *arena,
                                struct zv_error *err);

/* What prefix caching may keep that nobody uses: blocks of 512 tokens, or bytes; both 0: all. */
struct zv_kv_keep {
    uint64_t ids;
    uint64_t bytes;
};

/* The pages of that, rounded down, at least 1; 0 when all may. budget may be NULL without bytes. */
uint32_t zv_kv_kept_pages(const struct zv_kv_keep *keep, const struct zv_kv_budget *budget,
                          const struct zv_kv_cache_options *cache);

#endif
