/*
 * Cache: what a running network keeps per token and per sequence, by each runtime's own rules.
 *
 *   layer ──► bytes of one cell (K, V, index) and of one state      zv_cache_cell_of
 *   cells × layers (+ states)                                       zv_cache_llamacpp
 *   pages × groups, from a budget                                   zv_cache_vllm
 *   token slots                                                     zv_cache_sglang
 *
 * Sources of every rule: docs/FORMULAS.md, "Caches". All functions are pure; errors are
 * ZV_E_OVERFLOW (2^64 bytes passed) and ZV_E_UNSUPPORTED (an element type without a size).
 */
#ifndef ZIRVE_ESTIMATE_CACHE_H
#define ZIRVE_ESTIMATE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/dtype.h"
#include "model/model.h"
#include "zirve/error.h"

/* Values as in the rule mla_form of runtime/versions.h. */
enum zv_mla_form { ZV_MLA_PER_HEAD, ZV_MLA_LATENT_AND_COPY, ZV_MLA_LATENT };

/* How one rank stores a cell. */
struct zv_cache_form {
    enum zv_dtype k;
    enum zv_dtype v;
    enum zv_dtype conv_state; /* element type of recurrent states */
    enum zv_dtype scan_state;
    /* As classes of transformers keep it: the convolution's input as wide as its kernel, else one
     * less; a delta net's state in f32; heads repeated where they are so. */
    bool transformers;
    uint32_t tp; /* ranks that share the heads; 0 is 1 */
    enum zv_mla_form mla;
    uint32_t latent_token_bytes; /* a packed latent row (fp8_ds_mla: 656); 0 = rank + rope values */
    uint32_t index_token_bytes;  /* indexer key with its scale (132); 0 = index_dim values of k */
};

/* Bytes of one rank and one layer. */
struct zv_cache_cell {
    uint64_t k;     /* per token */
    uint64_t v;     /* per token */
    uint64_t index; /* per token */
    uint64_t conv;  /* per sequence */
    uint64_t scan;  /* per sequence */
};

enum zv_status zv_cache_cell_of(struct zv_cache_cell *cell, const struct zv_layer *layer,
                                const struct zv_cache_form *form, struct zv_error *err);

/* KV heads one rank holds: divided by tp, at least one (replicated beyond). */
uint32_t zv_kv_heads_of_rank(uint32_t kv_heads, uint32_t tp);

/* ---- llama.cpp and ik_llama.cpp ---- */

struct zv_llamacpp_request {
    uint64_t n_ctx;    /* tokens of the whole cache, as asked for */
    uint64_t n_seq;    /* slots */
    uint64_t n_ubatch; /* tokens; what the sliding cache keeps beyond its window (n_batch once) */
    bool unified;      /* one stream for all sequences */
    bool iswa;         /* sliding layers have a cache of their own */
    bool swa_full;     /* … of full size */
    uint64_t multiple; /* n_ctx, then each stream's share, is padded to this many tokens (256): the
                          same as the share rounded up, as long as there are fewer streams; 1: no
                          padding, the share is rounded down */
    uint64_t n_rs_seq; /* state snapshots beside the current one (speculative decoding) */
    struct zv_cache_form form;
};

struct zv_llamacpp_cache {
    uint64_t streams;
    uint64_t cells;        /* of full layers, all streams together */
    uint64_t swa_cells;    /* of sliding layers, all streams together */
    uint64_t k, v;         /* bytes, full layers */
    uint64_t swa_k, swa_v; /* bytes, sliding layers */
    uint64_t conv, scan;   /* bytes, recurrent layers */
};

/* Bytes of all layers, or of layers [first, first + count). */
enum zv_status zv_cache_llamacpp(struct zv_llamacpp_cache *cache, const struct zv_layer *layers,
                                 size_t count, const struct zv_llamacpp_request *request,
                                 struct zv_error *err);

/* ---- vLLM ---- */

struct zv_vllm_request {
    uint64_t block_tokens;
    uint64_t max_tokens;     /* of one sequence: max_model_len */
    uint64_t batched_tokens; /* what a step may add: widens a window's need */
    bool hybrid_groups;      /* sliding layers get groups of their own, else all keep everything */
    bool prefix_caching;     /* with states: their page follows the attention page */
    struct zv_cache_form form;
};

/* Layers with the same page and the same reach: groups of their own. */
struct zv_vllm_kind {
    bool is_state;   /* recurrent: a page a sequence */
    bool chunked;    /* the window restarts */
    uint64_t window; /* 0: all tokens are kept */
    uint64_t layers;
    uint64_t groups;       /* of group_size layers, the last one may be short */
    uint64_t token_bytes;  /* of one layer; 0 for states */
    uint64_t block_tokens; /* that a page of this kind holds; 0 for states */
};

enum { ZV_VLLM_MAX_KINDS = 8 };

struct zv_vllm_cache {
    uint64_t block_tokens; /* as used: raised for hybrids */
    uint64_t page_bytes;   /* of one layer and block */
    uint64_t group_size;   /* layers that share a block */
    uint64_t groups;
    uint64_t block_bytes;        /* page · group_size */
    uint64_t blocks_per_request; /* at max_tokens */
    uint64_t request_bytes;      /* blocks_per_request · block_bytes */
    struct zv_vllm_kind kinds[ZV_VLLM_MAX_KINDS];
    size_t kind_count;
};

enum zv_status zv_cache_vllm(struct zv_vllm_cache *cache, const struct zv_layer *layers,
                             size_t count, const struct zv_vllm_request *request,
                             struct zv_error *err);

/* Blocks in a budget: floor(bytes / page / group_size), as vLLM divides. */
uint64_t zv_cache_vllm_blocks(const struct zv_vllm_cache *cache, uint64_t available_bytes);

/* Values as in the rule token_form of runtime/versions.h. */
enum zv_token_form { ZV_TOKENS_BLOCKS, ZV_TOKENS_PER_GROUP, ZV_TOKENS_BY_CONCURRENCY };

/* The printed "GPU KV cache size" in tokens for a number of blocks. */
uint64_t zv_cache_vllm_tokens(const struct zv_vllm_cache *cache, uint64_t blocks,
                              uint64_t max_tokens, enum zv_token_form form);

/* ---- SGLang ---- */

struct zv_sglang_request {
    uint64_t tokens;
    uint64_t page_tokens; /* one page more than the tokens is allocated */
    struct zv_cache_form form;
};

struct zv_sglang_cache {
    uint64_t k, v;  /* bytes, full and sliding layers as one pool */
    uint64_t index; /* bytes */
    uint64_t slots; /* tokens + one page */
};

enum zv_status zv_cache_sglang(struct zv_sglang_cache *cache, const struct zv_layer *layers,
                               size_t count, const struct zv_sglang_request *request,
                               struct zv_error *err);

#endif
