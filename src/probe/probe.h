/*
 * Probe: what does a live device say of its memory?
 *
 *   libnvidia-ml.so.1 (NVML, by dlopen) ──┐
 *                                         ├──► struct zv_device_memory
 *   /sys/class/drm/card N/device (amdgpu) ┘
 *
 * One reading at one instant; nothing is kept open. Declarations are our own: no vendor header, no
 * link-time dependency, one binary everywhere. What a device does not report is not filled in.
 *
 * Not here: what a card of that name should offer (room card), what fits (room estimate).
 */
#ifndef ZIRVE_PROBE_PROBE_H
#define ZIRVE_PROBE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/error.h"

enum { PROBE_NAME = 96 };

struct zv_device_memory {
    char name[PROBE_NAME]; /* as the driver says it, "" when it does not */
    uint64_t total_bytes;
    uint64_t used_bytes;
    bool used_counts_reserved; /* NVML's older call counts what the driver keeps as used */
    const char *source;        /* "NVML", "amdgpu sysfs" */
};

/* Where to look; a NULL member is the usual place. */
struct zv_probe_places {
    const char *nvml;  /* libnvidia-ml.so.1 */
    const char *sysfs; /* /sys/class/drm */
};

/*
 * The memory of device index (0 is the first), NVML's devices before AMD's. Errors: ZV_E_DEVICE,
 * saying what was looked for and what each said.
 */
enum zv_status zv_probe_memory(struct zv_device_memory *memory, uint32_t index,
                               const struct zv_probe_places *places, struct zv_error *err);

#endif
