#include "format/pickle.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "format/pickle_opcodes.h"

enum { FIRST_STACK = 1024, FIRST_MARKS = 64, MAX_MARKS = 1 << 20 };
enum { BIG_ITEMS = 4096 }; /* from here on items have memory of their own, which can grow */

/*
 * A tuple, list or dict in 8 bytes, because a large file has one for every event: 0 when it is
 * empty, else its items, else the handle that stands for them (told by the kind in the low bits).
 */
struct items {
    uint32_t count;
    uint32_t capacity;
    struct zv_pickle_value at[];
};

struct zv_pickle_node {
    union {
        uint64_t bits;
        struct items *items; /* aligned, so that its low four bits are 0 */
    };
};

_Static_assert(sizeof(struct zv_pickle_node) == 8, "a pointer in 64 bits");

static bool is_folded(struct zv_pickle_node node)
{
    return (node.bits & 15) == ZV_PICKLE_HANDLE;
}

/* NULL when empty. */
static struct items *items_of(struct zv_pickle_node node)
{
    return node.bits != 0 ? node.items : NULL;
}

static const unsigned char *start(const struct zv_pickle *p)
{
    return (const unsigned char *)p->input.at;
}

static uint64_t offset(const struct zv_pickle *p)
{
    return (uint64_t)(p->at - start(p));
}

static size_t left(const struct zv_pickle *p)
{
    return p->input.length - (size_t)offset(p);
}

static struct zv_pickle_value make(enum zv_pickle_kind kind, uint64_t payload)
{
    return (struct zv_pickle_value){payload << 4 | (uint64_t)kind};
}

static bool is_node(struct zv_pickle_value value)
{
    return zv_pickle_kind(value) >= ZV_PICKLE_TUPLE && zv_pickle_kind(value) <= ZV_PICKLE_DICT;
}

/* Room for at least count elements; *capacity 0 at first. */
static enum zv_status grow(void **array, size_t *capacity, size_t count, size_t size,
                           const struct zv_pickle *p, struct zv_error *err)
{
    if (count > ZV_PICKLE_MAX_VALUES) {
        return zv_fail_at(err, ZV_E_LIMIT, offset(p), "more than %d values of a pickle at once",
                          ZV_PICKLE_MAX_VALUES);
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

static enum zv_status grow_stack(struct zv_pickle *p, struct zv_error *err)
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
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p),
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

static enum zv_status underflow(const struct zv_pickle *p, struct zv_error *err)
{
    return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "%s finds too few values on the stack",
                      pickle_opcodes[*p->at].name);
}

/* The value a reference stands for: a folded container is its handle. */
static inline struct zv_pickle_value settle(const struct zv_pickle *p, struct zv_pickle_value value)
{
    if (p->fold != NULL && is_node(value)) {
        const struct zv_pickle_node node = p->nodes[zv_pickle_payload(value)];
        return is_folded(node) ? (struct zv_pickle_value){node.bits} : value;
    }
    return value;
}

/* ---- containers ---- */

static enum zv_status new_node(struct zv_pickle *p, enum zv_pickle_kind kind,
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
    *to = make(kind, p->node_count++);
    return ZV_OK;
}

/* Room for capacity items; what is there is kept. NULL when memory is short. */
static struct items *resize_items(struct zv_pickle *p, struct items *from, size_t capacity)
{
    const size_t bytes = sizeof(struct items) + capacity * sizeof(struct zv_pickle_value);
    const bool was_big = from != NULL && from->capacity > BIG_ITEMS;
    struct items *const to = capacity <= BIG_ITEMS ? zv_arena_alloc(&p->items, bytes)
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
    struct items *kept = items_of(*node);
    const size_t before = kept != NULL ? kept->count : 0;
    const size_t total = before + count; /* both are below 2^29 */
    if (total > ZV_PICKLE_MAX_VALUES) {
        return zv_fail_at(err, ZV_E_LIMIT, offset(p), "a container of more than 2^28 items");
    }
    if (kept == NULL || total > kept->capacity) {
        kept = resize_items(p, kept, before == 0 ? total : total + total / 2);
        if (kept == NULL) {
            return p->items.used > ZV_PICKLE_MAX_ITEM_BYTES / 2
                       ? zv_fail_at(err, ZV_E_LIMIT, offset(p), "too many items in a pickle")
                       : zv_fail_memory(err, "items of a pickle");
        }
        node->items = kept;
    }
    memcpy(kept->at + before, items, count * sizeof *items);
    kept->count = (uint32_t)total;
    return ZV_OK;
}

