/*
 * A device as an allocator's driver. Pages are created, mapped and given up at once: the mapping
 * alone keeps them, so nothing but the address is needed to give them back (cuMemRelease: memory is
 * freed when it is mapped nowhere any more).
 */
#include "allocator/device_calls.h"
#include "base/fail.h"
#include "base/memory.h"

/* No room on the card is an answer; anything else is kept as a failure. */
static bool got(struct zv_device *device, enum device_call call, int result)
{
    return result == DEVICE_SUCCESS ||
           (result != DEVICE_OUT_OF_MEMORY && device_check(device, call, result));
}

static uint64_t driver_allocate(void *context, uint64_t size_bytes)
{
    struct zv_device *const device = context;
    uint64_t address = 0;
    return device_bind(device) &&
                   got(device, DEVICE_CALL_allocate, device->calls.allocate(&address, size_bytes))
               ? address
               : 0;
}

static void driver_release(void *context, uint64_t address)
{
    struct zv_device *const device = context;
    if (device_bind(device)) {
        (void)device_check(device, DEVICE_CALL_release, device->calls.release(address));
    }
}

static uint64_t driver_reserve(void *context, uint64_t size_bytes)
{
    struct zv_device *const device = context;
    uint64_t address = 0;
    return device_bind(device) && got(device, DEVICE_CALL_reserve,
                                      device->calls.reserve(&address, size_bytes, 0, 0, 0))
               ? address
               : 0;
}

static void driver_unreserve(void *context, uint64_t address, uint64_t size_bytes)
{
    struct zv_device *const device = context;
    if (device_bind(device)) {
        (void)device_check(device, DEVICE_CALL_unreserve,
                           device->calls.unreserve(address, size_bytes));
    }
}

static bool map_page(struct zv_device *device, uint64_t address, uint64_t page_bytes)
{
    const struct device_calls *const calls = &device->calls;
    const struct device_memory_properties properties = {
        .type = DEVICE_PINNED, .location = {DEVICE_LOCATION, (int)device->facts.index}};
    uint64_t handle = 0;
    if (!got(device, DEVICE_CALL_create, calls->create(&handle, page_bytes, &properties, 0))) {
        return false;
    }
    const bool is_mapped =
        got(device, DEVICE_CALL_map, calls->map(address, page_bytes, 0, handle, 0));
    (void)device_check(device, DEVICE_CALL_drop, calls->drop(handle));
    return is_mapped;
}

static void unmap_pages(struct zv_device *device, uint64_t address, uint64_t page_bytes,
                        uint64_t pages)
{
    for (uint64_t i = 0; i < pages; i++) {
        (void)device_check(device, DEVICE_CALL_unmap,
                           device->calls.unmap(address + i * page_bytes, page_bytes));
    }
}

static bool driver_map(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages)
{
    struct zv_device *const device = context;
    const struct device_access access = {{DEVICE_LOCATION, (int)device->facts.index},
                                         DEVICE_READ_WRITE};
    uint64_t done = 0;
    if (!device_bind(device)) {
        return false;
    }
    while (done < pages && map_page(device, address + done * page_bytes, page_bytes)) {
        done++;
    }
    if (done == pages && got(device, DEVICE_CALL_set_access,
                             device->calls.set_access(address, pages * page_bytes, &access, 1))) {
        return true;
    }
    unmap_pages(device, address, page_bytes, done);
    return false;
}

static void driver_unmap(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages,
                         uint64_t stream)
{
    struct zv_device *const device = context;
    if (device_bind(device) &&
        device_check(device, DEVICE_CALL_stream_wait, device->calls.stream_wait(stream))) {
        unmap_pages(device, address, page_bytes, pages);
    }
}

/* A failure leaves nothing free, and is kept. */
static void driver_memory_info(void *context, uint64_t *free_bytes, uint64_t *total_bytes)
{
    *free_bytes = 0;
    *total_bytes = 0;
    (void)zv_device_memory(context, free_bytes, total_bytes, NULL);
}

/* A place for an event, made when all are pending; NULL when that fails. */
static struct device_event *free_event(struct zv_device *device)
{
    for (uint32_t i = 0; i < device->event_count; i++) {
        if (!device->events[i].is_pending) {
            return &device->events[i];
        }
    }
    struct device_event *const grown =
        device->event_count == UINT32_MAX / 16
            ? NULL
            : zv_memory_resize(device->events, (device->event_count + 1) * sizeof *grown);
    if (grown == NULL) {
        (void)zv_fail_memory(&device->failure, "an event");
        return NULL;
    }
    device->events = grown;
    struct device_event *const event = &grown[device->event_count];
    *event = (struct device_event){0};
    if (!device_check(device, DEVICE_CALL_event_create,
                      device->calls.event_create(&event->handle, DEVICE_NO_TIMING))) {
        return NULL;
    }
    device->event_count++;
    return event;
}

/* 0 after a failure; is_done says true of it, and the failure ends the request. */
static uint64_t driver_record(void *context, uint64_t stream)
{
    struct zv_device *const device = context;
    struct device_event *const event = device_bind(device) ? free_event(device) : NULL;
    if (event == NULL || !device_check(device, DEVICE_CALL_event_record,
                                       device->calls.event_record(event->handle, stream))) {
        return 0;
    }
    event->is_pending = true;
    event->generation++;
    return (uint64_t)event->generation << 32 | (uint64_t)(event - device->events + 1);
}

/* The event of a number as long as it is pending. */
static struct device_event *pending(struct zv_device *device, uint64_t number)
{
    const uint32_t place = (uint32_t)number;
    struct device_event *const event =
        place != 0 && place <= device->event_count ? &device->events[place - 1] : NULL;
    return event != NULL && event->is_pending && event->generation == number >> 32 ? event : NULL;
}

static bool driver_is_done(void *context, uint64_t stream, uint64_t number)
{
    struct zv_device *const device = context;
    struct device_event *const event = pending(device, number);
    (void)stream;
    if (event == NULL || !device_bind(device)) {
        return true;
    }
    const int result = device->calls.event_query(event->handle);
    if (result == DEVICE_NOT_READY) {
        return false;
    }
    (void)device_check(device, DEVICE_CALL_event_query, result);
    event->is_pending = false;
    return true;
}

static void driver_wait(void *context, uint64_t stream, uint64_t number)
{
    struct zv_device *const device = context;
    struct device_event *const event = pending(device, number);
    (void)stream;
    if (event != NULL && device_bind(device)) {
        (void)device_check(device, DEVICE_CALL_event_wait, device->calls.event_wait(event->handle));
        event->is_pending = false;
    }
}

static enum zv_status driver_failure(void *context, struct zv_error *err)
{
    return device_failure(context, err);
}

void zv_device_driver(struct zv_device *device, struct zv_driver *to)
{
    const bool has_vmm = device->facts.has_vmm;
    *to = (struct zv_driver){.context = device,
                             .allocate = driver_allocate,
                             .release = driver_release,
                             .reserve = has_vmm ? driver_reserve : NULL,
                             .unreserve = has_vmm ? driver_unreserve : NULL,
                             .map = has_vmm ? driver_map : NULL,
                             .unmap = has_vmm ? driver_unmap : NULL,
                             .memory_info = driver_memory_info,
                             .record = driver_record,
                             .is_done = driver_is_done,
                             .wait = driver_wait,
                             .failure = driver_failure};
}
