/*
 * Published peaks of litgpt and torchtune that may be cited, by group. The rules were made on the
 * first group; the others are held out. Settings are the sources': the resource tables' first
 * micro-batch has the longest sample of the data set and all later ones are shorter; the recipes of
 * config_hub (litgpt's of spring 2024, those of Llama 3.x and Gemma 2 of autumn 2024) are cut at
 * 512 tokens.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "base/units.h"
#include "selftest/measured.h"
#include "selftest/rows.h"
#include "support/step_peak.h"
#include "support/test.h"

#define LORA_ALL "lora_key=true lora_projection=true lora_mlp=true lora_head=true "

struct row {
    const char *id;
    const char *config;
    const char *settings;
};

static const struct row lora[] = {
    {"training_peak-011", "llama2-7b", "batch=1 tokens=1304"},
    {"training_peak-012", "llama2-7b", "batch=1 tokens=1304 quantize=nf4"},
    {"training_peak-013", "llama2-7b", "batch=1 tokens=1304 quantize=nf4-dq"},
    {"training_peak-014", "llama2-7b", "batch=2 tokens=1304"},
    {"training_peak-015", "llama2-7b", "batch=4 tokens=1304"},
    {"training_peak-016", "llama2-13b", "batch=1 tokens=1304"},
    {"training_peak-017", "llama2-13b", "batch=1 tokens=1304 quantize=nf4"},
    {"training_peak-018", "llama2-13b", "batch=1 tokens=1304 quantize=nf4-dq"},
    {"training_peak-019", "llama2-13b", "batch=2 tokens=1304"},
    {"training_peak-020", "llama2-13b", "batch=4 tokens=1304"},
    {NULL, NULL, NULL}};

static const struct row adapter[] = {
    {"training_peak-024", "stablelm-3b", "batch=1 tokens=1034"},
    {"training_peak-025", "stablelm-3b", "batch=1 tokens=1034 quantize=nf4"},
    {"training_peak-026", "stablelm-3b", "batch=1 tokens=1034 quantize=nf4-dq"},
    {"training_peak-027", "llama2-7b", "batch=1 tokens=1304"},
    {"training_peak-028", "llama2-7b", "batch=1 tokens=1304 quantize=nf4"},
    {"training_peak-029", "llama2-7b", "batch=1 tokens=1304 quantize=nf4-dq"},
    {NULL, NULL, NULL}};

static const struct row hub[] = {
    {"training_peak-048", "falcon-7b", "version=20 batch=1 rank=32"},
    {"training_peak-052", "gemma-2b", "version=20 batch=2 rank=8 " LORA_ALL},
    {"training_peak-055", "gemma-7b", "version=20 batch=1 rank=16 " LORA_ALL},
    {"training_peak-058", "gemma2-2b", "version=30 batch=2 rank=8 " LORA_ALL},
    {"training_peak-060", "gemma2-9b", "version=30 batch=1 rank=8 " LORA_ALL},
    {"training_peak-064", "llama2-7b", "version=20 batch=2 rank=32"},
    {"training_peak-072", "llama3-8b", "version=30 batch=1 rank=32"},
    {"training_peak-075", "llama3.2-1b", "version=30 batch=1 rank=32"},
    {"training_peak-078", "llama3.2-3b", "version=30 batch=1 rank=32"},
    {"training_peak-094", "stablelm-3b", "version=20 batch=1 rank=32"},
    {"training_peak-097", "tiny-llama", "version=20 batch=4 full=true"},
    {"training_peak-099", "tiny-llama", "version=20 batch=8 rank=32 " LORA_ALL},
    {NULL, NULL, NULL}};

static const struct row hub_quantised[] = {
    {"training_peak-050", "falcon-7b", "version=20 batch=1 rank=32 quantize=nf4"},
    {"training_peak-054", "gemma-2b", "version=20 batch=2 rank=16 quantize=nf4 " LORA_ALL},
    {"training_peak-057", "gemma-7b", "version=20 batch=1 rank=16 quantize=nf4 " LORA_ALL},
    {"training_peak-059", "gemma2-2b", "version=30 batch=2 rank=16 quantize=nf4 " LORA_ALL},
    {"training_peak-062", "gemma2-9b", "version=30 batch=1 rank=16 quantize=nf4 " LORA_ALL},
    {"training_peak-066", "llama2-7b", "version=20 batch=2 rank=32 quantize=nf4"},
    {"training_peak-073", "llama3-8b", "version=30 batch=2 rank=32 quantize=nf4"},
    {"training_peak-076", "llama3.2-1b", "version=30 batch=2 rank=32 quantize=nf4"},
    {"training_peak-079", "llama3.2-3b", "version=30 batch=2 rank=32 quantize=nf4"},
    {"training_peak-096", "stablelm-3b", "version=20 batch=1 rank=32 quantize=nf4"},
    {"training_peak-100", "tiny-llama", "version=20 batch=8 rank=32 quantize=nf4 " LORA_ALL},
    {NULL, NULL, NULL}};

static const struct row generate[] = {{"hf_inference_peak-004", "stablelm-3b", ""},
                                      {"hf_inference_peak-005", "stablelm-3b", "quantize=nf4"},
                                      {"hf_inference_peak-006", "stablelm-3b", "quantize=nf4-dq"},
                                      {"hf_inference_peak-010", "llama2-13b", ""},
                                      {"hf_inference_peak-011", "llama2-13b", "quantize=nf4"},
                                      {"hf_inference_peak-012", "llama2-13b", "quantize=nf4-dq"},
                                      {"hf_inference_peak-016", "falcon-40b", ""},
                                      {"hf_inference_peak-017", "falcon-40b", "quantize=nf4"},
                                      {"hf_inference_peak-018", "falcon-40b", "quantize=nf4-dq"},
                                      {NULL, NULL, NULL}};

static const struct row torchtune[] = {
    {"training_peak-110", "llama-3.2-3b", "batch=2 tokens=4096 packed=true"}, {NULL, NULL, NULL}};

/* A LoRA model that is loaded and not trained yet. */
static const struct row loaded[] = {{"training_peak-125", "llama-3.2-3b",
                                     "batch=1 tokens=1 steps=0 full=false rank=64 "
                                     "targets=q_proj,v_proj,o_proj,gate_proj,up_proj,down_proj"},
                                    {NULL, NULL, NULL}};

