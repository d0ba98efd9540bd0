/* llama.cpp and ik_llama.cpp: caches, states and output buffers out of a row's facts. */
#include <string.h>

#include "base/checked.h"
#include "estimate/cache.h"
#include "estimate/cache_buffer.h"
#include "model/dtype.h"
#include "selftest/checks.h"
#include "selftest/facts.h"

struct run {
    struct facts facts;
    struct zv_runtime_rules rules;
    bool dated;
    bool has_context; /* n_ctx is recorded */
    struct zv_llamacpp_request request;
    struct zv_llamacpp_cache cache;
    const char *cache_missing; /* why the cache is not predicted; NULL when it is */
    const char *basis;
};

static bool is_ik(const struct zv_row *row)
{
    return zv_slice_contains(row->runtime, "ik_llama") ||
           zv_row_find(&row->settings, "mla") != NULL;
}

/* The log's own label of the cache: "c^KV" is the latent, "kv^T (" its transposed copy. */
static bool says(const struct zv_row *row, const char *words)
{
    return zv_slice_contains(zv_row_text(&row->measured, "kv_split_line"), words) ||
           zv_slice_contains(zv_row_text(&row->measured, "kv"), words);
}

/*
 * ik_llama.cpp: -mla 0 keeps K and V per head, 1 the latent and, without flash attention, a
 * transposed copy, 2 and 3 the latent. Files of llama.cpp's own layout always give the latent,
 * whatever -mla says; the log's label tells.
 */
static enum zv_mla_form form_of_ik(const struct zv_row *row)
{
    uint64_t mla = 0;
    bool flash = false;
    (void)(zv_row_u64(&row->settings, "mla_attn", &mla) || zv_row_u64(&row->settings, "mla", &mla));
    (void)facts_yes_no(&row->settings, "flash_attn", &flash);
    if (mla == 0 && !says(row, "c^KV")) {
        return ZV_MLA_PER_HEAD;
    }
    return mla == 1 && !flash ? ZV_MLA_LATENT_AND_COPY : ZV_MLA_LATENT;
}

static void choose_mla(struct run *run, const struct zv_row *row)
{
    if (!run->facts.latent) {
        return;
    }
    if (is_ik(row)) {
        run->request.form.mla = form_of_ik(row);
        run->basis = "cache form by -mla";
        return;
    }
    if (!run->dated && zv_row_find(&row->settings, "mla_attn") == NULL) {
        run->cache_missing =
            "the version is not recorded, and what a latent cache keeps depends on it";
    }
    run->request.form.mla = (enum zv_mla_form)run->rules.mla_form.value;
}

static enum zv_dtype type_of(const struct zv_row *row, const char *name, enum zv_dtype otherwise)
{
    const struct zv_slice text = zv_row_text(&row->settings, name);
    return text.length != 0 ? zv_dtype_parse(text) : otherwise;
}

/* Settings of the row, and the runtime's rules where it has none. */
static void read_settings(struct run *run, const struct zv_row *row)
{
    struct zv_llamacpp_request *const request = &run->request;
    const struct zv_runtime_rules *const rules = &run->rules;
    const struct zv_row_fields *const settings = &row->settings;
    bool unified = rules->kv_unified_default.value != 0;
    bool full = false;
    bool flash = rules->flash_attention_default.value != 0;
    *request = (struct zv_llamacpp_request){.n_seq = 1, .n_ubatch = rules->ubatch_default.value};
    run->has_context = zv_row_u64(settings, "n_ctx", &request->n_ctx);
    (void)(zv_row_u64(settings, "n_seq_max", &request->n_seq) ||
           zv_row_u64(settings, "slots", &request->n_seq));
    (void)zv_row_u64(settings, "n_ubatch", &request->n_ubatch);
    if (rules->iswa_batch.value != 0) {
        (void)zv_row_u64(settings, "n_batch", &request->n_ubatch);
    }
    (void)zv_row_u64(settings, "n_rs_seq", &request->n_rs_seq);
    (void)facts_yes_no(settings, "kv_unified", &unified);
    (void)facts_yes_no(settings, "flash_attn", &flash);
    (void)facts_yes_no(settings, "swa_full", &full);
    request->unified = unified;
    request->swa_full = full;
    request->iswa = rules->iswa_cache.value != 0 || zv_row_find(&row->measured, "swa") != NULL;
    const uint64_t multiple = zv_rules_context_multiple(rules, flash);
    request->multiple = multiple != 0 ? multiple : 1;
    request->form = (struct zv_cache_form){.conv_state = ZV_DTYPE_F32, .scan_state = ZV_DTYPE_F32};
    request->form.k = type_of(row, "type_k", type_of(row, "type", ZV_DTYPE_F16));
    request->form.v = type_of(row, "type_v", type_of(row, "type", ZV_DTYPE_F16));
}

