/*
 * Pickle: Python's object files, protocols 2 to 5, read as data. Nothing is ever executed: opcodes
 * that import or call (GLOBAL, REDUCE, BUILD ...) are refused by name with their byte.
 *
 *     input ──► stack ──► containers ──► root          atoms (numbers, texts) stay in the input:
 *                 ▲                                     a value is 8 bytes, a kind and where it is
 *               memo (what was put aside to be shared)
 *
 * Shared parts keep their identity: a value that the file refers to twice is one container here.
 * A file may refer to a container from inside itself; who walks the result must bound its depth.
 *
 * Folding keeps memory small: whenever a list or dict is filled, a hook may take what it needs and
 * leave a handle (60 bits of its own) in its place, wherever the file refers to it afterwards.
 * Handles below 2^31 cost four bytes where the file puts them aside. A list of the same folded
 * parts as an earlier one gets that one's handle without the hook being asked again. A dict of the
 * same keys as an earlier one can come with their places, so that the hook need not look at them.
 */
#ifndef ZIRVE_FORMAT_PICKLE_H
#define ZIRVE_FORMAT_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_pickle_kind {
    ZV_PICKLE_ABSENT, /* no value */
    ZV_PICKLE_NONE,
    ZV_PICKLE_BOOL,
    ZV_PICKLE_INT,
    ZV_PICKLE_LONG, /* an int that needs more than 60 bits */
    ZV_PICKLE_FLOAT,
    ZV_PICKLE_TEXT,
    ZV_PICKLE_BYTES,
    ZV_PICKLE_TUPLE,
    ZV_PICKLE_LIST,
    ZV_PICKLE_DICT,
    ZV_PICKLE_HANDLE /* what a fold left */
};

struct zv_pickle_value {
    uint64_t bits; /* kind in the low 4 bits; 0 is ZV_PICKLE_ABSENT */
};

struct zv_pickle_items {
    const struct zv_pickle_value *at;
    size_t count; /* of a dict: keys and values, twice the number of pairs */
};

/* What was put into a list or dict just now. */
struct zv_pickle_batch {
    enum zv_pickle_kind kind;
    uint64_t offset;               /* byte of the opcode that did it */
    struct zv_pickle_value before; /* the handle that stands for what was there; absent: nothing */
    struct zv_pickle_items items;
    const uint8_t *places; /* of a dict whose keys are known: by tag, the number of the pair that
                              has it, from 1 (of several the last), 0: none; else NULL */
};

struct zv_pickle;

/* Sets *handle to fold the container; leaves it absent to keep the items as they are. */
typedef enum zv_status zv_pickle_fold_fn(void *context, const struct zv_pickle *pickle,
                                         const struct zv_pickle_batch *batch,
                                         struct zv_pickle_value *handle, struct zv_error *err);

enum { ZV_PICKLE_TAGS = 32 };

/* What a text means as a key, below ZV_PICKLE_TAGS: the same whenever asked. */
typedef uint8_t zv_pickle_tag_fn(void *context, const struct zv_pickle *pickle,
                                 struct zv_pickle_value text);

struct zv_pickle_cell;
struct pickle_repeats;
struct pickle_shapes;

/* Set input and perhaps fold, tag and context, the rest zero. */
struct zv_pickle {
    struct zv_slice input;
    zv_pickle_fold_fn *fold; /* NULL: everything is kept */
    zv_pickle_tag_fn *tag;   /* with fold alone; NULL: no tags */
    void *context;

    struct zv_pickle_value root; /* after reading */

    /* private */
    const unsigned char *at;
    struct zv_pickle_value *stack;
    size_t depth;
    size_t stack_capacity;
    size_t *marks;
    size_t mark_count;
    size_t mark_capacity;
    uint32_t *memo;
    size_t memo_count;
    size_t memo_capacity;
    struct zv_pickle_cell *cells;
    size_t cell_count;
    size_t cell_capacity;
    size_t free_cell; /* the first of them, plus 1 */
    struct zv_arena items;
    struct pickle_repeats *repeats;
    struct pickle_shapes *shapes;
};

enum { ZV_PICKLE_MAX_VALUES = 1 << 28 }; /* on the stack, put aside, containers: each */
#define ZV_PICKLE_MAX_ITEM_BYTES (UINT64_C(8) << 30)

/*
 * Reads one pickle; nothing may follow it. The input must outlive the machine. Close after a
 * failure too. Errors, with the byte offset: ZV_E_SYNTAX (also for opcodes that would run code),
 * ZV_E_UNSUPPORTED (protocols 0, 1 and above 5, sets, buffers), ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_pickle_read(struct zv_pickle *pickle, struct zv_error *err);
void zv_pickle_close(struct zv_pickle *pickle);

static inline enum zv_pickle_kind zv_pickle_kind(struct zv_pickle_value value)
{
    return (enum zv_pickle_kind)(value.bits & 15);
}

static inline struct zv_pickle_value zv_pickle_handle(uint64_t payload)
{
    return (struct zv_pickle_value){payload << 4 | ZV_PICKLE_HANDLE};
}

static inline uint64_t zv_pickle_payload(struct zv_pickle_value value)
{
    return value.bits >> 4;
}

/* False when the value is of another kind or does not fit. */
bool zv_pickle_u64(const struct zv_pickle *pickle, struct zv_pickle_value value, uint64_t *to);
bool zv_pickle_i64(const struct zv_pickle *pickle, struct zv_pickle_value value, int64_t *to);
bool zv_pickle_double(const struct zv_pickle *pickle, struct zv_pickle_value value, double *to);
bool zv_pickle_bool(struct zv_pickle_value value, bool *to);
/* Part of the input, not NUL-terminated. */
bool zv_pickle_text(const struct zv_pickle *pickle, struct zv_pickle_value value,
                    struct zv_slice *to);

/* Whether two texts of at most six bytes are the same; false of others, which may be. */
bool zv_pickle_same_short(const struct zv_pickle *pickle, struct zv_pickle_value a,
                          struct zv_pickle_value b);

/* The items of a tuple, list or dict; none of anything else. */
struct zv_pickle_items zv_pickle_items(const struct zv_pickle *pickle,
                                       struct zv_pickle_value value);

/* The value of a text key of a dict that was not folded (the last one that the file gives it). */
struct zv_pickle_value zv_pickle_find(const struct zv_pickle *pickle, struct zv_pickle_value dict,
                                      const char *key);

#endif
