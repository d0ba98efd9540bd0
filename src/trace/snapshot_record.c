#include "trace/snapshot_record.h"

#include "base/fail.h"

static const char *const key_names[KEY_COUNT] = {
    "",
    "action",
    "addr",
    "size",
    "stream",
    "time_us",
    "frames",
    "compile_context",
    "user_metadata",
    "device_free",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "filename",
    "name",
    "line",
    "stage",
};

enum key record_key(struct fold *fold, const struct zv_pickle *pickle, struct zv_pickle_value value)
{
    struct fold_key *const slot = &fold->keys[record_slot(value, FOLD_CACHE)];
    if (slot->bits == value.bits) {
        return (enum key)slot->key;
    }
    struct zv_slice text;
    uint32_t key = KEY_UNKNOWN;
    if (zv_pickle_text(pickle, value, &text)) {
        for (uint32_t i = 1; i < KEY_COUNT && key == KEY_UNKNOWN; i++) {
            key = zv_slice_equal(text, key_names[i]) ? i : KEY_UNKNOWN;
        }
        *slot = (struct fold_key){value.bits, key};
    }
    return (enum key)key;
}

bool record_bad(const struct record *record, enum key key, const char *expected)
{
    (void)zv_fail_at(record->err, ZV_E_SYNTAX, record->offset,
                     "snapshot: \"%s\" of the record that ends here is %s", key_names[key],
                     expected);
    return false;
}

bool record_other_number(const struct record *record, enum key key, bool must, uint64_t *to)
{
    *to = 0;
    if (!record_has(record, key)) {
        return !must || record_bad(record, key, "missing");
    }
    return zv_pickle_u64(record->pickle, record_value(record, key), to) ||
           record_bad(record, key, "no number from 0 to 2^64 - 1");
}

bool record_other_text(const struct record *record, enum key key, uint32_t *to)
{
    const struct zv_pickle_value value = record_value(record, key);
    struct fold_text *const last = &record->fold->last_texts[key];
    struct zv_slice slice;
    *to = last->text;
    if (zv_pickle_same_short(record->pickle, value, (struct zv_pickle_value){last->bits})) {
        return true; /* written anew for every event */
    }
    struct fold_text *const slot = &record->fold->texts[record_slot(value, FOLD_TEXT_CACHE)];
    if (slot->bits == value.bits) {
        *to = slot->text;
        return true;
    }
    *to = 0;
    if (!zv_pickle_text(record->pickle, value, &slice)) {
        return true; /* None, or not there */
    }
    if (!trace_text(record->fold->trace, slice, to, record->err)) {
        return false;
    }
    *slot = (struct fold_text){value.bits, *to};
    *last = *slot;
    return true;
}

bool record_other_stream(const struct record *record, uint16_t *to)
{
    uint64_t handle;
    if (!record_number(record, KEY_STREAM, false, &handle) ||
        !trace_stream(record->fold->trace, handle, to, record->err)) {
        return false;
    }
    record->fold->last_stream = *to;
    record->fold->last_stream_bits = record_value(record, KEY_STREAM).bits;
    return true;
}

bool record_equals(const struct record *record, enum key key, const char *expected)
{
    struct zv_slice value;
    return zv_pickle_text(record->pickle, record_value(record, key), &value) &&
           zv_slice_equal(value, expected);
}

enum zv_trace_action record_other_action(const struct record *record)
{
    const struct zv_pickle_value value = record_value(record, KEY_ACTION);
    struct fold_action *const slot = &record->fold->actions[record_slot(value, FOLD_CACHE)];
    int action = 0;
    while (action < ZV_TRACE_OTHER &&
           !record_equals(record, KEY_ACTION, zv_trace_action_name((enum zv_trace_action)action))) {
        action++;
    }
    *slot = (struct fold_action){value.bits, (uint32_t)action};
    return (enum zv_trace_action)action;
}
