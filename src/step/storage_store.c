/* Storages: counted references over the allocator; each birth and death is an event, and what is
 * live makes the peaks of the run and of its phases. */
#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "step/engine.h"

enum { POOL_ENTRIES = 256 };

bool step_fail(struct step_engine *e, enum zv_status status, const char *format, ...)
{
    if (step_ok(e)) {
        char text[400];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(text, sizeof text, format, args);
        va_end(args);
        e->status = zv_fail(e->err, status, "%s", text);
    }
    return false;
}

void step_engine_begin(struct step_engine *e)
{
    e->grad_enabled = true;
    e->live.next = e->live.prev = &e->live;
}

void step_engine_end(struct step_engine *e)
{
    zv_memory_free(e->low_leaves);
    zv_memory_free(e->tasks);
    e->low_leaves = NULL;
    e->tasks = NULL;
}

static struct step_storage *take_storage(struct step_engine *e)
{
    if (e->unused_storages == NULL) {
        struct step_storage *const more = zv_arena_array(e->arena, POOL_ENTRIES, sizeof *more);
        for (size_t i = 0; more != NULL && i < POOL_ENTRIES; i++) {
            more[i].next = e->unused_storages;
            e->unused_storages = &more[i];
        }
    }
    struct step_storage *const storage = e->unused_storages;
    if (storage == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for the step's storages");
        return NULL;
    }
    e->unused_storages = storage->next;
    return storage;
}

static void pass_event(struct step_engine *e, const struct step_storage *storage, bool is_free,
                       bool is_use)
{
    if (e->on_event != NULL) {
        const struct step_event event = {.is_free = is_free,
                                         .is_use = is_use,
                                         .of_kernel = storage->of_kernel,
                                         .id = storage->id,
                                         .bytes = storage->bytes,
                                         .address = storage->allocation.address,
                                         .label = is_free ? e->label : storage->label,
                                         .stream = e->stream};
        e->on_event(e->context, &event);
    }
}

static void tell(struct step_engine *e, const struct step_storage *storage, bool is_free)
{
    e->events++;
    if (e->phase != NULL) {
        e->phase->events++;
    }
    pass_event(e, storage, is_free, false);
}

void step_phase_note(struct step_engine *e)
{
    if (e->phase == NULL) {
        return;
    }
    const struct zv_usage now = zv_allocator_usage(e->allocator);
    struct step_phase *const phase = e->phase;
    phase->peak_allocated_bytes = zv_larger(phase->peak_allocated_bytes, now.allocated_bytes);
    phase->peak_active_bytes = zv_larger(phase->peak_active_bytes, now.active_bytes);
    phase->peak_reserved_bytes = zv_larger(phase->peak_reserved_bytes, now.reserved_bytes);
    phase->end_allocated_bytes = now.allocated_bytes;
}

bool step_phase_begin(struct step_engine *e, struct zv_slice name)
{
    size_t at = 0;
    while (at < e->phase_count && !zv_slice_same(e->phases[at].name, name)) {
        at++;
    }
    if (at == STEP_MAX_PHASES) {
        return step_fail(e, ZV_E_LIMIT, "more than %d phases", STEP_MAX_PHASES);
    }
    step_phase_note(e);
    e->phase = &e->phases[at];
    if (at == e->phase_count) {
        e->phase_count++;
        *e->phase = (struct step_phase){.name = name,
                                        .begin_allocated_bytes =
                                            zv_allocator_usage(e->allocator).allocated_bytes};
    }
    step_phase_note(e);
    return true;
}

static void note_peak(struct step_engine *e)
{
    const uint64_t now = zv_allocator_usage(e->allocator).allocated_bytes;
    step_phase_note(e);
    if (now > e->peak_allocated_bytes) {
        e->peak_allocated_bytes = now;
        e->peak_event = e->events;
        e->peak_label = e->label;
        e->peak_in_backward = e->in_backward;
    }
    if (e->watch_event == e->events && e->on_watch != NULL) {
        e->on_watch(e, e->context);
    }
}

/* Out of memory ends the run as it would end the job; with room for the figures so far. */
static bool allocate(struct step_engine *e, struct step_storage *storage)
{
    if (storage->bytes == 0) {
        return true;
    }
    const enum zv_status status =
        zv_allocator_malloc(e->allocator, storage->bytes, e->stream, &storage->allocation, e->err);
    storage->stream = e->stream;
    if (status != ZV_OK) {
        e->status = e->status == ZV_OK ? status : e->status;
        return false;
    }
    if (storage->allocation.address == 0) {
        e->ooms++;
        e->oom_event = e->events;
        e->oom_bytes = storage->bytes;
        e->oom_label = e->label;
        e->oom_in_backward = e->in_backward;
        return step_fail(e, ZV_E_DEVICE, "out of the card's memory");
    }
    return true;
}

