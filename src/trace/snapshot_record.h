/*
 * One dict of a snapshot on its way to a record: its values by key. Room-internal.
 *
 * Most dicts of a file have the keys of the one before, so the pickle tells where each value is.
 * What every event asks is inline here; what only some ask is behind it in snapshot_record.c.
 */
#ifndef ZIRVE_TRACE_SNAPSHOT_RECORD_H
#define ZIRVE_TRACE_SNAPSHOT_RECORD_H

#include "trace/snapshot_fold.h"

enum key {
    KEY_UNKNOWN,
    KEY_ACTION,
    KEY_ADDR,
    KEY_SIZE,
    KEY_STREAM,
    KEY_TIME,
    KEY_FRAMES,
    KEY_COMPILE_CONTEXT,
    KEY_USER_METADATA,
    KEY_DEVICE_FREE,
    KEY_DEVICE,
    KEY_ADDRESS,
    KEY_TOTAL_SIZE,
    KEY_ALLOCATED_SIZE,
    KEY_ACTIVE_SIZE,
    KEY_REQUESTED_SIZE,
    KEY_SEGMENT_TYPE,
    KEY_POOL,
    KEY_EXPANDABLE,
    KEY_BLOCKS,
    KEY_STATE,
    KEY_HISTORY,
    KEY_REAL_SIZE,
    KEY_FILENAME,
    KEY_NAME,
    KEY_LINE,
    KEY_STAGE,
    KEY_COUNT
};
_Static_assert(KEY_COUNT <= FOLD_KEYS && FOLD_KEYS <= ZV_PICKLE_TAGS, "a place for each key");

struct record {
    struct fold *fold;
    const struct zv_pickle *pickle;
    uint64_t offset;       /* of the byte that ends it */
    const uint8_t *places; /* by key: the number of its pair, 0: not there */
    const struct zv_pickle_value *items;
    struct zv_error *err;
};

/* The key that a value, a text of the pickle, is. */
enum key record_key(struct fold *fold, const struct zv_pickle *pickle,
                    struct zv_pickle_value value);

/* Sets the error: the record's value is not what was expected. Gives false. */
bool record_bad(const struct record *record, enum key key, const char *expected);

/* The rare ones of record_number, record_text, record_stream and record_action. */
bool record_other_number(const struct record *record, enum key key, bool must, uint64_t *to);
bool record_other_text(const struct record *record, enum key key, uint32_t *to);
bool record_other_stream(const struct record *record, uint16_t *to);

enum zv_trace_action record_other_action(const struct record *record);

/* Whether the value is this text. */
bool record_equals(const struct record *record, enum key key, const char *expected);

static inline bool record_has(const struct record *record, enum key key)
{
    return record->places[key] != 0;
}

/* Absent when the key is not there. */
static inline struct zv_pickle_value record_value(const struct record *record, enum key key)
{
    const size_t pair = record->places[key];
    return pair != 0 ? record->items[2 * pair - 1] : (struct zv_pickle_value){0};
}

/* Absent is 0 unless it must be there. False with the error set. */
static inline bool record_number(const struct record *record, enum key key, bool must, uint64_t *to)
{
    const struct zv_pickle_value value = record_value(record, key);
    *to = (uint64_t)((int64_t)value.bits >> 4);
    return (zv_pickle_kind(value) == ZV_PICKLE_INT && (int64_t)value.bits >= 0) ||
           record_other_number(record, key, must, to);
}

/* The text of the trace; 0 of what is none. False with the error set. */
static inline bool record_text(const struct record *record, enum key key, uint32_t *to)
{
    const struct fold_text *const last = &record->fold->last_texts[key];
    const struct zv_pickle_value value = record_value(record, key);
    *to = last->text;
    return last->bits == value.bits || record_other_text(record, key, to);
}

/* Where a value is kept in a table of so many slots, a power of two. */
static inline size_t record_slot(struct zv_pickle_value value, size_t slots)
{
    return (size_t)((value.bits * UINT64_C(0x9e3779b97f4a7c15)) >> 54) & (slots - 1);
}

static inline enum zv_trace_action record_action(const struct record *record)
{
    const struct zv_pickle_value value = record_value(record, KEY_ACTION);
    const struct fold_action *const slot = &record->fold->actions[record_slot(value, FOLD_CACHE)];
    return slot->bits == value.bits ? (enum zv_trace_action)slot->action
                                    : record_other_action(record);
}

static inline bool record_stream(const struct record *record, uint16_t *to)
{
    const struct fold *const fold = record->fold;
    *to = fold->last_stream;
    return (fold->last_stream_bits == record_value(record, KEY_STREAM).bits &&
            fold->last_stream_bits != 0) ||
           record_other_stream(record, to);
}

/* No frames, an empty list and None are no stack. */
static inline uint32_t record_stack(const struct record *record)
{
    uint32_t index;
    return fold_index(record_value(record, KEY_FRAMES), FOLD_STACK, &index) ? index : 0;
}

#endif
