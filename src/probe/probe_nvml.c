/* NVIDIA's management library: devices and their memory. */
#include <string.h>

#include "probe/nvml.h"

enum { TEXT = 96 };

#define ROW(member, symbol, needed) ZV_LIBRARY_SYMBOL(struct nvml, member, symbol, needed)

static const struct zv_library_symbol symbols[] = {
    ROW(init, "nvmlInit_v2", true),
    ROW(shutdown, "nvmlShutdown", false),
    ROW(error, "nvmlErrorString", false),
    ROW(driver, "nvmlSystemGetDriverVersion", false),
    ROW(count, "nvmlDeviceGetCount_v2", false),
    ROW(handle, "nvmlDeviceGetHandleByIndex_v2", true),
    ROW(name, "nvmlDeviceGetName", false),
    ROW(uuid, "nvmlDeviceGetUUID", false),
    ROW(pci, "nvmlDeviceGetPciInfo_v3", false),
    ROW(pci_v2, "nvmlDeviceGetPciInfo_v2", false),
    ROW(capability, "nvmlDeviceGetCudaComputeCapability", false),
    ROW(memory, "nvmlDeviceGetMemoryInfo", false),
    ROW(memory_v2, "nvmlDeviceGetMemoryInfo_v2", false),
    ROW(mig_mode, "nvmlDeviceGetMigMode", false),
    ROW(mig_count, "nvmlDeviceGetMaxMigDeviceCount", false),
    ROW(mig_handle, "nvmlDeviceGetMigDeviceHandleByIndex", false),
    ROW(gpu_instance, "nvmlDeviceGetGpuInstanceId", false),
    ROW(compute_instance, "nvmlDeviceGetComputeInstanceId", false),
    ROW(compute[0], "nvmlDeviceGetComputeRunningProcesses_v3", false),
    ROW(compute[1], "nvmlDeviceGetComputeRunningProcesses_v2", false),
    ROW(compute[2], "nvmlDeviceGetComputeRunningProcesses", false),
    ROW(graphics[0], "nvmlDeviceGetGraphicsRunningProcesses_v3", false),
    ROW(graphics[1], "nvmlDeviceGetGraphicsRunningProcesses_v2", false),
    ROW(graphics[2], "nvmlDeviceGetGraphicsRunningProcesses", false),
    ROW(protected_memory, "nvmlDeviceGetConfComputeMemSizeInfo", false),
    ROW(process_detail, "nvmlDeviceGetRunningProcessDetailList", false),
};

static const char *words_of(const void *functions, int result)
{
    const struct nvml *const nvml = functions;
    return nvml->error != NULL ? nvml->error(result) : NULL;
}

static void take_memory_v2(struct zv_probed *readings, const struct nvml_memory_v2 *memory)
{
    static const char call[] = "nvmlDeviceGetMemoryInfo_v2";
    reading_take(&readings[ZV_PROBE_CAPACITY], memory->total, call);
    reading_take(&readings[ZV_PROBE_USED], memory->used, call);
    reading_take(&readings[ZV_PROBE_FREE], memory->free, call);
    reading_take(&readings[ZV_PROBE_RESERVED], memory->reserved, call);
}

bool nvml_read_memory(struct nvml_session *nvml, nvml_device device, struct zv_probed *readings)
{
    static const char call[] = "nvmlDeviceGetMemoryInfo";
    const struct nvml *const functions = &nvml->nvml;
    struct nvml_memory_v2 second = {.version = (unsigned int)sizeof second | 2U << 24};
    struct nvml_memory first = {0};
    int result =
        functions->memory_v2 != NULL ? functions->memory_v2(device, &second) : PROBE_ABSENT;
    const char *why = probe_library_says(&nvml->library, "nvmlDeviceGetMemoryInfo_v2", result);
    if (result == NVML_OK) {
        take_memory_v2(readings, &second);
        return false;
    }
    reading_miss(&readings[ZV_PROBE_RESERVED], why);
    if (functions->memory != NULL) {
        result = functions->memory(device, &first);
        why = probe_library_says(&nvml->library, call, result);
    }
    const uint64_t values[] = {first.total, first.used, first.free};
    static const enum zv_probe_reading at[] = {ZV_PROBE_CAPACITY, ZV_PROBE_USED, ZV_PROBE_FREE};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        if (result == NVML_OK) {
            reading_take(&readings[at[i]], values[i], call);
        } else {
            reading_miss(&readings[at[i]], why);
        }
    }
    return result == NVML_OK;
}

