/*
 * CUDA's driver API names over the emulated devices. A context is the primary one of its device, a
 * module or function is any pointer that is not NULL. cuEventElapsedTime says 0: an emulated card
 * has no clock.
 */
#include <stdio.h>
#include <string.h>

#include "emulate/cuda_names.h"
#include "emulate/emulate.h"

enum { DRIVER_VERSION = 13000 };

static struct emulated_device *context_of(uint32_t *index)
{
    return emulated_current(index) ? emulated_device(*index) : NULL;
}

static struct emulated_device *device_of(int device)
{
    return device < 0 ? NULL : emulated_device((uint32_t)device);
}

const char *zirve_emulated(void)
{
    return emulated_start() == EMULATED_OK ? "zirve-emulate " ZV_VERSION : emulated_problem();
}

int cuInit(unsigned flags)
{
    return flags != 0 ? EMULATED_INVALID_VALUE : emulated_start();
}

int cuDriverGetVersion(int *version)
{
    *version = DRIVER_VERSION;
    return EMULATED_OK;
}

int cuDeviceGetCount(int *count)
{
    *count = (int)emulated_count();
    return *count != 0 ? EMULATED_OK : EMULATED_NOT_INITIALIZED;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return device_of(ordinal) != NULL ? EMULATED_OK : EMULATED_INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int length, int device)
{
    const struct emulated_device *const found = device_of(device);
    if (found == NULL || length <= 0) {
        return found == NULL ? EMULATED_INVALID_DEVICE : EMULATED_INVALID_VALUE;
    }
    (void)snprintf(name, (size_t)length, "%s", found->card.name);
    return EMULATED_OK;
}

int cuDeviceGetUuid(uint8_t uuid[16], int device)
{
    if (device_of(device) == NULL) {
        return EMULATED_INVALID_DEVICE;
    }
    memcpy(uuid, "zirve emulated ", 15);
    uuid[15] = (uint8_t)device;
    return EMULATED_OK;
}

int cuDeviceGetUuid_v2(uint8_t uuid[16], int device)
{
    return cuDeviceGetUuid(uuid, device);
}

int cuDeviceGetPCIBusId(char *id, int length, int device)
{
    if (device_of(device) == NULL || length <= 0) {
        return EMULATED_INVALID_DEVICE;
    }
    (void)snprintf(id, (size_t)length, "0000:%02X:00.0", (unsigned)device + 1);
    return EMULATED_OK;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    const struct emulated_device *const found = device_of(device);
    *bytes = found != NULL ? found->card.total_bytes : 0;
    return found != NULL ? EMULATED_OK : EMULATED_INVALID_DEVICE;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    struct emulated_device *const found = device_of(device);
    if (found == NULL) {
        return EMULATED_INVALID_DEVICE;
    }
    emulated_lock();
    const int result = emulated_enter(found, EMULATED_FAULT_LOST);
    found->retained += result == EMULATED_OK;
    emulated_unlock();
    *context = found;
    return result;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    struct emulated_device *const found = device_of(device);
    if (found == NULL) {
        return EMULATED_INVALID_DEVICE;
    }
    emulated_lock();
    const bool was_retained = found->retained != 0;
    found->retained -= was_retained;
    emulated_unlock();
    return was_retained ? EMULATED_OK : EMULATED_INVALID_CONTEXT;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    const struct emulated_device *const found = device_of(device);
    if (found == NULL) {
        return EMULATED_INVALID_DEVICE;
    }
    *flags = 0;
    emulated_lock();
    *active = found->retained != 0;
    emulated_unlock();
    return EMULATED_OK;
}

int cuCtxGetCurrent(void **context)
{
    uint32_t index;
    *context = context_of(&index);
    return EMULATED_OK;
}

int cuCtxSetCurrent(void *context)
{
    for (uint32_t i = 0; i < emulated_count(); i++) {
        if (emulated_device(i) == context) {
            emulated_set_current(true, i);
            return EMULATED_OK;
        }
    }
    emulated_set_current(false, 0);
    return context == NULL ? EMULATED_OK : EMULATED_INVALID_CONTEXT;
}

int cuCtxGetDevice(int *device)
{
    uint32_t index;
    if (context_of(&index) == NULL) {
        return EMULATED_INVALID_CONTEXT;
    }
    *device = (int)index;
    return EMULATED_OK;
}

