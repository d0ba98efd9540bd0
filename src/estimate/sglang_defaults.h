/*
 * SGLang's own defaults where they follow the card's memory and the parallel plan: tokens of a
 * prefill chunk, the largest batch with a CUDA graph, the share of the card for weights and cache.
 *
 * Not here: defaults that are one figure (data/runtimes.tsv).
 */
#ifndef ZIRVE_ESTIMATE_SGLANG_DEFAULTS_H
#define ZIRVE_ESTIMATE_SGLANG_DEFAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* Values as in the rule fraction_form of runtime/versions.h. */
enum zv_fraction_form { ZV_FRACTION_BY_TP, ZV_FRACTION_BY_CARD, ZV_FRACTION_BY_SIZES };

struct zv_sglang_plan {
    uint64_t card_mib; /* of one card; 0: not known */
    uint64_t tp;
    uint64_t pp;
    uint64_t dp;
    bool dp_attention;
    uint64_t chunk_tokens; /* as given, 0: the default */
};

struct zv_sglang_defaults {
    uint64_t chunk_tokens; /* as given, or the default */
    uint64_t graph_batch;  /* 0 for the forms that do not reserve by it */
    uint64_t fraction;     /* mem_fraction_static, millionths */
};

/* Sizes of a plan above 1 Mi ranks or a chunk above 1 Gi tokens are cut to these. */
struct zv_sglang_defaults zv_sglang_defaults_of(enum zv_fraction_form form,
                                                const struct zv_sglang_plan *plan);

#endif
