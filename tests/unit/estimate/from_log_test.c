/* Logs as ledgers: what is measured, what is unaccounted for, what a model is compared with. */
#include "estimate/from_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/fail_memory.h"
#include "support/test.h"

enum { UNKNOWN = -1, ABSENT = -2 };

static const struct zv_item *find(const struct zv_ledger *ledger, const char *id, int scope)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (strcmp(ledger->items[i].id, id) == 0 && ledger->items[i].scope == scope) {
            return &ledger->items[i];
        }
    }
    return NULL;
}

static long long bytes_of(const struct zv_ledger *ledger, const char *id, int scope)
{
    const struct zv_item *const item = find(ledger, id, scope);
    return item == NULL                         ? ABSENT
           : item->quantity.known == ZV_UNKNOWN ? UNKNOWN
                                                : (long long)item->quantity.bytes;
}

static void read_text(struct zv_from_log *from, struct zv_log *log, struct zv_slice text,
                      struct zv_arena *arena)
{
    const struct zv_log_input input = {.log = log};
    struct zv_error err = {0};
    assert_int_equal(zv_log_read(log, text, arena, &err), ZV_OK);
    if (zv_from_log(from, &input, arena, &err) != ZV_OK) {
        fail_msg("%s", err.text);
    }
}

static const struct {
    const char *log;
    size_t devices;
    const char *id;
    int scope;
    long long bytes;
} cases[] = {
    {"llamacpp-2026", 2, "weights", 0, 5767293829},
    {"llamacpp-2026", 2, "weights", 1, 5348261888},
    {"llamacpp-2026", 2, "weights", ZV_SCOPE_HOST, 615325368},
    {"llamacpp-2026", 2, "kv_cache", 0, 117440512},
    {"llamacpp-2026", 2, "kv_cache.sliding", 1, 12582912},
    {"llamacpp-2026", 2, "unaccounted", 0, 579LL << 20},
    {"llamacpp-2026", 2, "unaccounted", 1, UNKNOWN},
    {"llamacpp-2026", 2, "in_use", 0, ABSENT},
    /* the sum line stands for parts that are there */
    {"ik-2025", 2, "kv_cache", 1, 1223321190},
    {"llamacpp-comma", 0, "kv_cache", ZV_SCOPE_HOST, 2845310976},
    {"llamacpp-recurrent", 1, "state", 0, 1882718208},
    {"llamacpp-recurrent", 1, "state.conv", 0, ABSENT},
    {"llamacpp-oom", 0, "weights", 0, ABSENT},
    {"vllm-v0", 1, "kv_cache", 0, 4037269258},
    {"vllm-v0", 1, "unaccounted", 0, 15247133901 - 15236396482},
    {"vllm-v1", 2, "runtime.graphs", 0, 118111601},
    {"vllm-v1", 2, "unaccounted", 0, UNKNOWN},
    {"sglang", 2, "kv_cache.k", 1, 1524713390},
    {"sglang", 2, "unaccounted", 0, 23407571763 - 1556925645 - 16685947945 - 2 * 1524713390LL},
};

static void test_readings(void **state)
{
    (void)state;
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct zv_from_log from;
        struct zv_arena arena = {0};
        struct zv_file file;
        struct zv_log log;
        char path[512];
        (void)snprintf(path, sizeof path, "%s/tests/data/logs/%s.log", root != NULL ? root : ".",
                       cases[i].log);
        assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
        read_text(&from, &log, zv_file_slice(&file), &arena);
        const long long got = bytes_of(&from.estimate.ledger, cases[i].id, cases[i].scope);
        if (got != cases[i].bytes || from.device_count != cases[i].devices) {
            fail_msg("%s %s of %d: %lld on %zu devices", cases[i].log, cases[i].id, cases[i].scope,
                     got, from.device_count);
        }
        zv_file_close(&file);
        zv_arena_free(&arena);
    }
}

/* vLLM's first engine names no rank: one speaks for all. */
static void test_ranks(void **state)
{
    (void)state;
    static struct zv_from_log from;
    struct zv_arena arena = {0};
    struct zv_log log;
    read_text(&from, &log,
              zv_slice_of("INFO vLLM engine (tensor_parallel_size=4, model='m')\n"
                          "INFO Loading model weights took 2.0000 GB\n"),
              &arena);
    assert_int_equal(from.estimate.ledger.group_count, 1);
    assert_int_equal(from.estimate.ledger.groups[0].count, 4);
    zv_arena_free(&arena);
}

