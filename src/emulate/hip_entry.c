/*
 * HIP's names over the emulated devices. A thread starts on device 0 and there are no contexts to
 * ask for. The runtime compiler takes any text and gives back one byte of code.
 */
#include "emulate/emulate.h"
#include "emulate/hip_names.h"

/* Device 0 unless the thread chose another; no devices, no device. */
static int choose(void)
{
    uint32_t index;
    const int result = emulated_start();
    if (result == EMULATED_OK && !emulated_current(&index)) {
        emulated_set_current(true, 0);
    }
    return result;
}

int hipInit(unsigned flags)
{
    return cuInit(flags);
}

int hipDriverGetVersion(int *version)
{
    enum { VERSION = 70000000 }; /* 7.0, as major * 10^7 + minor * 10^5 + patch */
    *version = VERSION;
    return EMULATED_OK;
}

int hipGetDeviceCount(int *count)
{
    const int result = emulated_start();
    *count = (int)emulated_count();
    return result;
}

int hipDeviceGet(int *device, int ordinal)
{
    return cuDeviceGet(device, ordinal);
}

int hipDeviceGetName(char *name, int length, int device)
{
    return cuDeviceGetName(name, length, device);
}

int hipDeviceTotalMem(size_t *bytes, int device)
{
    return cuDeviceTotalMem_v2(bytes, device);
}

int hipSetDevice(int device)
{
    const int result = emulated_start();
    if (result != EMULATED_OK || device < 0 || emulated_device((uint32_t)device) == NULL) {
        return result != EMULATED_OK ? result : EMULATED_INVALID_DEVICE;
    }
    emulated_set_current(true, (uint32_t)device);
    return EMULATED_OK;
}

int hipGetDevice(int *device)
{
    const int result = choose();
    return result == EMULATED_OK ? cuCtxGetDevice(device) : result;
}

int hipDeviceSynchronize(void)
{
    const int result = choose();
    return result == EMULATED_OK ? cuCtxSynchronize() : result;
}

int hipMemGetInfo(size_t *free_bytes, size_t *total)
{
    const int result = choose();
    return result == EMULATED_OK ? cuMemGetInfo_v2(free_bytes, total) : result;
}

int hipMalloc(uint64_t *address, size_t bytes)
{
    const int result = choose();
    return result == EMULATED_OK ? cuMemAlloc_v2(address, bytes) : result;
}

int hipFree(uint64_t address)
{
    return cuMemFree_v2(address);
}

int hipMemGetAllocationGranularity(size_t *granule,
                                   const struct emulated_allocation_properties *properties,
                                   int option)
{
    return cuMemGetAllocationGranularity(granule, properties, option);
}

int hipMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wish,
                         uint64_t flags)
{
    return cuMemAddressReserve(address, bytes, alignment, wish, flags);
}

int hipMemAddressFree(uint64_t address, size_t bytes)
{
    return cuMemAddressFree(address, bytes);
}

int hipMemCreate(uint64_t *handle, size_t bytes,
                 const struct emulated_allocation_properties *properties, uint64_t flags)
{
    return cuMemCreate(handle, bytes, properties, flags);
}

int hipMemRelease(uint64_t handle)
{
    return cuMemRelease(handle);
}

int hipMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags)
{
    return cuMemMap(address, bytes, offset, handle, flags);
}

int hipMemUnmap(uint64_t address, size_t bytes)
{
    return cuMemUnmap(address, bytes);
}

int hipMemSetAccess(uint64_t address, size_t bytes, const struct emulated_access *access,
                    size_t count)
{
    return cuMemSetAccess(address, bytes, access, count);
}

int hipMemcpyHtoD(uint64_t to, const void *from, size_t bytes)
{
    return cuMemcpyHtoD_v2(to, from, bytes);
}

int hipMemcpyDtoH(void *to, uint64_t from, size_t bytes)
{
    return cuMemcpyDtoH_v2(to, from, bytes);
}

int hipMemsetD8(uint64_t to, uint8_t value, size_t count)
{
    return cuMemsetD8_v2(to, value, count);
}

int hipStreamSynchronize(uint64_t stream)
{
    const int result = choose();
    return result == EMULATED_OK ? cuStreamSynchronize(stream) : result;
}

int hipEventCreateWithFlags(uint64_t *event, unsigned flags)
{
    return cuEventCreate(event, flags);
}

int hipEventDestroy(uint64_t event)
{
    return cuEventDestroy_v2(event);
}

int hipEventRecord(uint64_t event, uint64_t stream)
{
    const int result = choose();
    return result == EMULATED_OK ? cuEventRecord(event, stream) : result;
}

int hipEventQuery(uint64_t event)
{
    return cuEventQuery(event);
}

int hipEventSynchronize(uint64_t event)
{
    return cuEventSynchronize(event);
}

int hipModuleLoadData(void **module, const void *image)
{
    const int result = choose();
    return result == EMULATED_OK ? cuModuleLoadData(module, image) : result;
}

int hipModuleUnload(void *module)
{
    return cuModuleUnload(module);
}

int hipModuleGetFunction(void **function, void *module, const char *name)
{
    return cuModuleGetFunction(function, module, name);
}

/* NOLINTNEXTLINE(readability-function-size): the vendor's parameters */
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, uint64_t stream, void **parameters, void **extra)
{
    const int result = choose();
    return result == EMULATED_OK
               ? cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                shared_bytes, stream, parameters, extra)
               : result;
}

static char compiled;

int hiprtcCreateProgram(void **program, const char *source, const char *name, int headers,
                        const char **texts, const char **names)
{
    (void)name;
    (void)headers;
    (void)texts;
    (void)names;
    *program = &compiled;
    return source != NULL ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

int hiprtcCompileProgram(void *program, int count, const char **options)
{
    (void)count;
    (void)options;
    return program == &compiled ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

int hiprtcGetCodeSize(void *program, size_t *bytes)
{
    *bytes = 1;
    return program == &compiled ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

int hiprtcGetCode(void *program, char *code)
{
    code[0] = 0;
    return program == &compiled ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

int hiprtcDestroyProgram(void **program)
{
    *program = NULL;
    return EMULATED_OK;
}

const char *hipGetErrorName(int result)
{
    const char *const name = emulated_result_name(result, true);
    return name != NULL ? name : "hipErrorUnknown";
}

const char *hipGetErrorString(int result)
{
    const char *const text = emulated_result_sentence(result);
    return text != NULL ? text : "unknown error";
}
