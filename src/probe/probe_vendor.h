/* One function a vendor. Each fills memory, or writes a clause on why it could not. Room-internal.
 */
#ifndef ZIRVE_PROBE_PROBE_VENDOR_H
#define ZIRVE_PROBE_PROBE_VENDOR_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"

enum { PROBE_WHY = 200 };

/* devices: how many the vendor has, when it could be told (0 otherwise). */
bool probe_nvml(struct zv_device_memory *memory, uint32_t index, const char *library,
                uint32_t *devices, char why[PROBE_WHY]);
bool probe_amdgpu(struct zv_device_memory *memory, uint32_t index, const char *root,
                  uint32_t *devices, char why[PROBE_WHY]);

#endif
