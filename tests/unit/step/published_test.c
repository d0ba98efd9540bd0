/*
 * Published peaks that may be cited, by group of data/published/steps.tsv, as the selftest answers
 * them: the median and the largest error that a group may have, in per cent, is what it has,
 * rounded up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text_table.h"
#include "selftest/selftest.h"
#include "support/test.h"

static const struct group {
    const char *name;
    double median;
    double largest;
    size_t rows; /* with a figure */
    size_t ran_out;
} groups[] = {
    {"litgpt LoRA", 0.10, 0.45, 7, 3},
    {"litgpt Adapter", 0.25, 0.40, 6, 0},
    {"litgpt config_hub", 0.12, 0.45, 10, 2},
    {"litgpt config_hub, quantised", 0.60, 2.50, 11, 0},
    {"litgpt generation", 0.05, 0.60, 8, 1},
    {"torchtune", 0.20, 0.20, 1, 0},
    {"torchtune, loaded", 0.10, 0.10, 1, 0},
    {"torchtune, loaded, reserved", 0.10, 0.10, 1, 0},
    {"Qwen3 generation", 0.08, 0.15, 15, 0},
    {"Qwen3 generation, GPTQ", 0.05, 0.10, 6, 0},
    {"Qwen3 generation, prompt of one token", 0.10, 0.10, 7, 0},

};

enum { MANY = 64 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The answer to the figure of a row: the n-th step_peak of that id, as the table has them. */
static const struct zv_check *answer(const struct zv_selftest *all, struct zv_slice id, size_t nth)
{
    for (size_t i = 0; i < all->check_count; i++) {
        if (zv_slice_equal(id, all->checks[i].id) &&
            strcmp(all->checks[i].item, "step_peak") == 0 && nth-- == 0) {
            return &all->checks[i];
        }
    }
    fail_msg("%.*s has no answer", (int)id.length, id.at);
    return NULL;
}

static void check_group(const struct zv_selftest *all, const struct zv_table *table,
                        const struct group *group)
{
    double errors[MANY];
    size_t count = 0;
    size_t ran_out = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const struct zv_slice id = zv_table_cell(table, i, 0);
        if (!zv_slice_equal(zv_table_cell(table, i, 2), group->name)) {
            continue;
        }
        const bool second = i != 0 && zv_slice_same(id, zv_table_cell(table, i - 1, 0));
        const struct zv_check *const check = answer(all, id, second);
        if (check->status == ZV_CHECK_UNCHECKED) {
            fail_msg("%s: %s", check->id, check->reason);
        }
        if (strcmp(check->measured, "OOM") == 0) {
            assert_string_equal(check->predicted, "OOM");
            ran_out++;
            continue;
        }
        const double off = (double)check->predicted_value / (double)check->measured_value - 1;
        print_message("# %s %s: %s, published %s %s: %+.2f %%\n", group->name, check->id,
                      check->predicted, check->measured, check->unit, off * 100);
        assert_true(count < MANY);
        errors[count++] = fabs(off) * 100;
    }
    assert_int_equal(count, group->rows);
    assert_int_equal(ran_out, group->ran_out);
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
    struct zv_rows rows;
    struct zv_selftest all;
    struct zv_table table;
    size_t expected = 0;
    assert_int_equal(zv_rows_builtin(&rows, &arena, &err), ZV_OK);
    assert_int_equal(zv_selftest_run(&all, &rows, &arena, &err), ZV_OK);
    assert_int_equal(zv_table_read(&table, zv_data_find("published/steps.tsv"), &arena, &err),
                     ZV_OK);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        check_group(&all, &table, &groups[i]);
        expected += groups[i].rows + groups[i].ran_out;
    }
    assert_int_equal(expected, table.row_count); /* no group is left out */
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
