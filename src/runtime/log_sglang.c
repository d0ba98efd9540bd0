/* Start logs of SGLang. It writes GB and means GiB (bytes / 2^30). */
#include <stddef.h>

#include "runtime/log_build.h"

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

/* The line that begins with what, and the size after words in it. */
static bool read_size(struct log_build *build, const char *what, const char *words, const char *id)
{
    struct zv_slice after;
    struct log_size size;
    return log_after(build->line->text, what, NULL, &after) &&
           log_after(after, words, NULL, &after) && log_size_read(after, &size, NULL) &&
           log_add(build, id, build->line->rank, &size) != NULL;
}

static void read_settings(struct log_build *build)
{
    struct zv_log *const log = &build->now.log;
    struct zv_slice after;
    uint64_t millionths;
    (void)read_number(build, "tp_size=", &log->tp);
    (void)read_number(build, "pp_size=", &log->pp);
    (void)read_number(build, "page_size=", &log->block_tokens);
    (void)read_number(build, "chunked_prefill_size=", &log->batch_tokens);
    (void)read_number(build, "context_len=", &log->context_tokens);
    (void)read_number(build, "context_length=", &log->context_tokens);
    (void)read_number(build, "max_running_requests=", &log->sequences);
    if (log_after(build->line->text, "mem_fraction_static=", NULL, &after) &&
        log_millionths_read(after, &millionths)) {
        log_fact_number(build, &log->memory_fraction, millionths, (struct zv_slice){0});
    }
    if (log_after(build->line->text, "model_path='", NULL, &after)) {
        log_fact_text(build, &log->model_name, zv_slice_cut(&after, '\''));
    }
    if (log_after(build->line->text, "Load weight end.", NULL, &after) &&
        log_after(after, "type=", NULL, &after)) {
        log_fact_text(build, &log->architecture, zv_slice_cut(&after, ','));
    }
}

/* Layers that slide have a pool of their own, which is allocated first. */
static void read_pool_sizes(struct log_build *build)
{
    struct zv_log *const log = &build->now.log;
    if (zv_slice_contains(build->line->text, "sliding window memory pool")) {
        (void)read_number(build, "full_layer_tokens=", &log->kv_tokens);
        (void)read_number(build, "swa_layer_tokens=", &log->kv_tokens_sliding);
    }
}

/* "Capture cuda graph end. …", "Capture target decode CUDA graph end. …": what was free then. */
static void read_graphs(struct log_build *build)
{
    struct zv_slice after;
    if (log_after(build->line->text, "Capture ", NULL, &after) &&
        zv_slice_contains(after, "graph end.")) {
        (void)read_size(build, "graph end.", "mem usage=", "cuda_graph");
        (void)read_size(build, "graph end.", "avail mem=", "end_available");
    }
    (void)read_size(build, "max_total_num_tokens=", "available_gpu_mem=", "end_available");
}

static void read_pool(struct log_build *build)
{
    static const char *const line = "KV Cache is allocated.";
    static const char *const states = "Mamba Cache is allocated";
    struct log_part *const part = &build->now;
    struct zv_slice after;
    if (log_after(build->line->text, line, NULL, &after)) {
        uint64_t tokens = 0;
        struct zv_slice number;
        (void)(log_after(after, "#tokens: ", NULL, &number) &&
               log_count_read(number, &tokens, NULL));
        part->sliding = part->log.kv_tokens_sliding.found &&
                        part->log.kv_tokens_sliding.value == tokens &&
                        part->log.kv_tokens.value != tokens;
        if (!part->sliding && tokens != 0) {
            log_fact_number(build, &part->log.kv_tokens, tokens, (struct zv_slice){0});
        }
        if (log_after(after, "dtype: ", NULL, &after)) {
            const struct zv_slice type = zv_slice_cut(&after, ',');
            log_fact_text(build, &part->log.kv_type_k, type);
            log_fact_text(build, &part->log.kv_type_v, type);
        }
        part->has_context = true;
        part->log.complete = true;
    }
    (void)read_size(build, line, " K size: ", "kv_k");
    (void)read_size(build, line, " V size: ", "kv_v");
    (void)read_size(build, line, " KV size: ", "kv_size"); /* latent: no halves */
    part->sliding = false;
    (void)read_size(build, states, "conv_state size: ", "state_conv");
    (void)read_size(build, states, "ssm_state size: ", "state_temporal");
    (void)read_size(build, states, "intermediate_ssm_state_cache size: ", "state_drafted");
    (void)read_size(build, states, "intermediate_conv_window_cache size: ", "state_drafted");
    if (read_number(build, "max_total_num_tokens=", &part->log.kv_tokens)) {
        part->log.complete = true;
        part->has_context = true;
    }
}

void log_sglang_line(struct log_build *build)
{
    const struct zv_slice text = build->line->text;
    if (zv_slice_contains(text, "server_args=ServerArgs(") &&
        (build->now.has_context || build->now.log.failed)) {
        log_begin(build);
    }
    read_settings(build);
    if (read_size(build, "Load weight end.", "mem usage=", "weights")) {
        build->now.loaded = true;
    }
    (void)read_size(build, "Load weight begin.", "avail mem=", "available_before_load");
    (void)read_size(build, "Load weight end.", "avail mem=", "available_after_load");
    (void)read_size(build, "Memory pool end.", "avail mem=", "pool_end_available");
    (void)read_size(build, "Capture cuda graph begin.", "avail mem=", "graph_available");
    read_graphs(build);
    read_pool_sizes(build);
    read_pool(build);
    if (!log_torch_oom(build) &&
        zv_slice_contains(text,
                          "Not enough memory. Please try to increase --mem-fraction-static")) {
        log_failed(build, true);
    }
}
