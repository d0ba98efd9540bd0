#include "trace/snapshot_fold.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "trace/snapshot_list.h"
#include "trace/snapshot_record.h"

static bool new_frame(const struct record *record, uint32_t *to)
{
    struct zv_trace_frame frame = {0};
    if (!record_text(record, KEY_FILENAME, &frame.file) ||
        !record_text(record, KEY_NAME, &frame.name)) {
        return false;
    }
    if (!zv_pickle_u64(record->pickle, record_value(record, KEY_LINE), &frame.line)) {
        frame.line = UINT64_MAX; /* not known */
    }
    return trace_frame(record->fold->trace, &frame, to, record->err);
}

static bool fold_frame(const struct record *record, uint32_t *to)
{
    const struct fold_frame wanted = {.file = record_value(record, KEY_FILENAME).bits,
                                      .name = record_value(record, KEY_NAME).bits,
                                      .line = record_value(record, KEY_LINE).bits};
    const uint64_t mixed = (wanted.file ^ wanted.name << 24 ^ wanted.line << 44) + wanted.name;
    const size_t at = (size_t)((mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 54) % FOLD_FRAME_CACHE;
    struct fold_frame *const known = &record->fold->known_frames[at];
    if (known->frame != 0 && known->file == wanted.file && known->name == wanted.name &&
        known->line == wanted.line) {
        *to = known->frame;
        return true;
    }
    if (!new_frame(record, to)) {
        return false;
    }
    *known = wanted;
    known->frame = *to;
    return true;
}

/* PyTorch writes "N/A" where there was no compile context. */
static bool is_no_context(const struct record *record, uint32_t context)
{
    struct fold *const fold = record->fold;
    if (fold->context != context) {
        fold->context = context;
        fold->context_is_none = record_equals(record, KEY_COMPILE_CONTEXT, "N/A");
    }
    return fold->context_is_none;
}

/* Room for as many events as the file has when it goes on like this, within limits. */
static bool reserve_events(const struct record *record)
{
    struct fold *const fold = record->fold;
    const uint64_t count = fold->trace->event_count;
    if (count < fold->trace->event_capacity) {
        return true;
    }
    fold->first_event = count == 0 ? record->offset : fold->first_event;
    const uint64_t done = record->offset - fold->first_event + 1;
    const uint64_t more =
        (record->pickle->input.length - record->offset) / (done / (count + 1) + 1);
    const uint64_t most = 64 + (count < 256 ? 3 : 1023) * count; /* few tell little */
    return trace_reserve_events(fold->trace, (size_t)(count + 1 + (more < most ? more : most)),
                                record->err);
}

/* What a request that failed asked for can be any number. */
static bool is_placed(uint8_t action)
{
    return action != ZV_TRACE_OOM && action != ZV_TRACE_SNAPSHOT && action != ZV_TRACE_OTHER;
}

static bool fold_event(const struct record *record, uint32_t *to)
{
    struct fold *const fold = record->fold;
    struct zv_trace_event event = {.action = (uint8_t)record_action(record),
                                   .stack = record_stack(record)};
    const enum key where = event.action == ZV_TRACE_OOM ? KEY_DEVICE_FREE : KEY_ADDR;
    uint32_t metadata;
    if (!record_number(record, where, false, &event.address) ||
        !record_number(record, KEY_SIZE, false, &event.bytes) ||
        !record_number(record, KEY_TIME, false, &event.time_us) ||
        !record_stream(record, &event.stream) ||
        !record_text(record, KEY_COMPILE_CONTEXT, &event.context) ||
        !record_text(record, KEY_USER_METADATA, &metadata)) {
        return false;
    }
    if (is_placed(event.action) &&
        (event.bytes > ZV_TRACE_MAX_BYTES || event.bytes > UINT64_MAX - event.address)) {
        return record_bad(record, KEY_SIZE, "more than an address space has (2^57)");
    }
    if (metadata != 0) {
        event.context = metadata;
    } else if (event.context != 0 && is_no_context(record, event.context)) {
        event.context = 0;
    }
    fold->saw_time = fold->saw_time || record_has(record, KEY_TIME);
    fold->saw_compile_context =
        fold->saw_compile_context || record_has(record, KEY_COMPILE_CONTEXT);
    fold->saw_user_metadata = fold->saw_user_metadata || record_has(record, KEY_USER_METADATA);
    if (!reserve_events(record)) {
        return false;
    }
    *to = (uint32_t)fold->trace->event_count++;
    fold->trace->events[*to] = event;
    return true;
}

/* Before 2.1 a block had a history; the newest entry says who has it. */
static uint32_t history_stack(const struct record *record)
{
    const struct zv_pickle_items items =
        zv_pickle_items(record->pickle, record_value(record, KEY_HISTORY));
    uint32_t index;
    return items.count != 0 && fold_index(items.at[0], FOLD_HISTORY, &index) ? index : 0;
}

static bool fold_block(const struct record *record, uint32_t *to)
{
    struct fold *const fold = record->fold;
    struct zv_trace_block block = {.stack = record_stack(record), .state = ZV_BLOCK_FREE};
    if (!record_number(record, KEY_ADDRESS, false, &block.address) ||
        !record_number(record, KEY_SIZE, true, &block.bytes) ||
        !record_number(record, KEY_REQUESTED_SIZE, false, &block.requested_bytes)) {
        return false;
    }
    if (record_equals(record, KEY_STATE, "active_allocated")) {
        block.state = ZV_BLOCK_ALLOCATED;
    } else if (record_equals(record, KEY_STATE, "active_pending_free") ||
               record_equals(record, KEY_STATE, "active_awaiting_free")) {
        block.state = ZV_BLOCK_PENDING;
    } else if (!record_equals(record, KEY_STATE, "inactive")) {
        return record_bad(record, KEY_STATE, "none that is known");
    }
    if (block.state == ZV_BLOCK_FREE) {
        block.requested_bytes = 0; /* what is written there is of the last owner */
    } else if (block.requested_bytes == 0 || block.requested_bytes > block.bytes) {
        block.requested_bytes = block.bytes;
    }
    block.stack = block.stack == 0 ? history_stack(record) : block.stack;
    fold->saw_block_address = fold->saw_block_address || record_has(record, KEY_ADDRESS);
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
    if (!fold_run(record->pickle, record_value(record, KEY_BLOCKS), FOLD_BLOCK,
                  &segment->first_block, &segment->block_count) ||
        (segment->block_count != 0 && segment->first_block < fold->claimed_blocks)) {
        return record_bad(record, KEY_BLOCKS, "no list of blocks of its own");
    }
    for (uint32_t i = 0; i < segment->block_count; i++) {
        struct zv_trace_block *const block = &fold->trace->blocks[segment->first_block + i];
        block->address = fold->saw_block_address ? block->address : end;
        if (block->address != end || block->bytes > segment->address + segment->bytes - end) {
            return record_bad(record, KEY_BLOCKS, "no list that fills the segment");
        }
        end += block->bytes;
    }
    if (segment->block_count != 0) {
        fold->claimed_blocks = segment->first_block + segment->block_count;
    }
    return end == segment->address + segment->bytes ||
           record_bad(record, KEY_BLOCKS, "no list that fills the segment");
}

static bool segment_pool(const struct record *record, uint16_t *to)
{
    const struct zv_pickle_items id =
        zv_pickle_items(record->pickle, record_value(record, KEY_POOL));
    struct zv_trace_pool pool = {{0, 0}};
    if (id.count >= 2 && !(zv_pickle_u64(record->pickle, id.at[0], &pool.id[0]) &&
                           zv_pickle_u64(record->pickle, id.at[1], &pool.id[1]))) {
        return record_bad(record, KEY_POOL, "no pair of numbers");
    }
    return trace_pool(record->fold->trace, &pool, to, record->err);
}

static bool fold_segment(const struct record *record, uint32_t *to)
{
    struct fold *const fold = record->fold;
    struct zv_trace_segment segment = {.stack = record_stack(record),
                                       .is_small =
                                           record_equals(record, KEY_SEGMENT_TYPE, "small")};
    uint64_t device;
    if (!record_number(record, KEY_DEVICE, false, &device) ||
        !record_number(record, KEY_ADDRESS, true, &segment.address) ||
        !record_number(record, KEY_TOTAL_SIZE, true, &segment.bytes) ||
        !record_number(record, KEY_ALLOCATED_SIZE, false, &segment.allocated_bytes) ||
        !record_number(record, KEY_ACTIVE_SIZE, false, &segment.active_bytes) ||
        !record_number(record, KEY_REQUESTED_SIZE, false, &segment.requested_bytes) ||
        !record_stream(record, &segment.stream) || !segment_pool(record, &segment.pool)) {
        return false;
    }
    if (device >= ZV_TRACE_MAX_DEVICES) {
        return record_bad(record, KEY_DEVICE, "above 1023");
    }
    if (segment.bytes > UINT64_MAX - segment.address) {
        return record_bad(record, KEY_TOTAL_SIZE, "larger than the address space");
    }
    segment.device = (uint16_t)device;
    (void)zv_pickle_bool(record_value(record, KEY_EXPANDABLE), &segment.is_expandable);
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
    struct zv_trace_annotation annotation = {.is_end = record_equals(record, KEY_STAGE, "END")};
    uint64_t device;
    if (!record_number(record, KEY_TIME, false, &annotation.time_us) ||
        !record_number(record, KEY_DEVICE, false, &device) ||
        !record_text(record, KEY_NAME, &annotation.name)) {
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
    *to = record_stack(record);
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

/* The last value of each key, at the key's own place. */
static void sort_by_key(struct fold *fold, const struct zv_pickle *pickle,
                        const struct zv_pickle_batch *batch, struct zv_pickle_value *items,
                        uint8_t *places)
{
    for (size_t i = 0; i + 1 < batch->items.count; i += 2) {
        const enum key key = record_key(fold, pickle, batch->items.at[i]);
        items[2 * key + 1] = batch->items.at[i + 1];
        places[key] = (uint8_t)(key + 1);
    }
}

static enum zv_status fold_record(const struct record *record, bool in_parts,
                                  struct zv_pickle_value *handle)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint32_t index;
        if (!record_has(record, kinds[i].key)) {
            continue;
        }
        if (in_parts) {
            return zv_fail_at(record->err, ZV_E_UNSUPPORTED, record->offset,
                              "a record in two parts");
        }
        if (!kinds[i].fold(record, &index)) {
            return fold_failed(record->err);
        }
        *handle = fold_handle(kinds[i].kind, index);
        return ZV_OK;
    }
    return ZV_OK;
}

static enum zv_status fold_dict(struct fold *fold, const struct zv_pickle *pickle,
                                const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                                struct zv_error *err)
{
    struct record record = {.fold = fold,
                            .pickle = pickle,
                            .offset = batch->offset,
                            .places = batch->places,
                            .items = batch->items.at,
                            .err = err};
    struct zv_pickle_value items[2 * KEY_COUNT];
    uint8_t places[KEY_COUNT];
    if (batch->places == NULL) {
        memset(places, 0, sizeof places);
        sort_by_key(fold, pickle, batch, items, places);
        record.places = places;
        record.items = items;
    }
    return fold_record(&record, batch->before.bits != 0, handle);
}

uint8_t snapshot_tag(void *context, const struct zv_pickle *pickle, struct zv_pickle_value text)
{
    return (uint8_t)record_key(context, pickle, text);
}

enum zv_status snapshot_fold(void *context, const struct zv_pickle *pickle,
                             const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                             struct zv_error *err)
{
    return batch->kind == ZV_PICKLE_DICT ? fold_dict(context, pickle, batch, handle, err)
                                         : snapshot_fold_list(context, batch, handle, err);
}
