/* NVIDIA: libnvidia-ml.so.1. Names and layouts are those of the NVML API reference. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "probe/probe_vendor.h"

typedef void *nvml_device;

struct nvml_memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

/* version = size | 2 << 24; reserved is what the driver keeps for itself. */
struct nvml_memory_v2 {
    unsigned int version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;
};

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned int *count);
    int (*handle)(unsigned int index, nvml_device *device);
    int (*name)(nvml_device device, char *name, unsigned int length);
    int (*memory)(nvml_device device, struct nvml_memory *memory);
    int (*memory_v2)(nvml_device device, struct nvml_memory_v2 *memory);
    const char *(*error)(int result);
};

/* A function by name; ISO C has no cast from an object pointer to it. */
static bool load(void *library, const char *name, void *function, size_t size)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* The first name that is missing, or NULL. Either memory call will do. */
static const char *load_all(void *library, struct nvml *nvml)
{
    *nvml = (struct nvml){0};
    (void)load(library, "nvmlShutdown", &nvml->shutdown, sizeof nvml->shutdown);
    (void)load(library, "nvmlErrorString", &nvml->error, sizeof nvml->error);
    (void)load(library, "nvmlDeviceGetName", &nvml->name, sizeof nvml->name);
    (void)load(library, "nvmlDeviceGetCount_v2", &nvml->count, sizeof nvml->count);
    (void)load(library, "nvmlDeviceGetMemoryInfo_v2", &nvml->memory_v2, sizeof nvml->memory_v2);
    if (!load(library, "nvmlInit_v2", &nvml->init, sizeof nvml->init)) {
        return "nvmlInit_v2";
    }
    if (!load(library, "nvmlDeviceGetHandleByIndex_v2", &nvml->handle, sizeof nvml->handle)) {
        return "nvmlDeviceGetHandleByIndex_v2";
    }
    return load(library, "nvmlDeviceGetMemoryInfo", &nvml->memory, sizeof nvml->memory) ||
                   nvml->memory_v2 != NULL
               ? NULL
               : "nvmlDeviceGetMemoryInfo";
}

static void explain(char why[PROBE_WHY], const struct nvml *nvml, const char *call, int result)
{
    const char *const text = nvml->error != NULL ? nvml->error(result) : NULL;
    (void)snprintf(why, PROBE_WHY, "%s says %d%s%.80s", call, result, text != NULL ? ", " : "",
                   text != NULL ? text : "");
}

static int read_memory(struct zv_device_memory *memory, const struct nvml *nvml, nvml_device device)
{
    struct nvml_memory_v2 second = {.version = (unsigned int)sizeof second | 2U << 24};
    struct nvml_memory first = {0};
    if (nvml->memory_v2 != NULL && nvml->memory_v2(device, &second) == 0) {
        memory->total_bytes = second.total;
        memory->used_bytes = second.used;
        return 0;
    }
    if (nvml->memory == NULL) {
        return -1;
    }
    const int result = nvml->memory(device, &first);
    memory->total_bytes = first.total;
    memory->used_bytes = first.used;
    memory->used_counts_reserved = true;
    return result;
}

/* Between init and shutdown. */
static bool read_device(struct zv_device_memory *memory, const struct nvml *nvml, uint32_t index,
                        uint32_t *devices, char why[PROBE_WHY])
{
    nvml_device device = NULL;
    unsigned int count = 0;
    if (nvml->count != NULL && nvml->count(&count) == 0) {
        *devices = count;
    }
    int result = nvml->handle(index, &device);
    if (result != 0) {
        explain(why, nvml, "nvmlDeviceGetHandleByIndex_v2", result);
        return false;
    }
    result = read_memory(memory, nvml, device);
    if (result != 0) {
        explain(why, nvml, "nvmlDeviceGetMemoryInfo", result);
        return false;
    }
    if (nvml->name == NULL || nvml->name(device, memory->name, PROBE_NAME) != 0) {
        memory->name[0] = 0;
    }
    memory->name[PROBE_NAME - 1] = 0;
    memory->source = "NVML";
    return true;
}

bool probe_nvml(struct zv_device_memory *memory, uint32_t index, const char *library,
                uint32_t *devices, char why[PROBE_WHY])
{
    struct nvml nvml;
    bool found = false;
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        (void)snprintf(why, PROBE_WHY, "%.120s is not there", library);
        return false;
    }
    const char *const missing = load_all(handle, &nvml);
    const int result = missing == NULL ? nvml.init() : 0;
    if (missing != NULL) {
        (void)snprintf(why, PROBE_WHY, "%.120s has no %s", library, missing);
    } else if (result != 0) {
        explain(why, &nvml, "nvmlInit_v2", result);
    } else {
        found = read_device(memory, &nvml, index, devices, why);
        if (nvml.shutdown != NULL) {
            (void)nvml.shutdown();
        }
    }
    (void)dlclose(handle);
    return found;
}
