/* Start logs of vLLM: engine V0 (0.6 and earlier) and V1. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/log_build.h"

/* A size after words, every time they occur in a log line. */
static const struct {
    const char *words;
    const char *id;
} sizes[] = {
    {"Model loading took ", "weights"},
    {"Loading model weights took ", "weights"},
    {"model weights take ", "weights"},
    {"weights memory: ", "weights"},
    {"torch peak memory increase: ", "activation_peak"},
    {"PyTorch activation peak memory takes ", "activation_peak"},
    {"non-torch forward increase memory: ", "non_torch"},
    {"non_torch_memory takes ", "non_torch"},
    {"non_torch_memory=", "non_torch"},
    {"Total non KV cache memory: ", "non_kv_total"},
    {"Available KV cache memory: ", "kv_available"},
    {"reserved for KV Cache is ", "kv_available"},
    {"kv_cache_size=", "kv_available"},
    {"Estimated CUDA graph memory: ", "cuda_graph_estimate"},
    {"Graph capturing finished in ", "cuda_graph"}, /* "… 2 secs, took 0.11 GiB" */
    {"CUDA graph pool memory: ", "cuda_graph"},
    {"total_gpu_memory (", "device_total"},
    {"total_gpu_memory=", "device_total"},
    {"total_memory=", "device_total"},
    {"free_memory=", "device_free"},
    {"available KV cache memory (", "kv_available"},
};

/* "Actual usage is 14.08 GiB for weight, 1.97 GiB for peak activation, …": a size before words. */
static const struct {
    const char *words;
    const char *id;
} usage[] = {
    {" for weight", "weights"},
    {" for peak activation", "activation_peak"},
    {" for non-torch memory", "non_torch"},
    {" for CUDAGraph memory", "cuda_graph"},
    {" for consumed memory (weights + non-torch)", "consumed"},
};

/* Both engines say some figures twice; the first has the most digits. */
static bool is_known(const struct log_build *build, const char *id)
{
    const struct log_part *const part = &build->now;
    const struct zv_slice rank = build->line->rank;
    for (size_t i = 0; i < part->count; i++) {
        if (strcmp(part->readings[i].id, id) == 0 &&
            zv_slice_same(part->readings[i].device, rank)) {
            return true;
        }
    }
    return false;
}

static bool read_sizes(struct log_build *build)
{
    bool any = false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct zv_slice after;
        struct log_size size;
        if (!log_after(build->line->text, sizes[i].words, NULL, &after)) {
            continue;
        }
        struct zv_slice took;
        if (log_after(after, " took ", NULL, &took)) {
            after = took;
        }
        if (log_size_read(after, &size, NULL) && !is_known(build, sizes[i].id)) {
            any = log_add(build, sizes[i].id, build->line->rank, &size) != NULL || any;
        }
    }
    return any;
}

/* The size that ends where words begin: "(10.12 GiB KV cache is needed" gives 10.12 GiB. */
static bool size_before(struct zv_slice text, const char *words, struct log_size *size)
{
    struct zv_slice before;
    struct zv_slice after;
    if (!log_after(text, words, &before, &after)) {
        return false;
    }
    const struct zv_slice unit = log_last_word(before);
    struct zv_slice number =
        log_last_word((struct zv_slice){before.at, before.length - unit.length});
    while (number.length != 0 && (number.at[0] < '0' || number.at[0] > '9')) {
        number.at++;
        number.length--;
    }
    const size_t length = (size_t)(before.at + before.length - number.at);
    return log_size_read((struct zv_slice){number.at, length}, size, NULL);
}

static void add_once(struct log_build *build, const char *id, const struct log_size *size)
{
    if (!is_known(build, id)) {
        (void)log_add(build, id, build->line->rank, size);
    }
}

/*
 * "Free memory on device (78.66/79.19 GiB) on startup. Desired GPU memory utilization is (0.9,
 * 71.27 GiB). Actual usage is …", when a start is over; the first half also when it is refused.
 */
