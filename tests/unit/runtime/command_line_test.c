#include "runtime/command_line.h"

#include <stdio.h>
#include <string.h>

#include "runtime/versions.h"
#include "support/test.h"

static void put_slice(char *to, size_t size, const char *name, struct zv_slice slice)
{
    const size_t used = strlen(to);
    if (slice.length != 0) {
        (void)snprintf(to + used, size - used, " %s=%.*s", name, (int)slice.length, slice.at);
    }
}

static void put_number(char *to, size_t size, const char *name, uint64_t value)
{
    const size_t used = strlen(to);
    if (value != 0) {
        (void)snprintf(to + used, size - used, " %s=%llu", name, (unsigned long long)value);
    }
}

static void put_answer(char *to, size_t size, const char *name, enum zv_tristate value)
{
    const size_t used = strlen(to);
    if (value != ZV_UNSET) {
        (void)snprintf(to + used, size - used, " %s=%s", name, value == ZV_YES ? "yes" : "no");
    }
}

/* Everything the command line said, in a fixed order. */
static void describe(char *to, size_t size, const struct zv_command *command,
                     const struct zv_job *job)
{
    const struct zv_serve *const serve = &job->serve;
    (void)snprintf(to, size, "%s", zv_runtime_name(job->runtime));
    put_slice(to, size, "version", job->runtime_version);
    put_slice(to, size, "model", serve->model_path);
    put_number(to, size, "tp", job->tp);
    put_number(to, size, "pp", job->pp);
    put_number(to, size, "dp", job->dp);
    put_number(to, size, "ep", job->ep);
    put_number(to, size, "devices", command->devices);
    put_number(to, size, "context", serve->context_tokens);
    put_number(to, size, "of_model", serve->context_of_model);
    put_number(to, size, "sequences", serve->sequences);
    put_number(to, size, "most", serve->max_sequences);
    put_number(to, size, "batch", serve->batched_tokens);
    put_number(to, size, "ubatch", serve->ubatch_tokens);
    put_number(to, size, "block", serve->block_tokens);
    put_number(to, size, "blocks", serve->num_blocks);
    put_number(to, size, "fraction", serve->memory_fraction);
    put_number(to, size, "kv_bytes", serve->kv_cache_bytes);
    put_number(to, size, "swap", serve->swap_bytes);
    put_slice(to, size, "k", serve->kv_dtype_k);
    put_slice(to, size, "v", serve->kv_dtype_v);
    put_answer(to, size, "eager", serve->enforce_eager);
    put_answer(to, size, "prefix", serve->prefix_caching);
    put_answer(to, size, "flash", serve->flash_attention);
    put_answer(to, size, "swa_full", serve->swa_full);
    put_answer(to, size, "unified", serve->kv_unified);
    put_answer(to, size, "kv_offload", serve->kv_offload);
    put_answer(to, size, "mmap", serve->mmap);
    put_answer(to, size, "dp_attention", serve->dp_attention);
    put_number(to, size, "layers", serve->gpu_layers_given ? serve->gpu_layers : 0);
    put_number(to, size, "cpu_moe", serve->cpu_moe_layers);
    put_number(to, size, "split", serve->tensor_split_count);
    put_slice(to, size, "split_mode", serve->split_mode);
    for (size_t i = 0; i < serve->override_count; i++) {
        put_slice(to, size, "override", serve->overrides[i].pattern);
        put_slice(to, size, "on", serve->overrides[i].buffer);
    }
    put_number(to, size, "mla", serve->mla);
    put_slice(to, size, "draft", serve->draft_path);
    put_slice(to, size, "mmproj", serve->mmproj_path);
    put_answer(to, size, "mmproj_offload", serve->mmproj_offload);
    put_answer(to, size, "draft_layers", serve->draft_layers);
    put_answer(to, size, "language_only", serve->language_only);
    put_number(to, size, "max_loras", serve->max_loras);
    put_number(to, size, "max_lora_rank", serve->max_lora_rank);
    put_slice(to, size, "quantization", serve->quantization);
    put_slice(to, size, "dtype", serve->dtype);
    for (size_t i = 0; i < job->lora_count; i++) {
        put_slice(to, size, "lora", job->lora_paths[i]);
    }
    put_number(to, size, "fit", command->fit_given ? 1 + command->fit : 0);
    put_number(to, size, "margin", command->fit_margin_bytes);
    for (size_t i = 0; i < command->extra_count; i++) {
        put_slice(to, size, "extra", command->extras[i].name);
    }
}

