/* AMD's older management library, still found alone. Names and numbers are those of the ROCm SMI
 * reference. */
#include <string.h>

#include "probe/probe_library.h"

enum { MEMORY_VRAM = 0, COMPONENT_DRIVER = 0, TEXT = 96 };

struct rocm_smi {
    int (*init)(uint64_t flags);
    int (*shutdown)(void);
    int (*count)(uint32_t *count);
    int (*driver)(int component, char *text, uint32_t length);
    int (*name)(uint32_t index, char *text, size_t length);
    int (*address)(uint32_t index, uint64_t *id); /* domain from bit 32, bus from 8, device 3 */
    int (*total)(uint32_t index, int kind, uint64_t *bytes);
    int (*usage)(uint32_t index, int kind, uint64_t *bytes);
    int (*error)(int result, const char **text);
};

#define ROW(member, symbol, needed) ZV_LIBRARY_SYMBOL(struct rocm_smi, member, symbol, needed)

static const struct zv_library_symbol symbols[] = {
    ROW(init, "rsmi_init", true),
    ROW(shutdown, "rsmi_shut_down", false),
    ROW(count, "rsmi_num_monitor_devices", true),
    ROW(driver, "rsmi_version_str_get", false),
    ROW(name, "rsmi_dev_name_get", false),
    ROW(address, "rsmi_dev_pci_id_get", false),
    ROW(total, "rsmi_dev_memory_total_get", false),
    ROW(usage, "rsmi_dev_memory_usage_get", false),
    ROW(error, "rsmi_status_string", false),
};

static const char *words_of(const void *functions, int result)
{
    const struct rocm_smi *const smi = functions;
    const char *text = NULL;
    return smi->error != NULL && smi->error(result, &text) == 0 ? text : NULL;
}

static void read_device(struct probe_library *library, const struct rocm_smi *smi, uint32_t index)
{
    uint64_t id = 0;
    uint64_t bytes = 0;
    char name[TEXT] = "";
    struct probe_session *const session = library->session;
    const int result = smi->address != NULL ? smi->address(index, &id) : PROBE_ABSENT;
    const char *const address =
        probe_print(session, "%04x:%02x:%02x.%x", (unsigned)(id >> 32), (unsigned)(id >> 8 & 0xff),
                    (unsigned)(id >> 3 & 0x1f), (unsigned)(id & 7));
    struct zv_probed_device *const device = probe_device(
        session, ZV_PROBE_AMD, result == 0 ? address : NULL, NULL, "rsmi_dev_pci_id_get");
    if (device == NULL) {
        return;
    }
    probe_library_word(library, &device->words[ZV_PROBE_BUS_ID], "rsmi_dev_pci_id_get", result,
                       address);
    const int named = smi->name != NULL ? smi->name(index, name, TEXT) : PROBE_ABSENT;
    name[TEXT - 1] = 0;
    probe_library_word(library, &device->words[ZV_PROBE_MODEL], "rsmi_dev_name_get", named, name);
    const int total = smi->total != NULL ? smi->total(index, MEMORY_VRAM, &bytes) : PROBE_ABSENT;
    probe_library_reading(library, &device->readings[ZV_PROBE_CAPACITY],
                          "rsmi_dev_memory_total_get", total, bytes);
    const int used = smi->usage != NULL ? smi->usage(index, MEMORY_VRAM, &bytes) : PROBE_ABSENT;
    probe_library_reading(library, &device->readings[ZV_PROBE_USED], "rsmi_dev_memory_usage_get",
                          used, bytes);
}

static void read_devices(struct probe_library *library, const struct rocm_smi *smi)
{
    uint32_t count = 0;
    char driver[TEXT] = "";
    if (smi->driver != NULL && smi->driver(COMPONENT_DRIVER, driver, TEXT) == 0) {
        driver[TEXT - 1] = 0;
        library->source->driver = probe_print(library->session, "%s", driver);
    }
    const int result = smi->count(&count);
    if (result != 0) {
        library->source->said = probe_library_says(library, "rsmi_num_monitor_devices", result);
    }
    for (uint32_t i = 0; result == 0 && i < count; i++) {
        library->source->devices++;
        read_device(library, smi, i);
    }
}

void probe_rocm_smi(struct probe_session *session)
{
    static const char *const names[] = {"librocm_smi64.so",   "librocm_smi64.so.7",
                                        "librocm_smi64.so.6", "librocm_smi64.so.5",
                                        "librocm_smi64.so.1", NULL};
    struct rocm_smi smi = {0};
    struct probe_library library = {.session = session,
                                    .source = probe_source(session, "ROCm SMI", names[0]),
                                    .words = words_of};
    if (!probe_library_open(&library, names, symbols, sizeof symbols / sizeof symbols[0], &smi)) {
        return;
    }
    if (probe_library_started(&library, "rsmi_init", smi.init(0))) {
        read_devices(&library, &smi);
        if (smi.shutdown != NULL) {
            (void)smi.shutdown();
        }
    }
    probe_library_close(&library);
}
