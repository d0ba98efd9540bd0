/* From options to a job. Every option that is given wins over a pasted command line. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "cli/estimate_extras.h"
#include "cli/estimate_options.h"

static void set_text(const struct arguments *args, const char *name, struct zv_slice *to)
{
    const char *const value = arguments_value(args, name);
    if (value != NULL) {
        *to = zv_slice_of(value);
    }
}

static void set_yes(const struct arguments *args, const char *name, enum zv_tristate value,
                    enum zv_tristate *to)
{
    if (arguments_has(args, name)) {
        *to = value;
    }
}

bool estimate_is_by_numbers(const struct arguments *args)
{
    return args->operand_count == 0 && !arguments_has(args, "command") &&
           (arguments_has(args, "parameters") || arguments_has(args, "layers"));
}

/* With --grid, and some by hand, these are lists, which their reader cuts. */
static bool is_list(const struct arguments *args, const char *name)
{
    static const char *const axes[] = {"context", "concurrency", "micro-batch", "seq-length"};
    if (estimate_is_by_numbers(args) && strcmp(name, "concurrency") == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        if (strcmp(name, axes[i]) == 0) {
            return arguments_has(args, "grid");
        }
    }
    return false;
}

static enum zv_status refuse_zero(const struct arguments *args, const char *name, uint64_t value,
                                  struct zv_error *err)
{
    return arguments_has(args, name) && value == 0
               ? zv_fail(err, ZV_E_USAGE, "--%s 0: expected at least 1", name)
               : ZV_OK;
}

/* Numbers, one table row each: where it goes and by which option. */
static enum zv_status set_counts(struct zv_job *job, const struct arguments *args,
                                 struct zv_error *err)
{
    struct zv_serve *const serve = &job->serve;
    struct zv_train *const train = &job->train;
    const struct {
        const char *name;
        uint64_t *to;
    } wide[] = {
        {"context", &serve->context_tokens},     {"concurrency", &serve->sequences},
        {"max-num-seqs", &serve->max_sequences}, {"max-num-batched-tokens", &serve->batched_tokens},
        {"block-size", &serve->block_tokens},    {"ubatch-size", &serve->ubatch_tokens},
        {"micro-batch", &train->micro_batch},    {"seq-length", &train->sequence_tokens},
        {"accumulation", &train->accumulation},
    };
    const struct {
        const char *name;
        uint32_t *to;
    } narrow[] = {
        {"tp", &job->tp},
        {"pp", &job->pp},
        {"ep", &job->ep},
        {"dp", &job->dp},
        {"gpus", &job->devices},
        {"lora-rank", &train->lora_rank},
        {"n-cpu-moe", &serve->cpu_moe_layers},
    };
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < sizeof wide / sizeof wide[0]; i++) {
        if (is_list(args, wide[i].name)) {
            continue;
        }
        status = arguments_u64(args, wide[i].name, wide[i].to, err);
        status = status == ZV_OK ? refuse_zero(args, wide[i].name, *wide[i].to, err) : status;
    }
    for (size_t i = 0; status == ZV_OK && i < sizeof narrow / sizeof narrow[0]; i++) {
        status = arguments_u32(args, narrow[i].name, narrow[i].to, err);
        status = status == ZV_OK && narrow[i].to != &serve->cpu_moe_layers
                     ? refuse_zero(args, narrow[i].name, *narrow[i].to, err)
                     : status;
    }
    if (status == ZV_OK && arguments_has(args, "context")) {
        serve->context_is_total = false;
    }
    return status;
}

static enum zv_status set_words(struct zv_job *job, const struct arguments *args,
                                struct zv_error *err)
{
    static const char *const tasks[] = {"serve", "train", "infer", NULL};
    static const char *const attention[] = {
        "flash", "sdpa", "eager", "on", "off", "auto", "flash_attention_2", "1", "0", NULL};
    static const char *const caches[] = {"dynamic", "static", "offloaded", "quantized", NULL};
    static const char *const checkpointing[] = {"none", "selective", "full", NULL};
    unsigned task = job->task;
    unsigned kind = 0;
    unsigned how = job->train.checkpointing;
    enum zv_status status = arguments_choice(args, "task", tasks, &task, err);
    if (status == ZV_OK) {
        status = arguments_choice(args, "attention", attention, &kind, err);
    }
    if (status == ZV_OK) {
        status = arguments_choice(args, "checkpointing", checkpointing, &how, err);
    }
    unsigned cache = job->serve.cache;
    if (status == ZV_OK) {
        status = arguments_choice(args, "cache", caches, &cache, err);
    }
    job->serve.cache = (enum zv_cache_kind)cache;
    job->task = task == 2 ? ZV_TASK_SERVE : (enum zv_task)task; /* infer is serve */
    job->train.checkpointing = (enum zv_checkpointing)how;
    if (arguments_has(args, "attention")) {
        const bool eager = kind == 2 || kind == 4 || kind == 8;
        job->serve.flash_attention = eager ? ZV_NO : ZV_YES;
        job->train.attention = zv_slice_of(eager ? "eager" : "flash");
    }
    return status;
}

