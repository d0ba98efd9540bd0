/* AMD's devices, and those of which only a kernel driver tells. */
#include <string.h>

#include "probe/probe.h"
#include "support/probed_machine.h"
#include "support/test.h"

static void test_amd(void **state)
{
    (void)state;
    if (!probed_make("", NULL, NULL, "fake_amd_new.so")) {
        return;
    }
    probed_add_amd();
    probed_add_kfd();
    probed_look();
    assert_int_equal(probed.env.device_count, 1);
    const struct zv_probed_device *const device = &probed.env.devices[0];
    assert_string_equal(device->backend, "HIP");
    assert_int_equal(device->vendor, ZV_PROBE_AMD);
    assert_string_equal(probed_word(0, ZV_PROBE_BUS_ID), "0000:03:00.0");
    assert_string_equal(probed_word(0, ZV_PROBE_UUID), "f8ff73bf-0000-1000-80ff-eb47a027de4d");
    assert_string_equal(probed_word(0, ZV_PROBE_MODEL), "Fake Instinct 16GB");
    assert_string_equal(probed_word(0, ZV_PROBE_ARCHITECTURE), "gfx90a");
    assert_string_equal(probed_say(0, ZV_PROBE_CAPACITY),
                        "17163091968 by amdsmi_get_gpu_memory_total");
    assert_string_equal(probed_say(0, ZV_PROBE_USED), "1310720 by amdsmi_get_gpu_memory_usage");
    assert_string_equal(probed_say(0, ZV_PROBE_RUNTIME_CAPACITY),
                        "17095983104 by hipDeviceTotalMem");
    assert_string_equal(probed_say(0, ZV_PROBE_FREE), "? "); /* nobody says it */
    assert_int_equal(device->readings[ZV_PROBE_VMM].value, 1);
    assert_int_equal(device->processes.count, 2);
    assert_int_equal(device->processes.items[0].pid, 99);
    assert_string_equal(device->processes.items[1].name, "train");
    assert_int_equal(device->processes.items[1].used.value, 524288000);
    probed_end();
}

/* One source after another goes; the next in rank answers. */
static void test_amd_fallbacks(void **state)
{
    (void)state;
    if (!probed_make("amd lost", NULL, NULL, "fake_amd_new.so")) {
        return;
    }
    probed_look();
    assert_string_equal(probed_say(0, ZV_PROBE_USED), "2097152 by rsmi_dev_memory_usage_get");
    probed_end();
    if (!probed_make("amd refused hip fails", NULL, NULL, "fake_amd_new.so")) {
        return;
    }
    probed_add_amd();
    probed_look();
    assert_int_equal(probed.env.device_count, 1);
    assert_string_equal(probed_said("AMD SMI"), "amdsmi_init says 4, AMDSMI_STATUS_NO_PERM");
    assert_string_equal(probed_said("ROCm SMI"), "rsmi_init says 4, RSMI_STATUS_PERMISSION");
    assert_int_equal(probed.env.devices[0].readings[ZV_PROBE_USED].value, 3145728);
    assert_string_equal(probed_word(0, ZV_PROBE_MODEL), "Fake Instinct by its kernel");
    assert_string_equal(probed.env.devices[0].unusable,
                        "hipInit says 100, no ROCm-capable device is detected");
    probed_end();
    if (!probed_make("", NULL, NULL, "fake_amd_bare.so")) {
        return;
    }
    probed_look(); /* no library tells the address: three that cannot be joined, each with its
                      reasons */
    assert_int_equal(probed.env.device_count, 3);
    assert_string_equal(probed_say(0, ZV_PROBE_CAPACITY),
                        "? libamd_smi.so has no amdsmi_get_gpu_memory_total");
    assert_string_equal(probed_say(2, ZV_PROBE_RUNTIME_CAPACITY),
                        "? libamdhip64.so has no hipDeviceTotalMem");
    probed_end();
    if (!probed_make("", NULL, NULL, "fake_amd_no_start.so")) {
        return;
    }
    probed_look();
    assert_int_equal(probed.env.device_count, 0);
    assert_string_equal(probed_said("HIP runtime"), "libamdhip64.so has no hipDeviceGet");
    probed_end();
}

/* The kernel driver lists it for compute and there is no HIP library to ask: PyTorch's own may. */
static void test_kernel_only(void **state)
{
    (void)state;
    if (!probed_make("", NULL, NULL, NULL)) {
        return;
    }
    probed_add_amd();
    probed_add_kfd();
    fake_machine_file(&probed.machine, "/proc/driver/nvidia/version",
                      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22\n");
    fake_machine_file(&probed.machine, "/proc/driver/nvidia/gpus/0000:01:00.0/information",
                      "Model: \t\t Fake GPU 24GB\nIRQ:   142\nGPU UUID: \t GPU-00010200\n");
    probed_look();
    assert_int_equal(probed.env.device_count, 2);
    assert_null(probed.env.devices[0].backend);
    assert_true(zv_probed_usable(&probed.env.devices[0]));
    assert_string_equal(probed.env.devices[1].unusable, "libcuda.so.1 is not there");
    assert_string_equal(probed_word(1, ZV_PROBE_MODEL), "Fake GPU 24GB");
    assert_string_equal(probed_word(1, ZV_PROBE_UUID), "GPU-00010200");
    assert_string_equal(probed.env.sources[6].driver, "550.54.14");
    probed_end();
}

/* NVML's devices come first; a damaged file is a reason. */
static void test_memory_of_amd(void **state)
{
    (void)state;
    struct zv_error err = {0};
    struct zv_probed_memory memory;
    if (!probed_make("", "fake_nvml_new.so", NULL, NULL)) {
        return;
    }
    probed_add_amd();
    fake_machine_file(&probed.machine, "/sys/class/drm/card2/device/mem_info_vram_total", "1024\n");
    fake_machine_file(&probed.machine, "/sys/class/drm/card2/device/mem_info_vram_used", "many\n");
    assert_int_equal(zv_probe_memory(&memory, 1, &probed.machine.places, NULL), ZV_OK);
    assert_int_equal(memory.used_bytes, 3145728);
    assert_int_equal(memory.total_bytes, 17163091968);
    assert_string_equal(memory.name, "Fake Instinct by its kernel");
    assert_non_null(strstr(memory.source, "mem_info_vram_used"));
    assert_int_equal(zv_probe_memory(&memory, 2, &probed.machine.places, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "mem_info_vram_used says \"many\""));
    probed_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amd),
        cmocka_unit_test(test_amd_fallbacks),
        cmocka_unit_test(test_kernel_only),
        cmocka_unit_test(test_memory_of_amd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
