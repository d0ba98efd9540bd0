#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "trace/trace.h"

enum { FIRST_RECORDS = 64, MANY_RECORDS = 1 << 12 }; /* many: room for few more at a time */

static bool can_have_more(size_t count, struct zv_error *err)
{
    if (count < ZV_TRACE_MAX_RECORDS) {
        return true;
    }
    (void)zv_fail(err, ZV_E_LIMIT, "a trace of more than %" PRIu64 " records of a kind",
                  ZV_TRACE_MAX_RECORDS);
    return false;
}

/* Room for one more entry; the array, perhaps moved, or NULL with the error set. */
static void *reserve(void *array, size_t *capacity, size_t count, size_t size, struct zv_error *err)
{
    if (count < *capacity) {
        return array;
    }
    if (!can_have_more(count, err)) {
        return NULL;
    }
    const size_t more = *capacity < MANY_RECORDS ? *capacity / 2 : *capacity / 8;
    const size_t grown = *capacity == 0 ? FIRST_RECORDS : *capacity + more;
    void *const to = zv_memory_resize(array, grown * size);
    if (to == NULL) {
        (void)zv_fail_memory(err, "a trace");
        return NULL;
    }
    *capacity = grown;
    return to;
}

#define ADD(trace, name, err)                                                                      \
    do {                                                                                           \
        void *const moved = reserve((trace)->name##s, &(trace)->name##_capacity,                   \
                                    (trace)->name##_count, sizeof *(trace)->name##s, err);         \
        if (moved == NULL) {                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        (trace)->name##s = moved;                                                                  \
        memset(&(trace)->name##s[(trace)->name##_count], 0, sizeof *(trace)->name##s);             \
        return &(trace)->name##s[(trace)->name##_count++];                                         \
    } while (0)

bool trace_reserve_events(struct zv_trace *trace, size_t count, struct zv_error *err)
{
    const size_t most = (size_t)ZV_TRACE_MAX_RECORDS;
    const size_t wanted = count < most ? count : most;
    if (wanted <= trace->event_capacity) {
        return can_have_more(trace->event_count, err);
    }
    void *const to = zv_memory_resize(trace->events, wanted * sizeof *trace->events);
    if (to == NULL) {
        (void)zv_fail_memory(err, "a trace");
        return false;
    }
    trace->events = to;
    trace->event_capacity = wanted;
    return true;
}

struct zv_trace_event *trace_add_event(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, event, err);
}

struct zv_trace_total *trace_add_total(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, total, err);
}

struct zv_trace_block *trace_add_block(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, block, err);
}

struct zv_trace_segment *trace_add_segment(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, segment, err);
}

struct zv_trace_annotation *trace_add_annotation(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, annotation, err);
}

static struct zv_slice *add_text(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, text, err);
}

static struct zv_trace_frame *add_frame(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, frame, err);
}

static struct zv_trace_stack *add_stack(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, stack, err);
}

static uint64_t *add_stream(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, stream, err);
}

static struct zv_trace_pool *add_pool(struct zv_trace *trace, struct zv_error *err)
{
    ADD(trace, pool, err);
}

bool trace_text(struct zv_trace *trace, struct zv_slice text, uint32_t *to, struct zv_error *err)
{
    struct zv_strmap_entry *entry = zv_strmap_find(&trace->text_ids, text);
    if (entry != NULL) {
        *to = (uint32_t)entry->value;
        return true;
    }
    char *const copy = zv_arena_copy(&trace->arena, text.at, text.length);
    struct zv_slice *const slot = copy != NULL ? add_text(trace, err) : NULL;
    if (slot == NULL) {
        (void)zv_fail_memory(err, "texts of a trace");
        return false;
    }
    *slot = (struct zv_slice){copy, text.length};
    *to = (uint32_t)(trace->text_count - 1);
    if (zv_strmap_add(&trace->text_ids, *slot, *to, &entry) == ZV_STRMAP_NOMEM) {
        (void)zv_fail_memory(err, "texts of a trace");
        return false;
    }
    return true;
}

/* ---- entries that are found by what they hold ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 32;
    hash = (hash ^ b) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 29;
}

static uint64_t frame_hash(const struct zv_trace *trace, uint32_t at)
{
    const struct zv_trace_frame *const frame = &trace->frames[at];
    return mix((uint64_t)frame->file << 32 | frame->name, frame->line);
}

static uint64_t stack_hash(const struct zv_trace *trace, uint32_t at)
{
    const struct zv_trace_stack *const stack = &trace->stacks[at];
    return mix((uint64_t)stack->outer << 32 | stack->frame, 0);
}

typedef uint64_t hash_fn(const struct zv_trace *trace, uint32_t at);

/* Twice the slots. */
static bool index_grow(struct zv_trace *trace, struct zv_trace_index *index, size_t count,
                       hash_fn *hash, struct zv_error *err)
{
    const size_t capacity = index->capacity == 0 ? FIRST_RECORDS * 4 : index->capacity * 2;
    uint32_t *const slots = zv_memory_alloc(capacity * sizeof *slots);
    if (slots == NULL) {
        (void)zv_fail_memory(err, "an index of a trace");
        return false;
    }
    memset(slots, 0, capacity * sizeof *slots);
    for (uint32_t at = 1; at < count; at++) {
        size_t slot = hash(trace, at) & (capacity - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (capacity - 1);
        }
        slots[slot] = at;
    }
    zv_memory_free(index->slots);
    *index = (struct zv_trace_index){slots, capacity};
    return true;
}

