/*
 * What a machine says of itself, by fake vendor libraries and files (tests/support/fake.h):
 * NVIDIA's devices, and what goes for all. AMD's are in probe_amd_test.c, the rest in
 * probe_software_test.c.
 */
#include "probe/probe.h"

#include <string.h>

#include "support/fail_memory.h"
#include "support/probed_machine.h"
#include "support/test.h"

static void test_one_device_of_two_libraries(void **state)
{
    (void)state;
    if (!probed_make("", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    fake_machine_file(&probed.machine, "/proc/4242/comm", "python3\n");
    probed_look();
    assert_int_equal(probed.env.device_count, 1);
    const struct zv_probed_device *const device = &probed.env.devices[0];
    assert_string_equal(device->backend, "CUDA");
    assert_int_equal(device->ordinal, 0);
    assert_true(zv_probed_usable(device));
    assert_string_equal(probed_word(0, ZV_PROBE_MODEL), "Fake GPU 24GB");
    assert_string_equal(probed_word(0, ZV_PROBE_BUS_ID), "0000:01:00.0");
    assert_string_equal(probed_word(0, ZV_PROBE_UUID), "GPU-00010200-0405-0607-0809-0a0b0c0d0e0f");
    assert_string_equal(probed_word(0, ZV_PROBE_ARCHITECTURE), "8.9");
    assert_string_equal(probed_say(0, ZV_PROBE_CAPACITY),
                        "24000000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(probed_say(0, ZV_PROBE_RUNTIME_CAPACITY),
                        "23600000000 by cuDeviceTotalMem_v2");
    assert_string_equal(probed_say(0, ZV_PROBE_USED), "3500000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(probed_say(0, ZV_PROBE_FREE), "20000000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(probed_say(0, ZV_PROBE_RESERVED),
                        "500000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(probed_say(0, ZV_PROBE_SLICED), "0 by nvmlDeviceGetMigMode");
    assert_int_equal(device->readings[ZV_PROBE_VMM].value, 1);
    assert_false(device->used_counts_reserved);
    assert_true(device->processes.known);
    assert_int_equal(device->processes.count, 2); /* the graphics list has the same two */
    assert_int_equal(device->processes.items[0].pid, 4242);
    assert_string_equal(device->processes.items[0].name, "python3");
    assert_int_equal(device->processes.items[0].used.value, 2000000000);
    assert_int_equal(device->processes.items[0].instance, ZV_PROBE_NO_INSTANCE);
    assert_int_equal(device->processes.items[1].pid, 4243);
    assert_null(device->processes.items[1].name);
    assert_false(device->processes.items[1].used.known);
    assert_string_equal(probed.env.sources[0].driver, "550.54.14");
    assert_false(probed.env.emulated);
    probed_end();
}

/* What each age of library and each trouble makes of the first device's readings. */
static const struct {
    const char *words;
    const char *nvml;
    const char *cuda;
    const char *capacity;
    const char *reserved;
    const char *model;
    const char *unusable; /* NULL: usable */
} troubles[] = {
    {"", "fake_nvml_old.so", "fake_cuda_old.so", "24000000000 by nvmlDeviceGetMemoryInfo",
     "? libnvidia-ml.so.1 has no nvmlDeviceGetMemoryInfo_v2", "Fake GPU 24GB", NULL},
    {"odd version", "fake_nvml_new.so", "fake_cuda_new.so",
     "24000000000 by nvmlDeviceGetMemoryInfo",
     "? nvmlDeviceGetMemoryInfo_v2 says 25, Invalid Argument", "Fake GPU 24GB", NULL},
    {"", "fake_nvml_bare.so", "fake_cuda_bare.so",
     "? libnvidia-ml.so.1 has no "
     "nvmlDeviceGetMemoryInfo_v2",
     "? libnvidia-ml.so.1 has no nvmlDeviceGetMemoryInfo_v2",
     "? libnvidia-ml.so.1 has no nvmlDeviceGetName", "the CUDA driver does not list it"},
    {"refused", "fake_nvml_new.so", "fake_cuda_new.so", "24000000000 by nvmlDeviceGetMemoryInfo_v2",
     "500000000 by nvmlDeviceGetMemoryInfo_v2", "Fake GPU by CUDA", NULL},
    {"lost midway", "fake_nvml_new.so", "fake_cuda_new.so",
     "? nvmlDeviceGetMemoryInfo says 15, GPU is lost",
     "? nvmlDeviceGetMemoryInfo_v2 says 15, GPU is lost", "Fake GPU 24GB", NULL},
    {"", "fake_nvml_new.so", NULL, "24000000000 by nvmlDeviceGetMemoryInfo_v2",
     "500000000 by nvmlDeviceGetMemoryInfo_v2", "Fake GPU 24GB", "libcuda.so.1 is not there"},
    {"", "fake_nvml_new.so", "fake_cuda_no_start.so", "24000000000 by nvmlDeviceGetMemoryInfo_v2",
     "500000000 by nvmlDeviceGetMemoryInfo_v2", "Fake GPU 24GB", "libcuda.so.1 has no cuDeviceGet"},
    {"no fabric", "fake_nvml_new.so", "fake_cuda_new.so",
     "24000000000 by nvmlDeviceGetMemoryInfo_v2", "500000000 by nvmlDeviceGetMemoryInfo_v2",
     "Fake GPU 24GB", "cuInit says 802, system not yet initialized"},
    {"count fails", "fake_nvml_new.so", "fake_cuda_new.so",
     "24000000000 by nvmlDeviceGetMemoryInfo_v2", "500000000 by nvmlDeviceGetMemoryInfo_v2",
     "Fake GPU 24GB", "cuDeviceGetCount says 999"},
    {"device fails", "fake_nvml_new.so", "fake_cuda_new.so",
     "24000000000 by nvmlDeviceGetMemoryInfo_v2", "500000000 by nvmlDeviceGetMemoryInfo_v2",
     "Fake GPU 24GB", "cuDeviceGet says 101"},
    {"no driver", "fake_nvml_new.so", "fake_cuda_new.so", "? ", "? ", "Fake GPU by CUDA", NULL},
    {"no address", "fake_nvml_new.so", "fake_cuda_new.so", /* joined by its UUID then */
     "24000000000 by nvmlDeviceGetMemoryInfo_v2", "500000000 by nvmlDeviceGetMemoryInfo_v2",
     "Fake GPU 24GB", NULL},
};

static void test_troubles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        if (!probed_make(troubles[i].words, troubles[i].nvml, troubles[i].cuda, NULL)) {
            return;
        }
        probed_look();
        const char *const unusable = probed.env.devices[0].unusable;
        const bool same_use = troubles[i].unusable == NULL
                                  ? unusable == NULL
                                  : unusable != NULL && strcmp(unusable, troubles[i].unusable) == 0;
        if (strcmp(probed_say(0, ZV_PROBE_CAPACITY), troubles[i].capacity) != 0 ||
            strcmp(probed_say(0, ZV_PROBE_RESERVED), troubles[i].reserved) != 0 ||
            strcmp(probed_word(0, ZV_PROBE_MODEL), troubles[i].model) != 0 || !same_use) {
            fail_msg("row %zu: %s; %s; %s; %s", i, probed_say(0, ZV_PROBE_CAPACITY),
                     probed_say(0, ZV_PROBE_RESERVED), probed_word(0, ZV_PROBE_MODEL),
                     unusable != NULL ? unusable : "usable");
        }
        probed_end();
    }
}

static void test_old_and_odd_lists(void **state)
{
    (void)state;
    static const struct {
        const char *build;
        const char *source;
        uint32_t instance;
    } rows[] = {
        {"fake_nvml_old.so", "nvmlDeviceGetComputeRunningProcesses", ZV_PROBE_NO_INSTANCE},
        {"fake_nvml_new.so", "nvmlDeviceGetComputeRunningProcesses_v3", 1},
        {"fake_nvml_r530.so", "nvmlDeviceGetComputeRunningProcesses_v3", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!probed_make("mig", rows[i].build, NULL, NULL)) {
            return;
        }
        probed_look();
        const struct zv_process_list *const list = &probed.env.devices[0].processes;
        assert_true(list->known);
        assert_string_equal(list->source, rows[i].source);
        assert_int_equal(list->count, 2);
        assert_int_equal(list->items[1].pid, 4243);
        assert_int_equal(list->items[0].used.value, 2000000000);
        assert_int_equal(list->items[1].instance, rows[i].instance);
        probed_end();
    }
    if (probed_make("refused", "fake_nvml_new.so", NULL, NULL)) {
        probed_look();
        assert_false(probed.env.devices[0].processes.known);
        assert_string_equal(
            probed.env.devices[0].processes.why,
            "nvmlDeviceGetComputeRunningProcesses_v3 says 4, Insufficient Permissions");
        probed_end();
    }
    if (probed_make("no process", "fake_nvml_new.so", NULL, NULL)) {
        probed_look();
        assert_true(probed.env.devices[0].processes.known);
        assert_int_equal(probed.env.devices[0].processes.count, 0);
        probed_end();
    }
}

static void test_slices(void **state)
{
    (void)state;
    if (!probed_make("mig", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    probed_look();
    const struct zv_probed_device *const device = &probed.env.devices[0];
    assert_string_equal(probed_say(0, ZV_PROBE_SLICED), "1 by nvmlDeviceGetMigMode");
    assert_int_equal(device->instance_count, 2); /* numbers 0 and 3, a gap between */
    assert_int_equal(device->instances[1].gpu_instance, 2);
    assert_int_equal(device->instances[1].compute_instance, 0);
    assert_string_equal(device->instances[1].words[ZV_PROBE_MODEL].text, "Fake GPU MIG 1g.10gb");
    assert_string_equal(device->instances[1].words[ZV_PROBE_UUID].text,
                        "MIG-00010201-0405-0607-0809-0a0b0c0d0e0f");
    assert_int_equal(device->instances[1].readings[ZV_PROBE_CAPACITY].value, 10000000000);
    /* what CUDA says is of the slice that it lists, and not of the device */
    assert_string_equal(probed_say(0, ZV_PROBE_RUNTIME_CAPACITY), "? CUDA lists a slice of it");
    assert_int_equal(device->instances[1].readings[ZV_PROBE_RUNTIME_CAPACITY].value, 9600000000);
    assert_false(device->instances[0].readings[ZV_PROBE_RUNTIME_CAPACITY].known);
    probed_end();
    if (probed_make("mig other slice", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        probed_look();
        assert_string_equal(probed_say(0, ZV_PROBE_RUNTIME_CAPACITY),
                            "? CUDA lists a slice of it, and not which");
        probed_end();
    }
}

/* CUDA numbers them the other way round; one that NVML lost is there and says so. */
static void test_two_devices(void **state)
{
    (void)state;
    if (!probed_make("two", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    probed_look();
    assert_int_equal(probed.env.device_count, 2);
    assert_int_equal(probed.env.devices[0].ordinal, 1);
    assert_int_equal(probed.env.devices[1].ordinal, 0);
    assert_int_equal(probed.env.devices[1].readings[ZV_PROBE_RUNTIME_CAPACITY].value, 47600000000);
    assert_ptr_equal(zv_probed_named(&probed.env, (struct zv_device_name){.index = 0}),
                     &probed.env.devices[1]);
    assert_null(zv_probed_named(&probed.env, (struct zv_device_name){.index = 2}));
    probed_end();
    if (!probed_make("two hidden", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    probed_look();
    assert_string_equal(probed.env.devices[0].unusable, "the CUDA driver does not list it");
    assert_null(probed.env.devices[1].unusable);
    probed_end();
    if (!probed_make("two second lost", "fake_nvml_new.so", NULL, NULL)) {
        return;
    }
    probed_look();
    assert_int_equal(probed.env.device_count, 2);
    assert_string_equal(probed_say(1, ZV_PROBE_USED),
                        "? nvmlDeviceGetHandleByIndex_v2 says 15, GPU is lost");
    assert_false(probed.env.devices[1].processes.known);
    probed_end();
}

static void test_nothing(void **state)
{
    (void)state;
    if (!probed_make("", NULL, NULL, NULL)) {
        return;
    }
    fake_machine_file(&probed.machine, "/sys/class/drm/card0/device/vendor", "0x8086\n");
    probed_look();
    assert_int_equal(probed.env.device_count, 0);
    assert_int_equal(probed.env.source_count, 8);
    assert_string_equal(probed_said("NVML"), "libnvidia-ml.so.1 is not there");
    assert_string_equal(probed_said("amdgpu driver"), "card0 is of PCI vendor 0x8086");
    probed_end();
}

/* A file under the library's name that is none is not "not there". */
static void test_damaged_library(void **state)
{
    (void)state;
    if (!probed_make("", NULL, NULL, NULL)) {
        return;
    }
    fake_machine_file(&probed.machine, "/../lib/libcuda.so.1", "no library\n");
    probed_look();
    assert_non_null(strstr(probed_said("CUDA driver"), "libcuda.so.1 does not load: "));
    probed_end();
}

static const struct {
    const char *words;
    const char *nvml;
    uint32_t index;
    enum zv_status status;
    uint64_t used;
    bool reserved;
    const char *said;
} memories[] = {
    {"", "fake_nvml_new.so", 0, ZV_OK, 3500000000, false, ""},
    {"", "fake_nvml_new.so", 1, ZV_E_DEVICE, 0, false, "no usable GPU 1: NVML has 1; libamd_smi"},
    {"", "fake_nvml_old.so", 0, ZV_OK, 4000000000, true, ""},
    {"", "fake_nvml_no_start.so", 0, ZV_E_DEVICE, 0, false, "has no nvmlInit_v2"},
    {"", "fake_nvml_bare.so", 0, ZV_E_DEVICE, 0, false, "has no nvmlDeviceGetMemoryInfo"},
    {"no driver", "fake_nvml_new.so", 0, ZV_E_DEVICE, 0, false, "says 9, Driver Not Loaded"},
    {"no device", "fake_nvml_new.so", 0, ZV_E_DEVICE, 0, false, "NVML has 0"},
    {"lost midway", "fake_nvml_new.so", 0, ZV_E_DEVICE, 0, false, "says 15, GPU is lost"},
    {"", NULL, 0, ZV_E_DEVICE, 0, false, "libnvidia-ml.so.1 is not there"},
};

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        struct zv_error err = {0};
        struct zv_probed_memory memory;
        if (!probed_make(memories[i].words, memories[i].nvml, NULL, NULL)) {
            return;
        }
        const enum zv_status status =
            zv_probe_memory(&memory, memories[i].index, &probed.machine.places, &err);
        if (status != memories[i].status || memory.used_bytes != memories[i].used ||
            memory.used_counts_reserved != memories[i].reserved ||
            strstr(err.text, memories[i].said) == NULL) {
            fail_msg("row %zu: %d, %llu used, %s", i, (int)status,
                     (unsigned long long)memory.used_bytes, err.text);
        }
        probed_end();
    }
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    if (!probed_make("mig", "fake_nvml_new.so", "fake_cuda_new.so", "fake_amd_new.so")) {
        return;
    }
    probed_add_amd();
    probed_add_kfd();
    size_t failed = 1;
    for (size_t n = 1; failed != 0; n++) {
        struct zv_error err = {0};
        fail_memory_start(n);
        const enum zv_status status =
            zv_probe_environment(&probed.env, &probed.machine.places, &probed.arena, &err);
        failed = fail_memory.failed;
        assert_int_equal(status, failed != 0 ? ZV_E_NOMEM : ZV_OK);
        zv_arena_free(&probed.arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_in_range(n, 1, 10000);
    }
    probed_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device_of_two_libraries),
        cmocka_unit_test(test_troubles),
        cmocka_unit_test(test_old_and_odd_lists),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_damaged_library),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
