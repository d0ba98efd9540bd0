#include "format/pickle.h"

#include <inttypes.h>

#include "base/little_endian.h"
#include "format/pickle_container.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_stack.h"
#include "format/pickle_usual.h"

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
    if (length > pickle_left(p) - head) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                          "truncated: %s announces %" PRIu64 " bytes, %zu follow",
                          pickle_opcodes[*p->at].name, length, pickle_left(p) - head);
    }
    *width = head + (size_t)length;
    p->stack[p->depth++] = pickle_make(kind, pickle_offset(p));
    return ZV_OK;
}

static enum zv_status push_long(struct zv_pickle *p, size_t *width, struct zv_error *err)
{
    const enum zv_status status = push_sized(p, ZV_PICKLE_LONG, width, err);
    int64_t value;
    const int64_t most = INT64_C(1) << 59;
    if (status == ZV_OK && zv_pickle_i64(p, p->stack[p->depth - 1], &value) && value < most &&
        value >= -most) {
        p->stack[p->depth - 1] = pickle_small(value);
    }
    return status;
}

static enum zv_status check_proto(const struct zv_pickle *p, struct zv_error *err)
{
    if (p->at[1] < 2 || p->at[1] > 5) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, pickle_offset(p),
                          "pickle protocol %u: 2 to 5 are read", p->at[1]);
    }
    return ZV_OK;
}

static enum zv_status check_frame(const struct zv_pickle *p, struct zv_error *err)
{
    const uint64_t length = announced(p->at);
    if (length > pickle_left(p) - 9) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                          "truncated: a frame of %" PRIu64 " bytes begins, %zu follow", length,
                          pickle_left(p) - 9);
    }
    return ZV_OK;
}

static enum zv_status tuple(struct zv_pickle *p, size_t count, struct zv_error *err)
{
    return p->depth < count ? pickle_underflow(p, err)
                            : pickle_gather(p, ZV_PICKLE_TUPLE, count, err);
}

static enum zv_status from_mark(struct zv_pickle *p, enum zv_pickle_kind kind, bool is_new,
                                struct zv_error *err)
{
    size_t count = 0;
    const enum zv_status status = pickle_pop_mark(p, is_new ? 0 : 1, &count, err);
    if (status != ZV_OK) {
        return status;
    }
    return is_new ? pickle_gather(p, kind, count, err) : pickle_fill(p, kind, count, err);
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
        return p->depth < 2 ? pickle_underflow(p, err) : pickle_fill(p, ZV_PICKLE_LIST, 1, err);
    case OP_SETITEM:
        return p->depth < 3 ? pickle_underflow(p, err) : pickle_fill(p, ZV_PICKLE_DICT, 2, err);
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
        return p->depth == 0 ? pickle_underflow(p, err) : drop_top(p);
    case OP_POP_MARK:
        if (pickle_pop_mark(p, 0, &count, err) != ZV_OK) {
            return ZV_E_SYNTAX;
        }
        p->depth -= count;
        return ZV_OK;
    case OP_DUP:
        if (p->depth == 0) {
            return pickle_underflow(p, err);
        }
        pickle_duplicate(p);
        return ZV_OK;
    default: /* the caller handles the others */
        return zv_fail_at(err, ZV_E_BUG, pickle_offset(p), "an opcode without a meaning");
    }
}

static enum zv_status refuse(const struct zv_pickle *p, struct zv_error *err)
{
    const struct pickle_opcode_row *const row = &pickle_opcodes[*p->at];
    switch ((enum pickle_use)row->use) {
    case PICKLE_RUNS_CODE:
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                          "this pickle would run code (%s); a memory snapshot never does",
                          row->name);
    case PICKLE_UNSUPPORTED:
        return zv_fail_at(err, ZV_E_UNSUPPORTED, pickle_offset(p), "pickle opcode %s is not read",
                          row->name);
    case PICKLE_PROTOCOL_0:
        return zv_fail_at(err, ZV_E_UNSUPPORTED, pickle_offset(p),
                          "pickle opcode %s of protocol 0: 2 to 5 are read", row->name);
    case PICKLE_UNKNOWN:
    case PICKLE_DATA:
        break;
    }
    return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "no pickle opcode: byte 0x%02x", *p->at);
}

static enum zv_status get(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    const struct zv_pickle_value value = pickle_memo(p, index);
    if (value.bits == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "memo entry %zu was never put",
                          index);
    }
    p->stack[p->depth++] = value;
    return ZV_OK;
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
        return pickle_push_mark(p, err);
    case OP_BININT1:
        *top = pickle_small(p->at[1]);
        break;
    case OP_BININT2:
        *top = pickle_small(zv_le16(p->at + 1));
        break;
    case OP_BININT:
        *top = pickle_small((int32_t)zv_le32(p->at + 1));
        break;
    case OP_LONG1:
    case OP_LONG4:
        return push_long(p, width, err);
    case OP_BINFLOAT:
        *top = pickle_make(ZV_PICKLE_FLOAT, pickle_offset(p));
        break;
    case OP_NONE:
        *top = pickle_make(ZV_PICKLE_NONE, 0);
        break;
    case OP_NEWTRUE:
    case OP_NEWFALSE:
        *top = pickle_make(ZV_PICKLE_BOOL, *p->at == OP_NEWTRUE);
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
        return pickle_push_empty(p, ZV_PICKLE_LIST, err);
    case OP_EMPTY_DICT:
        return pickle_push_empty(p, ZV_PICKLE_DICT, err);
    case OP_MEMOIZE:
        return pickle_put(p, p->memo_count, err);
    case OP_BINPUT:
        return pickle_put(p, p->at[1], err);
    case OP_LONG_BINPUT:
        return pickle_put(p, zv_le32(p->at + 1), err);
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

static enum zv_status finish(struct zv_pickle *p, struct zv_error *err)
{
    if (p->depth != 1 || p->mark_count != 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                          "%zu values at the end of a pickle, not one", p->depth);
    }
    if (pickle_left(p) != 1) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p) + 1, "%zu bytes follow the pickle",
                          pickle_left(p) - 1);
    }
    p->root = pickle_settle(p, p->stack[0]);
    return ZV_OK;
}

enum zv_status zv_pickle_read(struct zv_pickle *p, struct zv_error *err)
{
    p->at = pickle_start(p);
    p->items.limit = ZV_PICKLE_MAX_ITEM_BYTES;
    if (p->input.length == 0 || *p->at != OP_PROTO) {
        return zv_fail_at(err, ZV_E_SYNTAX, 0,
                          "no pickle of protocol 2 to 5: it does not begin with 0x80");
    }
    const enum zv_status ready = pickle_grow_stack(p, err);
    if (ready != ZV_OK) {
        return ready;
    }
    for (;;) {
        enum zv_status status = pickle_run_usual(p, err);
        if (status != ZV_OK) {
            return status;
        }
        const size_t rest = pickle_left(p);
        if (rest == 0) {
            return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                              "truncated: the pickle has no end");
        }
        const struct pickle_opcode_row *const row = &pickle_opcodes[*p->at];
        size_t width = 1 + (size_t)row->operand;
        if (row->use != PICKLE_DATA) {
            return refuse(p, err);
        }
        if (rest < width) {
            return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "truncated inside %s", row->name);
        }
        if (*p->at == OP_STOP) {
            return finish(p, err);
        }
        status = p->depth < p->stack_capacity ? ZV_OK : pickle_grow_stack(p, err);
        status = status == ZV_OK ? run(p, &width, err) : status;
        if (status != ZV_OK) {
            return status;
        }
        p->at += width;
    }
}
