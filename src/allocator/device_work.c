/* Waiting, reading levels, and bytes between host and device. */
#include "allocator/device_calls.h"

enum zv_status zv_device_synchronise(struct zv_device *device, struct zv_error *err)
{
    (void)(device_bind(device) &&
           device_check(device, DEVICE_CALL_synchronise, device->calls.synchronise()));
    return device_failure(device, err); /* of a call that had no way to say so, too */
}

enum zv_status zv_device_memory(struct zv_device *device, uint64_t *free_bytes,
                                uint64_t *total_bytes, struct zv_error *err)
{
    size_t bytes = 0;
    size_t total = 0;
    if (!device_bind(device) ||
        !device_check(device, DEVICE_CALL_memory_info, device->calls.memory_info(&bytes, &total))) {
        return device_failure(device, err);
    }
    *free_bytes = bytes;
    *total_bytes = total;
    return ZV_OK;
}

enum zv_status device_copy_in(struct zv_device *device, uint64_t to, const void *from,
                              uint64_t bytes, struct zv_error *err)
{
    return device_bind(device) &&
                   device_check(device, DEVICE_CALL_copy_in, device->calls.copy_in(to, from, bytes))
               ? ZV_OK
               : device_failure(device, err);
}

enum zv_status device_copy_out(struct zv_device *device, void *to, uint64_t from, uint64_t bytes,
                               struct zv_error *err)
{
    return device_bind(device) && device_check(device, DEVICE_CALL_copy_out,
                                               device->calls.copy_out(to, from, bytes))
               ? ZV_OK
               : device_failure(device, err);
}

enum zv_status device_zero(struct zv_device *device, uint64_t to, uint64_t bytes,
                           struct zv_error *err)
{
    return device_bind(device) &&
                   device_check(device, DEVICE_CALL_fill, device->calls.fill(to, 0, bytes))
               ? ZV_OK
               : device_failure(device, err);
}
