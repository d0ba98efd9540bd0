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
    const uint32_t *users;  /* frame of the user's code, by stack */
    const uint8_t *roles;   /* by stack */
    const uint32_t *scopes; /* text of the annotation that was open, by event */
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
    if (grouping->heap->segments[block->segment].is_loose) {
        return "(not recorded)";
    }
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

static const char *stream_label(const struct grouping *grouping, const struct zv_heap_block *block)
{
    const struct zv_heap_segment *const segment = &grouping->heap->segments[block->segment];
    return segment->has_stream
               ? zv_arena_print(grouping->arena, "stream 0x%" PRIx64,
                                grouping->record->trace.streams[segment->facts.stream])
               : "(not recorded)";
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
        return zv_slice_of(block->stack == 0 ? "(no stack recorded)"
                                             : zv_role_names[grouping->roles[block->stack]]);
    case ZV_GROUP_SIZE:
        return zv_slice_of(size_label(grouping->arena, block->bytes));
    case ZV_GROUP_AGE:
        return zv_slice_of(age_label(grouping, block));
    case ZV_GROUP_ANNOTATION:
        return or_none(zv_trace_text(
            trace, block->born != ZV_BORN_BEFORE ? grouping->scopes[block->born] : 0));
    case ZV_GROUP_CONTEXT:
        return or_none(zv_trace_text(trace, block->context));
    case ZV_GROUP_POOL:
        return zv_slice_of(pool_label(grouping, block));
    case ZV_GROUP_STREAM:
        return zv_slice_of(stream_label(grouping, block));
    case ZV_GROUP_PATTERN:
        return zv_slice_of(pattern_label(grouping, block->stack));
    case ZV_GROUP_COUNT:
        break;
    }
    return zv_slice_of("");
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
    grouping.roles = how.by == ZV_GROUP_ROLE ? zv_roles(&record->trace, arena) : NULL;
    grouping.scopes = how.by == ZV_GROUP_ANNOTATION ? zv_scopes(record, arena) : NULL;
    bool fine = groups->at != NULL && grouping.users != NULL &&
                (how.by != ZV_GROUP_ROLE || grouping.roles != NULL) &&
                (how.by != ZV_GROUP_ANNOTATION || grouping.scopes != NULL);
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
