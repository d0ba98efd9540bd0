#include "place/holes.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

/* Steps of all scans of one order; whoever is not looked at then lies on top. About a second. */
#define MAX_STEPS (UINT64_C(1) << 29)

static uint64_t last_wall(const struct zv_place_options *options)
{
    return options->wall_count != 0 ? options->walls[options->wall_count - 1] : 0;
}

/* The first wall above an address, UINT64_MAX when there is none. */
static uint64_t wall_above(const struct zv_place_options *options, uint64_t address)
{
    size_t low = 0;
    size_t high = options->wall_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (options->walls[middle] <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < options->wall_count ? options->walls[low] : UINT64_MAX;
}

static uint64_t align(uint64_t at, uint64_t alignment)
{
    if ((alignment & (alignment - 1)) == 0) {
        return alignment > 1 ? (at + alignment - 1) & ~(alignment - 1) : at;
    }
    return zv_ceil_div(at, alignment) * alignment;
}

/* The lowest offset from at on where the block crosses no wall. *wall: one that is not above at, or
 * the first that is; it is moved along. */
static uint64_t between_walls(const struct holes *holes, const struct zv_place_block *block,
                              uint64_t at, size_t *wall)
{
    const struct zv_place_options *const options = holes->options;
    for (;;) {
        at = align(at, block->alignment);
        while (*wall < options->wall_count && options->walls[*wall] <= at) {
            ++*wall;
        }
        if (*wall == options->wall_count || options->walls[*wall] - at >= block->bytes) {
            return at;
        }
        at = options->walls[*wall];
    }
}

/* The next obstacle from i on that is there in this life; count when there is none. */
static uint32_t next_there(const struct holes_obstacles *all, uint32_t i, uint32_t count,
                           struct place_life life)
{
    while (i < count && (all->first[i] >= life.end || all->end[i] <= life.first)) {
        i++;
    }
    return i;
}

/* The lowest offset where a block lies free, all of it at most at ceiling; UINT64_MAX: none. */
static uint64_t find_room(struct holes *holes, uint32_t index, uint64_t ceiling)
{
    const struct zv_place_block *const block = &holes->problem->blocks[index];
    const struct place_life life = holes->problem->lives[index];
    const struct holes_obstacles *const all = &holes->obstacles;
    size_t wall = 0;
    uint64_t at = between_walls(holes, block, 0, &wall);
    uint32_t i = next_there(all, 0, holes->count, life);
    while (i < holes->count && all->offset[i] < at + block->bytes && at + block->bytes <= ceiling) {
        at = all->top[i] > at ? between_walls(holes, block, all->top[i], &wall) : at;
        i = next_there(all, i + 1, holes->count, life);
    }
    holes->steps += i;
    return at + block->bytes <= ceiling ? at : UINT64_MAX;
}

/* Moves what is from index on by one. */
#define MAKE_ROOM(list, index, count)                                                              \
    memmove((list) + (index) + 1, (list) + (index), ((count) - (index)) * sizeof *(list))

static void insert(struct holes *holes, uint32_t index, uint64_t offset)
{
    struct holes_obstacles *const all = &holes->obstacles;
    uint32_t low = 0;
    uint32_t high = holes->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (all->offset[middle] < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    MAKE_ROOM(all->offset, low, holes->count);
    MAKE_ROOM(all->top, low, holes->count);
    MAKE_ROOM(all->first, low, holes->count);
    MAKE_ROOM(all->end, low, holes->count);
    all->offset[low] = offset;
    all->top[low] = offset + holes->problem->blocks[index].bytes;
    all->first[low] = holes->problem->lives[index].first;
    all->end[low] = holes->problem->lives[index].end;
    holes->count++;
}

static void raise_floor(struct holes *holes, uint32_t index, uint64_t top)
{
    const struct place_life life = holes->problem->lives[index];
    for (uint32_t s = life.first; s < life.end; s++) {
        holes->floor[s] = top > holes->floor[s] ? top : holes->floor[s];
    }
}

static uint64_t highest_floor(const struct holes *holes, struct place_life life)
{
    uint64_t most = 0;
    for (uint32_t s = life.first; s < life.end; s++) {
        most = holes->floor[s] > most ? holes->floor[s] : most;
    }
    return most;
}

/* ---- fixed blocks ---- */

/* The fixed ones as a placement of their own. */
static enum zv_status check_fixed(const struct place_problem *problem, struct zv_arena *arena,
                                  struct zv_error *err)
{
    struct zv_place_block *const fixed = zv_arena_array(arena, problem->count, sizeof *fixed);
    uint32_t count = 0;
    uint64_t height = 0;
    struct zv_error why = {0};
    if (fixed == NULL) {
        return zv_fail_memory(err, "a placement");
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        if (problem->blocks[i].fixed) {
            fixed[count++] = problem->blocks[i];
        }
    }
    const enum zv_status status = zv_place_check(fixed, count, &height, &why);
    if (status == ZV_E_BUG) {
        return zv_fail(err, ZV_E_SYNTAX, "among the fixed ones, counted from 0, %s", why.text);
    }
    return status == ZV_OK ? ZV_OK : zv_fail(err, status, "%s", why.text);
}

static enum zv_status check_walls(struct holes *holes, struct zv_error *err)
{
    for (uint32_t i = 0; i < holes->problem->count; i++) {
        const struct zv_place_block *const block = &holes->problem->blocks[i];
        const uint64_t top = block->offset + block->bytes;
        if (!block->fixed) {
            continue;
        }
        if (wall_above(holes->options, block->offset) < top) {
            return zv_fail(err, ZV_E_SYNTAX, "block %u: fixed at %llu, across a wall", i,
                           (unsigned long long)block->offset);
        }
        holes->bound_bytes = top > holes->bound_bytes ? top : holes->bound_bytes;
    }
    return ZV_OK;
}

/* Only the fixed blocks are there. */
static void put_fixed(struct holes *holes)
{
    const struct place_problem *const problem = holes->problem;
    holes->count = 0;
    memset(holes->floor, 0, problem->sections * sizeof *holes->floor);
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct zv_place_block *const block = &problem->blocks[i];
        holes->wanted[i] = !block->fixed;
        if (block->fixed) {
            raise_floor(holes, i, block->offset + block->bytes);
            insert(holes, i, block->offset);
        }
    }
}

/* With walls: what fits nowhere below the last one, even if it were alone with the fixed blocks,
 * lies above it. */
static void bound_above_walls(struct holes *holes, uint64_t *change)
{
    const struct place_problem *const problem = holes->problem;
    const uint64_t ceiling = last_wall(holes->options);
    uint64_t most = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < problem->count && ceiling != 0; i++) {
        if (!problem->blocks[i].fixed && find_room(holes, i, ceiling) == UINT64_MAX &&
            holes->steps < MAX_STEPS) {
            change[problem->lives[i].first] += problem->blocks[i].bytes;
            change[problem->lives[i].end] -= problem->blocks[i].bytes;
        }
    }
    for (uint32_t s = 0; s < problem->sections; s++) {
        sum += change[s];
        most = sum > most ? sum : most;
    }
    holes->bound_bytes = holes->bound_bytes > ceiling + most ? holes->bound_bytes : ceiling + most;
}

