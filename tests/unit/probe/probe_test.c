/* What a machine says of itself, by fake vendor libraries and files (tests/support/fake.h). */
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/fake_machine.h"
#include "support/test.h"

static struct zv_environment env;
static struct zv_arena arena;
static struct fake_machine machine;

/* The machine with these libraries, NULL for none; NVIDIA's, CUDA's, AMD's three in one. */
static bool make(const char *words, const char *nvml, const char *cuda, const char *amd)
{
    static const char *const amd_names[] = {"libamd_smi.so", "librocm_smi64.so", "libamdhip64.so"};
    if (!fake_machine_make(&machine, words)) {
        print_message("# SKIP: ZIRVE_FAKE_DIR is not set\n");
        return false;
    }
    if (nvml != NULL) {
        fake_machine_library(&machine, "libnvidia-ml.so.1", nvml);
    }
    if (cuda != NULL) {
        fake_machine_library(&machine, "libcuda.so.1", cuda);
    }
    for (size_t i = 0; amd != NULL && i < 3; i++) {
        fake_machine_library(&machine, amd_names[i], amd);
    }
    return true;
}

static void look(void)
{
    struct zv_error err = {0};
    assert_int_equal(zv_probe_environment(&env, &machine.places, &arena, &err), ZV_OK);
}

static void end(void)
{
    zv_arena_free(&arena);
    fake_machine_remove(&machine);
}

/* The reading of a device, as text: bytes, or "?" and the reason. */
static const char *say(size_t device, enum zv_probe_reading at)
{
    const struct zv_probed *const reading = &env.devices[device].readings[at];
    return reading->known
               ? zv_arena_print(&arena, "%llu by %s", (unsigned long long)reading->value,
                                reading->source)
               : zv_arena_print(&arena, "? %s", reading->why != NULL ? reading->why : "");
}

static const char *word(size_t device, enum zv_probe_word at)
{
    const struct zv_probed_text *const found = &env.devices[device].words[at];
    return found->text != NULL
               ? found->text
               : zv_arena_print(&arena, "? %s", found->why != NULL ? found->why : "");
}

static const char *said(const char *what)
{
    for (size_t i = 0; i < env.source_count; i++) {
        if (strcmp(env.sources[i].what, what) == 0) {
            return env.sources[i].said != NULL ? env.sources[i].said : "";
        }
    }
    return "no such source";
}