/* Puts the topmost count values, which are above a container, into it. */
static enum zv_status fill(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                           struct zv_error *err)
{
    struct zv_pickle_value *const items = &p->stack[p->depth - count];
    const struct zv_pickle_value container = items[-1];
    if (zv_pickle_kind(container) != kind || (kind == ZV_PICKLE_DICT && count % 2 != 0)) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "%s without %s to put items into",
                          pickle_opcodes[*p->at].name,
                          kind == ZV_PICKLE_DICT ? "a dict" : "a list");
    }
    p->depth -= count;
    if (count == 0) {
        return ZV_OK;
    }
    for (size_t i = 0; i < count && p->fold != NULL; i++) {
        items[i] = settle(p, items[i]);
    }
    struct zv_pickle_node *const node = &p->nodes[zv_pickle_payload(container)];
    const bool folded = is_folded(*node);
    if (p->fold != NULL && (folded || node->bits == 0)) {
        const struct zv_pickle_batch batch = {
            .kind = kind, .offset = offset(p), .before = {node->bits}, .items = {items, count}};
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
            return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "items of another kind follow");
        }
    }
    return keep_items(p, node, items, count, err);
}

/* The topmost count values become a new container. */
static enum zv_status gather(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                             struct zv_error *err)
{
    struct zv_pickle_value container;
    enum zv_status status = p->depth < p->stack_capacity ? ZV_OK : grow_stack(p, err);
    status = status == ZV_OK ? new_node(p, kind, &container, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    struct zv_pickle_value *const items = &p->stack[p->depth - count];
    if (kind != ZV_PICKLE_TUPLE) { /* as if it had been empty first */
        memmove(items + 1, items, count * sizeof *items);
        items[0] = container;
        p->depth++;
        return fill(p, kind, count, err);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = settle(p, items[i]);
    }
    if (count != 0) {
        status = keep_items(p, &p->nodes[zv_pickle_payload(container)], items, count, err);
    }
    items[0] = container;
    p->depth = p->depth - count + 1;
    return status;
}

/* ---- marks and memo ---- */

static enum zv_status push_mark(struct zv_pickle *p, struct zv_error *err)
{
    if (p->mark_count == p->mark_capacity) {
        const size_t capacity = p->mark_capacity == 0 ? FIRST_MARKS : p->mark_capacity * 2;
        size_t *const marks =
            capacity > MAX_MARKS ? NULL : zv_memory_resize(p->marks, capacity * sizeof *marks);
        if (marks == NULL) {
            return capacity > MAX_MARKS
                       ? zv_fail_at(err, ZV_E_LIMIT, offset(p), "more than %d levels", MAX_MARKS)
                       : zv_fail_memory(err, "marks of a pickle");
        }
        p->marks = marks;
        p->mark_capacity = capacity;
    }
    p->marks[p->mark_count++] = p->depth;
    return ZV_OK;
}

/* How many values are above the last mark, which is taken away; at least below values below it. */
static enum zv_status pop_mark(struct zv_pickle *p, size_t below, size_t *count,
                               struct zv_error *err)
{
    if (p->mark_count == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "%s without a MARK before it",
                          pickle_opcodes[*p->at].name);
    }
    const size_t mark = p->marks[--p->mark_count];
    if (mark > p->depth || mark < below) {
        return underflow(p, err);
    }
    *count = p->depth - mark;
    return ZV_OK;
}

