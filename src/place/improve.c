#include "place/improve.h"

#include "base/checked.h"
#include "base/fail.h"
#include "place/search.h"

/* What a part says at most in units; more is counted coarser, and proves nothing then. */
enum { MAX_UNITS = 1 << 29, FIRST_RUN = 2 /* nodes by block */ };

/* Blocks keys[from] .. keys[to - 1] of the problem, in sections [first, end). */
struct span {
    uint32_t from;
    uint32_t to;
    uint32_t first;
    uint32_t end;
    uint64_t height;
};

struct attempt {
    struct place_improve *improve;
    struct search search;
    const struct place_key *members; /* of the span */
    uint64_t unit;
    bool exact;      /* every size is a multiple of unit */
    uint64_t height; /* of the part, the best so far */
    uint64_t random;
    uint64_t left; /* nodes */
};

/* The search's orders, tried in turn; from the second round on R is drawn anew each time. */
static const char *const orders[] = {"TWA", "TAW", "WAT", "TR"};

/* ---- parts ---- */

/* The number of each section's part in parts; returns how many. */
static uint32_t number_parts(const struct place_problem *problem, uint32_t *parts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->count;
         i++) { /* lives that cross the border after a section */
        parts[problem->lives[i].first]++;
        parts[problem->lives[i].end - 1]--;
    }
    uint32_t crossing = 0;
    for (uint32_t s = 0; s < problem->sections; s++) {
        crossing += parts[s];
        parts[s] = count;
        count += crossing == 0;
    }
    return count;
}

static uint64_t top_of(const struct place_improve *improve, uint32_t block)
{
    return improve->offsets[block] + improve->problem->blocks[block].bytes;
}

/* Sorts keys by part and tells the next part from *at on. */
static bool next_span(const struct place_improve *improve, uint32_t *at, struct span *span)
{
    const struct place_problem *const problem = improve->problem;
    if (*at == problem->count) {
        return false;
    }
    *span = (struct span){.from = *at, .first = UINT32_MAX};
    const uint64_t part = problem->keys[*at].key;
    for (; *at < problem->count && problem->keys[*at].key == part; ++*at) {
        const uint32_t block = problem->keys[*at].index;
        const struct place_life life = problem->lives[block];
        span->first = life.first < span->first ? life.first : span->first;
        span->end = life.end > span->end ? life.end : span->end;
        const uint64_t top = top_of(improve, block);
        span->height = top > span->height ? top : span->height;
    }
    span->to = *at;
    return true;
}

/* ---- one part as a search ---- */

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* False when the part cannot be counted in units. */
static bool choose_unit(struct attempt *attempt, uint32_t count)
{
    const struct zv_place_block *const blocks = attempt->improve->problem->blocks;
    uint64_t unit = 0;
    uint64_t total = 0;
    bool plain = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct zv_place_block *const block = &blocks[attempt->members[i].index];
        unit = divisor(block->bytes, unit);
        unit = block->alignment > 1 ? divisor(block->alignment, unit) : unit;
        unit = block->fixed ? divisor(block->offset, unit) : unit;
        plain = plain && block->alignment <= 1 && !block->fixed;
        total += block->bytes + block->alignment;
        total += block->fixed ? block->offset : 0;
    }
    unit = unit != 0 ? unit : 1;
    attempt->exact = total / unit < MAX_UNITS || attempt->height / unit < MAX_UNITS / 2;
    attempt->unit = attempt->exact ? unit : attempt->height / (MAX_UNITS / 4) + 1;
    return attempt->exact || plain;
}

static bool same_shape(const struct search_block *a, const struct search_block *b)
{
    return a->first == b->first && a->end == b->end && a->units == b->units &&
           a->alignment == b->alignment && a->fixed < 0 && b->fixed < 0;
}

