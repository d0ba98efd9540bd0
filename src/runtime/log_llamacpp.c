/* Start logs of llama.cpp and ik_llama.cpp, from llm_load_tensors (2023) to llama_kv_cache (2026).
 */
#include <stddef.h>
#include <string.h>

#include "runtime/log_build.h"

#define FACT(field) offsetof(struct zv_log, field)

/* "print_info: n_layer          = 61": the name before '=' and where it goes. */
static const struct {
    const char *name;
    size_t fact;
    bool number;
} facts[] = {
    {"n_ctx", FACT(context_tokens), true},
    {"n_ctx_train", FACT(context_trained), true},
    {"n_seq_max", FACT(sequences), true},
    {"n_batch", FACT(batch_tokens), true},
    {"n_ubatch", FACT(ubatch_tokens), true},
    {"n_layer", FACT(layers), true},
    {"n_embd", FACT(hidden), true},
    {"n_head", FACT(heads), true},
    {"n_head_kv", FACT(kv_heads), true},
    {"n_embd_head_k", FACT(head_dim_k), true},
    {"n_embd_head_v", FACT(head_dim_v), true},
    {"n_embd_k_gqa", FACT(k_width), true},
    {"n_embd_v_gqa", FACT(v_width), true},
    {"n_swa", FACT(window), true},
    {"n_vocab", FACT(vocab), true},
    {"n_expert", FACT(experts), true},
    {"n_lora_kv", FACT(latent_rank), true},
    {"n_rot", FACT(rope_dim), true},
    {"mla_attn", FACT(mla), true},
    {"arch", FACT(architecture), false},
    {"general.name", FACT(model_name), false},
    {"params", FACT(file_parameters), false},
    {"ftype", FACT(file_type), false},
};

static struct zv_log_fact *fact_at(struct log_build *build, size_t offset)
{
    return (struct zv_log_fact *)(void *)((char *)&build->now.log + offset);
}

static bool is_setting_line(struct zv_slice text)
{
    return zv_slice_contains(text, "print_info:") ||
           zv_slice_contains(text, "llm_load_print_meta:") ||
           zv_slice_contains(text, "llama_context:") ||
           zv_slice_contains(text, "llama_init_from_model:") ||
           zv_slice_contains(text, "llama_model_load_internal:") ||
           zv_slice_contains(text, "llama_new_context_with_model:");
}

/* "flash_attn = 1", "enabled", "auto"; "kv_unified = true". */
static void yes_no_fact(struct log_build *build, struct zv_log_fact *fact, struct zv_slice value)
{
    const bool yes = zv_slice_equal(value, "1") || zv_slice_equal(value, "enabled") ||
                     zv_slice_equal(value, "true");
    log_fact_number(build, fact, yes, value);
}

static void read_setting(struct log_build *build)
{
    struct zv_slice before;
    struct zv_slice after;
    if (!is_setting_line(build->line->text) ||
        !log_after(build->line->text, "=", &before, &after)) {
        return;
    }
    const struct zv_slice name = log_last_word(before);
    const struct zv_slice value = zv_slice_trim(after);
    struct zv_log *const log = &build->now.log;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        uint64_t number = 0;
        if (!zv_slice_equal(name, facts[i].name)) {
            continue;
        }
        if (!facts[i].number) {
            log_fact_text(build, fact_at(build, facts[i].fact), value);
        } else if (log_count_read(value, &number, NULL)) {
            log_fact_number(build, fact_at(build, facts[i].fact), number, value);
        }
        return;
    }
    if (zv_slice_equal(name, "flash_attn")) {
        yes_no_fact(build, &log->flash_attention, value);
    } else if (zv_slice_equal(name, "kv_unified")) {
        yes_no_fact(build, &log->kv_unified, value);
    }
}

