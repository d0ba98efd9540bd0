/* Turns the dicts of a snapshot into records while the pickle is read. Room-internal. */
#ifndef ZIRVE_TRACE_SNAPSHOT_FOLD_H
#define ZIRVE_TRACE_SNAPSHOT_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/pickle.h"
#include "trace/trace.h"

/*
 * What a handle stands for; its index is in the trace's table of that kind.
 *
 *     a record   kind (3 bits) index (28)                       below 2^31: small where it is put
 * aside a run      1, kind (3), count (28), first index (28)      a list of records that follow
 * each other
 */
enum fold_kind {
    FOLD_FRAME = 1,
    FOLD_STACK,
    FOLD_EVENT,
    FOLD_BLOCK,
    FOLD_SEGMENT,
    FOLD_ANNOTATION,
    FOLD_HISTORY /* of a block before 2.1: the index is its stack, no table */
};

#define FOLD_KEYS 32
enum { FOLD_CACHE = 64, FOLD_TEXT_CACHE = 256, FOLD_FRAME_CACHE = 512 }; /* powers of two */

struct fold {
    struct zv_trace *trace;
    bool saw_block_address;
    bool saw_time;
    bool saw_compile_context;
    bool saw_user_metadata;
    uint64_t first_event;    /* byte where the first one ends */
    uint32_t claimed_blocks; /* blocks before this one belong to a segment */
    struct fold_call {       /* the stack that was met last, outermost first */
        uint32_t frame;
        uint32_t stack;
    } * calls;
    size_t call_count;
    size_t call_capacity;
    struct fold_key { /* texts of the pickle by where they are */
        uint64_t bits;
        uint32_t key;
    } keys[FOLD_CACHE];
    struct fold_text {
        uint64_t bits;
        uint32_t text;
    } texts[FOLD_TEXT_CACHE];
    struct fold_frame { /* frames that are written out for every stack, by their values */
        uint64_t file;
        uint64_t name;
        uint64_t line;
        uint32_t frame; /* 0: none */
    } known_frames[FOLD_FRAME_CACHE];
    struct fold_action {
        uint64_t bits;
        uint32_t action; /* enum zv_trace_action */
    } actions[FOLD_CACHE];
    struct fold_text
        last_texts[FOLD_KEYS]; /* of a key, whose text is often written out each time */
    uint64_t last_stream_bits;
    uint16_t last_stream;
    uint32_t
        context; /* text of a compile context that was looked at last, and whether it is none */
    bool context_is_none;
};

/* A zv_pickle_fold_fn; context is a struct fold. */
enum zv_status snapshot_fold(void *context, const struct zv_pickle *pickle,
                             const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                             struct zv_error *err);

/* A zv_pickle_tag_fn, of the same context. */
uint8_t snapshot_tag(void *context, const struct zv_pickle *pickle, struct zv_pickle_value text);

enum { FOLD_INDEX_BITS = 28 };
_Static_assert(ZV_TRACE_MAX_RECORDS <= UINT64_C(1) << FOLD_INDEX_BITS, "an index in its bits");

/* The index when value is a handle of this kind. */
static inline bool fold_index(struct zv_pickle_value value, enum fold_kind kind, uint32_t *to)
{
    const uint64_t payload = zv_pickle_payload(value);
    if (zv_pickle_kind(value) != ZV_PICKLE_HANDLE || payload >> FOLD_INDEX_BITS != (uint64_t)kind) {
        return false;
    }
    *to = (uint32_t)(payload & ((1U << FOLD_INDEX_BITS) - 1));
    return true;
}

static inline struct zv_pickle_value fold_handle(enum fold_kind kind, uint32_t index)
{
    return zv_pickle_handle((uint64_t)kind << FOLD_INDEX_BITS | index);
}

/* Of a fold that went wrong. */
static inline enum zv_status fold_failed(const struct zv_error *err)
{
    return err != NULL && err->status != ZV_OK ? err->status : ZV_E_SYNTAX;
}

#endif
