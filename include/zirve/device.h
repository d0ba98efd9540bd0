/*
 * Devices: a GPU through its driver's library, opened by name at run time. CUDA's driver API and
 * HIP's runtime; nothing of either is needed to build or to link.
 *
 *     struct zv_device *device;
 *     struct zv_driver driver;
 *     struct zv_device_options options = {.name = "cuda:0"};
 *     if (zv_device_open(&device, &options, &err) == ZV_OK) {
 *         zv_device_driver(device, &driver);     an allocator runs over it: zirve/allocator.h
 *         ...
 *         zv_device_close(device);
 *     }
 *
 * One device, one thread at a time; several devices may be used by several threads.
 */
#ifndef ZIRVE_DEVICE_H
#define ZIRVE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "zirve/driver.h"
#include "zirve/error.h"

enum { ZV_DEVICE_NAME = 96 };

struct zv_device_options {
    const char *name; /* "cuda:0": CUDA's, or HIP's where CUDA has none of that number; "hip:0" */
    const char *library;  /* NULL: libcuda.so.1, or libamdhip64.so and its known versions */
    const char *folder;   /* where to look for those; NULL: where the loader looks */
    const char *compiler; /* HIP's runtime compiler; NULL: libhiprtc.so and its known versions */
};

struct zv_device_facts {
    const char *backend; /* "CUDA", "HIP": whose library answers, never guessed from a name */
    uint32_t index;
    char name[ZV_DEVICE_NAME]; /* as the driver says it, "" when it does not */
    uint64_t total_bytes;      /* as the driver reports the device */
    uint64_t memory_bytes;     /* what a process can see: the total of cuMemGetInfo */
    uint64_t free_bytes;       /* of those, when it was opened */
    int driver_version;        /* the driver's own number: CUDA 13.0 is 13000 */
    uint32_t compute_major;    /* CUDA only; 0 otherwise */
    uint32_t compute_minor;
    bool assumes_compute; /* an emulated card whose capability nobody gave */
    bool has_vmm;         /* virtual memory management; without it allocations are plain */
    bool is_emulated;     /* the library is zirve's own and there is no card behind it */
    char emulated_by[64]; /* "zirve-emulate 0.1.0", "" for a real one */
};

struct zv_device;

/*
 * Opens a device; *to is NULL on failure. Errors: ZV_E_USAGE for a name of another form,
 * ZV_E_DEVICE saying what was looked for and what was there instead, ZV_E_NOMEM.
 */
enum zv_status zv_device_open(struct zv_device **to, const struct zv_device_options *options,
                              struct zv_error *err);

/* NULL is allowed. Memory that is still allocated is left to the driver. */
void zv_device_close(struct zv_device *device);

const struct zv_device_facts *zv_device_facts(const struct zv_device *device);

/* The device as an allocator's driver; valid as long as the device is open. */
void zv_device_driver(struct zv_device *device, struct zv_driver *to);

/* Waits for all work of the device. Errors: ZV_E_DEVICE with the driver's text. */
enum zv_status zv_device_synchronise(struct zv_device *device, struct zv_error *err);

/* cuMemGetInfo. Errors: ZV_E_DEVICE. */
enum zv_status zv_device_memory(struct zv_device *device, uint64_t *free_bytes,
                                uint64_t *total_bytes, struct zv_error *err);

#endif
