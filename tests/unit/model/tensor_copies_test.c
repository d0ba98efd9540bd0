/*
 * One entry for all experts says what an entry for each would: whatever is done with a model gives
 * the same tensors, whichever way they are listed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "model/model.h"
#include "support/expand_model.h"
#include "support/test.h"

struct pair {
    struct zv_arena arena;
    struct zv_model_files *files;
    struct zv_model model;
    struct zv_model each; /* the same, entry by entry */
};

static void open_pair(struct pair *pair, const char *name)
{
    char path[512];
    *pair = (struct pair){0};
    (void)snprintf(path, sizeof path, "%s/tests/data/models/%s/config.json",
                   getenv("ZIRVE_SOURCE_DIR"), name);
    assert_int_equal(zv_model_open(&pair->model, &pair->files, path, &pair->arena, NULL), ZV_OK);
    assert_true(expand_model(&pair->each, &pair->model, &pair->arena));
}

static void close_pair(struct pair *pair)
{
    zv_model_close(pair->files);
    zv_arena_free(&pair->arena);
}

/* The same tensors, in any order. */
static void assert_same(const struct zv_model *a, const struct zv_model *b, struct zv_arena *arena)
{
    struct zv_model left;
    struct zv_model right;
    struct zv_strmap names = {0};
    struct zv_strmap_entry *entry;
    assert_true(expand_model(&left, a, arena));
    assert_true(expand_model(&right, b, arena));
    assert_int_equal(left.tensor_count, right.tensor_count);
    assert_int_equal(a->parameters, b->parameters);
    assert_int_equal(a->tensor_bytes, b->tensor_bytes);
    for (size_t i = 0; i < left.tensor_count; i++) {
        assert_int_equal(zv_strmap_add(&names, left.tensors[i].name, i, &entry), ZV_STRMAP_ADDED);
    }
    for (size_t i = 0; i < right.tensor_count; i++) {
        entry = zv_strmap_find(&names, right.tensors[i].name);
        assert_non_null(entry);
        struct zv_tensor x = left.tensors[entry->value];
        struct zv_tensor y = right.tensors[i];
        x.name = y.name;
        x.number_at = y.number_at = 0;
        assert_memory_equal(x.shape, y.shape, sizeof x.shape);
        assert_true(x.dtype == y.dtype && x.elements == y.elements && x.bytes == y.bytes &&
                    x.layer == y.layer && x.part == y.part && x.split == y.split &&
                    x.dims == y.dims && x.linear == y.linear && x.metadata == y.metadata &&
                    x.rebuilt == y.rebuilt);
    }
    zv_strmap_free(&names);
}

static void test_names(void **state)
{
    (void)state;
    struct pair pair;
    open_pair(&pair, "qwen3-30b-a3b");
    assert_int_equal(pair.each.tensor_count, 18867);
    assert_true(pair.model.tensor_count < 1000);
    assert_int_equal(zv_model_tensors(&pair.model), 18867);
    assert_int_equal(zv_model_tensors(&pair.each), 18867);
    assert_same(&pair.model, &pair.each, &pair.arena);
    close_pair(&pair);

    const struct zv_tensor experts = {
        .name = zv_slice_of("experts.0.up"), .number_at = 8, .more = 4000};
    char name[ZV_TENSOR_NAME];
    assert_true(zv_slice_equal(zv_tensor_copy(&experts, 0, name).name, "experts.0.up"));
    assert_true(zv_slice_equal(zv_tensor_copy(&experts, 9, name).name, "experts.9.up"));
    assert_true(zv_slice_equal(zv_tensor_copy(&experts, 4000, name).name, "experts.4000.up"));
    assert_int_equal(zv_tensor_copy(&experts, 9, name).more, 0);
}

static bool alike(const struct zv_model *model)
{
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].part == ZV_PART_EXPERT && model->tensors[i].more == 0) {
            return false;
        }
    }
    return true;
}

