/* Who holds what: stages, ranks, llama.cpp's placement; by what each device's weights come to. */
#include <string.h>

#include "estimate/estimate.h"
#include "support/test.h"
#include "support/tiny_model.h"

enum { LAYER = TINY_ATTENTION + TINY_MLP };

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_runtime_rules rules;
    struct zv_arena arena;
    struct zv_estimate estimate;
    struct zv_error err;
};

static enum zv_status run(struct setting *setting)
{
    const struct zv_estimate_input input = {
        .model = &setting->tiny.model,
        .job = &setting->job,
        .rules = setting->job.runtime != ZV_RUNTIME_NONE ? &setting->rules : NULL,
    };
    setting->err = (struct zv_error){0};
    return zv_estimate_run(&setting->estimate, &input, &setting->arena, &setting->err);
}

static uint64_t weights(const struct setting *setting, int scope)
{
    const struct zv_ledger *const ledger = &setting->estimate.ledger;
    uint64_t sum = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->items[i].scope == scope && strcmp(ledger->items[i].group, "weights") == 0) {
            sum += ledger->items[i].quantity.bytes;
        }
    }
    return sum;
}

static void pipeline_stages(void **state)
{
    static const struct {
        uint32_t pp;
        size_t layers[4]; /* of each stage: vLLM gives what is left over to those before the last */
    } rows[] = {{1, {4}}, {2, {2, 2}}, {3, {1, 2, 1}}, {4, {1, 1, 1, 1}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct setting setting = {.job = {.pp = rows[i].pp}};
        tiny_model_make(&setting.tiny);
        assert_int_equal(run(&setting), ZV_OK);
        assert_int_equal(setting.estimate.ledger.group_count, rows[i].pp);
        for (uint32_t stage = 0; stage < rows[i].pp; stage++) {
            const uint64_t embedding = stage == 0 ? TINY_EMBEDDING : 0;
            const uint64_t head = stage == rows[i].pp - 1 ? TINY_EMBEDDING : 0;
            assert_int_equal(weights(&setting, (int)stage),
                             rows[i].layers[stage] * LAYER + embedding + head);
        }
        zv_arena_free(&setting.arena);
    }
}

static void ranks_share_tensors(void **state)
{
    struct setting setting = {.job = {.tp = 4, .dp = 2}};
    (void)state;
    tiny_model_make(&setting.tiny);
    assert_int_equal(run(&setting), ZV_OK);
    assert_int_equal(setting.estimate.ledger.groups[0].count, 8);
    assert_int_equal(weights(&setting, 0), (2 * TINY_EMBEDDING + TINY_LAYERS * LAYER) / 4);
    zv_arena_free(&setting.arena);
}

/* More ranks than KV heads: K and V weights are replicated, a rank never has less than one head. */
static void kv_heads_are_replicated(void **state)
{
    struct setting setting = {.job = {.tp = 4}};
    (void)state;
    tiny_model_make(&setting.tiny);
    for (size_t i = 0; i < setting.tiny.model.tensor_count; i++) {
        if (setting.tiny.tensors[i].part == ZV_PART_ATTENTION) {
            setting.tiny.tensors[i].split = ZV_SPLIT_KV_HEADS; /* 2 of them */
        }
    }
    assert_int_equal(run(&setting), ZV_OK);
    assert_int_equal(weights(&setting, 0), 2 * TINY_EMBEDDING / 4 + TINY_LAYERS * TINY_MLP / 4 +
                                               TINY_LAYERS * TINY_ATTENTION / 2);
    zv_arena_free(&setting.arena);
}

/* The embedding stays on the host; the last n_gpu_layers, the head counted, are on the cards. */
static void llamacpp_layers(void **state)
{
    static const struct {
        uint32_t layers; /* -ngl */
        uint32_t devices;
        uint64_t split[3];
        size_t split_count;
        uint64_t on[3]; /* layers on each card */
        uint64_t host;
        int head; /* the card that has it, -1: the host */
    } rows[] = {
        {99, 1, {0}, 0, {4}, 0, 0},
        {5, 1, {0}, 0, {4}, 0, 0},
        {1, 1, {0}, 0, {0}, 4, 0},
        {3, 1, {0}, 0, {2}, 2, 0},
        {0, 1, {0}, 0, {0}, 4, -1},
        {99, 2, {0}, 0, {3, 1}, 0, 1},
        {99, 2, {3000, 1000}, 2, {4, 0}, 0, 1},
        {99, 3, {1000, 0, 1000}, 3, {3, 0, 1}, 0, 2},
        {99, 2, {UINT64_MAX / 2, UINT64_MAX / 2}, 2, {3, 1}, 0, 1}, /* products pass 2^64 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct setting setting = {.job = {.runtime = ZV_RUNTIME_LLAMACPP}};
        struct zv_serve *const serve = &setting.job.serve;
        tiny_model_make(&setting.tiny);
        setting.job.devices = rows[i].devices;
        serve->gpu_layers = rows[i].layers;
        serve->gpu_layers_given = true;
        serve->tensor_split_count = rows[i].split_count;
        memcpy(serve->tensor_split, rows[i].split, sizeof rows[i].split);
        assert_int_equal(run(&setting), ZV_OK);
        for (int card = 0; card < (int)rows[i].devices; card++) {
            assert_int_equal(weights(&setting, card),
                             rows[i].on[card] * LAYER +
                                 (rows[i].head == card ? TINY_EMBEDDING : 0));
        }
        assert_int_equal(weights(&setting, ZV_SCOPE_HOST),
                         TINY_EMBEDDING + rows[i].host * LAYER +
                             (rows[i].head < 0 ? TINY_EMBEDDING : 0));
        zv_arena_free(&setting.arena);
    }
}

static void tensors_by_name(void **state)
{
    struct setting setting = {.job = {.runtime = ZV_RUNTIME_LLAMACPP, .devices = 2}};
    (void)state;
    tiny_model_make(&setting.tiny);
    setting.job.serve.overrides[0] = (struct zv_override){zv_slice_of("mlp"), zv_slice_of("CPU")};
    setting.job.serve.overrides[1] =
        (struct zv_override){zv_slice_of("q_proj"), zv_slice_of("CUDA1")};
    setting.job.serve.override_count = 2;
    assert_int_equal(run(&setting), ZV_OK);
    assert_int_equal(weights(&setting, ZV_SCOPE_HOST), TINY_EMBEDDING + TINY_LAYERS * TINY_MLP);
    assert_int_equal(weights(&setting, 0), 0);
    assert_int_equal(weights(&setting, 1), TINY_EMBEDDING + TINY_LAYERS * TINY_ATTENTION);
    zv_arena_free(&setting.arena);
}

static void plans_that_make_no_sense(void **state)
{
    static const struct {
        struct zv_job job;
        enum zv_status status;
        const char *text;
    } rows[] = {
        {{.pp = 5}, ZV_E_USAGE, "5 pipeline stages for 4 layers"},
        {{.pp = 65}, ZV_E_USAGE, "at most 64 stages and 65536 ranks each"},
        {{.tp = 65536, .dp = 65536}, ZV_E_USAGE, "at most 64 stages and 65536 ranks each"},
        {{.tp = UINT32_MAX, .dp = 2}, ZV_E_USAGE, "at most 64 stages and 65536 ranks each"},
        {{.runtime = ZV_RUNTIME_LLAMACPP, .serve = {.main_device = 1}},
         ZV_E_USAGE,
         "main device 1 of 1 cards"},
        {{.runtime = ZV_RUNTIME_LLAMACPP,
          .serve = {.tensor_split = {UINT64_MAX, 1}, .tensor_split_count = 2}},
         ZV_E_OVERFLOW,
         "a size passes 2^64 bytes"},
        {{.runtime = ZV_RUNTIME_LLAMACPP,
          .serve = {.overrides = {{{"(", 1}, {"CPU", 3}}}, .override_count = 1}},
         ZV_E_USAGE,
         "tensor override '(': expected a regular expression"},
        {{.runtime = ZV_RUNTIME_LLAMACPP,
          .serve = {.overrides = {{{"a", 1}, {"CUDA7", 5}}}, .override_count = 1}},
         ZV_E_USAGE,
         "tensor override to CUDA7: there are 1 cards"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct setting setting = {.job = rows[i].job};
        tiny_model_make(&setting.tiny);
        assert_int_equal(run(&setting), rows[i].status);
        assert_string_equal(setting.err.text, rows[i].text);
        zv_arena_free(&setting.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipeline_stages),         cmocka_unit_test(ranks_share_tensors),
        cmocka_unit_test(kv_heads_are_replicated), cmocka_unit_test(llamacpp_layers),
        cmocka_unit_test(tensors_by_name),         cmocka_unit_test(plans_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
