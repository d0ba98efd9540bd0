/*
 * The AMD compute driver (KFD): /sys/class/kfd/kfd/topology/nodes/N says which devices can compute
 * and of which architecture, /sys/class/kfd/kfd/proc/PID/vram_GPUID what a process holds (bytes).
 * gfx_target_version 90010 is gfx90a: major, minor, stepping, two digits each, the stepping in
 * hexadecimal.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "probe/probe_session.h"

enum { MAX_NODES = 128, MAX_FILE = 16 * 1024 };

/* A "key value" line of a node's properties. */
static bool find_property(struct zv_slice text, const char *key, uint64_t *value)
{
    struct zv_slice line;
    while (zv_slice_line(&text, &line)) {
        struct zv_slice word;
        if (zv_slice_word(&line, &word) && zv_slice_equal(word, key)) {
            return zv_slice_word(&line, &word) && zv_slice_u64(word, value);
        }
    }
    return false;
}

static struct zv_slice read_properties(struct probe_session *session, const char *path,
                                       char text[MAX_FILE])
{
    FILE *const file = probe_open(session, path);
    const size_t length = file != NULL ? fread(text, 1, MAX_FILE, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return (struct zv_slice){text, length};
}

static int compare_pids(const void *a, const void *b)
{
    const struct zv_gpu_process *const one = a;
    const struct zv_gpu_process *const two = b;
    return (one->pid > two->pid) - (one->pid < two->pid);
}

static void read_processes(struct probe_session *session, struct zv_probed_device *device,
                           uint64_t gpu_id)
{
    static const char root[] = "/sys/class/kfd/kfd/proc";
    struct zv_process_list *const list = &device->processes;
    DIR *const folder = probe_list(session, root);
    if (folder == NULL) {
        list->why = probe_print(session, "%s cannot be read", root);
        return;
    }
    struct zv_gpu_process *const items =
        zv_arena_array(session->arena, PROBE_MAX_PROCESSES, sizeof *items);
    const struct dirent *entry;
    while (items != NULL && list->count < PROBE_MAX_PROCESSES &&
           (entry = readdir(folder)) != NULL) { /* NOLINT(concurrency-mt-unsafe) */
        uint64_t pid;
        const char *const path =
            probe_print(session, "%s/%s/vram_%" PRIu64, root, entry->d_name, gpu_id);
        struct zv_gpu_process process = {.kind = "compute", .instance = ZV_PROBE_NO_INSTANCE};
        if (!zv_slice_u64(zv_slice_of(entry->d_name), &pid) || pid > UINT32_MAX) {
            continue;
        }
        probe_read_bytes(session, &process.used, path);
        if (process.used.known && process.used.value == 0) {
            continue; /* of another device */
        }
        process.pid = (uint32_t)pid;
        process.name = probe_line(session, probe_print(session, "/proc/%s/comm", entry->d_name));
        items[list->count++] = process;
    }
    (void)closedir(folder);
    if (items == NULL) {
        probe_no_memory(session);
        return;
    }
    qsort(items, list->count, sizeof *items, compare_pids);
    *list = (struct zv_process_list){
        .items = items, .count = list->count, .known = true, .source = root};
}

static void read_node(struct probe_session *session, struct zv_probe_source *source,
                      const char *folder)
{
    char text[MAX_FILE];
    uint64_t gpu_id = 0;
    uint64_t location = 0;
    uint64_t domain = 0;
    uint64_t target = 0;
    const char *const line = probe_line(session, probe_print(session, "%s/gpu_id", folder));
    if (line == NULL || !zv_slice_u64(zv_slice_of(line), &gpu_id) || gpu_id == 0) {
        return; /* a processor's node */
    }
    const char *const path = probe_print(session, "%s/properties", folder);
    const struct zv_slice properties = read_properties(session, path, text);
    const bool located = find_property(properties, "location_id", &location);
    (void)find_property(properties, "domain", &domain);
    struct zv_probed_device *const device = probe_device(
        session, ZV_PROBE_AMD,
        located ? probe_print(session, "%04x:%02x:%02x.%x", (unsigned)domain,
                              (unsigned)(location >> 8 & 0xff), (unsigned)(location >> 3 & 0x1f),
                              (unsigned)(location & 7))
                : NULL,
        NULL, path);
    source->devices++;
    if (device == NULL) {
        return;
    }
    device->kernel_computes = true;
    if (find_property(properties, "gfx_target_version", &target) && target != 0) {
        word_take(&device->words[ZV_PROBE_ARCHITECTURE],
                  probe_print(session, "gfx%u%u%x", (unsigned)(target / 10000),
                              (unsigned)(target / 100 % 100), (unsigned)(target % 100)),
                  path);
    }
    word_miss(&device->words[ZV_PROBE_ARCHITECTURE],
              probe_print(session, "%s has no gfx_target_version", path));
    read_processes(session, device, gpu_id);
}

void probe_kfd(struct probe_session *session)
{
    static const char root[] = "/sys/class/kfd/kfd/topology/nodes";
    struct zv_probe_source *const source = probe_source(session, "AMD compute driver", root);
    for (unsigned node = 0; node < MAX_NODES; node++) {
        const char *const folder = probe_print(session, "%s/%u", root, node);
        if (probe_line(session, probe_print(session, "%s/gpu_id", folder)) == NULL) {
            break;
        }
        source->there = true;
        read_node(session, source, folder);
    }
    source->answers = source->devices != 0;
    if (source->devices == 0) {
        source->said =
            source->there ? "has no GPU node" : probe_print(session, "%s is not there", root);
    }
}
