/*
 * Streams, events, launches. Work is a ticket of the simulated card; an event is the ticket that
 * was drawn when it was recorded. Unless the card delays them, events are done at once.
 */
#include "base/memory.h"
#include "emulate/emulate.h"

struct event {
    bool is_used;
    bool is_recorded;
    uint32_t index; /* device */
    uint64_t stream;
    uint64_t ticket;
};

static struct {
    struct event *events; /* handle - 1 */
    size_t count;
    size_t capacity;
    size_t unused;    /* no entry before it is without use */
    uint64_t streams; /* ever made */
} work;

enum { FIRST_EVENTS = 64, FIRST_STREAM = 16 }; /* 0 to 2 mean default streams */

void emulated_work_close(void)
{
    zv_memory_free(work.events);
}

static int unlock(int result)
{
    emulated_unlock();
    return result;
}

int emulated_launch(uint32_t index)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL) {
        return EMULATED_INVALID_CONTEXT;
    }
    emulated_lock();
    (void)zv_simcard_queue(&device->memory);
    return unlock(emulated_enter(device, EMULATED_FAULT_LAUNCH));
}

int emulated_stream_create(uint64_t *stream)
{
    if (stream == NULL) {
        return EMULATED_INVALID_VALUE;
    }
    emulated_lock();
    *stream = FIRST_STREAM + work.streams++;
    return unlock(EMULATED_OK);
}

int emulated_event_create(uint64_t *event)
{
    if (event == NULL) {
        return EMULATED_INVALID_VALUE;
    }
    emulated_lock();
    size_t place = work.unused;
    while (place < work.count && work.events[place].is_used) {
        place++;
    }
    if (place == work.capacity) {
        const size_t capacity = work.capacity == 0 ? FIRST_EVENTS : work.capacity * 2;
        void *const grown = zv_memory_resize(work.events, capacity * sizeof *work.events);
        if (grown == NULL) {
            return unlock(EMULATED_OUT_OF_MEMORY);
        }
        work.events = grown;
        work.capacity = capacity;
    }
    work.count += place == work.count;
    work.events[place] = (struct event){.is_used = true};
    work.unused = place + 1;
    *event = place + 1;
    return unlock(EMULATED_OK);
}

static struct event *event_of(uint64_t handle)
{
    return handle != 0 && handle <= work.count && work.events[handle - 1].is_used
               ? &work.events[handle - 1]
               : NULL;
}

int emulated_event_destroy(uint64_t event)
{
    emulated_lock();
    struct event *const found = event_of(event);
    if (found == NULL) {
        return unlock(EMULATED_INVALID_HANDLE);
    }
    *found = (struct event){0};
    work.unused = event - 1 < work.unused ? (size_t)event - 1 : work.unused;
    return unlock(EMULATED_OK);
}

int emulated_event_record(uint32_t index, uint64_t event, uint64_t stream)
{
    emulated_lock();
    struct emulated_device *const device = emulated_device(index);
    struct event *const found = event_of(event);
    if (device == NULL || found == NULL) {
        return unlock(EMULATED_INVALID_HANDLE);
    }
    const int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result == EMULATED_OK) {
        *found = (struct event){true, true, index, stream, zv_simcard_queue(&device->memory)};
    }
    return unlock(result);
}

int emulated_event_query(uint64_t event)
{
    emulated_lock();
    const struct event *const found = event_of(event);
    if (found == NULL) {
        return unlock(EMULATED_INVALID_HANDLE);
    }
    if (!found->is_recorded) {
        return unlock(EMULATED_OK);
    }
    struct emulated_device *const device = emulated_device(found->index);
    int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result == EMULATED_OK && device->card.delays_events &&
        !zv_simcard_is_done(&device->memory, found->stream, found->ticket)) {
        result = EMULATED_NOT_READY;
    }
    return unlock(result);
}

/* Under the lock. */
static int finish_stream(struct emulated_device *device, uint64_t stream)
{
    const int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result == EMULATED_OK && !zv_simcard_finish_stream(&device->memory, stream)) {
        return EMULATED_OUT_OF_MEMORY;
    }
    return result;
}

int emulated_event_wait(uint64_t event)
{
    emulated_lock();
    const struct event *const found = event_of(event);
    if (found == NULL) {
        return unlock(EMULATED_INVALID_HANDLE);
    }
    return unlock(found->is_recorded ? finish_stream(emulated_device(found->index), found->stream)
                                     : EMULATED_OK);
}

int emulated_stream_wait(uint32_t index, uint64_t stream)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL) {
        return EMULATED_INVALID_CONTEXT;
    }
    emulated_lock();
    return unlock(finish_stream(device, stream));
}

int emulated_stream_query(uint32_t index, uint64_t stream)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL) {
        return EMULATED_INVALID_CONTEXT;
    }
    emulated_lock();
    int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result == EMULATED_OK && device->card.delays_events &&
        !zv_simcard_is_done(&device->memory, stream, device->memory.ticket)) {
        result = EMULATED_NOT_READY;
    }
    return unlock(result);
}

int emulated_device_wait(uint32_t index)
{
    struct emulated_device *const device = emulated_device(index);
    if (device == NULL) {
        return EMULATED_INVALID_CONTEXT;
    }
    emulated_lock();
    const int result = emulated_enter(device, EMULATED_FAULT_LOST);
    if (result == EMULATED_OK) {
        zv_simcard_finish_device(&device->memory);
    }
    return unlock(result);
}