/* Keeps the index at most half full; count entries are in it. */
static inline bool index_reserve(struct zv_trace *trace, struct zv_trace_index *index, size_t count,
                                 hash_fn *hash, struct zv_error *err)
{
    return count * 2 < index->capacity || index_grow(trace, index, count, hash, err);
}

bool trace_frame(struct zv_trace *trace, const struct zv_trace_frame *frame, uint32_t *to,
                 struct zv_error *err)
{
    struct zv_trace_index *const index = &trace->frame_index;
    if (!index_reserve(trace, index, trace->frame_count, frame_hash, err)) {
        return false;
    }
    size_t slot =
        mix((uint64_t)frame->file << 32 | frame->name, frame->line) & (index->capacity - 1);
    for (; index->slots[slot] != 0; slot = (slot + 1) & (index->capacity - 1)) {
        const struct zv_trace_frame *const known = &trace->frames[index->slots[slot]];
        if (known->file == frame->file && known->name == frame->name &&
            known->line == frame->line) {
            *to = index->slots[slot];
            return true;
        }
    }
    struct zv_trace_frame *const added = add_frame(trace, err);
    if (added == NULL) {
        return false;
    }
    *added = *frame;
    *to = (uint32_t)(trace->frame_count - 1);
    index->slots[slot] = *to;
    return true;
}

bool trace_stack(struct zv_trace *trace, const struct zv_trace_stack *stack, uint32_t *to,
                 struct zv_error *err)
{
    struct zv_trace_index *const index = &trace->stack_index;
    if (!index_reserve(trace, index, trace->stack_count, stack_hash, err)) {
        return false;
    }
    size_t slot = mix((uint64_t)stack->outer << 32 | stack->frame, 0) & (index->capacity - 1);
    for (; index->slots[slot] != 0; slot = (slot + 1) & (index->capacity - 1)) {
        const struct zv_trace_stack *const known = &trace->stacks[index->slots[slot]];
        if (known->outer == stack->outer && known->frame == stack->frame) {
            *to = index->slots[slot];
            return true;
        }
    }
    struct zv_trace_stack *const added = add_stack(trace, err);
    if (added == NULL) {
        return false;
    }
    *added = *stack;
    *to = (uint32_t)(trace->stack_count - 1);
    index->slots[slot] = *to;
    return true;
}

static uint64_t stream_hash(const struct zv_trace *trace, uint32_t at)
{
    return mix(trace->streams[at], 0);
}

/* The slot of a stream among many, or the free one where it belongs. */
static uint32_t *stream_slot(struct zv_trace *trace, uint64_t handle)
{
    struct zv_trace_index *const index = &trace->stream_index;
    size_t slot = mix(handle, 0) & (index->capacity - 1);
    while (index->slots[slot] != 0 && trace->streams[index->slots[slot]] != handle) {
        slot = (slot + 1) & (index->capacity - 1);
    }
    return &index->slots[slot];
}

bool trace_stream(struct zv_trace *trace, uint64_t handle, uint16_t *to, struct zv_error *err)
{
    enum { FEW = 8 }; /* as in practice: looked through */
    uint32_t *slot = NULL;
    for (size_t i = 0; i < trace->stream_count && i < FEW; i++) {
        if (trace->streams[i] == handle) {
            *to = (uint16_t)i;
            return true;
        }
    }
    if (trace->stream_count >= FEW) {
        if (!index_reserve(trace, &trace->stream_index, trace->stream_count, stream_hash, err)) {
            return false;
        }
        slot = stream_slot(trace, handle);
        if (*slot != 0) {
            *to = (uint16_t)*slot;
            return true;
        }
    }
    if (trace->stream_count == ZV_TRACE_MAX_STREAMS) {
        (void)zv_fail(err, ZV_E_LIMIT, "more than %d streams", ZV_TRACE_MAX_STREAMS);
        return false;
    }
    uint64_t *const added = add_stream(trace, err);
    if (added == NULL) {
        return false;
    }
    *added = handle;
    *to = (uint16_t)(trace->stream_count - 1);
    if (slot != NULL) {
        *slot = *to;
    }
    return true;
}

bool trace_pool(struct zv_trace *trace, const struct zv_trace_pool *pool, uint16_t *to,
                struct zv_error *err)
{
    for (size_t i = 0; i < trace->pool_count; i++) {
        if (trace->pools[i].id[0] == pool->id[0] && trace->pools[i].id[1] == pool->id[1]) {
            *to = (uint16_t)i;
            return true;
        }
    }
    if (trace->pool_count == ZV_TRACE_MAX_POOLS) {
        (void)zv_fail(err, ZV_E_LIMIT, "more than %d pools", ZV_TRACE_MAX_POOLS);
        return false;
    }
    struct zv_trace_pool *const added = add_pool(trace, err);
    if (added == NULL) {
        return false;
    }
    *added = *pool;
    *to = (uint16_t)(trace->pool_count - 1);
    return true;
}

bool trace_begin(struct zv_trace *trace, struct zv_error *err)
{
    uint32_t empty;
    return trace_text(trace, zv_slice_of(""), &empty, err) && add_frame(trace, err) != NULL &&
           add_stack(trace, err) != NULL && add_pool(trace, err) != NULL;
}

void trace_finish(struct zv_trace *trace)
{
    zv_strmap_free(&trace->text_ids);
    zv_memory_free(trace->frame_index.slots);
    zv_memory_free(trace->stack_index.slots);
    zv_memory_free(trace->stream_index.slots);
    trace->frame_index = (struct zv_trace_index){0};
    trace->stack_index = (struct zv_trace_index){0};
    trace->stream_index = (struct zv_trace_index){0};
}
