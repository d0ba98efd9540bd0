#include "format/pickle_shape.h"

#include <string.h>

#include "base/little_endian.h"
#include "base/memory.h"
#include "format/pickle_container.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_push.h"
#include "format/pickle_repeat.h"

enum {
    SHAPES = 16,
    MOST_KEYS = 16,
    FURTHEST = 5 + 2 + 255 + 8 /* bytes that are looked at from a key on: a short text follows it */
};

struct key {
    uint64_t bytes; /* of the fetch */
    uint64_t mask;  /* of what is compared with them */
    size_t width;
    struct zv_pickle_value value; /* text */
};

struct shape {
    size_t count;
    struct key keys[MOST_KEYS + 1]; /* behind the last one: what equals nothing */
    uint8_t tags[MOST_KEYS];
    uint8_t places[ZV_PICKLE_TAGS]; /* as in a batch */
};

struct pickle_shapes {
    bool off;
    struct shape table[SHAPES];
};

/*
 * A dict on its way, its opening behind us. It has a place on the stack; its cell and its mark are
 * made only when something unusual comes.
 */
struct run {
    struct zv_pickle *p;
    struct pickle_tables tables;
    struct shape *shape;
    const unsigned char *last; /* from here on too few bytes are left */
    size_t place;              /* of the dict on the stack */
    size_t memo;               /* where it is put aside; NO_MEMO: its cell is there already */
    size_t list_place;         /* of the last list, which may be filled once more; 0: none */
    struct pickle_list list;
};

#define NO_MEMO SIZE_MAX

/* Dicts of one kind begin with the same key. */
static struct shape *shape_at(const struct zv_pickle *p, const unsigned char *key)
{
    return &p->shapes->table[(key[0] * 5U + key[1] + key[1] / SHAPES) % SHAPES];
}

static void set_count(struct shape *shape, size_t count)
{
    shape->count = count;
    shape->keys[count] = (struct key){.bytes = 1};
    memset(shape->places, 0, sizeof shape->places);
    for (size_t i = 0; i < count; i++) {
        shape->places[shape->tags[i]] = (uint8_t)(i + 1);
    }
}

/* The key at hand becomes the one at index; false: it is no fetch of a text. */
static bool learn(const struct run *run, const unsigned char *at, size_t index)
{
    const bool is_short = *at == OP_BINGET;
    if (index == MOST_KEYS || (!is_short && *at != OP_LONG_BINGET)) {
        return false;
    }
    const struct zv_pickle_value value = {
        pickle_fetch(&run->tables, is_short ? at[1] : zv_le32(at + 1))};
    if (zv_pickle_kind(value) != ZV_PICKLE_TEXT) {
        return false;
    }
    const uint64_t mask = (UINT64_C(1) << (is_short ? 16 : 40)) - 1;
    run->shape->keys[index] = (struct key){
        .bytes = zv_le64(at) & mask, .mask = mask, .width = is_short ? 2 : 5, .value = value};
    run->shape->tags[index] = run->p->tag(run->p->context, run->p, value) % ZV_PICKLE_TAGS;
    set_count(run->shape, run->shape->count <= index ? index + 1 : run->shape->count);
    return true;
}

static void stand(const struct run *run, const unsigned char *at, const struct zv_pickle_value *top)
{
    run->p->at = at;
    run->p->depth = (size_t)(top - run->p->stack);
}

/* A list that is run whole, or an empty container; *width stays 0: neither, or an error. */
static enum zv_status push_container(struct run *run, const unsigned char *at,
                                     struct zv_pickle_value *top, size_t *width,
                                     struct zv_error *err)
{
    const size_t place = (size_t)(top - run->p->stack);
    run->list.width = 0;
    const enum zv_status status =
        *at == OP_EMPTY_LIST ? pickle_run_list(run->p, at, place, &run->list, err) : ZV_OK;
    if (run->list.width != 0) {
        run->list_place = place;
        *top = run->list.value;
        *width = run->list.width;
    } else if (status == ZV_OK) {
        *width = pickle_push_fresh(run->p, at, top);
    }
    return status;
}

/* Pairs of the dict, as far as they are usual; how many there were when SETITEMS is behind the last
 * of them, else 0. Errors as pickle_run_list. */
static enum zv_status run_pairs(struct run *run, size_t *pairs, struct zv_error *err)
{
    struct zv_pickle *const p = run->p;
    const struct pickle_tables tables = run->tables;
    const struct key *const first = run->shape->keys;
    const unsigned char *const last = run->last;
    const struct key *key = first;
    const unsigned char *at = p->at;
    struct zv_pickle_value *top = p->stack + p->depth;
    enum zv_status status = ZV_OK;
    *pairs = 0;
    while (at < last) {
        if ((zv_le64(at) & key->mask) != key->bytes) {
            if (*at == OP_MEMOIZE && key != first && pickle_put_new(p, p->memo_count, top[-1])) {
                at++;
                continue;
            }
            if (*at == OP_SETITEMS) {
                *pairs = (size_t)(key - first);
                break;
            }
            if (!learn(run, at, (size_t)(key - first))) {
                break;
            }
        }
        *top++ = key->value;
        at += key->width;
        key++;
        size_t width = pickle_push(p, &tables, at, top);
        if (width == 0) {
            status = push_container(run, at, top, &width, err);
            if (width == 0) {
                break;
            }
        }
        at += width;
        top++;
    }
    stand(run, at, top);
    return status;
}

