#include "trace/snapshot_fold.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

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
_Static_assert(KEY_COUNT <= FOLD_KEYS, "a place for each key");

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

/* One dict on its way to a record. */
struct record {
    struct fold *fold;
    const struct zv_pickle *pickle;
    uint64_t offset;
    struct zv_pickle_value values[KEY_COUNT];
    struct zv_error *err;
};

static size_t cache_slot(struct zv_pickle_value value)
{
    return (size_t)((value.bits * UINT64_C(0x9e3779b97f4a7c15)) >> 54) % FOLD_CACHE;
}

static enum key key_of(struct fold *fold, const struct zv_pickle *pickle,
                       struct zv_pickle_value value)
{
    struct fold_key *const slot = &fold->keys[cache_slot(value)];
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

static bool has(const struct record *record, enum key key)
{
    return record->values[key].bits != 0;
}

static bool bad(const struct record *record, enum key key, const char *expected)
{
    (void)zv_fail_at(record->err, ZV_E_SYNTAX, record->offset,
                     "snapshot: \"%s\" of the record that ends here is %s", key_names[key],
                     expected);
    return false;
}

/* Absent is 0 unless it must be there. */
static bool number(const struct record *record, enum key key, bool must, uint64_t *to)
{
    *to = 0;
    if (zv_pickle_kind(record->values[key]) == ZV_PICKLE_INT) { /* the usual one */
        const int64_t value = (int64_t)record->values[key].bits >> 4;
        *to = (uint64_t)value;
        return value >= 0 || bad(record, key, "no number from 0 to 2^64 - 1");
    }
    if (!has(record, key)) {
        return !must || bad(record, key, "missing");
    }
    return zv_pickle_u64(record->pickle, record->values[key], to) ||
           bad(record, key, "no number from 0 to 2^64 - 1");
}

static bool text(const struct record *record, enum key key, uint32_t *to)
{
    const struct zv_pickle_value value = record->values[key];
    struct fold_text *const slot = &record->fold->texts[cache_slot(value)];
    struct zv_slice slice;
    *to = 0;
    if (slot->bits == value.bits && value.bits != 0) {
        *to = slot->text;
        return true;
    }
    if (!zv_pickle_text(record->pickle, value, &slice)) {
        return true; /* None, or not there */
    }
    uint32_t *const last = &record->fold->last_texts[key];
    if (zv_slice_same(record->fold->trace->texts[*last], slice)) {
        *to = *last; /* written anew for every event */
        return true;
    }
    if (!trace_text(record->fold->trace, slice, to, record->err)) {
        return false;
    }
    *slot = (struct fold_text){value.bits, *to};
    *last = *to;
    return true;
}

static bool stream(const struct record *record, uint16_t *to)
{
    uint64_t handle;
    return number(record, KEY_STREAM, false, &handle) &&
           trace_stream(record->fold->trace, handle, to, record->err);
}

/* No frames, an empty list and None are no stack. */
static uint32_t stack(const struct record *record)
{
    uint32_t index;
    return fold_index(record->values[KEY_FRAMES], FOLD_STACK, &index) ? index : 0;
}

static bool equals(const struct record *record, enum key key, const char *expected)
{
    struct zv_slice value;
    return zv_pickle_text(record->pickle, record->values[key], &value) &&
           zv_slice_equal(value, expected);
}

static bool fold_frame(const struct record *record, uint32_t *to)
{
    struct zv_trace_frame frame = {0};
    if (!text(record, KEY_FILENAME, &frame.file) || !text(record, KEY_NAME, &frame.name)) {
        return false;
    }
    if (!zv_pickle_u64(record->pickle, record->values[KEY_LINE], &frame.line)) {
        frame.line = UINT64_MAX; /* not known */
    }
    return trace_frame(record->fold->trace, &frame, to, record->err);
}

static enum zv_trace_action action_of(const struct record *record)
{
    const struct zv_pickle_value value = record->values[KEY_ACTION];
    struct fold_action *const slot = &record->fold->actions[cache_slot(value)];
    if (slot->bits == value.bits) {
        return (enum zv_trace_action)slot->action;
    }
    int action = 0;
    while (action < ZV_TRACE_OTHER &&
           !equals(record, KEY_ACTION, zv_trace_action_name((enum zv_trace_action)action))) {
        action++;
    }
    *slot = (struct fold_action){value.bits, (uint32_t)action};
    return (enum zv_trace_action)action;
}

/* PyTorch writes "N/A" where there was no compile context. */
static bool is_no_context(const struct record *record, uint32_t context)
{
    struct fold *const fold = record->fold;
    if (fold->context != context) {
        fold->context = context;
        fold->context_is_none = equals(record, KEY_COMPILE_CONTEXT, "N/A");
    }
    return fold->context_is_none;
}

static bool fold_event(const struct record *record, uint32_t *to)
{
    struct fold *const fold = record->fold;
    struct zv_trace_event event = {.action = (uint8_t)action_of(record), .stack = stack(record)};
    const enum key where = event.action == ZV_TRACE_OOM ? KEY_DEVICE_FREE : KEY_ADDR;
    uint32_t metadata;
    if (!number(record, where, false, &event.address) ||
        !number(record, KEY_SIZE, false, &event.bytes) ||
        !number(record, KEY_TIME, false, &event.time_us) || !stream(record, &event.stream) ||
        !text(record, KEY_COMPILE_CONTEXT, &event.context) ||
        !text(record, KEY_USER_METADATA, &metadata)) {
        return false;
    }
    if (metadata != 0) {
        event.context = metadata;
    } else if (event.context != 0 && is_no_context(record, event.context)) {
        event.context = 0;
    }
    fold->saw_time = fold->saw_time || has(record, KEY_TIME);
    fold->saw_compile_context = fold->saw_compile_context || has(record, KEY_COMPILE_CONTEXT);
    fold->saw_user_metadata = fold->saw_user_metadata || has(record, KEY_USER_METADATA);
    struct zv_trace_event *const added = trace_add_event(fold->trace, record->err);
    if (added == NULL) {
        return false;
    }
    *added = event;
    *to = (uint32_t)(fold->trace->event_count - 1);
    return true;
}

/* Before 2.1 a block had a history; the newest entry says who has it. */
static uint32_t history_stack(const struct record *record)
{
    const struct zv_pickle_items items =
        zv_pickle_items(record->pickle, record->values[KEY_HISTORY]);
    uint32_t index;
    return items.count != 0 && fold_index(items.at[0], FOLD_HISTORY, &index) ? index : 0;
}

static bool fold_block(const struct record *record, uint32_t *to)
{
    struct fold *const fold = record->fold;
    struct zv_trace_block block = {.stack = stack(record), .state = ZV_BLOCK_FREE};
    if (!number(record, KEY_ADDRESS, false, &block.address) ||
        !number(record, KEY_SIZE, true, &block.bytes) ||
        !number(record, KEY_REQUESTED_SIZE, false, &block.requested_bytes)) {
        return false;
    }
    if (equals(record, KEY_STATE, "active_allocated")) {
        block.state = ZV_BLOCK_ALLOCATED;
    } else if (equals(record, KEY_STATE, "active_pending_free") ||
               equals(record, KEY_STATE, "active_awaiting_free")) {
        block.state = ZV_BLOCK_PENDING;
    } else if (!equals(record, KEY_STATE, "inactive")) {
        return bad(record, KEY_STATE, "none that is known");
    }
    if (block.state == ZV_BLOCK_FREE) {
        block.requested_bytes = 0; /* what is written there is of the last owner */
    } else if (block.requested_bytes == 0 || block.requested_bytes > block.bytes) {
        block.requested_bytes = block.bytes;
    }
    block.stack = block.stack == 0 ? history_stack(record) : block.stack;
    fold->saw_block_address = fold->saw_block_address || has(record, KEY_ADDRESS);
    struct zv_trace_block *const added = trace_add_block(fold->trace, record->err);
    if (added == NULL) {
        return false;
    }
    *added = block;
    *to = (uint32_t)(fold->trace->block_count - 1);
    return true;
}

/* The blocks of a segment follow each other in the table, and belong to no other segment. */
static bool claim_blocks(const struct record *record, struct zv_trace_segment *segment)
{
    struct fold *const fold = record->fold;
    uint64_t end = segment->address;
    if (!fold_run(record->pickle, record->values[KEY_BLOCKS], FOLD_BLOCK, &segment->first_block,
                  &segment->block_count) ||
        (segment->block_count != 0 && segment->first_block < fold->claimed_blocks)) {
        return bad(record, KEY_BLOCKS, "no list of blocks of its own");
    }
    for (uint32_t i = 0; i < segment->block_count; i++) {
        struct zv_trace_block *const block = &fold->trace->blocks[segment->first_block + i];
        block->address = fold->saw_block_address ? block->address : end;
        if (block->address != end || block->bytes > segment->address + segment->bytes - end) {
            return bad(record, KEY_BLOCKS, "no list that fills the segment");
        }
        end += block->bytes;
    }
    if (segment->block_count != 0) {
        fold->claimed_blocks = segment->first_block + segment->block_count;
    }
    return end == segment->address + segment->bytes ||
           bad(record, KEY_BLOCKS, "no list that fills the segment");
}

static bool segment_pool(const struct record *record, uint16_t *to)
{
    const struct zv_pickle_items id = zv_pickle_items(record->pickle, record->values[KEY_POOL]);
    struct zv_trace_pool pool = {{0, 0}};
    if (id.count >= 2 && !(zv_pickle_u64(record->pickle, id.at[0], &pool.id[0]) &&
                           zv_pickle_u64(record->pickle, id.at[1], &pool.id[1]))) {
        return bad(record, KEY_POOL, "no pair of numbers");
    }
    return trace_pool(record->fold->trace, &pool, to, record->err);
}

static bool fold_segment(const struct record *record, uint32_t *to)
{
    struct fold *const fold = record->fold;
    struct zv_trace_segment segment = {.stack = stack(record),
                                       .is_small = equals(record, KEY_SEGMENT_TYPE, "small")};
    uint64_t device;
    if (!number(record, KEY_DEVICE, false, &device) ||
        !number(record, KEY_ADDRESS, true, &segment.address) ||
        !number(record, KEY_TOTAL_SIZE, true, &segment.bytes) ||
        !number(record, KEY_ALLOCATED_SIZE, false, &segment.allocated_bytes) ||
        !number(record, KEY_ACTIVE_SIZE, false, &segment.active_bytes) ||
        !number(record, KEY_REQUESTED_SIZE, false, &segment.requested_bytes) ||
        !stream(record, &segment.stream) || !segment_pool(record, &segment.pool)) {
        return false;
    }
    if (device >= ZV_TRACE_MAX_DEVICES) {
        return bad(record, KEY_DEVICE, "above 1023");
    }
    if (segment.bytes > UINT64_MAX - segment.address) {
        return bad(record, KEY_TOTAL_SIZE, "larger than the address space");
    }
    segment.device = (uint16_t)device;
    (void)zv_pickle_bool(record->values[KEY_EXPANDABLE], &segment.is_expandable);
    if (!claim_blocks(record, &segment)) {
        return false;
    }
    struct zv_trace_segment *const added = trace_add_segment(fold->trace, record->err);
    if (added == NULL) {
        return false;
    }
    *added = segment;
    *to = (uint32_t)(fold->trace->segment_count - 1);
    return true;
}

static bool fold_annotation(const struct record *record, uint32_t *to)
{
    struct zv_trace_annotation annotation = {.is_end = equals(record, KEY_STAGE, "END")};
    uint64_t device;
    if (!number(record, KEY_TIME, false, &annotation.time_us) ||
        !number(record, KEY_DEVICE, false, &device) || !text(record, KEY_NAME, &annotation.name)) {
        return false;
    }
    annotation.device = (uint16_t)(device < ZV_TRACE_MAX_DEVICES ? device : 0);
    struct zv_trace_annotation *const added =
        trace_add_annotation(record->fold->trace, record->err);
    if (added == NULL) {
        return false;
    }
    *added = annotation;
    *to = (uint32_t)(record->fold->trace->annotation_count - 1);
    return true;
}

static bool fold_history(const struct record *record, uint32_t *to)
{
    *to = stack(record);
    return true;
}

/* A record is told by a key that no other has; the first that is there decides. */
static const struct {
    enum key key;
    enum fold_kind kind;
    bool (*fold)(const struct record *record, uint32_t *to);
} kinds[] = {
    {KEY_ACTION, FOLD_EVENT, fold_event},          {KEY_FILENAME, FOLD_FRAME, fold_frame},
    {KEY_BLOCKS, FOLD_SEGMENT, fold_segment},      {KEY_STATE, FOLD_BLOCK, fold_block},
    {KEY_STAGE, FOLD_ANNOTATION, fold_annotation}, {KEY_REAL_SIZE, FOLD_HISTORY, fold_history},
};

static enum zv_status failed(struct zv_error *err)
{
    return err != NULL && err->status != ZV_OK ? err->status : ZV_E_SYNTAX;
}

static struct zv_pickle_value record_handle(enum fold_kind kind, uint32_t index)
{
    return zv_pickle_handle((uint64_t)kind << FOLD_INDEX_BITS | index);
}

static enum zv_status fold_dict(struct fold *fold, const struct zv_pickle *pickle,
                                const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                                struct zv_error *err)
{
    struct record record = {.fold = fold, .pickle = pickle, .offset = batch->offset, .err = err};
    for (size_t i = 0; i + 1 < batch->items.count; i += 2) {
        record.values[key_of(fold, pickle, batch->items.at[i])] = batch->items.at[i + 1];
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!has(&record, kinds[i].key)) {
            continue;
        }
        uint32_t index;
        if (batch->before.bits != 0) {
            return zv_fail_at(err, ZV_E_UNSUPPORTED, batch->offset, "a record in two parts");
        }
        if (!kinds[i].fold(&record, &index)) {
            return failed(err);
        }
        *handle = record_handle(kinds[i].kind, index);
        return ZV_OK;
    }
    return ZV_OK;
}