enum zv_status holes_make(struct holes *holes, struct place_problem *problem,
                          const struct zv_place_options *options, struct zv_arena *arena,
                          struct zv_error *err)
{
    *holes = (struct holes){.problem = problem, .options = options};
    enum zv_status status = check_fixed(problem, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    uint64_t *const change = zv_arena_array(arena, (size_t)problem->sections + 1, sizeof *change);
    holes->floor = zv_arena_array(arena, problem->sections, sizeof *holes->floor);
    holes->wanted = zv_arena_array(arena, problem->count, sizeof *holes->wanted);
    const size_t most = (size_t)problem->count + 1;
    struct holes_obstacles *const all = &holes->obstacles;
    all->offset = zv_arena_array(arena, most, sizeof *all->offset);
    all->top = zv_arena_array(arena, most, sizeof *all->top);
    all->first = zv_arena_array(arena, most, sizeof *all->first);
    all->end = zv_arena_array(arena, most, sizeof *all->end);
    if (change == NULL || holes->floor == NULL || holes->wanted == NULL || all->offset == NULL ||
        all->top == NULL || all->first == NULL || all->end == NULL) {
        return zv_fail_memory(err, "a placement");
    }
    holes->taken_bytes = last_wall(options);
    holes->bound_bytes = holes->taken_bytes;
    status = check_walls(holes, err);
    if (status == ZV_OK) {
        put_fixed(holes);
        bound_above_walls(holes, change);
    }
    return status;
}

void holes_fill(struct holes *holes, const char *order, uint64_t *offsets)
{
    struct place_problem *const problem = holes->problem;
    const uint64_t ceiling = last_wall(holes->options);
    holes->steps = 0;
    put_fixed(holes);
    place_problem_order(problem, order, NULL);
    for (uint32_t rank = 0; rank < problem->count; rank++) {
        const uint32_t index = problem->keys[rank].index;
        const struct zv_place_block *const block = &problem->blocks[index];
        if (block->fixed) {
            offsets[index] = block->offset;
            continue;
        }
        const uint64_t most = ceiling != 0 ? ceiling : highest_floor(holes, problem->lives[index]);
        const uint64_t offset =
            holes->steps < MAX_STEPS ? find_room(holes, index, most) : UINT64_MAX;
        if (offset != UINT64_MAX) {
            offsets[index] = offset;
            holes->wanted[index] = false;
            raise_floor(holes, index, offset + block->bytes);
            insert(holes, index, offset);
        }
    }
    for (uint32_t s = 0; s < problem->sections; s++) {
        holes->floor[s] = ceiling > holes->floor[s] ? ceiling : holes->floor[s];
    }
}
