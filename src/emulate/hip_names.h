/*
 * The HIP entry points that are emulated, the few that the allocator engine and the lab exercise
 * call. Codes and layouts are CUDA's, so most are one line over the same functions.
 */
#ifndef ZIRVE_EMULATE_HIP_NAMES_H
#define ZIRVE_EMULATE_HIP_NAMES_H

#include "emulate/cuda_names.h"

#define EMULATED_HIP_LIST(X)                                                                       \
    X(hipInit, (unsigned flags))                                                                   \
    X(hipDriverGetVersion, (int *version))                                                         \
    X(hipGetDeviceCount, (int *count))                                                             \
    X(hipDeviceGet, (int *device, int ordinal))                                                    \
    X(hipDeviceGetName, (char *name, int length, int device))                                      \
    X(hipDeviceTotalMem, (size_t * bytes, int device))                                             \
    X(hipSetDevice, (int device))                                                                  \
    X(hipGetDevice, (int *device))                                                                 \
    X(hipDeviceSynchronize, (void))                                                                \
    X(hipMemGetInfo, (size_t * free_bytes, size_t * total))                                        \
    X(hipMalloc, (uint64_t * address, size_t bytes))                                               \
    X(hipFree, (uint64_t address))                                                                 \
    X(hipMemGetAllocationGranularity,                                                              \
      (size_t * granule, const struct emulated_allocation_properties *properties, int option))     \
    X(hipMemAddressReserve,                                                                        \
      (uint64_t * address, size_t bytes, size_t alignment, uint64_t wish, uint64_t flags))         \
    X(hipMemAddressFree, (uint64_t address, size_t bytes))                                         \
    X(hipMemCreate, (uint64_t * handle, size_t bytes,                                              \
                     const struct emulated_allocation_properties *properties, uint64_t flags))     \
    X(hipMemRelease, (uint64_t handle))                                                            \
    X(hipMemMap, (uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags)) \
    X(hipMemUnmap, (uint64_t address, size_t bytes))                                               \
    X(hipMemSetAccess,                                                                             \
      (uint64_t address, size_t bytes, const struct emulated_access *access, size_t count))        \
    X(hipMemcpyHtoD, (uint64_t to, const void *from, size_t bytes))                                \
    X(hipMemcpyDtoH, (void *to, uint64_t from, size_t bytes))                                      \
    X(hipMemsetD8, (uint64_t to, uint8_t value, size_t count))                                     \
    X(hipStreamSynchronize, (uint64_t stream))                                                     \
    X(hipEventCreateWithFlags, (uint64_t * event, unsigned flags))                                 \
    X(hipEventDestroy, (uint64_t event))                                                           \
    X(hipEventRecord, (uint64_t event, uint64_t stream))                                           \
    X(hipEventQuery, (uint64_t event))                                                             \
    X(hipEventSynchronize, (uint64_t event))                                                       \
    X(hipModuleLoadData, (void **module, const void *image))                                       \
    X(hipModuleUnload, (void *module))                                                             \
    X(hipModuleGetFunction, (void **function, void *module, const char *name))                     \
    X(hipModuleLaunchKernel,                                                                       \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,        \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, uint64_t stream,                 \
       void **parameters, void **extra))                                                           \
    X(hiprtcCreateProgram, (void **program, const char *source, const char *name, int headers,     \
                            const char **texts, const char **names))                               \
    X(hiprtcCompileProgram, (void *program, int count, const char **options))                      \
    X(hiprtcGetCodeSize, (void *program, size_t *bytes))                                           \
    X(hiprtcGetCode, (void *program, char *code))                                                  \
    X(hiprtcDestroyProgram, (void **program))

#define EMULATED_HIP_PROTOTYPE(name, parameters) EMULATED_EXPORT int name parameters;
/* NOLINTBEGIN(readability-identifier-naming): the vendor's names */
EMULATED_HIP_LIST(EMULATED_HIP_PROTOTYPE)
EMULATED_EXPORT const char *hipGetErrorName(int result);
EMULATED_EXPORT const char *hipGetErrorString(int result);
/* NOLINTEND(readability-identifier-naming) */

#endif
