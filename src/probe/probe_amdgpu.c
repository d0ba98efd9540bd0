/* AMD: the amdgpu driver's files below /sys/class/drm/cardN/device (Linux, amdgpu documentation,
 * "mem_info_vram_total", "mem_info_vram_used"). */
#include <stdio.h>
#include <string.h>

#include "base/slice.h"
#include "probe/probe_vendor.h"

enum { MOST_CARDS = 64, PATH_SIZE = 512 };

/* One line of a file, trimmed; false when it is not there. */
static bool read_line(const char *root, uint32_t card, const char *name, char *to, size_t size)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%.300s/card%u/device/%s", root, card, name);
    FILE *const file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    const size_t length = fread(to, 1, size - 1, file);
    (void)fclose(file);
    to[length] = 0;
    to[strcspn(to, "\n")] = 0;
    return length != 0;
}

static bool read_bytes(const char *root, uint32_t card, const char *name, uint64_t *bytes)
{
    char text[64];
    return read_line(root, card, name, text, sizeof text) && zv_slice_u64(zv_slice_of(text), bytes);
}

bool probe_amdgpu(struct zv_device_memory *memory, uint32_t index, const char *root,
                  uint32_t *devices, char why[PROBE_WHY])
{
    *devices = 0;
    for (uint32_t card = 0; card < MOST_CARDS; card++) {
        uint64_t total;
        uint64_t used;
        if (!read_bytes(root, card, "mem_info_vram_total", &total)) {
            continue;
        }
        if ((*devices)++ != index) {
            continue;
        }
        if (!read_bytes(root, card, "mem_info_vram_used", &used)) {
            (void)snprintf(why, PROBE_WHY, "%.80s/card%u/device has no mem_info_vram_used", root,
                           card);
            return false;
        }
        *memory = (struct zv_device_memory){
            .total_bytes = total, .used_bytes = used, .source = "amdgpu sysfs"};
        if (!read_line(root, card, "product_name", memory->name, sizeof memory->name)) {
            memory->name[0] = 0;
        }
        return true;
    }
    (void)snprintf(why, PROBE_WHY, "%.80s/card*/device/mem_info_vram_total: %u of them", root,
                   *devices);
    return false;
}
