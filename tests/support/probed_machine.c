#include "support/probed_machine.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

struct probed_machine probed;

bool probed_make(const char *words, const char *nvml, const char *cuda, const char *amd)
{
    static const char *const amd_names[] = {"libamd_smi.so", "librocm_smi64.so", "libamdhip64.so"};
    if (!fake_machine_make(&probed.machine, words)) {
        print_message("# SKIP: ZIRVE_FAKE_DIR is not set\n");
        return false;
    }
    if (nvml != NULL) {
        fake_machine_library(&probed.machine, "libnvidia-ml.so.1", nvml);
    }
    if (cuda != NULL) {
        fake_machine_library(&probed.machine, "libcuda.so.1", cuda);
    }
    for (size_t i = 0; amd != NULL && i < 3; i++) {
        fake_machine_library(&probed.machine, amd_names[i], amd);
    }
    return true;
}

void probed_look(void)
{
    struct zv_error err = {0};
    assert_int_equal(zv_probe_environment(&probed.env, &probed.machine.places, &probed.arena, &err),
                     ZV_OK);
}

void probed_end(void)
{
    zv_arena_free(&probed.arena);
    fake_machine_remove(&probed.machine);
}

const char *probed_say(size_t device, enum zv_probe_reading at)
{
    const struct zv_probed *const reading = &probed.env.devices[device].readings[at];
    return reading->known
               ? zv_arena_print(&probed.arena, "%llu by %s", (unsigned long long)reading->value,
                                reading->source)
               : zv_arena_print(&probed.arena, "? %s", reading->why != NULL ? reading->why : "");
}

const char *probed_word(size_t device, enum zv_probe_word at)
{
    const struct zv_probed_text *const found = &probed.env.devices[device].words[at];
    return found->text != NULL
               ? found->text
               : zv_arena_print(&probed.arena, "? %s", found->why != NULL ? found->why : "");
}

const char *probed_said(const char *what)
{
    for (size_t i = 0; i < probed.env.source_count; i++) {
        if (strcmp(probed.env.sources[i].what, what) == 0) {
            return probed.env.sources[i].said != NULL ? probed.env.sources[i].said : "";
        }
    }
    return "no such source";
}

void probed_add_amd(void)
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
        fake_machine_file(&probed.machine, path, files[i].text);
    }
    fake_machine_file(&probed.machine, "/sys/class/drm/card0/device/vendor", "0x1a03\n");
}

void probed_add_kfd(void)
{
    static const char nodes[] = "/sys/class/kfd/kfd/topology/nodes/";
    char path[256];
    (void)snprintf(path, sizeof path, "%s0/gpu_id", nodes);
    fake_machine_file(&probed.machine, path, "0\n");
    (void)snprintf(path, sizeof path, "%s1/gpu_id", nodes);
    fake_machine_file(&probed.machine, path, "6720\n");
    (void)snprintf(path, sizeof path, "%s1/properties", nodes);
    fake_machine_file(&probed.machine, path,
                      "cpu_cores_count 0\nlocation_id 768\ndomain 0\ngfx_target_version 90010\n");
    fake_machine_file(&probed.machine, "/sys/class/kfd/kfd/proc/777/vram_6720", "524288000\n");
    fake_machine_file(&probed.machine, "/sys/class/kfd/kfd/proc/99/vram_6720", "1048576\n");
    fake_machine_file(&probed.machine, "/sys/class/kfd/kfd/proc/100/vram_6720", "0\n");
    fake_machine_file(&probed.machine, "/proc/777/comm", "train\n");
}
