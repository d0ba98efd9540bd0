/* Running out of host memory at each allocation: an error, and nothing left behind. */
#include "runtime/command_line.h"
#include "runtime/log_start.h"
#include "runtime/versions.h"
#include "support/fail_memory.h"
#include "support/test.h"

static enum zv_status command(struct zv_arena *arena)
{
    struct zv_command read;
    struct zv_job job = {0};
    return zv_command_read(&read, &job, zv_slice_of("X=1 llama-server -m m.gguf -c 8k --what 1"),
                           arena, NULL);
}

static enum zv_status start_log(struct zv_arena *arena)
{
    struct zv_log read;
    return zv_log_read(&read,
                       zv_slice_of("build: 8101 (519e1f1f3) with cc\n"
                                   "print_info: arch = llama\n"
                                   "load_tensors: CUDA0 model buffer size = 1.50 MiB\n"
                                   "llama_context: CUDA0 compute buffer size = 1.50 MiB\n"
                                   "build: 8101 (519e1f1f3) with cc\n"
                                   "load_tensors: CUDA0 model buffer size = 1.50 MiB\n"
                                   "error loading model: no\n"),
                       arena, NULL);
}

static enum zv_status rules(struct zv_arena *arena)
{
    struct zv_runtime_rules read;
    return zv_runtime_resolve(&read, ZV_RUNTIME_VLLM, zv_slice_of("0.99"), true, arena, NULL);
}

static enum zv_status constant(struct zv_arena *arena)
{
    struct zv_constant read;
    bool found;
    const struct zv_constant_query query = {.kind = ZV_RUNTIME_VLLM, .item = "non_torch"};
    return zv_runtime_constant(&read, &found, &query, arena, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    enum zv_status (*const calls[])(struct zv_arena *) = {command, start_log, rules, constant};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        size_t failed = 1;
        for (size_t n = 1; failed != 0; n++) {
            struct zv_arena arena = {0};
            fail_memory_start(n);
            const enum zv_status status = calls[i](&arena);
            failed = fail_memory.failed;
            zv_arena_free(&arena);
            fail_memory_stop();
            assert_int_equal(status, failed == 0 ? ZV_OK : ZV_E_NOMEM);
            assert_int_equal(fail_memory.blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
