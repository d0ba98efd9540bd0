/* The machine of a pickle apart from its opcodes: stack, containers, marks, memo. Room-internal. */
#ifndef ZIRVE_FORMAT_PICKLE_STACK_H
#define ZIRVE_FORMAT_PICKLE_STACK_H

#include "base/fail.h"
#include "format/pickle.h"

struct pickle_items;

/*
 * A tuple, list or dict in 8 bytes, because a large file has one for every event: 0 when it is
 * empty, else its items, else the handle that stands for them (told by the kind in the low bits).
 */
struct zv_pickle_node {
    union {
        uint64_t bits;
        struct pickle_items *items; /* aligned, so that its low four bits are 0 */
    };
};

_Static_assert(sizeof(struct zv_pickle_node) == 8, "a pointer in 64 bits");

static inline bool pickle_is_folded(struct zv_pickle_node node)
{
    return (node.bits & 15) == ZV_PICKLE_HANDLE;
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

static inline bool pickle_is_node(struct zv_pickle_value value)
{
    return zv_pickle_kind(value) >= ZV_PICKLE_TUPLE && zv_pickle_kind(value) <= ZV_PICKLE_DICT;
}

/* The value a reference stands for: a folded container is its handle. */
static inline struct zv_pickle_value pickle_settle(const struct zv_pickle *p,
                                                   struct zv_pickle_value value)
{
    if (p->fold != NULL && pickle_is_node(value)) {
        const struct zv_pickle_node node = p->nodes[zv_pickle_payload(value)];
        return pickle_is_folded(node) ? (struct zv_pickle_value){node.bits} : value;
    }
    return value;
}

/* Room for one more value on the stack. */
enum zv_status pickle_grow_stack(struct zv_pickle *p, struct zv_error *err);

/* The opcode at hand finds too few values. */
enum zv_status pickle_underflow(const struct zv_pickle *p, struct zv_error *err);

/* A new container, empty. */
enum zv_status pickle_new_node(struct zv_pickle *p, enum zv_pickle_kind kind,
                               struct zv_pickle_value *to, struct zv_error *err);

/* Puts the topmost count values, which are above a container, into it. */
enum zv_status pickle_fill(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                           struct zv_error *err);

/* The topmost count values become a new container. */
enum zv_status pickle_gather(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                             struct zv_error *err);

enum zv_status pickle_push_mark(struct zv_pickle *p, struct zv_error *err);

/* How many values are above the last mark, which is taken away; at least below values below it. */
enum zv_status pickle_pop_mark(struct zv_pickle *p, size_t below, size_t *count,
                               struct zv_error *err);

/* The topmost value is put aside. */
enum zv_status pickle_put(struct zv_pickle *p, size_t index, struct zv_error *err);

static inline enum zv_status pickle_get(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    if (index >= p->memo_capacity || p->memo[index].bits == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "memo entry %zu was never put",
                          index);
    }
    const struct zv_pickle_value value = pickle_settle(p, p->memo[index]);
    p->memo[index] = value;
    p->stack[p->depth++] = value;
    return ZV_OK;
}

#endif
