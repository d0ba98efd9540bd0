/* Options of sglang.launch_server that matter to memory, and those that do not. */
#include "runtime/option_table.h"

#define SERVE(field) offsetof(struct zv_job, serve.field)
#define JOB(field)   offsetof(struct zv_job, field)

static enum zv_status set_kv_dtype(struct option_target *target, const struct option_row *row,
                                   struct zv_slice value, struct zv_error *err)
{
    const enum zv_status status = set_text(target, row, value, err);
    target->job->serve.kv_dtype_v = target->job->serve.kv_dtype_k;
    return status;
}

/* -1 turns chunking off. */
static enum zv_status set_chunk(struct option_target *target, const struct option_row *row,
                                struct zv_slice value, struct zv_error *err)
{
    return zv_slice_equal(value, "-1") ? ZV_OK : set_tokens(target, row, value, err);
}

static enum zv_status add_lora(struct option_target *target, const struct option_row *row,
                               struct zv_slice value, struct zv_error *err)
{
    struct zv_slice path = value;
    const struct zv_slice name = zv_slice_cut(&path, '=');
    path = path.length != 0 ? path : name;
    const size_t most = sizeof target->job->lora_paths / sizeof target->job->lora_paths[0];
    if (path.length == 0 || target->job->lora_count == most) {
        return option_bad(row, value, "up to 16 of NAME=PATH", err);
    }
    target->job->lora_paths[target->job->lora_count++] = path;
    return ZV_OK;
}

#define SPECULATIVE "a draft model or draft layers keep weights and cache of their own"

static const struct option_row rows[] = {
    {"--model-path --model", VALUE_ONE, set_text, SERVE(model_path), NULL},
    {"--tensor-parallel-size --tp-size --tp", VALUE_ONE, set_small, JOB(tp), NULL},
    {"--pipeline-parallel-size --pp-size --pp", VALUE_ONE, set_small, JOB(pp), NULL},
    {"--data-parallel-size --dp-size --dp", VALUE_ONE, set_small, JOB(dp), NULL},
    {"--expert-parallel-size --ep-size --ep", VALUE_ONE, set_small, JOB(ep), NULL},
    {"--enable-dp-attention", VALUE_NONE, set_yes, SERVE(dp_attention), NULL},
    {"--context-length", VALUE_ONE, set_tokens, SERVE(context_tokens), NULL},
    {"--max-running-requests", VALUE_ONE, set_tokens, SERVE(max_sequences), NULL},
    {"--max-total-tokens", VALUE_ONE, set_tokens, SERVE(num_blocks), NULL},
    {"--chunked-prefill-size", VALUE_ONE, set_chunk, SERVE(batched_tokens), NULL},
    {"--page-size", VALUE_ONE, set_tokens, SERVE(block_tokens), NULL},
    {"--mem-fraction-static", VALUE_ONE, set_fraction, SERVE(memory_fraction), NULL},
    {"--kv-cache-dtype", VALUE_ONE, set_kv_dtype, SERVE(kv_dtype_k), NULL},
    {"--dtype", VALUE_ONE, set_text, SERVE(dtype), NULL},
    {"--quantization", VALUE_ONE, set_text, SERVE(quantization), NULL},
    {"--disable-cuda-graph", VALUE_NONE, set_yes, SERVE(enforce_eager), NULL},
    {"--disable-radix-cache", VALUE_NONE, set_no, SERVE(prefix_caching), NULL},
    {"--cpu-offload-gb", VALUE_ONE, set_gibibytes, SERVE(cpu_offload_bytes), NULL},
    {"--lora-paths", VALUE_MANY, add_lora, 0, NULL},
    {"--max-loras-per-batch", VALUE_ONE, set_tokens, SERVE(max_loras), NULL},
    {"--max-lora-rank", VALUE_ONE, set_tokens, SERVE(max_lora_rank), NULL},
    {"--speculative-draft-model-path --speculative-draft-model", VALUE_ONE, set_text,
     SERVE(draft_path), NULL},
    /* changes memory, not modelled */
    {"--speculative-algorithm --speculative-algo", VALUE_ONE, set_drafting, 0, SPECULATIVE},
    {"--speculative-num-steps --speculative-eagle-topk "
     "--speculative-num-draft-tokens --speculative-token-map",
     VALUE_ONE, NULL, 0, SPECULATIVE},
    {"--cuda-graph-max-bs", VALUE_ONE, NULL, 0,
     "CUDA graphs, and the default of mem_fraction_static"},
    {"--cuda-graph-bs", VALUE_MANY, NULL, 0, "which CUDA graphs are captured"},
    {"--max-prefill-tokens", VALUE_ONE, NULL, 0, "what a prefill step may take"},
    {"--max-mamba-cache-size --mamba-full-memory-ratio --mamba-ssm-dtype --swa-full-tokens-ratio",
     VALUE_ONE, NULL, 0, "how the pool is divided"},
    {"--disable-mla", VALUE_NONE, NULL, 0, "the cache holds K and V per head"},
    {"--disable-hybrid-swa-memory", VALUE_NONE, NULL, 0, "sliding layers keep full caches"},
    {"--enable-lora --enable-torch-compile --enable-mixed-chunk --enable-hierarchical-cache "
     "--enable-memory-saver --enable-two-batch-overlap --enable-deepep-moe --enable-ep-moe "
     "--enable-eplb --disable-overlap-schedule --enable-piecewise-cuda-graph --enable-multimodal "
     "--disable-cuda-graph-padding --enable-nsa-prefill-context-parallel --is-embedding",
     VALUE_NONE, NULL, 0, "buffers that are not modelled"},
    {"--torch-compile-max-bs --attention-backend --prefill-attention-backend "
     "--decode-attention-backend --moe-a2a-backend --moe-runner-backend --deepep-mode "
     "--ep-num-redundant-experts --hicache-ratio --hicache-size --disaggregation-mode "
     "--kv-cache-quant-group-size --load-format --model-impl --json-model-override-args "
     "--quantization-param-path --moe-dense-tp-size --attn-cp-size --device",
     VALUE_ONE, NULL, 0, "not modelled"},
    /* costs nothing on the card */
    {"--host --port --api-key --served-model-name --tokenizer-path --tokenizer-mode "
     "--chat-template "
     "--completion-template --reasoning-parser --tool-call-parser --log-level --log-level-http "
     "--random-seed --seed --watchdog-timeout --dist-timeout --dist-init-addr --nccl-init-addr "
     "--nccl-port --nnodes --node-rank --base-gpu-id --gpu-id-step --download-dir --revision "
     "--schedule-policy --schedule-conservativeness --stream-interval --sampling-backend "
     "--grammar-backend --num-continuous-decode-steps --load-balance-method --stream-output "
     "--tokenizer-worker-num --mem-fraction-host --prefill-round-robin-balance --fp8-gemm-backend "
     "--radix-eviction-policy --preferred-sampling-params --file-storage-path --crash-dump-folder",
     VALUE_ONE, NULL, 0, NULL},
    {"--trust-remote-code --log-requests --show-time-cost --enable-metrics --skip-tokenizer-init "
     "--skip-server-warmup --disable-custom-all-reduce --enable-p2p-check --enable-nan-detection "
     "--enable-cache-report --disable-flashinfer --flashinfer-mla-disable-ragged "
     "--enable-flashinfer-mla --enable-deterministic-inference --disable-outlines-disk-cache "
     "--weight-loader-disable-mmap --help -h",
     VALUE_NONE, NULL, 0, NULL},
};

const struct option_rows options_sglang = {rows, sizeof rows / sizeof rows[0], true};
