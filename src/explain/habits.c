#include "explain/habits.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "trace/address_map.h"

/* ---- growth ---- */

/* Ends of optimizer steps as events; the last ones when there are many. */
static size_t find_steps(const struct zv_record *record, size_t to[ZV_HABIT_INSTANTS])
{
    const struct zv_trace *const trace = &record->trace;
    const struct zv_trace_device *const device = zv_record_device(record);
    size_t count = 0;
    size_t at = 0;
    for (size_t i = 0; i < trace->annotation_count; i++) {
        const struct zv_trace_annotation *const annotation = &trace->annotations[i];
        if (!annotation->is_end || annotation->device != record->device ||
            !zv_slice_starts(zv_trace_text(trace, annotation->name), "Optimizer.step")) {
            continue;
        }
        while (at < device->event_count && device->events[at].time_us <= annotation->time_us) {
            at++;
        }
        if (count == ZV_HABIT_INSTANTS) {
            memmove(to, to + 1, (ZV_HABIT_INSTANTS - 1) * sizeof *to);
            count--;
        }
        to[count++] = at;
    }
    return count;
}

static void choose_instants(struct zv_habits *habits, const struct zv_record *record)
{
    enum { QUARTERS = 4, LEAST_STEPS = 3 };
    const size_t events = zv_record_device(record)->event_count;
    habits->instant_count = find_steps(record, habits->instants);
    habits->by_steps = habits->instant_count >= LEAST_STEPS;
    for (size_t i = 0; i < QUARTERS && !habits->by_steps; i++) {
        habits->instants[i] = events * (i + 1) / QUARTERS;
        habits->instant_count = QUARTERS;
    }
}

static int by_growth(const void *a, const void *b)
{
    const struct zv_growing *const left = a;
    const struct zv_growing *const right = b;
    const uint64_t x = left->bytes[ZV_HABIT_INSTANTS - 1] - left->bytes[0];
    const uint64_t y = right->bytes[ZV_HABIT_INSTANTS - 1] - right->bytes[0];
    if (x != y) {
        return x > y ? -1 : 1;
    }
    const size_t length =
        left->label.length < right->label.length ? left->label.length : right->label.length;
    return length == 0 ? 0 : memcmp(left->label.at, right->label.at, length);
}

static uint64_t bytes_of(const struct zv_groups *groups, struct zv_slice label)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (zv_slice_same(groups->at[i].label, label)) {
            return groups->at[i].bytes;
        }
    }
    return 0;
}

/* Candidates are who holds most at the end; the others cannot have grown by much. */
static enum zv_status find_growth(struct zv_habits *habits, const struct zv_record *record,
                                  struct zv_arena *arena, struct zv_error *err)
{
    enum { CANDIDATES = 200 };
    struct zv_groups groups[ZV_HABIT_INSTANTS] = {0};
    for (size_t i = 0; i < habits->instant_count; i++) {
        struct zv_heap heap;
        enum zv_status status = zv_heap_at(&heap, record, habits->instants[i], arena, err);
        if (status == ZV_OK) {
            status = zv_groups_make(&groups[i], record, &heap,
                                    (struct zv_grouping){.by = ZV_GROUP_FRAME}, arena, err);
        }
        if (status != ZV_OK) {
            return status;
        }
    }
    const struct zv_groups *const last = &groups[habits->instant_count - 1];
    const size_t count = last->count < CANDIDATES ? last->count : CANDIDATES;
    habits->growing = zv_arena_array(arena, count, sizeof *habits->growing);
    if (habits->growing == NULL) {
        return zv_fail_memory(err, "habits");
    }
    for (size_t i = 0; i < count; i++) {
        struct zv_growing one = {.label = last->at[i].label, .bytes = {0}};
        bool grows = true;
        for (size_t j = 0; j < habits->instant_count; j++) {
            one.bytes[j] = bytes_of(&groups[j], one.label);
            grows = grows && (j == 0 || one.bytes[j] > one.bytes[j - 1]);
        }
        one.bytes[ZV_HABIT_INSTANTS - 1] = last->at[i].bytes;
        if (grows) {
            habits->growing[habits->growing_count++] = one;
        }
    }
    qsort(habits->growing, habits->growing_count, sizeof *habits->growing, by_growth);
    return ZV_OK;
}

/* ---- late frees ---- */

/* Who allocated what was freed late, by frame of the user's code; in the arena. */
struct late_sums {
    const uint32_t *users;
    uint64_t *bytes; /* by frame */
    uint64_t *frees;
};

static bool begin_sums(struct late_sums *sums, const struct zv_trace *trace, struct zv_arena *arena)
{
    sums->users = zv_user_frames(trace, arena);
    sums->bytes = zv_arena_array(arena, trace->frame_count, sizeof *sums->bytes);
    sums->frees = zv_arena_array(arena, trace->frame_count, sizeof *sums->frees);
    return sums->users != NULL && sums->bytes != NULL && sums->frees != NULL;
}

/* The frames with most bytes, which are taken out of the sums. */
static bool rank_late(struct zv_habits *habits, const struct late_sums *sums,
                      const struct zv_trace *trace, struct zv_arena *arena)
{
    while (habits->late_count < ZV_HABIT_LATE) {
        size_t best = 0;
        for (size_t i = 0; i < trace->frame_count; i++) {
            best = sums->bytes[i] > sums->bytes[best] ? i : best;
        }
        if (sums->bytes[best] == 0) {
            break;
        }
        const char *const label = zv_frame_label(trace, (uint32_t)best, arena);
        if (label == NULL) {
            return false;
        }
        habits->late[habits->late_count++] =
            (struct zv_late){zv_slice_of(label), sums->bytes[best], sums->frees[best]};
        sums->bytes[best] = 0;
    }
    return true;
}

