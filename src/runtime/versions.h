/*
 * Runtime: what will vLLM, SGLang, llama.cpp or transformers of this version do with memory, and
 * what did one of them say when it started?
 *
 *   "0.19.0" ──► data/runtimes.tsv ──► struct zv_runtime_rules   (versions.h)
 *   "llama-server -m … -c 32k" ──────► struct zv_job             (command_line.h)
 *   a start log ─────────────────────► struct zv_log: readings   (log_start.h)
 *
 * The rules are facts of the runtimes' own sources, one row of the table each, with the version and
 * date from which they hold and where that is said. Nothing is fitted to a log.
 *
 * Not here: any sum over a model (room estimate), any card.
 */
#ifndef ZIRVE_RUNTIME_VERSIONS_H
#define ZIRVE_RUNTIME_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "job/job.h"
#include "zirve/arena.h"
#include "zirve/error.h"

/*
 * One rule of one version. known is false when no row of the table holds for the version (the
 * runtime has no such rule, or nobody has looked it up): the estimate then says "unknown".
 */
struct zv_rule {
    uint64_t value;
    bool known;
    const char *since;  /* the version from which the value holds, "" when always */
    const char *source; /* "ggml-org/llama.cpp#19067" …; "" when not known */
};

/*
 * The rules, by the runtime they belong to. Yes/no rules are 1/0; fractions are millionths.
 *
 * llama.cpp and ik_llama.cpp
 *   context_multiple      n_ctx is rounded up to a multiple of this many tokens (1: it is not);
 *   context_multiple_flash the same with flash attention on
 *   context_default       n_ctx when none is given; 0 = the model's own context
 *   batch_default         n_batch; ubatch_default: n_ubatch
 *   slots_default         sequences llama-server keeps when -np is not given
 *   kv_unified_default    one stream for all sequences when -np is not given;
 *   kv_unified_explicit   the same when it is given
 *   iswa_cache            sliding layers have a cache of their own, of few cells
 *   iswa_batch            tokens added to the window of that cache: 0 n_ubatch, 1 n_batch
 *   mla_form              deepseek2: 0 K and V per head, 1 latent + V copy of kv_lora_rank,
 *                         2 latent only
 *   flash_attention_default  0 off, 1 on, 2 automatic (on where the backend can)
 *   gpu_layers_default    layers on the card when -ngl is not given; ZV_JOB_ALL_LAYERS = all that
 *                         fit
 *   fit_margin_bytes      parameters are lowered until the model fits, and this much is kept free
 *   output_embeddings     the output buffer holds n_embd floats beside the logits: 0 no, 1 always,
 *                         2 when the model has embeddings on
 *   draft_layers          multi-token-prediction layers of the file: 0 never loaded, 1 always,
 *                         2 when they are used
 *
 * vLLM
 *   block_default         tokens of a KV block; sequences_default (max_num_seqs);
 *   batched_default       max_num_batched_tokens of `vllm serve` on a card below 70 GiB;
 *   batched_default_large the same on a card of 70 GiB or more; sequences_default_large likewise
 *   memory_fraction       gpu_memory_utilization
 *   graphs_subtracted     the CUDA graph estimate is taken off what the KV cache gets
 *   hybrid_groups         sliding layers get KV groups of their own (else they are as full ones)
 *   token_form            printed "GPU KV cache size": 0 blocks x block; 1 blocks / groups x block;
 *                         2 concurrency x max_model_len
 *   null_block            one block of the pool is a placeholder
 *   admit_whole           a request is admitted only when all its known tokens have room
 *   unkeyed_first         freed blocks without a prefix key are reused first
 *   swap_default_bytes    host swap space a card (swap_space, until it was removed)
 *   engine                0 or 1: which engine serves by default
 *
 * SGLang
 *   memory_fraction       mem_fraction_static when a formula is not used (0 = formula)
 *   fraction_form         0 a constant by tp, 1 by card memory class, 2 by chunk and graph sizes
 *   page_default          page_size; chunk_default: chunked_prefill_size
 *
 * transformers
 *   logits_all            logits of every prompt position are computed in generate()
 *   logits_float          … and copied to float32
 *   cache_concat          a dynamic cache grows by concatenation (old + new live at once)
 */