static enum zv_status put(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    if (p->depth == 0) {
        return underflow(p, err);
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

static inline enum zv_status get(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    if (index >= p->memo_capacity || p->memo[index].bits == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "memo entry %zu was never put", index);
    }
    const struct zv_pickle_value value = settle(p, p->memo[index]);
    p->memo[index] = value;
    p->stack[p->depth++] = value;
    return ZV_OK;
}

/* ---- opcodes ---- */

/* The length that a text, bytes or long announces; its operand has been seen to be there. */
static uint64_t announced(const unsigned char *at)
{
    switch (pickle_opcodes[*at].operand) {
    case 1:
        return at[1];
    case 4:
        return zv_le32(at + 1);
    default:
        return zv_le64(at + 1);
    }
}

/* An atom with a length: stays where it is in the input. */
static enum zv_status push_sized(struct zv_pickle *p, enum zv_pickle_kind kind, size_t *width,
                                 struct zv_error *err)
{
    const uint64_t length = announced(p->at);
    const size_t head = 1 + (size_t)pickle_opcodes[*p->at].operand;
    if (length > left(p) - head) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p),
                          "truncated: %s announces %" PRIu64 " bytes, %zu follow",
                          pickle_opcodes[*p->at].name, length, left(p) - head);
    }
    *width = head + (size_t)length;
    p->stack[p->depth++] = make(kind, offset(p));
    return ZV_OK;
}

static struct zv_pickle_value small(int64_t value)
{
    return make(ZV_PICKLE_INT, (uint64_t)value);
}

static enum zv_status push_long(struct zv_pickle *p, size_t *width, struct zv_error *err)
{
    const enum zv_status status = push_sized(p, ZV_PICKLE_LONG, width, err);
    int64_t value;
    const int64_t most = INT64_C(1) << 59;
    if (status == ZV_OK && zv_pickle_i64(p, p->stack[p->depth - 1], &value) && value < most &&
        value >= -most) {
        p->stack[p->depth - 1] = small(value);
    }
    return status;
}

static enum zv_status check_proto(const struct zv_pickle *p, struct zv_error *err)
{
    if (p->at[1] < 2 || p->at[1] > 5) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, offset(p), "pickle protocol %u: 2 to 5 are read",
                          p->at[1]);
    }
    return ZV_OK;
}

static enum zv_status check_frame(const struct zv_pickle *p, struct zv_error *err)
{
    const uint64_t length = announced(p->at);
    if (length > left(p) - 9) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p),
                          "truncated: a frame of %" PRIu64 " bytes begins, %zu follow", length,
                          left(p) - 9);
    }
    return ZV_OK;
}

static enum zv_status tuple(struct zv_pickle *p, size_t count, struct zv_error *err)
{
    return p->depth < count ? underflow(p, err) : gather(p, ZV_PICKLE_TUPLE, count, err);
}

static enum zv_status from_mark(struct zv_pickle *p, enum zv_pickle_kind kind, bool is_new,
                                struct zv_error *err)
{
    size_t count = 0;
    const enum zv_status status = pop_mark(p, is_new ? 0 : 1, &count, err);
    if (status != ZV_OK) {
        return status;
    }
    return is_new ? gather(p, kind, count, err) : fill(p, kind, count, err);
}

static enum zv_status drop_top(struct zv_pickle *p)
{
    p->depth--;
    return ZV_OK;
}