static bool open_run(struct run *run, struct checks *checks)
{
    const struct zv_row *const row = checks->row;
    const enum zv_runtime_kind kind = is_ik(row) ? ZV_RUNTIME_IK_LLAMACPP : ZV_RUNTIME_LLAMACPP;
    *run = (struct run){.basis = ""};
    if (!facts_read(&run->facts, row, checks->arena) ||
        facts_rules(&run->rules, &run->dated, row, kind, checks->arena, NULL) != ZV_OK) {
        checks->out_of_memory = true;
        return false;
    }
    read_settings(run, row);
    choose_mla(run, row);
    if (run->facts.sliding && !run->dated && run->request.iswa) {
        run->basis = "version not recorded: the newest rules for sliding layers";
    }
    if (run->facts.missing != NULL) {
        run->cache_missing = run->facts.missing;
    } else if (run->cache_missing == NULL &&
               zv_cache_llamacpp(&run->cache, run->facts.layers, run->facts.layer_count,
                                 &run->request, NULL) != ZV_OK) {
        run->cache_missing = "the cache cannot be calculated: an unknown element type, or overflow";
    }
    return true;
}

/* A figure of the cache, or the reason why there is none. */
static void check_cache(struct checks *checks, const struct run *run, const char *item,
                        struct zv_slice text, const struct measured *figure, uint64_t predicted)
{
    if (run->cache_missing != NULL) {
        check_skip(checks, item, text, run->cache_missing);
    } else if (!run->has_context) {
        check_skip(checks, item, text, "n_ctx is not recorded");
    } else {
        check_bytes(checks, item, figure, predicted, run->basis);
    }
}

static void check_total(struct checks *checks, const struct run *run, struct zv_slice text)
{
    const struct zv_llamacpp_cache *const cache = &run->cache;
    struct measured figure;
    if (measured_read(text, ZV_UNIT_MIB, true, &figure)) {
        check_cache(checks, run, "kv_cache", text, &figure,
                    cache->k + cache->v + cache->swa_k + cache->swa_v);
    }
}

/* "K (f16): 1464.00 MiB, V (f16):  976.00 MiB"; "c^KV (q8_0): 72.91 MiB, kv^T (f16): …". */
static void check_split(struct checks *checks, const struct run *run, struct zv_slice text)
{
    const struct zv_llamacpp_cache *const cache = &run->cache;
    const bool latent = zv_slice_contains(text, "c^KV (");
    struct measured figure;
    if (measured_after(text, latent ? "c^KV (" : "K (", true, &figure)) {
        check_cache(checks, run, "kv_cache_k", text, &figure, cache->k + cache->swa_k);
    }
    if (measured_after(text, latent ? "kv^T (" : " V (", true, &figure)) {
        check_cache(checks, run, "kv_cache_v", text, &figure, cache->v + cache->swa_v);
    }
}

/* Cells as the line prints them: "(  8192 cells". */
static void check_cells(struct checks *checks, const struct run *run, const char *item,
                        struct zv_slice text, uint64_t predicted)
{
    struct zv_slice inside = text;
    (void)zv_slice_cut(&inside, '(');
    struct zv_slice word;
    uint64_t cells;
    if (zv_slice_contains(text, " cells") && zv_slice_word(&inside, &word) &&
        zv_slice_u64(word, &cells) && run->cache_missing == NULL && run->has_context) {
        check_count(checks, item, (struct counted){"cells", cells, predicted, predicted, 0},
                    run->basis);
    }
}

/* One of the two caches of a model with sliding layers. */
static void check_part(struct checks *checks, const struct run *run, bool sliding)
{
    const struct zv_llamacpp_cache *const cache = &run->cache;
    const struct zv_slice text = zv_row_text(&checks->row->measured, sliding ? "swa" : "non_swa");
    const uint64_t k = sliding ? cache->swa_k : cache->k;
    const uint64_t v = sliding ? cache->swa_v : cache->v;
    struct measured figure;
    if (!measured_read(text, ZV_UNIT_COUNT, true, &figure)) {
        return;
    }
    struct run with_window = *run;
    if (!run->facts.sliding && run->cache_missing == NULL) {
        with_window.cache_missing = "which layers slide, and over what window, is not recorded";
    }
    check_cache(checks, &with_window, sliding ? "kv_cache_sliding" : "kv_cache_full", text, &figure,
                k + v);
    check_cells(checks, &with_window, sliding ? "cells_sliding" : "cells_full", text,
                sliding ? cache->swa_cells : cache->cells);
    if (measured_after(text, " K (", true, &figure)) {
        check_cache(checks, &with_window, sliding ? "kv_cache_sliding_k" : "kv_cache_full_k", text,
                    &figure, k);
    }
    if (measured_after(text, " V (", true, &figure)) {
        check_cache(checks, &with_window, sliding ? "kv_cache_sliding_v" : "kv_cache_full_v", text,
                    &figure, v);
    }
}

