/*
 * A record on its way through the allocator: what is to come next, and who asks for it. Shared by
 * the driver that answers out of the record (trace_driver.c), the state that it begins with
 * (trace_seed.c) and the events one after the other (trace_replay.c). Room-internal.
 */
#ifndef ZIRVE_ALLOCATOR_TRACE_PLAYER_H
#define ZIRVE_ALLOCATOR_TRACE_PLAYER_H

#include "allocator/caching.h"
#include "allocator/trace_replay.h"
#include "trace/address_map.h"

#define CARD_BYTES  (UINT64_C(1) << 40) /* the record says when there was no room */
#define MAX_ADDRESS (UINT64_C(1) << 62)
#define MAX_SEGMENT (UINT64_C(1) << 48)

struct player {
    struct caching *caching;
    const struct zv_trace *trace;
    const struct zv_trace_device *device;
    const struct zv_trace_replay_options *options;
    struct zv_trace_replay *result;
    size_t cursor;            /* the recorded event that is to come next */
    struct address_map live;  /* block by address: allocated and pending */
    uint64_t freed_bytes;     /* of the block that is freed and completed in one go, else 0 */
    uint64_t completed_bytes; /* of the block whose free is completed alone, else 0 */
    bool stopped;
};

static inline const struct zv_trace_event *player_next(const struct player *player)
{
    return player->cursor < player->device->event_count ? &player->device->events[player->cursor]
                                                        : NULL;
}

static inline bool player_next_is(const struct player *player, enum zv_trace_action action)
{
    const struct zv_trace_event *const event = player_next(player);
    return event != NULL && event->action == (uint8_t)action;
}

static inline uint64_t player_handle(const struct player *player,
                                     const struct zv_trace_event *event)
{
    return player->trace->streams[event->stream];
}

/* The replay ends here, unless it has ended before: the recorded event at hand and ours, NULL when
 * there is none, are told. */
void player_stop(struct player *player, const char *why, const struct zv_allocator_event *replayed);

/* Frees that other streams held up and that the record completes here. */
void player_complete_frees(struct player *player);

/* Answers as the record says that the driver did. */
struct zv_driver player_driver(struct player *player);

/* Segments and blocks that were there before the record. The replay ends where they cannot be. */
enum zv_status player_seed(struct player *player, const struct zv_trace_start *start,
                           struct zv_error *err);

#endif
