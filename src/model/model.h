/*
 * Model: what a network is, whatever file said so.
 *
 *   config.json ──► family table ──► tensors + layers ─┐
 *   *.safetensors headers ─────────► tensors ──────────┼──► struct zv_model
 *   .gguf header ──────────────────► tensors + layers ─┘
 *
 * A model is a list of tensors (what is stored) and a list of layers (what a running network keeps
 * besides its weights: key/value caches, recurrent states). Either may be missing: tensors without
 * layers is an unknown family, layers without tensors is a config alone whose family has no table.
 * What is not known is 0 together with a line in `unknown`; nothing is guessed.
 *
 * Not here: jobs, cards, runtimes, any sum over a job (rooms job, card, runtime, estimate).
 */
#ifndef ZIRVE_MODEL_MODEL_H
#define ZIRVE_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/dtype.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_attention_kind {
    ZV_ATTENTION_NONE,
    ZV_ATTENTION_HEADS, /* MHA, GQA, MQA: K and V per KV head */
    ZV_ATTENTION_LATENT /* MLA: one latent of rank + rope per token */
};

enum zv_state_kind {
    ZV_STATE_NONE,
    ZV_STATE_MAMBA1, /* conv: (d_conv-1) * d_inner; scan: d_state * d_inner */
    ZV_STATE_MAMBA2, /* conv: (d_conv-1) * (d_inner + 2*groups*d_state); scan: d_state * d_inner */
    ZV_STATE_DELTA,  /* gated delta net: conv over q, k, v; scan: heads * k_dim * v_dim */
    ZV_STATE_CONV    /* short convolution only */
};

/* One layer as it matters to caches, states and activations. Counts are of the whole model (tp 1).
 */
struct zv_layer {
    enum zv_attention_kind attention;
    uint32_t heads; /* query heads */
    uint32_t kv_heads;
    uint32_t head_dim_k; /* elements of one K head (qk_nope + qk_rope for MLA) */
    uint32_t head_dim_v;
    uint32_t latent_rank; /* MLA: kv_lora_rank; with ATTENTION_HEADS: a latent model whose file
                             makes the runtime keep whole keys and values (GGUF before 2025) */
    uint32_t rope_dim;    /* MLA: qk_rope_head_dim, the shared rope key */
    uint32_t index_dim;   /* sparse-attention indexer key per token, 0 when none */
    uint32_t query_rank;  /* MLA: q_lora_rank, 0 when none */
    uint64_t window;      /* tokens seen by a sliding or chunked layer; 0 = all */
    bool chunked;         /* the window restarts (llama 4) instead of sliding */
    bool shares_cache;    /* reads an earlier layer's cache and keeps none */
    bool repeats_heads;   /* transformers' class caches K and V once for each query head */
    bool cross;           /* also attends to an encoder's output of source_tokens */
    enum zv_state_kind state;
    uint32_t d_conv;
    uint32_t d_inner;
    uint32_t d_state;
    uint32_t state_groups;
    uint32_t state_heads;    /* mamba 2, delta: value heads */
    uint32_t state_head_dim; /* value head dimension */
    uint32_t key_heads;      /* delta: key heads */
    uint32_t key_head_dim;   /* delta */
    uint32_t ffn;            /* intermediate width of the dense MLP, 0 when none */
    bool gated;              /* the MLP has a gate (SwiGLU, GeGLU) */
    uint32_t experts;        /* 0 = dense */
    uint32_t experts_used;
    uint32_t expert_ffn;
    uint32_t shared_ffn; /* width of shared experts together, 0 when none */
};

