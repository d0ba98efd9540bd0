#include "allocator/trace_player.h"
#include "base/fail.h"
#include "base/memory.h"

/* The pieces of a segment, free ones between its live blocks; false when they do not fit. */
static bool make_seeds(const struct zv_trace_start *start, const struct zv_trace_segment *segment,
                       struct caching_seeds *to)
{
    uint64_t end = segment->address;
    const uint64_t stop_at = segment->address + segment->bytes;
    for (uint32_t i = 0; i <= segment->block_count; i++) {
        const struct zv_trace_block *const block =
            i < segment->block_count ? &start->blocks[segment->first_block + i] : NULL;
        const uint64_t from = block != NULL ? block->address : stop_at;
        if (from % CACHING_UNIT != 0 || (block != NULL && block->bytes % CACHING_UNIT != 0)) {
            return false;
        }
        if (from != end) {
            to->at[to->count++] =
                (struct caching_seed){.address = end, .bytes = from - end, .state = BLOCK_FREE};
        }
        if (block != NULL) {
            to->at[to->count++] = (struct caching_seed){
                block->address, block->bytes, block->requested_bytes,
                block->state == ZV_BLOCK_PENDING ? BLOCK_PENDING : BLOCK_ALLOCATED};
            end = block->address + block->bytes;
        }
    }
    return true;
}

static bool same_reservation(const struct zv_trace_segment *a, const struct zv_trace_segment *b)
{
    return a->is_expandable && b->is_expandable && a->stream == b->stream && a->pool == b->pool &&
           a->is_small == b->is_small && b->address - a->address < CARD_BYTES;
}

static bool note_live(struct player *player, uint32_t at)
{
    for (; at != 0; at = player->caching->blocks[at].next) {
        const struct block *const block = &player->caching->blocks[at];
        if ((block->state == BLOCK_ALLOCATED || block->state == BLOCK_PENDING) &&
            !address_map_put(&player->live, block->address, at)) {
            return false;
        }
    }
    return true;
}

static bool is_sane(const struct zv_trace_start *start)
{
    uint64_t end = 0;
    for (size_t i = 0; i < start->segment_count; i++) {
        const struct zv_trace_segment *const segment = &start->segments[i];
        if (segment->address < end || segment->address > MAX_ADDRESS || segment->address == 0 ||
            segment->address % CACHING_UNIT != 0 || segment->bytes % CACHING_UNIT != 0 ||
            segment->bytes == 0 || segment->bytes > MAX_SEGMENT) {
            return false;
        }
        end = segment->address + segment->bytes;
    }
    return true;
}

/* Segments i to the end of its reservation. */
static enum zv_status seed_group(struct player *player, const struct zv_trace_start *start,
                                 size_t first, size_t end, struct caching_seeds *seeds,
                                 struct zv_error *err)
{
    const struct zv_trace_segment *const segment = &start->segments[first];
    seeds->pool = 2 * (uint32_t)segment->pool + !segment->is_small;
    seeds->stream = player->trace->streams[segment->stream];
    uint32_t at = 0;
    seeds->count = 0;
    for (size_t i = first; i < end; i++) {
        if (!make_seeds(start, &start->segments[i], seeds)) {
            player_stop(player, "blocks before the record are no multiples of 512 bytes", NULL);
            return ZV_OK;
        }
    }
    const enum zv_status status = segment->is_expandable
                                      ? caching_seed_reservation(player->caching, seeds, &at, err)
                                      : caching_seed_segment(player->caching, seeds, &at, err);
    if (status == ZV_OK && !note_live(player, at)) {
        return zv_fail_memory(err, "live blocks");
    }
    return status;
}

enum zv_status player_seed(struct player *player, const struct zv_trace_start *start,
                           struct zv_error *err)
{
    if (!is_sane(start)) {
        player_stop(player, "segments before the record overlap or are no multiples of 512 bytes",
                    NULL);
        return ZV_OK;
    }
    struct caching_seeds seeds = {0};
    seeds.at =
        zv_memory_alloc((2 * start->block_count + start->segment_count + 1) * sizeof *seeds.at);
    if (seeds.at == NULL) {
        return zv_fail_memory(err, "blocks");
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 1; i < player->trace->pool_count && status == ZV_OK; i++) {
        status = caching_pool_retain(player->caching, i, 0, err);
    }
    for (size_t i = 0; i < start->segment_count && status == ZV_OK && !player->stopped;) {
        size_t end = i + 1;
        while (end < start->segment_count &&
               same_reservation(&start->segments[i], &start->segments[end])) {
            end++;
        }
        status = seed_group(player, start, i, end, &seeds, err);
        i = end;
    }
    zv_memory_free(seeds.at);
    statistics_reset_peaks(&player->caching->stats);
    return status;
}