struct waits {
    struct address_map since;  /* event of a free that waits, from 1 */
    struct address_map stacks; /* of live blocks */
    struct late_sums sums;
    uint64_t bytes; /* that wait */
};

static void end_wait(struct zv_habits *habits, struct waits *waits,
                     const struct zv_trace_event *event, size_t at, uint64_t size)
{
    const uint32_t since = address_map_take(&waits->since, event->address);
    const uint32_t frame = waits->sums.users[address_map_take(&waits->stacks, event->address)];
    const size_t waited = since != 0 ? at - (since - 1) : 0;
    if (waited > 1) {
        habits->late_frees++;
        waits->sums.bytes[frame] += size;
        waits->sums.frees[frame]++;
        habits->late_longest = waited > habits->late_longest ? waited : habits->late_longest;
        habits->late_peak_bytes =
            waits->bytes > habits->late_peak_bytes ? waits->bytes : habits->late_peak_bytes;
    }
    waits->bytes -= since != 0 && size <= waits->bytes ? size : 0;
}

static bool find_late_frees(struct zv_habits *habits, const struct zv_record *record,
                            struct zv_arena *arena)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    struct waits waits = {.bytes = 0};
    bool fine = begin_sums(&waits.sums, &record->trace, arena);
    for (size_t i = 0; i < device->event_count && fine; i++) {
        const struct zv_trace_event *const event = &device->events[i];
        const uint64_t size = record->rules.round(record->rules.context, event->bytes);
        if (event->action == ZV_TRACE_ALLOC && event->stack != 0) {
            fine = address_map_put(&waits.stacks, event->address, event->stack);
        } else if (event->action == ZV_TRACE_FREE_REQUESTED) {
            fine = address_map_put(&waits.since, event->address, (uint32_t)i + 1);
            waits.bytes += size;
        } else if (event->action == ZV_TRACE_FREE_COMPLETED) {
            end_wait(habits, &waits, event, i, size);
        }
    }
    address_map_free(&waits.since);
    address_map_free(&waits.stacks);
    return fine && rank_late(habits, &waits.sums, &record->trace, arena);
}

/* ---- segments that never empty ---- */

struct tally {
    uint64_t live; /* blocks */
    bool was_empty;
};

static size_t segment_at(const struct zv_heap *heap, uint64_t address)
{
    size_t low = 0;
    size_t high = heap->segment_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zv_trace_segment *const segment = &heap->segments[middle].facts;
        if (segment->address + segment->bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < heap->segment_count && heap->segments[low].facts.address <= address
               ? low
               : heap->segment_count;
}

/* Backwards from the end, where every segment and its blocks are known. */
static enum zv_status find_pinned(struct zv_habits *habits, const struct zv_record *record,
                                  struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    struct zv_heap heap;
    const enum zv_status status = zv_heap_at(&heap, record, device->event_count, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    struct tally *const tallies = zv_arena_array(arena, heap.segment_count + 1, sizeof *tallies);
    if (tallies == NULL) {
        return zv_fail_memory(err, "habits");
    }
    for (size_t i = 0; i < heap.block_count; i++) {
        tallies[heap.blocks[i].segment].live += heap.blocks[i].state != ZV_BLOCK_FREE;
    }
    for (size_t i = 0; i < heap.segment_count; i++) {
        tallies[i].was_empty = tallies[i].live == 0 || heap.segments[i].facts.is_expandable;
    }
    for (size_t i = device->event_count; i != 0; i--) {
        const struct zv_trace_event *const event = &device->events[i - 1];
        struct tally *const tally = &tallies[segment_at(&heap, event->address)];
        if (event->action == ZV_TRACE_ALLOC) {
            tally->live -= tally->live != 0;
            tally->was_empty = tally->was_empty || tally->live == 0;
        } else if (event->action == ZV_TRACE_FREE_COMPLETED) {
            tally->live++;
        } else if (event->action == ZV_TRACE_SEGMENT_ALLOC) {
            tally->was_empty = true; /* it came during the record */
        }
    }
    for (size_t i = 0; i < heap.segment_count; i++) {
        if (!tallies[i].was_empty) {
            habits->pinned_segments++;
            habits->pinned_bytes += heap.segments[i].facts.bytes;
            habits->pinned_live_bytes += heap.segments[i].live_bytes;
        }
    }
    for (size_t i = 0; i < heap.block_count; i++) { /* only who holds those */
        if (tallies[heap.blocks[i].segment].was_empty) {
            heap.blocks[i].state = ZV_BLOCK_FREE;
        }
    }
    return zv_groups_make(&habits->pinned_by, record, &heap,
                          (struct zv_grouping){.by = ZV_GROUP_FRAME}, arena, err);
}

enum zv_status zv_habits_make(struct zv_habits *habits, const struct zv_record *record,
                              struct zv_arena *arena, struct zv_error *err)
{
    *habits = (struct zv_habits){.known = record->trace.known};
    if (record->trace.source != ZV_TRACE_FROM_SNAPSHOT || !record->has_history) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "habits need a memory snapshot with a history");
    }
    choose_instants(habits, record);
    if (!find_late_frees(habits, record, arena)) {
        return zv_fail_memory(err, "habits");
    }
    const enum zv_status status = find_growth(habits, record, arena, err);
    return status == ZV_OK ? find_pinned(habits, record, arena, err) : status;
}