/* "llama_kv_cache_init: layer 0: n_embd_head_qk_rope = 64, kv_lora_rank = 512". */
static void read_latent(struct log_build *build)
{
    struct zv_slice after;
    uint64_t value;
    if (log_after(build->line->text, "kv_lora_rank = ", NULL, &after) &&
        log_count_read(after, &value, NULL)) {
        log_fact_number(build, &build->now.log.latent_rank, value, (struct zv_slice){0});
    }
    if (log_after(build->line->text, "n_embd_head_qk_rope = ", NULL, &after) &&
        log_count_read(after, &value, NULL)) {
        log_fact_number(build, &build->now.log.rope_dim, value, (struct zv_slice){0});
    }
}

/* "MTL0_Mapped", "HTP0-REPACK": another kind of buffer on the same device. */
static struct zv_slice device_name(struct zv_slice name)
{
    static const char *const kinds[] = {"_Mapped", "_Private", "_REPACK", "-REPACK"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (zv_slice_ends(name, kinds[i])) {
            name.length -= strlen(kinds[i]);
        }
    }
    return name;
}

/* "… CUDA0 model buffer size = 17744.02 MiB": the device is the word before, if one is named. */
static bool read_buffer(struct log_build *build, const char *words, const char *id)
{
    struct zv_slice before;
    struct zv_slice after;
    struct log_size size;
    if (!log_after(build->line->text, words, &before, &after) ||
        !log_size_read(after, &size, NULL)) {
        return false;
    }
    const struct zv_slice device = device_name(log_last_word(before));
    return log_add(build, id, zv_slice_ends(device, ":") ? (struct zv_slice){0} : device, &size) !=
           NULL;
}

/* The type in "K (f16): 256.00 MiB" and its size; label is "K (", "c^KV (", "R (". */
static void read_typed(struct log_build *build, struct zv_slice text, const char *label,
                       const char *id, struct zv_log_fact *type)
{
    struct zv_slice after;
    struct log_size size;
    if (!log_after(text, label, NULL, &after)) {
        return;
    }
    const struct zv_slice name = zv_slice_cut(&after, ')');
    if (log_size_read(after, &size, NULL)) {
        (void)log_add(build, id, (struct zv_slice){0}, &size);
        if (type != NULL) {
            log_fact_text(build, type, name);
        }
    }
}

/* "(  4096 cells,  32 layers,  4/1 seqs  2 rs_seq)". */
static void read_counts(struct zv_reading *reading, struct zv_slice text)
{
    struct zv_slice inside;
    if (reading == NULL || !log_after(text, "(", NULL, &inside)) {
        return;
    }
    inside = zv_slice_cut(&inside, ')');
    while (inside.length != 0) {
        struct zv_slice part = zv_slice_trim(zv_slice_cut(&inside, ','));
        uint64_t number;
        if (!log_count_read(part, &number, &part)) {
            continue;
        }
        if (zv_slice_contains(part, "cells")) {
            reading->cells = number;
        } else if (zv_slice_contains(part, "layers")) {
            reading->layers = number;
        } else if (zv_slice_contains(part, "seqs")) {
            reading->sequences = number;
        }
    }
}

/* "llama_kv_cache: size = 512.00 MiB (4096 cells, …), K (f16): …", also without the function. */
static bool read_cache_size(struct log_build *build)
{
    const struct zv_slice text = build->line->text;
    struct zv_slice after;
    struct zv_slice rest;
    struct log_size size;
    struct zv_log *const log = &build->now.log;
    const bool recurrent = zv_slice_contains(text, "recurrent") ||
                           zv_slice_contains(text, "rs_seq") || zv_slice_contains(text, "R (f");
    if (log_after(text, "KV self size", NULL, &after) ||
        log_after(text, "kv self size", NULL, &after)) {
        if (!log_size_read(after, &size, &rest)) {
            return false;
        }
        (void)log_add(build, "kv_size", (struct zv_slice){0}, &size);
    } else if (zv_slice_contains(text, " cells") && log_after(text, "size = ", NULL, &after) &&
               log_size_read(after, &size, &rest)) {
        read_counts(
            log_add(build, recurrent ? "state_size" : "kv_size", (struct zv_slice){0}, &size),
            rest);
    } else {
        return false;
    }
    if (recurrent) {
        read_typed(build, rest, "R (", "state_conv", NULL);
        read_typed(build, rest, "S (", "state_scan", NULL);
        return true;
    }
    read_typed(build, rest, "c^KV (", "kv_size_k", &log->kv_type_k);
    read_typed(build, rest, "kv^T (", "kv_size_v", &log->kv_type_v);
    read_typed(build, rest, " K (", "kv_size_k", &log->kv_type_k);
    read_typed(build, rest, " V (", "kv_size_v", &log->kv_type_v);
    return true;
}

