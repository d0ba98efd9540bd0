#include "allocator/replay.h"

#include <string.h>

#include "base/fail.h"

enum { MAX_CONF = 4096 };

static void write_event(void *context, const struct zv_allocator_event *event)
{
    struct zv_replay *const replay = context;
    char row[ZV_REPLAY_ROW];
    const size_t length = zv_replay_event_row(replay->line - 1, event, row);
    row[length] = '\n';
    zv_sink_write(replay->events, row, length + 1);
}

enum zv_status zv_replay_open(struct zv_replay *replay, const struct zv_allocator_options *options,
                              struct zv_sink *events, struct zv_error *err)
{
    *replay = (struct zv_replay){.events = events};
    struct zv_allocator_options own = *options;
    if (events != NULL) {
        own.on_event = write_event;
        own.context = replay;
        zv_sink_text(events, zv_replay_events_head);
        zv_sink_text(events, "\n");
    }
    return zv_allocator_open(&replay->allocator, &own, err);
}

void zv_replay_close(struct zv_replay *replay)
{
    zv_allocator_close(replay->allocator);
    id_map_close(&replay->ids);
    *replay = (struct zv_replay){0};
}

static void note_oom(struct zv_replay *replay, uint64_t bytes)
{
    struct zv_replay_outcome *const outcome = &replay->outcome;
    outcome->ooms++;
    if (outcome->first_oom.happened) {
        return;
    }
    const struct zv_usage usage = zv_allocator_usage(replay->allocator);
    outcome->first_oom =
        (struct zv_replay_oom){.happened = true,
                               .line = replay->line,
                               .requested_bytes = bytes,
                               .device_free_bytes = zv_allocator_device_free(replay->allocator),
                               .cached_free_bytes = usage.reserved_bytes - usage.active_bytes,
                               .largest_hole_bytes = zv_allocator_largest_free(replay->allocator)};
}

static enum zv_status allocate(struct zv_replay *replay, const struct zv_op *op,
                               struct zv_error *err)
{
    if (!id_map_reserve(&replay->ids)) {
        return zv_fail_memory(err, "ids");
    }
    struct id_entry *const entry = id_map_slot(&replay->ids, op->id);
    if (entry->state != ID_ABSENT) {
        return zv_fail(err, ZV_E_SYNTAX, "id %llu is allocated already",
                       (unsigned long long)op->id);
    }
    struct zv_allocation allocation;
    const enum zv_status status =
        zv_allocator_malloc(replay->allocator, op->bytes, op->stream, &allocation, err);
    if (status != ZV_OK) {
        return status;
    }
    const bool failed = allocation.address == 0 && op->bytes != 0;
    *entry = (struct id_entry){op->id, allocation, failed ? ID_FAILED : ID_LIVE};
    replay->ids.count++;
    replay->allocated = !failed;
    replay->address = allocation.address;
    if (failed) {
        replay->status = ZV_REPLAY_OOM;
        note_oom(replay, op->bytes);
    }
    return ZV_OK;
}

/* The entry of a live or failed id, NULL with an error otherwise. */
static struct id_entry *find_id(struct zv_replay *replay, uint64_t id, struct zv_error *err)
{
    struct id_entry *const entry = replay->ids.capacity == 0 ? NULL : id_map_slot(&replay->ids, id);
    if (entry == NULL || entry->state == ID_ABSENT) {
        (void)zv_fail(err, ZV_E_SYNTAX, "id %llu is not allocated (never was, or is freed already)",
                      (unsigned long long)id);
        return NULL;
    }
    if (entry->state == ID_FAILED) {
        replay->status = ZV_REPLAY_NONE;
    }
    return entry;
}

static enum zv_status give_back(struct zv_replay *replay, const struct zv_op *op,
                                struct zv_error *err)
{
    struct id_entry *const entry = find_id(replay, op->id, err);
    if (entry == NULL) {
        return ZV_E_SYNTAX;
    }
    enum zv_status status = ZV_OK;
    if (entry->state == ID_LIVE) {
        status = zv_allocator_free(replay->allocator, entry->allocation, err);
    }
    if (status == ZV_OK) {
        id_map_remove(&replay->ids, entry);
    }
    return status;
}

static enum zv_status record_stream(struct zv_replay *replay, const struct zv_op *op,
                                    struct zv_error *err)
{
    const struct id_entry *const entry = find_id(replay, op->id, err);
    if (entry == NULL) {
        return ZV_E_SYNTAX;
    }
    return entry->state == ID_FAILED || entry->allocation.address == 0
               ? ZV_OK
               : zv_allocator_record_stream(replay->allocator, entry->allocation, op->stream, err);
}

static enum zv_status set_conf(struct zv_replay *replay, const struct zv_op *op,
                               struct zv_error *err)
{
    char conf[MAX_CONF];
    if (op->conf.length >= sizeof conf) {
        return zv_fail(err, ZV_E_LIMIT, "settings of more than %d characters", MAX_CONF - 1);
    }
    if (op->conf.length != 0) {
        memcpy(conf, op->conf.at, op->conf.length);
    }
    conf[op->conf.length] = 0;
    return zv_allocator_set_conf(replay->allocator, conf, err);
}