static const struct {
    const char *text;
    const char *want;
} good[] = {
    {"vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2 --max-model-len 32k",
     "vllm model=meta-llama/Llama-3.1-8B tp=2 context=32000"},
    {"vllm serve M --max_model_len=32K --gpu_memory_utilization=0.9 --kv_cache_dtype fp8",
     "vllm model=M context=32768 fraction=900000 k=fp8 v=fp8"},
    {"vllm serve M --enable-prefix-caching False --enforce-eager -tp 4 --port 8000",
     "vllm model=M tp=4 eager=yes prefix=no"},
    {"vllm serve M --max-num-batched-token 16384 --max-num-seqs 16",
     "vllm model=M most=16 batch=16384"},
    {"vllm serve M --max-model-len auto", "vllm model=M fit=2"},
    {"vllm serve M --served-model-name a b --lora-modules x=/x y=/y --dtype bfloat16",
     "vllm model=M dtype=bfloat16 lora=/x lora=/y"},
    {"vllm serve M --swap-space 4.5 --kv-cache-memory-bytes 2G --compilation-config.level 3 -O3",
     "vllm model=M kv_bytes=2147483648 swap=4831838208 extra=--compilation-config.level extra=-O3"},
    {"vllm serve M -dp 4 -tp 2 --enable-expert-parallel", "vllm model=M tp=2 dp=4 ep=8"},
    {"CUDA_VISIBLE_DEVICES=0,1 VLLM_USE_V1=0 python -m vllm.entrypoints.openai.api_server --model "
     "M",
     "vllm model=M devices=2 extra=VLLM_USE_V1"},
    {"docker run --gpus '\"device=0,2\"' -e HF_TOKEN=x -v ~/.cache:/root/.cache -p 8000:8000 "
     "--ipc=host "
     "vllm/vllm-openai:v0.19.0 --model M --quantization awq",
     "vllm version=v0.19.0 model=M devices=2 quantization=awq"},
    {"vllm serve M 2>&1 | tee log.txt", "vllm model=M"},
    {"vllm serve M --enable-lora --max-loras 4 --max-lora-rank 32 --language-model-only",
     "vllm model=M language_only=yes max_loras=4 max_lora_rank=32 extra=--enable-lora"},
    {"vllm serve M --speculative-config '{\"method\": \"deepseek_mtp\", \"num\": 1}'",
     "vllm model=M draft_layers=yes"},
    {"vllm serve M --speculative-config '{\"model\": \"D\", \"method\":\"eagle\"}'",
     "vllm model=M draft=D"},
    {"vllm serve M --speculative-config '{\"method\": \"ngram\"}'", "vllm model=M"},
    {"vllm serve M --speculative-config '{\"method\": \"medusa\"}'",
     "vllm model=M extra=--speculative-config"},
    {"vllm serve M --speculative-config '\"model\" \"'", "vllm model=M extra=--speculative-config"},
    {"python3 -m sglang.launch_server --model-path M --speculative-algorithm NEXTN",
     "sglang model=M draft_layers=yes"},
    {"python3 -m sglang.launch_server --model-path M --speculative-algorithm EAGLE",
     "sglang model=M extra=--speculative-algorithm"},
    {"llama-server -m m.gguf --spec-type draft-mtp --no-mmproj-offload",
     "llama.cpp model=m.gguf mmproj_offload=no draft_layers=yes"},
    {"llama-server -m m.gguf --spec-type ngram-simple", "llama.cpp model=m.gguf extra=--spec-type"},
    {"export A=1; cd /x && vllm serve M --tensor-parallel-size=2 # two cards", "vllm model=M tp=2"},
    {"vllm serve 'a model' \\\n  --port 80 \\\n  --new-thing 7 --api-key x",
     "vllm model=a model extra=--new-thing"},
    {"python3 -m sglang.launch_server --model-path M --tp 8 --dp 8 --enable-dp-attention "
     "--mem-fraction-static 0.8 --chunked-prefill-size -1 --page-size 64 --max-total-tokens 65536",
     "sglang model=M tp=8 dp=8 block=64 blocks=1024 fraction=800000 dp_attention=yes"},
    {"./build/bin/llama-server -m m.gguf -ngl 99 -c 32k -b 2048 -ub 512 -ctk q8_0 -ctv q8_0 -fa",
     "llama.cpp model=m.gguf context=32768 batch=2048 ubatch=512 k=q8_0 v=q8_0 flash=yes "
     "layers=99"},
    {"llama-server -m m.gguf -fa off -np 4 -kvu --no-mmap -nkvo -ts 3,1 -sm row -mg 1 --jinja",
     "llama.cpp model=m.gguf sequences=4 flash=no unified=yes kv_offload=no mmap=no split=2 "
     "split_mode=row"},
    {"llama-server -m m.gguf -fa auto -ngl auto -c 0 --fit off -fitt 512,1024",
     "llama.cpp model=m.gguf of_model=1 fit=1 margin=536870912"},
    {"llama-server -m m.gguf -ngl all -ncmoe 12 -md d.gguf --mmproj p.gguf --lora a,b",
     "llama.cpp model=m.gguf layers=2147483647 cpu_moe=12 draft=d.gguf mmproj=p.gguf lora=a "
     "lora=b"},
    {"llama-server -m m.gguf -ot \"blk\\.(1|2)\\.ffn.*=CPU,exps=CUDA0\" --cpu-moe --swa-full",
     "llama.cpp model=m.gguf swa_full=yes cpu_moe=2147483647 override=blk\\.(1|2)\\.ffn.* on=CPU "
     "override=exps on=CUDA0"},
    {"LLAMA_ARG_CTX_SIZE=8192 llama-server -hf org/repo:Q4_K_M -dev CUDA0,CUDA1",
     "llama.cpp model=org/repo:Q4_K_M devices=2 context=8192"},
    {"./llama-server.exe ^\n -m m.gguf ^\n -c 4096", "llama.cpp model=m.gguf context=4096"},
    {"~/ik_llama.cpp/build/bin/llama-server -m m.gguf -mla 3 -fmoe -amb 512 -rtr",
     "ik_llama.cpp model=m.gguf mla=3 extra=-amb extra=-rtr"},
    {"llama-bench -m m.gguf -p 512,2048 -n 128 -d 4096 -fa 0,1 -ctk q8_0,f16 -ngl 99",
     "llama.cpp model=m.gguf context=6144 sequences=1 k=q8_0 flash=yes layers=99"},
    {"llama-bench -m m.gguf", "llama.cpp model=m.gguf context=512 sequences=1"},
    {"./main -m m.gguf -p \"it's a test\" -n 64", "llama.cpp model=m.gguf sequences=1"},
    {"docker run ghcr.io/ggml-org/llama.cpp:server-cuda-b4719 -m m.gguf",
     "llama.cpp version=b4719 model=m.gguf"},
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_command command;
        struct zv_job job = {0};
        char got[1024] = "";
        if (zv_command_read(&command, &job, zv_slice_of(good[i].text), &arena, &err) != ZV_OK) {
            fail_msg("%s: %s", good[i].text, err.text);
        }
        describe(got, sizeof got, &command, &job);
        assert_string_equal(got, good[i].want);
        zv_arena_free(&arena);
    }
}

