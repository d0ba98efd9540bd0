#include "explain/oom_sign.h"

#include <string.h>

#include "support/test.h"

static const struct {
    const char *line;
    const char *who; /* NULL: no sign */
    enum zv_oom_memory memory;
} rows[] = {
    {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "PyTorch",
     ZV_OOM_DEVICE},
    {"RuntimeError: CUDA error: out of memory", "PyTorch", ZV_OOM_DEVICE},
    {"torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory.", "PyTorch",
     ZV_OOM_DEVICE},
    {"RuntimeError: [enforce fail at alloc_cpu.cpp:115] . DefaultCPUAllocator: can't allocate "
     "memory: you tried to allocate 40 bytes.",
     "PyTorch", ZV_OOM_HOST},
    {"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8345.50 MiB on device 0: cudaMalloc "
     "failed: out of memory",
     "llama.cpp", ZV_OOM_DEVICE},
    {"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
     "cuBLAS", ZV_OOM_DEVICE},
    {"ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization`",
     "vLLM", ZV_OOM_DEVICE},
    {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
     "allocate 8589934592 bytes.",
     "JAX", ZV_OOM_DEVICE},
    {"terminate called after throwing an instance of 'std::bad_alloc'", "C++", ZV_OOM_HOST},
    {"OSError: [Errno 12] Cannot allocate memory", "the system", ZV_OOM_HOST},
    {"MemoryError", "Python", ZV_OOM_HOST},
    {"slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.", "Slurm", ZV_OOM_HOST},
    {"vk::Device::allocateMemory: ErrorOutOfDeviceMemory", "Vulkan", ZV_OOM_DEVICE},
    {"", NULL, ZV_OOM_DEVICE},
    {"If reserved memory is >> allocated memory try setting max_split_size_mb to avoid "
     "fragmentation.",
     NULL, ZV_OOM_DEVICE},
    {"lower gpu_memory_utilization to avoid running out of memory", NULL, ZV_OOM_DEVICE},
    {"class MyMemoryErrors: pass", NULL, ZV_OOM_DEVICE},
    {"peak memory 12.1 GiB, allocator reserved 13 GiB", NULL, ZV_OOM_DEVICE},
};

static void signs_of_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_oom_sign *const sign = zv_oom_sign_find(zv_slice_of(rows[i].line));
        print_message("# %s\n", rows[i].line);
        assert_int_equal(sign != NULL, rows[i].who != NULL);
        if (sign != NULL) {
            assert_string_equal(sign->who, rows[i].who);
            assert_int_equal(sign->memory, rows[i].memory);
        }
    }
}

/* An empty slice without a pointer, and one that is not ended by 0. */
static void bounds(void **state)
{
    (void)state;
    const char text[] = {'C', 'U', 'D', 'A', ' ', 'o', 'u', 't', ' ',
                         'o', 'f', ' ', 'm', 'e', 'm', 'o', 'r', 'y'};
    assert_null(zv_oom_sign_find((struct zv_slice){0}));
    for (size_t length = 0; length < sizeof text; length++) {
        assert_null(zv_oom_sign_find((struct zv_slice){text, length}));
    }
    assert_non_null(zv_oom_sign_find((struct zv_slice){text, sizeof text}));
    assert_string_equal(zv_oom_memory_name(ZV_OOM_HOST), "host");
    assert_string_equal(zv_oom_memory_name(ZV_OOM_DEVICE), "device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_of_lines), cmocka_unit_test(bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
