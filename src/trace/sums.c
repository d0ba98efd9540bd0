#include "trace/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#define SUMS_STRAY   UINT64_MAX          /* the event contradicts the end state */
#define LARGEST_REST (UINT64_C(1) << 20) /* of a large block that is not split off */

static bool is_alloc(const struct zv_trace_event *event)
{
    return event->action == ZV_TRACE_ALLOC;
}

static void less(uint64_t *sum, uint64_t bytes)
{
    *sum -= bytes < *sum ? bytes : *sum;
}

static void more(uint64_t *sum, uint64_t bytes)
{
    *sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
}

/* ---- sizes, backwards from the end ---- */

static bool note_end(const struct zv_trace *trace, const struct zv_trace_device *device,
                     struct address_map *map)
{
    bool fine = true;
    for (size_t i = 0; i < device->segment_count && fine; i++) {
        const struct zv_trace_segment *const segment = &device->segments[i];
        for (uint32_t j = 0; j < segment->block_count && fine; j++) {
            const uint32_t at = segment->first_block + j;
            fine = trace->blocks[at].state == ZV_BLOCK_FREE ||
                   address_map_put(map, trace->blocks[at].address, at + 2);
        }
    }
    return fine;
}

/* In map 1 stands for a block that a later free gave back, others for a block of the end. */
static bool find_sizes(struct zv_trace_sums *sums, const struct zv_trace *trace)
{
    const struct zv_trace_device *const device = sums->device;
    struct address_map map = {0};
    bool fine = note_end(trace, device, &map);
    for (size_t i = device->event_count; i != 0 && fine; i--) {
        const struct zv_trace_event *const event = &device->events[i - 1];
        uint64_t *const size = &sums->sizes[i - 1];
        *size = 0;
        if (is_alloc(event)) {
            const uint32_t at = address_map_take(&map, event->address);
            *size = at == 0 ? SUMS_STRAY : at == 1 ? 0 : trace->blocks[at - 2].bytes;
        } else if (event->action == ZV_TRACE_FREE_COMPLETED) {
            *size = address_map_get(&map, event->address) != 0 ? SUMS_STRAY : 0;
            fine = *size != 0 || address_map_put(&map, event->address, 1);
        }
    }
    address_map_free(&map);
    return fine;
}

