#include "base/checked.h"
#include "base/fail.h"
#include "place/sort.h"
#include "zirve/arena.h"
#include "zirve/place.h"

/*
 * Blocks are looked at by ascending offset; for every stretch of time the highest end so far and
 * the block that has it are known. A block that starts below the end of one that lives with it
 * shares a byte with it. Time is cut at every birth and death, in a tree over the stretches: `top`
 * is of the whole stretch of a node, `most` of any part of it.
 */
struct tops {
    uint64_t *top;
    uint64_t *most;
    uint32_t *owner; /* of most */
    uint32_t *top_owner;
    size_t leaves;
};

struct seen {
    uint64_t top;
    uint32_t owner;
};

static void note(struct seen *seen, uint64_t top, uint32_t owner)
{
    if (top > seen->top) {
        *seen = (struct seen){top, owner};
    }
}

static void note_above(const struct tops *tops, size_t node, struct seen *seen)
{
    for (; node >= 1; node /= 2) {
        note(seen, tops->top[node], tops->top_owner[node]);
    }
}

/* The highest end within stretches [low, high). */
static struct seen highest(const struct tops *tops, size_t low, size_t high)
{
    struct seen seen = {0};
    low += tops->leaves;
    high += tops->leaves;
    note_above(tops, low, &seen);
    note_above(tops, high - 1, &seen);
    for (; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) {
            note(&seen, tops->most[low], tops->owner[low]);
            low++;
        }
        if (high % 2 == 1) {
            high--;
            note(&seen, tops->most[high], tops->owner[high]);
        }
    }
    return seen;
}

static void set_node(struct tops *tops, size_t node, uint64_t top, uint32_t owner)
{
    if (top > tops->top[node]) {
        tops->top[node] = top;
        tops->top_owner[node] = owner;
    }
    if (top > tops->most[node]) {
        tops->most[node] = top;
        tops->owner[node] = owner;
    }
}

static void raise_above(struct tops *tops, size_t node, uint64_t top, uint32_t owner)
{
    for (node /= 2; node >= 1 && top > tops->most[node]; node /= 2) {
        tops->most[node] = top;
        tops->owner[node] = owner;
    }
}

static void put(struct tops *tops, size_t low, size_t high, uint64_t top, uint32_t owner)
{
    for (low += tops->leaves, high += tops->leaves; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) {
            set_node(tops, low, top, owner);
            raise_above(tops, low, top, owner);
            low++;
        }
        if (high % 2 == 1) {
            high--;
            set_node(tops, high, top, owner);
            raise_above(tops, high, top, owner);
        }
    }
}

struct check {
    const struct zv_place_block *blocks;
    uint32_t count;
    struct place_key *keys; /* 2 * count */
    struct place_key *spare;
    uint32_t *first; /* stretch, by block */
    uint32_t *end;
    struct tops tops;
};

static bool make(struct check *check, struct zv_arena *arena)
{
    const size_t count = check->count;
    check->tops.leaves = 2 * count;
    check->keys = zv_arena_array(arena, 2 * count, sizeof *check->keys);
    check->spare = zv_arena_array(arena, 2 * count, sizeof *check->spare);
    check->first = zv_arena_array(arena, count, sizeof *check->first);
    check->end = zv_arena_array(arena, count, sizeof *check->end);
    check->tops.top = zv_arena_array(arena, 4 * count, sizeof *check->tops.top);
    check->tops.most = zv_arena_array(arena, 4 * count, sizeof *check->tops.most);
    check->tops.owner = zv_arena_array(arena, 4 * count, sizeof *check->tops.owner);
    check->tops.top_owner = zv_arena_array(arena, 4 * count, sizeof *check->tops.top_owner);
    return check->keys != NULL && check->spare != NULL && check->first != NULL &&
           check->end != NULL && check->tops.top != NULL && check->tops.most != NULL &&
           check->tops.owner != NULL && check->tops.top_owner != NULL;
}

/* Numbers the stretches between all births and deaths. */
static void number_times(struct check *check)
{
    for (uint32_t i = 0; i < check->count; i++) {
        check->keys[2 * (size_t)i] = (struct place_key){check->blocks[i].birth, 2 * i};
        check->keys[2 * (size_t)i + 1] = (struct place_key){check->blocks[i].death, 2 * i + 1};
    }
    place_sort(check->keys, check->spare, 2 * (size_t)check->count);
    uint32_t stretch = 0;
    for (size_t i = 0; i < 2 * (size_t)check->count; i++) {
        stretch += i != 0 && check->keys[i].key != check->keys[i - 1].key;
        const uint32_t index = check->keys[i].index;
        (index % 2 == 0 ? check->first : check->end)[index / 2] = stretch;
    }
}

static enum zv_status sweep(struct check *check, uint64_t *height, struct zv_error *err)
{
    for (uint32_t i = 0; i < check->count; i++) {
        check->keys[i] = (struct place_key){check->blocks[i].offset, i};
    }
    place_sort(check->keys, check->spare, check->count);
    for (uint32_t i = 0; i < check->count; i++) {
        const uint32_t at = check->keys[i].index;
        const struct zv_place_block *const block = &check->blocks[at];
        uint64_t top = 0;
        if (block->death <= block->birth || !zv_add(block->offset, block->bytes, &top)) {
            return zv_fail(err, ZV_E_OVERFLOW, "block %u: no life, or its end is past 2^64", at);
        }
        if (block->alignment > 1 && block->offset % block->alignment != 0) {
            return zv_fail(err, ZV_E_BUG, "block %u: %llu is no multiple of %llu", at,
                           (unsigned long long)block->offset, (unsigned long long)block->alignment);
        }
        const struct seen seen = highest(&check->tops, check->first[at], check->end[at]);
        if (seen.top > block->offset) {
            return zv_fail(err, ZV_E_BUG, "blocks %u and %u share bytes from %llu while both live",
                           seen.owner, at, (unsigned long long)block->offset);
        }
        put(&check->tops, check->first[at], check->end[at], top, at);
        *height = top > *height ? top : *height;
    }
    return ZV_OK;
}

enum zv_status zv_place_check(const struct zv_place_block *blocks, size_t count,
                              uint64_t *height_bytes, struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct check check = {.blocks = blocks, .count = (uint32_t)count};
    *height_bytes = 0;
    if (count > ZV_PLACE_MAX_BLOCKS) {
        return zv_fail(err, ZV_E_LIMIT, "%zu blocks: at most 2^26", count);
    }
    enum zv_status status = make(&check, &arena) ? ZV_OK : zv_fail_memory(err, "a check");
    if (status == ZV_OK) {
        number_times(&check);
        status = sweep(&check, height_bytes, err);
    }
    zv_arena_free(&arena);
    return status;
}