static bool reserve_frames(struct fold *fold, size_t count, struct zv_error *err)
{
    if (count <= fold->frame_capacity) {
        return true;
    }
    uint32_t *const frames = zv_memory_resize(fold->frames, count * sizeof *frames);
    if (frames == NULL) {
        (void)zv_fail_memory(err, "frames");
        return false;
    }
    fold->frames = frames;
    fold->frame_capacity = count;
    return true;
}

/* The frames of a stack that is continued, innermost first; how many. */
static size_t unwind(const struct fold *fold, uint32_t at, uint32_t *to)
{
    size_t count = 0;
    for (; at != 0; at = fold->trace->stacks[at].outer) {
        if (to != NULL) {
            to[count] = fold->trace->stacks[at].frame;
        }
        count++;
    }
    return count;
}

/* ---- lists ---- */

enum { RUN_KIND = 2 * FOLD_INDEX_BITS, RUN_MARK = RUN_KIND + 3 }; /* first bits of a run's handle */
#define INDEX_MASK ((UINT64_C(1) << FOLD_INDEX_BITS) - 1)

static struct zv_pickle_value run_handle(enum fold_kind kind, uint64_t first, uint64_t count)
{
    return zv_pickle_handle(UINT64_C(1) << RUN_MARK | (uint64_t)kind << RUN_KIND |
                            count << FOLD_INDEX_BITS | first);
}

