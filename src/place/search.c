#include "place/search.h"

#include <stdlib.h>
#include <string.h>

#include "place/search_part.h"

struct candidate {
    int32_t offset;
    int32_t at; /* in the part */
};

/* A choice: the candidates for the next place and what the one in place has changed. */
struct frame {
    struct frame *below;
    struct search_part *part;
    size_t mark; /* of the stack, with this frame and its candidates */
    struct candidate *candidates;
    int32_t candidate_count;
    int32_t next;
    bool applied;
    bool hatless;
    int32_t at;       /* the candidate in place */
    int32_t from, to; /* sections of saved */
    int32_t *saved;   /* levels */
    struct search_moved *moved;
    int32_t moved_count;
    int32_t *borders; /* sections where sub-parts begin; the last is the end */
    int32_t border_count;
    int32_t next_border;
};

bool search_make(struct search *search, int32_t count, int32_t sections, struct zv_arena *arena)
{
    const size_t n = (size_t)count;
    const size_t s = (size_t)sections + 1;
    *search = (struct search){.count = count, .sections = sections};
    search->stack_size = (n + s) * 4096 + (1 << 20);
    search->blocks = zv_arena_array(arena, n, sizeof *search->blocks);
    search->level = zv_arena_array(arena, s, sizeof *search->level);
    search->rest = zv_arena_array(arena, s, sizeof *search->rest);
    search->cross = zv_arena_array(arena, s, sizeof *search->cross);
    search->lowest = zv_arena_array(arena, s, sizeof *search->lowest);
    search->placed = zv_arena_array(arena, n, sizeof *search->placed);
    search->moved = zv_arena_array(arena, n, sizeof *search->moved);
    search->ranked = zv_arena_array(arena, n, sizeof *search->ranked);
    search->stack = zv_arena_alloc(arena, search->stack_size);
    return search->blocks != NULL && search->level != NULL && search->rest != NULL &&
           search->cross != NULL && search->lowest != NULL && search->placed != NULL &&
           search->moved != NULL && search->ranked != NULL && search->stack != NULL;
}

static int32_t aligned(int32_t offset, int32_t alignment)
{
    return alignment > 1 ? (offset + alignment - 1) / alignment * alignment : offset;
}

/* ---- frames ---- */

static int by_offset(const void *a, const void *b)
{
    const struct candidate *const x = a;
    const struct candidate *const y = b;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1)
                                  : (x->at > y->at) - (x->at < y->at);
}

/* Candidates are few and nearly in order. */
static void sort_candidates(struct candidate *candidates, int32_t count)
{
    if (count > 32) {
        qsort(candidates, (size_t)count, sizeof *candidates, by_offset);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        const struct candidate moving = candidates[i];
        int32_t at = i;
        for (; at > 0 && candidates[at - 1].offset > moving.offset; at--) {
            candidates[at] = candidates[at - 1];
        }
        candidates[at] = moving;
    }
}

static bool has_twin_before(const struct search *search, int32_t index)
{
    const int32_t twin = search->blocks[index].twin;
    return twin >= 0 && !search->placed[twin];
}

/* What came of a step. */
enum event {
    ENTERED, /* a new choice is on top */
    DONE,    /* below the choice on top nothing is left to place */
    FAILED,  /* below it there is no answer */
    CUT
};

/* A frame with all that one placement can change. */
static size_t frame_room(const struct search_part *part)
{
    const size_t sections = (size_t)(part->end - part->first) + 1;
    const size_t count = (size_t)part->count;
    return search_padded(sizeof(struct frame)) + search_padded(count * sizeof(struct candidate)) +
           search_padded(count * sizeof(struct search_moved)) +
           2 * search_padded(sections * sizeof(int32_t));
}

static bool is_over(struct search *search)
{
    search->nodes++;
    search->run_nodes++;
    search->cut |= search->run_nodes > search->node_limit ||
                   (search->run_nodes % 256 == 0 && search->expired != NULL &&
                    search->expired(search->context));
    return search->cut;
}

