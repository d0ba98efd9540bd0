/* A libnvidia-ml.so.1 for the tests: one device, or what FAKE_NVML says goes wrong. */
#include <string.h>

enum { FAKE_OK, FAKE_OLD, FAKE_NO_INIT, FAKE_NO_MEMORY, FAKE_INIT_FAILS, FAKE_NO_DEVICE };

#ifndef FAKE_NVML
#define FAKE_NVML FAKE_OK
#endif

#define EXPORT __attribute__((visibility("default")))

struct memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

struct memory_v2 {
    unsigned int version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned int *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned int length);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory);
int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_v2 *memory);
const char *nvmlErrorString(int result);

#if FAKE_NVML != 2
EXPORT int nvmlInit_v2(void)
{
    return FAKE_NVML == FAKE_INIT_FAILS ? 9 : 0;
}
#endif

EXPORT int nvmlShutdown(void)
{
    return 0;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned int *count)
{
    *count = FAKE_NVML == FAKE_NO_DEVICE ? 0 : 1;
    return 0;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device)
{
    static int only;
    *device = &only;
    return FAKE_NVML == FAKE_NO_DEVICE || index != 0 ? 2 : 0;
}

EXPORT int nvmlDeviceGetName(void *device, char *name, unsigned int length)
{
    static const char text[] = "Fake GPU 24GB";
    (void)device;
    if (length < sizeof text) {
        return 7;
    }
    memcpy(name, text, sizeof text);
    return 0;
}

#if FAKE_NVML != 3
EXPORT int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
    (void)device;
    *memory = (struct memory){24000000000ULL, 20000000000ULL, 4000000000ULL};
    return 0;
}
#endif

#if FAKE_NVML != 1 && FAKE_NVML != 3
EXPORT int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_v2 *memory)
{
    (void)device;
    if (memory->version != (sizeof *memory | 2U << 24)) {
        return 25;
    }
    memory->total = 24000000000ULL;
    memory->reserved = 500000000ULL;
    memory->free = 20000000000ULL;
    memory->used = 3500000000ULL;
    return 0;
}
#endif

EXPORT const char *nvmlErrorString(int result)
{
    return result == 9 ? "Driver Not Loaded" : "Invalid Argument";
}
