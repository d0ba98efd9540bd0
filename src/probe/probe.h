/*
 * Probe: what is this machine, and what does each device say of its memory right now?
 *
 *   NVML, AMD SMI, ROCm SMI ── memory, processes, slices ──┐
 *   libcuda, libamdhip64 ───── what a program can use ─────┼─► devices, joined by PCI address
 *   /sys, /proc ────────────── what the kernel knows ──────┘
 *   environment variables, files of Python installations ───► settings, software
 *
 * Libraries are opened by dlopen with declarations of our own: no vendor header, no link-time
 * dependency, one binary everywhere. Every field is a reading: known with the call it comes from,
 * or not known with the reason. One look at one instant; nothing is kept open, no context is made
 * on a device (that alone takes memory), and no program is run.
 *
 * A backend is there when its runtime lists the device; it never follows from a name.
 *
 * Not here: what a card of that name should offer (room card), what fits (room estimate).
 */
#ifndef ZIRVE_PROBE_PROBE_H
#define ZIRVE_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/device_name.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    PROBE_MAX_DEVICES = 64,     /* further ones are counted by their source and left out */
    PROBE_MAX_INSTANCES = 16,   /* slices of a device */
    PROBE_MAX_PROCESSES = 4096, /* of a device */
    PROBE_MAX_SOURCES = 12,
    PROBE_MAX_SETTINGS = 32,
    PROBE_MAX_PYTHONS = 16
};

/* One figure as one source gave it. */
struct zv_probed {
    bool known;
    uint64_t value;     /* bytes, or 0 and 1 for no and yes */
    const char *source; /* the call or file, when known */
    const char *why;    /* when not known: what was asked and what it said; NULL: nobody to ask */
};

/* The same of a text; NULL when not known. */
struct zv_probed_text {
    const char *text;
    const char *source;
    const char *why;
    bool assumed; /* an emulation gave a value that nobody gave it */
};

/* How each is called in results, its unit and what it says: zv_probe_readings, zv_probe_words. */
enum zv_probe_reading {
    ZV_PROBE_CAPACITY, /* as the management library or kernel driver reports it */
    ZV_PROBE_RUNTIME_CAPACITY,
    ZV_PROBE_USED,
    ZV_PROBE_FREE,
    ZV_PROBE_RESERVED,
    ZV_PROBE_VMM,
    ZV_PROBE_INTEGRATED,
    ZV_PROBE_SLICED,
    ZV_PROBE_READINGS
};

enum zv_probe_word {
    ZV_PROBE_MODEL,
    ZV_PROBE_UUID,
    ZV_PROBE_BUS_ID,
    ZV_PROBE_ARCHITECTURE, /* compute capability "8.9", or "gfx90a" */
    ZV_PROBE_WORDS
};

struct zv_probe_field {
    const char *key;  /* "capacity_bytes" */
    const char *text; /* "capacity, the driver's" */
    const char *help; /* one sentence without its full stop */
    bool bytes;       /* else a yes or no */
};
extern const struct zv_probe_field zv_probe_readings[ZV_PROBE_READINGS];
extern const struct zv_probe_field zv_probe_words[ZV_PROBE_WORDS];

#define ZV_PROBE_NO_INSTANCE UINT32_MAX

struct zv_gpu_process {
    uint32_t pid;      /* in a container the host's */
    const char *name;  /* from /proc, NULL when there is no such process here */
    const char *kind;  /* "compute", "graphics" */
    uint32_t instance; /* GPU instance of a sliced device, or ZV_PROBE_NO_INSTANCE */
    struct zv_probed used;
};

struct zv_process_list {
    const struct zv_gpu_process *items;
    size_t count;
    bool known; /* an empty list is an answer only then */
    const char *source;
    const char *why;
};

/* A slice (MIG) of a device. */
struct zv_probed_slice {
    uint32_t gpu_instance;
    uint32_t compute_instance;
    struct zv_probed_text words[ZV_PROBE_WORDS];
    struct zv_probed readings[ZV_PROBE_READINGS];
};

