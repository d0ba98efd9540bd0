/* One library with the functions of libamd_smi.so, librocm_smi64.so and libamdhip64.so. Results of
 * all three that are not 0: 2 not supported, 4 no permission; of HIP 100 no device. */
#include "support/fake.h"

static int device_handle;
static int socket_handle;

static int one(void **handle, uint32_t *count, int *what)
{
    if (handle != NULL && *count != 0) {
        *handle = what;
    }
    *count = 1;
    return 0;
}

FAKE(int, amdsmi_init, uint64_t flags)
{
    return flags == 2 && !fake_is("amd refused") ? 0 : 4;
}

FAKE(int, amdsmi_shut_down, void)
{
    return 0;
}

FAKE(int, amdsmi_get_socket_handles, uint32_t *count, void **handles)
{
    return one(handles, count, &socket_handle);
}

FAKE(int, amdsmi_status_code_to_string, int status, const char **text)
{
    *text = "AMDSMI_STATUS_NO_PERM";
    return status == 4 ? 0 : 1;
}

#if FAKE_BUILD != 2
FAKE(int, amdsmi_get_processor_handles, void *socket, uint32_t *count, void **handles)
{
    return socket == &socket_handle ? one(handles, count, &device_handle) : 1;
}
#endif

#if FAKE_BUILD != 3
FAKE(int, amdsmi_get_gpu_device_bdf, void *device, uint64_t *bdf)
{
    *bdf = FAKE_AMD_BDF;
    return device == &device_handle ? 0 : 1;
}

FAKE(int, amdsmi_get_gpu_device_uuid, void *device, unsigned int *length, char *text)
{
    (void)device;
    return *length < 38 ? 1 : fake_text(text, *length, "f8ff73bf-0000-1000-80ff-eb47a027de4d");
}

FAKE(int, amdsmi_get_gpu_memory_total, void *device, int kind, uint64_t *bytes)
{
    (void)device;
    *bytes = 17163091968;
    return kind == 0 ? 0 : 1;
}

FAKE(int, amdsmi_get_gpu_memory_usage, void *device, int kind, uint64_t *bytes)
{
    (void)device;
    *bytes = 1310720;
    return kind == 0 && !fake_is("amd lost") ? 0 : 2;
}
#endif

FAKE(int, rsmi_init, uint64_t flags)
{
    return flags == 0 && !fake_is("amd refused") ? 0 : 4;
}

FAKE(int, rsmi_shut_down, void)
{
    return 0;
}

FAKE(int, rsmi_status_string, int status, const char **text)
{
    *text = "RSMI_STATUS_PERMISSION";
    return status == 4 ? 0 : 1;
}

#if FAKE_BUILD != 2
FAKE(int, rsmi_num_monitor_devices, uint32_t *count)
{
    *count = 1;
    return 0;
}
#endif

#if FAKE_BUILD != 3
FAKE(int, rsmi_version_str_get, int component, char *text, uint32_t length)
{
    return component == 0 ? fake_text(text, length, "6.8.5") : 2;
}

FAKE(int, rsmi_dev_name_get, uint32_t index, char *text, size_t length)
{
    return index == 0 ? fake_text(text, length, "Fake Instinct 16GB") : 2;
}

FAKE(int, rsmi_dev_pci_id_get, uint32_t index, uint64_t *id)
{
    *id = FAKE_AMD_BDF;
    return index == 0 ? 0 : 2;
}

FAKE(int, rsmi_dev_memory_total_get, uint32_t index, int kind, uint64_t *bytes)
{
    *bytes = 17163091968;
    return index == 0 && kind == 0 ? 0 : 2;
}

FAKE(int, rsmi_dev_memory_usage_get, uint32_t index, int kind, uint64_t *bytes)
{
    *bytes = 2097152;
    return index == 0 && kind == 0 ? 0 : 2;
}
#endif

FAKE(int, hipInit, unsigned int flags)
{
    return flags == 0 && !fake_is("hip fails") ? 0 : 100;
}

FAKE(int, hipGetDeviceCount, int *count)
{
    *count = 1;
    return 0;
}

FAKE(const char *, hipGetErrorString, int result)
{
    return result == 100 ? "no ROCm-capable device is detected" : "unknown";
}

#if FAKE_BUILD != 2
FAKE(int, hipDeviceGet, int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}
#endif

#if FAKE_BUILD != 3
FAKE(int, hipRuntimeGetVersion, int *version)
{
    *version = 60241133;
    return 0;
}

FAKE(int, hipDeviceGetPCIBusId, char *text, int length, int device)
{
    (void)device;
    return fake_text(text, (size_t)length, "0000:03:00.0");
}

FAKE(int, hipDeviceGetName, char *text, int length, int device)
{
    (void)device;
    return fake_text(text, (size_t)length, "Fake Instinct by HIP");
}

FAKE(int, hipDeviceTotalMem, size_t *bytes, int device)
{
    (void)device;
    *bytes = 17095983104;
    return 0;
}

FAKE(int, hipDeviceGetAttribute, int *value, int attribute, int device)
{
    (void)device;
    *value = 1;
    return attribute == 89 ? 0 : 1;
}
#endif
