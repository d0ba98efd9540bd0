/*
 * Published peaks that may be cited, by group of data/published/steps.tsv, as the selftest answers
 * them: the errors that a group may have, in per cent, are what it has, rounded up. The limits of
 * the sets are those the engine was asked to keep.
 */
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text_table.h"
#include "selftest/selftest.h"
#include "support/test.h"

static const struct limits {
    const char *name;
    double median;
    double most; /* 95 of 100 */
    double worst;
    size_t rows; /* with a size */
    size_t ran_out;
} limits[] = {
    {"litgpt LoRA", 0.05, 0.30, 0.30, 17, 6},
    {"litgpt LoRA, FSDP1", 2.5, 5.2, 5.2, 3, 1}, /* the upper end of their ranges */
    {"litgpt Adapter", 0.20, 0.35, 0.35, 6, 0},
    {"litgpt Adapter v2", 0.10, 0.30, 0.30, 6, 0},
    {"litgpt config_hub", 0.05, 0.42, 0.42, 15, 2},
    {"litgpt config_hub, quantised", 0.15, 0.75, 0.75, 16, 0},
    {"litgpt generation", 0.10, 0.80, 0.80, 17, 3},
    {"torchtune", 0.10, 0.10, 0.10, 1, 0},
    {"torchtune, loaded", 0.10, 0.10, 0.10, 1, 0},
    {"torchtune, loaded, reserved", 0.05, 0.05, 0.05, 1, 0},
    {"torchtitan, reserved", 0.50, 0.80, 0.80, 2, 0},
    {"Qwen3 generation", 0.05, 0.10, 0.10, 15, 0},
    {"Qwen3 generation, GPTQ", 0.05, 0.10, 0.10, 6, 0},
    {"Qwen3 generation, mixture of experts", 0.01, 0.01, 0.01, 3, 0},
    {"Qwen3 generation, prompt of one token", 0.10, 3.75, 3.75, 8, 0},
    {"training", 0.15, 0.60, 0.75, 58, 8},
    {"inference", 0.20, 1.30, 3.75, 49, 3},
};

static const struct limits *limits_of(const char *name)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (strcmp(limits[i].name, name) == 0) {
            return &limits[i];
        }
    }
    fail_msg("no limits for %s", name);
    return NULL;
}

static double percent(uint64_t millionths)
{
    return (double)millionths / 10000;
}

static void check_group(const struct zv_step_group *group)
{
    const struct limits *const limit = limits_of(group->name);
    print_message(
        "# %s: %zu rows, median %.3f %%, 95 of 100 %.3f %%, worst %.3f %%; %zu of %zu ran "
        "out as published\n",
        group->name, group->rows, percent(group->median_millionths),
        percent(group->most_millionths), percent(group->worst_millionths), group->ran_out_predicted,
        group->ran_out);
    assert_int_equal(group->rows, limit->rows);
    assert_int_equal(group->ran_out, limit->ran_out);
    assert_int_equal(group->ran_out_predicted, limit->ran_out);
    assert_true(percent(group->median_millionths) <= limit->median);
    assert_true(percent(group->most_millionths) <= limit->most);
    assert_true(percent(group->worst_millionths) <= limit->worst);
}

static void test_published_peaks(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_rows rows;
    struct zv_selftest all;
    struct zv_table table;
    size_t expected = 0;
    assert_int_equal(zv_rows_builtin(&rows, &arena, &err), ZV_OK);
    assert_int_equal(zv_selftest_run(&all, &rows, &arena, &err), ZV_OK);
    assert_int_equal(zv_table_read(&table, zv_data_find("published/steps.tsv"), &arena, &err),
                     ZV_OK);
    for (size_t i = 0; i < all.check_count; i++) {
        const struct zv_check *const check = &all.checks[i];
        if (check->group[0] != 0) {
            print_message("# %s %s: %s, published %s %s\n", check->group, check->id,
                          check->predicted, check->measured, check->unit);
            assert_int_not_equal(check->status, ZV_CHECK_UNCHECKED);
        }
    }
    assert_int_equal(all.group_count, sizeof limits / sizeof *limits);
    for (size_t i = 0; i < all.group_count; i++) {
        check_group(&all.groups[i]);
        expected += all.groups[i].is_set ? 0 : all.groups[i].rows + all.groups[i].ran_out;
    }
    assert_int_equal(expected, table.row_count); /* no row is left out */
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
