/* Opening a driver's library and one of its devices. */
#include <stdio.h>
#include <string.h>

#include "allocator/device_calls.h"
#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/slice.h"

static const struct zv_library_symbol symbols[2][DEVICE_CALL_COUNT] = {
    {
#define DEVICE_CALL_ROW(field, cuda, hip, needed, parameters)                                      \
    ZV_LIBRARY_SYMBOL(struct device_calls, field, cuda, needed),
        DEVICE_CALL_LIST(DEVICE_CALL_ROW)
#undef DEVICE_CALL_ROW
    },
    {
#define DEVICE_CALL_ROW(field, cuda, hip, needed, parameters)                                      \
    ZV_LIBRARY_SYMBOL(struct device_calls, field, hip, needed),
        DEVICE_CALL_LIST(DEVICE_CALL_ROW)
#undef DEVICE_CALL_ROW
    }};

/* Libraries by backend, in the order they are tried. */
static const char *const libraries[2][5] = {
    {"libcuda.so.1", NULL},
    {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL},
};

/* The first needed name that is missing, or NULL. */
static const char *load_all(struct zv_device *device)
{
    (void)zv_library_find(
        device->library, device->is_hip ? "hipGetErrorString" : "cuGetErrorString",
        device->is_hip ? (void *)&device->calls.error_name : (void *)&device->calls.error_text);
    return zv_library_load(device->library, symbols[device->is_hip], DEVICE_CALL_COUNT,
                           &device->calls);
}

static const char *text_of(const struct zv_device *device, int result)
{
    const char *text = NULL;
    if (device->calls.error_name != NULL) {
        text = device->calls.error_name(result);
    } else if (device->calls.error_text != NULL && device->calls.error_text(result, &text) != 0) {
        text = NULL;
    }
    return text != NULL ? text : "no text for it";
}

bool device_check(struct zv_device *device, enum device_call call, int result)
{
    if (result == DEVICE_SUCCESS) {
        return true;
    }
    (void)zv_fail(&device->failure, ZV_E_DEVICE, "%s says %d, %s",
                  symbols[device->is_hip][call].name, result, text_of(device, result));
    return false;
}

enum zv_status device_failure(const struct zv_device *device, struct zv_error *err)
{
    return device->failure.status == ZV_OK
               ? ZV_OK
               : zv_fail(err, device->failure.status, "%s", device->failure.text);
}

bool device_bind(struct zv_device *device)
{
    return device->is_hip ? device_check(device, DEVICE_CALL_set_device,
                                         device->calls.set_device((int)device->facts.index))
                          : device_check(device, DEVICE_CALL_set_context,
                                         device->calls.set_context(device->context));
}

/* "cuda:0" */
static enum zv_status read_name(struct zv_device *device, const char *name, struct zv_error *err)
{
    struct zv_slice number = zv_slice_of(name);
    const struct zv_slice backend = zv_slice_cut(&number, ':');
    uint64_t index = 0;
    device->is_hip = zv_slice_equal(backend, "hip");
    device->facts.backend = device->is_hip ? "HIP" : "CUDA";
    if ((!device->is_hip && !zv_slice_equal(backend, "cuda")) || !zv_slice_u64(number, &index) ||
        index > INT32_MAX) {
        return zv_fail(err, ZV_E_USAGE, "device '%s': expected cuda:N or hip:N, such as cuda:0",
                       name);
    }
    device->facts.index = (uint32_t)index;
    return ZV_OK;
}

/* Whether the library of the other backend is there, for a word about it. */
static bool is_other_there(const struct zv_device *device)
{
    void *const other = zv_library_open(libraries[!device->is_hip][0]);
    if (other != NULL) {
        zv_library_close(other);
    }
    return other != NULL;
}

static enum zv_status open_library(struct zv_device *device, const char *path, struct zv_error *err)
{
    const char *tried = path;
    device->library = path != NULL ? zv_library_open(path)
                                   : zv_library_open_any(libraries[device->is_hip], &tried);
    if (device->library == NULL) {
        return zv_fail(err, ZV_E_DEVICE, "no usable GPU: %.200s is not there%s", tried,
                       path != NULL || !is_other_there(device) ? ""
                       : device->is_hip                        ? "; libcuda.so.1 is: cuda:0"
                                                               : "; libamdhip64.so is: hip:0");
    }
    const char *const emulated_by = zv_library_emulated(device->library);
    if (emulated_by != NULL) {
        device->facts.is_emulated = true;
        (void)snprintf(device->facts.emulated_by, sizeof device->facts.emulated_by, "%s",
                       emulated_by);
    }
    const char *const missing = load_all(device);
    return missing == NULL
               ? ZV_OK
               : zv_fail(err, ZV_E_DEVICE, "no usable GPU: %.200s has no %s", tried, missing);
}