/* Where a tensor belongs; decides what is quantised, sharded, trained, placed. */
enum zv_part {
    ZV_PART_OTHER,
    ZV_PART_EMBEDDING, /* token embedding */
    ZV_PART_POSITION,  /* learned positions */
    ZV_PART_HEAD,      /* output projection to the vocabulary */
    ZV_PART_NORM,
    ZV_PART_ATTENTION,
    ZV_PART_MLP,
    ZV_PART_ROUTER,
    ZV_PART_EXPERT, /* routed experts */
    ZV_PART_SHARED_EXPERT,
    ZV_PART_STATE,     /* mamba, delta, convolution mixers */
    ZV_PART_ENCODER,   /* text or audio encoder of an encoder-decoder model */
    ZV_PART_VISION,    /* vision or audio tower */
    ZV_PART_PROJECTOR, /* tower → text width */
    ZV_PART_ADAPTER,   /* LoRA */
    ZV_PART_DRAFT,     /* multi-token-prediction layers */
    ZV_PART_DENOISER,  /* unet or DiT */
    ZV_PART_VAE,
    ZV_PART_COUNT
};

/* How a tensor is cut by tensor parallelism. */
enum zv_split {
    ZV_SPLIT_NONE,    /* replicated on every rank */
    ZV_SPLIT_ROWS,    /* by the first dimension (column-parallel linear, vocabulary) */
    ZV_SPLIT_COLUMNS, /* by the second dimension (row-parallel linear) */
    ZV_SPLIT_KV_HEADS /* by KV heads; replicated in part when tp exceeds them */
};

enum { ZV_TENSOR_MAX_DIMS = 5 }; /* a file's further dimensions are multiplied into the last */

/*
 * One tensor. It may stand for `more` others that differ from it by one number in their names:
 * experts 1 to `more` beside expert 0. All else is of one of them.
 */
struct zv_tensor {
    struct zv_slice name; /* as in the checkpoint */
    enum zv_dtype dtype;  /* ZV_DTYPE_UNKNOWN when the file's type is not in our table */
    uint8_t dims;
    uint64_t shape[ZV_TENSOR_MAX_DIMS]; /* logical shape where it is known, as stored otherwise */
    uint64_t elements; /* logical parameters; a packed weight counts its values, a scale counts 0 */
    uint64_t bytes;    /* as stored */
    int32_t layer;     /* index into the model's layers, -1 when in none */
    enum zv_part part;
    enum zv_split split;
    bool linear;   /* the weight of a linear layer: what weight quantisers and LoRA take */
    bool metadata; /* scale, zero, index of a quantised weight */
    bool rebuilt;  /* a buffer in the file that loading does not keep (rotary inv_freq, masks) */
    uint16_t number_at; /* where the name has the number that tells them apart, 0 in this one */
    uint32_t more;      /* 0 for most */
};

/* A uniform description of quantised weights (quantization_config, or the user's wish). */
enum zv_quant_method {
    ZV_QUANT_NONE,
    ZV_QUANT_BNB4, /* bitsandbytes nf4/fp4 */
    ZV_QUANT_BNB8, /* LLM.int8() */
    ZV_QUANT_GPTQ,
    ZV_QUANT_AWQ,
    ZV_QUANT_FP8, /* per tensor, per channel or per block */
    ZV_QUANT_MXFP4,
    ZV_QUANT_NVFP4,
    ZV_QUANT_INT, /* compressed-tensors pack-quantized and other integer group formats */
    ZV_QUANT_UNKNOWN
};

enum zv_quant_layout {
    ZV_LAYOUT_PLAIN,      /* transformers' own: weight, weight_scale_inv, qweight, absmax … */
    ZV_LAYOUT_COMPRESSED, /* compressed-tensors: weight_packed, weight_scale, weight_global_scale */
    ZV_LAYOUT_MODELOPT    /* TensorRT Model Optimizer: weight, weight_scale, weight_scale_2 */
};

struct zv_quant {
    enum zv_quant_method method;
    struct zv_slice name; /* as the file says it */
    uint32_t bits;
    uint32_t group;      /* values per scale; 0 = per channel (or per tensor for FP8) */
    uint32_t block_rows; /* FP8 block scales */
    uint32_t block_columns;
    bool double_quant; /* bitsandbytes: scales quantised again */
    bool zero_point;   /* asymmetric */
    bool act_order;    /* GPTQ desc_act: the file has g_idx in any case */
    bool per_channel;  /* FP8, INT without groups: a scale for each output, else for the tensor */
    bool static_input; /* the file holds a scale of the inputs of each layer */
    bool kv_scales;    /* the file holds a scale for keys and one for values of each layer */
    enum zv_quant_layout layout; /* how the file names its tensors */
    const struct zv_slice *skip; /* modules left in the compute type */
    size_t skip_count;
};