/*
 * "| - CUDA0 (RTX 4090) | 24077 = 945 + (19187 = 17904 + 384 + 898) + 3945 |", in MiB. Before a
 * model is loaded the same table shows a trial, which the last column betrays: it is negative, or
 * huge where it wrapped.
 */
static bool read_breakdown(struct log_build *build)
{
    static const char *const ids[] = {
        "breakdown_total",   "breakdown_free",    "breakdown_self",       "breakdown_model",
        "breakdown_context", "breakdown_compute", "breakdown_unaccounted"};
    struct log_size sizes[7];
    struct zv_slice row;
    struct zv_slice name;
    struct zv_slice numbers;
    if (!zv_slice_contains(build->line->text, "memory_breakdown") ||
        !log_after(build->line->text, " - ", NULL, &row) || !log_after(row, "| ", NULL, &numbers) ||
        !zv_slice_word(&row, &name)) {
        return false;
    }
    for (size_t i = 0; i < 7; i++) {
        while (numbers.length != 0 && strchr(" =+(|)", numbers.at[0]) != NULL) {
            numbers.at++;
            numbers.length--;
        }
        uint64_t mebibytes;
        struct zv_slice next;
        if (!log_count_read(numbers, &mebibytes, &next) || mebibytes > UINT32_MAX) {
            return false;
        }
        sizes[i] = (struct log_size){
            mebibytes << 20, UINT64_C(1) << 19, {numbers.at, numbers.length - next.length}};
        numbers = next;
    }
    for (size_t i = 0; i < 7; i++) {
        (void)log_add(build, ids[i], name, &sizes[i]);
    }
    return true;
}

static bool read_devices(struct log_build *build)
{
    const struct zv_slice text = build->line->text;
    struct zv_slice before;
    struct zv_slice after;
    struct log_size size;
    if (log_after(text, "VRAM: ", &before, &after) && log_size_read(after, &size, NULL) &&
        log_after(text, "Device ", NULL, &after)) {
        (void)log_add(build, "device_total", zv_slice_cut(&after, ':'), &size);
        return true;
    }
    if (log_after(text, "using device ", NULL, &after) && zv_slice_ends(text, "MiB free")) {
        struct zv_slice name;
        struct zv_slice rest = after;
        struct zv_slice tail = after;
        while (log_after(tail, " - ", NULL, &rest)) {
            tail = rest;
        }
        if (zv_slice_word(&after, &name) && log_size_read(tail, &size, NULL)) {
            (void)log_add(build, "device_free", name, &size);
            return true;
        }
    }
    if (log_after(text, "llm_load_tensors: mem required", NULL, &after) &&
        log_size_read(after, &size, NULL)) { /* of 2023: what of the weights is not on a card */
        return log_add(build, "model_buffer", zv_slice_of("CPU"), &size) != NULL;
    }
    return log_add_after(build, "projected_use", "projected to use ") ||
           log_add_after(build, "vram_total", "total VRAM used: ") ||
           log_add_after(build, "vram_used", "VRAM used: "); /* weights on cards; both of 2023 */
}