static bool is_run_of(struct zv_pickle_value value, enum fold_kind kind)
{
    return zv_pickle_kind(value) == ZV_PICKLE_HANDLE &&
           zv_pickle_payload(value) >> RUN_KIND == (8 | (uint64_t)kind);
}

bool fold_run(const struct zv_pickle *pickle, struct zv_pickle_value value, enum fold_kind kind,
              uint32_t *first, uint32_t *count)
{
    *first = 0;
    *count = 0;
    if (is_run_of(value, kind)) {
        *first = (uint32_t)(zv_pickle_payload(value) & INDEX_MASK);
        *count = (uint32_t)(zv_pickle_payload(value) >> FOLD_INDEX_BITS & INDEX_MASK);
        return true;
    }
    return zv_pickle_kind(value) == ZV_PICKLE_LIST && zv_pickle_items(pickle, value).count == 0;
}

/* Records of one kind that follow each other, and what is there already, are a run. */
static void fold_records(const struct zv_pickle_batch *batch, enum fold_kind kind, uint32_t first,
                         struct zv_pickle_value *handle)
{
    uint64_t from = first;
    uint64_t count = 0;
    if (batch->before.bits != 0) {
        if (!is_run_of(batch->before, kind)) {
            return;
        }
        from = zv_pickle_payload(batch->before) & INDEX_MASK;
        count = zv_pickle_payload(batch->before) >> FOLD_INDEX_BITS & INDEX_MASK;
    }
    for (size_t i = 0; i < batch->items.count; i++, count++) {
        if (batch->items.at[i].bits != record_handle(kind, (uint32_t)(from + count)).bits) {
            return;
        }
    }
    *handle = run_handle(kind, from, count);
}

