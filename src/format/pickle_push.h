/* The opcodes that push a value or put one aside, without the checks of rare cases: each is told
 * what it needs and says when it is none of the usual. Room-internal. */
#ifndef ZIRVE_FORMAT_PICKLE_PUSH_H
#define ZIRVE_FORMAT_PICKLE_PUSH_H

#include "base/little_endian.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_stack.h"

enum { PICKLE_WIDEST = 10 }; /* bytes of an opcode that is run here: LONG1 of eight */

/* What does not move while only usual opcodes run. */
struct pickle_tables {
    const uint32_t *memo;
    size_t memo_capacity;
    const struct zv_pickle_cell *cells;
};

/* The value of a memo entry unless it is a container that only the top of the stack knows; 0: that,
 * or none. */
static inline uint64_t pickle_fetch(const struct pickle_tables *tables, size_t index)
{
    const uint32_t entry = index < tables->memo_capacity ? tables->memo[index] : 0;
    const struct zv_pickle_value value = pickle_entry_value(entry);
    if (value.bits != 0) {
        return value.bits;
    }
    const uint64_t bits = entry != 0 ? tables->cells[entry - 1].bits : 0;
    const uint64_t kind = bits & 15;
    return kind < ZV_PICKLE_TUPLE || kind == ZV_PICKLE_HANDLE ? bits
           : kind <= ZV_PICKLE_DICT ? pickle_make((enum zv_pickle_kind)kind, entry - 1).bits
                                    : 0;
}

/* A number of one to eight bytes, two's complement; false: it needs more than 60 bits. */
static inline bool pickle_read_long(const unsigned char *at, unsigned bytes,
                                    struct zv_pickle_value *to)
{
    const unsigned unused = 64 - 8 * bytes;
    const int64_t value = (int64_t)(zv_le64(at) << unused) >> unused;
    *to = pickle_small(value);
    return (int64_t)to->bits >> 4 == value;
}

/* An empty list or dict, where a cell is free; its bytes, 0: something else. */
static inline size_t pickle_push_fresh(struct zv_pickle *p, const unsigned char *at,
                                       struct zv_pickle_value *top)
{
    if (p->free_cell == 0 || (*at != OP_EMPTY_LIST && *at != OP_EMPTY_DICT)) {
        return 0;
    }
    const size_t cell = p->free_cell - 1;
    const enum zv_pickle_kind kind = *at == OP_EMPTY_LIST ? ZV_PICKLE_LIST : ZV_PICKLE_DICT;
    p->free_cell = (size_t)(p->cells[cell].bits >> 4);
    p->cells[cell].bits = pickle_fresh(kind);
    *top = pickle_make(kind, cell);
    return 1;
}

/* A text, or a container that nobody knows yet, is put aside where nothing is. */
static inline bool pickle_put_new(struct zv_pickle *p, size_t index, struct zv_pickle_value value)
{
    if (!pickle_can_put(p, index)) {
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

/* An atom, or what was put aside; how many bytes that was, 0: it is none of the usual. */
static inline size_t pickle_push(const struct zv_pickle *p, const struct pickle_tables *tables,
                                 const unsigned char *at, struct zv_pickle_value *top)
{
    switch (*at) {
    case OP_BINGET:
        top->bits = pickle_fetch(tables, at[1]);
        return top->bits != 0 ? 2 : 0;
    case OP_LONG_BINGET:
        top->bits = pickle_fetch(tables, zv_le32(at + 1));
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
        return at[1] - 1U < 8 && pickle_read_long(at + 2, at[1], top) ? 2 + (size_t)at[1] : 0;
    case OP_SHORT_BINUNICODE:
        *top = pickle_make(ZV_PICKLE_TEXT, (uint64_t)(at - pickle_start(p)));
        return 2 + (size_t)at[1];
    case OP_NONE:
        *top = pickle_make(ZV_PICKLE_NONE, 0);
        return 1;
    default:
        return 0;
    }
}

#endif
