#include "place/skyline.h"

#include <assert.h>

#include "base/checked.h"

/* Pieces do not overlap, and each has a section at least; one more is none, one is in work. */
bool skyline_make(struct skyline *skyline, struct place_problem *problem, struct zv_arena *arena)
{
    const uint32_t count = problem->count;
    *skyline = (struct skyline){.problem = problem};
    skyline->pieces = zv_arena_array(arena, (size_t)problem->sections + 2, sizeof *skyline->pieces);
    skyline->bytes = zv_arena_array(arena, count, sizeof *skyline->bytes);
    skyline->offsets = zv_arena_array(arena, count, sizeof *skyline->offsets);
    if (skyline->pieces == NULL || skyline->bytes == NULL || skyline->offsets == NULL ||
        !contained_make(&skyline->blocks, problem, arena)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct zv_place_block *const block = &problem->blocks[skyline->blocks.block[i]];
        skyline->bytes[i] = block->bytes;
        skyline->has_alignment |= block->alignment > 1;
    }
    return true;
}

/* ---- pieces ---- */

/* A piece between two others. */
static uint32_t add_piece(struct skyline *skyline, const struct skyline_piece *made)
{
    uint32_t piece = skyline->unused;
    if (piece != 0) {
        skyline->unused = skyline->pieces[piece].right;
    } else {
        piece = ++skyline->piece_count;
    }
    skyline->pieces[piece] = *made;
    if (made->left != 0) {
        skyline->pieces[made->left].right = piece;
    }
    if (made->right != 0) {
        skyline->pieces[made->right].left = piece;
    }
    return piece;
}

static void give_back(struct skyline *skyline, uint32_t piece)
{
    skyline->pieces[piece].right = skyline->unused;
    skyline->unused = piece;
}

/* Sets the height of a piece; neighbours of the same height become part of it. */
static void set_height(struct skyline *skyline, uint32_t index, uint64_t height)
{
    struct skyline_piece *const pieces = skyline->pieces;
    struct skyline_piece *const piece = &pieces[index];
    const uint32_t left = piece->left;
    const uint32_t right = piece->right;
    piece->height = height;
    if (left != 0 && pieces[left].height == height) {
        piece->first = pieces[left].first;
        piece->left = pieces[left].left;
        pieces[piece->left].right = index; /* of piece 0 it means nothing */
        give_back(skyline, left);
    }
    if (right != 0 && pieces[right].height == height) {
        piece->end = pieces[right].end;
        piece->right = pieces[right].right;
        pieces[piece->right].left = index;
        give_back(skyline, right);
    }
}

/* The nearest valley downhill; *level is the lower of its neighbours, UINT64_MAX without any. */
static uint32_t find_valley(const struct skyline *skyline, uint32_t piece, uint64_t *level)
{
    const struct skyline_piece *const pieces = skyline->pieces;
    for (;;) {
        const struct skyline_piece *const from = &pieces[piece];
        const uint64_t left = from->left != 0 ? pieces[from->left].height : UINT64_MAX;
        const uint64_t right = from->right != 0 ? pieces[from->right].height : UINT64_MAX;
        if (left < from->height) {
            piece = from->left;
        } else if (right < from->height) {
            piece = from->right;
        } else {
            *level = left < right ? left : right;
            return piece;
        }
    }
}

/* The block lies on the piece now: what is left of the piece at its sides stays as it was. */
static void cover(struct skyline *skyline, uint32_t index, struct place_life life, uint64_t top)
{
    struct skyline_piece *const piece = &skyline->pieces[index];
    if (piece->first < life.first) {
        struct skyline_piece rest = *piece;
        rest.end = life.first;
        rest.right = index;
        piece->first = life.first;
        piece->left = add_piece(skyline, &rest);
    }
    if (life.end < piece->end) {
        struct skyline_piece rest = *piece;
        rest.first = life.end;
        rest.left = index;
        piece->end = life.end;
        piece->right = add_piece(skyline, &rest);
    }
    set_height(skyline, index, top);
}

/* ---- a run ---- */

static void clear(struct skyline *skyline)
{
    skyline->piece_count = 0;
    skyline->unused = 0;
}

