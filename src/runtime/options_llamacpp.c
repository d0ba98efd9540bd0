/* Options of llama.cpp's and ik_llama.cpp's programs that matter to memory, and those that do not.
 */
#include "base/checked.h"
#include "base/fail.h"
#include "runtime/option_table.h"

#define SERVE(field) offsetof(struct zv_job, serve.field)

/* "-c 0": the model's own context. */
static enum zv_status set_context(struct option_target *target, const struct option_row *row,
                                  struct zv_slice value, struct zv_error *err)
{
    const enum zv_status status = set_tokens(target, row, value, err);
    target->job->serve.context_of_model = status == ZV_OK && target->job->serve.context_tokens == 0;
    return status;
}

static enum zv_status set_gpu_layers(struct option_target *target, const struct option_row *row,
                                     struct zv_slice value, struct zv_error *err)
{
    struct zv_serve *const serve = &target->job->serve;
    if (zv_slice_equal_nocase(value, "auto")) {
        serve->gpu_layers_given = false;
        return ZV_OK;
    }
    struct zv_slice last = value;
    while (target->lists && zv_slice_contains(last, ",")) {
        (void)zv_slice_cut(&last, ',');
    }
    uint64_t layers = 0;
    if (zv_slice_equal_nocase(last, "all") || zv_slice_equal(last, "-1")) {
        layers = ZV_JOB_ALL_LAYERS;
    } else if (!zv_slice_u64(last, &layers)) {
        return option_bad(row, value, "a number of layers, all or auto", err);
    }
    serve->gpu_layers = layers < ZV_JOB_ALL_LAYERS ? (uint32_t)layers : ZV_JOB_ALL_LAYERS;
    serve->gpu_layers_given = true;
    return ZV_OK;
}

/* "-ts 3,1" or "3/1": proportions. */
static enum zv_status set_tensor_split(struct option_target *target, const struct option_row *row,
                                       struct zv_slice value, struct zv_error *err)
{
    struct zv_serve *const serve = &target->job->serve;
    struct zv_slice rest = value;
    serve->tensor_split_count = 0;
    while (rest.length != 0) {
        const char cut = zv_slice_contains(rest, "/") ? '/' : ',';
        uint64_t thousandths = 0;
        if (serve->tensor_split_count == ZV_JOB_MAX_DEVICES ||
            !zv_slice_fixed(zv_slice_trim(zv_slice_cut(&rest, cut)), 3, &thousandths)) {
            return option_bad(row, value, "proportions, as 3,1 (up to 64)", err);
        }
        serve->tensor_split[serve->tensor_split_count++] = thousandths;
    }
    return ZV_OK;
}

/* "-ot exps=CPU,blk\.1=CUDA0": a piece without '=' belongs to the pattern after it. */
static enum zv_status set_overrides(struct option_target *target, const struct option_row *row,
                                    struct zv_slice value, struct zv_error *err)
{
    struct zv_serve *const serve = &target->job->serve;
    const char separator = target->lists ? ';' : ',';
    size_t start = 0;
    size_t equals = SIZE_MAX;
    for (size_t i = 0; i <= value.length; i++) {
        if (i < value.length && value.at[i] == '=') {
            equals = i;
        }
        const bool piece_ends = i == value.length || value.at[i] == separator;
        if (!piece_ends || (equals == SIZE_MAX && i < value.length)) {
            continue;
        }
        if (equals == SIZE_MAX || equals == start || equals + 1 >= i) {
            return option_bad(row, value, "PATTERN=BUFFER, as exps=CPU", err);
        }
        if (serve->override_count == sizeof serve->overrides / sizeof serve->overrides[0]) {
            return zv_fail(err, ZV_E_LIMIT, "more than %zu tensor overrides",
                           sizeof serve->overrides / sizeof serve->overrides[0]);
        }
        serve->overrides[serve->override_count++] =
            (struct zv_override){.pattern = {value.at + start, equals - start},
                                 .buffer = {value.at + equals + 1, i - equals - 1}};
        start = i + 1;
        equals = SIZE_MAX;
    }
    return ZV_OK;
}

static enum zv_status set_cpu_moe(struct option_target *target, const struct option_row *row,
                                  struct zv_slice value, struct zv_error *err)
{
    (void)row;
    (void)value;
    (void)err;
    target->job->serve.cpu_moe_layers = ZV_JOB_ALL_LAYERS;
    return ZV_OK;
}