enum zv_model_source {
    ZV_SOURCE_CONFIG,      /* config.json alone: tensors are calculated from the family's table */
    ZV_SOURCE_SAFETENSORS, /* tensors read from headers */
    ZV_SOURCE_GGUF
};

struct zv_model {
    struct zv_slice name;   /* general.name, _name_or_path or the folder's name */
    struct zv_slice family; /* model_type or general.architecture as the file says it */
    bool family_known;      /* a table for it exists */
    enum zv_model_source source;
    enum zv_dtype dtype; /* compute type declared by the file; ZV_DTYPE_UNKNOWN when it does not */
    struct zv_quant quant;
    uint64_t hidden;
    uint64_t vocab;
    uint64_t max_context; /* tokens declared by the file, 0 unknown */
    uint64_t max_source;  /* encoder tokens, 0 when there is no encoder */
    bool tied;            /* output projection shares the token embedding */
    bool causal;          /* generates token by token: has a cache */
    bool diffusion;
    const struct zv_layer *layers;
    size_t layer_count;
    const struct zv_layer *encoder_layers; /* layers of the encoder or tower, for activations */
    size_t encoder_layer_count;
    uint64_t encoder_hidden;
    const struct zv_tensor *tensors;
    size_t tensor_count;          /* entries; zv_model_tensors counts what they stand for */
    uint64_t parameters;          /* Σ elements */
    uint64_t tensor_bytes;        /* Σ bytes, metadata counted */
    uint64_t file_bytes;          /* size of the files read, 0 for a config */
    struct family_scopes *scopes; /* how the family's tables were applied (family_scope.h), for the
                                     step; NULL when none serves the model */
    const char *const *unknown;   /* one line each: what could not be known and why */
    size_t unknown_count;
    const char *const
        *notes; /* contradictions and choices worth telling (config says, tensors say) */
    size_t note_count;
};

/*
 * Reads a model from path: a folder (Hugging Face model, sharded or not; a diffusers pipeline; PEFT
 * adapter; GGUF), a .gguf (first of a split too: its siblings are found), a .safetensors, a
 * *.safetensors.index.json, or a config.json. Only headers are read. When a folder has a config and
 * tensors, the tensors are the weights, and the config's calculated count is compared (a note when
 * they differ). Files stay mapped until zv_model_close, because names point into them.
 *
 * Errors: ZV_E_IO, ZV_E_SYNTAX, ZV_E_LIMIT, ZV_E_NOMEM, ZV_E_UNSUPPORTED, ZV_E_NOT_FOUND (shards
 * missing, named), ZV_E_OVERFLOW; where = the file, byte offset where there is one.
 */
struct zv_model_files; /* opaque: open mappings */

enum zv_status zv_model_open(struct zv_model *model, struct zv_model_files **files,
                             const char *path, struct zv_arena *arena, struct zv_error *err);
void zv_model_close(struct zv_model_files *files);

/*
 * The same for a config.json that is in memory and outlives the model; name is for messages.
 * Errors: ZV_E_SYNTAX, ZV_E_LIMIT, ZV_E_NOMEM, ZV_E_UNSUPPORTED, ZV_E_OVERFLOW; where = name.
 */
enum zv_status zv_model_read_text(struct zv_model *model, const char *name, struct zv_slice text,
                                  struct zv_arena *arena, struct zv_error *err);

/*
 * A LoRA adapter: small matrices beside weights of a base model, and modules trained and saved
 * whole. Either as a PEFT folder has it, or calculated on a base model.
 */
struct zv_adapter {
    uint32_t rank;
    bool dora;                      /* a magnitude for each output beside the two matrices */
    bool all_linear;                /* every linear layer but the output projection */
    const struct zv_slice *targets; /* module names: a weight's module is one or ends in .one */
    size_t target_count;
    const struct zv_slice *saved; /* modules_to_save */
    size_t saved_count;
    enum zv_dtype dtype; /* of calculated matrices; F32 when UNKNOWN, as PEFT makes them */
    bool calculated;     /* the tensors are not from a file */
    const struct zv_tensor *tensors;
    size_t tensor_count;
    uint64_t parameters;
    uint64_t tensor_bytes;
};

