/*
 * The amdgpu driver's files: /sys/class/drm/cardN/device/mem_info_vram_total and _used (bytes;
 * Linux documentation of amdgpu). Every other card there is named with its PCI vendor: what was
 * found instead.
 */
#include <stdio.h>
#include <string.h>

#include "base/slice.h"
#include "probe/probe_session.h"

enum { MAX_CARDS = 64 };

/* "PCI_SLOT_NAME=0000:03:00.0" of a device's uevent file. */
static const char *slot_name(struct probe_session *session, const char *folder)
{
    static const char key[] = "PCI_SLOT_NAME=";
    char line[256];
    const char *name = NULL;
    FILE *const file = probe_open(session, probe_print(session, "%s/uevent", folder));
    while (file != NULL && name == NULL && fgets(line, sizeof line, file) != NULL) {
        const struct zv_slice text = zv_slice_trim(zv_slice_of(line));
        if (zv_slice_starts(text, key)) {
            const size_t skip = sizeof key - 1;
            name = probe_print(session, "%.*s", (int)(text.length - skip), text.at + skip);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return name;
}

static void read_card(struct probe_session *session, const char *folder)
{
    const char *const slot = slot_name(session, folder);
    struct zv_probed_device *const device =
        probe_device(session, ZV_PROBE_AMD, slot, NULL, probe_print(session, "%s/uevent", folder));
    if (device == NULL) {
        return;
    }
    if (slot == NULL) {
        word_miss(&device->words[ZV_PROBE_BUS_ID],
                  probe_print(session, "%s/uevent has no PCI_SLOT_NAME", folder));
    }
    probe_read_bytes(session, &device->readings[ZV_PROBE_CAPACITY],
                     probe_print(session, "%s/mem_info_vram_total", folder));
    probe_read_bytes(session, &device->readings[ZV_PROBE_USED],
                     probe_print(session, "%s/mem_info_vram_used", folder));
    const char *const product = probe_print(session, "%s/product_name", folder);
    const char *const model = probe_line(session, product);
    if (model != NULL) {
        word_take(&device->words[ZV_PROBE_MODEL], model, product);
    }
    word_miss(&device->words[ZV_PROBE_MODEL], probe_print(session, "%s is not there", product));
}

void probe_amdgpu(struct probe_session *session)
{
    static const char root[] = "/sys/class/drm";
    const char *others = "";
    uint32_t cards = 0;
    struct zv_probe_source *const source = probe_source(session, "amdgpu driver", root);
    for (unsigned card = 0; card < MAX_CARDS; card++) {
        const char *const folder = probe_print(session, "%s/card%u/device", root, card);
        const char *const vendor = probe_line(session, probe_print(session, "%s/vendor", folder));
        const char *const total =
            probe_line(session, probe_print(session, "%s/mem_info_vram_total", folder));
        if (total != NULL) {
            source->devices++;
            read_card(session, folder);
        } else if (vendor != NULL) {
            others = probe_print(session, "%s%scard%u is of PCI vendor %s", others,
                                 others[0] != 0 ? ", " : "", card, vendor);
        }
        cards += total != NULL || vendor != NULL;
    }
    source->there = cards != 0;
    source->answers = source->devices != 0;
    if (source->devices == 0) {
        source->said =
            others[0] != 0
                ? others
                : probe_print(session, "%s/card*/device/mem_info_vram_total: none", root);
    }
}
