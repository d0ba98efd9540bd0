/*
 * A driver's library that really computes, on the processor: memory is malloc, and the kernels of
 * the lab exercise are compiled into it from their own text. It says of itself that it is no GPU,
 * is never installed, and lets tests check kernels, their parameters and the reference against one
 * another. HOST_CUDA_WRONG: a kernel whose results are spoiled. HOST_CUDA_DIES: the first launch
 * ends the process.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_EXPORT __attribute__((visibility("default")))

#define LAB_HOST
#define LAB_KERNEL  static void
#define LAB_INLINE  static inline
#define LAB_THREAD  lab_thread
#define LAB_THREADS lab_threads
static _Thread_local unsigned long long lab_thread;
static _Thread_local unsigned long long lab_threads;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#include "../../data/measure/lab_kernels.c"
#pragma GCC diagnostic pop

/* Parameters as cuLaunchKernel hands them on: pointers to each. */
#define P(i)  (*(void **)parameters[i])
#define PF(i) (*(float **)parameters[i])
#define U(i)  (*(const u64 *)parameters[i])
#define F(i)  (*(const float *)parameters[i])
#define I(i)  (*(const int *)parameters[i])

typedef void run_fn(void **parameters);

static void run_fill(void **parameters)
{
    zirve_fill(P(0), U(1), U(2), F(3), I(4));
}

static void run_matmul(void **parameters)
{
    zirve_matmul(P(0), P(1), P(2), P(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10), I(11));
}

static void run_relu(void **parameters)
{
    zirve_relu(P(0), P(1), U(2), I(3));
}

static void run_relu_back(void **parameters)
{
    zirve_relu_back(P(0), P(1), U(2), I(3));
}

static void run_loss_parts(void **parameters)
{
    zirve_loss_parts(PF(0), P(1), P(2), U(3), U(4), I(5));
}

static void run_loss_total(void **parameters)
{
    zirve_loss_total(PF(0), PF(1), U(2), F(3));
}

static void run_loss_back(void **parameters)
{
    zirve_loss_back(P(0), P(1), P(2), U(3), F(4), I(5));
}

static void run_column_sums(void **parameters)
{
    zirve_column_sums(P(0), P(1), U(2), U(3), I(4));
}

static void run_sgd(void **parameters)
{
    zirve_sgd(P(0), P(1), U(2), F(3), I(4));
}

static void run_adam(void **parameters)
{
    zirve_adam(P(0), P(1), PF(2), PF(3), U(4), F(5), F(6), F(7), I(8));
}

static const struct kernel {
    const char *name;
    run_fn *run;
} kernels[] = {
    {"zirve_fill", run_fill},
    {"zirve_matmul", run_matmul},
    {"zirve_relu", run_relu},
    {"zirve_relu_back", run_relu_back},
    {"zirve_loss_parts", run_loss_parts},
    {"zirve_loss_total", run_loss_total},
    {"zirve_loss_back", run_loss_back},
    {"zirve_column_sums", run_column_sums},
    {"zirve_sgd", run_sgd},
    {"zirve_adam", run_adam},
};

static char context; /* of one device */

#define ENTRY(name, ...)                                                                           \
    HOST_EXPORT int name(__VA_ARGS__);                                                             \
    int name(__VA_ARGS__)

ENTRY(cuInit, unsigned flags)
{
    return (int)flags;
}

ENTRY(cuDriverGetVersion, int *version)
{
    *version = 1;
    return 0;
}

ENTRY(cuDeviceGetCount, int *count)
{
    *count = 1;
    return 0;
}

ENTRY(cuDeviceGet, int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

ENTRY(cuDeviceGetName, char *name, int length, int device)
{
    (void)device;
    memset(name, 0, (size_t)length);
    memcpy(name, "no GPU: the processor", 21);
    return 0;
}

ENTRY(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)1 << 30;
    return 0;
}

ENTRY(cuDeviceGetAttribute, int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 7 : 0; /* compute capability 7.0, nothing else */
    return 0;
}

ENTRY(cuDevicePrimaryCtxRetain, void **to, int device)
{
    *to = &context;
    return device;
}

ENTRY(cuDevicePrimaryCtxRelease_v2, int device)
{
    return device;
}

ENTRY(cuCtxSetCurrent, void *to)
{
    return to == &context ? 0 : 201;
}

ENTRY(cuCtxSynchronize, void)
{
    return 0;
}

ENTRY(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)
{
    *free_bytes = (size_t)1 << 30;
    *total = (size_t)1 << 30;
    return 0;
}

ENTRY(cuMemAlloc_v2, uint64_t *address, size_t bytes)
{
    *address = (uint64_t)(uintptr_t)malloc(bytes);
    return *address != 0 ? 0 : 2;
}

ENTRY(cuMemFree_v2, uint64_t address)
{
    free((void *)(uintptr_t)address); /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}

ENTRY(cuMemcpyHtoD_v2, uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes); /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}

ENTRY(cuMemcpyDtoH_v2, void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes); /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}

ENTRY(cuMemsetD8_v2, uint64_t to, uint8_t value, size_t count)
{
    memset((void *)(uintptr_t)to, value, count); /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}

ENTRY(cuStreamSynchronize, uint64_t stream)
{
    (void)stream;
    return 0;
}

ENTRY(cuEventCreate, uint64_t *event, unsigned flags)
{
    (void)flags;
    *event = 1;
    return 0;
}

ENTRY(cuEventDestroy_v2, uint64_t event)
{
    (void)event;
    return 0;
}

ENTRY(cuEventRecord, uint64_t event, uint64_t stream)
{
    (void)event;
    (void)stream;
    return 0;
}

ENTRY(cuEventQuery, uint64_t event)
{
    (void)event;
    return 0;
}

ENTRY(cuEventSynchronize, uint64_t event)
{
    (void)event;
    return 0;
}

/* What is loaded must be PTX for 7.0 with all kernels. */
ENTRY(cuModuleLoadData, void **module, const void *image)
{
    bool is_whole = strstr(image, ".target sm_70") != NULL;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        char entry[64];
        (void)snprintf(entry, sizeof entry, ".entry %s(", kernels[i].name);
        is_whole = is_whole && strstr(image, entry) != NULL;
    }
    *module = &context;
    return is_whole ? 0 : 200;
}

ENTRY(cuModuleUnload, void *module)
{
    return module == &context ? 0 : 400;
}

ENTRY(cuModuleGetFunction, void **function, void *module, const char *name)
{
    (void)module;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (strcmp(kernels[i].name, name) == 0) {
            memcpy(function, &(const struct kernel *){&kernels[i]}, sizeof *function);
            return 0;
        }
    }
    return 500;
}

/* Adds one to the last of the float32 values. */
static void spoil(const struct kernel *kernel, void **parameters)
{
#ifdef HOST_CUDA_WRONG
    if (strcmp(kernel->name, HOST_CUDA_WRONG) == 0) {
        *PF(0) += 1;
    }
#else
    (void)kernel;
    (void)parameters;
#endif
}

ENTRY(cuLaunchKernel, void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, uint64_t stream,
      void **parameters, void **extra)
{
    const struct kernel *const kernel = function;
    (void)shared_bytes;
    (void)stream;
#ifdef HOST_CUDA_DIES
    abort();
#endif
    if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || extra != NULL) {
        return 1;
    }
    lab_threads = (u64)grid_x * block_x;
    for (lab_thread = 0; lab_thread < lab_threads; lab_thread++) {
        kernel->run(parameters);
    }
    spoil(kernel, parameters);
    return 0;
}
