/* Kernels, their parameters and the reference against one another, on the processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/sha256.h"
#include "measure/measure.h"
#include "support/test.h"

static enum zv_status run_on(const char *library, enum measure_dtype dtype, struct measure_run *run,
                             struct zv_error *err)
{
    static struct zv_arena arena;
    char path[512];
    const char *const folder = getenv("ZIRVE_HOST_CUDA_DIR");
    assert_non_null(folder);
    (void)snprintf(path, sizeof path, "%s/%s.so", folder, library);
    const struct measure_place place = {.device = "cuda:0", .library = path};
    const struct measure_condition condition = {.batch = 2,
                                                .context = 3,
                                                .width = 8,
                                                .depth = 3,
                                                .dtype = dtype,
                                                .optimizer = MEASURE_ADAM,
                                                .trains = true,
                                                .warmup = 1,
                                                .repeats = 2,
                                                .profile = ZV_TORCH_2_14};
    zv_arena_free(&arena);
    return measure_run_here(run, &condition, &place, &arena, err);
}

static void test_ours_agree(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < MEASURE_DTYPES; dtype++) {
        struct measure_run run;
        struct zv_error err = {0};
        if (run_on("host_cuda", (enum measure_dtype)dtype, &run, &err) != ZV_OK ||
            !run.is_complete) {
            fail_msg("%s: %s %s", measure_dtype_name((enum measure_dtype)dtype), err.text,
                     run.message);
        }
        assert_int_equal(run.check, MEASURE_CHECK_PASSED);
        assert_false(run.device.is_emulated);
        assert_true(run.phases[0].duration_ns.known);
    }
}

/* A wrong kernel is an error, and named. */
static void test_wrong_ones_are_found(void **state)
{
    (void)state;
    static const char *const kernels[] = {"fill",       "matmul",     "relu",      "relu_back",
                                          "loss_parts", "loss_total", "loss_back", "column_sums",
                                          "sgd",        "adam"};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        char library[64];
        char words[64];
        struct measure_run run;
        struct zv_error err = {0};
        (void)snprintf(library, sizeof library, "host_cuda_%s", kernels[i]);
        (void)snprintf(words, sizeof words, "kernel zirve_%s, float32: element 0 is", kernels[i]);
        const enum zv_status status = run_on(library, MEASURE_F32, &run, &err);
        if (status != ZV_E_BUG || strstr(err.text, words) == NULL) {
            fail_msg("%s: %d, %s", kernels[i], (int)status, err.text);
        }
    }
}

/* The PTX was made from the source as it is now: tools/lab_kernels.sh. */
static void test_ptx_is_of_this_source(void **state)
{
    (void)state;
    const char prefix[] = "// from lab_kernels.c, sha256 ";
    char sum[ZV_SHA256_TEXT];
    struct zv_slice ptx = zv_data_find("measure/lab_kernels.ptx");
    assert_int_equal(zv_sha256(sum, zv_data_find("measure/lab_kernels.c"), NULL), ZV_OK);
    const struct zv_slice line = zv_slice_cut(&ptx, '\n');
    assert_int_equal(line.length, strlen(prefix) + 64);
    assert_memory_equal(line.at, prefix, strlen(prefix));
    assert_memory_equal(line.at + strlen(prefix), sum, 64);
}

/* A driver that takes its process with it is an observation; and no --emulate. */
static void test_driver_dies(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct measure_run run;
    struct zv_error err = {0};
    char path[512];
    const char *const folder = getenv("ZIRVE_HOST_CUDA_DIR");
    assert_non_null(folder);
    (void)snprintf(path, sizeof path, "%s/host_cuda_dies.so", folder);
    struct measure_place place = {.device = "cuda:0", .library = path};
    const struct measure_condition condition = {
        .batch = 1, .context = 1, .width = 1, .depth = 1, .repeats = 1};
    assert_int_equal(measure_run_process(&run, &condition, &place, 1, &arena, &err), ZV_OK);
    assert_false(run.is_complete);
    assert_int_equal(run.phase_count, 1); /* what it was in, with what was known by then */
    assert_string_equal(run.failed_phase, "model_load");
    assert_string_equal(run.message, "the process was ended by signal 6");
    assert_string_equal(run.phases[0].message, run.message);
    assert_false(run.phases[0].succeeded);
    assert_true(run.phases[0].before.allocated.known);
    assert_false(run.phases[0].after.allocated.known);
    assert_string_equal(run.device.name, "no GPU: the processor");
    place.must_be_emulated = true;
    assert_int_equal(measure_run_here(&run, &condition, &place, &arena, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "host_cuda_dies.so is no emulated driver"));
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ours_agree),
        cmocka_unit_test(test_wrong_ones_are_found),
        cmocka_unit_test(test_ptx_is_of_this_source),
        cmocka_unit_test(test_driver_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
