/* Live readings from fake vendors. */
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static const struct {
    const char *library;
    uint32_t index;
    enum zv_status status;
    uint64_t used;
    bool reserved;
    const char *words; /* of the error */
} cases[] = {
    {"fake_nvml_ok.so", 0, ZV_OK, 3500000000, false, ""},
    {"fake_nvml_ok.so", 1, ZV_E_DEVICE, 0, false, "nvmlDeviceGetHandleByIndex_v2 says 2"},
    {"fake_nvml_old.so", 0, ZV_OK, 4000000000, true, ""},
    {"fake_nvml_no_init.so", 0, ZV_E_DEVICE, 0, false, "has no nvmlInit_v2"},
    {"fake_nvml_no_memory.so", 0, ZV_E_DEVICE, 0, false, "has no nvmlDeviceGetMemoryInfo"},
    {"fake_nvml_init_fails.so", 0, ZV_E_DEVICE, 0, false, "nvmlInit_v2 says 9, Driver Not Loaded"},
    {"fake_nvml_no_device.so", 0, ZV_E_DEVICE, 0, false, "nvmlDeviceGetHandleByIndex_v2 says 2"},
    {"nothing.so", 0, ZV_E_DEVICE, 0, false, "nothing.so is not there"},
};

static void test_nvml(void **state)
{
    (void)state;
    const char *const folder = getenv("ZIRVE_FAKE_DIR");
    if (folder == NULL) {
        print_message("# SKIP: ZIRVE_FAKE_DIR is not set\n");
        return;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[512];
        struct zv_error err = {0};
        struct zv_device_memory memory;
        (void)snprintf(path, sizeof path, "%s/%s", folder, cases[i].library);
        const struct zv_probe_places places = {.nvml = path, .sysfs = "/nonexistent"};
        const enum zv_status status = zv_probe_memory(&memory, cases[i].index, &places, &err);
        if (status != cases[i].status || memory.used_bytes != cases[i].used ||
            strstr(err.text, cases[i].words) == NULL) {
            fail_msg("%s: %d, %llu used, %s", cases[i].library, (int)status,
                     (unsigned long long)memory.used_bytes, err.text);
        }
        if (status == ZV_OK) {
            assert_string_equal(memory.name, "Fake GPU 24GB");
            assert_int_equal(memory.total_bytes, 24000000000);
            assert_int_equal(memory.used_counts_reserved, cases[i].reserved);
        } else {
            assert_non_null(strstr(err.text, "/nonexistent/card*"));
        }
    }
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* card0 is no amdgpu, card1 and card2 are; the second has a damaged reading. */
static void test_amdgpu(void **state)
{
    (void)state;
    char root[] = "/tmp/zirve-probe-XXXXXX";
    char folder[3][256];
    assert_non_null(mkdtemp(root));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(folder[i], sizeof folder[i], "%s/card%d", root, i);
        assert_int_equal(mkdir(folder[i], 0700), 0);
        (void)snprintf(folder[i], sizeof folder[i], "%s/card%d/device", root, i);
        assert_int_equal(mkdir(folder[i], 0700), 0);
    }
    write_file(folder[1], "mem_info_vram_total", "17163091968\n");
    write_file(folder[1], "mem_info_vram_used", "1310720\n");
    write_file(folder[2], "mem_info_vram_total", "17163091968\n");
    write_file(folder[2], "mem_info_vram_used", "many\n");
    const struct zv_probe_places places = {.nvml = "/nonexistent.so", .sysfs = root};
    struct zv_device_memory memory;
    struct zv_error err = {0};
    assert_int_equal(zv_probe_memory(&memory, 0, &places, NULL), ZV_OK);
    assert_int_equal(memory.used_bytes, 1310720);
    assert_int_equal(memory.total_bytes, 17163091968);
    assert_string_equal(memory.source, "amdgpu sysfs");
    assert_int_equal(zv_probe_memory(&memory, 1, &places, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "card2/device has no mem_info_vram_used"));
    err = (struct zv_error){0};
    assert_int_equal(zv_probe_memory(&memory, 7, &places, &err), ZV_E_DEVICE);
    assert_non_null(strstr(err.text, "2 of them"));
    char command[300];
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nvml),
        cmocka_unit_test(test_amdgpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
