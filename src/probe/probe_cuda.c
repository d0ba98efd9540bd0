/*
 * The CUDA driver: what a CUDA program can use, in the order and under the numbers that it would
 * see (CUDA_VISIBLE_DEVICES counts). Names and numbers are those of the CUDA driver API reference.
 * Free memory is not asked here: it needs a context, and a context takes memory of the device.
 */
#include <stdio.h>
#include <string.h>

#include "probe/probe_library.h"

enum {
    ATTRIBUTE_INTEGRATED = 18,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    ATTRIBUTE_VMM = 102,
    TEXT = 96,
    UUID_BYTES = 16
};

struct cuda {
    int (*init)(unsigned int flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int length, int device);
    int (*uuid_v2)(unsigned char *uuid, int device);
    int (*uuid)(unsigned char *uuid, int device);
    int (*bus_id)(char *text, int length, int device);
    int (*total_v2)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*error)(int result, const char **text);
    int (*assumes)(int attribute, int device); /* of the emulated driver alone */
};

#define ROW(member, symbol, needed) ZV_LIBRARY_SYMBOL(struct cuda, member, symbol, needed)

static const struct zv_library_symbol symbols[] = {
    ROW(init, "cuInit", true),
    ROW(version, "cuDriverGetVersion", false),
    ROW(count, "cuDeviceGetCount", true),
    ROW(get, "cuDeviceGet", true),
    ROW(name, "cuDeviceGetName", false),
    ROW(uuid_v2, "cuDeviceGetUuid_v2", false),
    ROW(uuid, "cuDeviceGetUuid", false),
    ROW(bus_id, "cuDeviceGetPCIBusId", false),
    ROW(total_v2, "cuDeviceTotalMem_v2", false),
    ROW(attribute, "cuDeviceGetAttribute", false),
    ROW(error, "cuGetErrorString", false),
    ROW(assumes, "zirve_emulated_assumes", false),
};

static const char *words_of(const void *functions, int result)
{
    const struct cuda *const cuda = functions;
    const char *text = NULL;
    return cuda->error != NULL && cuda->error(result, &text) == 0 ? text : NULL;
}

/* "GPU-" and the bytes in the usual groups, as NVML writes it; a slice's too. */
static void print_uuid(char to[TEXT], const unsigned char bytes[UUID_BYTES])
{
    int at = snprintf(to, TEXT, "GPU-");
    for (int i = 0; i < UUID_BYTES; i++) {
        const char *const dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        at += snprintf(to + at, (size_t)(TEXT - at), "%s%02x", dash, bytes[i]);
    }
}

static int ask_uuid(const struct cuda *cuda, int device, char to[TEXT])
{
    unsigned char bytes[UUID_BYTES] = {0};
    const int result = cuda->uuid_v2 != NULL ? cuda->uuid_v2(bytes, device)
                       : cuda->uuid != NULL  ? cuda->uuid(bytes, device)
                                             : PROBE_ABSENT;
    to[0] = 0;
    if (result == 0) {
        print_uuid(to, bytes);
    }
    return result;
}

static int ask_attribute(const struct cuda *cuda, int attribute, int device, int *value)
{
    *value = 0;
    return cuda->attribute != NULL ? cuda->attribute(value, attribute, device) : PROBE_ABSENT;
}

static void read_capability(struct probe_library *library, const struct cuda *cuda, int number,
                            struct zv_probed_device *device)
{
    int major;
    int minor;
    int result = ask_attribute(cuda, ATTRIBUTE_MAJOR, number, &major);
    if (result == 0) {
        result = ask_attribute(cuda, ATTRIBUTE_MINOR, number, &minor);
    }
    struct zv_probed_text *const word = &device->words[ZV_PROBE_ARCHITECTURE];
    const bool is_first = word->text == NULL; /* nobody before it knew */
    probe_library_word(library, word, "cuDeviceGetAttribute (compute capability)", result,
                       result == 0 ? probe_print(library->session, "%d.%d", major, minor) : "");
    word->assumed = word->assumed || (is_first && result == 0 && cuda->assumes != NULL &&
                                      cuda->assumes(ATTRIBUTE_MAJOR, number) != 0);
}

/* The slice with these bytes as its UUID, after "MIG-" in place of "GPU-"; or NULL. */
static struct zv_probed_slice *find_slice(const struct zv_probed_device *device, const char *uuid)
{
    static const size_t skip = sizeof "MIG-" - 1;
    for (size_t i = 0; i < device->instance_count; i++) {
        const char *const its = device->instances[i].words[ZV_PROBE_UUID].text;
        if (its != NULL && strncmp(its, "MIG-", skip) == 0 &&
            strcmp(its + skip, uuid + skip) == 0) {
            return &device->instances[i];
        }
    }
    return NULL;
}

