#include "explain/lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "explain/series.h"
#include "trace/address_map.h"

#define SMALL_SEGMENT (UINT64_C(2) << 20)

struct builder {
    const struct zv_record *record;
    struct zv_lives *lives;
    size_t block_capacity;
    size_t span_capacity;
    struct address_map live;  /* block + 1 by address */
    struct address_map whole; /* span + 1 of segments from cudaMalloc */
    uint32_t *mapped;         /* spans of expandable segments that are there, by address */
    size_t mapped_count;
    size_t mapped_capacity;
    uint64_t last_allocated;
    bool failed; /* host memory is short */
};

/* Room for one more. */
static bool reserve(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t grown = *capacity == 0 ? 1024 : *capacity * 2;
    void *const to = zv_memory_resize(*array, grown * size);
    if (to != NULL) {
        *array = to;
        *capacity = grown;
    }
    return to != NULL;
}

/* ---- blocks ---- */

static void end_block(struct builder *builder, uint64_t address, uint32_t instant)
{
    const uint32_t at = address_map_take(&builder->live, address);
    if (at != 0) {
        struct zv_life *const life = &builder->lives->blocks[at - 1];
        life->died = instant;
        life->freed = life->freed < instant ? life->freed : instant;
    }
}

static void add_block(struct builder *builder, const struct zv_life *life)
{
    struct zv_lives *const lives = builder->lives;
    void *blocks = lives->blocks;
    end_block(builder, life->address, life->born); /* a record that contradicts itself */
    if (!reserve(&blocks, &builder->block_capacity, lives->block_count, sizeof *life)) {
        builder->failed = true;
        return;
    }
    lives->blocks = blocks;
    lives->blocks[lives->block_count++] = *life;
    builder->failed |=
        !address_map_put(&builder->live, life->address, (uint32_t)lives->block_count);
}

static void born(struct builder *builder, const struct zv_trace_event *event, uint32_t instant,
                 uint64_t grown)
{
    const struct zv_trace_rules *const rules = &builder->record->rules;
    const bool is_block = builder->record->trace.source != ZV_TRACE_FROM_SNAPSHOT;
    const uint64_t rounded = is_block ? event->bytes : rules->round(rules->context, event->bytes);
    add_block(builder, &(struct zv_life){.address = event->address,
                                         .bytes = grown > rounded ? grown : rounded,
                                         .requested_bytes = event->bytes,
                                         .born = instant,
                                         .freed = ZV_LIFE_ON,
                                         .died = ZV_LIFE_ON,
                                         .stack = event->stack,
                                         .stream = event->stream});
}

/* A free of what nobody saw allocated was there before the record. */
static void freed(struct builder *builder, const struct zv_trace_event *event, uint32_t instant)
{
    uint32_t at = address_map_get(&builder->live, event->address);
    if (at == 0) {
        add_block(builder, &(struct zv_life){.address = event->address,
                                             .bytes = event->bytes,
                                             .requested_bytes = event->bytes,
                                             .freed = ZV_LIFE_ON,
                                             .died = ZV_LIFE_ON,
                                             .stream = event->stream});
        at = address_map_get(&builder->live, event->address);
    }
    if (at != 0) {
        builder->lives->blocks[at - 1].freed = instant;
    }
    if (builder->record->trace.source != ZV_TRACE_FROM_SNAPSHOT) {
        end_block(builder, event->address, instant);
    }
}

/* ---- reserved memory ---- */

static uint32_t add_span(struct builder *builder, const struct zv_span *span)
{
    struct zv_lives *const lives = builder->lives;
    void *spans = lives->spans;
    if (!reserve(&spans, &builder->span_capacity, lives->span_count, sizeof *span)) {
        builder->failed = true;
        return 0;
    }
    lives->spans = spans;
    lives->spans[lives->span_count] = *span;
    return (uint32_t)lives->span_count++;
}