static int32_t find_twin(const struct search *search, int32_t index)
{
    for (int32_t i = index; i-- > 0;) {
        if (same_shape(&search->blocks[i], &search->blocks[index])) {
            return i;
        }
    }
    return -1;
}

static uint64_t draw(uint64_t *random)
{
    uint64_t x = (*random += UINT64_C(0x9E3779B97F4A7C15));
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Life and area are compared as they are: their ranks among the members, largest first. */
static void rank_members(struct attempt *attempt, uint32_t count)
{
    const struct place_problem *const problem = attempt->improve->problem;
    for (uint32_t i = 0; i < count; i++) {
        const struct zv_place_block *const block = &problem->blocks[attempt->members[i].index];
        const uint64_t life = block->death - block->birth;
        uint32_t longer = 0;
        uint32_t larger = 0;
        for (uint32_t k = 0; k < count; k++) {
            const struct zv_place_block *const other = &problem->blocks[attempt->members[k].index];
            const uint64_t other_life = other->death - other->birth;
            longer += other_life > life;
            larger += zv_product_below(life, block->bytes, other_life, other->bytes);
        }
        attempt->search.blocks[i].rank[0] = longer;
        attempt->search.blocks[i].rank[1] = larger;
    }
}

/* Of multiples that no target reaches only 0 is left: how far the next one is does not matter. */
static int32_t alignment_units(const struct zv_place_block *block, uint64_t unit)
{
    const uint64_t units = block->alignment > 1 ? block->alignment / unit : 1;
    return units < MAX_UNITS ? (int32_t)units : MAX_UNITS;
}

static void fill_blocks(struct attempt *attempt, const struct span *span)
{
    const struct place_problem *const problem = attempt->improve->problem;
    const uint32_t count = span->to - span->from;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = attempt->members[i].index;
        const struct zv_place_block *const block = &problem->blocks[index];
        struct search_block *const to = &attempt->search.blocks[i];
        *to = (struct search_block){
            .first = (int32_t)(problem->lives[index].first - span->first),
            .end = (int32_t)(problem->lives[index].end - span->first),
            .units = (int32_t)((block->bytes + attempt->unit - 1) / attempt->unit),
            .alignment = alignment_units(block, attempt->unit),
            .fixed = block->fixed ? (int32_t)(block->offset / attempt->unit) : SEARCH_NO_OFFSET};
        to->twin = find_twin(&attempt->search, (int32_t)i);
    }
    rank_members(attempt, count);
}

static void draw_ranks(struct attempt *attempt)
{
    for (int32_t i = 0; i < attempt->search.count; i++) {
        attempt->search.blocks[i].rank[2] = (uint32_t)(draw(&attempt->random) >> 40);
    }
}

static bool is_expired(const struct place_improve *improve)
{
    return improve->expired != NULL && improve->expired(improve->context);
}

/* Is there a placement of at most so many units? At most share nodes; orders take turns. */
static enum search_outcome try_target(struct attempt *attempt, uint64_t target, uint64_t share)
{
    struct search *const search = &attempt->search;
    uint64_t limit = FIRST_RUN * (uint64_t)search->count;
    enum search_outcome outcome = SEARCH_CUT;
    search->target = (int32_t)target;
    while (outcome == SEARCH_CUT && share != 0) {
        for (size_t i = 0;
             i < sizeof orders / sizeof orders[0] && outcome == SEARCH_CUT && share != 0; i++) {
            draw_ranks(attempt);
            search->order = orders[i];
            search->node_limit = limit < share ? limit : share;
            outcome = search_run(search);
            const uint64_t used = search->run_nodes < share ? search->run_nodes : share;
            share -= used;
            attempt->left -= used < attempt->left ? used : attempt->left;
            if (is_expired(attempt->improve)) {
                return outcome;
            }
        }
        limit *= 2;
    }
    return outcome;
}

