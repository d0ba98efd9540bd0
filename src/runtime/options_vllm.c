/* Options of `vllm serve` that matter to memory, and those that do not. */
#include "base/checked.h"
#include "base/fail.h"
#include "runtime/option_table.h"

#define SERVE(field) offsetof(struct zv_job, serve.field)
#define JOB(field)   offsetof(struct zv_job, field)

/* vLLM's human numbers: 1k = 1000, 1K = 1024, 25.6k = 25600. */
static bool human_count(struct zv_slice text, uint64_t *to)
{
    static const struct {
        const char *suffix;
        uint64_t times;
    } suffixes[] = {{"k", 1000},    {"K", 1024},       {"m", 1000000},
                    {"M", 1048576}, {"g", 1000000000}, {"G", 1073741824}};
    if (zv_slice_u64(text, to)) {
        return true;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        uint64_t thousandths = 0;
        if (zv_slice_ends(text, suffixes[i].suffix)) {
            const struct zv_slice number = {text.at, text.length - 1};
            return zv_slice_fixed(number, 3, &thousandths) &&
                   zv_mul_div(thousandths, suffixes[i].times, 1000, to);
        }
    }
    return false;
}

static enum zv_status set_human(struct option_target *target, const struct option_row *row,
                                struct zv_slice value, struct zv_error *err)
{
    uint64_t count = 0;
    if (!human_count(value, &count)) {
        return option_bad(row, value, "a count, as 8192, 8k (8000) or 8K (8192)", err);
    }
    *(uint64_t *)(void *)((char *)target->job + row->at) = count;
    return ZV_OK;
}

/* "--max-model-len auto" or -1: what fits; that is the model's own at most. */
static enum zv_status set_max_len(struct option_target *target, const struct option_row *row,
                                  struct zv_slice value, struct zv_error *err)
{
    if (zv_slice_equal_nocase(value, "auto") || zv_slice_equal(value, "-1")) {
        target->command->fit_given = true;
        target->command->fit = true;
        return ZV_OK;
    }
    return set_human(target, row, value, err);
}

static enum zv_status set_kv_dtype(struct option_target *target, const struct option_row *row,
                                   struct zv_slice value, struct zv_error *err)
{
    const enum zv_status status = set_text(target, row, value, err);
    target->job->serve.kv_dtype_v = target->job->serve.kv_dtype_k;
    return status;
}

static enum zv_status set_experts(struct option_target *target, const struct option_row *row,
                                  struct zv_slice value, struct zv_error *err)
{
    target->expert_parallel = true;
    if (value.length != 0 && !option_yes_no(value, &target->expert_parallel)) {
        return option_bad(row, value, "nothing, true or false", err);
    }
    return ZV_OK;
}

/* "--lora-modules name=path name=path". A JSON object is taken as it is. */
static enum zv_status add_lora(struct option_target *target, const struct option_row *row,
                               struct zv_slice value, struct zv_error *err)
{
    struct zv_slice path = value;
    const struct zv_slice name = zv_slice_cut(&path, '=');
    if (path.length == 0) {
        path = name;
    }
    if (path.length == 0) {
        return option_bad(row, value, "NAME=PATH", err);
    }
    if (target->job->lora_count ==
        sizeof target->job->lora_paths / sizeof target->job->lora_paths[0]) {
        return zv_fail(err, ZV_E_LIMIT, "more than 16 adapters");
    }
    target->job->lora_paths[target->job->lora_count++] = path;
    return ZV_OK;
}

/* The text of a member of a flat JSON object: {"model": "org/draft", "method": "eagle"}. */
static struct zv_slice member(struct zv_slice object, const char *name)
{
    struct zv_slice rest = object;
    while (rest.length != 0) {
        (void)zv_slice_cut(&rest, '"');
        if (zv_slice_equal(zv_slice_cut(&rest, '"'), name)) {
            const struct zv_slice between = zv_slice_trim(zv_slice_cut(&rest, '"'));
            return zv_slice_equal(between, ":") ? zv_slice_cut(&rest, '"') : (struct zv_slice){0};
        }
    }
    return (struct zv_slice){0};
}