static void read_failure(struct log_build *build)
{
    static const char *const memory[] = {"out of memory", "ErrorOutOfDeviceMemory",
                                         "failed to allocate"};
    static const char *const failures[] = {"error loading model", "failed to load model",
                                           "unable to load model", "failed to create context",
                                           "failed to initialize the context"};
    const struct zv_slice text = build->line->text;
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        if (zv_slice_contains(text, memory[i])) {
            log_failed(build, true);
            (void)(log_add_after(build, "oom_request", "allocating ") ||
                   log_add_after(build, "oom_request", "buffer of size "));
            return;
        }
    }
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        if (zv_slice_contains(text, failures[i])) {
            log_failed(build, false);
            return;
        }
    }
}

static bool read_version(struct log_build *build)
{
    static const char *const words[] = {"main: build = ", "build: ", "build_info: ", "version: "};
    struct zv_slice before;
    struct zv_slice after;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (log_after(build->line->text, words[i], &before, &after) && after.length != 0 &&
            (zv_is_digit(after.at[0]) || after.at[0] == 'b')) {
            const struct zv_slice word = zv_slice_cut(&after, ' ');
            uint64_t number;
            const struct zv_slice digits = {word.at + (word.at[0] == 'b'),
                                            word.length - (word.at[0] == 'b')};
            if (!log_count_read(digits, &number, NULL) || number < 100) {
                continue;
            }
            if (build->now.has_context) {
                log_begin(build);
            }
            if (build->now.log.version.length == 0) {
                build->now.log.version = log_keep(build, word);
            }
            return true;
        }
    }
    return false;
}

/* A second model is loaded when the first one's context is there: a new start, or its draft. */
static void read_loading(struct log_build *build)
{
    const struct zv_slice text = build->line->text;
    if (zv_slice_contains(text, "draft model") || zv_slice_contains(text, "MTP context")) {
        build->now.draft = true;
    }
    if (zv_slice_contains(text, "llama_model_loader: loaded meta data") && build->now.has_context) {
        if (!build->now.draft) {
            log_begin(build);
        }
    }
    if (zv_slice_contains(text, "creating non-SWA KV cache")) {
        build->now.sliding = false;
    } else if (zv_slice_contains(text, "creating     SWA KV cache") ||
               zv_slice_contains(text, "creating SWA KV cache")) {
        build->now.sliding = true;
    }
}

void log_llamacpp_line(struct log_build *build)
{
    struct log_part *const part = &build->now;
    struct zv_slice after;
    (void)read_version(build);
    read_loading(build);
    read_failure(build);
    if (read_breakdown(build) || read_devices(build)) {
        return;
    }
    if (read_buffer(build, "model buffer size", "model_buffer") ||
        (zv_slice_contains(build->line->text, "load_tensors:") &&
         read_buffer(build, "buffer size", "model_buffer"))) {
        part->loaded = true;
    } else if (read_buffer(build, "KV buffer size", "kv_buffer") ||
               read_buffer(build, "RS buffer size", "state_buffer")) {
        /* the size line that follows says more */
    } else if (read_buffer(build, "compute buffer size", "compute_buffer") ||
               read_buffer(build, "compute buffer total size", "compute_buffer")) {
        part->has_context = true;
        part->log.complete = true;
        part->sliding = false;
    } else if (!read_buffer(build, "output buffer size", "output_buffer") &&
               !read_cache_size(build)) {
        read_setting(build);
        read_latent(build);
    }
    uint64_t layers;
    if (log_after(build->line->text, "offloaded ", NULL, &after) &&
        log_count_read(after, &layers, &after) && zv_slice_starts(after, "/")) {
        log_fact_number(build, &part->log.offloaded_layers, layers, (struct zv_slice){0});
        after.at++;
        after.length--;
        if (log_count_read(after, &layers, NULL)) {
            log_fact_number(build, &part->log.offload_layers, layers, (struct zv_slice){0});
        }
    }
}
