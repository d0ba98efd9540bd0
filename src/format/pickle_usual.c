#include "format/pickle_usual.h"

#include "base/little_endian.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_repeat.h"
#include "format/pickle_stack.h"

enum { WIDEST = 10 }; /* bytes of an opcode that is run here: LONG1 of eight */

/* What does not move while only usual opcodes run. */
struct tables {
    const uint32_t *memo;
    size_t memo_capacity;
    const struct zv_pickle_cell *cells;
};

/* The value of a memo entry unless it is a container; 0: something else. */
static inline uint64_t fetch(const struct tables *tables, size_t index)
{
    const uint32_t entry = index < tables->memo_capacity ? tables->memo[index] : 0;
    const struct zv_pickle_value value = pickle_entry_value(entry);
    if (value.bits != 0) {
        return value.bits;
    }
    const uint64_t bits = entry != 0 ? tables->cells[entry - 1].bits : 0;
    return (bits & 15) < ZV_PICKLE_TUPLE ? bits : 0;
}

/* A number of one to eight bytes, two's complement; false: it needs more than 60 bits. */
static inline bool read_long(const unsigned char *at, unsigned bytes, struct zv_pickle_value *to)
{
    const unsigned unused = 64 - 8 * bytes;
    const int64_t value = (int64_t)(zv_le64(at) << unused) >> unused;
    *to = pickle_small(value);
    return (int64_t)to->bits >> 4 == value;
}

static inline bool push_fresh(struct zv_pickle *p, enum zv_pickle_kind kind,
                              struct zv_pickle_value *top)
{
    if (p->free_cell == 0) {
        return false;
    }
    const size_t cell = p->free_cell - 1;
    p->free_cell = (size_t)(p->cells[cell].bits >> 4);
    p->cells[cell].bits = pickle_fresh(kind);
    *top = pickle_make(kind, cell);
    return true;
}

/* A text, or a container that nobody knows yet, is put aside where nothing is. */
static inline bool put_new(struct zv_pickle *p, size_t index, struct zv_pickle_value value)
{
    if (index >= p->memo_capacity || index >= PICKLE_MEMO_MOST || p->memo[index] != 0) {
        return false;
    }
    if (zv_pickle_kind(value) == ZV_PICKLE_TEXT) {
        p->memo[index] = pickle_entry_of(value);
        p->memo_count += p->memo[index] != 0;
        return p->memo[index] != 0;
    }
    if (zv_pickle_kind(value) != ZV_PICKLE_LIST && zv_pickle_kind(value) != ZV_PICKLE_DICT) {
        return false;
    }
    struct zv_pickle_cell *const cell = pickle_cell(p, value);
    if (cell->bits != pickle_fresh(zv_pickle_kind(value))) {
        return false;
    }
    cell->bits |= (uint64_t)(index + 1) << 5;
    p->memo[index] = (uint32_t)zv_pickle_payload(value) + 1;
    p->memo_count++;
    return true;
}

/* At a MARK: a list that is known, or one more mark; how many bytes that was. */
static inline size_t mark(struct zv_pickle *p, const unsigned char *at,
                          const struct zv_pickle_value *top)
{
    if (p->fold != NULL && top != p->stack && pickle_is_fresh_list(p, top[-1])) {
        p->at = at;
        p->depth = (size_t)(top - p->stack);
        if (pickle_repeat(p)) {
            return (size_t)(p->at - at);
        }
    }
    if (p->mark_count == p->mark_capacity) {
        return 0;
    }
    p->marks[p->mark_count++] = (size_t)(top - p->stack);
    return 1;
}

/* A value that an opcode pushes; how many bytes that was, 0: it is none of the usual. */
static inline size_t push(struct zv_pickle *p, const struct tables *tables, const unsigned char *at,
                          struct zv_pickle_value *top)
{
    switch (*at) {
    case OP_BINGET:
        top->bits = fetch(tables, at[1]);
        return top->bits != 0 ? 2 : 0;
    case OP_LONG_BINGET:
        top->bits = fetch(tables, zv_le32(at + 1));
        return top->bits != 0 ? 5 : 0;
    case OP_BININT1:
        *top = pickle_small(at[1]);
        return 2;
    case OP_BININT2:
        *top = pickle_small(zv_le16(at + 1));
        return 3;
    case OP_BININT:
        *top = pickle_small((int32_t)zv_le32(at + 1));
        return 5;
    case OP_LONG1:
        return at[1] - 1U < 8 && read_long(at + 2, at[1], top) ? 2 + (size_t)at[1] : 0;
    case OP_SHORT_BINUNICODE:
        *top = pickle_make(ZV_PICKLE_TEXT, (uint64_t)(at - pickle_start(p)));
        return 2 + (size_t)at[1];
    case OP_NONE:
        *top = pickle_make(ZV_PICKLE_NONE, 0);
        return 1;
    case OP_EMPTY_LIST:
        return push_fresh(p, ZV_PICKLE_LIST, top);
    case OP_EMPTY_DICT:
        return push_fresh(p, ZV_PICKLE_DICT, top);
    default:
        return 0;
    }
}

/* A mark, or a value put aside; how many bytes that was, 0: it is none of the usual. */
static inline size_t note(struct zv_pickle *p, const unsigned char *at,
                          const struct zv_pickle_value *top)
{
    if (*at == OP_MARK) {
        return mark(p, at, top);
    }
    return *at == OP_MEMOIZE && top != p->stack && put_new(p, p->memo_count, top[-1]);
}

/* Whether the opcode at hand fills a container that is there, below the last mark. */
static inline bool can_fill(const struct zv_pickle *p)
{
    const size_t mark = p->mark_count != 0 ? p->marks[p->mark_count - 1] : 0;
    return (*p->at == OP_APPENDS || *p->at == OP_SETITEMS) && mark != 0 && mark <= p->depth;
}

/* Runs opcodes that push or note, until another or the last bytes. */
static void run_small(struct zv_pickle *p)
{
    const unsigned char *const end = pickle_start(p) + p->input.length;
    const unsigned char *const last = p->input.length > WIDEST ? end - WIDEST : p->at;
    const struct tables tables = {p->memo, p->memo_capacity, p->cells};
    const struct zv_pickle_value *const limit = p->stack + p->stack_capacity;
    const unsigned char *at = p->at;
    struct zv_pickle_value *top = p->stack + p->depth;
    while (at < last && top < limit) {
        size_t width = push(p, &tables, at, top);
        if (width > (size_t)(end - at)) {
            break; /* a text that is cut off */
        }
        top += width != 0;
        width = width != 0 ? width : note(p, at, top);
        if (width == 0) {
            break;
        }
        at += width;
    }
    p->at = at;
    p->depth = (size_t)(top - p->stack);
}

enum zv_status pickle_run_usual(struct zv_pickle *p, struct zv_error *err)
{
    for (;;) {
        run_small(p);
        if (pickle_left(p) == 0 || !can_fill(p)) {
            return ZV_OK;
        }
        const enum zv_status status =
            pickle_fill(p, *p->at == OP_APPENDS ? ZV_PICKLE_LIST : ZV_PICKLE_DICT,
                        p->depth - p->marks[--p->mark_count], err);
        if (status != ZV_OK) {
            return status;
        }
        p->at++;
    }
}
