/*
 * AMD's management library. Names and numbers are those of the AMD SMI reference. Its process list
 * is not asked: the size of an entry changed between releases and nothing tells which one it is;
 * the kernel driver's files say the same (probe_kfd.c).
 */
#include <string.h>

#include "probe/probe_library.h"

enum { INIT_GPUS = 2, MEMORY_VRAM = 0, TEXT = 96, MAX_HANDLES = PROBE_MAX_DEVICES };

typedef void *amd_handle;

struct amd_smi {
    int (*init)(uint64_t flags);
    int (*shutdown)(void);
    int (*sockets)(uint32_t *count, amd_handle *handles);
    int (*processors)(amd_handle socket, uint32_t *count, amd_handle *handles);
    int (*address)(amd_handle gpu, uint64_t *bdf); /* function 3 bits, device 5, bus 8, domain */
    int (*uuid)(amd_handle gpu, unsigned int *length, char *text);
    int (*total)(amd_handle gpu, int kind, uint64_t *bytes);
    int (*usage)(amd_handle gpu, int kind, uint64_t *bytes);
    int (*error)(int result, const char **text);
};

#define ROW(member, symbol, needed) ZV_LIBRARY_SYMBOL(struct amd_smi, member, symbol, needed)

static const struct zv_library_symbol symbols[] = {
    ROW(init, "amdsmi_init", true),
    ROW(shutdown, "amdsmi_shut_down", false),
    ROW(sockets, "amdsmi_get_socket_handles", true),
    ROW(processors, "amdsmi_get_processor_handles", true),
    ROW(address, "amdsmi_get_gpu_device_bdf", false),
    ROW(uuid, "amdsmi_get_gpu_device_uuid", false),
    ROW(total, "amdsmi_get_gpu_memory_total", false),
    ROW(usage, "amdsmi_get_gpu_memory_usage", false),
    ROW(error, "amdsmi_status_code_to_string", false),
};

static const char *words_of(const void *functions, int result)
{
    const struct amd_smi *const smi = functions;
    const char *text = NULL;
    return smi->error != NULL && smi->error(result, &text) == 0 ? text : NULL;
}

static void read_device(struct probe_library *library, const struct amd_smi *smi, amd_handle gpu)
{
    uint64_t bdf = 0;
    uint64_t bytes = 0;
    char uuid[TEXT] = "";
    unsigned int length = TEXT;
    struct probe_session *const session = library->session;
    const int result = smi->address != NULL ? smi->address(gpu, &bdf) : PROBE_ABSENT;
    const char *const address =
        probe_print(session, "%04x:%02x:%02x.%x", (unsigned)(bdf >> 16),
                    (unsigned)(bdf >> 8 & 0xff), (unsigned)(bdf >> 3 & 0x1f), (unsigned)(bdf & 7));
    struct zv_probed_device *const device = probe_device(
        session, ZV_PROBE_AMD, result == 0 ? address : NULL, NULL, "amdsmi_get_gpu_device_bdf");
    if (device == NULL) {
        return;
    }
    probe_library_word(library, &device->words[ZV_PROBE_BUS_ID], "amdsmi_get_gpu_device_bdf",
                       result, address);
    const int uuid_result = smi->uuid != NULL ? smi->uuid(gpu, &length, uuid) : PROBE_ABSENT;
    uuid[TEXT - 1] = 0;
    probe_library_word(library, &device->words[ZV_PROBE_UUID], "amdsmi_get_gpu_device_uuid",
                       uuid_result, uuid);
    const int total = smi->total != NULL ? smi->total(gpu, MEMORY_VRAM, &bytes) : PROBE_ABSENT;
    probe_library_reading(library, &device->readings[ZV_PROBE_CAPACITY],
                          "amdsmi_get_gpu_memory_total", total, bytes);
    const int used = smi->usage != NULL ? smi->usage(gpu, MEMORY_VRAM, &bytes) : PROBE_ABSENT;
    probe_library_reading(library, &device->readings[ZV_PROBE_USED], "amdsmi_get_gpu_memory_usage",
                          used, bytes);
}

/* Both lists are asked for their length first. */
static void read_devices(struct probe_library *library, const struct amd_smi *smi)
{
    amd_handle sockets[MAX_HANDLES];
    amd_handle gpus[MAX_HANDLES];
    uint32_t socket_count = 0;
    int result = smi->sockets(&socket_count, NULL);
    socket_count = socket_count < MAX_HANDLES ? socket_count : MAX_HANDLES;
    if (result == 0) {
        result = smi->sockets(&socket_count, sockets);
    }
    if (result != 0) {
        library->source->said = probe_library_says(library, "amdsmi_get_socket_handles", result);
        return;
    }
    for (uint32_t i = 0; i < socket_count && i < MAX_HANDLES; i++) {
        uint32_t count = 0;
        result = smi->processors(sockets[i], &count, NULL);
        count = count < MAX_HANDLES ? count : MAX_HANDLES;
        if (result == 0) {
            result = smi->processors(sockets[i], &count, gpus);
        }
        if (result != 0) {
            library->source->said =
                probe_library_says(library, "amdsmi_get_processor_handles", result);
        }
        for (uint32_t n = 0; result == 0 && n < count && n < MAX_HANDLES; n++) {
            library->source->devices++;
            read_device(library, smi, gpus[n]);
        }
    }
}

void probe_amd_smi(struct probe_session *session)
{
    static const char *const names[] = {"libamd_smi.so", "libamd_smi.so.26", "libamd_smi.so.25",
                                        "libamd_smi.so.24", NULL};
    struct amd_smi smi = {0};
    struct probe_library library = {.session = session,
                                    .source = probe_source(session, "AMD SMI", names[0]),
                                    .words = words_of};
    if (!probe_library_open(&library, names, symbols, sizeof symbols / sizeof symbols[0], &smi)) {
        return;
    }
    if (probe_library_started(&library, "amdsmi_init", smi.init(INIT_GPUS))) {
        read_devices(&library, &smi);
        if (smi.shutdown != NULL) {
            (void)smi.shutdown();
        }
    }
    probe_library_close(&library);
}
