#include "runtime/log_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "runtime/log_text.h"
#include "runtime/versions.h"
#include "support/test.h"

static void describe_facts(struct zv_sink *sink, const struct zv_log *log)
{
    const struct {
        const char *name;
        struct zv_log_fact fact;
    } facts[] = {
#define FACT(field) {#field, log->field},
        ZV_LOG_FACT_LIST(FACT)
#undef FACT
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct zv_log_fact *const fact = &facts[i].fact;
        if (fact->found && fact->text.length != 0) {
            zv_sink_print(sink, " %s='%.*s'", facts[i].name, (int)fact->text.length, fact->text.at);
        } else if (fact->found) {
            zv_sink_print(sink, " %s=%llu", facts[i].name, (unsigned long long)fact->value);
        }
    }
}

static void describe(struct zv_sink *sink, const struct zv_log *log)
{
    zv_sink_print(sink, "%s %.*s start %zu/%zu lines %llu-%llu%s%s%s\n",
                  zv_runtime_name(log->runtime), (int)log->version.length,
                  log->version.length != 0 ? log->version.at : "", log->start_taken, log->starts,
                  (unsigned long long)log->first_line, (unsigned long long)log->last_line,
                  log->complete ? " complete" : "", log->failed ? " failed" : "",
                  log->out_of_memory ? " oom" : "");
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const one = &log->readings[i];
        zv_sink_print(sink, "%llu %s %.*s%s%s %.*s = %llu+-%llu", (unsigned long long)one->line,
                      one->id, (int)one->device.length,
                      one->device.length != 0 ? one->device.at : "", one->host ? " host" : "",
                      one->sliding ? " sliding" : "", (int)one->printed.length, one->printed.at,
                      (unsigned long long)one->bytes, (unsigned long long)one->half_unit_bytes);
        if (one->cells != 0) {
            zv_sink_print(sink, " %llu cells %llu layers %llu seqs", (unsigned long long)one->cells,
                          (unsigned long long)one->layers, (unsigned long long)one->sequences);
        }
        zv_sink_text(sink, "\n");
    }
    describe_facts(sink, log);
    zv_sink_text(sink, "\n");
}

static const char *const names[] = {
    "llamacpp-2023", "llamacpp-2026",  "ik-2025",      "llamacpp-comma", "llamacpp-recurrent",
    "llamacpp-oom",  "llamacpp-metal", "vllm-v0",      "vllm-v1",        "vllm-oom",
    "vllm-usage",    "vllm-consumed",  "vllm-refused", "sglang",         "sglang-latent",
    "sglang-pools"};

static void path_of(char *to, size_t size, const char *name, const char *suffix)
{
    const char *const root = getenv("ZIRVE_SOURCE_DIR");
    (void)snprintf(to, size, "%s/tests/data/logs/%s.%s", root != NULL ? root : ".", name, suffix);
}

/* tests/data/logs/NAME.expected holds what is read; ZIRVE_ACCEPT=1 writes it anew. */
static void test_logs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        char expected[512];
        struct zv_file file;
        struct zv_arena arena = {0};
        struct zv_log log;
        struct zv_buffer buffer = {.limit = 1 << 20};
        struct zv_sink sink = zv_buffer_sink(&buffer);
        path_of(path, sizeof path, names[i], "log");
        path_of(expected, sizeof expected, names[i], "expected");
        assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
        assert_int_equal(zv_log_read(&log, zv_file_slice(&file), &arena, NULL), ZV_OK);
        zv_file_close(&file);
        describe(&sink, &log);
        if (getenv("ZIRVE_ACCEPT") != NULL) {
            (void)remove(expected);
            assert_int_equal(
                zv_file_create(expected, (struct zv_slice){buffer.data, buffer.size}, NULL), ZV_OK);
        }
        assert_int_equal(zv_file_open(&file, expected, NULL), ZV_OK);
        if (file.size != buffer.size || memcmp(file.data, buffer.data, file.size) != 0) {
            fail_msg("%s differs; got:\n%s", names[i], buffer.data);
        }
        zv_file_close(&file);
        zv_buffer_free(&buffer);
        zv_arena_free(&arena);
    }
}

static void test_sums(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_log log;
    const char *const text = "load_tensors:        CUDA0 model buffer size =  1.50 MiB\n"
                             "load_tensors:        CUDA1 model buffer size =  2.25 MiB\n";
    assert_int_equal(zv_log_read(&log, zv_slice_of(text), &arena, NULL), ZV_OK);
    uint64_t bytes;
    size_t found;
    assert_int_equal(zv_log_sum(&log, "model_buffer", &bytes, &found, NULL), ZV_OK);
    assert_int_equal(bytes, 3932160);
    assert_int_equal(found, 2);
    assert_non_null(zv_log_find(&log, "model_buffer"));
    assert_null(zv_log_find(&log, "kv_size"));
    assert_false(log.complete);
    assert_int_equal(log.note_count, 1);
    zv_arena_free(&arena);
}

static void test_no_log(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_log log;
    assert_int_equal(zv_log_read(&log, zv_slice_of("hello\nworld\n"), &arena, &err),
                     ZV_E_UNSUPPORTED);
    assert_int_equal(zv_log_read(&log, zv_slice_of(""), &arena, &err), ZV_E_UNSUPPORTED);
    zv_arena_free(&arena);
}

static const struct {
    const char *text;
    bool good;
    uint64_t bytes;
    uint64_t half_unit;
} sizes[] = {
    {" =  2440.00 MiB", true, UINT64_C(2558525440), 5243},
    {"3.76GiB.", true, UINT64_C(4037269258), 5368709},
    {"2713,50 MiB, c^KV", true, UINT64_C(2845310976), 5243},
    {"1,234.5 MiB", true, UINT64_C(1294467072), 52429},
    {"123456 bytes", true, 123456, 0},
    {"7.5100 GB", true, UINT64_C(8063801098), 53687},
    {"945 MiB", true, UINT64_C(990904320), 524288},
    {"1.2.3 MiB", false, 0, 0},
    {"MiB", false, 0, 0},
    {"12", false, 0, 0},
    {"99999999999999999999 GiB", false, 0, 0},
    {"18446744073709551615 GiB", false, 0, 0},
    {"", false, 0, 0},
};

static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct log_size size;
        const bool good = log_size_read(zv_slice_of(sizes[i].text), &size, NULL);
        if (good != sizes[i].good || (good && (size.bytes != sizes[i].bytes ||
                                               size.half_unit_bytes != sizes[i].half_unit))) {
            fail_msg("%s: %d, %llu +- %llu", sizes[i].text, good, (unsigned long long)size.bytes,
                     (unsigned long long)size.half_unit_bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_no_log),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
