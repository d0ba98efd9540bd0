/*
 * The HIP runtime: what a HIP program can use, under the numbers that it would see. Names and
 * numbers are those of the HIP runtime API reference. Properties are not asked: their layout
 * changed between releases. A wheel of PyTorch brings a runtime of its own, which is not this one.
 */
#include <string.h>

#include "probe/probe_library.h"

enum { ATTRIBUTE_VMM = 89, TEXT = 96 };

struct hip {
    int (*init)(unsigned int flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int length, int device);
    int (*bus_id)(char *text, int length, int device);
    int (*total)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    const char *(*error)(int result);
};

#define ROW(member, symbol, needed) ZV_LIBRARY_SYMBOL(struct hip, member, symbol, needed)

static const struct zv_library_symbol symbols[] = {
    ROW(init, "hipInit", true),
    ROW(version, "hipRuntimeGetVersion", false),
    ROW(count, "hipGetDeviceCount", true),
    ROW(get, "hipDeviceGet", true),
    ROW(name, "hipDeviceGetName", false),
    ROW(bus_id, "hipDeviceGetPCIBusId", false),
    ROW(total, "hipDeviceTotalMem", false),
    ROW(attribute, "hipDeviceGetAttribute", false),
    ROW(error, "hipGetErrorString", false),
};

static const char *words_of(const void *functions, int result)
{
    const struct hip *const hip = functions;
    return hip->error != NULL ? hip->error(result) : NULL;
}

static void read_device(struct probe_library *library, const struct hip *hip, int ordinal)
{
    int number = 0;
    size_t total = 0;
    int value = 0;
    char bus_id[TEXT] = "";
    char name[TEXT] = "";
    int result = hip->get(&number, ordinal);
    if (result != 0) {
        library->source->said = probe_library_says(library, "hipDeviceGet", result);
        return;
    }
    const int bus_result = hip->bus_id != NULL ? hip->bus_id(bus_id, TEXT, number) : PROBE_ABSENT;
    bus_id[TEXT - 1] = 0;
    struct zv_probed_device *const device =
        probe_device(library->session, ZV_PROBE_AMD, bus_result == 0 ? bus_id : NULL, NULL,
                     "hipDeviceGetPCIBusId");
    if (device == NULL || device->backend != NULL) {
        return;
    }
    device->backend = "HIP";
    device->ordinal = (uint32_t)ordinal;
    probe_library_word(library, &device->words[ZV_PROBE_BUS_ID], "hipDeviceGetPCIBusId", bus_result,
                       bus_id);
    result = hip->name != NULL ? hip->name(name, TEXT, number) : PROBE_ABSENT;
    name[TEXT - 1] = 0;
    probe_library_word(library, &device->words[ZV_PROBE_MODEL], "hipDeviceGetName", result, name);
    result = hip->total != NULL ? hip->total(&total, number) : PROBE_ABSENT;
    probe_library_reading(library, &device->readings[ZV_PROBE_RUNTIME_CAPACITY],
                          "hipDeviceTotalMem", result, total);
    result = hip->attribute != NULL ? hip->attribute(&value, ATTRIBUTE_VMM, number) : PROBE_ABSENT;
    probe_library_reading(library, &device->readings[ZV_PROBE_VMM],
                          "hipDeviceGetAttribute (virtual memory management)", result, value != 0);
}

static void read_devices(struct probe_library *library, const struct hip *hip)
{
    int version = 0;
    int count = 0;
    if (hip->version != NULL && hip->version(&version) == 0) { /* 60241133 is 6.2.41133 */
        library->source->driver =
            probe_print(library->session, "HIP %d.%d", version / 10000000, version / 100000 % 100);
    }
    const int result = hip->count(&count);
    if (result != 0) {
        library->source->answers = false;
        library->source->said = probe_library_says(library, "hipGetDeviceCount", result);
    }
    for (int i = 0; result == 0 && i < count; i++) {
        library->source->devices++;
        read_device(library, hip, i);
    }
}

void probe_hip(struct probe_session *session)
{
    static const char *const names[] = {"libamdhip64.so",   "libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5", "libamdhip64.so.4", NULL};
    struct hip hip = {0};
    struct probe_library library = {.session = session,
                                    .source = probe_source(session, "HIP runtime", names[0]),
                                    .words = words_of};
    if (!probe_library_open(&library, names, symbols, sizeof symbols / sizeof symbols[0], &hip)) {
        return;
    }
    if (probe_library_started(&library, "hipInit", hip.init(0))) {
        read_devices(&library, &hip);
    }
    probe_library_close(&library);
}
