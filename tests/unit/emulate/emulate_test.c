/* The emulated driver through the names that programs call. Cards: see main. */
#include "emulate/emulate.h"

#include <stdlib.h>
#include <string.h>

#include "emulate/hip_names.h"
#include "support/test.h"

#define G ZV_SIMCARD_GRANULE

enum { ROOMY, SMALL, FAULTY, PLAIN, LOST, CARDS };

static void use(int device)
{
    void *context = NULL;
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, device), 0);
    assert_int_equal(cuCtxSetCurrent(context), 0);
}

static size_t free_now(void)
{
    size_t bytes = 0;
    size_t total = 0;
    assert_int_equal(cuMemGetInfo_v2(&bytes, &total), 0);
    return bytes;
}

static const struct emulated_allocation_properties *on_device(int device)
{
    static struct emulated_allocation_properties properties = {.type = 1};
    properties.location = (struct emulated_location){1, device};
    return &properties;
}

static void test_what_is_there(void **state)
{
    (void)state;
    int count = 0;
    int value = 0;
    char name[8];
    size_t bytes = 0;
    void *context;
    assert_int_equal(cuInit(1), EMULATED_INVALID_VALUE);
    assert_int_equal(cuInit(0), 0);
    assert_int_equal(cuDeviceGetCount(&count), 0);
    assert_int_equal(count, CARDS);
    assert_int_equal(cuDeviceGet(&value, CARDS), EMULATED_INVALID_DEVICE);
    assert_int_equal(cuDeviceGetName(name, sizeof name, ROOMY), 0);
    assert_string_equal(name, "A rathe"); /* cut as the driver cuts it */
    assert_int_equal(cuDeviceTotalMem_v2(&bytes, ROOMY), 0);
    assert_int_equal(bytes, 100 * G);
    assert_int_equal(cuDeviceGetAttribute(&value, 75, ROOMY), 0);
    assert_int_equal(value, 9);
    assert_int_equal(cuDeviceGetAttribute(&value, 102, PLAIN), 0);
    assert_int_equal(value, 0);
    assert_int_equal(cuDeviceGetAttribute(&value, 4711, ROOMY), EMULATED_INVALID_VALUE);
    assert_int_equal(cuCtxGetCurrent(&context), 0);
    assert_null(context);
    assert_int_equal(cuMemAlloc_v2(&(uint64_t){0}, 1), EMULATED_INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent(&value), EMULATED_INVALID_CONTEXT);
    assert_string_equal(zirve_emulated(), "zirve-emulate " ZV_VERSION);
}

static const struct {
    int attribute;
    int roomy; /* the answer of ROOMY, of a capability that is said; -1: refused */
    int plain; /* of PLAIN, of which none is */
} attributes[] = {
    {1, 1024, 1024}, /* threads of a block */
    {4, 64, 64},     /* along z */
    {5, INT32_MAX, INT32_MAX},
    {6, 65535, 65535},
    {8, 49152, 49152},  /* shared bytes of a block */
    {9, 65536, 65536},  /* constant bytes */
    {10, 32, 32},       /* a warp */
    {12, 65536, 65536}, /* registers of a block */
    {13, 0, 0},         /* no clock */
    {14, -1, -1},       /* texture alignment */
    {16, 132, 108},     /* multiprocessors */
    {18, 1, 0},         /* integrated */
    {33, ROOMY + 1, PLAIN + 1},
    {38, -1, -1},     /* the second-level cache is nobody's to say */
    {39, 2048, 2048}, /* threads of a multiprocessor */
    {41, 1, 1},       /* unified addressing */
    {75, 9, 8},
    {76, 0, 0},
    {81, 233472, 167936}, /* shared bytes of a multiprocessor */
    {82, 65536, 65536},   /* its registers */
    {83, 1, 1},           /* managed memory */
    {89, -1, 1},          /* from the host at once: integrated ones differ */
    {97, 232448, 166912}, /* shared bytes of a block that opts in */
    {102, 1, 0},          /* virtual memory management */
    {106, 32, 32},        /* blocks of a multiprocessor */
    {111, 1024, 1024},    /* shared bytes that the driver takes of a block */
    {115, 0, 0},          /* stream-ordered pools */
    {0, -1, -1},
    {-1, -1, -1},
    {4711, -1, -1},
};

