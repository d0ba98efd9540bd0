#include "explain/placement.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "explain/non_empty.h"
#include "place/sort.h"

/* ---- blocks ---- */

static uint64_t death(const struct zv_lives *lives, uint32_t died)
{
    return died == ZV_LIFE_ON ? lives->instant_count : died;
}

/* The request in steps of 512: what the allocator added to it, by its settings or because a rest
 * was too small to be split off, is no need. Unknown requests count as their blocks. */
static uint64_t needed_bytes(const struct zv_life *life)
{
    uint64_t bytes = life->bytes;
    if (life->requested_bytes != 0) {
        (void)zv_round_up(life->requested_bytes, ZV_PLACE_STEP, &bytes);
    }
    bytes = bytes < life->bytes ? bytes : life->bytes;
    return bytes != 0 ? bytes : 1;
}

/* Lives as blocks; what is born and dies between two instants was there for one. */
static void copy_lives(struct zv_placement *placement, const struct zv_lives *lives)
{
    for (size_t i = 0; i < lives->block_count; i++) {
        const struct zv_life *const life = &lives->blocks[i];
        const uint64_t end = death(lives, life->died);
        placement->blocks[i] =
            (struct zv_place_block){.birth = life->born,
                                    .death = end > life->born ? end : (uint64_t)life->born + 1,
                                    .bytes = needed_bytes(life)};
    }
    placement->block_count = lives->block_count;
}

/* A profiler's totals say what was allocated at first; blocks without any event are the rest. */
static void add_unseen(struct zv_placement *placement, const struct zv_record *record,
                       const struct zv_lives *lives)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < lives->block_count; i++) {
        seen += lives->blocks[i].born == 0 ? lives->blocks[i].bytes : 0;
    }
    if (record->trace.source == ZV_TRACE_FROM_SNAPSHOT || lives->allocated_bytes[0] <= seen) {
        return;
    }
    placement->unseen_bytes = lives->allocated_bytes[0] - seen;
    placement->blocks[placement->block_count++] =
        (struct zv_place_block){.death = lives->instant_count, .bytes = placement->unseen_bytes};
}

/* ---- arenas ---- */