static enum zv_status set_shard(struct zv_job *job, const struct arguments *args,
                                struct zv_error *err)
{
    uint64_t stage = 0;
    const enum zv_status status = arguments_u64(args, "zero", &stage, err);
    if (status != ZV_OK || stage > 3) {
        return zv_fail(err, ZV_E_USAGE, "--zero: expected 0, 1, 2 or 3");
    }
    if (stage != 0) {
        job->train.shard = (enum zv_shard)stage;
    }
    if (arguments_has(args, "fsdp")) {
        job->train.shard = ZV_SHARD_FSDP;
    }
    return ZV_OK;
}

static enum zv_status set_runtime(struct zv_job *job, const struct arguments *args,
                                  struct zv_error *err)
{
    const char *const text = arguments_value(args, "runtime");
    struct zv_serve *const serve = &job->serve;
    if (text != NULL &&
        !zv_runtime_parse(zv_slice_of(text), &job->runtime, &job->runtime_version)) {
        return zv_fail(err, ZV_E_USAGE,
                       "--runtime %s: expected transformers, vllm, sglang, llama.cpp, ik_llama.cpp "
                       "or none, with @VERSION if need be",
                       text);
    }
    set_text(args, "dtype", &serve->dtype);
    set_text(args, "dtype", &job->train.weight_dtype);
    if (!arguments_has(args, "grid")) {
        set_text(args, "quantization", &serve->quantization);
    }
    set_text(args, "kv-cache-dtype", &serve->kv_dtype_k);
    set_text(args, "cache-type-v", &serve->kv_dtype_v);
    set_text(args, "draft", &serve->draft_path);
    set_text(args, "mmproj", &serve->mmproj_path);
    set_text(args, "optimizer", &job->train.optimizer);
    set_text(args, "gradient-dtype", &job->train.gradient_dtype);
    set_text(args, "optimizer-dtype", &job->train.optimizer_dtype);
    set_text(args, "lora-targets", &job->train.lora_targets);
    set_yes(args, "enforce-eager", ZV_YES, &serve->enforce_eager);
    set_yes(args, "no-kv-offload", ZV_NO, &serve->kv_offload);
    set_yes(args, "swa-full", ZV_YES, &serve->swa_full);
    set_yes(args, "kv-unified", ZV_YES, &serve->kv_unified);
    set_yes(args, "master-weights", ZV_YES, &job->train.master_weights);
    set_yes(args, "no-master-weights", ZV_NO, &job->train.master_weights);
    set_yes(args, "autocast", ZV_YES, &job->train.autocast);
    set_yes(args, "fused-loss", ZV_YES, &job->train.fused_loss);
    return arguments_millionths(args, "gpu-memory-utilization", &serve->memory_fraction, err);
}

static enum zv_status set_placement(struct zv_job *job, const struct arguments *args,
                                    struct zv_error *err)
{
    struct zv_serve *const serve = &job->serve;
    const char *const layers = arguments_value(args, "n-gpu-layers");
    if (layers != NULL) {
        uint64_t count = ZV_JOB_ALL_LAYERS;
        const bool all = strcmp(layers, "all") == 0 || strcmp(layers, "auto") == 0;
        if (!all && !zv_slice_u64(zv_slice_of(layers), &count)) {
            return zv_fail(err, ZV_E_USAGE, "--n-gpu-layers %s: expected a number, all or auto",
                           layers);
        }
        serve->gpu_layers = count < ZV_JOB_ALL_LAYERS ? (uint32_t)count : ZV_JOB_ALL_LAYERS;
        serve->gpu_layers_given = true;
    }
    struct zv_slice split = zv_slice_of(arguments_value(args, "tensor-split"));
    if (split.length != 0) {
        serve->tensor_split_count = 0;
    }
    while (split.length != 0) {
        if (serve->tensor_split_count == ZV_JOB_MAX_DEVICES ||
            !zv_slice_fixed(zv_slice_trim(zv_slice_cut(&split, ',')), 3,
                            &serve->tensor_split[serve->tensor_split_count])) {
            return zv_fail(err, ZV_E_USAGE,
                           "--tensor-split %s: expected up to %d proportions such as 3,1",
                           arguments_value(args, "tensor-split"), ZV_JOB_MAX_DEVICES);
        }
        serve->tensor_split_count++;
    }
    return ZV_OK;
}