/* Containers, and what only moves values about. */
static enum zv_status run_shape(struct zv_pickle *p, struct zv_error *err)
{
    size_t count = 0;
    switch (*p->at) {
    case OP_APPEND:
        return p->depth < 2 ? underflow(p, err) : fill(p, ZV_PICKLE_LIST, 1, err);
    case OP_SETITEM:
        return p->depth < 3 ? underflow(p, err) : fill(p, ZV_PICKLE_DICT, 2, err);
    case OP_APPENDS:
        return from_mark(p, ZV_PICKLE_LIST, false, err);
    case OP_SETITEMS:
        return from_mark(p, ZV_PICKLE_DICT, false, err);
    case OP_LIST:
        return from_mark(p, ZV_PICKLE_LIST, true, err);
    case OP_DICT:
        return from_mark(p, ZV_PICKLE_DICT, true, err);
    case OP_TUPLE:
        return from_mark(p, ZV_PICKLE_TUPLE, true, err);
    case OP_EMPTY_TUPLE:
        return tuple(p, 0, err);
    case OP_TUPLE1:
        return tuple(p, 1, err);
    case OP_TUPLE2:
        return tuple(p, 2, err);
    case OP_TUPLE3:
        return tuple(p, 3, err);
    case OP_POP:
        if (p->mark_count != 0 && p->marks[p->mark_count - 1] == p->depth) {
            p->mark_count--;
            return ZV_OK;
        }
        return p->depth == 0 ? underflow(p, err) : drop_top(p);
    case OP_POP_MARK:
        if (pop_mark(p, 0, &count, err) != ZV_OK) {
            return ZV_E_SYNTAX;
        }
        p->depth -= count;
        return ZV_OK;
    case OP_DUP:
        if (p->depth == 0) {
            return underflow(p, err);
        }
        p->stack[p->depth] = p->stack[p->depth - 1];
        p->depth++;
        return ZV_OK;
    default: /* the caller handles the others */
        return zv_fail_at(err, ZV_E_BUG, offset(p), "an opcode without a meaning");
    }
}

static enum zv_status refuse(const struct zv_pickle *p, struct zv_error *err)
{
    const struct pickle_opcode_row *const row = &pickle_opcodes[*p->at];
    switch ((enum pickle_use)row->use) {
    case PICKLE_RUNS_CODE:
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p),
                          "this pickle would run code (%s); a memory snapshot never does",
                          row->name);
    case PICKLE_UNSUPPORTED:
        return zv_fail_at(err, ZV_E_UNSUPPORTED, offset(p), "pickle opcode %s is not read",
                          row->name);
    case PICKLE_PROTOCOL_0:
        return zv_fail_at(err, ZV_E_UNSUPPORTED, offset(p),
                          "pickle opcode %s of protocol 0: 2 to 5 are read", row->name);
    case PICKLE_UNKNOWN:
    case PICKLE_DATA:
        break;
    }
    return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "no pickle opcode: byte 0x%02x", *p->at);
}

/* One opcode whose fixed operand is there; *width is its length and may be raised. */
static enum zv_status run(struct zv_pickle *p, size_t *width, struct zv_error *err)
{
    struct zv_pickle_value *const top = &p->stack[p->depth];
    switch (*p->at) {
    case OP_BINGET:
        return get(p, p->at[1], err);
    case OP_LONG_BINGET:
        return get(p, zv_le32(p->at + 1), err);
    case OP_MARK:
        return push_mark(p, err);
    case OP_BININT1:
        *top = small(p->at[1]);
        break;
    case OP_BININT2:
        *top = small(zv_le16(p->at + 1));
        break;
    case OP_BININT:
        *top = small((int32_t)zv_le32(p->at + 1));
        break;
    case OP_LONG1:
    case OP_LONG4:
        return push_long(p, width, err);
    case OP_BINFLOAT:
        *top = make(ZV_PICKLE_FLOAT, offset(p));
        break;
    case OP_NONE:
        *top = make(ZV_PICKLE_NONE, 0);
        break;
    case OP_NEWTRUE:
    case OP_NEWFALSE:
        *top = make(ZV_PICKLE_BOOL, *p->at == OP_NEWTRUE);
        break;
    case OP_SHORT_BINUNICODE:
    case OP_BINUNICODE:
    case OP_BINUNICODE8:
        return push_sized(p, ZV_PICKLE_TEXT, width, err);
    case OP_SHORT_BINSTRING:
    case OP_BINSTRING:
    case OP_SHORT_BINBYTES:
    case OP_BINBYTES:
    case OP_BINBYTES8:
        return push_sized(p, ZV_PICKLE_BYTES, width, err);
    case OP_EMPTY_LIST:
        p->depth++;
        return new_node(p, ZV_PICKLE_LIST, top, err);
    case OP_EMPTY_DICT:
        p->depth++;
        return new_node(p, ZV_PICKLE_DICT, top, err);
    case OP_MEMOIZE:
        return put(p, p->memo_count, err);
    case OP_BINPUT:
        return put(p, p->at[1], err);
    case OP_LONG_BINPUT:
        return put(p, zv_le32(p->at + 1), err);
    case OP_PROTO:
        return check_proto(p, err);
    case OP_FRAME:
        return check_frame(p, err);
    default:
        return run_shape(p, err);
    }
    p->depth++;
    return ZV_OK;
}