/* Answered, or refused as a driver refuses what it does not know: then nothing is written. */
static void test_attributes(void **state)
{
    (void)state;
    static const int devices[] = {ROOMY, PLAIN};
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        for (int d = 0; d < 2; d++) {
            const int expected = d == 0 ? attributes[i].roomy : attributes[i].plain;
            int value = 77;
            const int result = cuDeviceGetAttribute(&value, attributes[i].attribute, devices[d]);
            if (result != (expected >= 0 ? 0 : EMULATED_INVALID_VALUE) ||
                value != (expected >= 0 ? expected : 77)) {
                fail_msg("attribute %d: %d, %d", attributes[i].attribute, result, value);
            }
        }
    }
    int value = 77;
    assert_int_equal(cuDeviceGetAttribute(&value, 1, CARDS), EMULATED_INVALID_DEVICE);
    assert_int_equal(cuDeviceGetAttribute(&value, 1, -1), EMULATED_INVALID_DEVICE);
    assert_int_equal(value, 77);
    assert_int_equal(zirve_emulated_assumes(75, ROOMY), 0);
    assert_int_equal(zirve_emulated_assumes(16, ROOMY), 0);
    assert_int_equal(zirve_emulated_assumes(76, PLAIN), 1);
    assert_int_equal(zirve_emulated_assumes(16, PLAIN), 1);
    assert_int_equal(zirve_emulated_assumes(1, PLAIN), 0);
    assert_int_equal(zirve_emulated_assumes(75, CARDS), 0);
    assert_int_equal(zirve_emulated_assumes(75, -1), 0);
}

/* A capability that is in no table: what follows from it is refused, what was said is answered. */
static void test_unknown_capability(void **state)
{
    (void)state;
    int value = 77;
    assert_int_equal(cuDeviceGetAttribute(&value, 75, LOST), 0);
    assert_int_equal(value, 99);
    assert_int_equal(cuDeviceGetAttribute(&value, 39, LOST), EMULATED_INVALID_VALUE);
    assert_int_equal(cuDeviceGetAttribute(&value, 97, LOST), EMULATED_INVALID_VALUE);
    assert_int_equal(value, 99);
}

static void test_plain_memory(void **state)
{
    (void)state;
    uint64_t first = 0;
    uint64_t second = 0;
    uint64_t base = 0;
    size_t bytes = 0;
    use(SMALL);
    assert_int_equal(free_now(), 7 * G); /* ten granules, three of others */
    assert_int_equal(cuMemAlloc_v2(&first, 3 * G + 1), 0);
    assert_int_equal(free_now(), 3 * G);
    assert_int_equal(cuMemAlloc_v2(&second, 3 * G + 1), EMULATED_OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc_v2(&second, 3 * G), 0);
    assert_int_equal(free_now(), 0);
    assert_int_equal(cuMemGetAddressRange_v2(&base, &bytes, first + 5), 0);
    assert_int_equal(base, first);
    assert_int_equal(bytes, 3 * G + 1);
    assert_int_equal(cuMemFree_v2(first + 5), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemFree_v2(first), 0);
    assert_int_equal(cuMemFree_v2(first), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemGetAddressRange_v2(&base, &bytes, first), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemFree_v2(second), 0);
    assert_int_equal(cuMemFree_v2(0), 0);
    assert_int_equal(free_now(), 7 * G);
    use(ROOMY); /* addresses of one device are none of another */
    assert_int_equal(cuMemAlloc_v2(&second, G), 0);
    assert_int_not_equal(first, second);
    assert_int_equal(cuMemFree_v2(second), 0);
}