/* The median and the largest error that a group may have, in per cent: what it has, rounded up. */
static const struct group {
    const char *name;
    const struct row *rows;
    const char *habit;
    const char *settings;
    const char *figure;
    uint32_t processors;
    uint32_t threads;
    uint64_t card_bytes; /* for rows that ran out */
    enum { ALLOCATED, ACTIVE, RESERVED } counter;
    double median;
    double largest;
} groups[] = {
    {"LoRA (development)", lora, "litgpt", "iterations=1 ", "max_gpu_ram", 108, 2048,
     STEP_A100_BYTES, ALLOCATED, 0.10, 0.45},
    {"Adapter", adapter, "litgpt_adapter", "iterations=1 ", "max_gpu_ram", 108, 2048,
     STEP_A100_BYTES, ALLOCATED, 0.25, 0.40},
    {"config_hub", hub, "litgpt", "tokens=512 iterations=4 accumulation=2 ", "peak_memory", 80,
     1536, STEP_A10G_BYTES, ALLOCATED, 0.12, 0.45},
    {"config_hub, quantised", hub_quantised, "litgpt", "tokens=512 iterations=4 accumulation=2 ",
     "peak_memory", 80, 1536, STEP_A10G_BYTES, ALLOCATED, 0.60, 2.50},
    {"generation", generate, "litgpt_generate", "", "max_gpu_ram", 108, 2048, STEP_A100_BYTES,
     false, 0.05, 0.60},
    {"torchtune", torchtune, "torchtune", "", "peak_active", 108, 2048, 0, ACTIVE, 0.20, 0.20},
    {"torchtune, loaded", loaded, "torchtune", "", "peak_allocated", 108, 2048, 0, ALLOCATED, 0.10,
     0.10},
    {"torchtune, loaded, reserved", loaded, "torchtune", "", "peak_reserved", 108, 2048, 0,
     RESERVED, 0.10, 0.10},
};

static struct zv_slice published(const struct zv_rows *all, const char *id, const char *figure)
{
    for (size_t i = 0; i < all->count; i++) {
        if (zv_slice_equal(all->rows[i].id, id)) {
            return zv_row_text(&all->rows[i].measured, figure);
        }
    }
    fail_msg("%s is no published row", id);
    return (struct zv_slice){NULL, 0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_row(const struct group *group, const struct row *row, bool ran_out,
                    struct zv_step_result *result)
{
    char config[128];
    char settings[512];
    struct zv_error err = {0};
    (void)snprintf(config, sizeof config, "tests/data/steps/%s.json", row->config);
    (void)snprintf(settings, sizeof settings, "%s%s", group->settings, row->settings);
    const struct step_case of = {.config = config,
                                 .habit = group->habit,
                                 .settings = settings,
                                 .processors = group->processors,
                                 .threads = group->threads,
                                 .capacity = ran_out ? group->card_bytes : 0};
    if (step_case_run(&of, result, &err) != ZV_OK) {
        fail_msg("%s: %s:%llu: %s", row->id, err.where, (unsigned long long)err.line, err.text);
    }
}

static void check_group(const struct zv_rows *all, const struct group *group)
{
    double errors[32];
    size_t count = 0;
    size_t ran_out = 0;
    for (const struct row *row = group->rows; row->id != NULL; row++) {
        const struct zv_slice text = published(all, row->id, group->figure);
        const bool oom = zv_slice_equal(text, "OOM");
        struct zv_step_result result;
        struct measured figure;
        run_row(group, row, oom, &result);
        if (oom) {
            assert_true(result.out_of_memory);
            ran_out++;
            continue;
        }
        assert_true(measured_read(text, ZV_UNIT_COUNT, false, &figure));
        const uint64_t got = group->counter == ACTIVE     ? result.peak_active_bytes
                             : group->counter == RESERVED ? result.peak_reserved_bytes
                                                          : result.peak_allocated_bytes;
        errors[count] = fabs((double)got / (double)figure.bytes - 1) * 100;
        print_message("# %s %s: %.3f GB, published %.3f: %+.2f %%\n", group->name, row->id,
                      (double)got / 1e9, (double)figure.bytes / 1e9,
                      ((double)got / (double)figure.bytes - 1) * 100);
        count++;
    }
    qsort(errors, count, sizeof *errors, ascending);
    print_message("# %s: %zu rows, median %.2f %%, largest %.2f %%; %zu ran out as published\n",
                  group->name, count, errors[count / 2], errors[count - 1], ran_out);
    assert_true(errors[count / 2] <= group->median);
    assert_true(errors[count - 1] <= group->largest);
}

static void test_published_peaks(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_rows all;
    assert_int_equal(zv_rows_read(&all, zv_data_find("measured.jsonl"), &arena, &err), ZV_OK);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        check_group(&all, &groups[i]);
    }
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
