/*
 * Processes by NVML. The list's layout changed under one name: v1 has 16 bytes an entry; v2 and
 * today's v3 24; the v3 of some drivers (about R530) 32. Which v3 a library means is told by what
 * else it exports: the function for protected memory came with the long layout, the detailed list
 * with its end (the rule that nvitop found).
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "probe/nvml.h"

/* What every layout starts with, and what those of 24 bytes and more go on with. */
struct nvml_process {
    unsigned int pid;
    unsigned long long used;
    unsigned int gpu_instance;
    unsigned int compute_instance;
};

enum { LAYOUT_V1 = 16, LAYOUT_V2 = 24, LAYOUT_PROTECTED = 32, TRIES = 4 };

struct process_call {
    nvml_processes *function;
    const char *name;
    size_t layout; /* bytes of an entry */
};

static size_t layout_of_v3(const struct nvml *nvml)
{
    return nvml->protected_memory != NULL && nvml->process_detail == NULL ? LAYOUT_PROTECTED
                                                                          : LAYOUT_V2;
}

/* The newest of the three that is there; without one, function is NULL and name the newest's. */
static struct process_call newest(const struct nvml *nvml, nvml_processes *const functions[3],
                                  const char *const names[3])
{
    const size_t layouts[3] = {layout_of_v3(nvml), LAYOUT_V2, LAYOUT_V1};
    for (size_t i = 0; i < 3; i++) {
        if (functions[i] != NULL) {
            return (struct process_call){functions[i], names[i], layouts[i]};
        }
    }
    return (struct process_call){.name = names[0]};
}

/* The list's bytes in the arena; processes may start between asking for the count and the list. */
static int read_list(struct nvml_session *nvml, nvml_device handle, const struct process_call *call,
                     const unsigned char **list, unsigned int *count)
{
    struct probe_session *const session = nvml->library.session;
    *count = 0;
    if (call->function == NULL) {
        return PROBE_ABSENT;
    }
    int result = call->function(handle, count, NULL);
    for (unsigned int i = 0; i < TRIES && result == NVML_INSUFFICIENT_SIZE; i++) {
        if (*count > PROBE_MAX_PROCESSES) {
            return result;
        }
        const unsigned int most = 2 * *count + 5;
        unsigned int room = most;
        unsigned char *const bytes = zv_arena_array(session->arena, most, call->layout);
        if (bytes == NULL) {
            probe_no_memory(session);
            return result;
        }
        result = call->function(handle, &room, bytes);
        *list = bytes;
        *count = result != NVML_OK || room < most ? room : most;
    }
    return result;
}

static const char *name_of(struct probe_session *session, uint32_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/comm", pid);
    return probe_line(session, path);
}

static void take_process(struct nvml_session *nvml, const struct process_call *call,
                         const unsigned char *entry, const char *kind, struct zv_gpu_process *to)
{
    struct nvml_process process = {0};
    const bool sliced = call->layout >= LAYOUT_V2;
    memcpy(&process, entry, sliced ? sizeof process : LAYOUT_V1);
    *to = (struct zv_gpu_process){
        .pid = process.pid,
        .name = name_of(nvml->library.session, process.pid),
        .kind = kind,
        .instance = sliced ? process.gpu_instance : ZV_PROBE_NO_INSTANCE,
    };
    if (process.used == UINT64_MAX) {
        reading_miss(&to->used, "the driver does not tell what this process holds");
    } else {
        reading_take(&to->used, process.used, call->name);
    }
}

static bool listed(const struct zv_gpu_process *list, size_t count, uint32_t pid, uint32_t instance)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].pid == pid && list[i].instance == instance) {
            return true;
        }
    }
    return false;
}

void nvml_read_processes(struct nvml_session *nvml, nvml_device handle,
                         struct zv_probed_device *device)
{
    static const char *const compute_names[3] = {"nvmlDeviceGetComputeRunningProcesses_v3",
                                                 "nvmlDeviceGetComputeRunningProcesses_v2",
                                                 "nvmlDeviceGetComputeRunningProcesses"};
    static const char *const graphics_names[3] = {"nvmlDeviceGetGraphicsRunningProcesses_v3",
                                                  "nvmlDeviceGetGraphicsRunningProcesses_v2",
                                                  "nvmlDeviceGetGraphicsRunningProcesses"};
    static const char *const kinds[2] = {"compute", "graphics"};
    const struct process_call calls[2] = {newest(&nvml->nvml, nvml->nvml.compute, compute_names),
                                          newest(&nvml->nvml, nvml->nvml.graphics, graphics_names)};
    struct zv_process_list *const list = &device->processes;
    const unsigned char *bytes[2] = {NULL, NULL};
    unsigned int counts[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        const int result = read_list(nvml, handle, &calls[i], &bytes[i], &counts[i]);
        if (result != NVML_OK || bytes[i] == NULL) {
            counts[i] = 0;
        }
        if (i == 0 && result != NVML_OK) { /* without compute processes the list is not the list */
            list->why = probe_library_says(&nvml->library, calls[i].name, result);
            return;
        }
    }
    struct zv_gpu_process *const items =
        zv_arena_array(nvml->library.session->arena, (size_t)counts[0] + counts[1], sizeof *items);
    if (items == NULL) {
        probe_no_memory(nvml->library.session);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        for (unsigned int n = 0; bytes[i] != NULL && n < counts[i]; n++) {
            struct zv_gpu_process *const to = &items[list->count];
            take_process(nvml, &calls[i], bytes[i] + n * calls[i].layout, kinds[i], to);
            list->count += !listed(items, list->count, to->pid, to->instance);
        }
    }
    list->items = items;
    list->known = true;
    list->source = calls[0].name;
}