enum zv_probe_vendor { ZV_PROBE_NVIDIA, ZV_PROBE_AMD };

struct zv_probed_device {
    enum zv_probe_vendor vendor; /* whose driver lists it */
    const char *backend;         /* "CUDA" or "HIP": the runtime that lists it; NULL: none does */
    uint32_t ordinal;            /* with a backend: the number that this runtime gives it */
    bool kernel_computes;        /* the AMD kernel driver lists it for compute */
    const char *unusable;        /* why no runtime can use it; NULL when one can, or may */
    bool used_counts_reserved;   /* the older call counts what the driver keeps as used */
    struct zv_probed_text words[ZV_PROBE_WORDS];
    struct zv_probed readings[ZV_PROBE_READINGS];
    struct zv_process_list processes;
    struct zv_probed_slice *instances;
    size_t instance_count;
};

/* Somewhere that was asked. */
struct zv_probe_source {
    const char *what;   /* "NVML" */
    const char *place;  /* the library or folder that was looked for */
    bool there;         /* it exists */
    bool answers;       /* and works */
    const char *driver; /* version of the driver or runtime as it says it, or NULL */
    uint32_t devices;
    const char *said; /* when it does not answer: what it said */
};

struct zv_setting {
    const char *name;
    const char *value;
};

/* A Python installation that a program started here could run, and the PyTorch in it. */
struct zv_python {
    const char *prefix;
    const char *version; /* as far as files tell: "3.11.7", "3.11"; NULL */
    const char *torch;   /* "2.6.0+cu124", NULL when there is none */
    const char *torch_file;
    const char *torch_backend; /* "CUDA 12.4", "HIP 6.2", "the processor alone"; NULL: not said */
};

struct zv_environment {
    struct zv_probed_device devices[PROBE_MAX_DEVICES];
    size_t device_count;
    struct zv_probe_source sources[PROBE_MAX_SOURCES];
    size_t source_count;
    struct zv_setting settings[PROBE_MAX_SETTINGS];
    size_t setting_count;
    struct zv_python pythons[PROBE_MAX_PYTHONS];
    size_t python_count;
    bool emulated; /* a library that answered is an emulation and says so */
};

/* Where to look; a NULL member is the usual place. */
struct zv_probe_places {
    const char *libraries; /* a folder instead of the loader's search path */
    const char *root;      /* in front of /sys and /proc */
};

/*
 * Everything above. A missing library, a refusal or a device that vanishes is no error: it is in
 * the result. env is large: keep it static or in an arena. Texts live in the arena. Errors:
 * ZV_E_NOMEM.
 */
enum zv_status zv_probe_environment(struct zv_environment *env,
                                    const struct zv_probe_places *places, struct zv_arena *arena,
                                    struct zv_error *err);

/* A program could compute on it: a runtime lists it, or the AMD kernel driver does and no runtime
 * library is there to ask (PyTorch brings its own). */
bool zv_probed_usable(const struct zv_probed_device *device);

/* The device of that name, or NULL. */
const struct zv_probed_device *zv_probed_named(const struct zv_environment *env,
                                               struct zv_device_name name);

enum { PROBE_NAME = 96 };

struct zv_probed_memory {
    char name[PROBE_NAME]; /* as the driver says it, "" when it does not */
    uint64_t total_bytes;
    uint64_t used_bytes;
    bool used_counts_reserved;
    char source[PROBE_NAME];
};

/*
 * The memory of device index (0 is the first), NVML's devices before AMD's; no compute runtime is
 * started for it. Errors: ZV_E_DEVICE, saying what was looked for and what each said; ZV_E_NOMEM.
 */
enum zv_status zv_probe_memory(struct zv_probed_memory *memory, uint32_t index,
                               const struct zv_probe_places *places, struct zv_error *err);

#endif