/* A list of frames, innermost first, is a stack. */
static enum zv_status fold_frames(struct fold *fold, const struct zv_pickle_batch *batch,
                                  struct zv_pickle_value *handle, struct zv_error *err)
{
    uint32_t before = 0;
    if (batch->before.bits != 0 && !fold_index(batch->before, FOLD_STACK, &before)) {
        return ZV_OK;
    }
    const size_t known = unwind(fold, before, NULL);
    if (!reserve_frames(fold, known + batch->items.count, err)) {
        return ZV_E_NOMEM;
    }
    (void)unwind(fold, before, fold->frames);
    for (size_t i = 0; i < batch->items.count; i++) {
        if (!fold_index(batch->items.at[i], FOLD_FRAME, &fold->frames[known + i])) {
            return zv_fail_at(err, ZV_E_SYNTAX, batch->offset,
                              "snapshot: a stack holds what is no frame");
        }
    }
    uint32_t stack_index = 0;
    for (size_t i = known + batch->items.count; i != 0; i--) {
        const struct zv_trace_stack call = {stack_index, fold->frames[i - 1]};
        if (!trace_stack(fold->trace, &call, &stack_index, err)) {
            return failed(err);
        }
    }
    *handle = record_handle(FOLD_STACK, stack_index);
    return ZV_OK;
}

/* Other lists are kept. */
static enum zv_status fold_list(struct fold *fold, const struct zv_pickle_batch *batch,
                                struct zv_pickle_value *handle, struct zv_error *err)
{
    static const enum fold_kind records[] = {FOLD_EVENT, FOLD_BLOCK, FOLD_SEGMENT, FOLD_ANNOTATION};
    uint32_t index;
    if (fold_index(batch->items.at[0], FOLD_FRAME, &index)) {
        return fold_frames(fold, batch, handle, err);
    }
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        if (fold_index(batch->items.at[0], records[i], &index)) {
            fold_records(batch, records[i], index, handle);
        }
    }
    return ZV_OK;
}

enum zv_status snapshot_fold(void *context, const struct zv_pickle *pickle,
                             const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                             struct zv_error *err)
{
    return batch->kind == ZV_PICKLE_DICT ? fold_dict(context, pickle, batch, handle, err)
                                         : fold_list(context, batch, handle, err);
}