/* The segment at an address that a table of them says something about. */
static const struct zv_trace_segment *segment_at(const struct zv_trace_segment *segments,
                                                 size_t count, uint64_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (segments[middle].address + segments[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && segments[low].address <= address ? &segments[low] : NULL;
}

/* The pool of a block: that of its segment at the end, else before the record. Of a segment that
 * was given back meanwhile it is not recorded: the default pool. */
static uint16_t pool_of(const struct zv_record *record, const struct zv_life *life)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    const struct zv_trace_segment *const at_end =
        segment_at(device->segments, device->segment_count, life->address);
    const struct zv_trace_segment *const before =
        segment_at(record->start.segments, record->start.segment_count, life->address);
    return at_end != NULL ? at_end->pool : before != NULL ? before->pool : 0;
}

struct grouping {
    const struct zv_record *record;
    const struct zv_lives *lives;
    const struct zv_place_options *options;
    bool by_stream;
    struct place_key *keys; /* pool and stream, block */
    struct place_key *spare;
    struct zv_place_block *room;
    struct zv_arena *arena;
};

static bool make_grouping(struct grouping *grouping, size_t count)
{
    grouping->keys = zv_arena_array(grouping->arena, count, sizeof *grouping->keys);
    grouping->spare = zv_arena_array(grouping->arena, count, sizeof *grouping->spare);
    grouping->room = zv_arena_array(grouping->arena, count, sizeof *grouping->room);
    return grouping->keys != NULL && grouping->spare != NULL && grouping->room != NULL;
}

/* Sorts blocks into groups; returns how many. */
static size_t sort_groups(struct grouping *grouping, const struct zv_placement *placement,
                          bool by_stream)
{
    size_t groups = 0;
    grouping->by_stream = by_stream;
    for (size_t i = 0; i < placement->block_count; i++) {
        uint64_t key = 0;
        if (i < grouping->lives->block_count) {
            const struct zv_life *const life = &grouping->lives->blocks[i];
            key = (uint64_t)pool_of(grouping->record, life) << 16 | (by_stream ? life->stream : 0);
        }
        grouping->keys[i] = (struct place_key){key, (uint32_t)i};
    }
    place_sort(grouping->keys, grouping->spare, placement->block_count);
    for (size_t i = 0; i < placement->block_count; i++) {
        groups += i == 0 || grouping->keys[i].key != grouping->keys[i - 1].key;
    }
    return groups;
}

/* Places what is in room; the answer is looked at by other code than that which made it. */
static enum zv_status run_checked(struct grouping *grouping, size_t count,
                                  const struct zv_place_options *options,
                                  struct zv_place_result *result, struct zv_error *err)
{
    uint64_t height = 0;
    enum zv_status status = zv_place_run(grouping->room, count, options, result, err);
    status = status == ZV_OK ? zv_place_check(grouping->room, count, &height, err) : status;
    if (status == ZV_OK && height > result->height_bytes) {
        status = zv_fail(err, ZV_E_BUG, "a plan is higher than it says");
    }
    return status;
}

/* keys[from] .. keys[to - 1] as an arena of their own; of arenas of pools offsets are kept, above
 * those of the arenas before. */
static enum zv_status place_group(struct grouping *grouping, struct zv_placement *placement,
                                  struct zv_place_plan *plan, size_t from, size_t to,
                                  struct zv_error *err)
{
    const struct zv_trace *const trace = &grouping->record->trace;
    struct zv_place_arena *const arena = &plan->arenas[plan->arena_count++];
    const uint64_t key = grouping->keys[from].key;
    memcpy(arena->pool, trace->pools[key >> 16].id, sizeof arena->pool);
    arena->stream = (key & 0xFFFF) < trace->stream_count ? trace->streams[key & 0xFFFF] : 0;
    arena->blocks = to - from;
    for (size_t i = from; i < to; i++) {
        grouping->room[i - from] = placement->blocks[grouping->keys[i].index];
    }
    const enum zv_status status =
        run_checked(grouping, to - from, grouping->options, &arena->result, err);
    for (size_t i = from; i < to && !grouping->by_stream && status == ZV_OK; i++) {
        placement->blocks[grouping->keys[i].index].offset =
            plan->height_bytes + grouping->room[i - from].offset;
    }
    plan->load_bytes += arena->result.load_bytes;
    plan->bound_bytes += arena->result.bound_bytes;
    plan->height_bytes += arena->result.height_bytes;
    return status;
}

static enum zv_status make_plan(struct grouping *grouping, struct zv_placement *placement,
                                struct zv_place_plan *plan, bool by_stream, struct zv_error *err)
{
    const size_t groups = sort_groups(grouping, placement, by_stream);
    *plan = (struct zv_place_plan){0};
    plan->arenas = zv_arena_array(grouping->arena, groups, sizeof *plan->arenas);
    if (plan->arenas == NULL) {
        return zv_fail_memory(err, "a placement");
    }
    for (size_t from = 0, to = 0; from < placement->block_count; from = to) {
        while (to < placement->block_count && grouping->keys[to].key == grouping->keys[from].key) {
            to++;
        }
        const enum zv_status status = place_group(grouping, placement, plan, from, to, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/* ---- what was live before the record stays ---- */

/* Segments before the record that hold something, one after the other; the walls are their ends. */
static size_t pin_segments(const struct zv_placement *placement, const struct zv_lives *lives,
                           struct zv_place_block *room, uint64_t *walls)
{
    size_t wall_count = 0;
    uint64_t base = 0;
    size_t at = 0;
    for (size_t i = 0; i < lives->span_count; i++) {
        const struct zv_span *const span = &lives->spans[i];
        bool holds = false;
        if (span->born != 0) {
            continue;
        }
        while (at < lives->block_count && lives->blocks[at].address < span->address) {
            at++;
        }
        for (; at < lives->block_count && lives->blocks[at].address < span->address + span->bytes;
             at++) {
            const struct zv_life *const life = &lives->blocks[at];
            const uint64_t offset = life->address - span->address;
            if (life->born == 0 && life->bytes <= span->bytes - offset) {
                room[at] = placement->blocks[at];
                room[at].fixed = true;
                room[at].offset = base + offset;
                holds = true;
            }
        }
        if (holds) {
            base += span->bytes;
            walls[wall_count++] = base;
        }
    }
    return wall_count;
}

static enum zv_status place_fixed(struct grouping *grouping, struct zv_placement *placement,
                                  struct zv_error *err)
{
    const struct zv_lives *const lives = grouping->lives;
    struct zv_place_options options = *grouping->options;
    uint64_t *const walls = zv_arena_array(grouping->arena, lives->span_count, sizeof *walls);
    if (walls == NULL || grouping->room == NULL) {
        return zv_fail_memory(err, "a placement");
    }
    memcpy(grouping->room, placement->blocks, placement->block_count * sizeof *placement->blocks);
    options.wall_count = pin_segments(placement, lives, grouping->room, walls);
    options.walls = walls;
    for (size_t i = 0; i < placement->block_count; i++) {
        placement->fixed_blocks += grouping->room[i].fixed;
    }
    placement->has_fixed = options.wall_count != 0;
    if (!placement->has_fixed) {
        return ZV_OK;
    }
    placement->pinned_bytes = walls[options.wall_count - 1];
    return run_checked(grouping, placement->block_count, &options, &placement->fixed, err);
}

/* The peaks and the plan of each pool; grouping for what follows. */
static enum zv_status make_first(struct grouping *grouping, struct zv_placement *placement,
                                 struct zv_error *err)
{
    const struct zv_record *const record = grouping->record;
    const struct zv_lives *const lives = grouping->lives;
    struct zv_arena *const arena = grouping->arena;
    *placement = (struct zv_placement){
        .peak_reserved_bytes = record->peak_reserved.usage.reserved_bytes,
        .peak_reserved_event = record->peak_reserved.event,
        .is_inherited =
            record->peak_reserved.event <= (record->trace.source == ZV_TRACE_FROM_SNAPSHOT ? 0 : 1),
        .has_segments = record->trace.source == ZV_TRACE_FROM_SNAPSHOT};
    if (!lives->has_addresses) {
        return zv_fail(
            err, ZV_E_UNSUPPORTED,
            "no addresses are recorded: nothing tells which free is of which allocation");
    }
    placement->blocks = zv_arena_array(arena, lives->block_count + 1, sizeof *placement->blocks);
    if (placement->blocks == NULL || !make_grouping(grouping, lives->block_count + 1)) {
        return zv_fail_memory(err, "a placement");
    }
    copy_lives(placement, lives);
    add_unseen(placement, record, lives);
    enum zv_status status = ZV_OK;
    if (placement->has_segments) {
        status = non_empty_peak(placement, lives, arena, err);
    }
    return status == ZV_OK ? make_plan(grouping, placement, &placement->plan, false, err) : status;
}

enum zv_status zv_placement_make(struct zv_placement *placement, const struct zv_record *record,
                                 const struct zv_lives *lives,
                                 const struct zv_place_options *options, struct zv_arena *arena,
                                 struct zv_error *err)
{
    struct grouping grouping = {
        .record = record, .lives = lives, .options = options, .arena = arena};
    enum zv_status status = make_first(&grouping, placement, err);
    if (status == ZV_OK && placement->has_segments) {
        status = place_fixed(&grouping, placement, err);
    }
    if (status == ZV_OK && placement->has_segments) {
        status = make_plan(&grouping, placement, &placement->by_stream, true, err);
        placement->has_streams = placement->by_stream.arena_count > placement->plan.arena_count;
    }
    return status;
}

enum zv_status zv_placement_make_fast(struct zv_placement *placement,
                                      const struct zv_record *record, struct zv_arena *arena,
                                      struct zv_error *err)
{
    const struct zv_place_options fast = {.no_search = true};
    struct zv_lives lives;
    enum zv_status status = zv_lives_make(&lives, record, err);
    if (status == ZV_OK) {
        struct grouping grouping = {
            .record = record, .lives = &lives, .options = &fast, .arena = arena};
        status = make_first(&grouping, placement, err);
    }
    zv_lives_close(&lives);
    return status;
}