void nvml_read_words(struct nvml_session *nvml, nvml_device device, struct zv_probed_text *words)
{
    char name[TEXT] = "";
    char uuid[TEXT] = "";
    const struct nvml *const functions = &nvml->nvml;
    int result = functions->name != NULL ? functions->name(device, name, TEXT) : PROBE_ABSENT;
    name[TEXT - 1] = 0;
    probe_library_word(&nvml->library, &words[ZV_PROBE_MODEL], "nvmlDeviceGetName", result, name);
    result = functions->uuid != NULL ? functions->uuid(device, uuid, TEXT) : PROBE_ABSENT;
    uuid[TEXT - 1] = 0;
    probe_library_word(&nvml->library, &words[ZV_PROBE_UUID], "nvmlDeviceGetUUID", result, uuid);
}

static void read_address(struct nvml_session *nvml, nvml_device handle,
                         struct zv_probed_device *device)
{
    struct nvml_pci pci = {0};
    char address[BUS_ID_TEXT] = "";
    const bool newer = nvml->nvml.pci != NULL;
    const char *const call = newer ? "nvmlDeviceGetPciInfo_v3" : "nvmlDeviceGetPciInfo_v2";
    const int result = newer                       ? nvml->nvml.pci(handle, &pci)
                       : nvml->nvml.pci_v2 != NULL ? nvml->nvml.pci_v2(handle, &pci)
                                                   : PROBE_ABSENT;
    char *const text = newer ? pci.bus_id : pci.short_bus_id;
    text[newer ? sizeof pci.bus_id - 1 : sizeof pci.short_bus_id - 1] = 0;
    if (result == NVML_OK && !bus_id_normal(address, text)) {
        word_miss(&device->words[ZV_PROBE_BUS_ID],
                  probe_print(nvml->library.session, "%s says \"%s\"", call, text));
    }
    probe_library_word(&nvml->library, &device->words[ZV_PROBE_BUS_ID], call, result, address);
}

static void read_device(struct nvml_session *nvml, nvml_device handle,
                        struct zv_probed_device *device)
{
    int major = 0;
    int minor = 0;
    const struct nvml *const functions = &nvml->nvml;
    read_address(nvml, handle, device);
    nvml_read_words(nvml, handle, device->words);
    const int result = functions->capability != NULL ? functions->capability(handle, &major, &minor)
                                                     : PROBE_ABSENT;
    probe_library_word(&nvml->library, &device->words[ZV_PROBE_ARCHITECTURE],
                       "nvmlDeviceGetCudaComputeCapability", result,
                       probe_print(nvml->library.session, "%d.%d", major, minor));
    device->used_counts_reserved = nvml_read_memory(nvml, handle, device->readings);
    nvml_read_instances(nvml, handle, device);
    nvml_read_processes(nvml, handle, device);
}

/* A device whose handle is refused is there all the same, and every reading says why not. */
static void refuse_device(struct nvml_session *nvml, struct zv_probed_device *device, int result)
{
    const char *const why =
        probe_library_says(&nvml->library, "nvmlDeviceGetHandleByIndex_v2", result);
    for (size_t i = 0; i < ZV_PROBE_WORDS; i++) {
        word_miss(&device->words[i], why);
    }
    for (size_t i = 0; i < ZV_PROBE_READINGS; i++) {
        reading_miss(&device->readings[i], why);
    }
    device->processes.why = why;
    device->unusable = why;
}

static void read_devices(struct nvml_session *nvml)
{
    unsigned int count = 0;
    struct zv_probe_source *const source = nvml->library.source;
    const bool counted = nvml->nvml.count != NULL && nvml->nvml.count(&count) == NVML_OK;
    for (unsigned int i = 0; i < (counted ? count : PROBE_MAX_DEVICES); i++) {
        nvml_device handle = NULL;
        const int result = nvml->nvml.handle(i, &handle);
        if (result != NVML_OK && !counted) {
            break;
        }
        struct zv_probed_device *const device =
            probe_new_device(nvml->library.session, ZV_PROBE_NVIDIA);
        source->devices++;
        if (device == NULL) {
            continue;
        }
        if (result == NVML_OK) {
            read_device(nvml, handle, device);
        } else {
            refuse_device(nvml, device, result);
        }
    }
}

void probe_nvml(struct probe_session *session)
{
    static const char *const names[] = {"libnvidia-ml.so.1", "libnvidia-ml.so", NULL};
    char driver[TEXT] = "";
    struct nvml_session nvml = {
        .library = {.session = session,
                    .source = probe_source(session, "NVML", names[0]),
                    .words = words_of},
    };
    if (!probe_library_open(&nvml.library, names, symbols, sizeof symbols / sizeof symbols[0],
                            &nvml.nvml)) {
        return;
    }
    if (probe_library_started(&nvml.library, "nvmlInit_v2", nvml.nvml.init())) {
        if (nvml.nvml.driver != NULL && nvml.nvml.driver(driver, TEXT) == NVML_OK) {
            driver[TEXT - 1] = 0;
            nvml.library.source->driver = probe_print(session, "%s", driver);
        }
        read_devices(&nvml);
        if (nvml.nvml.shutdown != NULL) {
            (void)nvml.nvml.shutdown();
        }
    }
    probe_library_close(&nvml.library);
}