static enum zv_status set_mla(struct option_target *target, const struct option_row *row,
                              struct zv_slice value, struct zv_error *err)
{
    target->job->runtime = ZV_RUNTIME_IK_LLAMACPP;
    const enum zv_status status = set_small(target, row, value, err);
    if (status == ZV_OK && target->job->serve.mla > 3) {
        return option_bad(row, value, "0, 1, 2 or 3", err);
    }
    return status;
}

static enum zv_status set_ik(struct option_target *target, const struct option_row *row,
                             struct zv_slice value, struct zv_error *err)
{
    (void)row;
    (void)value;
    (void)err;
    target->job->runtime = ZV_RUNTIME_IK_LLAMACPP;
    return ZV_OK;
}

/* --lora FILE[,FILE…]; --lora-scaled FILE:SCALE[,…]. */
static enum zv_status set_lora(struct option_target *target, const struct option_row *row,
                               struct zv_slice value, struct zv_error *err)
{
    struct zv_slice rest = value;
    while (rest.length != 0) {
        struct zv_slice path = zv_slice_cut(&rest, ',');
        if (zv_slice_starts(option_row_name(row), "--lora-scaled")) {
            path = zv_slice_cut(&path, ':');
        }
        if (target->job->lora_count ==
            sizeof target->job->lora_paths / sizeof target->job->lora_paths[0]) {
            return zv_fail(err, ZV_E_LIMIT, "more than 16 adapters");
        }
        target->job->lora_paths[target->job->lora_count++] = path;
    }
    return value.length != 0 ? ZV_OK : option_bad(row, value, "a file", err);
}

static enum zv_status set_fit(struct option_target *target, const struct option_row *row,
                              struct zv_slice value, struct zv_error *err)
{
    target->command->fit_given = true;
    target->command->fit = true;
    if (value.length != 0 && !option_yes_no(value, &target->command->fit)) {
        return option_bad(row, value, "on or off", err);
    }
    return ZV_OK;
}

/* "--fit-target 1024[,512…]": MiB kept free on each card; the smallest is what every card keeps. */
static enum zv_status set_fit_target(struct option_target *target, const struct option_row *row,
                                     struct zv_slice value, struct zv_error *err)
{
    uint64_t least = UINT64_MAX;
    struct zv_slice rest = value;
    while (rest.length != 0) {
        uint64_t mebibytes = 0;
        uint64_t bytes = 0;
        if (!zv_slice_u64(zv_slice_trim(zv_slice_cut(&rest, ',')), &mebibytes) ||
            !zv_mul(mebibytes, UINT64_C(1) << 20, &bytes)) {
            return option_bad(row, value, "MiB, as 1024", err);
        }
        least = bytes < least ? bytes : least;
    }
    target->command->fit_margin_bytes = least;
    return value.length != 0 ? ZV_OK : option_bad(row, value, "MiB, as 1024", err);
}

/* "--device CUDA0,CUDA1": how many; "none": nothing on a card. */
static enum zv_status set_devices(struct option_target *target, const struct option_row *row,
                                  struct zv_slice value, struct zv_error *err)
{
    if (zv_slice_equal_nocase(value, "none")) {
        target->job->serve.gpu_layers_given = true;
        target->job->serve.gpu_layers = 0;
        return ZV_OK;
    }
    uint32_t count = 0;
    struct zv_slice rest = value;
    while (rest.length != 0) {
        count += zv_slice_cut(&rest, target->lists ? '/' : ',').length != 0;
    }
    target->command->devices = count;
    return count != 0 ? ZV_OK : option_bad(row, value, "device names, as CUDA0,CUDA1", err);
}

/* llama-bench: what is run decides the context. */
static enum zv_status bench_count(struct option_target *target, const struct option_row *row,
                                  struct zv_slice value, uint64_t *to, struct zv_error *err)
{
    (void)target;
    struct zv_slice rest = value;
    *to = 0;
    while (rest.length != 0) {
        uint64_t one = 0;
        if (!option_count(zv_slice_trim(zv_slice_cut(&rest, ',')), &one)) {
            return option_bad(row, value, "counts, as 512 or 512,1024", err);
        }
        *to = one > *to ? one : *to;
    }
    return ZV_OK;
}

static enum zv_status set_prompt(struct option_target *target, const struct option_row *row,
                                 struct zv_slice value, struct zv_error *err)
{
    return target->lists ? bench_count(target, row, value, &target->bench_prompt, err) : ZV_OK;
}

static enum zv_status set_generate(struct option_target *target, const struct option_row *row,
                                   struct zv_slice value, struct zv_error *err)
{
    return target->lists ? bench_count(target, row, value, &target->bench_generate, err) : ZV_OK;
}

