/*
 * The machine of a pickle apart from its opcodes: stack, containers, marks, memo. Room-internal.
 *
 * A large file has a container for every event and puts each aside, so both are small:
 *
 *     stack   8 bytes: an atom, a handle, or a container by the number of its cell
 *     cell    8 bytes: the items of a container, the handle that stands for it, or a put-aside atom
 *     memo    4 bytes: a handle below 2^31, a text in the first GiB, or the number of a cell
 *
 * While a container is fresh (nobody but the top of the stack and one memo entry knows it) its
 * cell holds the number of that entry. When it is folded then, both get the handle and the cell is
 * used again; what stays on the stack is an owned handle, which knows the entry, so that the
 * container can be filled once more.
 */
#ifndef ZIRVE_FORMAT_PICKLE_STACK_H
#define ZIRVE_FORMAT_PICKLE_STACK_H

#include "base/fail.h"
#include "format/pickle.h"

struct pickle_items;

/* Kinds that never leave this room, beside those of enum zv_pickle_kind. */
enum pickle_inner_kind {
    PICKLE_OWNED = 13, /* stack: handle (31 bits), is it a dict (1), memo entry plus 1 (28) */
    PICKLE_FRESH = 14, /* cell: is it a dict (1), memo entry plus 1 (28, 0: not put aside) */
    PICKLE_UNUSED = 15 /* cell: the next unused one plus 1 */
};

enum { PICKLE_OWNED_DICT = 31, PICKLE_OWNED_MEMO = 32 }; /* bits of an owned handle's payload */
#define PICKLE_INLINE    (UINT32_C(1) << 31)             /* memo: the rest is a handle's payload */
#define PICKLE_TEXT      (UINT32_C(1) << 30)             /* memo: the rest is where a text is */
#define PICKLE_MEMO_MOST ((UINT64_C(1) << 28) - 1)

struct zv_pickle_cell {
    union {
        uint64_t bits;              /* kind in the low 4 bits */
        struct pickle_items *items; /* of a container: aligned, kind added; 0 and kind: empty */
    };
};

_Static_assert(sizeof(struct zv_pickle_cell) == 8, "a pointer in 64 bits");

static inline unsigned pickle_cell_kind(struct zv_pickle_cell cell)
{
    return (unsigned)(cell.bits & 15);
}

static inline const unsigned char *pickle_start(const struct zv_pickle *p)
{
    return (const unsigned char *)p->input.at;
}

static inline uint64_t pickle_offset(const struct zv_pickle *p)
{
    return (uint64_t)(p->at - pickle_start(p));
}

static inline size_t pickle_left(const struct zv_pickle *p)
{
    return p->input.length - (size_t)pickle_offset(p);
}

static inline struct zv_pickle_value pickle_make(enum zv_pickle_kind kind, uint64_t payload)
{
    return (struct zv_pickle_value){payload << 4 | (uint64_t)kind};
}

static inline struct zv_pickle_value pickle_small(int64_t value)
{
    return pickle_make(ZV_PICKLE_INT, (uint64_t)value);
}

/* What the cell of a list or dict holds that nobody knows yet. */
static inline uint64_t pickle_fresh(enum zv_pickle_kind kind)
{
    return (uint64_t)(kind == ZV_PICKLE_DICT) << 4 | PICKLE_FRESH;
}

static inline bool pickle_is_container(struct zv_pickle_value value)
{
    return zv_pickle_kind(value) >= ZV_PICKLE_TUPLE && zv_pickle_kind(value) <= ZV_PICKLE_DICT;
}

static inline struct zv_pickle_cell *pickle_cell(const struct zv_pickle *p,
                                                 struct zv_pickle_value value)
{
    return &p->cells[zv_pickle_payload(value)];
}

/* memo: entry plus 1, 0: not put aside. */
static inline struct zv_pickle_value pickle_owned(uint64_t payload, bool is_dict, uint64_t memo)
{
    return (struct zv_pickle_value){
        (memo << PICKLE_OWNED_MEMO | (uint64_t)is_dict << PICKLE_OWNED_DICT | payload) << 4 |
        PICKLE_OWNED};
}

/* The value a reference stands for: a folded container is its handle. */
static inline struct zv_pickle_value pickle_settle(const struct zv_pickle *p,
                                                   struct zv_pickle_value value)
{
    if ((value.bits & 15) == PICKLE_OWNED) {
        return zv_pickle_handle(zv_pickle_payload(value) & (PICKLE_INLINE - 1));
    }
    if (p->fold != NULL && pickle_is_container(value)) {
        const struct zv_pickle_cell cell = *pickle_cell(p, value);
        return pickle_cell_kind(cell) == ZV_PICKLE_HANDLE ? (struct zv_pickle_value){cell.bits}
                                                          : value;
    }
    return value;
}

/* What a memo entry says by itself; absent: the entry is of a cell. */
static inline struct zv_pickle_value pickle_entry_value(uint32_t entry)
{
    return (entry & PICKLE_INLINE) != 0 ? zv_pickle_handle(entry & (PICKLE_INLINE - 1))
           : (entry & PICKLE_TEXT) != 0 ? pickle_make(ZV_PICKLE_TEXT, entry & (PICKLE_TEXT - 1))
                                        : (struct zv_pickle_value){0};
}

/* The memo entry that says a value by itself; 0: it needs a cell. */
static inline uint32_t pickle_entry_of(struct zv_pickle_value value)
{
    const uint64_t payload = zv_pickle_payload(value);
    if (zv_pickle_kind(value) == ZV_PICKLE_HANDLE && payload < PICKLE_INLINE) {
        return PICKLE_INLINE | (uint32_t)payload;
    }
    return zv_pickle_kind(value) == ZV_PICKLE_TEXT && payload < PICKLE_TEXT
               ? PICKLE_TEXT | (uint32_t)payload
               : 0;
}

/* Whether a memo entry is there and free. */
static inline bool pickle_can_put(const struct zv_pickle *p, size_t index)
{
    return index < p->memo_capacity && index < PICKLE_MEMO_MOST && p->memo[index] == 0;
}

/* Room for at least count elements of so many bytes; *capacity 0 at first. */
enum zv_status pickle_grow(void **array, size_t *capacity, size_t count, size_t size,
                           const struct zv_pickle *p, struct zv_error *err);

/* Room for one more value on the stack. */
enum zv_status pickle_grow_stack(struct zv_pickle *p, struct zv_error *err);

/* The opcode at hand finds too few values. */
enum zv_status pickle_underflow(const struct zv_pickle *p, struct zv_error *err);

/* The topmost value once more. */
void pickle_duplicate(struct zv_pickle *p);

enum zv_status pickle_push_mark(struct zv_pickle *p, struct zv_error *err);

/* How many values are above the last mark, which is taken away; at least below values below it. */
enum zv_status pickle_pop_mark(struct zv_pickle *p, size_t below, size_t *count,
                               struct zv_error *err);

/* The topmost value is put aside. */
enum zv_status pickle_put(struct zv_pickle *p, size_t index, struct zv_error *err);

/* What was put aside; absent: nothing was. */
struct zv_pickle_value pickle_memo(struct zv_pickle *p, size_t index);

#endif
