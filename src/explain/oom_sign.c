#include "explain/oom_sign.h"

/*
 * Only words that are printed when a request has failed: a hint such as "to avoid running out of
 * memory" must not match. Those of the host stand before the device's words that they contain.
 */
static const struct zv_oom_sign signs[] = {
    {"DefaultCPUAllocator: can't allocate memory", "PyTorch", ZV_OOM_HOST},
    {"DefaultCPUAllocator: not enough memory", "PyTorch", ZV_OOM_HOST},
    {"CUDA out of memory", "PyTorch", ZV_OOM_DEVICE},
    {"HIP out of memory", "PyTorch", ZV_OOM_DEVICE},
    {"XPU out of memory", "PyTorch", ZV_OOM_DEVICE},
    {"CUDA error: out of memory", "PyTorch", ZV_OOM_DEVICE},
    {"HIP error: out of memory", "PyTorch", ZV_OOM_DEVICE},
    {"torch.OutOfMemoryError", "PyTorch", ZV_OOM_DEVICE},
    {"torch.cuda.OutOfMemoryError", "PyTorch", ZV_OOM_DEVICE},
    {"CUDA_ERROR_OUT_OF_MEMORY", "CUDA", ZV_OOM_DEVICE},
    {"cudaErrorMemoryAllocation", "CUDA", ZV_OOM_DEVICE},
    {"cudaMalloc failed: out of memory", "llama.cpp", ZV_OOM_DEVICE},
    {"CUBLAS_STATUS_ALLOC_FAILED", "cuBLAS", ZV_OOM_DEVICE},
    {"CUDNN_STATUS_ALLOC_FAILED", "cuDNN", ZV_OOM_DEVICE},
    {"hipErrorOutOfMemory", "HIP", ZV_OOM_DEVICE},
    {"ErrorOutOfDeviceMemory", "Vulkan", ZV_OOM_DEVICE},
    {"VK_ERROR_OUT_OF_DEVICE_MEMORY", "Vulkan", ZV_OOM_DEVICE},
    {"RESOURCE_EXHAUSTED: Out of memory", "JAX", ZV_OOM_DEVICE},
    {"OOM when allocating tensor", "TensorFlow", ZV_OOM_DEVICE},
    {"No available memory for the cache blocks", "vLLM", ZV_OOM_DEVICE},
    {"larger than the available KV cache memory", "vLLM", ZV_OOM_DEVICE},
    {"Not enough memory. Please try to increase --mem-fraction-static", "SGLang", ZV_OOM_DEVICE},
    {"bytes asked for; allocated", "zirve measure", ZV_OOM_DEVICE},
    {"std::bad_alloc", "C++", ZV_OOM_HOST},
    {"Cannot allocate memory", "the system", ZV_OOM_HOST},
    {"Out of memory: Killed process", "the kernel", ZV_OOM_HOST},
    {"oom_kill event", "Slurm", ZV_OOM_HOST},
};

/* Python's own: a name that starts the line, for other errors have it in theirs. */
static const struct zv_oom_sign python[] = {
    {"MemoryError", "Python", ZV_OOM_HOST},
    {"numpy.core._exceptions._ArrayMemoryError", "NumPy", ZV_OOM_HOST},
    {"numpy._core._exceptions._ArrayMemoryError", "NumPy", ZV_OOM_HOST},
};

/* Every sign has one of these; most lines of a program's output have none. */
static bool may_have_sign(struct zv_slice line)
{
    static const char *const hints[] = {"emory", "EMORY", "ALLOC", "alloc", "OOM", "oom"};
    enum { SHORTEST = 11 };
    for (size_t i = 0; line.length >= SHORTEST && i < sizeof hints / sizeof hints[0]; i++) {
        if (zv_slice_contains(line, hints[i])) {
            return true;
        }
    }
    return false;
}

const struct zv_oom_sign *zv_oom_sign_find(struct zv_slice line)
{
    if (!may_have_sign(line)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (zv_slice_contains(line, signs[i].words)) {
            return &signs[i];
        }
    }
    for (size_t i = 0; i < sizeof python / sizeof python[0]; i++) {
        if (zv_slice_starts(line, python[i].words)) {
            return &python[i];
        }
    }
    return NULL;
}

const char *zv_oom_memory_name(enum zv_oom_memory memory)
{
    return memory == ZV_OOM_HOST ? "host" : "device";
}
