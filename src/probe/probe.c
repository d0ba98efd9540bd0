#include "probe/probe.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "probe/probe_session.h"

const struct zv_probe_field zv_probe_readings[ZV_PROBE_READINGS] = {
    [ZV_PROBE_CAPACITY] = {"capacity_bytes", "capacity",
                           "Memory of the device as its driver reports it", true},
    [ZV_PROBE_RUNTIME_CAPACITY] = {"runtime_capacity_bytes", "for a program",
                                   "Memory of the device as the compute runtime reports it", true},
    [ZV_PROBE_USED] = {"used_bytes", "used", "Memory in use, by all processes", true},
    [ZV_PROBE_FREE] = {"free_bytes", "free", "Memory that is free", true},
    [ZV_PROBE_RESERVED] = {"reserved_bytes", "driver's own",
                           "Memory that the driver keeps for itself", true},
    [ZV_PROBE_VMM] = {"virtual_memory_management", "virtual memory management",
                      "Whether memory can be mapped page by page", false},
    [ZV_PROBE_INTEGRATED] = {"integrated", "integrated",
                             "Whether its memory is the processor's too", false},
    [ZV_PROBE_SLICED] = {"mig", "cut into slices (MIG)", "Whether it is cut into slices", false},
};

const struct zv_probe_field zv_probe_words[ZV_PROBE_WORDS] = {
    [ZV_PROBE_MODEL] = {"model", "model", "Name of the device", false},
    [ZV_PROBE_UUID] = {"uuid", "UUID", "The device's own number", false},
    [ZV_PROBE_BUS_ID] = {"bus_id", "PCI address", "PCI address", false},
    [ZV_PROBE_ARCHITECTURE] = {"architecture", "architecture",
                               "Compute capability, or the target of the compiler", false},
};

typedef void probe_fn(struct probe_session *session);

/* Rank: of two that know a field, the first. */
static probe_fn *const memory_sources[] = {probe_nvml, probe_amd_smi, probe_rocm_smi, probe_amdgpu};
static probe_fn *const compute_sources[] = {probe_cuda, probe_hip, probe_nvidia_kernel, probe_kfd};

static void run_all(struct probe_session *session, probe_fn *const *sources, size_t count)
{
    for (size_t i = 0; i < count && session->status == ZV_OK; i++) {
        sources[i](session);
    }
}

static const struct zv_probe_source *find_source(const struct zv_environment *env, const char *what)
{
    static const struct zv_probe_source none;
    for (size_t i = 0; i < env->source_count; i++) {
        if (strcmp(env->sources[i].what, what) == 0) {
            return &env->sources[i];
        }
    }
    return &none;
}

/* Why no program can compute on a device that no runtime lists. */
static const char *unusable(const struct zv_environment *env, const struct zv_probed_device *device)
{
    const bool nvidia = device->vendor == ZV_PROBE_NVIDIA;
    const struct zv_probe_source *const runtime =
        find_source(env, nvidia ? "CUDA driver" : "HIP runtime");
    if (device->backend != NULL) {
        return NULL;
    }
    if (device->unusable != NULL) {
        return device->unusable;
    }
    if (runtime->there) {
        return runtime->said != NULL ? runtime->said
               : nvidia              ? "the CUDA driver does not list it"
                                     : "the HIP runtime does not list it";
    }
    if (nvidia) {
        return runtime->said;
    }
    return device->kernel_computes ? NULL : "the AMD compute driver does not list it";
}

enum zv_status zv_probe_environment(struct zv_environment *env,
                                    const struct zv_probe_places *places, struct zv_arena *arena,
                                    struct zv_error *err)
{
    struct probe_session session = {.env = env, .arena = arena, .err = err};
    if (places != NULL) {
        session.places = *places;
    }
    *env = (struct zv_environment){0};
    run_all(&session, memory_sources, sizeof memory_sources / sizeof memory_sources[0]);
    run_all(&session, compute_sources, sizeof compute_sources / sizeof compute_sources[0]);
    probe_settings(&session);
    probe_pythons(&session);
    for (size_t i = 0; i < env->device_count; i++) {
        env->devices[i].unusable = unusable(env, &env->devices[i]);
    }
    return session.status;
}

