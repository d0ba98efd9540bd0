/*
 * Job: what is to be run, in sizes. One struct that the command's options, a runtime's own command
 * line and (later) a job file fill in; every figure that the user did not give says so.
 *
 * 0 in a count means "not given" unless the comment says otherwise; the estimate then uses the
 * runtime's default and says so. Fractions are millionths (0.9 = 900000), never doubles.
 */
#ifndef ZIRVE_JOB_JOB_H
#define ZIRVE_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum zv_task { ZV_TASK_SERVE, ZV_TASK_TRAIN };

enum zv_runtime_kind {
    ZV_RUNTIME_NONE, /* the model alone: no runtime's rules */
    ZV_RUNTIME_TRANSFORMERS,
    ZV_RUNTIME_VLLM,
    ZV_RUNTIME_SGLANG,
    ZV_RUNTIME_LLAMACPP,
    ZV_RUNTIME_IK_LLAMACPP
};

/* transformers' cache_implementation. */
enum zv_cache_kind {
    ZV_CACHE_DYNAMIC,   /* grows by concatenation */
    ZV_CACHE_STATIC,    /* allocated to the full context */
    ZV_CACHE_OFFLOADED, /* on the host but for the layer in use and the next */
    ZV_CACHE_QUANTIZED  /* 4 bits in groups, the last tokens as they are */
};

enum zv_tristate { ZV_UNSET, ZV_NO, ZV_YES };

enum { ZV_JOB_MAX_DEVICES = 64, ZV_JOB_ALL_LAYERS = 0x7FFFFFFF };

/* llama.cpp -ot PATTERN=DEVICE, in order; the pattern is a POSIX extended regular expression. */
struct zv_override {
    struct zv_slice pattern;
    struct zv_slice buffer; /* "CPU", "CUDA0" … */
};

struct zv_serve {
    uint64_t context_tokens; /* of one sequence (llama.cpp: n_ctx of the whole cache) */
    bool context_of_model;   /* its own is asked for (-c 0); context_tokens is then 0 */
    bool context_is_total;   /* context_tokens are shared by all sequences (llama.cpp n_ctx) */
    uint64_t sequences;      /* requests at once: --concurrency, max_num_seqs, -np */
    uint64_t
        max_sequences; /* the most the runtime may run at once (max_num_seqs): a cap, no load */
    struct zv_slice kv_dtype_k; /* as written: "fp8", "q8_0", "auto"; empty = not given */
    struct zv_slice kv_dtype_v;
    uint64_t block_tokens;    /* page size */
    uint64_t batched_tokens;  /* max_num_batched_tokens, chunked prefill size, n_batch */
    uint64_t ubatch_tokens;   /* llama.cpp n_ubatch */
    uint64_t memory_fraction; /* millionths: gpu_memory_utilization, mem_fraction_static */
    uint64_t kv_cache_bytes;  /* an explicit KV budget */
    uint64_t num_blocks;      /* num_gpu_blocks_override; SGLang: max_total_tokens */
    uint64_t swap_bytes;      /* vLLM swap_space, host */
    uint64_t cpu_offload_bytes;
    enum zv_tristate enforce_eager;
    enum zv_tristate prefix_caching;
    enum zv_tristate flash_attention;
    enum zv_tristate swa_full;
    enum zv_tristate kv_unified;
    enum zv_tristate kv_offload; /* llama.cpp: cache on the card (default) or the host */
    enum zv_tristate mmap;
    enum zv_cache_kind cache; /* transformers: how generate() keeps K and V */
    enum zv_tristate dp_attention;
    enum zv_tristate draft_layers;   /* the model's own multi-token-prediction layers are used */
    enum zv_tristate language_only;  /* towers of a multimodal model are not loaded */
    enum zv_tristate mmproj_offload; /* llama.cpp: the projector file on the card (default) */
    uint64_t source_tokens;          /* of an encoder or a tower: one input of one sequence */
    uint64_t max_loras;              /* adapters in one batch: slots on the card */
    uint64_t max_lora_rank;
    uint32_t gpu_layers; /* -ngl; see gpu_layers_given */
    bool gpu_layers_given;
    uint32_t cpu_moe_layers;                   /* --n-cpu-moe; ZV_JOB_ALL_LAYERS for --cpu-moe */
    struct zv_slice split_mode;                /* "layer", "row", "none" */
    uint64_t tensor_split[ZV_JOB_MAX_DEVICES]; /* proportions, thousandths */
    size_t tensor_split_count;
    struct zv_override overrides[32];
    size_t override_count;
    uint32_t mla; /* ik_llama.cpp -mla 0..3 */
    uint32_t main_device;
    struct zv_slice model_path; /* as the command line names it */
    struct zv_slice draft_path; /* draft model, "" when none */
    struct zv_slice mmproj_path;
    struct zv_slice quantization; /* vLLM --quantization */
    struct zv_slice dtype;        /* --dtype */
};

enum zv_shard { ZV_SHARD_NONE, ZV_SHARD_ZERO1, ZV_SHARD_ZERO2, ZV_SHARD_ZERO3, ZV_SHARD_FSDP };
enum zv_checkpointing { ZV_CHECKPOINT_NONE, ZV_CHECKPOINT_SELECTIVE, ZV_CHECKPOINT_FULL };

struct zv_train {
    uint64_t micro_batch; /* sequences */
    uint64_t sequence_tokens;
    uint64_t accumulation;        /* micro-batches per step */
    struct zv_slice optimizer;    /* "adamw", "adamw-8bit", "sgd", "adafactor", "lion" … */
    struct zv_slice weight_dtype; /* stored and computed */
    struct zv_slice gradient_dtype;
    struct zv_slice optimizer_dtype;
    enum zv_tristate master_weights; /* fp32 copy beside 16-bit weights */
    enum zv_tristate autocast;
    uint32_t lora_rank;           /* 0: every weight is trained */
    struct zv_slice lora_targets; /* comma-separated module names, "all-linear", empty = default */
    struct zv_slice adapter_path; /* PEFT adapter folder instead of rank and targets */
    struct zv_slice base_quant;   /* QLoRA: "nf4", "nf4-dq", "int8" */
    enum zv_shard shard;
    enum zv_checkpointing checkpointing;
    enum zv_tristate fused_loss; /* logits never materialised */
    struct zv_slice attention;   /* "flash", "eager", "sdpa" */
};

/* A share of the reserve, itemised by the user: --item "CUDA context=450MiB:assumed". */
struct zv_job_item {
    struct zv_slice name;
    uint64_t bytes;
    struct zv_slice known; /* "assumed", "measured", "calculated", "unknown" */
    bool host;
};

struct zv_job {
    enum zv_task task;
    enum zv_runtime_kind runtime;
    struct zv_slice runtime_version; /* as given, empty when not */
    uint32_t tp, pp, ep, dp;         /* 0 = not given = 1 */
    uint32_t devices;                /* cards; 0 = what tp, pp and dp need (llama.cpp: one) */
    struct zv_serve serve;
    struct zv_train train;
    struct zv_job_item items[64];
    size_t item_count;
    struct zv_slice lora_paths[16]; /* served adapters */
    size_t lora_count;
};

#endif
