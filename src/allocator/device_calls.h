/*
 * What is called of a driver's library: one list of names for both backends, whose functions differ
 * in name only (a CUdeviceptr and a void pointer, both enumerations of results and the structures
 * below agree on x86-64). Own prototypes, no vendor header. Room-internal, and room measure.
 *
 * Names and parameters: CUDA Driver API reference; HIP API reference, "Driver Entry Points" of its
 * porting guide, which pairs them.
 */
#ifndef ZIRVE_ALLOCATOR_DEVICE_CALLS_H
#define ZIRVE_ALLOCATOR_DEVICE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/device.h"

/* CUmemLocation, CUmemAllocationProp, CUmemAccessDesc. */
struct device_location {
    int32_t type; /* DEVICE_LOCATION */
    int32_t id;
};

struct device_memory_properties {
    int32_t type; /* DEVICE_PINNED */
    int32_t handle_types;
    struct device_location location;
    void *windows;
    uint8_t flags[8];
};

struct device_access {
    struct device_location location;
    int32_t flags; /* DEVICE_READ_WRITE */
};

enum {
    DEVICE_SUCCESS = 0,
    DEVICE_OUT_OF_MEMORY = 2, /* of both backends, as the next one */
    DEVICE_NOT_READY = 600,
    DEVICE_PINNED = 1,
    DEVICE_LOCATION = 1,
    DEVICE_READ_WRITE = 3,
    DEVICE_NO_TIMING = 2,      /* flag of events */
    DEVICE_COMPUTE_MAJOR = 75, /* attributes, CUDA only */
    DEVICE_COMPUTE_MINOR = 76,
    DEVICE_HAS_VMM = 102
};

