#include "allocator/trace_replay.h"

#include "allocator/trace_player.h"
#include "base/fail.h"
#include "base/memory.h"

/* What the allocator never does itself. */
static bool is_silent(const struct zv_trace_event *event)
{
    return event->action == ZV_TRACE_SNAPSHOT || event->action == ZV_TRACE_OTHER;
}

static enum zv_allocator_action action_of(enum zv_trace_action action)
{
    static const enum zv_allocator_action actions[ZV_TRACE_ACTION_COUNT] = {
        ZV_ACTION_ALLOC,          ZV_ACTION_FREE_REQUESTED,
        ZV_ACTION_FREE_COMPLETED, ZV_ACTION_SEGMENT_ALLOC,
        ZV_ACTION_SEGMENT_FREE,   ZV_ACTION_SEGMENT_MAP,
        ZV_ACTION_SEGMENT_UNMAP,  ZV_ACTION_OOM,
        ZV_ACTION_COUNT,          ZV_ACTION_COUNT};
    return actions[action];
}

void player_stop(struct player *player, const char *why, const struct zv_allocator_event *replayed)
{
    struct zv_trace_replay *const result = player->result;
    const struct zv_trace_event *const event = player_next(player);
    if (player->stopped) {
        return;
    }
    player->stopped = true;
    result->why = why;
    result->replayed =
        replayed != NULL ? *replayed : (struct zv_allocator_event){.action = ZV_ACTION_COUNT};
    result->recorded = (struct zv_allocator_event){.action = ZV_ACTION_COUNT};
    if (event != NULL) {
        result->recorded =
            (struct zv_allocator_event){action_of((enum zv_trace_action)event->action),
                                        event->address, event->bytes, player_handle(player, event)};
    }
}

static struct zv_trace_usage usage_of(const struct player *player)
{
    const struct statistics *const stats = &player->caching->stats;
    return (struct zv_trace_usage){
        .allocated_bytes = (uint64_t)stat_current(stats, ZV_STAT_ALLOCATED_BYTES),
        .active_bytes = (uint64_t)stat_current(stats, ZV_STAT_ACTIVE_BYTES),
        .requested_bytes = (uint64_t)stat_current(stats, ZV_STAT_REQUESTED_BYTES),
        .reserved_bytes = (uint64_t)stat_current(stats, ZV_STAT_RESERVED_BYTES),
        .inactive_split_bytes = (uint64_t)stat_current(stats, ZV_STAT_INACTIVE_SPLIT_BYTES)};
}

static void tell(const struct player *player, size_t event, const struct zv_trace_usage *usage)
{
    if (player->options->on_usage != NULL) {
        player->options->on_usage(player->options->context, event, usage);
    }
}

static void tell_usage(const struct player *player, size_t event)
{
    const struct zv_trace_usage usage = usage_of(player);
    tell(player, event, &usage);
}

/* The counters after an event that is just written down: some are changed only after that, and what
 * is freed in one go has changed them all before its first event. */
static void tell_usage_at(const struct player *player, const struct zv_allocator_event *event)
{
    struct zv_trace_usage usage = usage_of(player);
    if (event->action == ZV_ACTION_SEGMENT_FREE) {
        usage.reserved_bytes -= event->size_bytes;
    } else if (event->action == ZV_ACTION_FREE_COMPLETED && player->completed_bytes != 0) {
        usage.active_bytes -= player->completed_bytes;
        usage.requested_bytes -= event->size_bytes;
    } else if (event->action == ZV_ACTION_FREE_REQUESTED && player->freed_bytes != 0) {
        usage.active_bytes += player->freed_bytes;
        usage.requested_bytes += event->size_bytes;
    }
    tell(player, player->cursor, &usage);
}

static void advance(struct player *player)
{
    player->cursor++;
    while (player_next(player) != NULL && is_silent(player_next(player))) {
        tell_usage(player, player->cursor);
        player->cursor++;
    }
}

/* Every event of ours must be the next one of the record. */
static void compare(void *context, const struct zv_allocator_event *event)
{
    struct player *const player = context;
    const struct zv_trace_event *const recorded = player_next(player);
    if (player->stopped) {
        return;
    }
    if (recorded == NULL) {
        player_stop(player, "the record ends", event);
        return;
    }
    const bool same = action_of((enum zv_trace_action)recorded->action) == event->action &&
                      recorded->address == event->address && recorded->bytes == event->size_bytes &&
                      player_handle(player, recorded) == event->stream;
    if (!same) {
        player_stop(player, "another event", event);
        return;
    }
    player->result->allocations += event->action == ZV_ACTION_ALLOC;
    player->result->segments +=
        event->action == ZV_ACTION_SEGMENT_ALLOC || event->action == ZV_ACTION_SEGMENT_MAP;
    tell_usage_at(player, event);
    advance(player);
    player->result->events = player->cursor;
}