struct step_storage *step_storage_new(struct step_engine *e, uint64_t bytes)
{
    if (!step_ok(e)) {
        return NULL;
    }
    struct step_storage *const storage = take_storage(e);
    if (storage == NULL) {
        return NULL;
    }
    bytes = e->on_host ? 0 : bytes;
    *storage = (struct step_storage){.bytes = bytes,
                                     .full_bytes = bytes,
                                     .refs = 1,
                                     .of_kernel = e->in_kernel,
                                     .label = e->label,
                                     .purpose = e->purpose,
                                     .id = bytes != 0 ? ++e->allocations : 0};
    if (!allocate(e, storage)) {
        storage->next = e->unused_storages;
        e->unused_storages = storage;
        return NULL;
    }
    storage->next = &e->live;
    storage->prev = e->live.prev;
    storage->prev->next = storage;
    e->live.prev = storage;
    if (bytes != 0) {
        tell(e, storage, false);
        note_peak(e);
    }
    return storage;
}

struct step_storage *step_storage_managed(struct step_engine *e, uint64_t bytes)
{
    struct step_storage *const storage = step_storage_new(e, 0);
    if (storage != NULL) {
        storage->managed_bytes = bytes;
        e->managed_bytes += bytes;
        e->peak_managed_bytes = zv_larger(e->peak_managed_bytes, e->managed_bytes);
    }
    return storage;
}

/* After a failure the run is over: nothing more happens to the card. */
static void give_back(struct step_engine *e, struct step_storage *storage)
{
    if (storage->bytes != 0 && e->status == ZV_OK) {
        tell(e, storage, true);
        const enum zv_status status = zv_allocator_free(e->allocator, storage->allocation, e->err);
        e->status = e->status == ZV_OK ? status : e->status;
    }
}

void step_storage_drop(struct step_engine *e, struct step_storage *storage)
{
    if (storage == NULL || --storage->refs != 0) {
        return;
    }
    give_back(e, storage);
    e->managed_bytes -= storage->managed_bytes;
    storage->prev->next = storage->next;
    storage->next->prev = storage->prev;
    storage->next = e->unused_storages;
    e->unused_storages = storage;
}

void step_release(struct step_engine *e, struct step_storage *storage)
{
    give_back(e, storage);
    storage->bytes = 0;
}

void step_refill(struct step_engine *e, struct step_storage *storage)
{
    if (!step_ok(e) || storage->bytes != 0 || storage->full_bytes == 0) {
        return;
    }
    storage->bytes = storage->full_bytes;
    storage->label = e->label;
    storage->purpose = e->purpose;
    storage->id = ++e->allocations;
    if (allocate(e, storage)) {
        tell(e, storage, false);
        note_peak(e);
    } else {
        storage->bytes = 0;
    }
}

static void keep_status(struct step_engine *e, enum zv_status status)
{
    e->status = e->status == ZV_OK ? status : e->status;
}

void step_use_here(struct step_engine *e, struct step_storage *storage, bool late)
{
    if (!step_ok(e) || storage->bytes == 0 || storage->stream == e->stream) {
        return;
    }
    pass_event(e, storage, false, true);
    if (late) {
        keep_status(
            e, zv_allocator_record_stream(e->allocator, storage->allocation, e->stream, e->err));
    }
}

void step_finish_until(struct step_engine *e, uint64_t point)
{
    if (step_ok(e)) {
        keep_status(e, zv_allocator_finish_until(e->allocator, point, e->err));
    }
}

bool step_stream_set(struct step_engine *e, struct zv_slice name)
{
    for (uint32_t i = 1; i < STEP_MAX_STREAMS; i++) {
        if (e->streams[i].length == 0) {
            e->streams[i] = name;
        }
        if (zv_slice_same(e->streams[i], name)) {
            e->stream = i;
            return true;
        }
    }
    return step_fail(e, ZV_E_LIMIT, "more than %d streams", STEP_MAX_STREAMS - 1);
}

void step_scratch(struct step_engine *e, uint64_t bytes)
{
    if (bytes != 0) {
        const bool before = e->in_kernel;
        e->in_kernel = true;
        step_storage_drop(e, step_storage_new(e, bytes));
        e->in_kernel = before;
    }
}

void step_uses_cublas(struct step_engine *e)
{
    struct step_handle *const handle = &e->handles[e->in_backward];
    if (handle->workspace == NULL && e->card.workspace_bytes != 0) {
        const enum step_purpose before = e->purpose;
        e->purpose = STEP_WORKSPACE;
        e->in_kernel = true;
        handle->workspace = step_storage_new(e, e->card.workspace_bytes);
        e->in_kernel = false;
        e->purpose = before;
    }
}
