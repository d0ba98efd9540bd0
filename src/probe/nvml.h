/*
 * NVML: functions, layouts and numbers of the NVML API reference, as far as they are used here;
 * declared by us. Old drivers lack the newer names; a result of NVML_NO_FUNCTION says the same of a
 * driver older than its library. Room-internal.
 */
#ifndef ZIRVE_PROBE_NVML_H
#define ZIRVE_PROBE_NVML_H

#include "probe/probe_library.h"

enum {
    NVML_OK = 0,
    NVML_NOT_SUPPORTED = 3,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_NO_FUNCTION = 13,
    NVML_VERSION_MISMATCH = 25
};

typedef void *nvml_device;

struct nvml_memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

/* version = size | 2 << 24; reserved is what the driver keeps for itself, not counted as used. */
struct nvml_memory_v2 {
    unsigned int version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;
};

/* The address at the end of the third layout; the second has a short one at its start. */
struct nvml_pci {
    char short_bus_id[16];
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
    unsigned int device_id;
    unsigned int subsystem_id;
    char bus_id[32];
};

typedef int nvml_text(nvml_device device, char *text, unsigned int length);
typedef int nvml_number(nvml_device device, unsigned int *value);
typedef int nvml_processes(nvml_device device, unsigned int *count, void *list);

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error)(int result);
    int (*driver)(char *text, unsigned int length);
    int (*count)(unsigned int *count);
    int (*handle)(unsigned int index, nvml_device *device);
    nvml_text *name;
    nvml_text *uuid;
    int (*pci)(nvml_device device, struct nvml_pci *pci);
    int (*pci_v2)(nvml_device device, struct nvml_pci *pci);
    int (*capability)(nvml_device device, int *major, int *minor);
    int (*memory)(nvml_device device, struct nvml_memory *memory);
    int (*memory_v2)(nvml_device device, struct nvml_memory_v2 *memory);
    int (*mig_mode)(nvml_device device, unsigned int *current, unsigned int *pending);
    nvml_number *mig_count;
    int (*mig_handle)(nvml_device device, unsigned int index, nvml_device *instance);
    nvml_number *gpu_instance;
    nvml_number *compute_instance;
    nvml_processes *compute[3]; /* v3, v2, v1 */
    nvml_processes *graphics[3];
    int (*protected_memory)(void); /* only whether they are there: see nvml_process_layout */
    int (*process_detail)(void);
};

struct nvml_session {
    struct nvml nvml;
    struct probe_library library;
};

/* Memory of a device or a slice: whether used counts what the driver keeps. */
bool nvml_read_memory(struct nvml_session *nvml, nvml_device device, struct zv_probed *readings);

/* Name, UUID of a device or a slice. */
void nvml_read_words(struct nvml_session *nvml, nvml_device device, struct zv_probed_text *words);

/* Who holds memory of the device. */
void nvml_read_processes(struct nvml_session *nvml, nvml_device handle,
                         struct zv_probed_device *device);

/* Whether the device is cut into slices, and each of them. */
void nvml_read_instances(struct nvml_session *nvml, nvml_device handle,
                         struct zv_probed_device *device);

#endif
