#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "place/holes.h"
#include "place/improve.h"
#include "place/sieve.h"
#include "place/skyline.h"

/* Orders of the skyline, tried until one reaches the load: letters of place_problem_order. */
static const char *const orders[] = {"TWA", "TAW", "WAT", "TU", "ZW", "AZ", "TZ", "L", "U"};

static const char searched[] = "search";
static const char sieved[] = "sieve";

/* The sieve is for more blocks than a search can take. Every order places each block once, the
 * sieve takes as long as SIEVE_ORDERS of them: after FAST_BLOCKS of them no other order is tried.
 */
enum { SIEVE_MIN = 2049, SIEVE_ORDERS = 3, FAST_BLOCKS = 1 << 22 };

struct run {
    const struct zv_place_options *options;
    struct place_problem problem;
    struct skyline skyline;
    uint64_t *best; /* offsets by block */
    uint64_t *offsets;
    bool has_holes; /* some blocks are fixed, or there are walls */
    struct holes holes;
    uint64_t placed; /* blocks, by all orders and the sieve */
    uint64_t deadline_ns;
    struct zv_arena arena;
};

static uint64_t cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) {
        return 0;
    }
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool expired(void *context)
{
    const struct run *const run = context;
    return cpu_ns() >= run->deadline_ns;
}

static enum zv_status make(struct run *run, const struct zv_place_block *blocks, size_t count,
                           struct zv_error *err)
{
    const enum zv_status status =
        place_problem_make(&run->problem, blocks, count, &run->arena, err);
    if (status != ZV_OK) {
        return status;
    }
    run->best = zv_arena_array(&run->arena, count, sizeof *run->best);
    run->offsets = zv_arena_array(&run->arena, count, sizeof *run->offsets);
    return run->best != NULL && run->offsets != NULL &&
                   skyline_make(&run->skyline, &run->problem, &run->arena)
               ? ZV_OK
               : zv_fail_memory(err, "a placement");
}

/* The height of a placement. */
static uint64_t height_of(const struct run *run, const uint64_t *offsets)
{
    uint64_t height = run->has_holes ? run->holes.taken_bytes : 0;
    for (uint32_t i = 0; i < run->problem.count; i++) {
        const uint64_t top = offsets[i] + run->problem.blocks[i].bytes;
        height = top > height ? top : height;
    }
    return height;
}

static uint64_t run_skyline(struct run *run, uint64_t limit)
{
    const struct holes *const holes = run->has_holes ? &run->holes : NULL;
    const uint64_t height = skyline_run(&run->skyline, holes != NULL ? holes->wanted : NULL,
                                        holes != NULL ? holes->floor : NULL, limit, run->offsets);
    return holes != NULL && height != UINT64_MAX ? height_of(run, run->offsets) : height;
}

static bool is_enough(const struct run *run, const struct zv_place_result *result)
{
    return result->height_bytes != UINT64_MAX && /* nothing is placed yet */
           (result->height_bytes <= result->bound_bytes ||
            result->height_bytes <= run->options->enough);
}

/* Keeps what is in offsets when it is lower than the best. */
static void keep(struct run *run, uint64_t height, const char *found_by,
                 struct zv_place_result *result)
{
    if (height < result->height_bytes) {
        memcpy(run->best, run->offsets, run->problem.count * sizeof *run->best);
        result->height_bytes = height;
        result->found_by = found_by;
    }
}

static enum zv_status run_sieve(struct run *run, struct zv_place_result *result,
                                struct zv_error *err)
{
    uint64_t height = 0;
    const enum zv_status status = sieve_run(&run->problem, run->offsets, &height, err);
    run->placed += (uint64_t)SIEVE_ORDERS * run->problem.count;
    if (status == ZV_OK) {
        keep(run, height, sieved, result);
    }
    return status;
}

/* One order after the other, the sieve after the first, until the height is the bound. */
static enum zv_status run_skylines(struct run *run, struct zv_place_result *result,
                                   struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0] && !is_enough(run, result); i++) {
        if (result->height_bytes != UINT64_MAX && run->deadline_ns != 0 && expired(run)) {
            result->end = ZV_PLACE_END_CLOCK;
            break;
        }
        if (i == 1 && !run->has_holes && run->problem.count >= SIEVE_MIN) {
            status = run_sieve(run, result, err);
        }
        if (status != ZV_OK || is_enough(run, result) ||
            (i != 0 && run->placed + run->problem.count > FAST_BLOCKS)) {
            break;
        }
        place_problem_order(&run->problem, orders[i], NULL);
        keep(run, run_skyline(run, result->height_bytes - 1), orders[i], result);
        run->placed += run->problem.count;
    }
    return status;
}