/*
 * Reads a PEFT folder (adapter_config.json, adapter_model.safetensors). Without tensors they are
 * calculated on base, which may be NULL when they are there. *files is closed by zv_model_close.
 * Errors: as zv_model_open; ZV_E_UNSUPPORTED for other adapters than LoRA.
 */
enum zv_status zv_model_open_adapter(struct zv_adapter *adapter, struct zv_model_files **files,
                                     const char *path, const struct zv_model *base,
                                     struct zv_arena *arena, struct zv_error *err);

/*
 * The tensors that rank, targets, saved, dora and dtype of adapter mean on base. Without targets
 * and all_linear: PEFT's default for the base's names (queries and values). Errors: ZV_E_NOT_FOUND
 * (a target that no weight has), ZV_E_UNSUPPORTED (no tensors, rank 0), ZV_E_OVERFLOW, ZV_E_NOMEM.
 */
enum zv_status zv_adapter_calculate(struct zv_adapter *adapter, const struct zv_model *base,
                                    struct zv_arena *arena, struct zv_error *err);

/*
 * What a full-precision model would be in a scheme: its linear weights become packed ones with
 * their scales and zeros (metadata tensors), all else stays; names and sizes as a checkpoint of
 * that scheme has them. `to` shares everything else with `from`, whose arena must outlive it. Left
 * in their type: embeddings, norms, the output projection, what quant->skip names, routers (but for
 * bitsandbytes), fused experts (bitsandbytes, GPTQ, AWQ), weights whose width the scheme's group
 * does not divide. Layouts: docs/FORMULAS.md.
 *
 * Errors: ZV_E_UNSUPPORTED (no tensors, quantised already, a scheme that is not known), ZV_E_LIMIT,
 * ZV_E_OVERFLOW, ZV_E_NOMEM.
 */
enum zv_status zv_model_requantize(struct zv_model *to, const struct zv_model *from,
                                   const struct zv_quant *quant, struct zv_arena *arena,
                                   struct zv_error *err);

/*
 * The same model in another element type. "bf16", "f16", "f32" …: every floating-point tensor. A
 * file type of GGUF ("q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q6_K", "q4_K_S", "q4_K_M", "q5_K_S",
 * "q5_K_M", any case): as llama.cpp's quantize does it without an importance matrix. Other names,
 * and models that the rule does not cover, are refused with the reason (ZV_E_UNSUPPORTED).
 */
enum zv_status zv_model_recast(struct zv_model *to, const struct zv_model *from,
                               struct zv_slice type, struct zv_arena *arena, struct zv_error *err);

/*
 * "nf4", "fp4", "nf4-dq", "int8", "gptq-4", "gptq-8", "awq", "fp8", "fp8-block", "fp8-tensor",
 * "mxfp4", "nvfp4", "w4a16", "w8a8": a scheme with its usual settings; false for other names.
 */
bool zv_quant_parse(struct zv_slice name, struct zv_quant *quant);

const char *zv_part_name(enum zv_part part); /* "token embedding" */

/* ---- entries that stand for several tensors (tensor_copies.c) ---- */

enum { ZV_TENSOR_NAME = 1024 }; /* bytes that hold any such name */

uint64_t zv_tensor_copies(const struct zv_tensor *tensor); /* 1 + more */
uint64_t zv_model_tensors(const struct zv_model *model);   /* Σ copies */

/* One of them, copy 0 being the entry itself. The name of another is written into name. */
struct zv_tensor zv_tensor_copy(const struct zv_tensor *tensor, uint32_t copy,
                                char name[ZV_TENSOR_NAME]);

/*
 * The end of the entries from first on that are counted together: a checkpoint lists expert 0 of
 * each of them, then expert 1 of each. first + 1 for an entry that stands for itself.
 */
size_t zv_tensor_run(const struct zv_model *model, size_t first);

#endif