/*
 * What the buffer holds beside the tensors; 0 where that is not known. ik_llama.cpp keeps K in rows
 * of heads since #208; its logs that tell mla_attn are of that time, others are older or another's.
 */
static uint64_t beside_tensors(const struct checks *checks, const struct run *run,
                               struct zv_slice device)
{
    const bool card = zv_slice_contains(device, "CUDA");
    uint64_t mla;
    uint64_t extra;
    if (!zv_row_u64(&checks->row->settings, "mla_attn", &mla) ||
        zv_slice_contains(device, "_Host") ||
        zv_cache_buffer_extra(&extra, card ? ZV_BUFFER_CUDA : ZV_BUFFER_HOST, run->facts.layers,
                              run->facts.layer_count, &run->request.form, NULL) != ZV_OK) {
        return 0;
    }
    return extra;
}

/* The share of a device can be told when it holds the whole cache. */
static void check_devices(struct checks *checks, const struct run *run, const char *field)
{
    const struct zv_row_field *const list = zv_row_find(&checks->row->measured, field);
    struct measured figure;
    if (list == NULL || list->pair_count == 0) {
        return;
    }
    if (list->pair_count > 1 || strcmp(field, "kv_per_device_MiB") != 0) {
        check_skip(checks, "kv_cache_device", list->pairs[0].value,
                   "which layers lie on which device is not recorded");
    } else if (measured_read(list->pairs[0].value, ZV_UNIT_MIB, true, &figure)) {
        struct run padded = *run;
        padded.basis = "tensors, and what the device's buffer adds";
        check_cache(checks, &padded, "kv_cache_device", list->pairs[0].value, &figure,
                    run->cache.k + run->cache.v + run->cache.swa_k + run->cache.swa_v +
                        beside_tensors(checks, run, list->pairs[0].name));
    }
}

static void check_states(struct checks *checks, const struct run *run)
{
    const struct zv_row_fields *const fields = &checks->row->measured;
    const struct zv_slice text = zv_row_find(fields, "rs") != NULL
                                     ? zv_row_text(fields, "rs")
                                     : zv_row_text(fields, "per_slot");
    struct measured figure;
    if (!measured_read(text, ZV_UNIT_COUNT, true, &figure)) {
        return;
    }
    if (!run->facts.states) {
        check_skip(checks, "state", text,
                   run->facts.state_missing != NULL ? run->facts.state_missing
                                                    : "which layers keep a state is not recorded");
        return;
    }
    if (zv_row_find(&checks->row->settings, "n_seq_max") == NULL &&
        zv_row_find(&checks->row->settings, "slots") == NULL) {
        check_skip(checks, "state", text, "the number of sequences is not recorded");
        return;
    }
    /* States do not depend on the context, so a cache that is not known is left out. */
    struct zv_llamacpp_request request = run->request;
    struct zv_llamacpp_cache cache;
    size_t states = 0;
    while (states < run->facts.layer_count && run->facts.layers[states].state != ZV_STATE_NONE) {
        states++;
    }
    if (zv_cache_llamacpp(&cache, run->facts.layers, states, &request, NULL) != ZV_OK) {
        check_skip(checks, "state", text, "the state passes 2^64 bytes");
        return;
    }
    check_bytes(checks, "state", &figure, cache.conv + cache.scan, run->basis);
    if (measured_after(text, "R (", true, &figure)) {
        check_bytes(checks, "state_conv", &figure, cache.conv, run->basis);
    }
    if (measured_after(text, "S (", true, &figure)) {
        check_bytes(checks, "state_scan", &figure, cache.scan, run->basis);
    }
}