static const struct {
    const char *text;
    const char *says;
} bad[] = {
    {"", "no program we know"},
    {"echo hello", "no program we know"},
    {"vllm serve 'M", "a quote ' that is not closed"},
    {"vllm serve M --gpu-memory-utilization 1.5", "--gpu-memory-utilization: '1.5'"},
    {"vllm serve M --max-model-len lots", "expected a count"},
    {"vllm serve M --max-model-len $LEN", "shell variable"},
    {"vllm serve M --tensor-parallel-size", "expected a value after it"},
    {"llama-server -c 99999999999999999999", "expected a count"},
    {"llama-server -ngl some", "a number of layers, all or auto"},
    {"llama-server -ot CPU", "PATTERN=BUFFER"},
    {"llama-server -fa --mla-use 7", "0, 1, 2 or 3"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_command command;
        struct zv_job job = {0};
        assert_int_equal(zv_command_read(&command, &job, zv_slice_of(bad[i].text), &arena, &err),
                         ZV_E_SYNTAX);
        if (strstr(err.text, bad[i].says) == NULL) {
            fail_msg("%s: '%s' does not say '%s'", bad[i].text, err.text, bad[i].says);
        }
        assert_string_equal(err.where, "command line");
        zv_arena_free(&arena);
    }
}

/* Every prefix of a long command ends in a result or an error, never in a crash. */
static void test_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        for (size_t length = 0; length <= strlen(good[i].text); length++) {
            struct zv_arena arena = {0};
            struct zv_command command;
            struct zv_job job = {0};
            (void)zv_command_read(&command, &job, (struct zv_slice){good[i].text, length}, &arena,
                                  NULL);
            zv_arena_free(&arena);
        }
    }
}

/* What a command does not say is left as the caller had it. */
static void test_keeps_the_rest(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_command command;
    struct zv_job job = {.tp = 3, .serve = {.sequences = 7}};
    assert_int_equal(zv_command_read(&command, &job, zv_slice_of("vllm serve M"), &arena, NULL),
                     ZV_OK);
    assert_int_equal(job.tp, 3);
    assert_int_equal(job.serve.sequences, 7);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_keeps_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