static void keep(struct attempt *attempt)
{
    attempt->height = 0;
    for (int32_t i = 0; i < attempt->search.count; i++) {
        const uint32_t block = attempt->members[i].index;
        attempt->improve->offsets[block] =
            (uint64_t)attempt->search.blocks[i].offset * attempt->unit;
        const uint64_t top = top_of(attempt->improve, block);
        attempt->height = top > attempt->height ? top : attempt->height;
    }
}

/* Narrows the part's height down to the bound, or until the nodes or the time are used up. */
static void narrow(struct attempt *attempt)
{
    struct place_improve *const improve = attempt->improve;
    uint64_t tried = 0; /* bytes: no use to look at or below for now */
    while (attempt->height > improve->bound_bytes && attempt->height > improve->options->enough) {
        if (attempt->left == 0 || is_expired(improve)) {
            improve->end = attempt->left == 0 ? ZV_PLACE_END_NODES : ZV_PLACE_END_CLOCK;
            return;
        }
        uint64_t target = tried < improve->bound_bytes ? improve->bound_bytes
                                                       : tried + (attempt->height - tried) / 2;
        target = target / attempt->unit;
        if (target * attempt->unit <= tried || target * attempt->unit >= attempt->height) {
            if (tried == 0) {
                return; /* counted too coarsely to tell */
            }
            tried = 0; /* all were tried: once more with what is left */
            continue;
        }
        const enum search_outcome outcome = try_target(attempt, target, attempt->left / 2 + 1);
        if (outcome == SEARCH_FOUND) {
            keep(attempt);
        } else {
            tried = target * attempt->unit;
        }
        if (outcome == SEARCH_INFEASIBLE && attempt->exact &&
            (target + 1) * attempt->unit > improve->bound_bytes) {
            improve->bound_bytes = (target + 1) * attempt->unit;
        }
    }
}

static enum zv_status improve_part(struct place_improve *improve, const struct span *span,
                                   struct zv_error *err)
{
    struct zv_arena arena = {0};
    const uint32_t count = span->to - span->from;
    const uint64_t limit =
        improve->options->node_limit != 0 ? improve->options->node_limit : ZV_PLACE_DEFAULT_NODES;
    struct attempt attempt = {.improve = improve,
                              .members = improve->problem->keys + span->from,
                              .height = span->height,
                              .random = improve->options->seed,
                              .left = limit > improve->nodes ? limit - improve->nodes : 0};
    if (count > SEARCH_MAX_BLOCKS || !choose_unit(&attempt, count)) {
        improve->end = ZV_PLACE_END_SIZE;
        return ZV_OK;
    }
    if (!search_make(&attempt.search, (int32_t)count, (int32_t)(span->end - span->first), &arena)) {
        zv_arena_free(&arena);
        return zv_fail_memory(err, "a search");
    }
    attempt.search.expired = improve->expired;
    attempt.search.context = improve->context;
    fill_blocks(&attempt, span);
    narrow(&attempt);
    improve->nodes += attempt.search.nodes;
    zv_arena_free(&arena);
    return ZV_OK;
}

enum zv_status place_improve(struct place_improve *improve, struct zv_error *err)
{
    struct zv_arena arena = {0};
    const struct place_problem *const problem = improve->problem;
    uint32_t *const parts = zv_arena_array(&arena, problem->sections, sizeof *parts);
    if (parts == NULL) {
        return zv_fail_memory(err, "a search");
    }
    (void)number_parts(problem, parts);
    for (uint32_t i = 0; i < problem->count; i++) {
        problem->keys[i] = (struct place_key){parts[problem->lives[i].first], i};
    }
    zv_arena_free(&arena);
    place_sort(problem->keys, problem->spare, problem->count);
    enum zv_status status = ZV_OK;
    struct span span;
    for (uint32_t at = 0; status == ZV_OK && next_span(improve, &at, &span);) {
        if (span.height > improve->bound_bytes) {
            status = improve_part(improve, &span, err);
        }
    }
    return status;
}
