/* A libnvidia-ml.so.1. Results: 2 bad argument, 3 not supported, 4 no permission, 6 not found,
 * 7 list too short, 9 no driver, 15 lost, 25 unknown version of a struct. */
#include "support/fake.h"

/* A device, and behind it its slices. */
struct device {
    unsigned int index;
    bool slice;
};

static struct device devices[2] = {{0, false}, {1, false}};
static struct device slices[2] = {{0, true}, {1, true}};
static unsigned int calls; /* since the library was loaded */

/* "lost midway": the device answers two calls and is gone. */
static int answer(void)
{
    calls++;
    return fake_is("lost midway") && calls > 2 ? 15 : 0;
}

#if FAKE_BUILD != 2
FAKE(int, nvmlInit_v2, void)
{
    calls = 0;
    return fake_is("no driver") ? 9 : 0;
}
#endif

FAKE(int, nvmlShutdown, void)
{
    return 0;
}

FAKE(const char *, nvmlErrorString, int result)
{
    return result == 4    ? "Insufficient Permissions"
           : result == 9  ? "Driver Not Loaded"
           : result == 15 ? "GPU is lost"
                          : "Invalid Argument";
}

FAKE(int, nvmlDeviceGetHandleByIndex_v2, unsigned int index, struct device **device)
{
    const unsigned int count = fake_is("no device") ? 0 : fake_is("two") ? 2 : 1;
    if (index >= count) {
        return 2;
    }
    if (index == 1 && fake_is("second lost")) {
        return 15;
    }
    *device = &devices[index];
    return 0;
}

#if FAKE_BUILD != 3
FAKE(int, nvmlDeviceGetCount_v2, unsigned int *count)
{
    *count = fake_is("no device") ? 0 : fake_is("two") ? 2 : 1;
    return 0;
}

FAKE(int, nvmlSystemGetDriverVersion, char *text, unsigned int length)
{
    return fake_text(text, length, FAKE_BUILD == FAKE_OLD ? "390.157" : "550.54.14");
}

FAKE(int, nvmlDeviceGetName, struct device *device, char *name, unsigned int length)
{
    const char *const text = device->slice        ? "Fake GPU MIG 1g.10gb"
                             : device->index == 0 ? "Fake GPU 24GB"
                                                  : "Fake GPU 48GB";
    return fake_is("refused") ? 4 : answer() != 0 ? 15 : fake_text(name, length, text);
}

FAKE(int, nvmlDeviceGetUUID, struct device *device, char *text, unsigned int length)
{
    char uuid[64];
    (void)snprintf(uuid, sizeof uuid, "%s-0001020%u-0405-0607-0809-0a0b0c0d0e0f",
                   device->slice ? "MIG" : "GPU", device->index);
    return answer() != 0 ? 15 : fake_text(text, length, uuid);
}

FAKE(int, nvmlDeviceGetCudaComputeCapability, struct device *device, int *major, int *minor)
{
    (void)device;
    *major = 8;
    *minor = 9;
    return answer();
}

struct memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

FAKE(int, nvmlDeviceGetMemoryInfo, struct device *device, struct memory *memory)
{
    *memory = (struct memory){fake_total[device->index], 20000000000, 4000000000};
    return answer();
}

struct processes_v1 {
    unsigned int pid;
    unsigned long long used;
};

/* The lists: 4242 holds 2,000,000,000 B, 4243 does not tell. */
static int list(unsigned int *count, void *to, size_t entry, unsigned int gpu_instance)
{
    struct wide {
        unsigned int pid;
        unsigned long long used;
        unsigned int gpu_instance;
        unsigned int compute_instance;
        unsigned long long protected_memory;
    };
    const unsigned int there = fake_is("no process") ? 0 : 2;
    const unsigned int room = *count;
    if (fake_is("refused")) {
        return 4;
    }
    *count = there;
    if (room < there || (to == NULL && there != 0)) {
        return 7;
    }
    for (unsigned int i = 0; i < there; i++) {
        const struct wide one = {4242 + i, i == 0 ? 2000000000 : ~0ULL, gpu_instance, 0, 77};
        memcpy((char *)to + i * entry, &one, entry);
    }
    return answer();
}

FAKE(int, nvmlDeviceGetComputeRunningProcesses, struct device *device, unsigned int *count,
     void *to)
{
    (void)device;
    return list(count, to, 16, 0);
}
#endif

#if FAKE_BUILD == 1
struct pci_v2 {
    char bus_id[16];
    unsigned int rest[9];
};

FAKE(int, nvmlDeviceGetPciInfo_v2, struct device *device, struct pci_v2 *pci)
{
    return fake_text(pci->bus_id, sizeof pci->bus_id, fake_bus[device->index]);
}
#endif

#if FAKE_BUILD == 0 || FAKE_BUILD == 4
struct pci_v3 {
    char short_bus_id[16];
    unsigned int numbers[5];
    char bus_id[32];
};

FAKE(int, nvmlDeviceGetPciInfo_v3, struct device *device, struct pci_v3 *pci)
{
    (void)snprintf(pci->bus_id, sizeof pci->bus_id, "0000%s", fake_bus[device->index]);
    return answer();
}

struct memory_v2 {
    unsigned int version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;
};

FAKE(int, nvmlDeviceGetMemoryInfo_v2, struct device *device, struct memory_v2 *memory)
{
    if (memory->version != 0x02000028 || fake_is("odd version")) {
        return 25;
    }
    const uint64_t total = device->slice ? 10000000000 : fake_total[device->index];
    memory->total = total;
    memory->reserved = 500000000;
    memory->free = total - 4000000000;
    memory->used = 3500000000;
    return answer();
}

/* A driver of the time of FAKE_R530 writes 32 bytes an entry under the same name. */
FAKE(int, nvmlDeviceGetComputeRunningProcesses_v3, struct device *device, unsigned int *count,
     void *to)
{
    (void)device;
    return list(count, to, FAKE_BUILD == FAKE_R530 ? 32 : 24, fake_is("mig") ? 1 : ~0U);
}

FAKE(int, nvmlDeviceGetGraphicsRunningProcesses_v3, struct device *device, unsigned int *count,
     void *to)
{
    (void)device;
    return list(count, to, FAKE_BUILD == FAKE_R530 ? 32 : 24, fake_is("mig") ? 1 : ~0U);
}

FAKE(int, nvmlDeviceGetConfComputeMemSizeInfo, void)
{
    return 3;
}

FAKE(int, nvmlDeviceGetMigMode, struct device *device, unsigned int *current, unsigned int *pending)
{
    (void)device;
    *current = *pending = 1;
    return fake_is("mig") ? 0 : 3;
}

FAKE(int, nvmlDeviceGetMaxMigDeviceCount, struct device *device, unsigned int *count)
{
    (void)device;
    *count = 7;
    return 0;
}

FAKE(int, nvmlDeviceGetMigDeviceHandleByIndex, struct device *device, unsigned int index,
     struct device **slice)
{
    (void)device;
    if (index != 0 && index != 3) {
        return 6;
    }
    *slice = &slices[index != 0];
    return 0;
}

FAKE(int, nvmlDeviceGetGpuInstanceId, struct device *device, unsigned int *id)
{
    *id = device->index + 1;
    return 0;
}

FAKE(int, nvmlDeviceGetComputeInstanceId, struct device *device, unsigned int *id)
{
    (void)device;
    *id = 0;
    return 0;
}
#endif

#if FAKE_BUILD == 0
FAKE(int, nvmlDeviceGetRunningProcessDetailList, void)
{
    return 3;
}
#endif
