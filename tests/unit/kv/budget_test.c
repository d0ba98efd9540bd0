#include "kv/budget.h"

#include "support/test.h"
#include "support/tiny_model.h"

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_runtime_rules rules;
    struct zv_capacity capacity;
    struct zv_arena arena;
};

static enum zv_status budget_of(struct zv_kv_budget *to, struct setting *setting, uint64_t capacity,
                                const char *version)
{
    const struct zv_question question = {
        .input = {.model = &setting->tiny.model, .job = &setting->job, .rules = &setting->rules},
        .capacity = &setting->capacity};
    setting->capacity = (struct zv_capacity){.low = capacity, .high = capacity, .basis = "test"};
    setting->job.serve.context_tokens = 1000;
    if (zv_runtime_resolve(&setting->rules, ZV_RUNTIME_VLLM, zv_slice_of(version), false,
                           &setting->arena, NULL) != ZV_OK) {
        return ZV_E_BUG;
    }
    return zv_kv_budget_of(to, &question, &setting->arena, NULL);
}

static void the_terms_add_up(void **state)
{
    static struct setting setting;
    static struct zv_kv_budget budget;
    (void)state;
    tiny_model_make(&setting.tiny);
    setting.job.runtime = ZV_RUNTIME_VLLM;
    assert_int_equal(budget_of(&budget, &setting, UINT64_C(4) << 30, "0.30.0"), ZV_OK);
    uint64_t sum = budget.cache_bytes;
    for (size_t i = 0; i < budget.term_count; i++) {
        sum += budget.terms[i].quantity.known != ZV_UNKNOWN ? budget.terms[i].quantity.bytes : 0;
    }
    assert_true(budget.term_count > 3);
    assert_int_equal(sum, budget.budget_bytes);
    /* a token is 4 layers x 2 x 2 heads x 8 x 2 B = 256 B, a page 16 of them, one is a placeholder
     */
    assert_int_equal(budget.token_bytes, 256);
    assert_int_equal(budget.slots, budget.cache_bytes / 256);
    assert_int_equal(budget.pages, budget.cache_bytes / 256 / 16 - 1);
    assert_int_equal(budget.group_count, 1);
    assert_int_equal(budget.groups[0].kind, ZV_KV_FULL);
    assert_int_equal(budget.missing_bytes, 0);
    zv_arena_free(&setting.arena);
}

/* (card - context) x fraction - weights, in token slots of all layers. */
static void sglang_has_terms_of_its_own(void **state)
{
    static struct setting setting;
    static struct zv_kv_budget budget;
    (void)state;
    tiny_model_make(&setting.tiny);
    setting.job.runtime = ZV_RUNTIME_SGLANG;
    setting.job.serve.context_tokens = 1000;
    setting.job.serve.block_tokens = 8;
    setting.job.serve.memory_fraction = 800000;
    setting.capacity =
        (struct zv_capacity){.low = UINT64_C(4) << 30, .high = UINT64_C(4) << 30, .basis = "test"};
    assert_int_equal(zv_runtime_resolve(&setting.rules, ZV_RUNTIME_SGLANG, zv_slice_of("0.5.19"),
                                        false, &setting.arena, NULL),
                     ZV_OK);
    const struct zv_question question = {
        .input = {.model = &setting.tiny.model, .job = &setting.job, .rules = &setting.rules},
        .capacity = &setting.capacity};
    assert_int_equal(zv_kv_budget_of(&budget, &question, &setting.arena, NULL), ZV_OK);
    uint64_t sum = budget.cache_bytes;
    for (size_t i = 0; i < budget.term_count; i++) {
        sum += budget.terms[i].quantity.bytes;
    }
    assert_true(budget.context_bytes != 0);
    assert_int_equal(budget.budget_bytes, (budget.capacity_bytes - budget.context_bytes) * 8 / 10);
    assert_int_equal(sum, budget.budget_bytes);
    assert_int_equal(budget.token_bytes, 256);
    assert_int_equal(budget.pages, budget.cache_bytes / 256 / 8);
    assert_int_equal(budget.tokens, budget.pages * 8);
    assert_int_equal(budget.geometry.page_bytes, 256 * 8);
    assert_int_equal(budget.geometry.blocks_per_request, 125);
    assert_int_equal(zv_kv_set_window(&setting.tiny.model, 64, &setting.arena, NULL), ZV_OK);
    assert_int_equal(zv_kv_budget_of(&budget, &question, &setting.arena, NULL), ZV_E_UNSUPPORTED);
    zv_arena_free(&setting.arena);
}

