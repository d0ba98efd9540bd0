#include "place/sieve.h"

#include <string.h>

#include "base/fail.h"
#include "place/gaps.h"

/* How much of all area each class takes, in 2^-16: measured on random blocks with heavy tails,
 * where 0.85 to 0.94 and at least 0.999 do about as well. What is left is dust. */
static const uint64_t shares[] = {58982 /* 0.9 */, 65529 /* 0.9999 */};
enum { CLASSES = sizeof shares / sizeof shares[0] + 1 };

struct sieve {
    const struct place_problem *problem;
    uint64_t *offsets;
    uint32_t *blocks; /* largest area first */
    uint32_t ends[CLASSES];
    uint64_t *to_come; /* by section: floor and all blocks that are not placed */
    struct gaps gaps;  /* below the first class */
    uint64_t height;
    struct zv_arena arena;
};

/* ---- classes ---- */

/* Areas as doubles: a class border that is off by a block does not matter. */
static double area(const struct place_problem *problem, uint32_t index)
{
    const struct zv_place_block *const block = &problem->blocks[index];
    return (double)block->bytes * (double)(block->death - block->birth);
}

static void part(struct sieve *sieve)
{
    const struct place_problem *const problem = sieve->problem;
    struct place_problem sorted = *problem;
    double all = 0;
    double sum = 0;
    uint32_t class = 0;
    place_problem_order(&sorted, "A", NULL);
    for (uint32_t i = 0; i < problem->count; i++) {
        sieve->blocks[i] = problem->keys[i].index;
        all += area(problem, i);
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        for (; class + 1 < CLASSES && sum * 65536 >= all * (double)shares[class]; class ++) {
            sieve->ends[class] = i;
        }
        sum += area(problem, sieve->blocks[i]);
    }
    for (; class < CLASSES; class ++) {
        sieve->ends[class] = problem->count;
    }
}

static bool make(struct sieve *sieve)
{
    const struct place_problem *const problem = sieve->problem;
    const size_t sections = problem->sections;
    sieve->blocks = zv_arena_array(&sieve->arena, problem->count, sizeof *sieve->blocks);
    sieve->to_come = zv_arena_array(&sieve->arena, sections + 1, sizeof *sieve->to_come);
    if (sieve->blocks == NULL || sieve->to_come == NULL) {
        return false;
    }
    part(sieve);
    for (uint32_t i = 0; i < problem->count; i++) {
        sieve->offsets[i] = SKYLINE_NOWHERE;
    }
    return gaps_make(&sieve->gaps, problem, sieve->ends[0], &sieve->arena);
}

/* ---- one class ---- */

struct class
{
    struct place_problem problem; /* its blocks only, the sections of all */
    const uint32_t *blocks;       /* their indices among all */
    struct skyline skyline;
    uint64_t *offsets;
    bool *wanted;
    struct zv_arena arena;
};

static bool make_class(struct class *class, const struct sieve *sieve, uint32_t from, uint32_t to)
{
    const struct place_problem *const all = sieve->problem;
    const uint32_t count = to - from;
    struct zv_place_block *const blocks = zv_arena_array(&class->arena, count, sizeof *blocks);
    struct place_problem *const problem = &class->problem;
    *problem = *all;
    problem->count = count;
    problem->blocks = blocks;
    problem->lives = zv_arena_array(&class->arena, count, sizeof *problem->lives);
    problem->crossed = zv_arena_array(&class->arena, count, sizeof *problem->crossed);
    class->blocks = sieve->blocks + from;
    class->offsets = zv_arena_array(&class->arena, count, sizeof *class->offsets);
    class->wanted = zv_arena_array(&class->arena, count, sizeof *class->wanted);
    if (blocks == NULL || problem->lives == NULL || problem->crossed == NULL ||
        class->offsets == NULL || class->wanted == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = all->blocks[class->blocks[i]];
        problem->lives[i] = all->lives[class->blocks[i]];
        class->offsets[i] = SKYLINE_NOWHERE;
    }
    return skyline_make(&class->skyline, problem, &class->arena);
}

static void fill_gaps(struct class *class, const struct gaps *gaps)
{
    place_problem_order(&class->problem, "", NULL); /* they come by area */
    skyline_begin(&class->skyline);
    for (uint32_t i = 0; i < gaps->count && class->skyline.left != 0; i++) {
        const struct gap *const gap = &gaps->gaps[gaps->smallest[i].index];
        skyline_fill(&class->skyline, gaps->steps + gap->from, gap->to - gap->from, gap->ceiling);
    }
    skyline_collect(&class->skyline, class->offsets);
}

/* What lies below and all that is not placed, by section. */
static void sum_to_come(struct sieve *sieve)
{
    const struct place_problem *const problem = sieve->problem;
    uint64_t *const sums = sieve->to_come;
    memset(sums, 0, ((size_t)problem->sections + 1) * sizeof *sums);
    for (uint32_t i = 0; i < problem->count; i++) {
        if (sieve->offsets[i] == SKYLINE_NOWHERE) {
            sums[problem->lives[i].first] += problem->blocks[i].bytes;
            sums[problem->lives[i].end] -= problem->blocks[i].bytes;
        }
    }
    uint64_t sum = 0;
    for (uint32_t s = 0; s < problem->sections; s++) {
        sum += sums[s];
        sums[s] = sum + sieve->gaps.floor[s];
    }
}

static void put_on_top(struct sieve *sieve, struct class *class)
{
    sum_to_come(sieve);
    /* a key has room for two numbers, and there are keys for all */
    place_problem_cross(&class->problem, sieve->to_come, (uint64_t *)(void *)class->problem.spare);
    place_problem_order(&class->problem, "TW", NULL); /* then by area */
    const uint64_t height =
        skyline_run(&class->skyline, class->wanted, sieve->gaps.floor, UINT64_MAX, class->offsets);
    sieve->height = height > sieve->height ? height : sieve->height;
}

static void take_offsets(struct sieve *sieve, const struct class *class)
{
    for (uint32_t i = 0; i < class->problem.count; i++) {
        sieve->offsets[class->blocks[i]] = class->offsets[i];
        class->wanted[i] = class->offsets[i] == SKYLINE_NOWHERE;
    }
}

/* The blocks [from, to) in the order of area, on those before. */
static enum zv_status place_class(struct sieve *sieve, uint32_t from, uint32_t to, bool has_gaps,
                                  struct zv_error *err)
{
    struct class class = {0};
    if (from == to) {
        return ZV_OK;
    }
    gaps_find(&sieve->gaps, sieve->blocks, from, sieve->offsets);
    if (!make_class(&class, sieve, from, to)) {
        zv_arena_free(&class.arena);
        return zv_fail_memory(err, "a placement");
    }
    if (has_gaps) {
        fill_gaps(&class, &sieve->gaps);
    }
    take_offsets(sieve, &class);
    put_on_top(sieve, &class);
    take_offsets(sieve, &class);
    zv_arena_free(&class.arena);
    return ZV_OK;
}

enum zv_status sieve_run(const struct place_problem *problem, uint64_t *offsets,
                         uint64_t *height_bytes, struct zv_error *err)
{
    struct sieve sieve = {.problem = problem};
    sieve.offsets = offsets;
    enum zv_status status = make(&sieve) ? ZV_OK : zv_fail_memory(err, "a placement");
    for (uint32_t i = 0, from = 0; i < CLASSES && status == ZV_OK; i++) {
        status = place_class(&sieve, from, sieve.ends[i], i == 1, err);
        from = sieve.ends[i];
    }
    *height_bytes = sieve.height;
    zv_arena_free(&sieve.arena);
    return status;
}
