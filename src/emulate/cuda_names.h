/*
 * The driver API entry points that are emulated: name and parameters, in our own words for the
 * types. A CUdeviceptr, a handle and a pointer all take one 64-bit register. Add a row here and a
 * function in cuda_entry.c; cuGetProcAddress finds it by the same row.
 */
#ifndef ZIRVE_EMULATE_CUDA_NAMES_H
#define ZIRVE_EMULATE_CUDA_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* CUmemLocation, CUmemAllocationProp, CUmemAccessDesc: what they hold in memory. */
struct emulated_location {
    int32_t type; /* 1: a device */
    int32_t id;
};

struct emulated_allocation_properties {
    int32_t type; /* 1: pinned */
    int32_t handle_types;
    struct emulated_location location;
    void *windows;
    uint8_t flags[8];
};

struct emulated_access {
    struct emulated_location location;
    int32_t flags; /* 3: read and write */
};

#define EMULATED_CUDA_LIST(X)                                                                      \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDriverGetVersion, (int *version))                                                          \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (int *device, int ordinal))                                                     \
    X(cuDeviceGetName, (char *name, int length, int device))                                       \
    X(cuDeviceGetUuid, (uint8_t uuid[16], int device))                                             \
    X(cuDeviceGetUuid_v2, (uint8_t uuid[16], int device))                                          \
    X(cuDeviceGetPCIBusId, (char *id, int length, int device))                                     \
    X(cuDeviceTotalMem_v2, (size_t * bytes, int device))                                           \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                               \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))                                      \
    X(cuDevicePrimaryCtxRelease_v2, (int device))                                                  \
    X(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active))                      \
    X(cuCtxGetCurrent, (void **context))                                                           \
    X(cuCtxSetCurrent, (void *context))                                                            \
    X(cuCtxGetDevice, (int *device))                                                               \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total))                                      \
    X(cuMemAlloc_v2, (uint64_t * address, size_t bytes))                                           \
    X(cuMemFree_v2, (uint64_t address))                                                            \
    X(cuMemGetAddressRange_v2, (uint64_t * base, size_t * bytes, uint64_t address))                \
    X(cuMemGetAllocationGranularity,                                                               \
      (size_t * granule, const struct emulated_allocation_properties *properties, int option))     \
    X(cuMemAddressReserve,                                                                         \
      (uint64_t * address, size_t bytes, size_t alignment, uint64_t wish, uint64_t flags))         \
    X(cuMemAddressFree, (uint64_t address, size_t bytes))                                          \
    X(cuMemCreate, (uint64_t * handle, size_t bytes,                                               \
                    const struct emulated_allocation_properties *properties, uint64_t flags))      \
    X(cuMemRelease, (uint64_t handle))                                                             \
    X(cuMemMap, (uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags))  \
    X(cuMemUnmap, (uint64_t address, size_t bytes))                                                \
    X(cuMemSetAccess,                                                                              \
      (uint64_t address, size_t bytes, const struct emulated_access *access, size_t count))        \
    X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes))                              \
    X(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t bytes))                                    \
    X(cuMemcpyDtoD_v2, (uint64_t to, uint64_t from, size_t bytes))                                 \
    X(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, uint64_t stream))        \
    X(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, uint64_t stream))              \
    X(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, uint64_t stream))           \
    X(cuMemsetD8_v2, (uint64_t to, uint8_t value, size_t count))                                   \
    X(cuMemsetD8Async, (uint64_t to, uint8_t value, size_t count, uint64_t stream))                \
    X(cuMemsetD32_v2, (uint64_t to, uint32_t value, size_t count))                                 \
    X(cuMemsetD32Async, (uint64_t to, uint32_t value, size_t count, uint64_t stream))              \
    X(cuStreamCreate, (uint64_t * stream, unsigned flags))                                         \
    X(cuStreamCreateWithPriority, (uint64_t * stream, unsigned flags, int priority))               \
    X(cuStreamDestroy_v2, (uint64_t stream))                                                       \
    X(cuStreamSynchronize, (uint64_t stream))                                                      \
    X(cuStreamQuery, (uint64_t stream))                                                            \
    X(cuStreamWaitEvent, (uint64_t stream, uint64_t event, unsigned flags))                        \
    X(cuEventCreate, (uint64_t * event, unsigned flags))                                           \
    X(cuEventDestroy_v2, (uint64_t event))                                                         \
    X(cuEventRecord, (uint64_t event, uint64_t stream))                                            \
    X(cuEventQuery, (uint64_t event))                                                              \
    X(cuEventSynchronize, (uint64_t event))                                                        \
    X(cuEventElapsedTime, (float *milliseconds, uint64_t from, uint64_t to))                       \
    X(cuModuleLoadData, (void **module, const void *image))                                        \
    X(cuModuleUnload, (void *module))                                                              \
    X(cuModuleGetFunction, (void **function, void *module, const char *name))                      \
    X(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
                       unsigned block_x, unsigned block_y, unsigned block_z,                       \
                       unsigned shared_bytes, uint64_t stream, void **parameters, void **extra))   \
    X(cuGetErrorName, (int result, const char **name))                                             \
    X(cuGetErrorString, (int result, const char **text))                                           \
    X(cuGetProcAddress_v2,                                                                         \
      (const char *name, void **function, int version, uint64_t flags, int *found))

#define EMULATED_EXPORT                           __attribute__((visibility("default")))
#define EMULATED_CUDA_PROTOTYPE(name, parameters) EMULATED_EXPORT int name parameters;
/* NOLINTBEGIN(readability-identifier-naming): the vendor's names */
EMULATED_CUDA_LIST(EMULATED_CUDA_PROTOTYPE)
/* NOLINTEND(readability-identifier-naming) */

/* That this library is no driver: "zirve-emulate 0.1.0", or why it has no cards. */
EMULATED_EXPORT const char *zirve_emulated(void);
/* 1 when cuDeviceGetAttribute's value was given by nobody and is an A100's. */
EMULATED_EXPORT int zirve_emulated_assumes(int attribute, int device);

#endif