/* A window for layers that have one, else for all; and none at all. */
static void windows_are_what_ifs(void **state)
{
    static struct setting setting;
    static struct zv_kv_budget budget;
    struct zv_layer sliding;
    (void)state;
    tiny_model_make(&setting.tiny);
    setting.job.runtime = ZV_RUNTIME_VLLM;
    struct zv_model *const model = &setting.tiny.model;
    const struct zv_layer *const before = model->layers;
    assert_int_equal(zv_kv_set_window(model, 64, &setting.arena, NULL), ZV_OK);
    assert_ptr_not_equal(model->layers, before);
    for (size_t i = 0; i < model->layer_count; i++) {
        assert_int_equal(model->layers[i].window, 64);
    }
    assert_int_equal(budget_of(&budget, &setting, UINT64_C(4) << 30, "0.30.0"), ZV_OK);
    assert_int_equal(budget.groups[0].kind, ZV_KV_SLIDING);
    assert_int_equal(budget.groups[0].window_tokens, 64);
    assert_int_equal(zv_kv_set_window(model, 0, &setting.arena, NULL), ZV_OK);
    sliding = model->layers[0];
    sliding.window = 32;
    struct zv_layer mixed[2] = {model->layers[0], sliding};
    model->layers = mixed;
    model->layer_count = 2;
    assert_int_equal(zv_kv_set_window(model, 128, &setting.arena, NULL), ZV_OK);
    assert_int_equal(model->layers[0].window, 0);
    assert_int_equal(model->layers[1].window, 128);
    zv_arena_free(&setting.arena);
}

static void kept_pages_are_of_blocks_or_bytes(void **state)
{
    static const struct zv_kv_budget budget = {.geometry = {.block_bytes = 1000}};
    static const struct {
        struct zv_kv_keep keep;
        const struct zv_kv_budget *budget;
        uint64_t page_tokens;
        size_t groups;
        uint32_t pages;
    } rows[] = {{{0, 0}, &budget, 16, 1, 0},      {{2, 0}, NULL, 16, 0, 64},
                {{2, 0}, NULL, 128, 3, 24},       {{1, 0}, NULL, 1024, 1, 1},
                {{0, 45999}, &budget, 16, 1, 45}, {{0, 1}, &budget, 16, 1, 1},
                {{100, 0}, NULL, 16, 1, 0},       {{0, 45999}, NULL, 16, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_kv_cache_options cache = {
            .pool.pages = 100, .page_tokens = rows[i].page_tokens, .group_count = rows[i].groups};
        assert_int_equal(zv_kv_kept_pages(&rows[i].keep, rows[i].budget, &cache), rows[i].pages);
    }
}

static void rules_follow_the_version(void **state)
{
    static const struct {
        const char *version;
        bool admit_whole;
        bool unkeyed_first;
    } rows[] = {
        {"0.11.2", false, false}, {"0.19.1", false, false}, {"0.21.0", true, false},
        {"0.22.1", true, false},  {"0.23.0", true, true},   {"0.30.0", true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct setting setting;
        static struct zv_kv_budget budget;
        setting = (struct setting){0};
        tiny_model_make(&setting.tiny);
        setting.job.runtime = ZV_RUNTIME_VLLM;
        assert_int_equal(budget_of(&budget, &setting, UINT64_C(4) << 30, rows[i].version), ZV_OK);
        assert_int_equal(budget.admit_whole, rows[i].admit_whole);
        assert_int_equal(budget.unkeyed_first, rows[i].unkeyed_first);
        zv_arena_free(&setting.arena);
    }
}

static void sliding_layers_are_groups_of_their_own(void **state)
{
    static struct setting setting;
    static struct zv_kv_budget budget;
    (void)state;
    tiny_model_make(&setting.tiny);
    setting.job.runtime = ZV_RUNTIME_VLLM;
    for (int i = 0; i < 3; i++) {
        setting.tiny.layers[i].window = 64;
    }
    assert_int_equal(budget_of(&budget, &setting, UINT64_C(4) << 30, "0.30.0"), ZV_OK);
    assert_int_equal(budget.group_count, 4); /* groups of one layer */
    size_t sliding = 0;
    for (size_t i = 0; i < budget.group_count; i++) {
        sliding += budget.groups[i].kind == ZV_KV_SLIDING && budget.groups[i].window_tokens == 64;
    }
    assert_int_equal(sliding, 3);
    zv_arena_free(&setting.arena);
}

static void says_what_is_missing_and_what_is_not_vllm(void **state)
{
    static struct setting setting;
    static struct zv_kv_budget budget;
    (void)state;
    tiny_model_make(&setting.tiny);
    setting.job.runtime = ZV_RUNTIME_VLLM;
    assert_int_equal(budget_of(&budget, &setting, UINT64_C(1) << 20, "0.30.0"), ZV_OK);
    assert_int_equal(budget.pages, 0);
    assert_true(budget.missing_bytes > 0);
    setting.job.runtime = ZV_RUNTIME_LLAMACPP;
    assert_int_equal(budget_of(&budget, &setting, UINT64_C(4) << 30, "0.30.0"), ZV_E_UNSUPPORTED);
    zv_arena_free(&setting.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terms_add_up),
        cmocka_unit_test(sglang_has_terms_of_its_own),
        cmocka_unit_test(windows_are_what_ifs),
        cmocka_unit_test(kept_pages_are_of_blocks_or_bytes),
        cmocka_unit_test(rules_follow_the_version),
        cmocka_unit_test(sliding_layers_are_groups_of_their_own),
        cmocka_unit_test(says_what_is_missing_and_what_is_not_vllm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