/* The first mapped span that ends after address. */
static size_t mapped_after(const struct builder *builder, uint64_t address)
{
    size_t low = 0;
    size_t high = builder->mapped_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct zv_span *const span = &builder->lives->spans[builder->mapped[middle]];
        if (span->address + span->bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void map_span(struct builder *builder, const struct zv_span *span)
{
    void *mapped = builder->mapped;
    const size_t at = mapped_after(builder, span->address);
    if (span->bytes == 0) {
        return;
    }
    if (!reserve(&mapped, &builder->mapped_capacity, builder->mapped_count,
                 sizeof *builder->mapped)) {
        builder->failed = true;
        return;
    }
    builder->mapped = mapped;
    memmove(&builder->mapped[at + 1], &builder->mapped[at],
            (builder->mapped_count - at) * sizeof *builder->mapped);
    builder->mapped[at] = add_span(builder, span);
    builder->mapped_count++;
}

/* What an unmap leaves of a span on either side lives on as a span of its own. */
static void unmap(struct builder *builder, uint64_t from, uint64_t bytes, uint32_t instant)
{
    const uint64_t to = bytes > UINT64_MAX - from ? UINT64_MAX : from + bytes;
    size_t at = mapped_after(builder, from);
    while (at < builder->mapped_count && !builder->failed) {
        struct zv_span rest = builder->lives->spans[builder->mapped[at]];
        const uint64_t end = rest.address + rest.bytes;
        if (rest.address >= to) {
            return;
        }
        builder->lives->spans[builder->mapped[at]].died = instant;
        builder->mapped_count--;
        memmove(&builder->mapped[at], &builder->mapped[at + 1],
                (builder->mapped_count - at) * sizeof *builder->mapped);
        rest.born = instant;
        if (rest.address < from) {
            rest.bytes = from - rest.address;
            map_span(builder, &rest);
            at++;
        }
        if (end > to) {
            rest.address = to;
            rest.bytes = end - to;
            map_span(builder, &rest);
            return;
        }
    }
}

static void end_segment(struct builder *builder, uint64_t address, uint32_t instant)
{
    const uint32_t at = address_map_take(&builder->whole, address);
    if (at != 0) {
        builder->lives->spans[at - 1].died = instant;
    }
}

static void add_segment(struct builder *builder, const struct zv_span *span)
{
    end_segment(builder, span->address, span->born);
    const uint32_t at = add_span(builder, span);
    builder->failed = builder->failed || !address_map_put(&builder->whole, span->address, at + 1);
}

static struct zv_span span_of(const struct zv_trace_event *event, uint32_t instant)
{
    return (struct zv_span){.address = event->address,
                            .bytes = event->bytes,
                            .born = instant,
                            .died = ZV_LIFE_ON,
                            .stream = event->stream,
                            .is_small = event->bytes == SMALL_SEGMENT};
}

/* ---- events ---- */

static void take_event(struct builder *builder, const struct zv_trace_event *event,
                       uint32_t instant, uint64_t grown)
{
    struct zv_span span = span_of(event, instant);
    switch ((enum zv_trace_action)event->action) {
    case ZV_TRACE_ALLOC:
        born(builder, event, instant, grown);
        break;
    case ZV_TRACE_FREE_REQUESTED:
        freed(builder, event, instant);
        break;
    case ZV_TRACE_FREE_COMPLETED:
        end_block(builder, event->address, instant);
        break;
    case ZV_TRACE_SEGMENT_ALLOC:
        add_segment(builder, &span);
        break;
    case ZV_TRACE_SEGMENT_FREE:
        end_segment(builder, event->address, instant);
        break;
    case ZV_TRACE_SEGMENT_MAP:
        span.is_expandable = true;
        map_span(builder, &span);
        break;
    case ZV_TRACE_SEGMENT_UNMAP:
        unmap(builder, event->address, event->bytes, instant);
        break;
    case ZV_TRACE_OOM:
    case ZV_TRACE_SNAPSHOT:
    case ZV_TRACE_OTHER:
    case ZV_TRACE_ACTION_COUNT:
        break;
    }
}

static void note_usage(struct zv_lives *lives, size_t instant, const struct zv_trace_usage *usage)
{
    lives->allocated_bytes[instant] = usage->allocated_bytes;
    lives->active_bytes[instant] = usage->active_bytes;
    lives->reserved_bytes[instant] = usage->reserved_bytes;
}

static void on_usage(void *context, size_t event, const struct zv_trace_usage *usage, bool proved)
{
    struct builder *const builder = context;
    (void)proved;
    const uint64_t grown = usage->allocated_bytes > builder->last_allocated
                               ? usage->allocated_bytes - builder->last_allocated
                               : 0;
    builder->last_allocated = usage->allocated_bytes;
    note_usage(builder->lives, event + 1, usage);
    if (builder->lives->has_addresses && !builder->failed) {
        take_event(builder, &zv_record_device(builder->record)->events[event], (uint32_t)event + 1,
                   grown);
    }
}

static void begin_block(struct builder *builder, const struct zv_trace_block *block,
                        uint16_t stream)
{
    add_block(builder, &(struct zv_life){.address = block->address,
                                         .bytes = block->bytes,
                                         .requested_bytes = block->requested_bytes,
                                         .freed = block->state == ZV_BLOCK_PENDING ? 0 : ZV_LIFE_ON,
                                         .died = ZV_LIFE_ON,
                                         .stack = block->stack,
                                         .stream = stream});
}

/* What was there before the record. */
static void begin(struct builder *builder)
{
    const struct zv_trace_start *const start = &builder->record->start;
    const struct zv_trace_usage usage = series_usage(start);
    for (size_t i = 0; i < start->segment_count && !builder->failed; i++) {
        const struct zv_trace_segment *const segment = &start->segments[i];
        const struct zv_span span = {.address = segment->address,
                                     .bytes = segment->bytes,
                                     .died = ZV_LIFE_ON,
                                     .stream = segment->stream,
                                     .is_small = segment->is_small,
                                     .is_expandable = segment->is_expandable};
        if (span.is_expandable) {
            map_span(builder, &span);
        } else {
            add_segment(builder, &span);
        }
        for (uint32_t j = 0; j < segment->block_count && !builder->failed; j++) {
            begin_block(builder, &start->blocks[segment->first_block + j], segment->stream);
        }
    }
    for (size_t i = 0; i < start->loose_count && !builder->failed; i++) {
        begin_block(builder, &start->loose[i], 0); /* in no segment that is known */
    }
    builder->last_allocated = usage.allocated_bytes;
    note_usage(builder->lives, 0, &usage);
}

/* A profiler's first instant is not recorded: what its first event leaves, without that event. */
static void begin_of_profiler(const struct zv_record *record, struct zv_lives *lives)
{
    const struct zv_trace_device *const device = zv_record_device(record);
    if (record->trace.source == ZV_TRACE_FROM_SNAPSHOT || device->event_count == 0) {
        return;
    }
    const struct zv_trace_event *const first = &device->events[0];
    uint64_t allocated = lives->allocated_bytes[1];
    if (first->action == ZV_TRACE_FREE_REQUESTED) {
        allocated += first->bytes;
    } else if (first->action == ZV_TRACE_ALLOC) {
        allocated -= first->bytes < allocated ? first->bytes : allocated;
    }
    lives->allocated_bytes[0] = allocated;
    lives->active_bytes[0] = allocated;
    lives->reserved_bytes[0] = lives->reserved_bytes[1];
}

static int life_order(const void *a, const void *b)
{
    const struct zv_life *const left = a;
    const struct zv_life *const right = b;
    return left->address != right->address
               ? (left->address > right->address) - (left->address < right->address)
               : (left->born > right->born) - (left->born < right->born);
}

static int span_order(const void *a, const void *b)
{
    const struct zv_span *const left = a;
    const struct zv_span *const right = b;
    return left->address != right->address
               ? (left->address > right->address) - (left->address < right->address)
               : (left->born > right->born) - (left->born < right->born);
}

/* Early profilers and timelines write no addresses: what is freed is told by nothing. */
static bool has_addresses(const struct zv_record *record)
{
    return record->trace.source == ZV_TRACE_FROM_SNAPSHOT ||
           (record->trace.source == ZV_TRACE_FROM_PROFILER &&
            zv_trace_has_addresses(zv_record_device(record)));
}

enum zv_status zv_lives_make(struct zv_lives *lives, const struct zv_record *record,
                             struct zv_error *err)
{
    const size_t events = zv_record_device(record)->event_count;
    *lives = (struct zv_lives){.instant_count = events + 1, .has_addresses = has_addresses(record)};
    if (events > ZV_LIVES_MAX_EVENTS) {
        return zv_fail(err, ZV_E_LIMIT, "%zu events: expected at most %" PRIu64 ", as of a range",
                       events, ZV_LIVES_MAX_EVENTS);
    }
    lives->allocated_bytes = zv_memory_alloc((events + 1) * sizeof(uint64_t));
    lives->active_bytes = zv_memory_alloc((events + 1) * sizeof(uint64_t));
    lives->reserved_bytes = zv_memory_alloc((events + 1) * sizeof(uint64_t));
    if (lives->allocated_bytes == NULL || lives->active_bytes == NULL ||
        lives->reserved_bytes == NULL) {
        return zv_fail_memory(err, "the lives of blocks");
    }
    struct builder builder = {.record = record, .lives = lives};
    begin(&builder);
    enum zv_status status = zv_record_series(record, on_usage, &builder, err);
    address_map_free(&builder.live);
    address_map_free(&builder.whole);
    zv_memory_free(builder.mapped);
    if (status == ZV_OK && builder.failed) {
        status = zv_fail_memory(err, "the lives of blocks");
    }
    if (status == ZV_OK) {
        begin_of_profiler(record, lives);
    }
    if (status == ZV_OK && lives->block_count > 1) {
        qsort(lives->blocks, lives->block_count, sizeof *lives->blocks, life_order);
    }
    if (status == ZV_OK && lives->span_count > 1) {
        qsort(lives->spans, lives->span_count, sizeof *lives->spans, span_order);
    }
    return status;
}

void zv_lives_close(struct zv_lives *lives)
{
    zv_memory_free(lives->blocks);
    zv_memory_free(lives->spans);
    zv_memory_free(lives->allocated_bytes);
    zv_memory_free(lives->active_bytes);
    zv_memory_free(lives->reserved_bytes);
    *lives = (struct zv_lives){0};
}
