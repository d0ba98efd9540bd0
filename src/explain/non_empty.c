#include "explain/non_empty.h"

#include <string.h>

#include "base/fail.h"
#include "place/sort.h"

/*
 * Births and deaths of blocks and spans in the order of instants; of one instant, blocks die before
 * spans, and spans are born before blocks.
 */
enum step { BLOCK_DIES, SPAN_DIES, SPAN_BORN, BLOCK_BORN, STEP_COUNT };

struct sweep {
    const struct zv_lives *lives;
    struct place_key *keys; /* instant and step; block or span */
    size_t key_count;
    uint32_t *present; /* spans by address */
    size_t present_count;
    uint32_t *held; /* blocks by span */
    uint64_t bytes;
    uint32_t last_death; /* instant when a span died last */
};

static void add_key(struct sweep *sweep, uint32_t instant, enum step step, size_t index)
{
    if (instant != ZV_LIFE_ON) {
        sweep->keys[sweep->key_count++] =
            (struct place_key){(uint64_t)instant * STEP_COUNT + step, (uint32_t)index};
    }
}

static bool make_keys(struct sweep *sweep, struct zv_arena *arena)
{
    const struct zv_lives *const lives = sweep->lives;
    const size_t most = 2 * (lives->block_count + lives->span_count);
    sweep->keys = zv_arena_array(arena, most, sizeof *sweep->keys);
    struct place_key *const spare = zv_arena_array(arena, most, sizeof *spare);
    sweep->present = zv_arena_array(arena, lives->span_count + 1, sizeof *sweep->present);
    sweep->held = zv_arena_array(arena, lives->span_count, sizeof *sweep->held);
    if (sweep->keys == NULL || spare == NULL || sweep->present == NULL || sweep->held == NULL) {
        return false;
    }
    for (size_t i = 0; i < lives->block_count; i++) {
        if (lives->blocks[i].born < lives->blocks[i].died) {
            add_key(sweep, lives->blocks[i].born, BLOCK_BORN, i);
            add_key(sweep, lives->blocks[i].died, BLOCK_DIES, i);
        }
    }
    for (size_t i = 0; i < lives->span_count; i++) {
        if (lives->spans[i].born < lives->spans[i].died) {
            add_key(sweep, lives->spans[i].born, SPAN_BORN, i);
            add_key(sweep, lives->spans[i].died, SPAN_DIES, i);
        }
    }
    place_sort(sweep->keys, spare, sweep->key_count);
    return true;
}

/* The first span present that ends after address. */
static size_t present_after(const struct sweep *sweep, uint64_t address)
{
    size_t low = 0;
    size_t high = sweep->present_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zv_span *const span = &sweep->lives->spans[sweep->present[middle]];
        if (span->address + span->bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What an unmap leaves of a mapped piece is a piece of its own and keeps the blocks in it. */
static uint32_t count_held(const struct sweep *sweep, const struct zv_span *span)
{
    const struct zv_lives *const lives = sweep->lives;
    const bool is_rest = span->is_expandable && span->born == sweep->last_death;
    uint32_t count = 0;
    for (size_t i = 0; is_rest && i < lives->block_count; i++) {
        const struct zv_life *const life = &lives->blocks[i];
        count += life->address < span->address + span->bytes &&
                 life->address + life->bytes > span->address && life->born < span->born &&
                 life->died > span->born;
    }
    return count;
}

static void add_span(struct sweep *sweep, uint32_t index)
{
    const struct zv_span *const span = &sweep->lives->spans[index];
    const size_t at = present_after(sweep, span->address);
    memmove(&sweep->present[at + 1], &sweep->present[at],
            (sweep->present_count - at) * sizeof *sweep->present);
    sweep->present[at] = index;
    sweep->present_count++;
    sweep->held[index] = count_held(sweep, span);
    sweep->bytes += sweep->held[index] != 0 ? span->bytes : 0;
}

static void drop_span(struct sweep *sweep, uint32_t index)
{
    const struct zv_span *const span = &sweep->lives->spans[index];
    const size_t at = present_after(sweep, span->address);
    sweep->last_death = span->died;
    if (at < sweep->present_count && sweep->present[at] == index) {
        sweep->present_count--;
        memmove(&sweep->present[at], &sweep->present[at + 1],
                (sweep->present_count - at) * sizeof *sweep->present);
        sweep->bytes -= sweep->held[index] != 0 ? span->bytes : 0;
        sweep->held[index] = 0;
    }
}

/* A block comes to or leaves the spans it lies in. */
static void change(struct sweep *sweep, const struct zv_life *life, bool born)
{
    const uint64_t end = life->address + life->bytes;
    for (size_t at = present_after(sweep, life->address); at < sweep->present_count; at++) {
        const uint32_t index = sweep->present[at];
        const struct zv_span *const span = &sweep->lives->spans[index];
        if (span->address >= end) {
            return;
        }
        if (born) {
            sweep->bytes += sweep->held[index]++ == 0 ? span->bytes : 0;
        } else if (sweep->held[index] != 0) {
            sweep->bytes -= --sweep->held[index] == 0 ? span->bytes : 0;
        }
    }
}

static void take(struct sweep *sweep, const struct place_key *key)
{
    const struct zv_lives *const lives = sweep->lives;
    switch ((enum step)(key->key % STEP_COUNT)) {
    case BLOCK_DIES:
        change(sweep, &lives->blocks[key->index], false);
        break;
    case SPAN_DIES:
        drop_span(sweep, key->index);
        break;
    case SPAN_BORN:
        add_span(sweep, key->index);
        break;
    case BLOCK_BORN:
        change(sweep, &lives->blocks[key->index], true);
        break;
    case STEP_COUNT:
        break;
    }
}

enum zv_status non_empty_peak(struct zv_placement *placement, const struct zv_lives *lives,
                              struct zv_arena *arena, struct zv_error *err)
{
    struct sweep sweep = {.lives = lives};
    if (!make_keys(&sweep, arena)) {
        return zv_fail_memory(err, "a placement");
    }
    for (size_t i = 0; i < lives->span_count; i++) {
        placement->has_expandable |= lives->spans[i].is_expandable;
    }
    for (size_t i = 0; i < sweep.key_count; i++) {
        const uint64_t instant = sweep.keys[i].key / STEP_COUNT;
        take(&sweep, &sweep.keys[i]);
        const bool is_last =
            i + 1 == sweep.key_count || sweep.keys[i + 1].key / STEP_COUNT != instant;
        if (is_last && sweep.bytes > placement->non_empty_bytes) {
            placement->non_empty_bytes = sweep.bytes;
            placement->non_empty_event = (size_t)instant;
        }
    }
    return ZV_OK;
}