static const struct {
    const char *printed;
    uint64_t half;
    const char *text;
} precisions[] = {
    {"2440.00 MiB", 5243, "0.005"}, {"3.76GiB", 5368709, "0.005"},   {"24123", 524288, "0.5"},
    {"945 MiB", 524288, "0.5"},     {"7.5100 GB", 53687, "0.00005"}, {"2713,50 MiB", 5243, "0.005"},
    {"1,234.5 MiB", 52429, "0.05"}, {"1,234 MiB", 524288, "0.5"},    {"123456 bytes", 0, "0"},
};

static void test_precision(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        char text[16];
        const struct zv_reading reading = {.printed = zv_slice_of(precisions[i].printed),
                                           .half_unit_bytes = precisions[i].half};
        zv_reading_precision(text, &reading);
        assert_string_equal(text, precisions[i].text);
    }
}

/* ---- beside a model ---- */

static const struct zv_layer layers[2] = {
    {.attention = ZV_ATTENTION_HEADS,
     .heads = 4,
     .kv_heads = 2,
     .head_dim_k = 64,
     .head_dim_v = 64},
    {.attention = ZV_ATTENTION_HEADS,
     .heads = 4,
     .kv_heads = 2,
     .head_dim_k = 64,
     .head_dim_v = 64},
};

static const struct zv_tensor tensors[] = {
    {.name = {"blk.0.a", 7}, .dims = 1, .bytes = 3 << 20, .layer = 0, .part = ZV_PART_MLP},
    {.name = {"token_embd", 10},
     .dims = 1,
     .bytes = 1 << 20,
     .layer = -1,
     .part = ZV_PART_EMBEDDING},
};

/* 2 layers x 4096 cells x 128 values x 2 B, K and V: 4 MiB; the log agrees with it, and with the
 * host's embedding, and has 0.5 MiB more weights on the card. */
static const char beside[] = "main: build = 8101 (abc)\n"
                             "load_tensors:        CUDA0 model buffer size =     3.50 MiB\n"
                             "load_tensors:   CPU_Mapped model buffer size =     1.00 MiB\n"
                             "llama_context: n_seq_max     = 1\n"
                             "llama_context: n_ctx         = 4096\n"
                             "llama_context: kv_unified    = true\n"
                             "llama_kv_cache:      CUDA0 KV buffer size =     4.00 MiB\n"
                             "sched_reserve:      CUDA0 compute buffer size =    10.00 MiB\n";

static const struct zv_log_row *row(const struct zv_from_log *from, const char *id, int scope)
{
    for (size_t i = 0; i < from->row_count; i++) {
        if (strcmp(from->rows[i].id, id) == 0 && from->rows[i].scope == scope) {
            return &from->rows[i];
        }
    }
    fail_msg("no row %s", id);
    return NULL;
}

static void test_beside_model(void **state)
{
    (void)state;
    static struct zv_from_log from;
    static struct zv_estimate calculated;
    static struct zv_runtime_rules rules;
    struct zv_arena arena = {0};
    struct zv_log log;
    struct zv_job job = {0};
    const struct zv_model model = {.causal = true,
                                   .source = ZV_SOURCE_GGUF,
                                   .hidden = 256,
                                   .vocab = 1000,
                                   .layers = layers,
                                   .layer_count = 2,
                                   .tensors = tensors,
                                   .tensor_count = 2};
    assert_int_equal(zv_log_read(&log, zv_slice_of(beside), &arena, NULL), ZV_OK);
    zv_log_fill_job(&job, &log);
    assert_int_equal(job.runtime, ZV_RUNTIME_LLAMACPP);
    assert_int_equal(job.serve.context_tokens, 4096);
    assert_int_equal(
        zv_runtime_resolve(&rules, job.runtime, job.runtime_version, false, &arena, NULL), ZV_OK);
    const struct zv_estimate_input estimate = {.model = &model, .job = &job, .rules = &rules};
    assert_int_equal(zv_estimate_run(&calculated, &estimate, &arena, NULL), ZV_OK);
    const struct zv_log_input input = {.log = &log, .calculated = &calculated, .rules = &rules};
    assert_int_equal(zv_from_log(&from, &input, &arena, NULL), ZV_OK);
    const struct zv_log_row *const weights = row(&from, "weights", FROM_LOG_ALL);
    assert_int_equal(weights->measured - weights->calculated, 512 << 10);
    assert_int_equal(row(&from, "weights", ZV_SCOPE_HOST)->calculated, 1 << 20);
    const struct zv_log_row *const cache = row(&from, "kv_cache", FROM_LOG_ALL);
    assert_int_equal(cache->calculated, 4 << 20);
    assert_int_equal(cache->measured, 4 << 20);
    assert_int_equal(cache->half_unit, 5243);
    /* readings replaced what was calculated; the output buffer was not printed and stays */
    const struct zv_ledger *const ledger = &from.estimate.ledger;
    assert_null(find(ledger, "weights.mlp", 0));
    assert_int_equal(bytes_of(ledger, "weights", 0), 7 << 19);
    assert_int_equal(bytes_of(ledger, "output_buffer", ZV_SCOPE_HOST), 4000);
    zv_arena_free(&arena);
}