bool zv_probed_usable(const struct zv_probed_device *device)
{
    return device->unusable == NULL;
}

const struct zv_probed_device *zv_probed_named(const struct zv_environment *env,
                                               struct zv_device_name name)
{
    const struct zv_probed_device *of_hip = NULL;
    for (size_t i = 0; i < env->device_count; i++) {
        const struct zv_probed_device *const device = &env->devices[i];
        if (device->backend == NULL || device->ordinal != name.index) {
            continue;
        }
        if (strcmp(device->backend, "HIP") == 0) {
            of_hip = device;
        } else if (!name.is_hip) {
            return device;
        }
    }
    return of_hip;
}

static void copy_memory(struct zv_probed_memory *memory, const struct zv_probed_device *device)
{
    const char *const name = device->words[ZV_PROBE_MODEL].text;
    const struct zv_probed *const used = &device->readings[ZV_PROBE_USED];
    *memory = (struct zv_probed_memory){
        .total_bytes = device->readings[ZV_PROBE_CAPACITY].value,
        .used_bytes = used->value,
        .used_counts_reserved = device->used_counts_reserved,
    };
    (void)snprintf(memory->name, sizeof memory->name, "%s", name != NULL ? name : "");
    (void)snprintf(memory->source, sizeof memory->source, "%s", used->source);
}

/* What every source said that does not answer; of one that does, how many devices it has. */
static enum zv_status fail_device(const struct zv_environment *env, uint32_t index,
                                  struct zv_error *err)
{
    char text[sizeof err->text] = "";
    size_t at = 0;
    for (size_t i = 0; i < env->source_count && at < sizeof text; i++) {
        const struct zv_probe_source *const source = &env->sources[i];
        const char *const separator = i != 0 ? "; " : "";
        const int length = source->answers
                               ? snprintf(text + at, sizeof text - at, "%s%s has %u", separator,
                                          source->what, source->devices)
                               : snprintf(text + at, sizeof text - at, "%s%s", separator,
                                          source->said != NULL ? source->said : source->what);
        at += length > 0 ? (size_t)length : 0;
    }
    return zv_fail(err, ZV_E_DEVICE, "no usable GPU %u: %s", index, text);
}

enum zv_status zv_probe_memory(struct zv_probed_memory *memory, uint32_t index,
                               const struct zv_probe_places *places, struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct zv_environment *const env = zv_arena_alloc(&arena, sizeof *env);
    *memory = (struct zv_probed_memory){0};
    if (env == NULL) {
        return zv_fail_memory(err, "what the machine says");
    }
    struct probe_session session = {.env = env, .arena = &arena, .err = err};
    if (places != NULL) {
        session.places = *places;
    }
    run_all(&session, memory_sources, sizeof memory_sources / sizeof memory_sources[0]);
    enum zv_status status = session.status;
    if (status == ZV_OK && index >= env->device_count) {
        status = fail_device(env, index, err);
    } else if (status == ZV_OK) {
        const struct zv_probed_device *const device = &env->devices[index];
        const struct zv_probed *const used = &device->readings[ZV_PROBE_USED];
        const struct zv_probed *const capacity = &device->readings[ZV_PROBE_CAPACITY];
        if (used->known && capacity->known) {
            copy_memory(memory, device);
        } else {
            const char *const why = used->known ? capacity->why : used->why;
            status = zv_fail(err, ZV_E_DEVICE, "no usable GPU %u: %s", index,
                             why != NULL ? why : "nothing tells its memory");
        }
    }
    zv_arena_free(&arena);
    return status;
}
