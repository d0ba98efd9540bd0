/* Training's exact items on the tiny model, and the sizes that its formulas are fed with. */
#include <string.h>

#include "estimate/estimate.h"
#include "support/test.h"
#include "support/tiny_model.h"

enum {
    VALUES = (2 * TINY_EMBEDDING + TINY_LAYERS * (TINY_ATTENTION + TINY_MLP)) / 2,
    /* adapters of rank 4 on 32 x 32 and 128 x 32 */
    ADAPTERS = TINY_LAYERS * 4 * (32 + 32 + 32 + 128)
};

struct setting {
    struct tiny_model tiny;
    struct zv_job job;
    struct zv_arena arena;
    struct zv_estimate estimate;
};

static void run(struct setting *setting, const struct zv_train *train, uint32_t dp)
{
    *setting = (struct setting){.job = {.task = ZV_TASK_TRAIN, .dp = dp, .train = *train}};
    tiny_model_make(&setting->tiny);
    const struct zv_estimate_input input = {.model = &setting->tiny.model, .job = &setting->job};
    assert_int_equal(zv_estimate_run(&setting->estimate, &input, &setting->arena, NULL), ZV_OK);
}

/* 0 when there is no such item; of the host when host. */
static uint64_t item(const struct setting *setting, const char *id, bool host)
{
    const struct zv_ledger *const ledger = &setting->estimate.ledger;
    uint64_t sum = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct zv_item *const one = &ledger->items[i];
        if (strncmp(one->id, id, strlen(id)) == 0 && (one->scope == ZV_SCOPE_HOST) == host) {
            sum += one->quantity.bytes;
        }
    }
    return sum;
}

static void states_and_shards(void **state)
{
    static const struct {
        struct zv_train train;
        uint32_t dp;
        uint64_t weights, lora, gradients, optimizer, master;
    } rows[] = {
        {{.micro_batch = 1}, 1, VALUES * 2, 0, VALUES * 2, VALUES * 4, 0},
        {{.master_weights = ZV_YES}, 1, VALUES * 2, 0, VALUES * 2, VALUES * 8, VALUES * 4},
        {{.gradient_dtype = {"f32", 3}}, 1, VALUES * 2, 0, VALUES * 4, VALUES * 4, 0},
        {{.optimizer_dtype = {"f32", 3}}, 1, VALUES * 2, 0, VALUES * 2, VALUES * 8, 0},
        {{.optimizer = {"sgd", 3}}, 1, VALUES * 2, 0, VALUES * 2, 0, 0},
        {{.shard = ZV_SHARD_ZERO1}, 4, VALUES * 2, 0, VALUES * 2, VALUES * 2, VALUES},
        {{.shard = ZV_SHARD_ZERO2}, 4, VALUES * 2, 0, VALUES / 2, VALUES * 2, VALUES},
        {{.shard = ZV_SHARD_ZERO3}, 4, VALUES / 2, 0, VALUES / 2, VALUES * 2, VALUES},
        {{.shard = ZV_SHARD_ZERO3, .master_weights = ZV_NO},
         4,
         VALUES / 2,
         0,
         VALUES / 2,
         VALUES,
         0},
        {{.shard = ZV_SHARD_FSDP}, 4, VALUES / 2, 0, VALUES / 2, VALUES, 0},
        {{.lora_rank = 4, .lora_targets = {"all-linear", 10}},
         1,
         VALUES * 2,
         ADAPTERS * 4,
         ADAPTERS * 4,
         ADAPTERS * 8,
         0},
        {{.lora_rank = 4}, 1, VALUES * 2, 4096, 4096, 8192, 0}, /* q_proj alone */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct setting setting;
        run(&setting, &rows[i].train, rows[i].dp);
        assert_int_equal(item(&setting, "weights", false), rows[i].weights);
        assert_int_equal(item(&setting, "lora", false), rows[i].lora);
        assert_int_equal(item(&setting, "gradients", false), rows[i].gradients);
        assert_int_equal(item(&setting, "optimizer", false), rows[i].optimizer);
        assert_int_equal(item(&setting, "master", false), rows[i].master);
        zv_arena_free(&setting.arena);
    }
}

static void paged_states_are_on_the_host(void **state)
{
    struct setting setting;
    (void)state;
    run(&setting, &(struct zv_train){.optimizer = {"paged-adamw-8bit", 16}}, 1);
    assert_int_equal(item(&setting, "optimizer", false), 0);
    assert_true(item(&setting, "optimizer", true) > 0);
    zv_arena_free(&setting.arena);
}

/* A length that is not given is the model's: eager scores grow with it as with one that is. */
static void eager_scores_take_the_default_length(void **state)
{
    struct setting given;
    struct setting not_given;
    const struct zv_slice eager = zv_slice_of("eager");
    (void)state;
    run(&given, &(struct zv_train){.attention = eager, .sequence_tokens = 4096}, 1);
    run(&not_given, &(struct zv_train){.attention = eager}, 1);
    assert_int_equal(item(&given, "activations", false), item(&not_given, "activations", false));
    zv_arena_free(&given.arena);
    zv_arena_free(&not_given.arena);
}

/* A fused loss keeps two rows of the hidden width a token, and says so. */
static void fused_loss_says_what_it_keeps(void **state)
{
    struct setting setting;
    (void)state;
    run(&setting, &(struct zv_train){.fused_loss = ZV_YES, .sequence_tokens = 10}, 1);
    assert_int_equal(item(&setting, "loss", false), 10 * 2 * 32 * 2);
    for (size_t i = 0; i < setting.estimate.ledger.count; i++) {
        const struct zv_item *const one = &setting.estimate.ledger.items[i];
        if (strcmp(one->id, "loss") == 0) {
            assert_string_equal(one->quantity.basis,
                                "10 tokens, chunked over a vocabulary of 64 (fused loss), 128 B "
                                "each");
        }
    }
    zv_arena_free(&setting.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_and_shards),
        cmocka_unit_test(paged_states_are_on_the_host),
        cmocka_unit_test(eager_scores_take_the_default_length),
        cmocka_unit_test(fused_loss_says_what_it_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
