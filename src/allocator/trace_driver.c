#include "allocator/trace_player.h"

void player_complete_frees(struct player *player)
{
    while (!player->stopped && player_next_is(player, ZV_TRACE_FREE_COMPLETED)) {
        const uint32_t at = address_map_take(&player->live, player_next(player)->address);
        if (at == 0 || player->caching->blocks[at].state != BLOCK_PENDING) {
            player_stop(player, "a free of what is not waiting", NULL);
            return;
        }
        player->completed_bytes = player->caching->blocks[at].size;
        caching_complete_free(player->caching, at);
        player->completed_bytes = 0;
    }
}

static uint64_t driver_allocate(void *context, uint64_t size_bytes)
{
    struct player *const player = context;
    if (player_next_is(player, ZV_TRACE_SEGMENT_ALLOC) &&
        player_next(player)->bytes == size_bytes) {
        return player_next(player)->address;
    }
    return 0; /* there was no room */
}

static void driver_release(void *context, uint64_t address)
{
    (void)context;
    (void)address;
}

static uint64_t driver_reserve(void *context, uint64_t size_bytes)
{
    struct player *const player = context;
    const struct zv_trace_event *const event = player_next(player);
    (void)size_bytes;
    return event != NULL && event->action == ZV_TRACE_SEGMENT_MAP ? event->address : 0;
}

static void driver_unreserve(void *context, uint64_t address, uint64_t size_bytes)
{
    (void)context;
    (void)address;
    (void)size_bytes;
}

static bool driver_map(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages)
{
    struct player *const player = context;
    return player_next_is(player, ZV_TRACE_SEGMENT_MAP) &&
           player_next(player)->address == address &&
           player_next(player)->bytes == page_bytes * pages;
}

static void driver_unmap(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages,
                         uint64_t stream)
{
    (void)context;
    (void)address;
    (void)page_bytes;
    (void)pages;
    (void)stream;
}

static void driver_memory_info(void *context, uint64_t *free_bytes, uint64_t *total_bytes)
{
    const struct player *const player = context;
    *total_bytes = player->device->total_bytes != 0 ? player->device->total_bytes : CARD_BYTES;
    *free_bytes = player->caching != NULL && player_next_is(player, ZV_TRACE_OOM)
                      ? player_next(player)->address
                      : *total_bytes;
}

static uint64_t driver_record(void *context, uint64_t stream)
{
    (void)context;
    (void)stream;
    return 0;
}

static bool driver_is_done(void *context, uint64_t stream, uint64_t event)
{
    (void)context;
    (void)stream;
    (void)event;
    return true;
}

static void driver_wait(void *context, uint64_t stream, uint64_t event)
{
    (void)context;
    (void)stream;
    (void)event;
}

struct zv_driver player_driver(struct player *player)
{
    return (struct zv_driver){.context = player,
                              .allocate = driver_allocate,
                              .release = driver_release,
                              .reserve = driver_reserve,
                              .unreserve = driver_unreserve,
                              .map = driver_map,
                              .unmap = driver_unmap,
                              .memory_info = driver_memory_info,
                              .record = driver_record,
                              .is_done = driver_is_done,
                              .wait = driver_wait};
}
