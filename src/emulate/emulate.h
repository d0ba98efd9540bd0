/*
 * Room emulate: a GPU driver with cards that are not there. What would a program take on them?
 *
 *     program ─► libcuda / libamdhip64 names (cuda_entry.c, hip_entry.c)
 *                   │  thin: handles, contexts, codes
 *                   ▼
 *     devices 0 … 15, one lock ─► memory (emulate_memory.c) ─► simcard: capacity, addresses
 *                              └► work (emulate_work.c): streams, events, copies, launches
 *
 * Built as libzirve-emulate.so, which stands where a driver's library would. Prototypes are our
 * own; nothing is computed and device memory has no contents: a copy to the host gives zeros. What
 * is exact is what is taken of a card, when it is refused, and in what order things were asked for.
 *
 * Cards come as text from the parent process, in ZIRVE_EMULATED_CARDS (docs/FORMATS.md): one card a
 * device, with its capacity, features and the faults it is to show.
 *
 * Addresses: simcard's, with the number of the device in bits 56 to 59, so that each device has its
 * own and a pointer tells where it points. Ranges of cuMemAlloc and mappings of cuMemMap are kept
 * in one sorted list: interior pointers find their range.
 *
 * Not here: what an allocator caches, names of cards and their capacities (room card).
 */
#ifndef ZIRVE_EMULATE_EMULATE_H
#define ZIRVE_EMULATE_EMULATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simcard/simcard.h"
#include "zirve/error.h"

enum {
    EMULATED_DEVICES = 16,
    EMULATED_NAME = 96,
    EMULATED_FAULTS = 8, /* on order, a device */
    EMULATED_DEVICE_SHIFT = 56
};

/* Codes that CUDA and HIP share: value, CUDA's name, HIP's name, sentence. */
#define EMULATED_RESULT_LIST(X)                                                                    \
    X(EMULATED_OK, 0, "CUDA_SUCCESS", "hipSuccess", "no error")                                    \
    X(EMULATED_INVALID_VALUE, 1, "CUDA_ERROR_INVALID_VALUE", "hipErrorInvalidValue",               \
      "invalid argument")                                                                          \
    X(EMULATED_OUT_OF_MEMORY, 2, "CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory",                \
      "out of memory")                                                                             \
    X(EMULATED_NOT_INITIALIZED, 3, "CUDA_ERROR_NOT_INITIALIZED", "hipErrorNotInitialized",         \
      "initialization error")                                                                      \
    X(EMULATED_UNAVAILABLE, 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "hipErrorDevicesUnavailable",     \
      "device is lost")                                                                            \
    X(EMULATED_NO_DEVICE, 100, "CUDA_ERROR_NO_DEVICE", "hipErrorNoDevice", "no device is there")   \
    X(EMULATED_INVALID_DEVICE, 101, "CUDA_ERROR_INVALID_DEVICE", "hipErrorInvalidDevice",          \
      "invalid device ordinal")                                                                    \
    X(EMULATED_INVALID_CONTEXT, 201, "CUDA_ERROR_INVALID_CONTEXT", "hipErrorInvalidContext",       \
      "invalid device context")                                                                    \
    X(EMULATED_INVALID_HANDLE, 400, "CUDA_ERROR_INVALID_HANDLE", "hipErrorInvalidHandle",          \
      "invalid resource handle")                                                                   \
    X(EMULATED_NOT_FOUND, 500, "CUDA_ERROR_NOT_FOUND", "hipErrorNotFound",                         \
      "named symbol not found")                                                                    \
    X(EMULATED_NOT_READY, 600, "CUDA_ERROR_NOT_READY", "hipErrorNotReady", "device not ready")     \
    X(EMULATED_ILLEGAL_ADDRESS, 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "hipErrorIllegalAddress",       \
      "an illegal memory access was encountered")                                                  \
    X(EMULATED_LAUNCH_FAILED, 719, "CUDA_ERROR_LAUNCH_FAILED", "hipErrorLaunchFailure",            \
      "unspecified launch failure")                                                                \
    X(EMULATED_NOT_SUPPORTED, 801, "CUDA_ERROR_NOT_SUPPORTED", "hipErrorNotSupported",             \
      "operation not supported")

enum {
#define EMULATED_RESULT_ENUM(name, value, cuda, hip, sentence) name = (value),
    EMULATED_RESULT_LIST(EMULATED_RESULT_ENUM)
#undef EMULATED_RESULT_ENUM
};

