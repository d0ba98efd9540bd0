#include "selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/fail_memory.h"
#include "support/test.h"

static const struct zv_check *find(const struct zv_selftest *result, const char *id,
                                   const char *item)
{
    for (size_t i = 0; i < result->check_count; i++) {
        if (strcmp(result->checks[i].id, id) == 0 && strcmp(result->checks[i].item, item) == 0) {
            return &result->checks[i];
        }
    }
    return NULL;
}

/* The rows that are shipped: none off; every figure of a cache checked or its reason known. */
static void test_builtin(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_rows rows;
    struct zv_selftest result;
    assert_int_equal(zv_rows_builtin(&rows, &arena, NULL), ZV_OK);
    assert_int_equal(zv_selftest_run(&result, &rows, &arena, NULL), ZV_OK);
    for (size_t i = 0; i < result.check_count; i++) {
        const struct zv_check *const check = &result.checks[i];
        if (check->status == ZV_CHECK_OFF) {
            fail_msg("%s %s: %s, measured %s", check->id, check->item, check->predicted,
                     check->measured);
        }
        assert_true(check->status != ZV_CHECK_UNCHECKED || check->reason[0] != 0);
    }
    assert_true(result.count[ZV_CHECK_EXACT] >= 320);
    size_t sum = 0;
    for (size_t i = 0; i < result.summary_count; i++) {
        for (int status = 0; status < ZV_CHECK_COUNT; status++) {
            sum +=
                strcmp(result.summaries[i].by, "item") == 0 ? result.summaries[i].count[status] : 0;
        }
    }
    assert_int_equal(sum, result.check_count);
    zv_arena_free(&arena);
}

#define ROW(id, kind, arch, config, runtime, version, settings, measured)                          \
    "{\"id\":\"" id "\",\"kind\":\"" kind "\",\"source\":\"s\",\"model\":\"m\",\"arch\":\"" arch   \
    "\",\"config\":{" config "},\"runtime\":\"" runtime "\",\"version\":\"" version                \
    "\",\"settings\":{" settings "},\"measured\":{" measured "},\"citable\":true}\n"

static const char made[] = ROW(
    "full", "llamacpp_load", "llama", "\"layers\":32,\"kv_heads\":8,\"head_dim\":128", "llama.cpp",
    "b8101", "\"n_ctx\":4096", "\"kv\":\"size =  512.00 MiB (  4096 cells)\"")
    ROW("off", "llamacpp_load", "llama", "\"layers\":32,\"kv_heads\":8,\"head_dim\":128",
        "llama.cpp", "b8101", "\"n_ctx\":4096", "\"kv\":\"600.00 MiB\"")
        ROW("window", "llamacpp_load", "gemma2",
            "\"layers\":26,\"kv_heads\":4,\"head_dim\":256,\"n_swa\":4096,\"swa_pattern\":\"1:1\"",
            "llama.cpp", "b5553", "\"n_ctx\":32768,\"n_batch\":2048,\"n_ubatch\":512",
            "\"swa\":\"size =  312.00 MiB (  6144 cells,  13 layers)\"")
            ROW("latent", "llamacpp_load", "deepseek2",
                "\"layers\":61,\"heads\":128,\"kv_lora_rank\":512,\"qk_rope_head_dim\":64",
                "llama.cpp", "b8211", "\"n_ctx\":16384", "\"kv\":\"1098.00 MiB\"")
                ROW("unknown", "llamacpp_load", "deepseek2",
                    "\"layers\":61,\"heads\":128,\"kv_lora_rank\":512,\"qk_rope_head_dim\":64",
                    "llama.cpp", "unknown", "\"n_ctx\":16384", "\"kv\":\"1098.00 MiB\"")
                    ROW("blocks", "vllm_start", "", "\"layers\":32,\"kv_heads\":8,\"head_dim\":128",
                        "vLLM", "0.6.4.post1", "\"max_model_len\":20000",
                        "\"kv\":\"3.81 GiB\",\"gpu_blocks\":\"1952\","
                        "\"cpu_blocks\":\"2048\",\"max_concurrency\":\"1.56x\"")
                        ROW("absurd", "vllm_start", "",
                            "\"layers\":1000,\"kv_heads\":4000000000,\"head_dim\":4000000000",
                            "vLLM", "0.19.0", "", "\"kv\":\"3.81 GiB\",\"kv_tokens\":\"1952\"")
                            ROW("pool", "sglang_start", "",
                                "\"layers\":64,\"kv_heads\":8,\"head_dim\":128", "SGLang",
                                "2025-03", "\"tp\":4",
                                "\"kv\":\"#tokens: 46611, K size: 1.42 GB, V size: 1.42 GB\"")
                                ROW("other", "tea", "", "", "", "", "", "");