/* The next choice in a part, not before (offset, at). */
static enum event enter(struct search *search, struct frame **top, struct search_part *part,
                        int32_t offset, int32_t at)
{
    int32_t lowest_top = SEARCH_NEVER;
    for (int32_t i = 0; i < part->count; i++) {
        const int32_t reach = part->low[i] + part->units[i];
        lowest_top = reach < lowest_top ? reach : lowest_top;
    }
    if (lowest_top == SEARCH_NEVER) {
        return DONE;
    }
    if (is_over(search) || !search_has_room(search, frame_room(part))) {
        return CUT;
    }
    struct frame *const frame = search_take(search, 1, sizeof *frame);
    struct candidate *const candidates =
        (struct candidate *)(void *)(search->stack + search->stack_used);
    int32_t count = 0;
    for (int32_t i = 0; i < part->count; i++) {
        const int32_t low = part->low[i];
        const bool is_later = low > offset || (low == offset && i >= at);
        if (low < lowest_top && is_later && !has_twin_before(search, part->block[i])) {
            candidates[count++] = (struct candidate){low, i};
        }
    }
    sort_candidates(candidates, count);
    (void)search_take(search, count, sizeof *candidates);
    *frame = (struct frame){.below = *top,
                            .part = part,
                            .mark = search->stack_used,
                            .candidates = candidates,
                            .candidate_count = count};
    *top = frame;
    return ENTERED;
}

/* Moves what overlaps the placed block on top of it; false when something cannot be there. */
static bool move_up(struct search *search, struct frame *frame, int32_t top)
{
    struct search_part *const part = frame->part;
    const int32_t first = part->begins[frame->at];
    const int32_t end = part->ends[frame->at];
    bool fits = true;
    int32_t count = 0;
    for (int32_t i = 0; i < part->count; i++) {
        if (part->begins[i] >= end || part->ends[i] <= first || part->low[i] == SEARCH_NEVER) {
            continue;
        }
        frame->hatless = false;
        if (part->low[i] >= top) {
            continue;
        }
        const struct search_block *const block = &search->blocks[part->block[i]];
        search->moved[count++] = (struct search_moved){i, part->low[i]};
        frame->from = block->first < frame->from ? block->first : frame->from;
        frame->to = block->end > frame->to ? block->end : frame->to;
        part->low[i] = aligned(top, block->alignment);
        fits &= block->fixed < 0 && part->low[i] + block->units <= search->target;
    }
    frame->moved = search_take(search, count, sizeof *frame->moved);
    frame->moved_count = count;
    memcpy(frame->moved, search->moved, (size_t)count * sizeof *frame->moved);
    return fits;
}

static void undo(struct search *search, struct frame *frame)
{
    struct search_part *const part = frame->part;
    const int32_t index = part->block[frame->at];
    const struct search_block *const block = &search->blocks[index];
    for (int32_t i = 0; i < frame->moved_count; i++) {
        part->low[frame->moved[i].at] = frame->moved[i].low;
    }
    part->low[frame->at] = block->offset;
    search->placed[index] = false;
    memcpy(search->level + frame->from, frame->saved,
           (size_t)(frame->to - frame->from) * sizeof *frame->saved);
    for (int32_t s = block->first; s < block->end; s++) {
        search->rest[s] += block->units;
    }
    for (int32_t s = block->first; s + 1 < block->end; s++) {
        search->cross[s]++;
    }
    frame->applied = false;
    search->stack_used = frame->mark;
}

/* Borders between sections that no unplaced block crosses any more. */
static void find_borders(struct search *search, struct frame *frame,
                         const struct search_block *block)
{
    frame->border_count = 0;
    frame->next_border = 0;
    frame->borders = search_take(search, block->end - block->first, sizeof *frame->borders);
    for (int32_t s = block->first; s + 1 < block->end; s++) {
        if (--search->cross[s] == 0) {
            frame->borders[frame->border_count++] = s + 1;
        }
    }
    if (frame->border_count != 0) {
        frame->borders[frame->border_count++] = frame->part->end;
    }
}

/* Puts a candidate in place; false when it cannot lead below the target (undone then). */
static bool apply(struct search *search, struct frame *frame, struct candidate candidate)
{
    struct search_part *const part = frame->part;
    const int32_t index = part->block[candidate.at];
    struct search_block *const block = &search->blocks[index];
    const int32_t top = candidate.offset + block->units;
    if ((int64_t)search_crossed(search, block) - block->units + top > search->target) {
        return false;
    }
    frame->at = candidate.at;
    frame->from = block->first;
    frame->to = block->end;
    frame->hatless = true;
    frame->applied = true;
    block->offset = candidate.offset;
    search->placed[index] = true;
    part->low[candidate.at] = SEARCH_NEVER;
    const bool fits = move_up(search, frame, top);
    const size_t span = (size_t)(frame->to - frame->from);
    frame->saved = search_take(search, frame->to - frame->from, sizeof *frame->saved);
    memcpy(frame->saved, search->level + frame->from, span * sizeof *frame->saved);
    for (int32_t s = block->first; s < block->end; s++) {
        search->level[s] = top;
        search->rest[s] -= block->units;
    }
    find_borders(search, frame, block);
    if (!fits || !search_raise_levels(search, part, frame->from, frame->to)) {
        undo(search, frame);
        return false;
    }
    return true;
}