static void test_virtual_memory(void **state)
{
    (void)state;
    const struct emulated_access access = {{1, SMALL}, 3};
    uint64_t range = 0;
    uint64_t one = 0;
    uint64_t two = 0;
    size_t granule = 0;
    use(SMALL);
    assert_int_equal(cuMemGetAllocationGranularity(&granule, on_device(SMALL), 0), 0);
    assert_int_equal(granule, G);
    assert_int_equal(cuMemAddressReserve(&range, 20 * G, 0, 0, 0), 0);
    assert_int_equal(free_now(), 7 * G);
    assert_int_equal(cuMemCreate(&one, G + 1, on_device(SMALL), 0), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemCreate(&one, 4 * G, on_device(SMALL), 0), 0);
    assert_int_equal(cuMemCreate(&two, 4 * G, on_device(SMALL), 0), EMULATED_OUT_OF_MEMORY);
    assert_int_equal(cuMemCreate(&two, 2 * G, on_device(SMALL), 0), 0);
    assert_int_equal(free_now(), G);
    assert_int_equal(cuMemMap(range, 3 * G, 0, one, 0), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemMap(range + 17 * G, 4 * G, 0, one, 0), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemMap(range, 4 * G, 0, one, 0), 0);
    assert_int_equal(cuMemMap(range + 3 * G, 2 * G, 0, two, 0), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemMap(range + 4 * G, 2 * G, 0, two, 0), 0);
    assert_int_equal(cuMemcpyHtoD_v2(range, &access, 8), EMULATED_INVALID_VALUE); /* no access */
    assert_int_equal(cuMemSetAccess(range, 5 * G, &access, 1), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemSetAccess(range, 6 * G, &access, 1), 0);
    assert_int_equal(cuMemcpyHtoD_v2(range + 4 * G - 4, &access, 8), 0); /* over the seam */
    assert_int_equal(cuMemcpyHtoD_v2(range + 6 * G - 4, &access, 8), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemRelease(one), 0);
    assert_int_equal(cuMemRelease(one), EMULATED_INVALID_VALUE);
    assert_int_equal(free_now(), G); /* the mapping keeps it */
    assert_int_equal(cuMemAddressFree(range, 20 * G), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemUnmap(range, 3 * G), EMULATED_INVALID_VALUE);
    assert_int_equal(cuMemUnmap(range, 6 * G), 0);
    assert_int_equal(free_now(), 5 * G); /* the handle keeps the other */
    assert_int_equal(cuMemRelease(two), 0);
    assert_int_equal(free_now(), 7 * G);
    assert_int_equal(cuMemAddressFree(range, 20 * G), 0);
    assert_int_equal(cuMemAddressFree(range, 20 * G), EMULATED_INVALID_VALUE);
}

static void test_without_virtual_memory(void **state)
{
    (void)state;
    uint64_t at = 0;
    size_t granule;
    use(PLAIN);
    assert_int_equal(cuMemAddressReserve(&at, G, 0, 0, 0), EMULATED_NOT_SUPPORTED);
    assert_int_equal(cuMemCreate(&at, G, on_device(PLAIN), 0), EMULATED_NOT_SUPPORTED);
    assert_int_equal(cuMemGetAllocationGranularity(&granule, on_device(PLAIN), 0),
                     EMULATED_NOT_SUPPORTED);
}

static int launch(void *function, unsigned grid, unsigned block)
{
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, 0, NULL, NULL);
}

static void test_faults(void **state)
{
    (void)state;
    char words[4] = "abc";
    uint64_t at[5];
    void *module = NULL;
    void *function = NULL;
    use(FAULTY); /* oom@2, oom@4+, copy@2, launch@1 */
    assert_int_equal(cuMemAlloc_v2(&at[0], G), 0);
    assert_int_equal(cuMemAlloc_v2(&at[1], G), EMULATED_OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc_v2(&at[1], G), 0);
    assert_int_equal(cuMemAlloc_v2(&at[2], G), EMULATED_OUT_OF_MEMORY);
    assert_int_equal(cuMemCreate(&at[2], G, on_device(FAULTY), 0), EMULATED_OUT_OF_MEMORY);
    assert_int_equal(cuMemcpyDtoH_v2(words, at[0], 3), 0);
    assert_memory_equal(words, "\0\0\0", 4); /* nothing is there */
    assert_int_equal(cuMemcpyDtoH_v2(words, at[0], 3), EMULATED_ILLEGAL_ADDRESS);
    assert_int_equal(cuMemcpyDtoH_v2(words, at[0], 3), 0);
    assert_int_equal(cuModuleLoadData(&module, words), 0);
    assert_int_equal(cuModuleGetFunction(&function, module, "f"), 0);
    assert_int_equal(launch(function, 1, 1025), EMULATED_INVALID_VALUE);
    assert_int_equal(launch(NULL, 1, 32), EMULATED_INVALID_VALUE);
    assert_int_equal(launch(function, 1, 32), EMULATED_LAUNCH_FAILED);
    assert_int_equal(launch(function, 1, 32), 0);
}

static void test_lost(void **state)
{
    (void)state;
    uint64_t at = 0;
    size_t bytes;
    use(LOST); /* lost@3 */
    assert_int_equal(cuMemAlloc_v2(&at, G), 0);
    assert_int_equal(cuMemsetD32_v2(at, 0, 4), 0);
    assert_int_equal(cuCtxSynchronize(), 0);
    assert_int_equal(cuMemsetD32_v2(at, 0, 4), EMULATED_UNAVAILABLE);
    assert_int_equal(cuCtxSynchronize(), EMULATED_UNAVAILABLE);
    assert_int_equal(cuMemGetInfo_v2(&bytes, &bytes), EMULATED_UNAVAILABLE);
    assert_int_equal(cuMemFree_v2(at), EMULATED_UNAVAILABLE);
    use(ROOMY); /* the others are not */
    assert_int_equal(cuCtxSynchronize(), 0);
}

