/*
 * Room measure: what does the lab exercise take on this device?
 *
 *     plan ─► one new process each ─► device (dlopen) ─► allocator ─► lab: a small dense network
 *                                          one thread a device          phases, one after the other
 *          ◄── runs: phases × counters ◄──────────────────────────────────────┘
 *
 * The network: depth layers of width × width values with a bias, rows = batch × context of width
 * values each, an activation between layers, mean squared error, SGD or Adam. docs/measuring.md has
 * every request it makes. Its kernels are our own (data/measure); on a real device they are held
 * against a reference after the phases, so that a wrong kernel is an error and no measurement.
 *
 * Phases follow the protocol of zirve/measure.h (phase.c). A failed phase is kept with its last
 * readings and ends its run; what ran before it stays.
 *
 * Not here: what a program of somebody else takes (rooms launch, inject), text and JSON (report).
 */
#ifndef ZIRVE_MEASURE_MEASURE_H
#define ZIRVE_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/arena.h"
#include "zirve/measure.h"

enum measure_dtype { MEASURE_F32, MEASURE_F16, MEASURE_BF16, MEASURE_DTYPES };
enum measure_optimizer { MEASURE_SGD, MEASURE_ADAM, MEASURE_OPTIMIZERS };

enum {
    MEASURE_MOST_DEVICES = 16,
    MEASURE_MOST_DEPTH = 1024,
    MEASURE_MOST_REPEATS = 10000,
    MEASURE_MOST_PHASES = MEASURE_MOST_REPEATS + 16
};
#define MEASURE_MOST_SIZE  (UINT64_C(1) << 24) /* batch, context */
#define MEASURE_MOST_WIDTH (UINT64_C(1) << 20)

/* One condition: what a process runs, on each of its devices. */
struct measure_condition {
    uint64_t batch;
    uint64_t context; /* a dimension of this network, no language model's length */
    uint64_t width;
    uint32_t depth; /* layers */
    enum measure_dtype dtype;
    enum measure_optimizer optimizer; /* when it trains */
    bool trains;
    uint32_t warmup;  /* forwards, or steps, that are one phase */
    uint32_t repeats; /* phases of one forward, or step, each */
    uint64_t seed;
    bool empties_cache;     /* between phases: a changed condition */
    bool is_unsynchronised; /* the whole loop as one phase */
    enum zv_torch_profile profile;
    const char *conf; /* allocator settings; NULL for none */
};

/* A device to open. */
struct measure_place {
    const char *device;  /* "cuda:0" */
    const char *library; /* as in zirve/device.h; NULL: the usual one */
    const char *folder;  /* the same */
    const char *compiler;
    bool must_be_emulated; /* anything else that the library is, is refused */
};

enum measure_check {
    MEASURE_CHECK_NOT_REACHED, /* the run ended before it */
    MEASURE_CHECK_EMULATED,    /* unchecked: nothing is computed on an emulated device */
    MEASURE_CHECK_PASSED       /* all kernels agree with the reference on small sizes */
};

/* One condition on one device in one process. */
struct measure_run {
    struct measure_condition condition;
    struct zv_device_facts device;
    enum zv_policy policy;
    enum measure_check check;
    uint32_t process; /* 1-based: in which of the processes, in their order */
    bool is_complete;
    bool ran_out;                     /* it failed for want of the card's memory */
    char failed_phase[ZV_PHASE_NAME]; /* "" when complete */
    char message[ZV_PHASE_MESSAGE];
    int64_t alloc_retries; /* of the allocator, over the run */
    int64_t ooms;
    size_t phase_count;
    struct zv_phase *phases; /* in the order they ran */
};

/*
 * Runs a condition on one device in this process. ZV_OK also for a run that failed in a phase.
 * Errors: ZV_E_DEVICE when the device cannot be opened, ZV_E_UNSUPPORTED (compute capability below
 * 7.0, settings that the device cannot do), ZV_E_SYNTAX for settings, ZV_E_BUG when a kernel is
 * wrong, ZV_E_OVERFLOW, ZV_E_NOMEM.
 */
enum zv_status measure_run_here(struct measure_run *run, const struct measure_condition *condition,
                                const struct measure_place *place, struct zv_arena *arena,
                                struct zv_error *err);

/* The same on several devices at once, a thread each; runs[i] belongs to places[i]. The first
 * error, by order of the places, is the result. */
enum zv_status measure_run_devices(struct measure_run *runs,
                                   const struct measure_condition *condition,
                                   const struct measure_place *places, size_t count,
                                   struct zv_arena *arena, struct zv_error *err);

/*
 * The same in a new process (a fork that starts with no driver loaded, so the caller must have
 * loaded none). A process that dies leaves runs that say so. Errors: as above, ZV_E_IO.
 */
enum zv_status measure_run_process(struct measure_run *runs,
                                   const struct measure_condition *condition,
                                   const struct measure_place *places, size_t count,
                                   struct zv_arena *arena, struct zv_error *err);

/* Values of all parameters: depth × (width × width + width). */
uint64_t measure_parameters(const struct measure_condition *condition);
uint64_t measure_dtype_bytes(enum measure_dtype dtype);
const char *measure_dtype_name(enum measure_dtype dtype);             /* "float32" */
const char *measure_optimizer_name(enum measure_optimizer optimizer); /* "adam" */
const char *measure_check_name(enum measure_check check);             /* "unchecked: emulated" */

#endif
