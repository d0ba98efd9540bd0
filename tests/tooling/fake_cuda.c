/*
 * Stands in for a card that step_saved.py never computes on: PyTorch asks which device is current,
 * how many there are and what it can do (an A100: 8.0, 108 multiprocessors), and no more.
 * Offsets in cudaDeviceProp are those of CUDA 12; C++ names are those of c10/cuda.
 */
#include <string.h>

int cudaGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int cudaSetDevice(int device)
{
    return device;
}

int cudaGetDeviceCount(int *count)
{
    *count = 1;
    return 0;
}

int cudaGetLastError(void)
{
    return 0;
}

int cudaDriverGetVersion(int *version)
{
    *version = 12040;
    return 0;
}

int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return 0;
}

int cudaStreamIsCapturing(void *stream, int *status)
{
    (void)stream;
    *status = 0;
    return 0;
}

/* Events, with which DistributedDataParallel times its passes. */
int cudaEventCreateWithFlags(void **event, unsigned flags)
{
    static char any;
    (void)flags;
    *event = &any;
    return 0;
}

int cudaEventRecord(void *event, void *stream)
{
    (void)event;
    (void)stream;
    return 0;
}

int cudaEventQuery(void *event)
{
    (void)event;
    return 0;
}

int cudaEventSynchronize(void *event)
{
    (void)event;
    return 0;
}

int cudaEventElapsedTime(float *milliseconds, void *from, void *to)
{
    (void)from;
    (void)to;
    *milliseconds = 1;
    return 0;
}

int cudaEventDestroy(void *event)
{
    (void)event;
    return 0;
}

int cudaGetDeviceProperties_v2(char *properties, int device)
{
    enum { WARP = 308, MAJOR = 360, MINOR = 364, PROCESSORS = 388, KNOWN = 700 };
    const int figures[] = {32, 8, 0, 108};
    const int offsets[] = {WARP, MAJOR, MINOR, PROCESSORS};
    memset(properties, 0, KNOWN);
    for (int i = 0; i < 4; i++) {
        memcpy(properties + offsets[i], &figures[i], sizeof figures[i]);
    }
    return device;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = 0;
    return device;
}

/* c10::cuda::MaybeSetDevice, SetDevice, ExchangeDevice, MaybeExchangeDevice, hasPrimaryContext */
int _ZN3c104cuda14MaybeSetDeviceEa(signed char device)
{
    return device;
}

int _ZN3c104cuda9SetDeviceEa(signed char device)
{
    return device;
}

int _ZN3c104cuda14ExchangeDeviceEa(signed char device)
{
    return device;
}

int _ZN3c104cuda19MaybeExchangeDeviceEa(signed char device)
{
    return device;
}

int _ZN3c104cuda17hasPrimaryContextEa(signed char device)
{
    (void)device;
    return 0;
}
