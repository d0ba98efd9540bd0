#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"
#include "support/test.h"

struct opened {
    struct zv_arena arena;
    struct zv_error err;
    struct zv_model model;
    struct zv_model_files *files;
};

static void open_config(struct opened *opened, const char *name)
{
    char path[512];
    *opened = (struct opened){0};
    (void)snprintf(path, sizeof path, "%s/tests/data/models/%s/config.json",
                   getenv("ZIRVE_SOURCE_DIR"), name);
    assert_int_equal(
        zv_model_open(&opened->model, &opened->files, path, &opened->arena, &opened->err), ZV_OK);
}

static void close_model(struct opened *opened)
{
    zv_model_close(opened->files);
    zv_arena_free(&opened->arena);
}

/* Schemes put on a full-precision model weigh what a published checkpoint of the scheme weighs. */
static void test_requantize(void **state)
{
    static const struct {
        const char *model;
        const char *scheme;
        uint64_t bytes;
    } rows[] = {
        {"llama-3.1-8b", "nf4", 6027780128},
        {"llama-3.1-8b", "awq", 5727854592},
        {"llama-3.1-8b", "gptq-4", 5732835328},
        {"qwen3-8b", "fp8-block", 9437399040},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened opened;
        struct zv_quant quant;
        struct zv_model to;
        open_config(&opened, rows[i].model);
        assert_true(zv_quant_parse(zv_slice_of(rows[i].scheme), &quant));
        assert_int_equal(
            zv_model_requantize(&to, &opened.model, &quant, &opened.arena, &opened.err), ZV_OK);
        assert_int_equal(to.parameters, opened.model.parameters);
        if (to.tensor_bytes != rows[i].bytes) {
            print_error("%s %s: %llu\n", rows[i].model, rows[i].scheme,
                        (unsigned long long)to.tensor_bytes);
            fail();
        }
        close_model(&opened);
    }
}

/* Every scheme keeps the parameters and makes the model smaller than 16 bits a value. */
static void test_every_scheme(void **state)
{
    static const char *const schemes[] = {"nf4",    "fp4",   "nf4-dq", "int8",      "gptq-4",
                                          "gptq-8", "awq",   "fp8",    "fp8-block", "fp8-tensor",
                                          "mxfp4",  "nvfp4", "w4a16",  "w8a8"};
    static const char *const models[] = {"llama-3.1-8b",  "qwen3-30b-a3b", "gpt-oss-20b-bf16",
                                         "llama-4-scout", "mamba2-2.7b",   "gpt2-xl"};
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct opened opened;
        open_config(&opened, models[m]);
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            struct zv_quant quant;
            struct zv_model to;
            assert_true(zv_quant_parse(zv_slice_of(schemes[i]), &quant));
            assert_int_equal(
                zv_model_requantize(&to, &opened.model, &quant, &opened.arena, &opened.err), ZV_OK);
            assert_int_equal(to.parameters, opened.model.parameters);
            assert_true(to.tensor_bytes <= opened.model.tensor_bytes);
            struct zv_model again;
            assert_int_equal(zv_model_requantize(&again, &to, &quant, &opened.arena, NULL),
                             ZV_E_UNSUPPORTED);
        }
        close_model(&opened);
    }
}

static void test_recast(void **state)
{
    static const struct {
        const char *model;
        const char *type;
        uint64_t bytes;
    } rows[] = {
        {"llama-3.1-8b", "f32", 32121044992},  {"llama-3.1-8b", "f16", 16060522496},
        {"llama-2-7b", "q4_0", 3825065984},   /* as the file that llama.cpp makes */
        {"llama-3.1-8b", "q8_0", 8532934656}, /* the file has 64 rope factors in f32 more */
        {"starcoder2-3b", "q8_0", 3222810624}, {"falcon-7b", "q8_0", 7355209216},
    };
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened opened;
        struct zv_model to;
        open_config(&opened, rows[i].model);
        assert_int_equal(zv_model_recast(&to, &opened.model, zv_slice_of(rows[i].type),
                                         &opened.arena, &opened.err),
                         ZV_OK);
        if (to.tensor_bytes != rows[i].bytes) {
            print_error("%s %s: %llu (%lld)\n", rows[i].model, rows[i].type,
                        (unsigned long long)to.tensor_bytes,
                        (long long)(to.tensor_bytes - rows[i].bytes));
            wrong++;
        }
        close_model(&opened);
    }
    assert_int_equal(wrong, 0);
}

static void test_refused(void **state)
{
    static const char *const types[] = {"q3_K_M", "iq2_xs", "int8", "banana", "q4_K"};
    (void)state;
    struct opened opened;
    open_config(&opened, "llama-3.1-8b");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct zv_model to;
        struct zv_error err = {0};
        assert_int_equal(
            zv_model_recast(&to, &opened.model, zv_slice_of(types[i]), &opened.arena, &err),
            ZV_E_UNSUPPORTED);
    }
    close_model(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requantize),
        cmocka_unit_test(test_every_scheme),
        cmocka_unit_test(test_recast),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
