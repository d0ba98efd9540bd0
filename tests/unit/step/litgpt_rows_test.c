/*
 * The rows of litgpt's published LoRA table that may be cited, on an A100 with 40 GB. The first
 * micro-batch has the longest sample of the data set; the ones after it are shorter.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "selftest/rows.h"
#include "support/step_peak.h"
#include "support/test.h"

struct row {
    const char *id;
    const char *config;
    const char *settings;
};

static const struct row rows[] = {
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
};
enum { ROWS = sizeof rows / sizeof *rows };

static struct zv_slice published(const struct zv_rows *all, const char *id)
{
    for (size_t i = 0; i < all->count; i++) {
        if (zv_slice_equal(all->rows[i].id, id)) {
            return zv_row_text(&all->rows[i].measured, "max_gpu_ram");
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

static void test_published_peaks(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_rows all;
    double errors[ROWS];
    size_t count = 0;
    assert_int_equal(zv_rows_read(&all, zv_data_find("measured.jsonl"), &arena, &err), ZV_OK);
    for (size_t i = 0; i < ROWS; i++) {
        char config[128];
        char settings[256];
        (void)snprintf(config, sizeof config, "tests/data/steps/%s.json", rows[i].config);
        (void)snprintf(settings, sizeof settings, "iterations=1 %s", rows[i].settings);
        struct zv_slice figure = published(&all, rows[i].id);
        const bool ran_out = zv_slice_equal(figure, "OOM");
        const struct step_case of = {.config = config,
                                     .habit = "litgpt",
                                     .settings = settings,
                                     .capacity = ran_out ? STEP_A100_BYTES : 0};
        struct zv_step_result result;
        const enum zv_status status = step_case_run(&of, &result, &err);
        if (status != ZV_OK) {
            fail_msg("%s: %s:%llu: %s", rows[i].id, err.where, (unsigned long long)err.line,
                     err.text);
        }
        if (ran_out) {
            assert_true(result.out_of_memory);
            continue;
        }
        struct zv_slice number = zv_slice_cut(&figure, ' ');
        double expected;
        assert_true(zv_slice_double(number, &expected));
        assert_true(zv_slice_equal(figure, "GB"));
        const double got = (double)result.peak_allocated_bytes / 1e9;
        errors[count] = fabs(got / expected - 1) * 100;
        print_message("# %s %.3f GB, published %.2f: %.2f %%\n", rows[i].id, got, expected,
                      errors[count]);
        count++;
    }
    qsort(errors, count, sizeof *errors, ascending);
    assert_true(errors[count / 2] <= 0.15);
    assert_true(errors[count - 1] <= 0.6);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