/* The next candidate that may lead below the target; false when there is none. */
static bool advance(struct search *search, struct frame *frame)
{
    const struct search_part *const part = frame->part;
    while (frame->next < frame->candidate_count) {
        const struct candidate candidate = frame->candidates[frame->next++];
        if (search_is_above(search, part->first, part->end, candidate.offset)) {
            return false; /* the others lie higher */
        }
        if (apply(search, frame, candidate)) {
            return true;
        }
    }
    return false;
}

/* Below the candidate in place: the rest of its part, or the next of the parts it left behind. */
static enum event go_below(struct search *search, struct frame **top)
{
    struct frame *const frame = *top;
    const struct candidate in_place = frame->candidates[frame->next - 1];
    if (frame->border_count == 0) {
        return enter(search, top, frame->part, in_place.offset, in_place.at);
    }
    const int32_t from =
        frame->next_border == 0 ? frame->part->first : frame->borders[frame->next_border - 1];
    struct search_part *const part =
        search_part_make(search, frame->part, from, frame->borders[frame->next_border++]);
    return part != NULL ? enter(search, top, part, 0, 0) : CUT;
}

static enum event try_next(struct search *search, struct frame **top)
{
    if (advance(search, *top)) {
        return go_below(search, top);
    }
    *top = (*top)->below;
    return FAILED;
}

/* The choice on top led nowhere: another one, unless no other could do better. */
static enum event after_failure(struct search *search, struct frame **top)
{
    undo(search, *top);
    if ((*top)->hatless) {
        *top = (*top)->below;
        return FAILED;
    }
    return try_next(search, top);
}

/* What is below the choice on top is placed: on to the next part that it left behind, if any. */
static enum event after_answer(struct search *search, struct frame **top)
{
    if ((*top)->next_border < (*top)->border_count) {
        return go_below(search, top);
    }
    undo(search, *top); /* offsets stay */
    *top = (*top)->below;
    return DONE;
}

static enum event solve(struct search *search, struct search_part *part)
{
    struct frame *top = NULL;
    enum event event = enter(search, &top, part, 0, 0);
    while (top != NULL && event != CUT) {
        event = event == ENTERED  ? try_next(search, &top)
                : event == FAILED ? after_failure(search, &top)
                                  : after_answer(search, &top);
    }
    return event;
}

/* ---- a run ---- */

static void start(struct search *search)
{
    const size_t sections = (size_t)search->sections + 1;
    memset(search->level, 0, sections * sizeof *search->level);
    memset(search->rest, 0, sections * sizeof *search->rest);
    memset(search->cross, 0, sections * sizeof *search->cross);
    memset(search->placed, 0, (size_t)search->count * sizeof *search->placed);
    search->stack_used = 0;
    search->run_nodes = 0;
    search->cut = false;
    for (int32_t i = 0; i < search->count; i++) {
        const struct search_block *const block = &search->blocks[i];
        for (int32_t s = block->first; s < block->end; s++) {
            search->rest[s] += block->units;
            search->cross[s] += s + 1 < block->end;
        }
    }
}

enum search_outcome search_run(struct search *search)
{
    start(search);
    enum event event = DONE;
    for (int32_t first = 0, end = 1; end <= search->sections && event == DONE; end++) {
        if (search->cross[end - 1] != 0) {
            continue;
        }
        struct search_part *const part = search_part_make(search, NULL, first, end);
        event = part == NULL                                         ? CUT
                : search_is_above(search, part->first, part->end, 0) ? FAILED
                                                                     : solve(search, part);
        first = end;
        search->stack_used = 0;
    }
    return event == DONE ? SEARCH_FOUND : event == CUT ? SEARCH_CUT : SEARCH_INFEASIBLE;
}