#define ZV_RULE_LIST(X)                                                                            \
    X(context_multiple)                                                                            \
    X(context_multiple_flash)                                                                      \
    X(context_default)                                                                             \
    X(batch_default)                                                                               \
    X(ubatch_default)                                                                              \
    X(slots_default)                                                                               \
    X(kv_unified_default)                                                                          \
    X(kv_unified_explicit)                                                                         \
    X(iswa_cache)                                                                                  \
    X(iswa_batch)                                                                                  \
    X(mla_form)                                                                                    \
    X(flash_attention_default)                                                                     \
    X(gpu_layers_default)                                                                          \
    X(fit_margin_bytes)                                                                            \
    X(output_embeddings)                                                                           \
    X(draft_layers)                                                                                \
    X(block_default)                                                                               \
    X(sequences_default)                                                                           \
    X(sequences_default_large)                                                                     \
    X(batched_default)                                                                             \
    X(batched_default_large)                                                                       \
    X(memory_fraction)                                                                             \
    X(graphs_subtracted)                                                                           \
    X(hybrid_groups)                                                                               \
    X(token_form)                                                                                  \
    X(null_block)                                                                                  \
    X(admit_whole)                                                                                 \
    X(unkeyed_first)                                                                               \
    X(swap_default_bytes)                                                                          \
    X(engine)                                                                                      \
    X(fraction_form)                                                                               \
    X(page_default)                                                                                \
    X(chunk_default)                                                                               \
    X(logits_all)                                                                                  \
    X(logits_float)                                                                                \
    X(cache_concat)

enum zv_version_match {
    ZV_VERSION_EXACT,   /* the version asked for is in the table's range */
    ZV_VERSION_NEWEST,  /* none was given, or "latest": the newest known one */
    ZV_VERSION_BY_DATE, /* a date or year-month: the last version of that day */
    ZV_VERSION_ASSUMED  /* not known: the nearest known one was taken, as asked */
};

struct zv_runtime_rules {
    enum zv_runtime_kind kind;
    enum zv_version_match match;
    const char *version; /* resolved: "0.19.0", "b10809" */
    const char *date;    /* of that version, "2026-03-20"; "" when not known */
    const char *note;    /* one line for people when match is not EXACT; "" otherwise */
#define ZV_RULE_FIELD(name) struct zv_rule name;
    ZV_RULE_LIST(ZV_RULE_FIELD)
#undef ZV_RULE_FIELD
};

/*
 * The rules of one version. version: "0.19.0", "v0.19.0", "0.8.x", "b10809", "b8211-a0ed91a44",
 * "8211", "2025-05" (what was current when that month began), "2025-05-03", "latest"; empty = the
 * newest known. assume: take the nearest known version instead of failing. Strings live in arena.
 * ZV_RUNTIME_NONE gives no rules at all.
 *
 * Errors: ZV_E_UNSUPPORTED, naming the nearest known versions; ZV_E_SYNTAX for a text that is no
 * version; ZV_E_NOMEM.
 */
enum zv_status zv_runtime_resolve(struct zv_runtime_rules *rules, enum zv_runtime_kind kind,
                                  struct zv_slice version, bool assume, struct zv_arena *arena,
                                  struct zv_error *err);

/* llama.cpp: to how many tokens n_ctx is rounded up, with flash attention or without; 0 unknown. */
uint64_t zv_rules_context_multiple(const struct zv_runtime_rules *rules, bool flash);

/* "vllm", "sglang", "llama.cpp", "ik_llama.cpp", "transformers", "none". */
const char *zv_runtime_name(enum zv_runtime_kind kind);

/* llama.cpp or a fork of it: layers over cards, host memory and context by the same rules. */
bool zv_runtime_is_llamacpp(enum zv_runtime_kind kind);

/* Any spelling people use ("llamacpp", "llama.cpp", "hf"); "vllm@0.19.0" cuts at '@' first. */
bool zv_runtime_parse(struct zv_slice text, enum zv_runtime_kind *kind, struct zv_slice *version);

/* A figure that a runtime was once seen to take (data/runtime_constants.tsv): always an assumption
 * for any other run. */
struct zv_constant {
    enum zv_runtime_kind kind;
    const char *version;
    const char *item;  /* "activation_peak", "non_torch", "cuda_graph" */
    const char *model; /* "" when it does not depend on it */
    const char *card;  /* as the source names it */
    uint32_t tp;
    uint32_t pp;
    uint64_t batched_tokens; /* 0 when the source does not say */
    uint64_t bytes;
    uint64_t half_unit_bytes; /* the source printed it to plus or minus this */
    const char *source;
};

/*
 * The nearest constant for a run: same runtime and item; then, in this order of weight, tp > 1 or
 * not, the same version, one that is not newer, the same model; of equals that of the newest
 * version. found is false when the table has none.
 */
struct zv_constant_query {
    enum zv_runtime_kind kind;
    const char *item;
    struct zv_slice version; /* resolved version, may be empty */
    struct zv_slice model;   /* name as people write it, may be empty */
    uint32_t tp;
};

enum zv_status zv_runtime_constant(struct zv_constant *to, bool *found,
                                   const struct zv_constant_query *query, struct zv_arena *arena,
                                   struct zv_error *err);

#endif
