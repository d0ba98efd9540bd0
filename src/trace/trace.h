/*
 * Room trace: what was allocated and freed, in order, whatever wrote it down.
 *
 *     snapshot (pickle)  ─┐                     device ── events      in order of time
 *     profiler (JSON)    ─┼─► struct zv_trace ──┤
 *     capture, timeline  ─┘      │              └─ segments ── blocks  when the record ended
 *                                ├─ texts, frames, stacks (a tree: callers are shared)
 *                                └─ streams, pools, annotations, settings
 *
 * A trace holds facts as they were recorded. What follows from them (the state at an instant, a
 * peak, a verdict) belongs to allocator and explain.
 *
 * A trace can be larger than half of the host's memory, so it owns its tables instead of living in
 * the caller's arena: zero-initialise, read, close. Index 0 of texts, frames and stacks is none.
 */
#ifndef ZIRVE_TRACE_TRACE_H
#define ZIRVE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strmap.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_trace_action {
    ZV_TRACE_ALLOC,
    ZV_TRACE_FREE_REQUESTED,
    ZV_TRACE_FREE_COMPLETED,
    ZV_TRACE_SEGMENT_ALLOC,
    ZV_TRACE_SEGMENT_FREE,
    ZV_TRACE_SEGMENT_MAP,
    ZV_TRACE_SEGMENT_UNMAP,
    ZV_TRACE_OOM,
    ZV_TRACE_SNAPSHOT,
    ZV_TRACE_OTHER, /* an action that is newer than this reader */
    ZV_TRACE_ACTION_COUNT
};

struct zv_trace_event {
    uint64_t address; /* oom: bytes the card had free */
    uint64_t bytes;   /* alloc, free: as asked for (profiler: of the block); oom: rounded */
    uint64_t time_us; /* 0: not recorded */
    uint32_t stack;
    uint32_t context; /* text: compile context or user metadata */
    uint16_t stream;  /* index */
    uint8_t action;   /* enum zv_trace_action */
};

enum zv_block_state { ZV_BLOCK_FREE, ZV_BLOCK_ALLOCATED, ZV_BLOCK_PENDING };

struct zv_trace_block {
    uint64_t address;
    uint64_t bytes;
    uint64_t requested_bytes; /* of what is not free */
    uint32_t stack;
    uint8_t state; /* enum zv_block_state; pending: freed, other streams may still use it */
    bool is_guess; /* of a state that was found by undoing: bytes are the request rounded */
};

struct zv_trace_segment {
    uint64_t address;
    uint64_t bytes;
    uint64_t allocated_bytes; /* as the file says */
    uint64_t active_bytes;
    uint64_t requested_bytes;
    uint32_t first_block; /* index into blocks */
    uint32_t block_count;
    uint32_t stack;
    uint16_t device;
    uint16_t stream;
    uint16_t pool; /* index */
    bool is_small;
    bool is_expandable;
};

struct zv_trace_frame {
    uint32_t file; /* text */
    uint32_t name; /* text */
    uint64_t line; /* UINT64_MAX occurs: not known */
};

/* One call of a stack; its callers are the chain of outer. */
struct zv_trace_stack {
    uint32_t outer; /* stack, 0 at the outermost frame */
    uint32_t frame;
};

struct zv_trace_pool {
    uint64_t id[2]; /* 0, 0: the default pool */
};

struct zv_trace_annotation {
    uint64_t time_us;
    uint32_t name; /* text */
    uint16_t device;
    bool is_end;
};

/* What a profiler wrote beside an event. */
struct zv_trace_total {
    uint64_t allocated_bytes; /* after the event */
    uint64_t reserved_bytes;
    uint16_t device;
    bool known;
};

/* A part of the tables that belongs to one device. */
struct zv_trace_device {
    const struct zv_trace_event *events;
    size_t event_count;
    const struct zv_trace_segment *segments;
    size_t segment_count;
    uint64_t total_bytes; /* of the card, 0: not recorded */
};

/* False of the profilers before 2022 and of timelines. */
static inline bool zv_trace_has_addresses(const struct zv_trace_device *device)
{
    for (size_t i = 0; i < device->event_count; i++) {
        if (device->events[i].action == ZV_TRACE_ALLOC && device->events[i].address != 0) {
            return true;
        }
    }
    return false;
}

enum zv_trace_source { ZV_TRACE_FROM_SNAPSHOT, ZV_TRACE_FROM_PROFILER, ZV_TRACE_FROM_TIMELINE };

/* How the events are known. A file that says nothing was recorded, as far as anybody knows. */
enum zv_trace_known { ZV_TRACE_RECORDED, ZV_TRACE_EMULATED, ZV_TRACE_CALCULATED, ZV_TRACE_KNOWN };

/* What a file of PyTorch has told about its age; later generations have the keys of earlier ones.
 */
enum zv_snapshot_generation {
    ZV_SNAPSHOT_G0, /* up to 2.0 */
    ZV_SNAPSHOT_G1, /* 2.1: addresses of blocks */
    ZV_SNAPSHOT_G2, /* 2.2: times */
    ZV_SNAPSHOT_G3, /* 2.3: settings */
    ZV_SNAPSHOT_G4, /* 2.6: annotations */
    ZV_SNAPSHOT_G5, /* 2.8: compile contexts */
    ZV_SNAPSHOT_G6  /* 2.10: user metadata */
};

