#include "probe/probe.h"

#include <stddef.h>

#include "base/fail.h"
#include "probe/probe_vendor.h"

enum zv_status zv_probe_memory(struct zv_device_memory *memory, uint32_t index,
                               const struct zv_probe_places *places, struct zv_error *err)
{
    char nvidia[PROBE_WHY] = "";
    char amd[PROBE_WHY] = "";
    uint32_t nvidia_devices = 0;
    uint32_t amd_devices = 0;
    const char *const library =
        places != NULL && places->nvml != NULL ? places->nvml : "libnvidia-ml.so.1";
    const char *const root =
        places != NULL && places->sysfs != NULL ? places->sysfs : "/sys/class/drm";
    *memory = (struct zv_device_memory){0};
    if (probe_nvml(memory, index, library, &nvidia_devices, nvidia)) {
        return ZV_OK;
    }
    const uint32_t rest = index >= nvidia_devices ? index - nvidia_devices : 0;
    if (index >= nvidia_devices && probe_amdgpu(memory, rest, root, &amd_devices, amd)) {
        return ZV_OK;
    }
    return zv_fail(err, ZV_E_DEVICE, "no usable GPU %u: %s%s%s", index, nvidia,
                   amd[0] != 0 ? "; " : "", amd);
}