/* The model's own layers, a draft model, or lookups that keep no memory; the rest is passed on. */
static enum zv_status set_speculative(struct option_target *target, const struct option_row *row,
                                      struct zv_slice value, struct zv_error *err)
{
    const struct zv_slice method = member(value, "method");
    const struct zv_slice model = member(value, "model");
    (void)row;
    (void)err;
    if (zv_slice_contains(method, "mtp")) {
        target->job->serve.draft_layers = ZV_YES;
    } else if (model.length != 0 && !zv_slice_equal(model, "ngram")) {
        target->job->serve.draft_path = model;
    } else {
        target->passed = !zv_slice_equal(method, "ngram") && !zv_slice_equal(model, "ngram");
    }
    return ZV_OK;
}

#define SPECULATIVE "a draft model or draft layers keep weights and cache of their own"
#define LORA        "adapter slots are allocated at start (max_loras × max_lora_rank)"

static const struct option_row rows[] = {
    {"--model", VALUE_ONE, set_text, SERVE(model_path), NULL},
    {"--tensor-parallel-size -tp", VALUE_ONE, set_small, JOB(tp), NULL},
    {"--pipeline-parallel-size -pp", VALUE_ONE, set_small, JOB(pp), NULL},
    {"--data-parallel-size -dp", VALUE_ONE, set_small, JOB(dp), NULL},
    {"--enable-expert-parallel -ep", VALUE_MAYBE, set_experts, 0, NULL},
    {"--max-model-len", VALUE_ONE, set_max_len, SERVE(context_tokens), NULL},
    {"--max-num-seqs", VALUE_ONE, set_human, SERVE(max_sequences), NULL},
    {"--max-num-batched-tokens", VALUE_ONE, set_human, SERVE(batched_tokens), NULL},
    {"--gpu-memory-utilization -gpu-memory-utilization", VALUE_ONE, set_fraction,
     SERVE(memory_fraction), NULL},
    {"--kv-cache-dtype", VALUE_ONE, set_kv_dtype, SERVE(kv_dtype_k), NULL},
    {"--block-size", VALUE_ONE, set_tokens, SERVE(block_tokens), NULL},
    {"--num-gpu-blocks-override", VALUE_ONE, set_tokens, SERVE(num_blocks), NULL},
    {"--kv-cache-memory-bytes --kv-cache-memory", VALUE_ONE, set_bytes, SERVE(kv_cache_bytes),
     NULL},
    {"--swap-space", VALUE_ONE, set_gibibytes, SERVE(swap_bytes), NULL},
    {"--cpu-offload-gb", VALUE_ONE, set_gibibytes, SERVE(cpu_offload_bytes), NULL},
    {"--enforce-eager", VALUE_MAYBE, set_yes, SERVE(enforce_eager), NULL},
    {"--no-enforce-eager", VALUE_NONE, set_no, SERVE(enforce_eager), NULL},
    {"--enable-prefix-caching", VALUE_MAYBE, set_yes, SERVE(prefix_caching), NULL},
    {"--no-enable-prefix-caching", VALUE_NONE, set_no, SERVE(prefix_caching), NULL},
    {"--quantization -q", VALUE_ONE, set_text, SERVE(quantization), NULL},
    {"--dtype", VALUE_ONE, set_text, SERVE(dtype), NULL},
    {"--speculative-model", VALUE_ONE, set_text, SERVE(draft_path), NULL},
    {"--lora-modules", VALUE_MANY, add_lora, 0, NULL},
    {"--max-loras", VALUE_ONE, set_tokens, SERVE(max_loras), NULL},
    {"--max-lora-rank", VALUE_ONE, set_tokens, SERVE(max_lora_rank), NULL},
    {"--language-model-only", VALUE_MAYBE, set_yes, SERVE(language_only), NULL},
    /* changes memory, not modelled */
    {"--speculative-config -sc", VALUE_ONE, set_speculative, 0, SPECULATIVE},
    {"--num-speculative-tokens --spec-decoding-acceptance-method --ngram-prompt-lookup-max",
     VALUE_ONE, NULL, 0, SPECULATIVE},
    {"--enable-lora", VALUE_MAYBE, NULL, 0, LORA},
    {"--max-cpu-loras --lora-extra-vocab-size", VALUE_ONE, NULL, 0, LORA},
    {"--compilation-config -cc -O --optimization-level --cuda-graph-sizes "
     "--cudagraph-capture-sizes "
     "--max-cudagraph-capture-size --max-seq-len-to-capture",
     VALUE_ONE, NULL, 0, "which CUDA graphs are captured"},
    {"--disable-hybrid-kv-cache-manager", VALUE_MAYBE, NULL, 0, "sliding layers keep full caches"},
    {"--no-disable-hybrid-kv-cache-manager", VALUE_NONE, NULL, 0, NULL},
    {"--enable-chunked-prefill", VALUE_MAYBE, NULL, 0, NULL},
    {"--no-enable-chunked-prefill", VALUE_NONE, NULL, 0, "a step takes a whole prompt"},
    {"--hf-overrides --rope-scaling --model-impl --runner --task --convert", VALUE_ONE, NULL, 0,
     "facts of the model are replaced"},
    {"--limit-mm-per-prompt --mm-processor-kwargs --mm-encoder-tp-mode", VALUE_ONE, NULL, 0,
     "what a multimodal profile run takes"},
    {"--skip-mm-profiling", VALUE_MAYBE, NULL, 0, "the vision tower's share"},
    {"--decode-context-parallel-size -dcp --prefill-context-parallel-size -pcp", VALUE_ONE, NULL, 0,
     "the cache is split over tokens"},
    {"--kv-offloading-size --kv-offloading-backend --kv-transfer-config --kv-events-config",
     VALUE_ONE, NULL, 0, "a cache tier in host memory"},
    {"--calculate-kv-scales --enable-eplb --enable-dbo --enable-sleep-mode", VALUE_MAYBE, NULL, 0,
     "buffers that are not modelled"},
    {"--num-redundant-experts --eplb-config --attention-backend --attention-config "
     "--all2all-backend "
     "--mamba-cache-dtype --mamba-ssm-cache-dtype --mamba-block-size --mamba-cache-mode "
     "--kv-cache-dtype-skip-layers --additional-config --device --load-format "
     "--override-generation-"
     "config --use-v2-block-manager --num-lookahead-slots --mm-processor-cache-gb",
     VALUE_ONE, NULL, 0, "not modelled"},
    {"--max-long-partial-prefills --max-num-partial-prefills --long-prefill-token-threshold",
     VALUE_ONE, NULL, 0, NULL},
    /* costs nothing on the card */
    {"--host --port --api-key --uvicorn-log-level --root-path --ssl-keyfile --ssl-certfile "
     "--ssl-ca-certs --ssl-cert-reqs --chat-template --chat-template-content-format "
     "--response-role "
     "--tool-call-parser --tool-parser-plugin --reasoning-parser --reasoning-parser-plugin "
     "--tokenizer --tokenizer-mode --tokenizer-revision --revision --code-revision --hf-token "
     "--download-dir --config --config-format --generation-config --seed --guided-decoding-backend "
     "--structured-outputs-config --distributed-executor-backend --data-parallel-address "
     "--data-parallel-rpc-port --data-parallel-rank --data-parallel-backend "
     "--data-parallel-size-local "
     "-dpl --data-parallel-start-rank --nnodes --node-rank --master-addr --master-port "
     "--max-logprobs "
     "--scheduling-policy --prefix-caching-hash-algo --otlp-traces-endpoint "
     "--collect-detailed-traces "
     "--max-log-len --disable-frontend-multiprocessing --api-server-count --hf-config-path "
     "--default-chat-template-kwargs --allowed-local-media-path --worker-cls "
     "--worker-extension-cls --scheduler-cls --stream-interval --renderer-num-workers",
     VALUE_ONE, NULL, 0, NULL},
    {"--served-model-name --allowed-origins --allowed-methods --allowed-headers --middleware",
     VALUE_MANY, NULL, 0, NULL},
    {"--trust-remote-code --disable-log-requests --disable-log-stats --enable-log-requests "
     "--no-enable-log-requests --enable-auto-tool-choice --enable-reasoning --allow-credentials "
     "--disable-custom-all-reduce --return-tokens-as-token-ids --enable-prompt-tokens-details "
     "--enable-server-load-tracking --disable-sliding-window --disable-cascade-attn "
     "--disable-uvicorn-access-log --async-scheduling --no-async-scheduling --headless "
     "--skip-tokenizer-init --enable-ssl-refresh --disable-fastapi-docs --engine-use-ray "
     "--worker-use-ray --ray-workers-use-nsight --enable-request-id-headers --help -h",
     VALUE_MAYBE, NULL, 0, NULL},
};

const struct option_rows options_vllm = {rows, sizeof rows / sizeof rows[0], true};