/* field, CUDA's name, HIP's name ("" : none), is it needed, parameters */
#define DEVICE_CALL_LIST(X)                                                                        \
    X(init, "cuInit", "hipInit", true, (unsigned flags))                                           \
    X(version, "cuDriverGetVersion", "hipDriverGetVersion", true, (int *version))                  \
    X(count, "cuDeviceGetCount", "hipGetDeviceCount", true, (int *count))                          \
    X(get, "cuDeviceGet", "hipDeviceGet", true, (int *device, int ordinal))                        \
    X(name, "cuDeviceGetName", "hipDeviceGetName", false, (char *name, int length, int device))    \
    X(total, "cuDeviceTotalMem_v2", "hipDeviceTotalMem", true, (size_t * bytes, int device))       \
    X(attribute, "cuDeviceGetAttribute", "", true, (int *value, int attribute, int device))        \
    X(retain, "cuDevicePrimaryCtxRetain", "", true, (void **context, int device))                  \
    X(give_up, "cuDevicePrimaryCtxRelease_v2", "", true, (int device))                             \
    X(set_context, "cuCtxSetCurrent", "", true, (void *context))                                   \
    X(set_device, "", "hipSetDevice", true, (int device))                                          \
    X(synchronise, "cuCtxSynchronize", "hipDeviceSynchronize", true, (void))                       \
    X(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo", true,                                       \
      (size_t * free_bytes, size_t * total))                                                       \
    X(allocate, "cuMemAlloc_v2", "hipMalloc", true, (uint64_t * address, size_t bytes))            \
    X(release, "cuMemFree_v2", "hipFree", true, (uint64_t address))                                \
    X(granularity, "cuMemGetAllocationGranularity", "hipMemGetAllocationGranularity", false,       \
      (size_t * granule, const struct device_memory_properties *properties, int option))           \
    X(reserve, "cuMemAddressReserve", "hipMemAddressReserve", false,                               \
      (uint64_t * address, size_t bytes, size_t alignment, uint64_t wish, uint64_t flags))         \
    X(unreserve, "cuMemAddressFree", "hipMemAddressFree", false, (uint64_t address, size_t bytes)) \
    X(create, "cuMemCreate", "hipMemCreate", false,                                                \
      (uint64_t * handle, size_t bytes, const struct device_memory_properties *properties,         \
       uint64_t flags))                                                                            \
    X(drop, "cuMemRelease", "hipMemRelease", false, (uint64_t handle))                             \
    X(map, "cuMemMap", "hipMemMap", false,                                                         \
      (uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags))            \
    X(unmap, "cuMemUnmap", "hipMemUnmap", false, (uint64_t address, size_t bytes))                 \
    X(set_access, "cuMemSetAccess", "hipMemSetAccess", false,                                      \
      (uint64_t address, size_t bytes, const struct device_access *access, size_t count))          \
    X(copy_in, "cuMemcpyHtoD_v2", "hipMemcpyHtoD", true,                                           \
      (uint64_t to, const void *from, size_t bytes))                                               \
    X(copy_out, "cuMemcpyDtoH_v2", "hipMemcpyDtoH", true, (void *to, uint64_t from, size_t bytes)) \
    X(fill, "cuMemsetD8_v2", "hipMemsetD8", true, (uint64_t to, uint8_t value, size_t count))      \
    X(stream_wait, "cuStreamSynchronize", "hipStreamSynchronize", true, (uint64_t stream))         \
    X(event_create, "cuEventCreate", "hipEventCreateWithFlags", true,                              \
      (uint64_t * event, unsigned flags))                                                          \
    X(event_destroy, "cuEventDestroy_v2", "hipEventDestroy", true, (uint64_t event))               \
    X(event_record, "cuEventRecord", "hipEventRecord", true, (uint64_t event, uint64_t stream))    \
    X(event_query, "cuEventQuery", "hipEventQuery", true, (uint64_t event))                        \
    X(event_wait, "cuEventSynchronize", "hipEventSynchronize", true, (uint64_t event))             \
    X(module_load, "cuModuleLoadData", "hipModuleLoadData", true,                                  \
      (void **module, const void *image))                                                          \
    X(module_unload, "cuModuleUnload", "hipModuleUnload", true, (void *module))                    \
    X(function, "cuModuleGetFunction", "hipModuleGetFunction", true,                               \
      (void **function, void *module, const char *name))                                           \
    X(launch, "cuLaunchKernel", "hipModuleLaunchKernel", true,                                     \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,        \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, uint64_t stream,                 \
       void **parameters, void **extra))

struct device_calls {
#define DEVICE_CALL_FIELD(field, cuda, hip, needed, parameters) int(*field) parameters;
    DEVICE_CALL_LIST(DEVICE_CALL_FIELD)
#undef DEVICE_CALL_FIELD
    int (*error_text)(int result, const char **text); /* cuGetErrorString */
    const char *(*error_name)(int result);            /* hipGetErrorString: gives the text itself */
};

enum device_call {
#define DEVICE_CALL_ENUM(field, cuda, hip, needed, parameters) DEVICE_CALL_##field,
    DEVICE_CALL_LIST(DEVICE_CALL_ENUM)
#undef DEVICE_CALL_ENUM
        DEVICE_CALL_COUNT
};

/* An event of the driver. Its number for allocators is its place and how often that was used. */
struct device_event {
    uint64_t handle;
    uint32_t generation;
    bool is_pending;
};

struct zv_device {
    struct device_calls calls;
    struct zv_device_facts facts;
    void *library;
    void *context; /* CUDA's primary one */
    int ordinal;
    bool is_hip;
    bool is_loaded; /* its library is there, with all that is needed */
    bool is_found;  /* the driver has a device of that number */
    bool is_retained;
    const char *compiler;    /* options.compiler */
    struct zv_error failure; /* the first that was not for want of the card's memory */
    struct device_event *events;
    uint32_t event_count;
};

/* Makes the device the calling thread's. */
bool device_bind(struct zv_device *device);

/*
 * Whether a call went well; otherwise the failure is kept with the driver's text. Running out of
 * memory is kept too: those who ask the driver for memory look at the result first.
 */
bool device_check(struct zv_device *device, enum device_call call, int result);

/* The failure that was kept, as a status; ZV_OK when there was none. */
enum zv_status device_failure(const struct zv_device *device, struct zv_error *err);

/* Bytes between host and device, and zeros; they wait for the work queued before. */
enum zv_status device_copy_in(struct zv_device *device, uint64_t to, const void *from,
                              uint64_t bytes, struct zv_error *err);
enum zv_status device_copy_out(struct zv_device *device, void *to, uint64_t from, uint64_t bytes,
                               struct zv_error *err);
enum zv_status device_zero(struct zv_device *device, uint64_t to, uint64_t bytes,
                           struct zv_error *err);

#endif