static void test_streams_and_events(void **state)
{
    (void)state;
    uint64_t stream = 0;
    uint64_t event = 0;
    uint64_t other = 0;
    float milliseconds = 1;
    use(SMALL); /* events=delayed */
    assert_int_equal(cuStreamCreate(&stream, 0), 0);
    assert_int_equal(cuEventCreate(&event, 0), 0);
    assert_int_equal(cuEventCreate(&other, 0), 0);
    assert_int_equal(cuEventQuery(event), 0); /* never recorded */
    assert_int_equal(cuEventRecord(event, stream), 0);
    assert_int_equal(cuEventQuery(event), EMULATED_NOT_READY);
    assert_int_equal(cuStreamQuery(stream), EMULATED_NOT_READY);
    assert_int_equal(cuStreamWaitEvent(0, event, 0), 0);
    assert_int_equal(cuStreamSynchronize(0), 0);
    assert_int_equal(cuEventQuery(event), EMULATED_NOT_READY);
    assert_int_equal(cuEventSynchronize(event), 0);
    assert_int_equal(cuEventQuery(event), 0);
    assert_int_equal(cuEventElapsedTime(&milliseconds, event, event), 0);
    assert_true(milliseconds == 0);
    assert_int_equal(cuEventDestroy_v2(event), 0);
    assert_int_equal(cuEventQuery(event), EMULATED_INVALID_HANDLE);
    use(ROOMY); /* prompt */
    assert_int_equal(cuEventRecord(other, stream), 0);
    assert_int_equal(cuEventQuery(other), 0);
    assert_int_equal(cuEventDestroy_v2(other), 0);
    assert_int_equal(cuStreamDestroy_v2(stream), 0);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const known[] = {"cuMemAlloc", "cuMemAlloc_v2", "cuInit", "cuLaunchKernel",
                                        "cuGetProcAddress_v2"};
    static const char *const unknown[] = {"cuMem", "cuInit_v2", "cuMemAlloc_v3", "nonsense"};
    void *function;
    int found;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(cuGetProcAddress_v2(known[i], &function, 13000, 0, &found), 0);
        assert_non_null(function);
        assert_int_equal(found, 0);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_int_equal(cuGetProcAddress_v2(unknown[i], &function, 13000, 0, &found),
                         EMULATED_NOT_FOUND);
        assert_null(function);
        assert_int_equal(found, 1);
    }
    const char *text = NULL;
    assert_int_equal(cuGetErrorName(EMULATED_OUT_OF_MEMORY, &text), 0);
    assert_string_equal(text, "CUDA_ERROR_OUT_OF_MEMORY");
    assert_int_equal(cuGetErrorString(EMULATED_UNAVAILABLE, &text), 0);
    assert_string_equal(text, "device is lost");
    assert_int_equal(cuGetErrorString(12345, &text), EMULATED_INVALID_VALUE);
    assert_string_equal(hipGetErrorName(EMULATED_NOT_READY), "hipErrorNotReady");
    assert_string_equal(hipGetErrorString(12345), "unknown error");
}

static void test_hip(void **state)
{
    (void)state;
    uint64_t at = 0;
    int device = -1;
    size_t before;
    size_t after;
    size_t total;
    emulated_set_current(false, 0); /* as a new thread */
    assert_int_equal(hipGetDevice(&device), 0);
    assert_int_equal(device, 0);
    assert_int_equal(hipSetDevice(CARDS), EMULATED_INVALID_DEVICE);
    assert_int_equal(hipSetDevice(SMALL), 0);
    assert_int_equal(hipMemGetInfo(&before, &total), 0);
    assert_int_equal(total, 10 * G);
    assert_int_equal(hipMalloc(&at, 1), 0);
    assert_int_equal(hipMemGetInfo(&after, &total), 0);
    assert_int_equal(before - after, G);
    assert_int_equal(hipMemsetD8(at, 0, 1), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(hipFree(at), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_there),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_unknown_capability),
        cmocka_unit_test(test_plain_memory),
        cmocka_unit_test(test_virtual_memory),
        cmocka_unit_test(test_without_virtual_memory),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_streams_and_events),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_hip),
    };
    (void)setenv("ZIRVE_EMULATED_CARDS",
                 "name=A rather long name,total=209715200,cc=9.0,processors=132,"
                 "integrated=yes;"
                 "total=20971520,used=6291456,events=delayed;"
                 "total=209715200,fault=oom@2,fault=oom@4+,fault=copy@2,fault=launch@1;"
                 "total=209715200,vmm=no;"
                 "total=209715200,fault=lost@3,cc=99.0",
                 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