/* n_vocab floats for each sequence's next token; ollama's runner asks for embeddings too. */
static void check_output(struct checks *checks, const struct run *run)
{
    const struct zv_row *const row = checks->row;
    const struct zv_row_field *const list = zv_row_find(&row->measured, "output_buffers_MiB");
    struct measured figure;
    uint64_t vocab = 0;
    uint64_t hidden = 0;
    uint64_t bytes = 0;
    if (list == NULL || list->pair_count == 0 ||
        !measured_read(list->pairs[0].value, ZV_UNIT_MIB, true, &figure)) {
        return;
    }
    const bool embeddings = zv_slice_contains(row->version, "ollama");
    if (zv_row_find(&row->settings, "n_seq_max") == NULL) {
        check_skip(checks, "output_buffer", list->pairs[0].value,
                   "the number of sequences (n_seq_max) is not recorded");
    } else if (!zv_row_u64(&row->config, "vocab", &vocab) ||
               (embeddings && !zv_row_u64(&row->config, "hidden", &hidden))) {
        check_skip(checks, "output_buffer", list->pairs[0].value,
                   "the size of the vocabulary is not recorded");
    } else if (!zv_mul(vocab + hidden, 4 * run->request.n_seq, &bytes)) {
        check_skip(checks, "output_buffer", list->pairs[0].value, "it passes 2^64 bytes");
    } else {
        check_bytes(checks, "output_buffer", &figure, bytes,
                    embeddings ? "ollama's runner keeps embeddings beside the logits" : "");
    }
}

/* "| CUDA0 (…) | 24077 = 945 + (19187 = 17904 + 384 + 898) + 3945 |": whole MiB, cut off. */
static void check_breakdown(struct checks *checks, const struct run *run)
{
    struct zv_slice text = zv_row_text(&checks->row->measured, "breakdown");
    const struct zv_slice whole = text;
    struct measured figure;
    if (text.length == 0) {
        return;
    }
    while (zv_slice_contains(text, "(")) {
        (void)zv_slice_cut(&text, '(');
    }
    (void)zv_slice_cut(&text, '=');
    (void)zv_slice_cut(&text, '+');
    if (!measured_read(zv_slice_cut(&text, '+'), ZV_UNIT_MIB, true, &figure)) {
        return;
    }
    figure.low = figure.bytes;
    figure.high = figure.bytes + ZV_MIB - 1;
    if (run->facts.state_missing != NULL) {
        check_skip(checks, "context_buffers", whole, run->facts.state_missing);
        return;
    }
    const struct zv_llamacpp_cache *const cache = &run->cache;
    check_cache(checks, run, "context_buffers", whole, &figure,
                cache->k + cache->v + cache->swa_k + cache->swa_v + cache->conv + cache->scan);
}

static void skip_rest(struct checks *checks)
{
    static const struct {
        const char *field;
        const char *item;
        const char *reason;
    } rest[] = {
        {"compute_buffers_MiB", "compute_buffer", "a compute graph's buffer has no closed form"},
        {"model_buffers_MiB", "model_buffer",
         "the tensors and where they lie are not recorded: needs the model file"},
        {"draft_kv", "draft_kv_cache", "the draft model's layers are not recorded"},
        {"draft_compute_MiB", "compute_buffer", "a compute graph's buffer has no closed form"},
        {"nvidia_smi", "process_total", "holds weights, context and buffers that are not recorded"},
        {"nvidia_smi_held_MiB", "process_total",
         "holds weights, context and buffers that are not recorded"},
        {"gpu_delta_MiB", "process_total",
         "holds weights, context and buffers that are not recorded"},
    };
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        const struct zv_row_field *const field = zv_row_find(&checks->row->measured, rest[i].field);
        if (field != NULL && (field->text.length != 0 || field->pair_count != 0)) {
            check_skip(checks, rest[i].item,
                       field->pair_count != 0 ? field->pairs[0].value : field->text,
                       rest[i].reason);
        }
    }
}

void predict_llamacpp(struct checks *checks)
{
    const struct zv_row_fields *const measured = &checks->row->measured;
    static const char *const totals[] = {"kv_self", "kv", "kv_total_MiB"};
    struct run run;
    if (!open_run(&run, checks)) {
        return;
    }
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        check_total(checks, &run, zv_row_text(measured, totals[i]));
    }
    check_split(checks, &run, zv_row_text(measured, "kv_split_line"));
    check_split(checks, &run, zv_row_text(measured, "kv"));
    check_part(checks, &run, false);
    check_part(checks, &run, true);
    check_devices(checks, &run, "kv_per_device_MiB");
    check_devices(checks, &run, "swa_per_device_MiB");
    check_states(checks, &run);
    check_output(checks, &run);
    check_breakdown(checks, &run);
    skip_rest(checks);
}