/* One more piece at the right; neighbours of the same height are one. */
static uint32_t append(struct skyline *skyline, uint32_t last, const struct skyline_step *step)
{
    if (last != 0 && skyline->pieces[last].height == step->height) {
        skyline->pieces[last].end = step->end;
        return last;
    }
    const struct skyline_piece made = {
        .height = step->height, .first = step->first, .end = step->end, .left = last};
    return add_piece(skyline, &made);
}

static void start(struct skyline *skyline, const uint64_t *floor)
{
    const uint32_t sections = skyline->problem->sections;
    uint32_t last = 0;
    clear(skyline);
    for (uint32_t first = 0, end = 0; first < sections; first = end) {
        const uint64_t height = floor != NULL ? floor[first] : 0;
        end = floor != NULL ? first + 1 : sections;
        while (end < sections && floor != NULL && floor[end] == height) {
            end++;
        }
        const struct skyline_step step = {height, first, end};
        last = append(skyline, last, &step);
    }
}

static uint32_t count_wanted(const struct place_problem *problem, const bool *wanted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->count; i++) {
        count += wanted == NULL || wanted[i];
    }
    return count;
}

static void begin(struct skyline *skyline, const bool *wanted)
{
    contained_fill(&skyline->blocks, wanted);
    skyline->left = count_wanted(skyline->problem, wanted);
    for (uint32_t i = 0; i < skyline->problem->count; i++) {
        skyline->offsets[i] = SKYLINE_NOWHERE;
    }
}

/* Where an entry lies on a piece of this height. */
static uint64_t offset_on(const struct skyline *skyline, uint32_t entry, uint64_t height)
{
    if (!skyline->has_alignment) {
        return height;
    }
    const uint64_t step = skyline->problem->blocks[skyline->blocks.block[entry]].alignment;
    return step > 1 ? zv_ceil_div(height, step) * step : height;
}

/* Fills one valley after the other until no block is left, all is full to the ceiling (UINT64_MAX:
 * there is none) or the height is above limit; returns the height, above limit UINT64_MAX. */
static uint64_t fill(struct skyline *skyline, uint64_t ceiling, uint64_t limit)
{
    uint64_t height = 0;
    uint32_t piece = 1;
    while (skyline->left != 0) {
        uint64_t level = 0;
        piece = find_valley(skyline, piece, &level);
        const struct skyline_piece from = skyline->pieces[piece];
        if (from.height >= ceiling) {
            return height;
        }
        const uint64_t room = ceiling != UINT64_MAX ? ceiling - from.height : UINT64_MAX;
        const uint32_t entry = contained_best(&skyline->blocks, from.first, from.end, room);
        if (entry == CONTAINED_NONE) {
            /* without a ceiling a piece without neighbours holds every life */
            assert(level != UINT64_MAX || ceiling != UINT64_MAX);
            set_height(skyline, piece, level < ceiling ? level : ceiling);
            continue;
        }
        const struct place_life life = contained_life(&skyline->blocks, entry);
        contained_remove(&skyline->blocks, entry);
        skyline->left--;
        skyline->offsets[entry] = offset_on(skyline, entry, from.height);
        const uint64_t top = skyline->offsets[entry] + skyline->bytes[entry];
        height = top > height ? top : height;
        if (height > limit) {
            return UINT64_MAX;
        }
        cover(skyline, piece, life, top);
    }
    return height;
}

uint64_t skyline_run(struct skyline *skyline, const bool *wanted, const uint64_t *floor,
                     uint64_t limit, uint64_t *offsets)
{
    begin(skyline, wanted);
    start(skyline, floor);
    const uint64_t height = fill(skyline, UINT64_MAX, limit);
    if (height != UINT64_MAX) {
        skyline_collect(skyline, offsets);
    }
    return height;
}

void skyline_begin(struct skyline *skyline)
{
    begin(skyline, NULL);
}

void skyline_fill(struct skyline *skyline, const struct skyline_step *steps, uint32_t count,
                  uint64_t ceiling)
{
    uint32_t last = 0;
    clear(skyline);
    for (uint32_t i = 0; i < count; i++) {
        last = append(skyline, last, &steps[i]);
    }
    (void)fill(skyline, ceiling, UINT64_MAX);
}

void skyline_collect(const struct skyline *skyline, uint64_t *offsets)
{
    for (uint32_t i = 0; i < skyline->problem->count; i++) {
        if (skyline->offsets[i] != SKYLINE_NOWHERE) {
            offsets[skyline->blocks.block[i]] = skyline->offsets[i];
        }
    }
}
