/* Sizes of a serving job after defaults: what the rest of the room calculates with. Room-internal.
 */
#ifndef ZIRVE_ESTIMATE_SIZES_H
#define ZIRVE_ESTIMATE_SIZES_H

#include "estimate/build.h"

struct serve_sizes {
    uint64_t context;      /* tokens of one sequence; 0 unknown */
    uint64_t sequences;    /* at once */
    uint64_t total;        /* llama.cpp: tokens of the whole cache */
    uint64_t batched;      /* tokens of one prefill step over all sequences */
    uint64_t profiled;     /* vLLM: sequences its profile run samples */
    uint64_t ubatch;       /* llama.cpp */
    uint64_t window_batch; /* llama.cpp: tokens that a sliding cache keeps beyond its window */
    uint64_t block;        /* page, tokens */
    uint64_t fraction;     /* of the card the runtime may use, millionths; 1000000 = all */
    enum zv_dtype dtype;   /* compute type */
    uint64_t value_bytes;  /* of one computed value */
    bool unified;
    bool flash;
    struct zv_cache_form form;
};

/* Fills sizes from the job, the rules and the model; says what it had to assume. */
void serve_sizes_of(struct build *build, struct serve_sizes *sizes);

/* llama.cpp: flash attention is on, or left to the backend. */
bool serve_flash(const struct build *build);

/* How caches and states are known: calculated, assumed where no table serves the model and its
 * layers are taken from the usual keys. */
enum zv_known serve_cache_known(const struct build *build);

/* Caches and states of every stage, by the runtime's rules. */
void serve_cache(struct build *build, const struct serve_sizes *sizes);

/* The cache of one stage as transformers keeps it, and without a runtime. */
void serve_cache_plain(struct build *build, const struct serve_sizes *sizes, int stage);

/* The runtime's own overhead. */
void serve_overhead(struct build *build, const struct serve_sizes *sizes);

/* SGLang: what is left of the card becomes the pool. */
void serve_pool_sglang(struct build *build, const struct serve_sizes *sizes);

/* Layers that a stage holds, gathered; count 0 when none. NULL after a failure. */
const struct zv_layer *stage_layers(struct build *build, int stage, size_t *count);

#endif
