#include "explain/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/strmap.h"
#include "explain/frames.h"

const char *const zv_group_words[] = {"stack",  "frame",   "function",   "file",    "role",
                                      "size",   "age",     "annotation", "context", "pool",
                                      "stream", "pattern", NULL};

struct grouping {
    const struct zv_record *record;
    const struct zv_heap *heap;
    enum zv_group_by by;
    const regex_t *pattern;
    struct zv_arena *arena;
    struct zv_groups *groups;
    struct zv_strmap map;
    size_t capacity;
    const uint32_t *users; /* frame of the user's code, by stack */
    uint32_t *scopes;      /* text of the annotation that was open at each block's birth */
};

/* "1 MiB to 2 MiB": the power of two below and above. */
static const char *size_label(struct zv_arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const unsigned power = 63 - (unsigned)__builtin_clzll(bytes | 1);
    return zv_arena_print(arena, "%" PRIu64 " %s and more, less than twice that",
                          UINT64_C(1) << (power % 10), units[power / 10]);
}

static const char *age_label(const struct grouping *grouping, const struct zv_heap_block *block)
{
    if (block->born == ZV_BORN_BEFORE) {
        return "since before the record";
    }
    const size_t age = grouping->heap->event - block->born;
    size_t limit = 10;
    while (limit < age && limit < SIZE_MAX / 10) {
        limit *= 10;
    }
    return zv_arena_print(grouping->arena, "for up to %zu events", limit);
}

static const char *pattern_label(const struct grouping *grouping, uint32_t stack)
{
    const struct zv_trace *const trace = &grouping->record->trace;
    for (; stack != 0; stack = trace->stacks[stack].outer) {
        const char *const text = zv_frame_label(trace, trace->stacks[stack].frame, grouping->arena);
        regmatch_t match;
        if (text != NULL && regexec(grouping->pattern, text, 1, &match, 0) == 0) {
            return zv_arena_copy(grouping->arena, text + match.rm_so,
                                 (size_t)(match.rm_eo - match.rm_so));
        }
    }
    return "(no frame matches)";
}

static const char *pool_label(const struct grouping *grouping, const struct zv_heap_block *block)
{
    const struct zv_trace_segment *const segment = &grouping->heap->segments[block->segment].facts;
    const struct zv_trace_pool *const pool = &grouping->record->trace.pools[segment->pool];
    const char *const kind = segment->is_small ? "small" : "large";
    if (segment->pool == 0) {
        return kind;
    }
    return zv_arena_print(grouping->arena, "private (%" PRIu64 ", %" PRIu64 "), %s", pool->id[0],
                          pool->id[1], kind);
}

static struct zv_slice or_none(struct zv_slice text)
{
    return text.length != 0 ? text : zv_slice_of("(none)");
}

/* at NULL: memory is short. */
static struct zv_slice label_of(const struct grouping *grouping, size_t at)
{
    const struct zv_heap_block *const block = &grouping->heap->blocks[at];
    const struct zv_trace *const trace = &grouping->record->trace;
    const uint32_t frame = grouping->users[block->stack];
    switch (grouping->by) {
    case ZV_GROUP_STACK:
        return zv_slice_of(
            zv_arena_print(grouping->arena, "stack %" PRIu32, block->stack)); /* named later */
    case ZV_GROUP_FRAME:
        return zv_slice_of(zv_frame_label(trace, frame, grouping->arena));
    case ZV_GROUP_FUNCTION:
        return or_none(zv_trace_text(trace, trace->frames[frame].name));
    case ZV_GROUP_FILE:
        return or_none(zv_trace_text(trace, trace->frames[frame].file));
    case ZV_GROUP_ROLE:
        return zv_slice_of(frame_role(trace, block->stack));
    case ZV_GROUP_SIZE:
        return zv_slice_of(size_label(grouping->arena, block->bytes));
    case ZV_GROUP_AGE:
        return zv_slice_of(age_label(grouping, block));
    case ZV_GROUP_ANNOTATION:
        return or_none(zv_trace_text(trace, grouping->scopes[at]));
    case ZV_GROUP_CONTEXT:
        return or_none(zv_trace_text(trace, block->context));
    case ZV_GROUP_POOL:
        return zv_slice_of(pool_label(grouping, block));
    case ZV_GROUP_STREAM:
        return zv_slice_of(
            zv_arena_print(grouping->arena, "stream 0x%" PRIx64,
                           trace->streams[grouping->heap->segments[block->segment].facts.stream]));
    case ZV_GROUP_PATTERN:
        return zv_slice_of(pattern_label(grouping, block->stack));
    case ZV_GROUP_COUNT:
        break;
    }
    return zv_slice_of("");
}

/* ---- annotations ---- */

struct birth {
    size_t born;
    size_t block;
};

static int by_birth(const void *a, const void *b)
{
    const struct birth *const left = a;
    const struct birth *const right = b;
    return (left->born > right->born) - (left->born < right->born);
}

static int by_time(const void *a, const void *b)
{
    const struct zv_trace_annotation *const left = a;
    const struct zv_trace_annotation *const right = b;
    return (left->time_us > right->time_us) - (left->time_us < right->time_us);
}

/* Opens and closes scopes up to a time; the innermost open one, 0 when there is none. */
struct scopes {
    const struct zv_trace_annotation *at;
    size_t count;
    size_t next;
    uint32_t *open;
    size_t depth;
};