/* Of a device in slices CUDA lists one slice, whose memory is not the device's. */
static void read_total(struct probe_library *library, const struct cuda *cuda, int number,
                       const char *uuid, struct zv_probed_device *device)
{
    size_t total = 0;
    struct zv_probed *reading = &device->readings[ZV_PROBE_RUNTIME_CAPACITY];
    const struct zv_probed *const sliced = &device->readings[ZV_PROBE_SLICED];
    const int result = cuda->total_v2 != NULL ? cuda->total_v2(&total, number) : PROBE_ABSENT;
    if (sliced->known && sliced->value != 0) {
        struct zv_probed_slice *const slice = uuid[0] != 0 ? find_slice(device, uuid) : NULL;
        reading_miss(reading, probe_print(library->session, "CUDA lists a slice of it%s",
                                          slice == NULL ? ", and not which" : ""));
        if (slice == NULL) {
            return;
        }
        reading = &slice->readings[ZV_PROBE_RUNTIME_CAPACITY];
    }
    probe_library_reading(library, reading, "cuDeviceTotalMem_v2", result, total);
}

static void read_device(struct probe_library *library, const struct cuda *cuda, int ordinal)
{
    int number = 0;
    int value = 0;
    char bus_id[TEXT] = "";
    char uuid[TEXT] = "";
    char name[TEXT] = "";
    struct probe_session *const session = library->session;
    int result = cuda->get(&number, ordinal);
    if (result != 0) {
        library->source->said = probe_library_says(library, "cuDeviceGet", result);
        return;
    }
    const int bus_result = cuda->bus_id != NULL ? cuda->bus_id(bus_id, TEXT, number) : PROBE_ABSENT;
    const int uuid_result = ask_uuid(cuda, number, uuid);
    struct zv_probed_device *const device =
        probe_device(session, ZV_PROBE_NVIDIA, bus_result == 0 ? bus_id : NULL,
                     uuid_result == 0 ? uuid : NULL, "cuDeviceGetPCIBusId");
    if (device == NULL || device->backend != NULL) { /* two of one device: no runtime does that */
        return;
    }
    device->backend = "CUDA";
    device->ordinal = (uint32_t)ordinal;
    probe_library_word(library, &device->words[ZV_PROBE_BUS_ID], "cuDeviceGetPCIBusId", bus_result,
                       bus_id);
    probe_library_word(library, &device->words[ZV_PROBE_UUID], "cuDeviceGetUuid", uuid_result,
                       uuid);
    result = cuda->name != NULL ? cuda->name(name, TEXT, number) : PROBE_ABSENT;
    name[TEXT - 1] = 0;
    probe_library_word(library, &device->words[ZV_PROBE_MODEL], "cuDeviceGetName", result, name);
    read_capability(library, cuda, number, device);
    read_total(library, cuda, number, uuid, device);
    result = ask_attribute(cuda, ATTRIBUTE_VMM, number, &value);
    probe_library_reading(library, &device->readings[ZV_PROBE_VMM],
                          "cuDeviceGetAttribute (virtual memory management)", result, value != 0);
    result = ask_attribute(cuda, ATTRIBUTE_INTEGRATED, number, &value);
    probe_library_reading(library, &device->readings[ZV_PROBE_INTEGRATED],
                          "cuDeviceGetAttribute (integrated)", result, value != 0);
}

static void read_devices(struct probe_library *library, const struct cuda *cuda)
{
    int version = 0;
    int count = 0;
    if (cuda->version != NULL && cuda->version(&version) == 0) { /* 12040 is 12.4 */
        library->source->driver =
            probe_print(library->session, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    }
    const int result = cuda->count(&count);
    if (result != 0) {
        library->source->answers = false;
        library->source->said = probe_library_says(library, "cuDeviceGetCount", result);
    }
    for (int i = 0; result == 0 && i < count; i++) {
        library->source->devices++;
        read_device(library, cuda, i);
    }
}

void probe_cuda(struct probe_session *session)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    struct cuda cuda = {0};
    struct probe_library library = {.session = session,
                                    .source = probe_source(session, "CUDA driver", names[0]),
                                    .words = words_of};
    if (!probe_library_open(&library, names, symbols, sizeof symbols / sizeof symbols[0], &cuda)) {
        return;
    }
    if (probe_library_started(&library, "cuInit", cuda.init(0))) {
        read_devices(&library, &cuda);
    }
    probe_library_close(&library);
}
