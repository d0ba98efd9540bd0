#include "format/pickle_container.h"

#include <string.h>

#include "base/memory.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_repeat.h"

enum { BIG_ITEMS = 4096 }; /* from here on items have memory of their own, which can grow */

struct pickle_items {
    uint32_t count;
    uint32_t capacity;
    struct zv_pickle_value at[];
};

/* The items of a container's cell; NULL when it is empty or folded. */
static struct pickle_items *items_of(struct zv_pickle_cell cell)
{
    const unsigned kind = pickle_cell_kind(cell);
    if (kind < ZV_PICKLE_TUPLE || kind > ZV_PICKLE_DICT || cell.bits == kind) {
        return NULL;
    }
    cell.bits -= kind;
    return cell.items;
}

static void set_items(struct zv_pickle_cell *cell, enum zv_pickle_kind kind,
                      struct pickle_items *items)
{
    cell->items = items;
    cell->bits |= (uint64_t)kind;
}

enum zv_status pickle_new_cell(struct zv_pickle *p, uint64_t bits, uint32_t *to,
                               struct zv_error *err)
{
    if (p->free_cell != 0) {
        *to = (uint32_t)(p->free_cell - 1);
        p->free_cell = (size_t)(p->cells[*to].bits >> 4);
        p->cells[*to].bits = bits;
        return ZV_OK;
    }
    if (p->cell_count >= p->cell_capacity) {
        void *cells = p->cells;
        const enum zv_status status =
            pickle_grow(&cells, &p->cell_capacity, p->cell_count + 1, sizeof *p->cells, p, err);
        p->cells = cells;
        if (status != ZV_OK) {
            return status;
        }
    }
    *to = (uint32_t)p->cell_count++;
    p->cells[*to].bits = bits;
    return ZV_OK;
}

static void drop_cell(struct zv_pickle *p, uint32_t cell)
{
    p->cells[cell].bits = (uint64_t)p->free_cell << 4 | PICKLE_UNUSED;
    p->free_cell = (size_t)cell + 1;
}

enum zv_status pickle_push_empty(struct zv_pickle *p, enum zv_pickle_kind kind,
                                 struct zv_error *err)
{
    uint32_t cell = 0;
    const enum zv_status status = pickle_new_cell(p, pickle_fresh(kind), &cell, err);
    p->stack[p->depth++] = pickle_make(kind, cell);
    return status;
}

void pickle_know(struct zv_pickle_cell *cell)
{
    if (pickle_cell_kind(*cell) == PICKLE_FRESH) {
        set_items(cell, (cell->bits >> 4 & 1) != 0 ? ZV_PICKLE_DICT : ZV_PICKLE_LIST, NULL);
    }
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

/* Adds what is after a container on the stack to its items. */
static enum zv_status keep_items(struct zv_pickle *p, struct zv_pickle_value container,
                                 const struct zv_pickle_value *items, size_t count,
                                 struct zv_error *err)
{
    struct zv_pickle_cell *const cell = pickle_cell(p, container);
    struct pickle_items *kept = items_of(*cell);
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
        set_items(cell, zv_pickle_kind(container), kept);
    }
    memcpy(kept->at + before, items, count * sizeof *items);
    kept->count = (uint32_t)total;
    return ZV_OK;
}

/* What a container that is filled was folded to before; absent: nothing. */
static struct zv_pickle_value folded_before(const struct zv_pickle *p,
                                            struct zv_pickle_value container)
{
    const struct zv_pickle_value value = pickle_settle(p, container);
    return zv_pickle_kind(value) == ZV_PICKLE_HANDLE ? value : (struct zv_pickle_value){0};
}

static bool can_take(struct zv_pickle_value container, enum zv_pickle_kind kind)
{
    if ((container.bits & 15) == PICKLE_OWNED) {
        const bool is_dict = (zv_pickle_payload(container) >> PICKLE_OWNED_DICT & 1) != 0;
        return kind == (is_dict ? ZV_PICKLE_DICT : ZV_PICKLE_LIST);
    }
    return zv_pickle_kind(container) == kind;
}

/* An owned handle is replaced, here and where it was put aside. */
static enum zv_status replace_owned(struct zv_pickle *p, struct zv_pickle_value *owned,
                                    uint64_t payload, struct zv_error *err)
{
    const uint64_t before = zv_pickle_payload(*owned);
    const uint64_t memo = before >> PICKLE_OWNED_MEMO;
    const bool fits = payload < PICKLE_INLINE;
    uint32_t entry = PICKLE_INLINE | (uint32_t)payload;
    pickle_forget_repeats(p);
    *owned =
        fits ? (struct zv_pickle_value){((before & ~(uint64_t)(PICKLE_INLINE - 1)) | payload) << 4 |
                                        PICKLE_OWNED}
             : zv_pickle_handle(payload);
    if (memo == 0 ||
        p->memo[memo - 1] != (PICKLE_INLINE | (uint32_t)(before & (PICKLE_INLINE - 1)))) {
        return ZV_OK;
    }
    if (!fits) {
        const enum zv_status status = pickle_new_cell(p, owned->bits, &entry, err);
        if (status != ZV_OK) {
            return status;
        }
        entry++;
    }
    p->memo[memo - 1] = entry;
    return ZV_OK;
}