static enum zv_status run(struct zv_replay *replay, const struct zv_op *op, struct zv_error *err)
{
    struct zv_allocator *const allocator = replay->allocator;
    switch (op->kind) {
    case ZV_OP_ALLOCATE:
        return allocate(replay, op, err);
    case ZV_OP_FREE:
        return give_back(replay, op, err);
    case ZV_OP_RECORD_STREAM:
        return record_stream(replay, op, err);
    case ZV_OP_FINISH:
        return op->stream == ZV_OP_ALL_STREAMS
                   ? zv_allocator_finish(allocator, err)
                   : zv_allocator_finish_stream(allocator, op->stream, err);
    case ZV_OP_EMPTY_CACHE:
        return zv_allocator_empty_cache(allocator, err);
    case ZV_OP_RESET_PEAKS:
        zv_allocator_reset_peaks(allocator);
        return ZV_OK;
    case ZV_OP_SET_FRACTION:
        return zv_allocator_set_fraction(allocator, op->fraction, err);
    case ZV_OP_SET_CONF:
        return set_conf(replay, op, err);
    case ZV_OP_POOL_RETAIN:
        return zv_allocator_pool_retain(allocator, op->id, op->pool_flags, err);
    case ZV_OP_POOL_RELEASE:
        return zv_allocator_pool_release(allocator, op->id, err);
    case ZV_OP_POOL_BEGIN:
        return zv_allocator_pool_begin(
            allocator, op->id, op->stream == ZV_OP_ALL_STREAMS ? ZV_ANY_STREAM : op->stream, err);
    case ZV_OP_POOL_END:
        return zv_allocator_pool_end(allocator, op->id, err);
    case ZV_OP_POOL_EMPTY:
        return zv_allocator_pool_empty(allocator, op->id, err);
    case ZV_OP_CAPTURE:
        return zv_allocator_set_capturing(allocator, op->capturing, err);
    }
    return zv_fail(err, ZV_E_BUG, "an operation without a meaning");
}

static void note_peaks(struct zv_replay *replay)
{
    const struct zv_usage usage = zv_allocator_usage(replay->allocator);
    struct zv_replay_outcome *const outcome = &replay->outcome;
    if (usage.allocated_bytes > outcome->peak_allocated_bytes) {
        outcome->peak_allocated_bytes = usage.allocated_bytes;
    }
    if (usage.reserved_bytes > outcome->peak_reserved_bytes) {
        outcome->peak_reserved_bytes = usage.reserved_bytes;
        outcome->allocated_at_peak_bytes = usage.allocated_bytes;
        outcome->requested_at_peak_bytes = usage.requested_bytes;
    }
}

/* A request that makes no sense is here a line of the input that makes none. */
static enum zv_status fail_line(enum zv_status status, uint64_t line, struct zv_error *err)
{
    status = status == ZV_E_USAGE ? ZV_E_SYNTAX : status;
    if (err != NULL) {
        err->status = status;
        err->line = err->line == 0 ? line : err->line;
    }
    return status;
}

enum zv_status zv_replay_step(struct zv_replay *replay, const struct zv_op *op, uint64_t line,
                              struct zv_error *err)
{
    replay->line = line;
    replay->status = ZV_REPLAY_OK;
    replay->allocated = false;
    replay->address = 0;
    const enum zv_status status = run(replay, op, err);
    if (status != ZV_OK) {
        return fail_line(status, line, err);
    }
    replay->outcome.operations++;
    note_peaks(replay);
    return ZV_OK;
}

enum zv_status zv_replay_finish(struct zv_replay *replay, struct zv_error *err)
{
    struct zv_replay_outcome *const outcome = &replay->outcome;
    struct zv_pool_stats pool;
    unsigned count = 0;
    zv_allocator_get_stats(replay->allocator, &outcome->stats);
    zv_allocator_get_calls(replay->allocator, &outcome->calls);
    while (replay->arena != NULL && zv_allocator_pool_stats(replay->allocator, count, &pool)) {
        count++;
    }
    if (count == 0) {
        return ZV_OK;
    }
    struct zv_pool_stats *const pools = zv_arena_array(replay->arena, count, sizeof *pools);
    if (pools == NULL) {
        return zv_fail_memory(err, "pools");
    }
    for (unsigned i = 0; i < count; i++) {
        (void)zv_allocator_pool_stats(replay->allocator, i, &pools[i]);
    }
    outcome->pools = pools;
    outcome->pool_count = count;
    return ZV_OK;
}

enum zv_status zv_replay_run(struct zv_replay *replay, struct zv_slice ops,
                             struct zv_sink *counters, struct zv_error *err)
{
    struct zv_op_reader reader;
    zv_op_reader_open(&reader, ops);
    if (counters != NULL) {
        zv_sink_text(counters, zv_replay_counters_head);
        zv_sink_text(counters, "\n");
    }
    for (;;) {
        struct zv_op op;
        bool more;
        enum zv_status status = zv_op_read(&reader, &op, &more, err);
        if (status == ZV_OK && more) {
            status = zv_replay_step(replay, &op, reader.line, err);
        }
        if (status != ZV_OK) {
            return status;
        }
        if (!more) {
            break;
        }
        if (counters != NULL) {
            char row[ZV_REPLAY_ROW];
            const size_t length = zv_replay_counters_row(replay, row);
            row[length] = '\n';
            zv_sink_write(counters, row, length + 1);
        }
    }
    return zv_replay_finish(replay, err);
}