/*
 * Most of a snapshot is references and small numbers: runs of them, without the checks that only
 * other opcodes need. Stops before anything else, and before anything that is wrong.
 */
static void run_simple(struct zv_pickle *p)
{
    enum { WIDEST = 5 };
    const unsigned char *at = p->at;
    const unsigned char *const end = start(p) + p->input.length;
    struct zv_pickle_value *top = p->stack + p->depth;
    struct zv_pickle_value *const limit = p->stack + p->stack_capacity;
    while (end - at > WIDEST && top < limit) {
        size_t index;
        size_t width = 5;
        switch (*at) {
        case OP_BINGET:
            index = at[1];
            width = 2;
            break;
        case OP_LONG_BINGET:
            index = zv_le32(at + 1);
            break;
        case OP_BININT1:
            *top++ = small(at[1]);
            at += 2;
            continue;
        case OP_BININT:
            *top++ = small((int32_t)zv_le32(at + 1));
            at += 5;
            continue;
        default:
            goto stop;
        }
        if (index >= p->memo_capacity || p->memo[index].bits == 0) {
            goto stop;
        }
        struct zv_pickle_value *const entry = &p->memo[index];
        if (is_node(*entry)) {
            *entry = settle(p, *entry);
        }
        *top++ = *entry;
        at += width;
    }
stop:
    p->at = at;
    p->depth = (size_t)(top - p->stack);
}

static enum zv_status finish(struct zv_pickle *p, struct zv_error *err)
{
    if (p->depth != 1 || p->mark_count != 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "%zu values at the end of a pickle, not one",
                          p->depth);
    }
    if (left(p) != 1) {
        return zv_fail_at(err, ZV_E_SYNTAX, offset(p) + 1, "%zu bytes follow the pickle",
                          left(p) - 1);
    }
    p->root = settle(p, p->stack[0]);
    return ZV_OK;
}

enum zv_status zv_pickle_read(struct zv_pickle *p, struct zv_error *err)
{
    p->at = start(p);
    p->items.limit = ZV_PICKLE_MAX_ITEM_BYTES;
    if (p->input.length == 0 || *p->at != OP_PROTO) {
        return zv_fail_at(err, ZV_E_SYNTAX, 0,
                          "no pickle of protocol 2 to 5: it does not begin with 0x80");
    }
    const enum zv_status ready = grow_stack(p, err);
    if (ready != ZV_OK) {
        return ready;
    }
    for (;;) {
        run_simple(p);
        const size_t rest = left(p);
        if (rest == 0) {
            return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "truncated: the pickle has no end");
        }
        const struct pickle_opcode_row *const row = &pickle_opcodes[*p->at];
        size_t width = 1 + (size_t)row->operand;
        if (row->use != PICKLE_DATA) {
            return refuse(p, err);
        }
        if (rest < width) {
            return zv_fail_at(err, ZV_E_SYNTAX, offset(p), "truncated inside %s", row->name);
        }
        if (*p->at == OP_STOP) {
            return finish(p, err);
        }
        enum zv_status status = p->depth < p->stack_capacity ? ZV_OK : grow_stack(p, err);
        status = status == ZV_OK ? run(p, &width, err) : status;
        if (status != ZV_OK) {
            return status;
        }
        p->at += width;
    }
}

void zv_pickle_close(struct zv_pickle *p)
{
    for (size_t i = 0; i < p->node_count; i++) {
        struct items *const items = is_folded(p->nodes[i]) ? NULL : items_of(p->nodes[i]);
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
    const struct zv_pickle_node node =
        is_node(value) ? pickle->nodes[zv_pickle_payload(value)] : (struct zv_pickle_node){0};
    if (node.bits == 0 || is_folded(node)) {
        return (struct zv_pickle_items){0};
    }
    return (struct zv_pickle_items){items_of(node)->at, items_of(node)->count};
}