struct zv_trace_settings {
    bool known;
    uint32_t conf; /* text: PYTORCH_ALLOC_CONF as it was, perhaps empty */
    bool expandable_segments;
    bool has_max_split;
    uint64_t max_split_bytes;
};

enum { ZV_TRACE_MAX_DEVICES = 1024, ZV_TRACE_MAX_STREAMS = 65535, ZV_TRACE_MAX_POOLS = 65535 };
#define ZV_TRACE_MAX_BYTES   (UINT64_C(1) << 57) /* of a block or a segment */
#define ZV_TRACE_MAX_RECORDS (UINT64_C(1) << 28) /* of one kind */

struct zv_trace_index {
    uint32_t *slots; /* index of an entry, 0 = free */
    size_t capacity;
};

struct zv_trace {
    enum zv_trace_source source;
    enum zv_trace_known known;
    uint32_t known_by; /* text: what made the events, empty when recorded */
    enum zv_snapshot_generation generation;
    struct zv_trace_device *devices;
    size_t device_count;
    struct zv_trace_settings settings;

    struct zv_slice *texts;
    size_t text_count;
    struct zv_trace_frame *frames;
    size_t frame_count;
    struct zv_trace_stack *stacks;
    size_t stack_count;
    struct zv_trace_event *events;
    size_t event_count;
    struct zv_trace_total *totals; /* beside events, of a profiler's trace; else NULL */
    size_t total_count;
    struct zv_trace_block *blocks;
    size_t block_count;
    struct zv_trace_segment *segments; /* by device, then by address */
    size_t segment_count;
    struct zv_trace_annotation *annotations;
    size_t annotation_count;
    uint64_t *streams; /* handles by index */
    size_t stream_count;
    struct zv_trace_pool *pools;
    size_t pool_count;

    /* private */
    struct zv_arena arena;
    struct zv_strmap text_ids;
    struct zv_trace_index frame_index;
    struct zv_trace_index stack_index;
    struct zv_trace_index stream_index;
    size_t text_capacity;
    size_t frame_capacity;
    size_t stack_capacity;
    size_t event_capacity;
    size_t total_capacity;
    size_t block_capacity;
    size_t segment_capacity;
    size_t annotation_capacity;
    size_t stream_capacity;
    size_t pool_capacity;
};

void zv_trace_close(struct zv_trace *trace);

/* Text, file and name are never NULL; empty when not known. */
struct zv_slice zv_trace_text(const struct zv_trace *trace, uint32_t text);

/* The device with the most events, then with the most segments. */
size_t zv_trace_main_device(const struct zv_trace *trace);

const char *zv_trace_action_name(enum zv_trace_action action);

/* "measured" (of what was recorded), "emulated", "calculated": as results say it. */
const char *zv_trace_known_name(enum zv_trace_known known);

/* False when it is none of the names. */
bool zv_trace_known_parse(struct zv_slice name, enum zv_trace_known *to);

/* Says how the events are known and what made them; false with the error set. */
bool zv_trace_mark(struct zv_trace *trace, enum zv_trace_known known, struct zv_slice by,
                   struct zv_error *err);

/* "2.8 to 2.9": the versions of PyTorch that write this generation. */
const char *zv_snapshot_versions(enum zv_snapshot_generation generation);

/* ---- for readers ---- */

/* Records an entry and returns its index; false with the error set. The same entry, the same index.
 */
bool trace_text(struct zv_trace *trace, struct zv_slice text, uint32_t *to, struct zv_error *err);
bool trace_frame(struct zv_trace *trace, const struct zv_trace_frame *frame, uint32_t *to,
                 struct zv_error *err);
bool trace_stack(struct zv_trace *trace, const struct zv_trace_stack *stack, uint32_t *to,
                 struct zv_error *err);
bool trace_stream(struct zv_trace *trace, uint64_t handle, uint16_t *to, struct zv_error *err);
bool trace_pool(struct zv_trace *trace, const struct zv_trace_pool *pool, uint16_t *to,
                struct zv_error *err);

/* A new entry at the end, NULL with the error set. */
struct zv_trace_event *trace_add_event(struct zv_trace *trace, struct zv_error *err);
struct zv_trace_total *trace_add_total(struct zv_trace *trace, struct zv_error *err);
struct zv_trace_block *trace_add_block(struct zv_trace *trace, struct zv_error *err);
struct zv_trace_segment *trace_add_segment(struct zv_trace *trace, struct zv_error *err);
struct zv_trace_annotation *trace_add_annotation(struct zv_trace *trace, struct zv_error *err);

/* Room for count events in all, at most those that a trace can have, so that adding them moves
 * nothing; false with the error set, also when it has as many as it can. */
bool trace_reserve_events(struct zv_trace *trace, size_t count, struct zv_error *err);

/* The entries that every trace has: text, frame and stack 0, pool 0 (the default). */
bool trace_begin(struct zv_trace *trace, struct zv_error *err);

/* Drops what only reading needed. */
void trace_finish(struct zv_trace *trace);

#endif
