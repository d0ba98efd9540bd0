/* The tiny model: 49152 B of weights on one card, 256 B a token. */
#include "estimate/estimate.h"
#include "support/test.h"
#include "support/tiny_model.h"

enum { WEIGHTS = 2 * TINY_EMBEDDING + TINY_LAYERS * (TINY_ATTENTION + TINY_MLP), TOKEN = 256 };
#define CARD (UINT64_C(80) << 30)

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_runtime_rules rules;
    struct zv_estimate_input input;
    struct zv_estimate estimate;
    struct zv_arena arena;
};

static void set_up(struct setting *setting)
{
    *setting = (struct setting){0};
    tiny_model_make(&setting->tiny);
    setting->job.runtime = ZV_RUNTIME_SGLANG;
    setting->job.serve.sequences = 1;
    setting->job.serve.context_tokens = 4096;
    setting->job.serve.memory_fraction = 800000;
    assert_int_equal(zv_runtime_resolve(&setting->rules, ZV_RUNTIME_SGLANG, zv_slice_of("0.5.5"),
                                        false, &setting->arena, NULL),
                     ZV_OK);
    setting->input = (struct zv_estimate_input){.model = &setting->tiny.model,
                                                .job = &setting->job,
                                                .rules = &setting->rules,
                                                .capacity_bytes = CARD};
}

static const struct zv_pool *run(struct setting *setting)
{
    assert_int_equal(zv_estimate_run(&setting->estimate, &setting->input, &setting->arena, NULL),
                     ZV_OK);
    return &setting->estimate.pool;
}

static uint64_t context_bytes(const struct setting *setting)
{
    const struct zv_ledger *const ledger = &setting->estimate.ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        if (zv_slice_equal(zv_slice_of(ledger->items[i].id), "runtime.context")) {
            return ledger->items[i].quantity.bytes;
        }
    }
    return 0;
}

static void what_the_weights_leave_of_the_share(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting);
    const struct zv_pool *const pool = run(&setting);
    const uint64_t budget = (CARD - context_bytes(&setting)) / 10 * 8;
    assert_true(pool->known);
    assert_true(pool->budget_bytes >= budget && pool->budget_bytes <= budget + 8);
    assert_int_equal(pool->cache_bytes, pool->budget_bytes - WEIGHTS);
    assert_int_equal(pool->tokens, pool->cache_bytes / TOKEN);
    assert_int_equal(pool->blocks, pool->tokens);
    assert_int_equal(pool->concurrency, pool->tokens * 1000000 / 4096);
    zv_arena_free(&setting.arena);
}

static void whole_pages_only(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting);
    const uint64_t tokens = run(&setting)->tokens;
    setting.job.serve.block_tokens = 64;
    const struct zv_pool *const pool = run(&setting);
    assert_int_equal(pool->blocks, tokens / 64);
    assert_int_equal(pool->tokens, tokens / 64 * 64);
    zv_arena_free(&setting.arena);
}

static void at_most_the_tokens_asked_for(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting);
    setting.job.serve.num_blocks = 8192;
    const struct zv_pool *const pool = run(&setting);
    assert_int_equal(pool->tokens, 8192);
    assert_int_equal(pool->concurrency, 2000000);
    zv_arena_free(&setting.arena);
}

static void the_share_follows_the_card(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting);
    setting.job.serve.memory_fraction = 0;
    (void)run(&setting);
    assert_int_equal(setting.estimate.fraction_millionths, 836000); /* 13440 MiB of 81920 kept */
    setting.input.capacity_bytes = 0;
    assert_false(run(&setting)->known);
    assert_int_equal(setting.estimate.fraction_millionths, 1000000);
    zv_arena_free(&setting.arena);
}

static void windows_have_pools_of_their_own(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting);
    setting.tiny.layers[1].window = 128;
    assert_false(run(&setting)->known);
    zv_arena_free(&setting.arena);
}

static void a_card_too_small_leaves_nothing(void **state)
{
    (void)state;
    struct setting setting;
    set_up(&setting);
    setting.input.capacity_bytes = WEIGHTS;
    const struct zv_pool *const pool = run(&setting);
    assert_true(pool->known);
    assert_int_equal(pool->tokens, 0);
    zv_arena_free(&setting.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_weights_leave_of_the_share),
        cmocka_unit_test(whole_pages_only),
        cmocka_unit_test(at_most_the_tokens_asked_for),
        cmocka_unit_test(the_share_follows_the_card),
        cmocka_unit_test(windows_have_pools_of_their_own),
        cmocka_unit_test(a_card_too_small_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