static void on_wait(void *context)
{
    player_complete_frees(context);
}

/* ---- one recorded event, or the ones that one call of the program left ---- */

/* The pool that an address belongs to, from the segments at the end of the record. */
static uint32_t pool_at(const struct player *player, uint64_t address)
{
    const struct zv_trace_device *const device = player->device;
    size_t low = 0;
    size_t high = device->segment_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (device->segments[middle].address + device->segments[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < device->segment_count && device->segments[low].address <= address
               ? device->segments[low].pool
               : 0;
}

/* bytes as requested; the event that ends the call is an alloc or an oom. */
static enum zv_status play_malloc(struct player *player, const struct zv_trace_event *event,
                                  struct zv_error *err)
{
    const uint32_t pool = event->action == ZV_TRACE_ALLOC ? pool_at(player, event->address) : 0;
    struct zv_allocation allocation;
    if (event->bytes - 1 >= MAX_SEGMENT) {
        player_stop(player, "a request of 0 or more than 2^48 bytes", NULL);
        return ZV_OK;
    }
    enum zv_status status = ZV_OK;
    if (pool != 0) {
        status = caching_pool_begin(player->caching, pool, ZV_ANY_STREAM, err);
    }
    if (status == ZV_OK) {
        status = caching_malloc(player->caching, event->bytes, player_handle(player, event),
                                &allocation, err);
    }
    if (status == ZV_OK && pool != 0) {
        status = caching_pool_end(player->caching, pool, err);
    }
    if (status == ZV_OK && !player->stopped && allocation.address != 0 &&
        !address_map_put(&player->live, allocation.address, allocation.block)) {
        return zv_fail_memory(err, "live blocks");
    }
    return status;
}

static enum zv_status play_free(struct player *player, const struct zv_trace_event *event,
                                struct zv_error *err)
{
    const uint32_t at = address_map_get(&player->live, event->address);
    const struct block *const block = &player->caching->blocks[at];
    if (at == 0 || block->state != BLOCK_ALLOCATED) {
        player_stop(player, "a free of what is not allocated", NULL);
        return ZV_OK;
    }
    const size_t after = player->cursor + 1;
    const bool waits = after >= player->device->event_count ||
                       player->device->events[after].action != ZV_TRACE_FREE_COMPLETED ||
                       player->device->events[after].address != event->address;
    if (waits) {
        caching_free_later(player->caching, at);
        return ZV_OK;
    }
    (void)address_map_take(&player->live, event->address);
    player->freed_bytes = block->size;
    const enum zv_status status = caching_free(
        player->caching, (struct zv_allocation){block->address, at, block->generation}, err);
    player->freed_bytes = 0;
    return status;
}

/* The alloc or oom that the segment events at the cursor led to; NULL: they led to none. */
static const struct zv_trace_event *cause(const struct player *player, bool *got_memory)
{
    *got_memory = false;
    for (size_t i = player->cursor; i < player->device->event_count; i++) {
        const struct zv_trace_event *const event = &player->device->events[i];
        switch ((enum zv_trace_action)event->action) {
        case ZV_TRACE_OOM:
            *got_memory = true; /* it tried to */
            return event;
        case ZV_TRACE_ALLOC:
            return event;
        case ZV_TRACE_SEGMENT_ALLOC:
        case ZV_TRACE_SEGMENT_MAP:
            *got_memory = true;
            break;
        case ZV_TRACE_FREE_REQUESTED:
            return NULL;
        case ZV_TRACE_FREE_COMPLETED:
        case ZV_TRACE_SEGMENT_FREE:
        case ZV_TRACE_SEGMENT_UNMAP:
        case ZV_TRACE_SNAPSHOT:
        case ZV_TRACE_OTHER:
        case ZV_TRACE_ACTION_COUNT:
            break;
        }
    }
    return NULL;
}

/* Then segments were not given back for its sake: the program emptied the cache. */
static bool has_fit(const struct player *player, const struct zv_trace_event *event)
{
    const uint32_t pool = event->action == ZV_TRACE_ALLOC ? pool_at(player, event->address) : 0;
    const uint64_t size = caching_round_size(&player->caching->config, event->bytes);
    return caching_has_fit(player->caching, 2 * pool + (size > CACHING_SMALL_REQUEST),
                           player_handle(player, event), event->bytes);
}

static enum zv_status play_next(struct player *player, struct zv_error *err)
{
    const struct zv_trace_event *const event = player_next(player);
    const struct zv_trace_event *made_by;
    bool got_memory;
    switch ((enum zv_trace_action)event->action) {
    case ZV_TRACE_FREE_REQUESTED:
        return play_free(player, event, err);
    case ZV_TRACE_FREE_COMPLETED:
        player_complete_frees(player);
        return ZV_OK;
    case ZV_TRACE_SEGMENT_FREE:
    case ZV_TRACE_SEGMENT_UNMAP:
        made_by = cause(player, &got_memory);
        if (made_by == NULL || !got_memory || has_fit(player, made_by)) {
            return caching_empty_cache(player->caching, err);
        }
        return play_malloc(player, made_by, err);
    case ZV_TRACE_ALLOC:
    case ZV_TRACE_OOM:
    case ZV_TRACE_SEGMENT_ALLOC:
    case ZV_TRACE_SEGMENT_MAP:
        made_by = cause(player, &got_memory);
        if (made_by != NULL) {
            return play_malloc(player, made_by, err);
        }
        player_stop(player, "a segment that no allocation asked for", NULL);
        return ZV_OK;
    case ZV_TRACE_SNAPSHOT:
    case ZV_TRACE_OTHER:
    case ZV_TRACE_ACTION_COUNT:
        tell_usage(player, player->cursor);
        advance(player);
        return ZV_OK;
    }
    return ZV_OK;
}

/* ---- the whole ---- */

static void count_events(const struct zv_trace_device *device, struct zv_trace_replay *result)
{
    result->total_events = device->event_count;
    for (size_t i = 0; i < device->event_count; i++) {
        const uint8_t action = device->events[i].action;
        result->total_allocations += action == ZV_TRACE_ALLOC;
        result->total_segments +=
            action == ZV_TRACE_SEGMENT_ALLOC || action == ZV_TRACE_SEGMENT_MAP;
    }
}

static enum zv_status play(struct player *player, const struct zv_trace_start *start,
                           struct zv_error *err)
{
    enum zv_status status = caching_open(player->caching, err);
    status = status == ZV_OK ? player_seed(player, start, err) : status;
    while (status == ZV_OK && !player->stopped && player_next(player) != NULL) {
        const size_t before = player->cursor;
        status = play_next(player, err);
        if (status == ZV_OK && player->cursor == before) {
            player_stop(player, "nothing happened", NULL);
        } else if (!player->stopped) {
            tell_usage(player, player->cursor - 1); /* all that the call has changed */
        }
    }
    player->result->exact = !player->stopped;
    player->result->events = player->cursor;
    return status;
}

enum zv_status zv_trace_replay(struct zv_trace_replay *result, const struct zv_trace *trace,
                               size_t device, const struct zv_trace_start *start,
                               const struct zv_trace_replay_options *options, struct zv_error *err)
{
    struct caching *const caching = zv_memory_alloc(sizeof *caching);
    *result = (struct zv_trace_replay){0};
    if (caching == NULL) {
        return zv_fail_memory(err, "an allocator");
    }
    struct player player = {
        .trace = trace, .device = &trace->devices[device], .options = options, .result = result};
    *caching = (struct caching){.driver = player_driver(&player),
                                .on_event = compare,
                                .event_context = &player,
                                .on_wait = on_wait};
    player.caching = caching;
    count_events(player.device, result);
    allocator_config_init(&caching->config, options->profile);
    enum zv_status status =
        allocator_config_parse(&caching->config, zv_slice_of(options->conf), err);
    status = status == ZV_OK ? play(&player, start, err) : status;
    caching_close(caching);
    zv_memory_free(caching);
    address_map_free(&player.live);
    return status;
}

static uint64_t round_request(const void *context, uint64_t bytes)
{
    return caching_round_size(context, bytes);
}

enum zv_status zv_trace_rules(struct zv_trace_rules *rules, struct allocator_config *context,
                              enum zv_torch_profile profile, const char *conf, struct zv_error *err)
{
    allocator_config_init(context, profile);
    const enum zv_status status = allocator_config_parse(context, zv_slice_of(conf), err);
    *rules = (struct zv_trace_rules){
        .round = round_request, .context = context, .max_split_bytes = context->max_split_bytes};
    return status;
}

enum zv_torch_profile zv_trace_profile(const struct zv_trace *trace)
{
    return trace->source == ZV_TRACE_FROM_SNAPSHOT && trace->generation < ZV_SNAPSHOT_G6
               ? ZV_TORCH_2_6
               : ZV_TORCH_2_14;
}