static void read_startup(struct log_build *build)
{
    struct zv_slice after;
    struct log_size size;
    if (!log_after(build->line->text, "Free memory on device ", NULL, &after) ||
        !log_after(after, "(", NULL, &after)) {
        return;
    }
    struct zv_slice pair = zv_slice_cut(&after, ')');
    const struct zv_slice free = zv_slice_cut(&pair, '/');
    if (log_size_read(pair, &size, NULL)) {
        const struct zv_slice unit = log_last_word(pair);
        char text[64];
        add_once(build, "device_total", &size);
        const int length = snprintf(text, sizeof text, "%.*s %.*s", (int)free.length, free.at,
                                    (int)unit.length, unit.at);
        if (length > 0 && (size_t)length < sizeof text &&
            log_size_read(zv_slice_of(text), &size, NULL)) {
            add_once(build, "device_free", &size);
        }
    }
    if (log_after(after, "GPU memory utilization ", NULL, &after) &&
        log_after(after, "(", NULL, &after)) {
        uint64_t millionths;
        if (log_millionths_read(after, &millionths)) {
            log_fact_number(build, &build->now.log.memory_fraction, millionths,
                            (struct zv_slice){0});
        }
        if (log_after(after, ", ", NULL, &after) && log_size_read(after, &size, NULL)) {
            add_once(build, "usable", &size);
        }
    }
    for (size_t i = 0; i < sizeof usage / sizeof usage[0]; i++) {
        if (size_before(after, usage[i].words, &size)) {
            add_once(build, usage[i].id, &size);
        }
    }
}

static bool read_number(struct log_build *build, const char *words, struct zv_log_fact *fact)
{
    struct zv_slice after;
    uint64_t value;
    if (!log_after(build->line->text, words, NULL, &after) ||
        !log_count_read(after, &value, NULL)) {
        return false;
    }
    log_fact_number(build, fact, value, (struct zv_slice){0});
    return true;
}

static void read_fraction(struct log_build *build, const char *words)
{
    struct zv_slice after;
    uint64_t millionths;
    if (log_after(build->line->text, words, NULL, &after) &&
        log_millionths_read(after, &millionths)) {
        log_fact_number(build, &build->now.log.memory_fraction, millionths, (struct zv_slice){0});
    }
}

/* "the current vLLM instance can use total_gpu_memory (15.77GiB) x … (0.90) = 14.20GiB". */
static void read_usable(struct log_build *build)
{
    struct zv_slice after;
    struct log_size size;
    if (log_after(build->line->text, "gpu_memory_utilization (", NULL, &after) &&
        log_after(after, "= ", NULL, &after) && log_size_read(after, &size, NULL)) {
        (void)log_add(build, "usable", build->line->rank, &size);
    }
}

/* "Maximum concurrency for 120,000 tokens per request: 2.48x". */
static void read_concurrency(struct log_build *build)
{
    struct zv_slice after;
    uint64_t value;
    if (!log_after(build->line->text, "Maximum concurrency for ", NULL, &after) ||
        !log_count_read(after, &value, &after)) {
        return;
    }
    log_fact_number(build, &build->now.log.context_tokens, value, (struct zv_slice){0});
    if (log_after(after, "request: ", NULL, &after) && log_millionths_read(after, &value)) {
        log_fact_number(build, &build->now.log.concurrency, value, (struct zv_slice){0});
    }
}

/* "non-default args: {'model': 'org/model', 'max_model_len': 4096, …}" */
static void read_arguments(struct log_build *build)
{
    struct zv_log *const log = &build->now.log;
    struct zv_slice after;
    (void)read_number(build, "'max_model_len': ", &log->context_tokens);
    (void)read_number(build, "'tensor_parallel_size': ", &log->tp);
    (void)read_number(build, "'pipeline_parallel_size': ", &log->pp);
    (void)read_number(build, "'max_num_batched_tokens': ", &log->batch_tokens);
    (void)read_number(build, "'max_num_seqs': ", &log->sequences);
    read_fraction(build, "'gpu_memory_utilization': ");
    if (log_after(build->line->text, "'model': '", NULL, &after)) {
        log_fact_text(build, &log->model_name, zv_slice_cut(&after, '\''));
    }
    if (log_after(build->line->text, "'kv_cache_dtype': '", NULL, &after)) {
        const struct zv_slice type = zv_slice_cut(&after, '\'');
        log_fact_text(build, &log->kv_type_k, type);
        log_fact_text(build, &log->kv_type_v, type);
    }
}