static enum zv_status set_depth(struct option_target *target, const struct option_row *row,
                                struct zv_slice value, struct zv_error *err)
{
    return target->lists ? bench_count(target, row, value, &target->bench_depth, err) : ZV_OK;
}

static enum zv_status set_pair(struct option_target *target, const struct option_row *row,
                               struct zv_slice value, struct zv_error *err)
{
    struct zv_slice rest = value;
    uint64_t prompt = 0;
    uint64_t generate = 0;
    uint64_t sum = 0;
    if (!option_count(zv_slice_cut(&rest, ','), &prompt) || !option_count(rest, &generate) ||
        !zv_add(prompt, generate, &sum)) {
        return option_bad(row, value, "PROMPT,GENERATE, as 2048,256", err);
    }
    target->bench_pair = sum > target->bench_pair ? sum : target->bench_pair;
    return ZV_OK;
}

#define DRAFT "a draft model keeps weights and a cache of its own"

static const struct option_row rows[] = {
    {"--model -m $LLAMA_ARG_MODEL", VALUE_ONE, set_text, SERVE(model_path), NULL},
    {"--hf-repo -hf -hfr $LLAMA_ARG_HF_REPO", VALUE_ONE, set_text, SERVE(model_path), NULL},
    {"--model-url -mu $LLAMA_ARG_MODEL_URL", VALUE_ONE, set_text, SERVE(model_path), NULL},
    {"--ctx-size -c $LLAMA_ARG_CTX_SIZE", VALUE_ONE, set_context, SERVE(context_tokens), NULL},
    {"--batch-size -b $LLAMA_ARG_BATCH", VALUE_ONE, set_tokens, SERVE(batched_tokens), NULL},
    {"--ubatch-size -ub $LLAMA_ARG_UBATCH", VALUE_ONE, set_tokens, SERVE(ubatch_tokens), NULL},
    {"--parallel -np $LLAMA_ARG_N_PARALLEL", VALUE_ONE, set_tokens, SERVE(sequences), NULL},
    {"--sequences -ns", VALUE_ONE, NULL, 0, NULL},
    {"--cache-type-k -ctk $LLAMA_ARG_CACHE_TYPE_K", VALUE_ONE, set_text, SERVE(kv_dtype_k), NULL},
    {"--cache-type-v -ctv $LLAMA_ARG_CACHE_TYPE_V", VALUE_ONE, set_text, SERVE(kv_dtype_v), NULL},
    {"--flash-attn -fa $LLAMA_ARG_FLASH_ATTN", VALUE_MAYBE, set_yes, SERVE(flash_attention), NULL},
    {"--no-flash-attn -no-fa", VALUE_NONE, set_no, SERVE(flash_attention), NULL},
    {"--swa-full $LLAMA_ARG_SWA_FULL", VALUE_NONE, set_yes, SERVE(swa_full), NULL},
    {"--kv-unified -kvu $LLAMA_ARG_KV_UNIFIED", VALUE_NONE, set_yes, SERVE(kv_unified), NULL},
    {"--no-kv-unified -no-kvu", VALUE_NONE, set_no, SERVE(kv_unified), NULL},
    {"--kv-offload -kvo", VALUE_NONE, set_yes, SERVE(kv_offload), NULL},
    {"--no-kv-offload -nkvo $LLAMA_ARG_NO_KV_OFFLOAD", VALUE_MAYBE, set_no, SERVE(kv_offload),
     NULL},
    {"--mmap", VALUE_MAYBE, set_yes, SERVE(mmap), NULL},
    {"-mmp", VALUE_ONE, set_yes, SERVE(mmap), NULL},
    {"--no-mmap $LLAMA_ARG_NO_MMAP", VALUE_NONE, set_no, SERVE(mmap), NULL},
    {"--gpu-layers --n-gpu-layers -ngl $LLAMA_ARG_N_GPU_LAYERS", VALUE_ONE, set_gpu_layers, 0,
     NULL},
    {"--split-mode -sm $LLAMA_ARG_SPLIT_MODE", VALUE_ONE, set_text, SERVE(split_mode), NULL},
    {"--tensor-split -ts $LLAMA_ARG_TENSOR_SPLIT", VALUE_ONE, set_tensor_split, 0, NULL},
    {"--main-gpu -mg $LLAMA_ARG_MAIN_GPU", VALUE_ONE, set_small, SERVE(main_device), NULL},
    {"--device -dev $LLAMA_ARG_DEVICE", VALUE_ONE, set_devices, 0, NULL},
    {"--override-tensor -ot", VALUE_ONE, set_overrides, 0, NULL},
    {"--n-cpu-moe -ncmoe $LLAMA_ARG_N_CPU_MOE", VALUE_ONE, set_small, SERVE(cpu_moe_layers), NULL},
    {"--cpu-moe -cmoe $LLAMA_ARG_CPU_MOE", VALUE_NONE, set_cpu_moe, 0, NULL},
    {"--fit -fit $LLAMA_ARG_FIT", VALUE_MAYBE, set_fit, 0, NULL},
    {"--fit-target -fitt $LLAMA_ARG_FIT_TARGET", VALUE_ONE, set_fit_target, 0, NULL},
    {"--fit-ctx -fitc $LLAMA_ARG_FIT_CTX", VALUE_ONE, NULL, 0, "least context that fitting keeps"},
    {"--model-draft -md --spec-draft-model $LLAMA_ARG_MODEL_DRAFT", VALUE_ONE, set_text,
     SERVE(draft_path), NULL},
    {"--mmproj -mm $LLAMA_ARG_MMPROJ", VALUE_ONE, set_text, SERVE(mmproj_path), NULL},
    {"--mmproj-url -mmu", VALUE_ONE, set_text, SERVE(mmproj_path), NULL},
    {"--lora", VALUE_ONE, set_lora, 0, NULL},
    {"--lora-scaled", VALUE_ONE, set_lora, 0, NULL},
    {"--mla-use -mla", VALUE_ONE, set_mla, SERVE(mla), NULL},
    /* ik_llama.cpp only */
    {"--fused-moe -fmoe", VALUE_MAYBE, set_ik, 0, NULL},
    {"--no-fused-moe -no-fmoe", VALUE_NONE, set_ik, 0, NULL},
    {"--run-time-repack -rtr", VALUE_MAYBE, NULL, 0, "weights repacked in host memory, no mmap"},
    {"--attention-max-batch -amb", VALUE_ONE, NULL, 0, "bounds the compute buffer of attention"},
    {"--smart-expert-reduction -ser", VALUE_ONE, NULL, 0, NULL},
    {"--merge-qkv -mqkv", VALUE_MAYBE, NULL, 0, NULL},
    {"--swa-compress", VALUE_NONE, NULL, 0, "sliding layers keep few cells"},
    /* llama-bench */
    {"--n-prompt -p --prompt $LLAMA_ARG_PROMPT", VALUE_ONE, set_prompt, 0, NULL},
    {"--n-gen -n --predict --n-predict $LLAMA_ARG_N_PREDICT", VALUE_ONE, set_generate, 0, NULL},
    {"--n-depth -d", VALUE_ONE, set_depth, 0, NULL},
    {"-pg", VALUE_ONE, set_pair, 0, NULL},
    {"--repetitions -r --delay --output -o --output-err -oe --prio --poll", VALUE_ONE, NULL, 0,
     NULL},
    {"--progress --no-warmup --warmup", VALUE_NONE, NULL, 0, NULL},
    {"--embeddings -embd", VALUE_MAYBE, NULL, 0, "the output buffer holds embeddings"},
    {"--embedding --reranking --rerank", VALUE_NONE, NULL, 0, "the output buffer holds embeddings"},
    {"--no-op-offload -nopo", VALUE_MAYBE, NULL, 0, "compute buffers of host layers"},
    {"--no-host -nhost", VALUE_MAYBE, NULL, 0, "where host buffers are"},
    /* changes memory, not modelled */
    {"--rpc", VALUE_ONE, NULL, 0, "layers on other machines"},
    {"--gpu-layers-draft --n-gpu-layers-draft -ngld --spec-draft-ngl", VALUE_ONE, NULL, 0, DRAFT},
    {"--ctx-size-draft -cd", VALUE_ONE, NULL, 0, DRAFT},
    {"--cache-type-k-draft -ctkd --spec-draft-type-k", VALUE_ONE, NULL, 0, DRAFT},
    {"--cache-type-v-draft -ctvd --spec-draft-type-v", VALUE_ONE, NULL, 0, DRAFT},
    {"--device-draft -devd", VALUE_ONE, NULL, 0, DRAFT},
    {"--hf-repo-draft -hfd -hfrd", VALUE_ONE, NULL, 0, DRAFT},
    {"--spec-type", VALUE_ONE, set_drafting, 0,
     "speculative decoding keeps state snapshots or a draft cache"},
    {"--draft-max --draft --draft-n --spec-draft-n-max", VALUE_ONE, NULL, 0,
     "speculative decoding keeps state snapshots"},
    {"--cache-ram -cram", VALUE_ONE, NULL, 0, "prompt cache in host memory"},
    {"--ctx-checkpoints --swa-checkpoints", VALUE_ONE, NULL, 0, "checkpoints in host memory"},
    {"--control-vector --control-vector-scaled", VALUE_ONE, NULL, 0, "control vectors"},
    {"--override-tensor-draft -otd --n-cpu-moe-draft -ncmoed", VALUE_ONE, NULL, 0, DRAFT},
    {"--cpu-moe-draft -cmoed", VALUE_NONE, NULL, 0, DRAFT},
    {"--no-repack -nr", VALUE_NONE, NULL, 0, "weights are not repacked in host memory"},
    {"--repack", VALUE_NONE, NULL, 0, "weights are repacked in host memory"},
    {"--image-min-tokens --image-max-tokens", VALUE_ONE, NULL, 0, "vision compute buffer"},
    {"--no-mmproj-offload", VALUE_NONE, set_no, SERVE(mmproj_offload), NULL},
    {"--no-mmproj", VALUE_NONE, NULL, 0, "vision projector"},
    {"--model-vocoder -mv", VALUE_ONE, NULL, 0, "a second model"},
    {"--group-attn-n -gan --group-attn-w -gaw", VALUE_ONE, NULL, 0, NULL},
    {"--override-kv", VALUE_ONE, NULL, 0, "facts of the model file are replaced"},
    /* costs nothing on the card */
    {"--host --port --api-key --api-key-file --ssl-key-file --ssl-cert-file --path --api-prefix "
     "--timeout -to --threads-http --alias -a --slot-save-path --log-file --log-verbosity -lv "
     "--verbosity --props --media-path --models-dir --models-max --models-preset --tags",
     VALUE_ONE, NULL, 0, NULL},
    {"--threads -t --threads-batch -tb --cpu-mask -C --cpu-range -Cr --cpu-strict --numa "
     "--prio-batch "
     "--poll-batch --defrag-thold -dt --threads-draft -td",
     VALUE_ONE, NULL, 0, NULL},
    {"--seed -s --temp --temperature --top-k --top-p --min-p --top-nsigma --typical "
     "--xtc-probability "
     "--xtc-threshold --repeat-last-n --repeat-penalty --presence-penalty --frequency-penalty "
     "--dry-multiplier --dry-base --dry-allowed-length --dry-penalty-last-n --mirostat "
     "--mirostat-lr --mirostat-ent --samplers --sampler-seq --sampling-seq --logit-bias --grammar "
     "--grammar-file --json-schema -j --json-schema-file -jf --dynatemp-range --dynatemp-exp",
     VALUE_ONE, NULL, 0, NULL},
    {"--rope-scaling --rope-scale --rope-freq-base --rope-freq-scale --yarn-orig-ctx "
     "--yarn-ext-factor --yarn-attn-factor --yarn-beta-slow --yarn-beta-fast",
     VALUE_ONE, NULL, 0, NULL},
    {"--chat-template --chat-template-file --chat-template-kwargs --reasoning-format "
     "--reasoning-budget --reasoning -rea --system-prompt -sys --system-prompt-file --file -f "
     "--binary-file -bf --in-prefix --in-suffix --reverse-prompt --image --audio --keep "
     "--slot-prompt-similarity -sps --cache-reuse --draft-min --draft-n-min --spec-draft-n-min "
     "--draft-p-min --spec-draft-p-min --pooling --sleep-idle-seconds --hf-file -hff --hf-token "
     "-hft "
     "--print-token-count --load-mode --chunks --ppl-stride --spec-ngram-mod-n-min "
     "--spec-ngram-mod-n-max --spec-ngram-mod-n-match",
     VALUE_ONE, NULL, 0, NULL},
    {"--jinja --no-jinja --metrics --slots --no-slots --no-webui --webui --verbose -v "
     "--log-disable "
     "--log-colors --log-prefix --log-timestamps --cont-batching -cb --no-cont-batching -nocb "
     "--mlock --no-perf --perf --escape --no-escape --special --interactive -i --conversation -cnv "
     "--no-conversation -no-cnv --single-turn -st --simple-io --color --no-display-prompt "
     "--ignore-eos --context-shift --no-context-shift --offline --check-tensors "
     "--prefill-assistant "
     "--no-prefill-assistant --multiline-input --verbose-prompt --version --help -h --list-devices "
     "--models-autoload --no-models-autoload --cache-prompt --no-cache-prompt --spm-infill",
     VALUE_MAYBE, NULL, 0, NULL},
};

const struct option_rows options_llamacpp = {rows, sizeof rows / sizeof rows[0], false};
