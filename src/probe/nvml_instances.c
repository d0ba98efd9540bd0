/* Slices (MIG) by NVML: each has a handle of its own that answers memory calls. */
#include "probe/nvml.h"

enum { MIG_ON = 1 };

static void read_instance(struct nvml_session *nvml, nvml_device handle,
                          struct zv_probed_slice *instance)
{
    unsigned int gpu = 0;
    unsigned int compute = 0;
    const struct nvml *const functions = &nvml->nvml;
    *instance = (struct zv_probed_slice){.gpu_instance = ZV_PROBE_NO_INSTANCE,
                                         .compute_instance = ZV_PROBE_NO_INSTANCE};
    if (functions->gpu_instance != NULL && functions->gpu_instance(handle, &gpu) == NVML_OK) {
        instance->gpu_instance = gpu;
    }
    if (functions->compute_instance != NULL &&
        functions->compute_instance(handle, &compute) == NVML_OK) {
        instance->compute_instance = compute;
    }
    nvml_read_words(nvml, handle, instance->words);
    (void)nvml_read_memory(nvml, handle, instance->readings);
}

void nvml_read_instances(struct nvml_session *nvml, nvml_device handle,
                         struct zv_probed_device *device)
{
    unsigned int current = 0;
    unsigned int pending = 0;
    unsigned int most = 0;
    const struct nvml *const functions = &nvml->nvml;
    struct zv_probed *const sliced = &device->readings[ZV_PROBE_SLICED];
    const int result = functions->mig_mode != NULL ? functions->mig_mode(handle, &current, &pending)
                                                   : PROBE_ABSENT;
    if (result == NVML_NOT_SUPPORTED) { /* a device that cannot be cut is not cut */
        reading_take(sliced, 0, "nvmlDeviceGetMigMode");
        return;
    }
    probe_library_reading(&nvml->library, sliced, "nvmlDeviceGetMigMode", result,
                          current == MIG_ON);
    if (result != NVML_OK || current != MIG_ON || functions->mig_count == NULL ||
        functions->mig_handle == NULL || functions->mig_count(handle, &most) != NVML_OK) {
        return;
    }
    device->instances = zv_arena_array(nvml->library.session->arena, PROBE_MAX_INSTANCES,
                                       sizeof *device->instances);
    if (device->instances == NULL) {
        probe_no_memory(nvml->library.session);
        return;
    }
    for (unsigned int i = 0; i < most && device->instance_count < PROBE_MAX_INSTANCES; i++) {
        nvml_device instance = NULL;
        if (functions->mig_handle(handle, i, &instance) == NVML_OK) { /* numbers may have gaps */
            read_instance(nvml, instance, &device->instances[device->instance_count++]);
        }
    }
}