/* "max_seq_len=4096," in the line that shows the engine's settings. */
static void read_config(struct log_build *build)
{
    struct zv_log *const log = &build->now.log;
    struct zv_slice after;
    (void)read_number(build, "max_seq_len=", &log->context_tokens);
    (void)read_number(build, "max_model_len=", &log->context_tokens);
    (void)read_number(build, "tensor_parallel_size=", &log->tp);
    (void)read_number(build, "pipeline_parallel_size=", &log->pp);
    (void)read_number(build, "max_num_batched_tokens=", &log->batch_tokens);
    (void)read_number(build, "max_num_seqs=", &log->sequences);
    read_fraction(build, "gpu_memory_utilization=");
    read_fraction(build, "--gpu-memory-utilization=");
    if (log_after(build->line->text, "config: model='", NULL, &after)) {
        log_fact_text(build, &log->model_name, zv_slice_cut(&after, '\''));
    }
    if (zv_slice_contains(build->line->text, "non-default args: {")) {
        read_arguments(build);
    }
    if (log_after(build->line->text, "kv_cache_dtype=", NULL, &after)) {
        const struct zv_slice type = zv_slice_cut(&after, ',');
        if (type.length < 24) {
            log_fact_text(build, &log->kv_type_k, type);
            log_fact_text(build, &log->kv_type_v, type);
        }
    }
}

static void read_version(struct log_build *build)
{
    const struct zv_slice text = build->line->text;
    struct zv_slice after;
    struct log_part *const part = &build->now;
    const bool banner = log_after(text, "vLLM API server version ", NULL, &after) ||
                        log_after(text, "LLM engine (v", NULL, &after);
    if (!banner) {
        return;
    }
    /* The server's line and the engine's line announce one start. */
    if (part->has_context || part->log.complete || part->log.failed) {
        log_begin(build);
    }
    struct zv_slice version;
    if (build->now.log.version.length == 0 && zv_slice_word(&after, &version)) {
        build->now.log.version = log_keep(build, zv_slice_cut(&version, ')'));
    }
    if (log_after(text, "Initializing a V", NULL, &after)) {
        uint64_t engine;
        if (log_count_read(after, &engine, NULL)) {
            log_fact_number(build, &build->now.log.engine, engine, (struct zv_slice){0});
        }
    }
}

/* "10.12 GiB KV cache is needed, which is larger than …". */
static void read_failure(struct log_build *build)
{
    const struct zv_slice text = build->line->text;
    struct log_size size;
    if (log_torch_oom(build)) {
        return;
    }
    if (zv_slice_contains(text, " KV cache is needed")) {
        if (size_before(text, " KV cache is needed", &size)) {
            (void)log_add(build, "kv_needed", build->line->rank, &size);
        }
        log_failed(build, true);
    } else if (zv_slice_contains(text, "on startup is less than desired GPU memory") ||
               zv_slice_contains(text, "No available memory for the cache blocks") ||
               zv_slice_contains(text,
                                 "larger than the maximum number of tokens that can be stored")) {
        log_failed(build, true);
    } else if (zv_slice_contains(text, "EngineCore failed to start") ||
               zv_slice_contains(text, "Engine core initialization failed")) {
        log_failed(build, false);
    }
}

void log_vllm_line(struct log_build *build)
{
    struct log_part *const part = &build->now;
    read_version(build);
    struct zv_log *const log = &build->now.log;
    if (read_sizes(build)) {
        build->now.loaded = true;
    }
    read_usable(build);
    read_startup(build);
    const bool blocks = read_number(build, "# GPU blocks: ", &log->gpu_blocks) ||
                        read_number(build, "# cuda blocks: ", &log->gpu_blocks) ||
                        read_number(build, "num_gpu_blocks is: ", &log->gpu_blocks);
    (void)read_number(build, "# CPU blocks: ", &log->cpu_blocks);
    const bool tokens = read_number(build, "GPU KV cache size: ", &log->kv_tokens);
    if (blocks || tokens) {
        part->has_context = true;
        part->log.complete = true;
    }
    (void)read_number(build, "Setting attention block size to ", &log->block_tokens);
    read_concurrency(build);
    read_config(build);
    read_failure(build);
}
