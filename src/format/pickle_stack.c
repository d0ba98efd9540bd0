#include "format/pickle_stack.h"

#include <string.h>

#include "base/memory.h"
#include "format/pickle_opcodes.h"

enum { FIRST_STACK = 1024, FIRST_MARKS = 64, MAX_MARKS = 1 << 20 };
enum { BIG_ITEMS = 4096 }; /* from here on items have memory of their own, which can grow */

struct pickle_items {
    uint32_t count;
    uint32_t capacity;
    struct zv_pickle_value at[];
};

/* NULL when empty. */
static struct pickle_items *items_of(struct zv_pickle_node node)
{
    return node.bits != 0 ? node.items : NULL;
}

/* Room for at least count elements; *capacity 0 at first. */
static enum zv_status grow(void **array, size_t *capacity, size_t count, size_t size,
                           const struct zv_pickle *p, struct zv_error *err)
{
    if (count > ZV_PICKLE_MAX_VALUES) {
        return zv_fail_at(err, ZV_E_LIMIT, pickle_offset(p),
                          "more than %d values of a pickle at once", ZV_PICKLE_MAX_VALUES);
    }
    size_t grown = *capacity == 0 ? FIRST_STACK : *capacity;
    while (grown < count) {
        grown += grown / 2;
    }
    void *const to = zv_memory_resize(*array, grown * size);
    if (to == NULL) {
        return zv_fail_memory(err, "a pickle");
    }
    *array = to;
    *capacity = grown;
    return ZV_OK;
}

enum zv_status pickle_grow_stack(struct zv_pickle *p, struct zv_error *err)
{
    void *stack = p->stack;
    const enum zv_status status =
        grow(&stack, &p->stack_capacity, p->depth + 1, sizeof *p->stack, p, err);
    p->stack = stack;
    return status;
}

static enum zv_status grow_memo(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    if (index > p->input.length) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                          "memo entry %zu of a pickle that has not as many bytes", index);
    }
    void *memo = p->memo;
    const size_t before = p->memo_capacity;
    const enum zv_status status =
        grow(&memo, &p->memo_capacity, index + 1, sizeof *p->memo, p, err);
    p->memo = memo;
    if (status == ZV_OK) {
        memset(p->memo + before, 0, (p->memo_capacity - before) * sizeof *p->memo);
    }
    return status;
}

enum zv_status pickle_underflow(const struct zv_pickle *p, struct zv_error *err)
{
    return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "%s finds too few values on the stack",
                      pickle_opcodes[*p->at].name);
}

/* ---- containers ---- */

enum zv_status pickle_new_node(struct zv_pickle *p, enum zv_pickle_kind kind,
                               struct zv_pickle_value *to, struct zv_error *err)
{
    if (p->node_count >= p->node_capacity) {
        void *nodes = p->nodes;
        const enum zv_status status =
            grow(&nodes, &p->node_capacity, p->node_count + 1, sizeof *p->nodes, p, err);
        p->nodes = nodes;
        if (status != ZV_OK) {
            return status;
        }
    }
    p->nodes[p->node_count] = (struct zv_pickle_node){0};
    *to = pickle_make(kind, p->node_count++);
    return ZV_OK;
}

/* Room for capacity items; what is there is kept. NULL when memory is short. */
static struct pickle_items *resize_items(struct zv_pickle *p, struct pickle_items *from,
                                         size_t capacity)
{
    const size_t bytes = sizeof(struct pickle_items) + capacity * sizeof(struct zv_pickle_value);
    const bool was_big = from != NULL && from->capacity > BIG_ITEMS;
    struct pickle_items *const to = capacity <= BIG_ITEMS
                                        ? zv_arena_alloc(&p->items, bytes)
                                        : zv_memory_resize(was_big ? from : NULL, bytes);
    if (to == NULL) {
        return NULL;
    }
    if (!was_big) {
        to->count = from != NULL ? from->count : 0;
        if (from != NULL) {
            memcpy(to->at, from->at, from->count * sizeof *to->at);
        }
    }
    to->capacity = (uint32_t)capacity;
    return to;
}

static enum zv_status keep_items(struct zv_pickle *p, struct zv_pickle_node *node,
                                 const struct zv_pickle_value *items, size_t count,
                                 struct zv_error *err)
{
    struct pickle_items *kept = items_of(*node);
    const size_t before = kept != NULL ? kept->count : 0;
    const size_t total = before + count; /* both are below 2^29 */
    if (total > ZV_PICKLE_MAX_VALUES) {
        return zv_fail_at(err, ZV_E_LIMIT, pickle_offset(p), "a container of more than 2^28 items");
    }
    if (kept == NULL || total > kept->capacity) {
        kept = resize_items(p, kept, before == 0 ? total : total + total / 2);
        if (kept == NULL) {
            return p->items.used > ZV_PICKLE_MAX_ITEM_BYTES / 2
                       ? zv_fail_at(err, ZV_E_LIMIT, pickle_offset(p), "too many items in a pickle")
                       : zv_fail_memory(err, "items of a pickle");
        }
        node->items = kept;
    }
    memcpy(kept->at + before, items, count * sizeof *items);
    kept->count = (uint32_t)total;
    return ZV_OK;
}