/* What a fault hits; the n-th call of its kind, counted from 1 on each device. */
enum emulated_fault_kind {
    EMULATED_FAULT_OOM,    /* cuMemAlloc or cuMemCreate: no room, whatever is free */
    EMULATED_FAULT_COPY,   /* a copy or a memset: an illegal address */
    EMULATED_FAULT_LAUNCH, /* a kernel fails */
    EMULATED_FAULT_LOST,   /* from the n-th of all these on the device is gone */
    EMULATED_FAULT_COUNT
};

struct emulated_fault {
    enum emulated_fault_kind kind;
    uint64_t at;
    bool onward; /* the n-th and all after it */
};

struct emulated_card {
    char name[EMULATED_NAME];
    uint64_t total_bytes;
    uint64_t used_bytes; /* by others */
    uint32_t compute_major;
    uint32_t compute_minor;
    uint32_t processors;     /* multiprocessors */
    bool assumes_compute;    /* nobody said the capability: an A100's is answered */
    bool assumes_processors; /* the same of the multiprocessors */
    bool is_integrated;      /* shares its memory with the processor */
    bool has_vmm;            /* virtual memory management */
    bool delays_events;      /* an event is done only after somebody waited for it */
    struct emulated_fault faults[EMULATED_FAULTS];
    uint32_t fault_count;
};

struct emulated_device {
    struct emulated_card card;
    struct zv_simcard memory;
    uint64_t calls[EMULATED_FAULT_COUNT]; /* those of LOST: all work */
    bool is_lost;
    uint32_t retained; /* primary context */
};

/* ---- emulate.c ---- */

/* Reads the cards, once a process. */
int emulated_start(void);
uint32_t emulated_count(void);
/* Why there are no devices; "" when there are. */
const char *emulated_problem(void);
/* Device index; NULL when there is none. */
struct emulated_device *emulated_device(uint32_t index);
void emulated_lock(void);
void emulated_unlock(void);
const char *emulated_result_name(int result, bool hip);
const char *emulated_result_sentence(int result);
/* The device of this thread; none before the first set (false). */
bool emulated_current(uint32_t *index);
void emulated_set_current(bool is_set, uint32_t index);
/* Counts a call of a kind and says whether a fault hits it. Under the lock. */
int emulated_enter(struct emulated_device *device, enum emulated_fault_kind kind);

/* ---- emulate_config.c ---- */

/*
 * The cards of a text: "name=RTX 4090,total=25246564352,fault=oom@5;name=…". Errors: ZV_E_SYNTAX
 * naming the field and what was expected, ZV_E_LIMIT.
 */
enum zv_status emulated_config_read(struct emulated_card cards[EMULATED_DEVICES], uint32_t *count,
                                    const char *text, struct zv_error *err);

/* ---- emulate_memory.c: all under the lock of their own ---- */

void emulated_memory_close(void);
int emulated_allocate(uint32_t index, uint64_t bytes, uint64_t *address);
int emulated_free(uint64_t address);
int emulated_memory_info(uint32_t index, uint64_t *free_bytes, uint64_t *total);
int emulated_reserve(uint32_t index, uint64_t bytes, uint64_t *address);
int emulated_unreserve(uint64_t address, uint64_t bytes);
/* Memory without an address. It is freed when it was released and is mapped nowhere. */
int emulated_create(uint32_t index, uint64_t bytes, uint64_t *handle);
int emulated_release(uint64_t handle);
int emulated_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
int emulated_unmap(uint64_t address, uint64_t bytes);
int emulated_set_access(uint64_t address, uint64_t bytes);
/* The device whose memory is at address and the range it lies in; INVALID_VALUE when none is. */
int emulated_find(uint64_t address, uint32_t *index, uint64_t *start, uint64_t *bytes);

/* ---- emulate_work.c: all under the lock of their own ---- */

void emulated_work_close(void);
/* A copy or memset of bytes at a device address: whether they are there. */
int emulated_touch(uint64_t address, uint64_t bytes);
int emulated_launch(uint32_t index);
int emulated_stream_create(uint64_t *stream);
int emulated_event_create(uint64_t *event);
int emulated_event_destroy(uint64_t event);
int emulated_event_record(uint32_t index, uint64_t event, uint64_t stream);
/* OK or NOT_READY. */
int emulated_event_query(uint64_t event);
int emulated_event_wait(uint64_t event);
int emulated_stream_query(uint32_t index, uint64_t stream);
int emulated_stream_wait(uint32_t index, uint64_t stream);
int emulated_device_wait(uint32_t index);

#endif