static uint32_t scope_at(struct scopes *scopes, uint64_t time_us)
{
    for (; scopes->next < scopes->count && scopes->at[scopes->next].time_us <= time_us;
         scopes->next++) {
        const struct zv_trace_annotation *const annotation = &scopes->at[scopes->next];
        if (!annotation->is_end) {
            scopes->open[scopes->depth++] = annotation->name;
        } else if (scopes->depth != 0) {
            scopes->depth--;
        }
    }
    return scopes->depth != 0 ? scopes->open[scopes->depth - 1] : 0;
}

static bool find_scopes(struct grouping *grouping)
{
    const struct zv_heap *const heap = grouping->heap;
    const struct zv_trace *const trace = &grouping->record->trace;
    const struct zv_trace_device *const device = zv_record_device(grouping->record);
    struct zv_arena *const arena = grouping->arena;
    struct zv_trace_annotation *const annotations =
        zv_arena_array(arena, trace->annotation_count, sizeof *annotations);
    struct birth *const births = zv_arena_array(arena, heap->block_count, sizeof *births);
    struct scopes scopes = {.at = annotations};
    scopes.open = zv_arena_array(arena, trace->annotation_count + 1, sizeof *scopes.open);
    grouping->scopes = zv_arena_array(arena, heap->block_count, sizeof *grouping->scopes);
    if (annotations == NULL || births == NULL || scopes.open == NULL || grouping->scopes == NULL) {
        return false;
    }
    for (size_t i = 0; i < trace->annotation_count; i++) {
        if (trace->annotations[i].device == grouping->record->device) {
            annotations[scopes.count++] = trace->annotations[i];
        }
    }
    qsort(annotations, scopes.count, sizeof *annotations, by_time);
    size_t count = 0;
    for (size_t i = 0; i < heap->block_count; i++) {
        if (heap->blocks[i].born != ZV_BORN_BEFORE) {
            births[count++] = (struct birth){heap->blocks[i].born, i};
        }
    }
    qsort(births, count, sizeof *births, by_birth);
    for (size_t i = 0; i < count; i++) {
        grouping->scopes[births[i].block] =
            scope_at(&scopes, device->events[births[i].born].time_us);
    }
    return true;
}

/* ---- sums ---- */

static bool add(struct grouping *grouping, size_t at)
{
    const struct zv_heap_block *const block = &grouping->heap->blocks[at];
    struct zv_groups *const groups = grouping->groups;
    const struct zv_slice label = label_of(grouping, at);
    struct zv_strmap_entry *entry;
    if (label.at == NULL) {
        return false;
    }
    switch (zv_strmap_add(&grouping->map, label, groups->count, &entry)) {
    case ZV_STRMAP_NOMEM:
        return false;
    case ZV_STRMAP_ADDED:
        groups->at[groups->count++] = (struct zv_group){.label = label, .stack = block->stack};
        break;
    case ZV_STRMAP_EXISTS:
        break;
    }
    struct zv_group *const group = &groups->at[entry->value];
    group->bytes += block->bytes;
    group->requested_bytes += block->requested_bytes;
    group->blocks++;
    groups->total_bytes += block->bytes;
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const struct zv_group *const left = a;
    const struct zv_group *const right = b;
    if (left->bytes != right->bytes) {
        return left->bytes > right->bytes ? -1 : 1;
    }
    const size_t length =
        left->label.length < right->label.length ? left->label.length : right->label.length;
    const int order = length == 0 ? 0 : memcmp(left->label.at, right->label.at, length);
    return order != 0 ? order
                      : (left->label.length > right->label.length) -
                            (left->label.length < right->label.length);
}

static bool name_stacks(struct grouping *grouping)
{
    const struct zv_trace *const trace = &grouping->record->trace;
    for (size_t i = 0; i < grouping->groups->count; i++) {
        struct zv_group *const group = &grouping->groups->at[i];
        group->label =
            zv_slice_of(zv_frame_label(trace, grouping->users[group->stack], grouping->arena));
        if (group->label.at == NULL) {
            return false;
        }
    }
    return true;
}

enum zv_status zv_groups_make(struct zv_groups *groups, const struct zv_record *record,
                              const struct zv_heap *heap, struct zv_grouping how,
                              struct zv_arena *arena, struct zv_error *err)
{
    struct grouping grouping = {.record = record,
                                .heap = heap,
                                .by = how.by,
                                .pattern = how.pattern,
                                .arena = arena,
                                .groups = groups};
    *groups = (struct zv_groups){0};
    groups->at = zv_arena_array(arena, heap->block_count + 1, sizeof *groups->at);
    grouping.users = zv_user_frames(&record->trace, arena);
    bool fine = groups->at != NULL && grouping.users != NULL &&
                (how.by != ZV_GROUP_ANNOTATION || find_scopes(&grouping));
    for (size_t i = 0; i < heap->block_count && fine; i++) {
        fine = heap->blocks[i].state == ZV_BLOCK_FREE || add(&grouping, i);
    }
    zv_strmap_free(&grouping.map);
    fine = fine && (how.by != ZV_GROUP_STACK || name_stacks(&grouping));
    if (!fine) {
        return zv_fail_memory(err, "groups");
    }
    qsort(groups->at, groups->count, sizeof *groups->at, by_bytes);
    return ZV_OK;
}