/* Lists that treat all experts alike, and lists that do not. */
static void test_requantize(void **state)
{
    static const struct {
        const char *skip[2];
        bool alike;
    } rows[] = {
        {{"lm_head", "gate"}, true},
        {{"model.layers.3.mlp", "re:.*self_attn.*"}, true},
        {{"*layers.3.*", "model.layers.7.mlp.gate"}, true},
        {{"experts", "3.mlp"}, true},
        {{"model.layers.3.mlp.experts.17", "lm_head"}, false},
        {{"experts.100.up_proj", "experts.127.down_proj"}, false},
        {{"re:.*experts[.]1[0-9][.].*", "lm_head"}, false},
        {{"re:.*experts[.].[.].*", "lm_head"}, false}, /* those of one digit */
        {{"*experts.5?.gate_proj", "lm_head"}, false},
        {{"*.experts.??.*", "lm_head"}, false},
        {{"17.up_proj", "lm_head"}, false},
        {{"experts.7", "experts.128"}, false},
        {{"experts.128", "experts.07"}, true},
    };
    (void)state;
    struct pair pair;
    open_pair(&pair, "qwen3-30b-a3b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct zv_quant quant;
        struct zv_model whole;
        struct zv_model each;
        const struct zv_slice skip[2] = {zv_slice_of(rows[i].skip[0]),
                                         zv_slice_of(rows[i].skip[1])};
        assert_true(zv_quant_parse(zv_slice_of(i % 2 == 0 ? "fp8-block" : "nf4"), &quant));
        quant.skip = skip;
        quant.skip_count = 2;
        assert_int_equal(zv_model_requantize(&whole, &pair.model, &quant, &pair.arena, NULL),
                         ZV_OK);
        assert_int_equal(zv_model_requantize(&each, &pair.each, &quant, &pair.arena, NULL), ZV_OK);
        assert_same(&whole, &each, &pair.arena);
        if (alike(&whole) != rows[i].alike) {
            print_error("%s, %s: %zu entries\n", rows[i].skip[0], rows[i].skip[1],
                        whole.tensor_count);
            fail();
        }
    }
    close_pair(&pair);
}

static void test_recast(void **state)
{
    static const char *const types[] = {"f32", "q8_0", "q6_K", "q4_K_S", "q5_K_M"};
    (void)state;
    struct pair pair;
    open_pair(&pair, "mixtral-8x7b");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct zv_model whole;
        struct zv_model each;
        const struct zv_slice type = zv_slice_of(types[i]);
        assert_int_equal(zv_model_recast(&whole, &pair.model, type, &pair.arena, NULL), ZV_OK);
        assert_int_equal(zv_model_recast(&each, &pair.each, type, &pair.arena, NULL), ZV_OK);
        assert_same(&whole, &each, &pair.arena);
    }
    close_pair(&pair);
}

/* Targets may name one expert. */
static void test_adapters(void **state)
{
    static const char *const rows[][2] = {{"q_proj", NULL},
                                          {"w1", "experts.3"},
                                          {"experts.3.w2", "experts.7.w1"},
                                          {"experts.5.w3", "block_sparse_moe.experts.2.w1"}};
    (void)state;
    struct pair pair;
    open_pair(&pair, "mixtral-8x7b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct zv_slice targets[2] = {zv_slice_of(rows[i][0])};
        const struct zv_slice saved[1] = {zv_slice_of(rows[i][1])};
        struct zv_adapter whole = {
            .rank = 8, .targets = targets, .target_count = 1, .saved = saved, .saved_count = 1};
        struct zv_adapter each = whole;
        assert_int_equal(zv_adapter_calculate(&whole, &pair.model, &pair.arena, NULL), ZV_OK);
        assert_int_equal(zv_adapter_calculate(&each, &pair.each, &pair.arena, NULL), ZV_OK);
        assert_true(whole.parameters != 0);
        assert_same(&(struct zv_model){.tensors = whole.tensors,
                                       .tensor_count = whole.tensor_count,
                                       .parameters = whole.parameters,
                                       .tensor_bytes = whole.tensor_bytes},
                    &(struct zv_model){.tensors = each.tensors,
                                       .tensor_count = each.tensor_count,
                                       .parameters = each.parameters,
                                       .tensor_bytes = each.tensor_bytes},
                    &pair.arena);
    }
    const struct zv_slice none = zv_slice_of("experts.8.w1");
    struct zv_adapter adapter = {.rank = 8, .targets = &none, .target_count = 1};
    assert_int_equal(zv_adapter_calculate(&adapter, &pair.model, &pair.arena, NULL),
                     ZV_E_NOT_FOUND);
    close_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_requantize),
        cmocka_unit_test(test_recast),
        cmocka_unit_test(test_adapters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