/* A fresh container on the stack becomes a handle below 2^31. */
static void fold_fresh(struct zv_pickle *p, struct zv_pickle_value *container, uint64_t payload)
{
    const uint64_t memo = pickle_cell(p, *container)->bits >> 5;
    const bool is_dict = zv_pickle_kind(*container) == ZV_PICKLE_DICT;
    if (memo != 0) {
        p->memo[memo - 1] = PICKLE_INLINE | (uint32_t)payload;
    }
    drop_cell(p, (uint32_t)zv_pickle_payload(*container));
    *container = pickle_owned(payload, is_dict, memo);
}

/* The container has become this handle. */
static enum zv_status set_handle(struct zv_pickle *p, struct zv_pickle_value *container,
                                 uint64_t payload, struct zv_error *err)
{
    if ((container->bits & 15) == PICKLE_OWNED) {
        return replace_owned(p, container, payload, err);
    }
    if (pickle_cell_kind(*pickle_cell(p, *container)) != PICKLE_FRESH || payload >= PICKLE_INLINE) {
        pickle_cell(p, *container)->bits = zv_pickle_handle(payload).bits;
        return ZV_OK;
    }
    fold_fresh(p, container, payload);
    return ZV_OK;
}

/* Atoms and handles stand for themselves. */
static void settle_all(const struct zv_pickle *p, struct zv_pickle_value *items, size_t count)
{
    const unsigned others =
        1U << ZV_PICKLE_TUPLE | 1U << ZV_PICKLE_LIST | 1U << ZV_PICKLE_DICT | 1U << PICKLE_OWNED;
    for (size_t i = 0; i < count; i++) {
        if ((others >> (items[i].bits & 15) & 1) != 0) {
            items[i] = pickle_settle(p, items[i]);
        }
    }
}

enum zv_status pickle_take(struct zv_pickle *p, struct zv_pickle_value *container,
                           const struct zv_pickle_batch *batch, struct zv_pickle_value handle,
                           struct zv_error *err)
{
    if (zv_pickle_kind(handle) == ZV_PICKLE_HANDLE) {
        return set_handle(p, container, zv_pickle_payload(handle), err);
    }
    if (batch->before.bits != 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "items of another kind follow");
    }
    return keep_items(p, *container, batch->items.at, batch->items.count, err);
}

enum zv_status pickle_fill(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                           struct zv_error *err)
{
    struct zv_pickle_value *const items = &p->stack[p->depth - count];
    struct zv_pickle_value *const container = &items[-1];
    if (!can_take(*container, kind) || (kind == ZV_PICKLE_DICT && count % 2 != 0)) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "%s without %s to put items into",
                          pickle_opcodes[*p->at].name,
                          kind == ZV_PICKLE_DICT ? "a dict" : "a list");
    }
    p->depth -= count;
    if (count == 0) {
        return ZV_OK;
    }
    if (p->fold != NULL) {
        settle_all(p, items, count);
    }
    const struct zv_pickle_value before = folded_before(p, *container);
    if (p->fold != NULL && (before.bits != 0 || items_of(*pickle_cell(p, *container)) == NULL)) {
        const struct zv_pickle_batch batch = {
            .kind = kind, .offset = pickle_offset(p), .before = before, .items = {items, count}};
        struct zv_pickle_value handle = {0};
        const enum zv_status status = p->fold(p->context, p, &batch, &handle, err);
        return status == ZV_OK ? pickle_take(p, container, &batch, handle, err) : status;
    }
    return keep_items(p, *container, items, count, err);
}

enum zv_status pickle_make_put(struct zv_pickle *p, enum zv_pickle_kind kind, size_t memo,
                               struct zv_pickle_value *to, struct zv_error *err)
{
    uint32_t cell = 0;
    const enum zv_status status =
        pickle_new_cell(p, pickle_fresh(kind) | (uint64_t)memo << 5, &cell, err);
    *to = pickle_make(kind, cell);
    if (memo != 0) {
        p->memo[memo - 1] = status == ZV_OK ? cell + 1 : 0;
    }
    return status;
}

enum zv_status pickle_gather(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                             struct zv_error *err)
{
    uint32_t cell = 0;
    const bool is_tuple = kind == ZV_PICKLE_TUPLE;
    enum zv_status status = p->depth < p->stack_capacity ? ZV_OK : pickle_grow_stack(p, err);
    status = status == ZV_OK
                 ? pickle_new_cell(p, is_tuple ? (uint64_t)kind : pickle_fresh(kind), &cell, err)
                 : status;
    if (status != ZV_OK) {
        return status;
    }
    struct zv_pickle_value *const items = &p->stack[p->depth - count];
    const struct zv_pickle_value container = pickle_make(kind, cell);
    if (!is_tuple) { /* as if it had been empty first */
        memmove(items + 1, items, count * sizeof *items);
        items[0] = container;
        p->depth++;
        return pickle_fill(p, kind, count, err);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = pickle_settle(p, items[i]);
    }
    if (count != 0) {
        status = keep_items(p, container, items, count, err);
    }
    items[0] = container;
    p->depth = p->depth - count + 1;
    return status;
}

void pickle_free_items(struct zv_pickle *p)
{
    for (size_t i = 0; i < p->cell_count; i++) {
        struct pickle_items *const items = items_of(p->cells[i]);
        if (items != NULL && items->capacity > BIG_ITEMS) {
            zv_memory_free(items);
        }
    }
    zv_arena_free(&p->items);
}

struct zv_pickle_items zv_pickle_items(const struct zv_pickle *pickle, struct zv_pickle_value value)
{
    const struct pickle_items *const items =
        pickle_is_container(value) ? items_of(*pickle_cell(pickle, value)) : NULL;
    return items != NULL ? (struct zv_pickle_items){items->at, items->count}
                         : (struct zv_pickle_items){0};
}
