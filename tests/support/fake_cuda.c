/* A libcuda.so.1. It numbers two devices the other way round than NVML: fastest first. Results:
 * 100 no device, 101 bad ordinal, 802 not yet initialised. */
#include "support/fake.h"

static unsigned int index_of(int device)
{
    return fake_is("two") ? 1U - (unsigned int)device : 0;
}

FAKE(int, cuInit, unsigned int flags)
{
    (void)flags;
    return fake_is("no fabric") ? 802 : fake_is("no device") ? 100 : 0;
}

FAKE(int, cuDeviceGetCount, int *count)
{
    *count = fake_is("two") && !fake_is("hidden") ? 2 : 1;
    return fake_is("count fails") ? 999 : 0;
}

#if FAKE_BUILD != 2
FAKE(int, cuDeviceGet, int *device, int ordinal)
{
    *device = ordinal;
    return fake_is("device fails") ? 101 : 0;
}
#endif

FAKE(int, cuGetErrorString, int result, const char **text)
{
    *text = result == 802 ? "system not yet initialized" : "no CUDA-capable device is detected";
    return result == 100 || result == 802 ? 0 : 1;
}

FAKE(int, cuDriverGetVersion, int *version)
{
    *version = 12040;
    return 0;
}

#if FAKE_BUILD != 3
FAKE(int, cuDeviceGetPCIBusId, char *text, int length, int device)
{
    return fake_is("no address") ? 999
                                 : fake_text(text, (size_t)length, fake_bus[index_of(device)]);
}

FAKE(int, cuDeviceGetName, char *text, int length, int device)
{
    (void)device;
    return fake_text(text, (size_t)length, "Fake GPU by CUDA");
}

FAKE(int, cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    const uint64_t total = fake_is("mig") ? 10000000000 : fake_total[index_of(device)];
    *bytes = total - 400000000;
    return 0;
}

FAKE(int, cuDeviceGetAttribute, int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 8 : attribute == 76 ? 9 : attribute == 102 ? 1 : 0;
    return attribute == 102 && FAKE_BUILD == FAKE_OLD ? 1 : 0;
}

static int uuid(unsigned char *to, int device)
{
    for (unsigned char i = 0; i < 16; i++) {
        to[i] = i;
    }
    to[3] = (unsigned char)(fake_is("mig") ? 1U : index_of(device)); /* the second slice */
    to[0] = fake_is("other slice") ? 99 : 0;
    return 0;
}

#if FAKE_BUILD == 1
FAKE(int, cuDeviceGetUuid, unsigned char *to, int device)
{
    return uuid(to, device);
}
#else
FAKE(int, cuDeviceGetUuid_v2, unsigned char *to, int device)
{
    return uuid(to, device);
}
#endif
#endif
