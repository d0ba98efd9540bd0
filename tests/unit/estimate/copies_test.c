/* An estimate is the same, item by item, whether experts have an entry each or one together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/estimate.h"
#include "support/expand_model.h"
#include "support/test.h"

static const uint64_t gib = (uint64_t)1 << 30;

static void assert_same(const struct zv_estimate *a, const struct zv_estimate *b)
{
    assert_int_equal(a->ledger.count, b->ledger.count);
    assert_int_equal(a->ledger.group_count, b->ledger.group_count);
    for (size_t i = 0; i < a->ledger.count; i++) {
        const struct zv_item *const x = &a->ledger.items[i];
        const struct zv_item *const y = &b->ledger.items[i];
        assert_string_equal(x->id, y->id);
        assert_int_equal(x->scope, y->scope);
        assert_int_equal(x->quantity.known, y->quantity.known);
        assert_int_equal(x->quantity.bytes, y->quantity.bytes);
        assert_string_equal(x->quantity.basis, y->quantity.basis);
    }
}

/* The model as the job has it, and the same entry by entry. */
static void check(const struct zv_job *job, const struct zv_model *model, struct zv_arena *arena)
{
    struct zv_model each;
    struct zv_runtime_rules rules = {0};
    struct zv_estimate results[2];
    struct zv_error err = {0};
    assert_true(expand_model(&each, model, arena));
    for (int i = 0; i < 2; i++) {
        const struct zv_estimate_input input = {
            .model = i == 0 ? model : &each,
            .job = job,
            .rules = job->runtime != ZV_RUNTIME_NONE ? &rules : NULL,
        };
        if (zv_estimate_run(&results[i], &input, arena, &err) != ZV_OK) {
            print_error("%s\n", err.text);
            fail();
        }
    }
    assert_same(&results[0], &results[1]);
}

static void test_jobs(void **state)
{
    static const struct zv_train defaults = {
        .micro_batch = 1, .sequence_tokens = 512, .accumulation = 1};
    static const char *const targets[] = {"all-linear", "w1,q_proj", "experts.3.w1,w2",
                                          "3",          "7,w3",      "experts.1"};
    (void)state;
    struct zv_arena arena = {0};
    struct zv_model model;
    struct zv_model_files *files;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/tests/data/models/mixtral-8x7b/config.json",
                   getenv("ZIRVE_SOURCE_DIR"));
    assert_int_equal(zv_model_open(&model, &files, path, &arena, NULL), ZV_OK);
    const struct zv_job serve[] = {
        {.runtime = ZV_RUNTIME_TRANSFORMERS},
        {.runtime = ZV_RUNTIME_VLLM, .tp = 8, .pp = 2},
        {.runtime = ZV_RUNTIME_VLLM, .tp = 2, .ep = 3},
        {.runtime = ZV_RUNTIME_VLLM, .serve.cpu_offload_bytes = 7 * gib},
        {.runtime = ZV_RUNTIME_SGLANG, .pp = 3, .serve.cpu_offload_bytes = 13 * gib + 1},
        {.runtime = ZV_RUNTIME_VLLM, .serve.max_loras = 2},
        {.runtime = ZV_RUNTIME_LLAMACPP, .serve.cpu_moe_layers = 5},
        {.runtime = ZV_RUNTIME_LLAMACPP,
         .serve = {.override_count = 2,
                   .overrides = {{zv_slice_of("experts[.][1-3][.]w1"), zv_slice_of("CPU")},
                                 {zv_slice_of("[.]7[.]"), zv_slice_of("CPU")}}}},
    };
    for (size_t i = 0; i < sizeof serve / sizeof *serve; i++) {
        struct zv_job job = serve[i];
        job.serve.context_tokens = 4096;
        job.serve.sequences = 1;
        check(&job, &model, &arena);
    }
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct zv_job job = {.task = ZV_TASK_TRAIN, .train = defaults};
        job.train.lora_rank = 8;
        job.train.lora_targets = zv_slice_of(targets[i]);
        check(&job, &model, &arena);
    }
    static const char *const optimizers[] = {"adamw", "adamw-8bit", "adafactor", "muon"};
    for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++) {
        struct zv_job job = {.task = ZV_TASK_TRAIN, .train = defaults, .dp = 7};
        job.train.optimizer = zv_slice_of(optimizers[i]);
        job.train.shard = i % 2 == 0 ? ZV_SHARD_FSDP : ZV_SHARD_NONE;
        check(&job, &model, &arena);
    }
    zv_model_close(files);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jobs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