enum zv_status pickle_fill(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                           struct zv_error *err)
{
    struct zv_pickle_value *const items = &p->stack[p->depth - count];
    const struct zv_pickle_value container = items[-1];
    if (zv_pickle_kind(container) != kind || (kind == ZV_PICKLE_DICT && count % 2 != 0)) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "%s without %s to put items into",
                          pickle_opcodes[*p->at].name,
                          kind == ZV_PICKLE_DICT ? "a dict" : "a list");
    }
    p->depth -= count;
    if (count == 0) {
        return ZV_OK;
    }
    for (size_t i = 0; i < count && p->fold != NULL; i++) {
        items[i] = pickle_settle(p, items[i]);
    }
    struct zv_pickle_node *const node = &p->nodes[zv_pickle_payload(container)];
    const bool folded = pickle_is_folded(*node);
    if (p->fold != NULL && (folded || node->bits == 0)) {
        const struct zv_pickle_batch batch = {.kind = kind,
                                              .offset = pickle_offset(p),
                                              .before = {node->bits},
                                              .items = {items, count}};
        struct zv_pickle_value handle = {0};
        const enum zv_status status = p->fold(p->context, p, &batch, &handle, err);
        if (status != ZV_OK) {
            return status;
        }
        if (zv_pickle_kind(handle) == ZV_PICKLE_HANDLE) {
            node->bits = handle.bits;
            return ZV_OK;
        }
        if (folded) {
            return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "items of another kind follow");
        }
    }
    return keep_items(p, node, items, count, err);
}

enum zv_status pickle_gather(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                             struct zv_error *err)
{
    struct zv_pickle_value container;
    enum zv_status status = p->depth < p->stack_capacity ? ZV_OK : pickle_grow_stack(p, err);
    status = status == ZV_OK ? pickle_new_node(p, kind, &container, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    struct zv_pickle_value *const items = &p->stack[p->depth - count];
    if (kind != ZV_PICKLE_TUPLE) { /* as if it had been empty first */
        memmove(items + 1, items, count * sizeof *items);
        items[0] = container;
        p->depth++;
        return pickle_fill(p, kind, count, err);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = pickle_settle(p, items[i]);
    }
    if (count != 0) {
        status = keep_items(p, &p->nodes[zv_pickle_payload(container)], items, count, err);
    }
    items[0] = container;
    p->depth = p->depth - count + 1;
    return status;
}

/* ---- marks and memo ---- */

enum zv_status pickle_push_mark(struct zv_pickle *p, struct zv_error *err)
{
    if (p->mark_count == p->mark_capacity) {
        const size_t capacity = p->mark_capacity == 0 ? FIRST_MARKS : p->mark_capacity * 2;
        size_t *const marks =
            capacity > MAX_MARKS ? NULL : zv_memory_resize(p->marks, capacity * sizeof *marks);
        if (marks == NULL) {
            return capacity > MAX_MARKS ? zv_fail_at(err, ZV_E_LIMIT, pickle_offset(p),
                                                     "more than %d levels", MAX_MARKS)
                                        : zv_fail_memory(err, "marks of a pickle");
        }
        p->marks = marks;
        p->mark_capacity = capacity;
    }
    p->marks[p->mark_count++] = p->depth;
    return ZV_OK;
}

enum zv_status pickle_pop_mark(struct zv_pickle *p, size_t below, size_t *count,
                               struct zv_error *err)
{
    if (p->mark_count == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "%s without a MARK before it",
                          pickle_opcodes[*p->at].name);
    }
    const size_t mark = p->marks[--p->mark_count];
    if (mark > p->depth || mark < below) {
        return pickle_underflow(p, err);
    }
    *count = p->depth - mark;
    return ZV_OK;
}

enum zv_status pickle_put(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    if (p->depth == 0) {
        return pickle_underflow(p, err);
    }
    if (index >= p->memo_capacity) {
        const enum zv_status status = grow_memo(p, index, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    p->memo_count += p->memo[index].bits == 0;
    p->memo[index] = p->stack[p->depth - 1];
    return ZV_OK;
}

void zv_pickle_close(struct zv_pickle *p)
{
    for (size_t i = 0; i < p->node_count; i++) {
        struct pickle_items *const items =
            pickle_is_folded(p->nodes[i]) ? NULL : items_of(p->nodes[i]);
        if (items != NULL && items->capacity > BIG_ITEMS) {
            zv_memory_free(items);
        }
    }
    zv_memory_free(p->stack);
    zv_memory_free(p->marks);
    zv_memory_free(p->memo);
    zv_memory_free(p->nodes);
    zv_arena_free(&p->items);
    *p = (struct zv_pickle){0};
}

struct zv_pickle_items zv_pickle_items(const struct zv_pickle *pickle, struct zv_pickle_value value)
{
    const struct zv_pickle_node node = pickle_is_node(value)
                                           ? pickle->nodes[zv_pickle_payload(value)]
                                           : (struct zv_pickle_node){0};
    if (node.bits == 0 || pickle_is_folded(node)) {
        return (struct zv_pickle_items){0};
    }
    return (struct zv_pickle_items){items_of(node)->at, items_of(node)->count};
}
