#include "report/view_arrays.h"

#include "base/fail.h"
#include "base/memory.h"

static uint64_t unit_of(const struct zv_lives *lives)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < lives->block_count; i++) {
        bits |= lives->blocks[i].address | lives->blocks[i].bytes;
    }
    for (size_t i = 0; i < lives->span_count; i++) {
        bits |= lives->spans[i].address | lives->spans[i].bytes;
    }
    return bits == 0 ? 1 : bits & (0 - bits);
}

/* An instant that comes after another one, or never. */
static void put_later(struct html_array *array, uint32_t instant, uint32_t after)
{
    html_array_number(array, instant == ZV_LIFE_ON ? 0 : (uint64_t)instant - after + 1);
}

static size_t write_blocks(struct html_page *page, const struct zv_lives *lives, uint64_t unit)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    uint64_t address = 0;
    for (size_t i = 0; i < lives->block_count; i++) {
        const struct zv_life *const life = &lives->blocks[i];
        html_array_number(&array, (life->address - address) / unit);
        html_array_number(&array, life->bytes / unit);
        html_array_difference(&array, (int64_t)(life->bytes - life->requested_bytes));
        html_array_number(&array, life->born);
        put_later(&array, life->freed, life->born);
        put_later(&array, life->died, life->freed != ZV_LIFE_ON ? life->freed : life->born);
        html_array_number(&array, life->stack);
        html_array_number(&array, life->stream);
        address = life->address;
    }
    html_array_end(&array);
    return number;
}

static size_t write_spans(struct html_page *page, const struct zv_lives *lives, uint64_t unit)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    uint64_t address = 0;
    for (size_t i = 0; i < lives->span_count; i++) {
        const struct zv_span *const span = &lives->spans[i];
        html_array_number(&array, (span->address - address) / unit);
        html_array_number(&array, span->bytes / unit);
        html_array_number(&array, span->born);
        put_later(&array, span->died, span->born);
        html_array_number(&array, span->stream);
        html_array_number(&array, (span->is_small ? 1U : 0U) | (span->is_expandable ? 2U : 0U));
        address = span->address;
    }
    html_array_end(&array);
    return number;
}

/* A line that is not known is 0, any other one more. */
static size_t write_frames(struct html_page *page, const struct zv_trace *trace)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    for (size_t i = 0; i < trace->frame_count; i++) {
        const struct zv_trace_frame *const frame = &trace->frames[i];
        html_array_number(&array, frame->file);
        html_array_number(&array, frame->name);
        html_array_number(&array, frame->line + 1);
    }
    html_array_end(&array);
    return number;
}

static size_t write_stacks(struct html_page *page, const struct zv_trace *trace,
                           const uint32_t *users)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    for (size_t i = 0; i < trace->stack_count; i++) {
        html_array_number(&array, trace->stacks[i].outer);
        html_array_number(&array, trace->stacks[i].frame);
        html_array_number(&array, users[i]);
    }
    html_array_end(&array);
    return number;
}

static size_t write_roles(struct html_page *page, const struct zv_trace *trace,
                          const uint8_t *roles)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    for (size_t i = 0; i < trace->stack_count; i++) {
        html_array_number(&array, roles[i]);
    }
    html_array_end(&array);
    return number;
}

/* Of each block the text of the annotation in which it was allocated: what event i did is there at
 * instant i + 1. */
static size_t write_scopes(struct html_page *page, const struct zv_lives *lives,
                           const uint32_t *scopes)
{
    struct html_array array;
    const size_t number = html_array_begin(&array, page);
    for (size_t i = 0; i < lives->block_count; i++) {
        const uint32_t born = lives->blocks[i].born;
        html_array_number(&array, born != 0 ? scopes[born - 1] : 0);
    }
    html_array_end(&array);
    return number;
}

/* Time never runs back on the axis: a clock that did holds still. */
static enum zv_status write_times(struct html_page *page, struct view_arrays *arrays,
                                  const struct zv_trace_device *device, struct zv_error *err)
{
    uint64_t last = 0;
    const uint64_t first = device->event_count != 0 ? device->events[0].time_us : 0;
    if (first == 0) {
        return ZV_OK;
    }
    uint64_t *const times = zv_memory_alloc((device->event_count + 1) * sizeof *times);
    if (times == NULL) {
        return zv_fail_memory(err, "times");
    }
    times[0] = 0;
    for (size_t i = 0; i < device->event_count; i++) {
        const uint64_t time = device->events[i].time_us;
        last = time > first && time - first > last && time - first < UINT64_C(1) << 52
                   ? time - first
                   : last;
        times[i + 1] = last;
    }
    arrays->has_times = true;
    arrays->times = (struct html_series){.name = "time", .role = "time"};
    html_series_write(page, &arrays->times, times, device->event_count + 1);
    zv_memory_free(times);
    return ZV_OK;
}

enum zv_status view_arrays_write(struct html_page *page, struct view_arrays *arrays,
                                 const struct zv_record *record, const struct zv_lives *lives,
                                 const struct view_labels *labels, struct zv_error *err)
{
    *arrays = (struct view_arrays){.unit = unit_of(lives)};
    arrays->blocks = write_blocks(page, lives, arrays->unit);
    arrays->spans = write_spans(page, lives, arrays->unit);
    arrays->frames = write_frames(page, &record->trace);
    arrays->stacks = write_stacks(page, &record->trace, labels->users);
    arrays->roles = write_roles(page, &record->trace, labels->roles);
    if (labels->scopes != NULL) {
        arrays->scopes = write_scopes(page, lives, labels->scopes);
    }
    return write_times(page, arrays, zv_record_device(record), err);
}