int cuCtxSynchronize(void)
{
    uint32_t index;
    return context_of(&index) != NULL ? emulated_device_wait(index) : EMULATED_INVALID_CONTEXT;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    uint32_t index;
    if (context_of(&index) == NULL) {
        return EMULATED_INVALID_CONTEXT;
    }
    uint64_t bytes = 0;
    uint64_t all = 0;
    const int result = emulated_memory_info(index, &bytes, &all);
    *free_bytes = bytes;
    *total = all;
    return result;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    uint32_t index;
    return context_of(&index) != NULL ? emulated_allocate(index, bytes, address)
                                      : EMULATED_INVALID_CONTEXT;
}

int cuMemFree_v2(uint64_t address)
{
    return emulated_free(address);
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
    uint32_t index;
    uint64_t start = 0;
    uint64_t size = 0;
    const int result = emulated_find(address, &index, &start, &size);
    if (result == EMULATED_OK && base != NULL) {
        *base = start;
    }
    if (result == EMULATED_OK && bytes != NULL) {
        *bytes = size;
    }
    return result;
}

int cuMemGetAllocationGranularity(size_t *granule,
                                  const struct emulated_allocation_properties *properties,
                                  int option)
{
    const struct emulated_device *const found =
        option == 0 || option == 1 ? device_of(properties->location.id) : NULL;
    if (found == NULL || !found->card.has_vmm) {
        return found == NULL ? EMULATED_INVALID_VALUE : EMULATED_NOT_SUPPORTED;
    }
    *granule = ZV_SIMCARD_GRANULE;
    return EMULATED_OK;
}

int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wish,
                        uint64_t flags)
{
    uint32_t index;
    (void)wish; /* a hint */
    if (flags != 0 || alignment > ZV_SIMCARD_GRANULE) {
        return EMULATED_INVALID_VALUE;
    }
    (void)emulated_current(&index); /* addresses are of no device: 0 without a context */
    return emulated_reserve(index, bytes, address);
}

int cuMemAddressFree(uint64_t address, size_t bytes)
{
    return emulated_unreserve(address, bytes);
}

int cuMemCreate(uint64_t *handle, size_t bytes,
                const struct emulated_allocation_properties *properties, uint64_t flags)
{
    if (properties == NULL || properties->type != 1 || properties->location.type != 1 ||
        properties->location.id < 0 || flags != 0) {
        return EMULATED_INVALID_VALUE;
    }
    return emulated_create((uint32_t)properties->location.id, bytes, handle);
}

int cuMemRelease(uint64_t handle)
{
    return emulated_release(handle);
}

int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags)
{
    return flags != 0 ? EMULATED_INVALID_VALUE : emulated_map(address, bytes, offset, handle);
}

int cuMemUnmap(uint64_t address, size_t bytes)
{
    return emulated_unmap(address, bytes);
}

int cuMemSetAccess(uint64_t address, size_t bytes, const struct emulated_access *access,
                   size_t count)
{
    return access == NULL || count == 0 || access->flags != 3 ? EMULATED_INVALID_VALUE
                                                              : emulated_set_access(address, bytes);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return from == NULL ? EMULATED_INVALID_VALUE : emulated_touch(to, bytes);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    const int result = emulated_touch(from, bytes);
    if (result == EMULATED_OK) {
        memset(to, 0, bytes);
    }
    return result;
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    const int result = emulated_touch(from, bytes);
    return result == EMULATED_OK ? emulated_touch(to, bytes) : result;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, uint64_t stream)
{
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, uint64_t stream)
{
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, bytes);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, uint64_t stream)
{
    (void)stream;
    return cuMemcpyDtoD_v2(to, from, bytes);
}

int cuMemsetD8_v2(uint64_t to, uint8_t value, size_t count)
{
    (void)value;
    return emulated_touch(to, count);
}

int cuMemsetD8Async(uint64_t to, uint8_t value, size_t count, uint64_t stream)
{
    (void)stream;
    return cuMemsetD8_v2(to, value, count);
}

int cuMemsetD32_v2(uint64_t to, uint32_t value, size_t count)
{
    (void)value;
    return count > SIZE_MAX / 4 ? EMULATED_INVALID_VALUE : emulated_touch(to, count * 4);
}

int cuMemsetD32Async(uint64_t to, uint32_t value, size_t count, uint64_t stream)
{
    (void)stream;
    return cuMemsetD32_v2(to, value, count);
}