static void test_one_device_of_two_libraries(void **state)
{
    (void)state;
    if (!make("", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    fake_machine_file(&machine, "/proc/4242/comm", "python3\n");
    look();
    assert_int_equal(env.device_count, 1);
    const struct zv_probed_device *const device = &env.devices[0];
    assert_string_equal(device->backend, "CUDA");
    assert_int_equal(device->ordinal, 0);
    assert_true(zv_probed_usable(device));
    assert_string_equal(word(0, ZV_PROBE_MODEL), "Fake GPU 24GB");
    assert_string_equal(word(0, ZV_PROBE_BUS_ID), "0000:01:00.0");
    assert_string_equal(word(0, ZV_PROBE_UUID), "GPU-00010200-0405-0607-0809-0a0b0c0d0e0f");
    assert_string_equal(word(0, ZV_PROBE_ARCHITECTURE), "8.9");
    assert_string_equal(say(0, ZV_PROBE_CAPACITY), "24000000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(say(0, ZV_PROBE_RUNTIME_CAPACITY), "23600000000 by cuDeviceTotalMem_v2");
    assert_string_equal(say(0, ZV_PROBE_USED), "3500000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(say(0, ZV_PROBE_FREE), "20000000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(say(0, ZV_PROBE_RESERVED), "500000000 by nvmlDeviceGetMemoryInfo_v2");
    assert_string_equal(say(0, ZV_PROBE_SLICED), "0 by nvmlDeviceGetMigMode");
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
    assert_string_equal(env.sources[0].driver, "550.54.14");
    assert_false(env.emulated);
    end();
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
        if (!make(troubles[i].words, troubles[i].nvml, troubles[i].cuda, NULL)) {
            return;
        }
        look();
        const char *const unusable = env.devices[0].unusable;
        const bool same_use = troubles[i].unusable == NULL
                                  ? unusable == NULL
                                  : unusable != NULL && strcmp(unusable, troubles[i].unusable) == 0;
        if (strcmp(say(0, ZV_PROBE_CAPACITY), troubles[i].capacity) != 0 ||
            strcmp(say(0, ZV_PROBE_RESERVED), troubles[i].reserved) != 0 ||
            strcmp(word(0, ZV_PROBE_MODEL), troubles[i].model) != 0 || !same_use) {
            fail_msg("row %zu: %s; %s; %s; %s", i, say(0, ZV_PROBE_CAPACITY),
                     say(0, ZV_PROBE_RESERVED), word(0, ZV_PROBE_MODEL),
                     unusable != NULL ? unusable : "usable");
        }
        end();
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
        if (!make("mig", rows[i].build, NULL, NULL)) {
            return;
        }
        look();
        const struct zv_process_list *const list = &env.devices[0].processes;
        assert_true(list->known);
        assert_string_equal(list->source, rows[i].source);
        assert_int_equal(list->count, 2);
        assert_int_equal(list->items[1].pid, 4243);
        assert_int_equal(list->items[0].used.value, 2000000000);
        assert_int_equal(list->items[1].instance, rows[i].instance);
        end();
    }
    if (make("refused", "fake_nvml_new.so", NULL, NULL)) {
        look();
        assert_false(env.devices[0].processes.known);
        assert_string_equal(
            env.devices[0].processes.why,
            "nvmlDeviceGetComputeRunningProcesses_v3 says 4, Insufficient Permissions");
        end();
    }
    if (make("no process", "fake_nvml_new.so", NULL, NULL)) {
        look();
        assert_true(env.devices[0].processes.known);
        assert_int_equal(env.devices[0].processes.count, 0);
        end();
    }
}

static void test_slices(void **state)
{
    (void)state;
    if (!make("mig", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    look();
    const struct zv_probed_device *const device = &env.devices[0];
    assert_string_equal(say(0, ZV_PROBE_SLICED), "1 by nvmlDeviceGetMigMode");
    assert_int_equal(device->instance_count, 2); /* numbers 0 and 3, a gap between */
    assert_int_equal(device->instances[1].gpu_instance, 2);
    assert_int_equal(device->instances[1].compute_instance, 0);
    assert_string_equal(device->instances[1].words[ZV_PROBE_MODEL].text, "Fake GPU MIG 1g.10gb");
    assert_string_equal(device->instances[1].words[ZV_PROBE_UUID].text,
                        "MIG-00010201-0405-0607-0809-0a0b0c0d0e0f");
    assert_int_equal(device->instances[1].readings[ZV_PROBE_CAPACITY].value, 10000000000);
    /* what CUDA says is of the slice that it lists, and not of the device */
    assert_string_equal(say(0, ZV_PROBE_RUNTIME_CAPACITY), "? CUDA lists a slice of it");
    assert_int_equal(device->instances[1].readings[ZV_PROBE_RUNTIME_CAPACITY].value, 9600000000);
    assert_false(device->instances[0].readings[ZV_PROBE_RUNTIME_CAPACITY].known);
    end();
    if (make("mig other slice", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        look();
        assert_string_equal(say(0, ZV_PROBE_RUNTIME_CAPACITY),
                            "? CUDA lists a slice of it, and not which");
        end();
    }
}

/* CUDA numbers them the other way round; one that NVML lost is there and says so. */
static void test_two_devices(void **state)
{
    (void)state;
    if (!make("two", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    look();
    assert_int_equal(env.device_count, 2);
    assert_int_equal(env.devices[0].ordinal, 1);
    assert_int_equal(env.devices[1].ordinal, 0);
    assert_int_equal(env.devices[1].readings[ZV_PROBE_RUNTIME_CAPACITY].value, 47600000000);
    assert_ptr_equal(zv_probed_named(&env, (struct zv_device_name){.index = 0}), &env.devices[1]);
    assert_null(zv_probed_named(&env, (struct zv_device_name){.index = 2}));
    end();
    if (!make("two hidden", "fake_nvml_new.so", "fake_cuda_new.so", NULL)) {
        return;
    }
    look();
    assert_string_equal(env.devices[0].unusable, "the CUDA driver does not list it");
    assert_null(env.devices[1].unusable);
    end();
    if (!make("two second lost", "fake_nvml_new.so", NULL, NULL)) {
        return;
    }
    look();
    assert_int_equal(env.device_count, 2);
    assert_string_equal(say(1, ZV_PROBE_USED),
                        "? nvmlDeviceGetHandleByIndex_v2 says 15, GPU is lost");
    assert_false(env.devices[1].processes.known);
    end();
}

static void add_amd_files(void)
{
    static const char card[] = "/sys/class/drm/card1/device/";
    static const struct {
        const char *name;
        const char *text;
    } files[] = {{"vendor", "0x1002\n"},
                 {"uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:03:00.0\n"},
                 {"mem_info_vram_total", "17163091968\n"},
                 {"mem_info_vram_used", "3145728\n"},
                 {"product_name", "Fake Instinct by its kernel\n"}};
    char path[256];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(path, sizeof path, "%s%s", card, files[i].name);
        fake_machine_file(&machine, path, files[i].text);
    }
    fake_machine_file(&machine, "/sys/class/drm/card0/device/vendor", "0x1a03\n");
}

static void add_kfd_files(void)
{
    static const char nodes[] = "/sys/class/kfd/kfd/topology/nodes/";
    char path[256];
    (void)snprintf(path, sizeof path, "%s0/gpu_id", nodes);
    fake_machine_file(&machine, path, "0\n");
    (void)snprintf(path, sizeof path, "%s1/gpu_id", nodes);
    fake_machine_file(&machine, path, "6720\n");
    (void)snprintf(path, sizeof path, "%s1/properties", nodes);
    fake_machine_file(&machine, path,
                      "cpu_cores_count 0\nlocation_id 768\ndomain 0\ngfx_target_version 90010\n");
    fake_machine_file(&machine, "/sys/class/kfd/kfd/proc/777/vram_6720", "524288000\n");
    fake_machine_file(&machine, "/sys/class/kfd/kfd/proc/99/vram_6720", "1048576\n");
    fake_machine_file(&machine, "/sys/class/kfd/kfd/proc/100/vram_6720", "0\n");
    fake_machine_file(&machine, "/proc/777/comm", "train\n");
}

static void test_amd(void **state)
{
    (void)state;
    if (!make("", NULL, NULL, "fake_amd_new.so")) {
        return;
    }
    add_amd_files();
    add_kfd_files();
    look();
    assert_int_equal(env.device_count, 1);
    const struct zv_probed_device *const device = &env.devices[0];
    assert_string_equal(device->backend, "HIP");
    assert_int_equal(device->vendor, ZV_PROBE_AMD);
    assert_string_equal(word(0, ZV_PROBE_BUS_ID), "0000:03:00.0");
    assert_string_equal(word(0, ZV_PROBE_UUID), "f8ff73bf-0000-1000-80ff-eb47a027de4d");
    assert_string_equal(word(0, ZV_PROBE_MODEL), "Fake Instinct 16GB");
    assert_string_equal(word(0, ZV_PROBE_ARCHITECTURE), "gfx90a");
    assert_string_equal(say(0, ZV_PROBE_CAPACITY), "17163091968 by amdsmi_get_gpu_memory_total");
    assert_string_equal(say(0, ZV_PROBE_USED), "1310720 by amdsmi_get_gpu_memory_usage");
    assert_string_equal(say(0, ZV_PROBE_RUNTIME_CAPACITY), "17095983104 by hipDeviceTotalMem");
    assert_string_equal(say(0, ZV_PROBE_FREE), "? "); /* nobody says it */
    assert_int_equal(device->readings[ZV_PROBE_VMM].value, 1);
    assert_int_equal(device->processes.count, 2);
    assert_int_equal(device->processes.items[0].pid, 99);
    assert_string_equal(device->processes.items[1].name, "train");
    assert_int_equal(device->processes.items[1].used.value, 524288000);
    end();
}

/* One source after another goes; the next in rank answers. */
static void test_amd_fallbacks(void **state)
{
    (void)state;
    if (!make("amd lost", NULL, NULL, "fake_amd_new.so")) {
        return;
    }
    look();
    assert_string_equal(say(0, ZV_PROBE_USED), "2097152 by rsmi_dev_memory_usage_get");
    end();
    if (!make("amd refused hip fails", NULL, NULL, "fake_amd_new.so")) {
        return;
    }
    add_amd_files();
    look();
    assert_int_equal(env.device_count, 1);
    assert_string_equal(said("AMD SMI"), "amdsmi_init says 4, AMDSMI_STATUS_NO_PERM");
    assert_string_equal(said("ROCm SMI"), "rsmi_init says 4, RSMI_STATUS_PERMISSION");
    assert_int_equal(env.devices[0].readings[ZV_PROBE_USED].value, 3145728);
    assert_string_equal(word(0, ZV_PROBE_MODEL), "Fake Instinct by its kernel");
    assert_string_equal(env.devices[0].unusable,
                        "hipInit says 100, no ROCm-capable device is detected");
    end();
    if (!make("", NULL, NULL, "fake_amd_bare.so")) {
        return;
    }
    look(); /* no library tells the address: three that cannot be joined, each with its reasons */
    assert_int_equal(env.device_count, 3);
    assert_string_equal(say(0, ZV_PROBE_CAPACITY),
                        "? libamd_smi.so has no amdsmi_get_gpu_memory_total");
    assert_string_equal(say(2, ZV_PROBE_RUNTIME_CAPACITY),
                        "? libamdhip64.so has no hipDeviceTotalMem");
    end();
    if (!make("", NULL, NULL, "fake_amd_no_start.so")) {
        return;
    }
    look();
    assert_int_equal(env.device_count, 0);
    assert_string_equal(said("HIP runtime"), "libamdhip64.so has no hipDeviceGet");
    end();
}

/* The kernel driver lists it for compute and there is no HIP library to ask: PyTorch's own may. */
static void test_kernel_only(void **state)
{
    (void)state;
    if (!make("", NULL, NULL, NULL)) {
        return;
    }
    add_amd_files();
    add_kfd_files();
    fake_machine_file(&machine, "/proc/driver/nvidia/version",
                      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22\n");
    fake_machine_file(&machine, "/proc/driver/nvidia/gpus/0000:01:00.0/information",
                      "Model: \t\t Fake GPU 24GB\nIRQ:   142\nGPU UUID: \t GPU-00010200\n");
    look();
    assert_int_equal(env.device_count, 2);
    assert_null(env.devices[0].backend);
    assert_true(zv_probed_usable(&env.devices[0]));
    assert_string_equal(env.devices[1].unusable, "libcuda.so.1 is not there");
    assert_string_equal(word(1, ZV_PROBE_MODEL), "Fake GPU 24GB");
    assert_string_equal(word(1, ZV_PROBE_UUID), "GPU-00010200");
    assert_string_equal(env.sources[6].driver, "550.54.14");
    end();
}

static void test_nothing(void **state)
{
    (void)state;
    if (!make("", NULL, NULL, NULL)) {
        return;
    }
    fake_machine_file(&machine, "/sys/class/drm/card0/device/vendor", "0x8086\n");
    look();
    assert_int_equal(env.device_count, 0);
    assert_int_equal(env.source_count, 8);
    assert_string_equal(said("NVML"), "libnvidia-ml.so.1 is not there");
    assert_string_equal(said("amdgpu driver"), "card0 is of PCI vendor 0x8086");
    end();
}

/* A file under the library's name that is none is not "not there". */
static void test_damaged_library(void **state)
{
    (void)state;
    if (!make("", NULL, NULL, NULL)) {
        return;
    }
    fake_machine_file(&machine, "/../lib/libcuda.so.1", "no library\n");
    look();
    assert_non_null(strstr(said("CUDA driver"), "libcuda.so.1 does not load: "));
    end();
}

static const char *setting(const char *name)
{
    for (size_t i = 0; i < env.setting_count; i++) {
        if (strcmp(env.settings[i].name, name) == 0) {
            return env.settings[i].value;
        }
    }
    return NULL;
}

static void test_settings(void **state)
{
    (void)state;
    if (!make("", NULL, NULL, NULL)) {
        return;
    }
    (void)setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", 1);
    (void)setenv("CUDA_VISIBLE_DEVICES", "", 1); /* empty is a setting: no device */
    (void)unsetenv("LD_PRELOAD");
    look();
    assert_string_equal(setting("PYTORCH_CUDA_ALLOC_CONF"), "expandable_segments:True");
    assert_string_equal(setting("CUDA_VISIBLE_DEVICES"), "");
    assert_null(setting("LD_PRELOAD"));
    (void)unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    end();
}

static void test_pythons(void **state)
{
    (void)state;
    char path[512];
    if (!make("", NULL, NULL, NULL)) {
        return;
    }
    const char *const old = getenv("PATH");
    char *const kept = strdup(old != NULL ? old : "");
    fake_machine_file(&machine, "/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    fake_machine_file(&machine, "/venv/lib/python3.11/site-packages/torch/version.py",
                      "from typing import Optional\n\n__version__ = '2.6.0+cu124'\ndebug = False\n"
                      "cuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n");
    fake_machine_file(&machine, "/opt/bin/python3", "");
    fake_machine_file(&machine, "/opt/lib/python3.12/site-packages/torch/version.py",
                      "__version__ = '2.5.1+rocm6.2'\ncuda = None\nhip = '6.2.41133'\n");
    fake_machine_file(&machine, "/opt/lib/python3.9/x", "");
    (void)snprintf(path, sizeof path, "chmod +x %s/opt/bin/python3", machine.root);
    assert_int_equal(system(path), 0); /* NOLINT(cert-env33-c) */
    (void)snprintf(path, sizeof path, "%s/venv", machine.root);
    (void)setenv("VIRTUAL_ENV", path, 1);
    (void)snprintf(path, sizeof path, "%s/nowhere:%s/opt/bin", machine.root, machine.root);
    (void)setenv("PATH", path, 1);
    look();
    (void)setenv("PATH", kept, 1);
    free(kept);
    (void)unsetenv("VIRTUAL_ENV");
    assert_int_equal(env.python_count, 2);
    assert_string_equal(env.pythons[0].version, "3.11.7");
    assert_string_equal(env.pythons[0].torch, "2.6.0+cu124");
    assert_string_equal(env.pythons[0].torch_backend, "CUDA 12.4");
    assert_string_equal(env.pythons[1].version, "3.12"); /* the newer of the two folders */
    assert_string_equal(env.pythons[1].torch_backend, "HIP 6.2.41133");
    end();
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
        if (!make(memories[i].words, memories[i].nvml, NULL, NULL)) {
            return;
        }
        const enum zv_status status =
            zv_probe_memory(&memory, memories[i].index, &machine.places, &err);
        if (status != memories[i].status || memory.used_bytes != memories[i].used ||
            memory.used_counts_reserved != memories[i].reserved ||
            strstr(err.text, memories[i].said) == NULL) {
            fail_msg("row %zu: %d, %llu used, %s", i, (int)status,
                     (unsigned long long)memory.used_bytes, err.text);
        }
        end();
    }
}

/* NVML's devices come first; a damaged file is a reason. */
static void test_memory_of_amd(void **state)
{
    (void)state;
    struct zv_error err = {0};
    struct zv_probed_memory memory;
    if (!make("", "fake_nvml_new.so", NULL, NULL)) {
        return;
    }
    add_amd_files();
    fake_machine_file(&machine, "/sys/class/drm/card2/device/mem_info_vram_total", "1024\n");
    fake_machine_file(&machine, "/sys/class/drm/card2/device/mem_info_vram_used", "many\n");
    assert_int_equal(zv_probe_memory(&memory, 1, &machine.places, NULL), ZV_OK);
    assert_int_equal(memory.used_bytes, 3145728);
    assert_int_equal(memory.total_bytes, 17163091968);
    assert_string_equal(memory.name, "Fake Instinct by its kernel");
    assert_non_null(strstr(memory.source, "mem_info_vram_used"));
    assert_int_equal(zv_probe_memory(&memory, 2, &machine.places, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "mem_info_vram_used says \"many\""));
    end();
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    if (!make("mig", "fake_nvml_new.so", "fake_cuda_new.so", "fake_amd_new.so")) {
        return;
    }
    add_amd_files();
    add_kfd_files();
    size_t failed = 1;
    for (size_t n = 1; failed != 0; n++) {
        struct zv_error err = {0};
        fail_memory_start(n);
        const enum zv_status status = zv_probe_environment(&env, &machine.places, &arena, &err);
        failed = fail_memory.failed;
        assert_int_equal(status, failed != 0 ? ZV_E_NOMEM : ZV_OK);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_in_range(n, 1, 10000);
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device_of_two_libraries),
        cmocka_unit_test(test_troubles),
        cmocka_unit_test(test_old_and_odd_lists),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_amd),
        cmocka_unit_test(test_amd_fallbacks),
        cmocka_unit_test(test_kernel_only),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_damaged_library),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_pythons),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_amd),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
