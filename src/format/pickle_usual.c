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
    if ((entry & PICKLE_INLINE) != 0) {
        return zv_pickle_handle(entry & (PICKLE_INLINE - 1)).bits;
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

/* A container that nobody knows yet is put aside where nothing is. */
static inline bool put_fresh(struct zv_pickle *p, size_t index, struct zv_pickle_value value)
{
    if (index >= p->memo_capacity || index >= PICKLE_MEMO_MOST || p->memo[index] != 0 ||
        (zv_pickle_kind(value) != ZV_PICKLE_LIST && zv_pickle_kind(value) != ZV_PICKLE_DICT)) {
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

void pickle_run_usual(struct zv_pickle *p)
{
    const unsigned char *at = p->at;
    const unsigned char *const end = pickle_start(p) + p->input.length;
    const struct tables tables = {p->memo, p->memo_capacity, p->cells};
    struct zv_pickle_value *top = p->stack + p->depth;
    struct zv_pickle_value *const limit = p->stack + p->stack_capacity;
    while (end - at > WIDEST && top < limit) {
        size_t width = 1;
        bool done = true;
        switch (*at) {
        case OP_BINGET:
            top->bits = fetch(&tables, at[1]);
            done = top->bits != 0;
            width = 2;
            top++;
            break;
        case OP_LONG_BINGET:
            top->bits = fetch(&tables, zv_le32(at + 1));
            done = top->bits != 0;
            width = 5;
            top++;
            break;
        case OP_BININT1:
            *top++ = pickle_small(at[1]);
            width = 2;
            break;
        case OP_BININT2:
            *top++ = pickle_small(zv_le16(at + 1));
            width = 3;
            break;
        case OP_BININT:
            *top++ = pickle_small((int32_t)zv_le32(at + 1));
            width = 5;
            break;
        case OP_LONG1:
            width = 2 + (size_t)at[1];
            done = at[1] - 1U < 8 && read_long(at + 2, at[1], top);
            top++;
            break;
        case OP_NONE:
            *top++ = pickle_make(ZV_PICKLE_NONE, 0);
            break;
        case OP_EMPTY_LIST:
            done = push_fresh(p, ZV_PICKLE_LIST, top);
            top++;
            break;
        case OP_EMPTY_DICT:
            done = push_fresh(p, ZV_PICKLE_DICT, top);
            top++;
            break;
        case OP_MEMOIZE:
            if (top == p->stack || !put_fresh(p, p->memo_count, top[-1])) {
                goto stop;
            }
            break;
        case OP_MARK:
            width = mark(p, at, top);
            if (width == 0) {
                goto stop;
            }
            break;
        default:
            goto stop;
        }
        if (!done) {
            top--;
            break;
        }
        at += width;
    }
stop:
    p->at = at;
    p->depth = (size_t)(top - p->stack);
}
