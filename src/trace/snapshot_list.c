#include "trace/snapshot_list.h"

#include "base/fail.h"
#include "base/memory.h"

enum { RUN_KIND = 2 * FOLD_INDEX_BITS, RUN_MARK = RUN_KIND + 3 }; /* first bits of a run's handle */
#define INDEX_MASK ((UINT64_C(1) << FOLD_INDEX_BITS) - 1)

static struct zv_pickle_value run_handle(enum fold_kind kind, uint64_t first, uint64_t count)
{
    return zv_pickle_handle(UINT64_C(1) << RUN_MARK | (uint64_t)kind << RUN_KIND |
                            count << FOLD_INDEX_BITS | first);
}

static bool is_run_of(struct zv_pickle_value value, enum fold_kind kind)
{
    return zv_pickle_kind(value) == ZV_PICKLE_HANDLE &&
           zv_pickle_payload(value) >> RUN_KIND == (8 | (uint64_t)kind);
}

bool fold_run(const struct zv_pickle *pickle, struct zv_pickle_value value, enum fold_kind kind,
              uint32_t *first, uint32_t *count)
{
    *first = 0;
    *count = 0;
    if (is_run_of(value, kind)) {
        *first = (uint32_t)(zv_pickle_payload(value) & INDEX_MASK);
        *count = (uint32_t)(zv_pickle_payload(value) >> FOLD_INDEX_BITS & INDEX_MASK);
        return true;
    }
    return zv_pickle_kind(value) == ZV_PICKLE_LIST && zv_pickle_items(pickle, value).count == 0;
}

/* Records of one kind that follow each other, and what is there already, are a run. */
static void fold_records(const struct zv_pickle_batch *batch, enum fold_kind kind, uint32_t first,
                         struct zv_pickle_value *handle)
{
    uint64_t from = first;
    uint64_t count = 0;
    if (batch->before.bits != 0) {
        if (!is_run_of(batch->before, kind)) {
            return;
        }
        from = zv_pickle_payload(batch->before) & INDEX_MASK;
        count = zv_pickle_payload(batch->before) >> FOLD_INDEX_BITS & INDEX_MASK;
    }
    for (size_t i = 0; i < batch->items.count; i++, count++) {
        if (batch->items.at[i].bits != fold_handle(kind, (uint32_t)(from + count)).bits) {
            return;
        }
    }
    *handle = run_handle(kind, from, count);
}

/* Room for the calls of a stack so deep. */
static bool reserve_calls(struct fold *fold, size_t depth, struct zv_error *err)
{
    if (depth <= fold->call_capacity) {
        return true;
    }
    struct fold_call *const calls = zv_memory_resize(fold->calls, depth * sizeof *calls);
    if (calls == NULL) {
        (void)zv_fail_memory(err, "frames");
        return false;
    }
    fold->calls = calls;
    fold->call_capacity = depth;
    return true;
}

/* The stack of the frames of a list, innermost first. What it shares with the one that was met
 * before is not looked up. */
static bool add_calls(struct fold *fold, const struct zv_pickle_batch *batch, uint32_t *stack,
                      struct zv_error *err)
{
    const size_t before = fold->call_count;
    const size_t count = batch->items.count;
    bool is_shared = true;
    *stack = 0;
    fold->call_count = count;
    for (size_t i = 0; i < count; i++) {
        struct fold_call *const call = &fold->calls[i];
        struct zv_trace_stack wanted = {.outer = *stack};
        if (!fold_index(batch->items.at[count - 1 - i], FOLD_FRAME, &wanted.frame)) {
            (void)zv_fail_at(err, ZV_E_SYNTAX, batch->offset,
                             "snapshot: a stack holds what is no frame");
            return false;
        }
        is_shared = is_shared && i < before && call->frame == wanted.frame;
        if (!is_shared) {
            call->frame = wanted.frame;
            if (!trace_stack(fold->trace, &wanted, &call->stack, err)) {
                return false;
            }
        }
        *stack = call->stack;
    }
    return true;
}

/* The calls of a stack, which has so many, further inside than those that were met just now. */
static bool add_inner_calls(struct fold *fold, uint32_t inner, size_t count, uint32_t *stack,
                            struct zv_error *err)
{
    struct fold_call *const calls = fold->calls + fold->call_count;
    for (size_t i = count; i != 0; inner = fold->trace->stacks[inner].outer) {
        calls[--i].frame = fold->trace->stacks[inner].frame;
    }
    for (size_t i = 0; i < count; i++) {
        const struct zv_trace_stack wanted = {*stack, calls[i].frame};
        if (!trace_stack(fold->trace, &wanted, &calls[i].stack, err)) {
            return false;
        }
        *stack = calls[i].stack;
    }
    fold->call_count += count;
    return true;
}

/* A list of frames, innermost first, is a stack; one that is continued gets outer ones. */
static enum zv_status fold_frames(struct fold *fold, const struct zv_pickle_batch *batch,
                                  struct zv_pickle_value *handle, struct zv_error *err)
{
    uint32_t inner = 0;
    uint32_t stack;
    size_t depth = 0;
    if (batch->before.bits != 0 && !fold_index(batch->before, FOLD_STACK, &inner)) {
        return ZV_OK;
    }
    for (uint32_t at = inner; at != 0; at = fold->trace->stacks[at].outer) {
        depth++;
    }
    if (!reserve_calls(fold, batch->items.count + depth, err) ||
        !add_calls(fold, batch, &stack, err) || !add_inner_calls(fold, inner, depth, &stack, err)) {
        return fold_failed(err);
    }
    *handle = fold_handle(FOLD_STACK, stack);
    return ZV_OK;
}

enum zv_status snapshot_fold_list(struct fold *fold, const struct zv_pickle_batch *batch,
                                  struct zv_pickle_value *handle, struct zv_error *err)
{
    static const enum fold_kind records[] = {FOLD_EVENT, FOLD_BLOCK, FOLD_SEGMENT, FOLD_ANNOTATION};
    uint32_t index;
    if (fold_index(batch->items.at[0], FOLD_FRAME, &index)) {
        return fold_frames(fold, batch, handle, err);
    }
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        if (fold_index(batch->items.at[0], records[i], &index)) {
            fold_records(batch, records[i], index, handle);
        }
    }
    return ZV_OK;
}