static enum zv_status find_device(struct zv_device *device, struct zv_error *err)
{
    const struct device_calls *const calls = &device->calls;
    int count = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): load_all has found it */
    int result = calls->init(0);
    if (result != DEVICE_SUCCESS) {
        return zv_fail(err, ZV_E_DEVICE, "no usable GPU: %s says %d, %s%s%s",
                       symbols[device->is_hip][DEVICE_CALL_init].name, result,
                       text_of(device, result), device->facts.is_emulated ? ": " : "",
                       device->facts.emulated_by);
    }
    result = calls->count(&count);
    if (result != DEVICE_SUCCESS || device->facts.index >= (uint32_t)(count > 0 ? count : 0)) {
        return zv_fail(err, ZV_E_DEVICE, "no usable GPU %u: the %s driver has %d",
                       device->facts.index, device->facts.backend, count);
    }
    const int index = (int)device->facts.index;
    if (!device_check(device, DEVICE_CALL_get, calls->get(&device->ordinal, index))) {
        return device_failure(device, err);
    }
    if (!device->is_hip) {
        if (!device_check(device, DEVICE_CALL_retain,
                          calls->retain(&device->context, device->ordinal))) {
            return device_failure(device, err);
        }
        device->is_retained = true;
    }
    return device_bind(device) ? ZV_OK : device_failure(device, err);
}

static bool has_vmm(struct zv_device *device)
{
    const struct device_calls *const calls = &device->calls;
    const struct device_memory_properties properties = {
        .type = DEVICE_PINNED, .location = {DEVICE_LOCATION, (int)device->facts.index}};
    size_t granule = 0;
    int has = 1;
    if (calls->granularity == NULL || calls->reserve == NULL || calls->unreserve == NULL ||
        calls->create == NULL || calls->drop == NULL || calls->map == NULL ||
        calls->unmap == NULL || calls->set_access == NULL) {
        return false;
    }
    if (!device->is_hip &&
        calls->attribute(&has, DEVICE_HAS_VMM, device->ordinal) != DEVICE_SUCCESS) {
        return false;
    }
    /* pages of the allocator are 2 MiB and multiples of it */
    return has != 0 && calls->granularity(&granule, &properties, 0) == DEVICE_SUCCESS &&
           granule != 0 && (UINT64_C(2) << 20) % granule == 0;
}

static enum zv_status read_facts(struct zv_device *device, struct zv_error *err)
{
    const struct device_calls *const calls = &device->calls;
    struct zv_device_facts *const facts = &device->facts;
    size_t total = 0;
    int major = 0;
    int minor = 0;
    if (calls->name == NULL ||
        calls->name(facts->name, ZV_DEVICE_NAME, device->ordinal) != DEVICE_SUCCESS) {
        facts->name[0] = 0;
    }
    facts->name[ZV_DEVICE_NAME - 1] = 0;
    (void)calls->version(&facts->driver_version);
    if (!device_check(device, DEVICE_CALL_total, calls->total(&total, device->ordinal))) {
        return device_failure(device, err);
    }
    facts->total_bytes = total;
    if (!device->is_hip &&
        calls->attribute(&major, DEVICE_COMPUTE_MAJOR, device->ordinal) == DEVICE_SUCCESS &&
        calls->attribute(&minor, DEVICE_COMPUTE_MINOR, device->ordinal) == DEVICE_SUCCESS) {
        facts->compute_major = (uint32_t)major;
        facts->compute_minor = (uint32_t)minor;
    }
    facts->has_vmm = has_vmm(device);
    return zv_device_memory(device, &facts->free_bytes, &facts->memory_bytes, err);
}

enum zv_status zv_device_open(struct zv_device **to, const struct zv_device_options *options,
                              struct zv_error *err)
{
    *to = NULL;
    struct zv_device *const device = zv_memory_alloc(sizeof *device);
    if (device == NULL) {
        return zv_fail_memory(err, "a device");
    }
    *device = (struct zv_device){.compiler = options->compiler};
    enum zv_status status = read_name(device, options->name, err);
    if (status == ZV_OK) {
        status = open_library(device, options->library, err);
    }
    if (status == ZV_OK) {
        status = find_device(device, err);
    }
    if (status == ZV_OK) {
        status = read_facts(device, err);
    }
    if (status != ZV_OK) {
        zv_device_close(device);
        return status;
    }
    *to = device;
    return ZV_OK;
}

void zv_device_close(struct zv_device *device)
{
    if (device == NULL) {
        return;
    }
    for (uint32_t i = 0; i < device->event_count; i++) {
        (void)device->calls.event_destroy(device->events[i].handle);
    }
    zv_memory_free(device->events);
    if (device->is_retained) {
        (void)device->calls.give_up(device->ordinal);
    }
    if (device->library != NULL && device->facts.is_emulated) {
        zv_library_close(device->library); /* a real driver has threads of its own: it stays */
    }
    zv_memory_free(device);
}

const struct zv_device_facts *zv_device_facts(const struct zv_device *device)
{
    return &device->facts;
}
