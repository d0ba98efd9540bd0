/*
 * Start logs: what a runtime said about memory when it started.
 *
 * A log is a list of readings (bytes, each with the precision it was printed to, its device and its
 * line) and a few facts (context, layers, blocks, version). Prefixes (time stamps, compose
 * services, ranks, colours) are taken off; several starts in one file are told apart and the last
 * complete one is taken. Nothing is calculated here: a figure that the log does not say is absent.
 *
 * Reading ids ("weights" and so on are the ids of the estimate's ledger, where one exists).
 *
 * llama.cpp: model_buffer, kv_buffer, kv_size, kv_size_k, kv_size_v, state_buffer, state_size,
 * state_conv, state_scan, compute_buffer, output_buffer, device_total, device_free, projected_use,
 * vram_used, vram_total, breakdown_total|free|self|model|context|compute|unaccounted.
 *
 * vLLM: weights, activation_peak, non_torch, cuda_graph_estimate, cuda_graph, kv_available,
 * kv_needed, device_total, device_free, usable, non_kv_total.
 *
 * SGLang: weights, available_before_load, available_after_load, kv_k, kv_v, kv_size, kv_index,
 * pool_end_available, graph_available, cuda_graph, state_conv, state_temporal.
 *
 * Any: oom_request, oom_total, oom_free.
 */
#ifndef ZIRVE_RUNTIME_LOG_START_H
#define ZIRVE_RUNTIME_LOG_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "job/job.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    ZV_LOG_LIMIT = 64 * 1024 * 1024, /* bytes of text */
    ZV_LOG_MAX_READINGS = 4096,
    ZV_LOG_MAX_LINE = 16 * 1024 /* bytes of a line that are looked at */
};

struct zv_reading {
    const char *id;
    struct zv_slice device;   /* "CUDA0", "rank 3"; empty when the line names none */
    uint64_t bytes;           /* the printed figure, rounded to bytes */
    uint64_t half_unit_bytes; /* the truth lies within plus or minus this */
    uint64_t line;            /* 1-based */
    struct zv_slice printed;  /* "2440.00 MiB" as it stands */
    uint64_t cells;           /* llama.cpp cache lines: cells, layers, sequences; else 0 */
    uint64_t layers;
    uint64_t sequences;
    bool host;    /* the device is host memory */
    bool sliding; /* the cache of sliding layers */
};

/* A whole number or a word that the log states; absent ones have found false. */
struct zv_log_fact {
    bool found;
    uint64_t value;       /* for numbers; fractions in millionths */
    struct zv_slice text; /* as it stands */
    uint64_t line;
};

#define ZV_LOG_FACT_LIST(X)                                                                        \
    X(architecture)                                                                                \
    X(model_name)                                                                                  \
    X(context_tokens) /* n_ctx, max_model_len */                                                   \
    X(context_trained)                                                                             \
    X(sequences)    /* n_seq_max, max_num_seqs */                                                  \
    X(batch_tokens) /* n_batch, max_num_batched_tokens */                                          \
    X(ubatch_tokens)                                                                               \
    X(layers)                                                                                      \
    X(hidden)                                                                                      \
    X(heads)                                                                                       \
    X(kv_heads)                                                                                    \
    X(head_dim_k)                                                                                  \
    X(head_dim_v)                                                                                  \
    X(k_width) /* n_embd_k_gqa */                                                                  \
    X(v_width)                                                                                     \
    X(window) /* n_swa */                                                                          \
    X(vocab)                                                                                       \
    X(experts)                                                                                     \
    X(latent_rank)                                                                                 \
    X(rope_dim)                                                                                    \
    X(flash_attention) /* 0, 1; text "auto" when not decided */                                    \
    X(kv_unified)                                                                                  \
    X(kv_type_k)                                                                                   \
    X(kv_type_v)                                                                                   \
    X(mla)                                                                                         \
    X(offloaded_layers) /* "offloaded 33/33 layers": value 33 */                                   \
    X(offload_layers)   /* … of this many */                                                     \
    X(kv_tokens)        /* GPU KV cache size, #tokens */                                           \
    X(kv_tokens_sliding)                                                                           \
    X(gpu_blocks)                                                                                  \
    X(cpu_blocks)                                                                                  \
    X(block_tokens)                                                                                \
    X(concurrency)     /* millionths */                                                            \
    X(memory_fraction) /* millionths */                                                            \
    X(tp)                                                                                          \
    X(pp)                                                                                          \
    X(engine)          /* vLLM V0 or V1 */                                                         \
    X(file_parameters) /* "671.026 B" */                                                           \
    X(file_type)

struct zv_log {
    enum zv_runtime_kind runtime; /* ZV_RUNTIME_NONE: the text is no start log we know */
    struct zv_slice version;      /* as the log says it, empty when it does not */
    uint64_t first_line;          /* of the start that was taken */
    uint64_t last_line;
    size_t starts;      /* starts in the file */
    size_t start_taken; /* 1-based */
    bool complete;      /* the start reached its end */
    bool failed;        /* it ended in an error */
    bool out_of_memory;
    struct zv_slice failure; /* the line that said so */
    const struct zv_reading *readings;
    size_t reading_count;
#define ZV_LOG_FACT_FIELD(name) struct zv_log_fact name;
    ZV_LOG_FACT_LIST(ZV_LOG_FACT_FIELD)
#undef ZV_LOG_FACT_FIELD
    const char *const *notes; /* one line each: which start was taken, what is missing */
    size_t note_count;
};

/*
 * Reads a start log. Slices point into arena (text need not outlive the call). A text without any
 * line we know is ZV_E_UNSUPPORTED; a log that stops early is no error (complete is false).
 *
 * Errors: ZV_E_UNSUPPORTED, ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_log_read(struct zv_log *log, struct zv_slice text, struct zv_arena *arena,
                           struct zv_error *err);

/* Σ bytes of all readings with this id; found is the number of them. ZV_E_OVERFLOW. */
enum zv_status zv_log_sum(const struct zv_log *log, const char *id, uint64_t *bytes, size_t *found,
                          struct zv_error *err);

/* The first reading with this id, or NULL. */
const struct zv_reading *zv_log_find(const struct zv_log *log, const char *id);

#endif