/* ---- places ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static bool has_place(const struct zv_trace_event *event)
{
    return is_alloc(event) || event->action == ZV_TRACE_SEGMENT_ALLOC;
}

static bool find_places(struct zv_trace_sums *sums, const struct zv_trace_start *state)
{
    const struct zv_trace_device *const device = sums->device;
    const size_t most =
        state->segment_count + state->block_count + state->loose_count + device->event_count;
    sums->places = zv_memory_alloc((most + 1) * sizeof *sums->places);
    sums->ends = zv_memory_alloc((most + 1) * sizeof *sums->ends);
    if (sums->places == NULL || sums->ends == NULL) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < state->segment_count; i++) {
        sums->places[count++] = state->segments[i].address;
    }
    for (size_t i = 0; i < state->block_count; i++) {
        sums->places[count++] = state->blocks[i].address;
    }
    for (size_t i = 0; i < state->loose_count; i++) {
        sums->places[count++] = state->loose[i].address;
    }
    for (size_t i = 0; i < device->event_count; i++) {
        if (has_place(&device->events[i])) {
            sums->places[count++] = device->events[i].address;
        }
    }
    qsort(sums->places, count, sizeof *sums->places, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || sums->places[i] != sums->places[i - 1]) {
            sums->places[sums->place_count++] = sums->places[i];
        }
    }
    return true;
}

/* Of an address that is among them. */
static size_t place_of(const struct zv_trace_sums *sums, uint64_t address)
{
    size_t low = 0;
    size_t high = sums->place_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sums->places[middle] < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- blocks and segments ---- */

static bool add_block(struct zv_trace_sums *sums, uint64_t address, const struct sums_block *block)
{
    sums->table[sums->count] = *block;
    index_set_add(&sums->blocks, place_of(sums, address));
    more(&sums->active_bytes, block->bytes);
    more(&sums->allocated_bytes, block->is_pending ? 0 : block->bytes);
    more(&sums->requested_bytes, block->requested_bytes);
    more(&sums->reserved_bytes, block->is_loose ? block->bytes : 0);
    return address_map_put(&sums->live, address, (uint32_t)++sums->count);
}

static void add_segment(struct zv_trace_sums *sums, uint64_t address, uint64_t bytes)
{
    const size_t place = place_of(sums, address);
    sums->ends[place] = address + bytes;
    index_set_add(&sums->segments, place);
}

/* What is behind a block in its segment, up to the next one or the end; 0 in no segment. */
static uint64_t gap_behind(const struct zv_trace_sums *sums, uint64_t address, uint64_t bytes)
{
    const size_t place = place_of(sums, address);
    const size_t segment = index_set_at_or_below(&sums->segments, place);
    const size_t next = index_set_above(&sums->blocks, place);
    if (segment == INDEX_SET_NONE || address >= sums->ends[segment]) {
        return 0;
    }
    const uint64_t end = next != INDEX_SET_NONE && sums->places[next] < sums->ends[segment]
                             ? sums->places[next]
                             : sums->ends[segment];
    return bytes < end - address ? end - address - bytes : 0;
}

static uint64_t size_of(const struct zv_trace_sums *sums, const struct zv_trace_event *event)
{
    const uint64_t rounded = sums->rules.round(sums->rules.context, event->bytes);
    if (rounded <= LARGEST_REST) { /* a small segment: everything is split off */
        return rounded;
    }
    const uint64_t gap = gap_behind(sums, event->address, rounded);
    return gap <= LARGEST_REST || rounded >= sums->rules.max_split_bytes ? rounded + gap : rounded;
}

static bool take_alloc(struct zv_trace_sums *sums, const struct zv_trace_event *event,
                       uint64_t known)
{
    const struct sums_block block = {.bytes = known != 0 ? known : size_of(sums, event),
                                     .requested_bytes = event->bytes};
    return known == SUMS_STRAY || add_block(sums, event->address, &block);
}

static void request_free(struct zv_trace_sums *sums, uint64_t address)
{
    const uint32_t at = address_map_get(&sums->live, address);
    struct sums_block *const block = at != 0 ? &sums->table[at - 1] : NULL;
    if (block != NULL && !block->is_pending) {
        block->is_pending = true;
        less(&sums->allocated_bytes, block->bytes);
    }
}

static void complete_free(struct zv_trace_sums *sums, uint64_t address)
{
    request_free(sums, address);
    const uint32_t at = address_map_take(&sums->live, address);
    if (at != 0) {
        const struct sums_block *const block = &sums->table[at - 1];
        less(&sums->active_bytes, block->bytes);
        less(&sums->requested_bytes, block->requested_bytes);
        less(&sums->reserved_bytes, block->is_loose ? block->bytes : 0);
        index_set_remove(&sums->blocks, place_of(sums, address));
    }
}

static void free_segment(struct zv_trace_sums *sums, const struct zv_trace_event *event)
{
    const size_t place = place_of(sums, event->address);
    less(&sums->reserved_bytes, event->bytes);
    if (place < sums->place_count && sums->places[place] == event->address) {
        index_set_remove(&sums->segments, place);
    }
}

bool zv_trace_sums_step(struct zv_trace_sums *sums, struct zv_error *err)
{
    const struct zv_trace_event *const event = &sums->device->events[sums->at];
    const uint64_t known = sums->sizes[sums->at];
    bool fine = true;
    sums->at++;
    switch ((enum zv_trace_action)event->action) {
    case ZV_TRACE_ALLOC:
        fine = take_alloc(sums, event, known);
        break;
    case ZV_TRACE_FREE_REQUESTED:
        request_free(sums, event->address);
        break;
    case ZV_TRACE_FREE_COMPLETED:
        if (known != SUMS_STRAY) {
            complete_free(sums, event->address);
        }
        break;
    case ZV_TRACE_SEGMENT_ALLOC:
        add_segment(sums, event->address, event->bytes);
        more(&sums->reserved_bytes, event->bytes);
        break;
    case ZV_TRACE_SEGMENT_FREE:
        free_segment(sums, event);
        break;
    case ZV_TRACE_SEGMENT_MAP:
        more(&sums->reserved_bytes, event->bytes);
        break;
    case ZV_TRACE_SEGMENT_UNMAP:
        less(&sums->reserved_bytes, event->bytes);
        break;
    case ZV_TRACE_OOM:
    case ZV_TRACE_SNAPSHOT:
    case ZV_TRACE_OTHER:
    case ZV_TRACE_ACTION_COUNT:
        break;
    }
    if (!fine) {
        (void)zv_fail_memory(err, "the sums of a record");
    }
    return fine;
}

/* ---- the beginning ---- */

static bool load(struct zv_trace_sums *sums, const struct zv_trace_start *state)
{
    const size_t most = state->block_count + state->loose_count + sums->device->event_count;
    bool fine = find_places(sums, state) && index_set_open(&sums->blocks, sums->place_count) &&
                index_set_open(&sums->segments, sums->place_count);
    sums->table = zv_memory_alloc((most + 1) * sizeof *sums->table);
    fine = fine && sums->table != NULL;
    sums->reserved_bytes = state->reserved_bytes;
    for (size_t i = 0; i < state->segment_count && fine; i++) {
        if (!state->segments[i].is_expandable) {
            add_segment(sums, state->segments[i].address, state->segments[i].bytes);
        }
    }
    for (size_t i = 0; i < state->block_count + state->loose_count && fine; i++) {
        const bool is_loose = i >= state->block_count;
        const struct zv_trace_block *const from =
            is_loose ? &state->loose[i - state->block_count] : &state->blocks[i];
        const struct sums_block block = {from->bytes, from->requested_bytes,
                                         from->state == ZV_BLOCK_PENDING, is_loose};
        fine = add_block(sums, from->address, &block);
    }
    return fine;
}

enum zv_status zv_trace_sums_open(struct zv_trace_sums *sums, const struct zv_trace *trace,
                                  size_t device, const struct zv_trace_start *start,
                                  const struct zv_trace_rules *rules, struct zv_error *err)
{
    *sums = (struct zv_trace_sums){.device = &trace->devices[device], .rules = *rules};
    sums->sizes = zv_memory_alloc((sums->device->event_count + 1) * sizeof *sums->sizes);
    return sums->sizes != NULL && find_sizes(sums, trace) && load(sums, start)
               ? ZV_OK
               : zv_fail_memory(err, "the sums of a record");
}

void zv_trace_sums_close(struct zv_trace_sums *sums)
{
    index_set_free(&sums->blocks);
    index_set_free(&sums->segments);
    address_map_free(&sums->live);
    zv_memory_free(sums->sizes);
    zv_memory_free(sums->places);
    zv_memory_free(sums->ends);
    zv_memory_free(sums->table);
    *sums = (struct zv_trace_sums){0};
}