static enum zv_status add_item(struct zv_job *job, struct zv_slice text, bool host,
                               struct zv_error *err)
{
    struct zv_slice rest = text;
    struct zv_job_item item = {.host = host, .name = zv_slice_trim(zv_slice_cut(&rest, '='))};
    struct zv_slice size = zv_slice_cut(&rest, ':');
    item.known = zv_slice_trim(rest);
    size = zv_slice_trim(size);
    const bool unknown = zv_slice_equal_nocase(item.known, "unknown") ||
                         zv_slice_equal_nocase(size, "unknown") || zv_slice_equal(size, "?");
    if (unknown) {
        item.known = zv_slice_of("unknown");
    }
    if (item.name.length == 0 || (!unknown && !zv_bytes_parse(size, &item.bytes))) {
        return zv_fail(err, ZV_E_USAGE, "item '%.*s': expected NAME=SIZE or NAME=SIZE:KNOWN",
                       (int)(text.length < 200 ? text.length : 200), text.at);
    }
    if (job->item_count == sizeof job->items / sizeof job->items[0]) {
        return zv_fail(err, ZV_E_USAGE, "more than %zu items", job->item_count);
    }
    job->items[job->item_count++] = item;
    return ZV_OK;
}

static enum zv_status set_items(struct zv_job *job, const struct arguments *args,
                                struct zv_error *err)
{
    size_t at = 0;
    enum zv_status status = ZV_OK;
    for (const char *item = arguments_next(args, "item", &at); status == ZV_OK && item != NULL;
         item = arguments_next(args, "item", &at)) {
        status = add_item(job, zv_slice_of(item), false, err);
    }
    at = 0;
    for (const char *item = arguments_next(args, "host-item", &at); status == ZV_OK && item != NULL;
         item = arguments_next(args, "host-item", &at)) {
        status = add_item(job, zv_slice_of(item), true, err);
    }
    uint64_t reserve = 0;
    const char *const gib = arguments_value(args, "reserve-gib");
    if (status == ZV_OK && gib != NULL) {
        char text[64];
        (void)snprintf(text, sizeof text, "%.40sGiB", gib);
        if (!zv_bytes_parse(zv_slice_of(text), &reserve)) {
            return zv_fail(err, ZV_E_USAGE, "--reserve-gib %s: expected GiB such as 4 or 1.5", gib);
        }
        status = reserve == 0 ? ZV_OK : add_item(job, zv_slice_of("reserve=1"), false, err);
        if (status == ZV_OK && reserve != 0) {
            job->items[job->item_count - 1].bytes = reserve;
        }
    }
    return status;
}

enum zv_status estimate_items_file(struct zv_job *job, struct zv_slice text, struct zv_error *err)
{
    struct zv_slice line;
    uint64_t number = 0;
    while (zv_slice_line(&text, &line)) {
        number++;
        line = zv_slice_trim(line);
        if (line.length == 0 || line.at[0] == '#') {
            continue;
        }
        const bool host = zv_slice_starts(line, "host:");
        if (host) {
            line.at += 5;
            line.length -= 5;
        }
        struct zv_error cause = {0};
        if (add_item(job, line, host, &cause) != ZV_OK) {
            return zv_fail_line(err, ZV_E_SYNTAX, number, "%s", cause.text);
        }
    }
    return ZV_OK;
}

enum zv_status estimate_job(struct zv_job *job, struct zv_command *command,
                            const struct arguments *args, struct zv_arena *arena,
                            struct zv_error *err)
{
    *job = (struct zv_job){0};
    *command = (struct zv_command){0};
    const char *const line = arguments_value(args, "command");
    enum zv_status status = ZV_OK;
    if (line != NULL) {
        status = zv_command_read(command, job, zv_slice_of(line), arena, err);
    }
    static enum zv_status (*const parts[])(struct zv_job *, const struct arguments *,
                                           struct zv_error *) = {
        set_counts, set_words, set_shard, set_runtime, set_placement, set_items, extra_options};
    for (size_t i = 0; status == ZV_OK && i < sizeof parts / sizeof parts[0]; i++) {
        status = parts[i](job, args, err);
    }
    size_t at = 0;
    for (const char *lora = arguments_next(args, "lora", &at); status == ZV_OK && lora != NULL;
         lora = arguments_next(args, "lora", &at)) {
        if (job->lora_count == sizeof job->lora_paths / sizeof job->lora_paths[0]) {
            return zv_fail(err, ZV_E_USAGE, "more than %zu adapters", job->lora_count);
        }
        job->lora_paths[job->lora_count++] = zv_slice_of(lora);
    }
    return status;
}