static const struct {
    const char *id;
    const char *item;
    enum zv_check_status status;
} expected[] = {
    {"full", "kv_cache", ZV_CHECK_EXACT},           {"off", "kv_cache", ZV_CHECK_OFF},
    {"window", "kv_cache_sliding", ZV_CHECK_EXACT}, {"window", "cells_sliding", ZV_CHECK_EXACT},
    {"latent", "kv_cache", ZV_CHECK_EXACT},         {"unknown", "kv_cache", ZV_CHECK_UNCHECKED},
    {"blocks", "gpu_blocks", ZV_CHECK_EXACT},       {"blocks", "cpu_blocks", ZV_CHECK_EXACT},
    {"blocks", "max_concurrency", ZV_CHECK_EXACT},  {"absurd", "kv_tokens", ZV_CHECK_UNCHECKED},
    {"pool", "kv_pool_k", ZV_CHECK_EXACT},          {"other", "row", ZV_CHECK_UNCHECKED},
};

static void test_made(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_rows rows;
    struct zv_selftest result;
    assert_int_equal(zv_rows_read(&rows, zv_slice_of(made), &arena, NULL), ZV_OK);
    assert_int_equal(zv_selftest_run(&result, &rows, &arena, NULL), ZV_OK);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct zv_check *const check = find(&result, expected[i].id, expected[i].item);
        if (check == NULL || check->status != expected[i].status) {
            fail_msg("%s %s: %s (%s, %s)", expected[i].id, expected[i].item,
                     check != NULL ? zv_check_status_name(check->status) : "absent",
                     check != NULL ? check->predicted : "", check != NULL ? check->reason : "");
        }
    }
    zv_arena_free(&arena);
}

/* Every row of the collected truth, where it is at hand: none off. */
static void test_truth(void **state)
{
    (void)state;
    const char *const folder = getenv("ZIRVE_TRUTH_DIR");
    char path[512];
    struct zv_file file;
    struct zv_arena arena = {0};
    struct zv_rows rows;
    struct zv_selftest result;
    if (folder == NULL) {
        print_message("# SKIP: ZIRVE_TRUTH_DIR is not set\n");
        return; /* cmocka's skip() is a failure in TAP */
    }
    (void)snprintf(path, sizeof path, "%s/ground-truth/measured.jsonl", folder);
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    assert_int_equal(zv_rows_read(&rows, zv_file_slice(&file), &arena, NULL), ZV_OK);
    zv_file_close(&file);
    assert_int_equal(zv_selftest_run(&result, &rows, &arena, NULL), ZV_OK);
    assert_int_equal(result.count[ZV_CHECK_OFF], 0);
    assert_true(result.count[ZV_CHECK_EXACT] >= 400);
    zv_arena_free(&arena);
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        struct zv_rows rows;
        struct zv_selftest result;
        fail_memory_start(n);
        enum zv_status status = zv_rows_read(&rows, zv_slice_of(made), &arena, NULL);
        if (status == ZV_OK) {
            status = zv_selftest_run(&result, &rows, &arena, NULL);
        }
        const size_t failed = fail_memory.failed;
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_true(failed == 0 ? status == ZV_OK : status == ZV_E_NOMEM || status == ZV_OK);
        if (failed == 0) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