/* A pool known to a digit gives a count known to a digit. */
static void test_pool(void **state)
{
    (void)state;
    static struct zv_from_log from;
    static struct zv_estimate calculated;
    struct zv_arena arena = {0};
    struct zv_log log;
    const char *const text = "vLLM\nAvailable KV cache memory: 1.00 GiB\n"
                             "GPU KV cache size: 1,048,000 tokens\n";
    assert_int_equal(zv_log_read(&log, zv_slice_of(text), &arena, NULL), ZV_OK);
    calculated = (struct zv_estimate){.ledger = {.arena = &arena}, .context_tokens = 4096};
    /* 2 layers x 16 tokens x 512 B: 65536 blocks of 16 tokens in 1 GiB */
    calculated.pages = (struct zv_vllm_cache){.block_tokens = 16,
                                              .page_bytes = 8192,
                                              .group_size = 2,
                                              .groups = 1,
                                              .block_bytes = 16384,
                                              .blocks_per_request = 256};
    const struct zv_log_input input = {.log = &log, .calculated = &calculated};
    assert_int_equal(zv_from_log(&from, &input, &arena, NULL), ZV_OK);
    const struct zv_log_row *const tokens = row(&from, "kv_tokens", 0);
    assert_int_equal(tokens->calculated, 65536 * 16);
    assert_int_equal(tokens->measured, 1048000);
    assert_int_equal(tokens->half_unit, (5368709 / 16384 + 1) * 16);
    zv_arena_free(&arena);
}

/* Running out of host memory at each allocation: an error, and nothing left behind. */
static void test_memory(void **state)
{
    (void)state;
    size_t failed = 1;
    for (size_t n = 1; failed != 0; n++) {
        static struct zv_from_log from;
        struct zv_arena arena = {0};
        struct zv_log log;
        const struct zv_log_input input = {.log = &log};
        fail_memory_start(n);
        enum zv_status status = zv_log_read(&log, zv_slice_of(beside), &arena, NULL);
        if (status == ZV_OK) {
            status = zv_from_log(&from, &input, &arena, NULL);
        }
        failed = fail_memory.failed;
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(status, failed == 0 ? ZV_OK : ZV_E_NOMEM);
        assert_int_equal(fail_memory.blocks, 0);
    }
}

/* What the user gave wins. */
static void test_given_wins(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_log log;
    struct zv_job job = {.runtime = ZV_RUNTIME_VLLM, .serve = {.context_tokens = 17}};
    assert_int_equal(zv_log_read(&log, zv_slice_of(beside), &arena, NULL), ZV_OK);
    zv_log_fill_job(&job, &log);
    assert_int_equal(job.runtime, ZV_RUNTIME_VLLM);
    assert_int_equal(job.serve.context_tokens, 17);
    zv_arena_free(&arena);
}

/* ---- hostile logs ---- */

static void test_hostile(void **state)
{
    (void)state;
    static struct zv_from_log from;
    static char text[16384];
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_log log;
    const struct zv_log_input input = {.log = &log};
    size_t used = 0;
    for (int i = 0; i < 100; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "load_tensors: GPU%d model buffer size = 1.00 MiB\n", i);
    }
    assert_int_equal(zv_log_read(&log, zv_slice_of(text), &arena, NULL), ZV_OK);
    assert_int_equal(zv_from_log(&from, &input, &arena, &err), ZV_E_LIMIT);
    used = (size_t)snprintf(text, sizeof text, "sglang\nLoad weight begin. avail mem=20.00 GB\n");
    for (int i = 0; i < 40; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "KV Cache is allocated. #tokens: 1, K size: 500000000.00 GB, V "
                                 "size: 500000000.00 GB\n");
    }
    (void)snprintf(text + used, sizeof text - used, "Memory pool end. avail mem=2.00 GB\n");
    err = (struct zv_error){0};
    assert_int_equal(zv_log_read(&log, zv_slice_of(text), &arena, NULL), ZV_OK);
    assert_int_equal(zv_from_log(&from, &input, &arena, &err), ZV_E_OVERFLOW);
    const char *const over = "vLLM\n"
                             "total_gpu_memory (15.77GiB) x gpu_memory_utilization (0.90) = 9GiB\n"
                             "model weights take 12.00GiB;\n";
    read_text(&from, &log, zv_slice_of(over), &arena);
    assert_int_equal(bytes_of(&from.estimate.ledger, "unaccounted", 0), UNKNOWN);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readings),   cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_precision),  cmocka_unit_test(test_beside_model),
        cmocka_unit_test(test_given_wins), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_pool),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
