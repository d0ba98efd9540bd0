/* Opening a driver's library and one of its devices. */
#include <stdio.h>
#include <string.h>

#include "allocator/device_calls.h"
#include "base/device_name.h"
#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/slice.h"

enum { LIBRARY_PATH = 4096 };

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

/* A library by its name, in the folder if there is one. */
static void *open_known(const char *name, const char *folder)
{
    char path[LIBRARY_PATH];
    if (folder == NULL) {
        return zv_library_open(name);
    }
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < LIBRARY_PATH ? zv_library_open(path) : NULL;
}

/* Whether the library of the other backend is there, for a word about it. */
static bool is_other_there(const struct zv_device *device, const char *folder)
{
    void *const other = open_known(libraries[!device->is_hip][0], folder);
    if (other != NULL) {
        zv_library_close(other);
    }
    return other != NULL;
}

static enum zv_status open_library(struct zv_device *device,
                                   const struct zv_device_options *options, struct zv_error *err)
{
    const char *const *const known = libraries[device->is_hip];
    const char *const path = options->library;
    const char *const tried = path != NULL ? path : known[0];
    if (path != NULL) {
        device->library = zv_library_open(path);
    }
    for (size_t i = 0; path == NULL && known[i] != NULL && device->library == NULL; i++) {
        device->library = open_known(known[i], options->folder);
    }
    if (device->library == NULL) {
        const bool is_folder = path == NULL && options->folder != NULL;
        return zv_fail(err, ZV_E_DEVICE, "no usable GPU: %.200s%s%.200s is not there%s",
                       is_folder ? options->folder : "", is_folder ? "/" : "", tried,
                       path == NULL && device->is_hip && is_other_there(device, options->folder)
                           ? "; libcuda.so.1 is: cuda:0"
                           : "");
    }
    const char *const emulated_by = zv_library_emulated(device->library);
    if (emulated_by != NULL) {
        device->facts.is_emulated = true;
        (void)snprintf(device->facts.emulated_by, sizeof device->facts.emulated_by, "%s",
                       emulated_by);
    }
    const char *const missing = load_all(device);
    device->is_loaded = missing == NULL;
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
    device->is_found = true;
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

/* An emulated driver says which of its answers nobody gave it. */
static bool is_assumed(const struct zv_device *device, int attribute)
{
    int (*assumes)(int attribute, int device) = NULL;
    return zv_library_find(device->library, "zirve_emulated_assumes", &assumes) &&
           assumes(attribute, device->ordinal) != 0;
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
        facts->assumes_compute = is_assumed(device, DEVICE_COMPUTE_MAJOR);
    }
    facts->has_vmm = has_vmm(device);
    return zv_device_memory(device, &facts->free_bytes, &facts->memory_bytes, err);
}

static enum zv_status open_backend(struct zv_device **to, const struct zv_device_options *options,
                                   uint32_t index, bool is_hip, struct zv_error *err)
{
    struct zv_device *const device = zv_memory_alloc(sizeof *device);
    *to = device;
    if (device == NULL) {
        return zv_fail_memory(err, "a device");
    }
    *device = (struct zv_device){.compiler = options->compiler, .is_hip = is_hip};
    device->facts.backend = is_hip ? "HIP" : "CUDA";
    device->facts.index = index;
    enum zv_status status = open_library(device, options, err);
    if (status == ZV_OK) {
        status = find_device(device, err);
    }
    return status == ZV_OK ? read_facts(device, err) : status;
}

/*
 * CUDA has no device of that number: HIP's, if there is one. The error is CUDA's, unless CUDA's
 * library is not there and HIP's is.
 */
static enum zv_status open_other(struct zv_device **to, const struct zv_device_options *options,
                                 uint32_t index, struct zv_error *err)
{
    struct zv_device *other;
    struct zv_error second = {0};
    const enum zv_status status = open_backend(&other, options, index, true, &second);
    const bool is_better = other != NULL && other->is_loaded && !(*to)->is_loaded;
    if (status == ZV_OK || is_better) {
        zv_device_close(*to);
        *to = other;
        if (err != NULL) {
            *err = second;
        }
        return status;
    }
    if (err != NULL && options->library == NULL && !(*to)->is_loaded) {
        const struct zv_error first = *err;
        *err = (struct zv_error){0};
        (void)zv_fail(err, ZV_E_DEVICE, "%.400s, nor is %s", first.text, libraries[true][0]);
    }
    zv_device_close(other);
    return ZV_E_DEVICE;
}

enum zv_status zv_device_open(struct zv_device **to, const struct zv_device_options *options,
                              struct zv_error *err)
{
    struct zv_device_name name;
    *to = NULL;
    enum zv_status status = zv_device_name_read(&name, zv_slice_of(options->name), err);
    if (status != ZV_OK) {
        return status;
    }
    status = open_backend(to, options, name.index, name.is_hip, err);
    if (status == ZV_E_DEVICE && !name.is_hip && *to != NULL && !(*to)->is_found) {
        status = open_other(to, options, name.index, err);
    }
    if (status != ZV_OK) {
        zv_device_close(*to);
        *to = NULL;
    }
    return status;
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
