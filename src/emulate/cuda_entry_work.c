/* CUDA's driver API names for streams, events, modules and launches; names of results. */
#include <string.h>

#include "emulate/cuda_names.h"
#include "emulate/emulate.h"

static char module; /* any module and function: only that it is not NULL matters */

int cuStreamCreate(uint64_t *stream, unsigned flags)
{
    (void)flags;
    return emulated_stream_create(stream);
}

int cuStreamCreateWithPriority(uint64_t *stream, unsigned flags, int priority)
{
    (void)priority;
    return cuStreamCreate(stream, flags);
}

int cuStreamDestroy_v2(uint64_t stream)
{
    return stream != 0 ? EMULATED_OK : EMULATED_INVALID_HANDLE;
}

int cuStreamSynchronize(uint64_t stream)
{
    uint32_t index;
    return emulated_current(&index) ? emulated_stream_wait(index, stream)
                                    : EMULATED_INVALID_CONTEXT;
}

int cuStreamQuery(uint64_t stream)
{
    uint32_t index;
    return emulated_current(&index) ? emulated_stream_query(index, stream)
                                    : EMULATED_INVALID_CONTEXT;
}

/* Orders work that takes no time. */
int cuStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags)
{
    (void)stream;
    (void)flags;
    const int result = emulated_event_query(event);
    return result == EMULATED_NOT_READY ? EMULATED_OK : result;
}

int cuEventCreate(uint64_t *event, unsigned flags)
{
    (void)flags;
    return emulated_event_create(event);
}

int cuEventDestroy_v2(uint64_t event)
{
    return emulated_event_destroy(event);
}

int cuEventRecord(uint64_t event, uint64_t stream)
{
    uint32_t index;
    return emulated_current(&index) ? emulated_event_record(index, event, stream)
                                    : EMULATED_INVALID_CONTEXT;
}

int cuEventQuery(uint64_t event)
{
    return emulated_event_query(event);
}

int cuEventSynchronize(uint64_t event)
{
    return emulated_event_wait(event);
}

int cuEventElapsedTime(float *milliseconds, uint64_t from, uint64_t to)
{
    *milliseconds = 0;
    const int result = emulated_event_query(from);
    return result == EMULATED_OK ? emulated_event_query(to) : result;
}

int cuModuleLoadData(void **to, const void *image)
{
    uint32_t index;
    *to = &module;
    if (!emulated_current(&index)) {
        return EMULATED_INVALID_CONTEXT;
    }
    return image != NULL ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

int cuModuleUnload(void *of)
{
    return of == &module ? EMULATED_OK : EMULATED_INVALID_HANDLE;
}

int cuModuleGetFunction(void **function, void *of, const char *name)
{
    *function = &module;
    return of == &module && name[0] != 0 ? EMULATED_OK : EMULATED_NOT_FOUND;
}

/* NOLINTNEXTLINE(readability-function-size): the vendor's parameters */
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   uint64_t stream, void **parameters, void **extra)
{
    enum { MOST_THREADS = 1024 };
    uint32_t index;
    (void)shared_bytes;
    (void)stream;
    (void)parameters;
    (void)extra;
    const uint64_t threads = (uint64_t)block_x * block_y * block_z;
    if (function != &module || grid_x == 0 || grid_y == 0 || grid_z == 0 || threads == 0 ||
        threads > MOST_THREADS) {
        return EMULATED_INVALID_VALUE;
    }
    return emulated_current(&index) ? emulated_launch(index) : EMULATED_INVALID_CONTEXT;
}

int cuGetErrorName(int result, const char **name)
{
    *name = emulated_result_name(result, false);
    return *name != NULL ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

int cuGetErrorString(int result, const char **text)
{
    *text = emulated_result_sentence(result);
    return *text != NULL ? EMULATED_OK : EMULATED_INVALID_VALUE;
}

/* Whether a wanted name ("cuMemAlloc") means an entry ("cuMemAlloc_v2"). */
static bool is_named(const char *entry, const char *wanted)
{
    const size_t length = strlen(wanted);
    return strncmp(entry, wanted, length) == 0 &&
           (entry[length] == 0 || strcmp(entry + length, "_v2") == 0);
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *found)
{
    typedef void entry_fn(void);
    static const struct {
        const char *name;
        entry_fn *entry;
    } entries[] = {
#define EMULATED_ENTRY(name, parameters) {#name, (entry_fn *)name},
        EMULATED_CUDA_LIST(EMULATED_ENTRY)
#undef EMULATED_ENTRY
    };
    (void)version;
    (void)flags;
    *function = NULL;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (is_named(entries[i].name, name)) {
            memcpy(function, &entries[i].entry, sizeof *function);
            break;
        }
    }
    if (found != NULL) {
        *found = *function == NULL; /* 1: no such symbol */
    }
    return *function != NULL ? EMULATED_OK : EMULATED_NOT_FOUND;
}