/* With fixed blocks: the skylines on what is left by several ways of filling the holes. */
static enum zv_status run_fast(struct run *run, struct zv_place_result *result,
                               struct zv_error *err)
{
    static const char *const fills[] = {"ZW", "TZW", "TAW", "WZ"};
    enum zv_status status = ZV_OK;
    result->height_bytes = UINT64_MAX;
    if (!run->has_holes) {
        return run_skylines(run, result, err);
    }
    const size_t fill_count = run->options->no_search ? 1 : sizeof fills / sizeof fills[0];
    for (size_t i = 0; i < fill_count && status == ZV_OK && result->end == ZV_PLACE_END_PROVED &&
                       !is_enough(run, result);
         i++) {
        holes_fill(&run->holes, fills[i], run->offsets);
        run->placed = 0;
        status = run_skylines(run, result, err);
    }
    return status;
}

static enum zv_status run_search(struct run *run, struct zv_place_result *result,
                                 struct zv_error *err)
{
    struct place_improve improve = {.problem = &run->problem,
                                    .options = run->options,
                                    .expired = run->deadline_ns != 0 ? expired : NULL,
                                    .context = run,
                                    .offsets = run->best,
                                    .bound_bytes = result->bound_bytes};
    const enum zv_status status = place_improve(&improve, err);
    const uint64_t height = height_of(run, run->best);
    if (height < result->height_bytes) {
        result->height_bytes = height;
        result->found_by = searched;
    }
    result->bound_bytes = improve.bound_bytes;
    result->nodes = improve.nodes;
    result->end = improve.end;
    return status;
}

static enum zv_status place(struct run *run, struct zv_place_result *result, struct zv_error *err)
{
    const struct place_problem *const problem = &run->problem;
    result->load_bytes = problem->load_bytes;
    result->load_time = problem->load_time;
    result->sections = problem->sections;
    result->bound_bytes = problem->load_bytes;
    for (uint32_t i = 0; i < problem->count; i++) {
        run->has_holes |= problem->blocks[i].fixed;
    }
    run->has_holes |= run->options->wall_count != 0;
    if (run->has_holes) {
        const enum zv_status status =
            holes_make(&run->holes, &run->problem, run->options, &run->arena, err);
        if (status != ZV_OK) {
            return status;
        }
        if (run->holes.bound_bytes > result->bound_bytes) {
            result->bound_bytes = run->holes.bound_bytes;
        }
    }
    const enum zv_status status = run_fast(run, result, err);
    if (status != ZV_OK) {
        return status;
    }
    const bool is_done = is_enough(run, result) || result->end != ZV_PLACE_END_PROVED;
    if (is_done || run->options->no_search || run->options->wall_count != 0) {
        result->end = is_done                   ? result->end
                      : run->options->no_search ? ZV_PLACE_END_NODES
                                                : ZV_PLACE_END_SIZE;
        return ZV_OK;
    }
    return run_search(run, result, err);
}

enum zv_status zv_place_run(struct zv_place_block *blocks, size_t count,
                            const struct zv_place_options *options, struct zv_place_result *result,
                            struct zv_error *err)
{
    struct run run = {.options = options};
    *result = (struct zv_place_result){.found_by = orders[0]};
    if (count == 0) {
        return ZV_OK;
    }
    if (options->cpu_ms != 0) {
        run.deadline_ns = cpu_ns() + options->cpu_ms * UINT64_C(1000000);
    }
    enum zv_status status = make(&run, blocks, count, err);
    status = status == ZV_OK ? place(&run, result, err) : status;
    if (status == ZV_OK) {
        for (size_t i = 0; i < count; i++) {
            blocks[i].offset = run.best[i];
        }
        result->state =
            result->height_bytes == result->bound_bytes ? ZV_PLACE_OPTIMAL : ZV_PLACE_FOUND;
    }
    zv_arena_free(&run.arena);
    return status;
}

enum zv_status zv_place_load(const struct zv_place_block *blocks, size_t count,
                             uint64_t *load_bytes, uint64_t *load_time, struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct place_problem problem;
    const enum zv_status status = place_problem_make(&problem, blocks, count, &arena, err);
    *load_bytes = problem.load_bytes;
    *load_time = problem.load_time;
    zv_arena_free(&arena);
    return status;
}

const char *zv_place_state_name(enum zv_place_state state)
{
    static const char *const names[ZV_PLACE_STATE_COUNT] = {"optimal", "best found"};
    return (unsigned)state < ZV_PLACE_STATE_COUNT ? names[state] : "?";
}

const char *zv_place_end_name(enum zv_place_end end)
{
    static const char *const names[ZV_PLACE_END_COUNT] = {"proved", "nodes", "clock", "size"};
    return (unsigned)end < ZV_PLACE_END_COUNT ? names[end] : "?";
}