/* The cell of the dict, where it has none yet. */
static enum zv_status make_dict(struct run *run, struct zv_error *err)
{
    const size_t memo = run->memo;
    run->memo = NO_MEMO;
    return memo == NO_MEMO
               ? ZV_OK
               : pickle_make_put(run->p, ZV_PICKLE_DICT, memo + 1, &run->p->stack[run->place], err);
}

/* Something unusual is at hand: the machine becomes what it would be without all this. */
static enum zv_status leave(struct run *run, struct zv_error *err)
{
    struct zv_pickle *const p = run->p;
    const size_t depth = p->depth;
    enum zv_status status = make_dict(run, err);
    if (run->list_place != 0 && run->list_place == depth - 1) {
        p->stack[depth - 1] = run->list.on_stack;
    }
    p->depth = run->place + 1;
    status = status == ZV_OK ? pickle_push_mark(p, err) : status;
    p->depth = depth;
    return status;
}

/* The dict is whole, of so many pairs; SETITEMS is at hand. */
static enum zv_status finish(struct run *run, size_t pairs, struct zv_error *err)
{
    struct zv_pickle *const p = run->p;
    struct zv_pickle_value *const dict = &p->stack[run->place];
    const struct zv_pickle_batch batch = {.kind = ZV_PICKLE_DICT,
                                          .offset = pickle_offset(p),
                                          .items = {dict + 1, 2 * pairs},
                                          .places = run->shape->places};
    struct zv_pickle_value handle = {0};
    p->depth = run->place + 1;
    const enum zv_status status = p->fold(p->context, p, &batch, &handle, err);
    if (status != ZV_OK) {
        return status;
    }
    const uint64_t payload = zv_pickle_payload(handle);
    if (run->memo != NO_MEMO && zv_pickle_kind(handle) == ZV_PICKLE_HANDLE &&
        payload < PICKLE_INLINE) {
        p->memo[run->memo] = PICKLE_INLINE | (uint32_t)payload;
        *dict = pickle_owned(payload, true, run->memo + 1);
        return ZV_OK;
    }
    const enum zv_status made = make_dict(run, err);
    return made == ZV_OK ? pickle_take(p, dict, &batch, handle, err) : made;
}

/* One more dict when it follows at once, and is put aside. */
static bool next_dict(struct run *run)
{
    struct zv_pickle *const p = run->p;
    if (p->at >= run->last || p->depth == p->stack_capacity || p->at[0] != OP_EMPTY_DICT ||
        p->at[1] != OP_MEMOIZE || p->at[2] != OP_MARK || !pickle_can_put(p, p->memo_count)) {
        return false;
    }
    run->memo = p->memo_count++;
    p->stack[p->depth++] = (struct zv_pickle_value){0};
    p->at += 3;
    return true;
}

static enum zv_status begin(struct zv_pickle *p, struct zv_error *err)
{
    p->shapes = zv_memory_alloc(sizeof *p->shapes);
    if (p->shapes == NULL) {
        return zv_fail_memory(err, "dicts of a pickle");
    }
    memset(p->shapes, 0, sizeof *p->shapes);
    for (size_t i = 0; i < SHAPES; i++) {
        set_count(&p->shapes->table[i], 0);
    }
    return ZV_OK;
}

/* The dict whose opening is behind us; *more: it was whole, and the next one is opened. */
static enum zv_status run_dict(struct run *run, bool *more, struct zv_error *err)
{
    struct zv_pickle *const p = run->p;
    enum zv_status status = ZV_OK;
    size_t pairs = 0;
    run->place = p->depth - 1;
    run->list_place = 0;
    if (p->at < run->last && !p->shapes->off && p->stack_capacity - p->depth > 2 * MOST_KEYS) {
        run->tables = (struct pickle_tables){p->memo, p->memo_capacity, p->cells};
        run->shape = shape_at(p, p->at);
        status = run_pairs(run, &pairs, err);
    }
    *more = false;
    if (status != ZV_OK) {
        return status;
    }
    if (pairs == 0) {
        return leave(run, err);
    }
    if (pairs != run->shape->count) {
        set_count(run->shape, pairs);
    }
    status = finish(run, pairs, err);
    if (status == ZV_OK) {
        p->at++;
        *more = next_dict(run);
    }
    return status;
}

enum zv_status pickle_run_dicts(struct zv_pickle *p, struct zv_error *err)
{
    const unsigned char *const end = pickle_start(p) + p->input.length;
    struct run run = {.p = p, .memo = NO_MEMO};
    enum zv_status status = p->shapes == NULL ? begin(p, err) : ZV_OK;
    bool more = status == ZV_OK;
    run.last = p->input.length > FURTHEST ? end - FURTHEST : p->at;
    p->at += more;
    while (more) {
        status = run_dict(&run, &more, err);
    }
    return status;
}

void pickle_forget_shapes(struct zv_pickle *p)
{
    if (p->shapes != NULL) {
        p->shapes->off = true;
    }
}
