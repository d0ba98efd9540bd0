/* Storages and tensors: counted references over the allocator. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "step/engine.h"
#include "step/tensor_layout.h"

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

/* ---- storages ---- */

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

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void step_phase_note(struct step_engine *e)
{
    if (e->phase == NULL) {
        return;
    }
    const struct zv_usage now = zv_allocator_usage(e->allocator);
    struct step_phase *const phase = e->phase;
    phase->peak_allocated_bytes = higher(phase->peak_allocated_bytes, now.allocated_bytes);
    phase->peak_active_bytes = higher(phase->peak_active_bytes, now.active_bytes);
    phase->peak_reserved_bytes = higher(phase->peak_reserved_bytes, now.reserved_bytes);
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

/* ---- tensors ---- */

static struct step_tensor *take_tensor(struct step_engine *e)
{
    if (e->unused_tensors == NULL) {
        struct step_tensor *const more = zv_arena_array(e->arena, POOL_ENTRIES, sizeof *more);
        for (size_t i = 0; more != NULL && i < POOL_ENTRIES; i++) {
            more[i].grad = e->unused_tensors;
            e->unused_tensors = &more[i];
        }
    }
    struct step_tensor *const t = e->unused_tensors;
    if (t == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for the step's tensors");
        return NULL;
    }
    e->unused_tensors = t->grad;
    return t;
}

/* Takes over the use of storage, also when it fails. */
static struct step_tensor *over(struct step_engine *e, struct step_storage *storage,
                                const struct step_shape *shape, const int64_t *stride,
                                enum zv_dtype dtype)
{
    struct step_tensor *const t = storage != NULL ? take_tensor(e) : NULL;
    if (t == NULL) {
        step_storage_drop(e, storage);
        return NULL;
    }
    *t = (struct step_tensor){.refs = 1, .dtype = dtype, .storage = storage, .shape = *shape};
    memcpy(t->stride, stride, sizeof t->stride);
    return t;
}

struct step_tensor *step_empty_strided(struct step_engine *e, const struct step_shape *shape,
                                       const int64_t *stride, enum zv_dtype dtype)
{
    if (!step_ok(e)) {
        return NULL;
    }
    int64_t elements = 0;
    const int64_t each = (int64_t)step_element_bytes(dtype);
    if (each == 0) {
        step_fail(e, ZV_E_UNSUPPORTED, "no tensor of a step has the type %s", zv_dtype_name(dtype));
        return NULL;
    }
    if (!step_elements(shape, &elements) || elements > INT64_MAX / each) {
        step_fail(e, ZV_E_OVERFLOW, "a tensor of more than 2^63 bytes");
        return NULL;
    }
    return over(e, step_storage_new(e, (uint64_t)(elements * each)), shape, stride, dtype);
}

struct step_tensor *step_empty(struct step_engine *e, const struct step_shape *shape,
                               enum zv_dtype dtype)
{
    int64_t stride[STEP_MAX_DIMS] = {0};
    int64_t elements;
    if (step_elements(shape, &elements)) {
        step_contiguous_strides(shape, stride);
    }
    return step_empty_strided(e, shape, stride, dtype);
}

struct step_tensor *step_kernel_copy(struct step_engine *e, const struct step_tensor *t)
{
    const bool in_kernel = e->in_kernel;
    e->in_kernel = true;
    struct step_tensor *const copy =
        t == NULL || step_is_contiguous(t) ? NULL : step_empty(e, &t->shape, t->dtype);
    e->in_kernel = in_kernel;
    return copy;
}

struct step_tensor *step_like(struct step_engine *e, const struct step_tensor *t,
                              enum zv_dtype dtype)
{
    if (t == NULL) {
        return NULL;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    if (step_is_dense(t)) {
        memcpy(stride, t->stride, sizeof stride);
    } else {
        step_result_strides(&t->shape, &t, 1, stride);
    }
    return step_empty_strided(e, &t->shape, stride, dtype);
}

struct step_tensor *step_managed(struct step_engine *e, const struct step_tensor *t,
                                 enum zv_dtype dtype)
{
    int64_t elements = 0;
    int64_t stride[STEP_MAX_DIMS] = {0};
    const uint64_t each = step_element_bytes(dtype);
    if (t == NULL || !step_ok(e)) {
        return NULL;
    }
    if (!step_elements(&t->shape, &elements) || each == 0 ||
        (uint64_t)elements > INT64_MAX / each) {
        step_fail(e, ZV_E_OVERFLOW, "a tensor of more than 2^63 bytes");
        return NULL;
    }
    step_contiguous_strides(&t->shape, stride);
    struct step_storage *const storage = step_storage_new(e, 0);
    if (storage != NULL) {
        storage->managed_bytes = (uint64_t)elements * each;
        e->managed_bytes += storage->managed_bytes;
        e->peak_managed_bytes = higher(e->peak_managed_bytes, e->managed_bytes);
    }
    return over(e, storage, &t->shape, stride, dtype);
}

struct step_tensor *step_vector(struct step_engine *e, int64_t size, enum zv_dtype dtype)
{
    const struct step_shape shape = {.dims = 1, .size = {size}};
    return step_empty(e, &shape, dtype);
}

struct step_tensor *step_scalar(struct step_engine *e, enum zv_dtype dtype)
{
    const struct step_shape shape = {0};
    return step_empty(e, &shape, dtype);
}

struct step_tensor *step_alias(struct step_engine *e, const struct step_tensor *t,
                               const struct step_shape *shape, const int64_t *stride)
{
    if (t == NULL || !step_ok(e)) {
        return NULL;
    }
    t->storage->refs++;
    return over(e, t->storage, shape, stride, t->dtype);
}

struct step_tensor *step_grad_view(struct step_engine *e, const struct step_tensor *t,
                                   const struct step_shape *shape, const int64_t *stride)
{
    struct step_tensor *const view = step_alias(e, t, shape, stride);
    if (view != NULL) {
        view->is_view = true;
    }
    return view;
}

struct step_tensor *step_detach(struct step_engine *e, const struct step_tensor *t)
{
    if (t == NULL) {
        return NULL;
    }
    struct step_tensor *const copy = step_alias(e, t, &t->shape, t->stride);
    if (copy != NULL) {
        copy->packed = t->packed;
    }
    return copy;
}

struct step_tensor *step_hold(struct step_tensor *t)
{
    if (t != NULL) {
        t->refs++;
    }
    return t;
}

/* NOLINTNEXTLINE(misc-no-recursion): a gradient has none of its own; nodes wait in a list */
void step_drop(struct step_engine *e, struct step_tensor *t)
{
    if (t == NULL || --t->refs != 0) {
        return;
    }
    struct step_node *const node = t->node;
    struct step_tensor *const grad = t->grad;
    if (t->hooks != NULL) {
        step_hooks_drop(e, t->hooks);
    }
    step_storage_drop(e, t->storage);
    t->grad = e->unused_tensors;
    e->unused_tensors = t;
    step_drop(e, grad);
    step_node_drop(e, node);
}

void step_clear(struct step_engine *e, struct step_tensor **t)
{
    struct step_tensor *const old = *t;
    *t = NULL;
    step_drop(e, old);
}
