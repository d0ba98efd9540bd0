#include "format/pickle_usual.h"

#include "format/pickle_container.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_push.h"
#include "format/pickle_repeat.h"
#include "format/pickle_shape.h"
#include "format/pickle_stack.h"

/* Whether the value below top is a dict whose keys may be known. */
static inline bool is_dict_to_run(const struct zv_pickle *p, const struct zv_pickle_value *top)
{
    return p->tag != NULL && top != p->stack && pickle_is_fresh_dict(p, top[-1]);
}

static inline bool push_mark(struct zv_pickle *p, const struct zv_pickle_value *top)
{
    if (p->mark_count == p->mark_capacity || is_dict_to_run(p, top)) {
        return false;
    }
    p->marks[p->mark_count++] = (size_t)(top - p->stack);
    return true;
}

/* A mark, or a value put aside; how many bytes that was, 0: it is none of these. */
static inline size_t note(struct zv_pickle *p, const unsigned char *at, struct zv_pickle_value *top)
{
    if (*at == OP_MARK) {
        return push_mark(p, top);
    }
    return *at == OP_MEMOIZE && top != p->stack && pickle_put_new(p, p->memo_count, top[-1]);
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
    const unsigned char *const last = p->input.length > PICKLE_WIDEST ? end - PICKLE_WIDEST : p->at;
    const struct pickle_tables tables = {p->memo, p->memo_capacity, p->cells};
    const struct zv_pickle_value *const limit = p->stack + p->stack_capacity;
    const unsigned char *at = p->at;
    struct zv_pickle_value *top = p->stack + p->depth;
    while (at < last && top < limit) {
        if ((*at & ~2) == OP_BINGET) { /* a stack is a run of these */
            const unsigned is_long = *at >> 1 & 1;
            top->bits = pickle_fetch(&tables, is_long ? zv_le32(at + 1) : at[1]);
            if (top->bits == 0) {
                break;
            }
            top++;
            at += 2 + 3 * is_long;
            continue;
        }
        if (*at == OP_EMPTY_LIST && p->fold != NULL) {
            break; /* looked at as a whole */
        }
        size_t width = pickle_push(p, &tables, at, top);
        width = width != 0 ? width : pickle_push_fresh(p, at, top);
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

/* At an EMPTY_LIST: the list, empty or whole. */
static enum zv_status run_list(struct zv_pickle *p, struct zv_error *err)
{
    const unsigned char *const at = p->at;
    struct pickle_list list = {0};
    enum zv_status status = p->depth < p->stack_capacity ? ZV_OK : pickle_grow_stack(p, err);
    if (status == ZV_OK && pickle_left(p) > PICKLE_MOST_HEAD) {
        status = pickle_run_list(p, at, p->depth, &list, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (list.width == 0) {
        p->at++;
        return pickle_push_empty(p, ZV_PICKLE_LIST, err);
    }
    p->at = at + list.width;
    p->stack[p->depth++] = list.on_stack;
    return ZV_OK;
}

enum zv_status pickle_run_usual(struct zv_pickle *p, struct zv_error *err)
{
    for (;;) {
        enum zv_status status;
        run_small(p);
        if (pickle_left(p) == 0) {
            return ZV_OK;
        }
        if (*p->at == OP_MARK && is_dict_to_run(p, p->stack + p->depth)) {
            status = pickle_run_dicts(p, err);
        } else if (*p->at == OP_EMPTY_LIST && p->fold != NULL) {
            status = run_list(p, err);
        } else if (can_fill(p)) {
            status = pickle_fill(p, *p->at == OP_APPENDS ? ZV_PICKLE_LIST : ZV_PICKLE_DICT,
                                 p->depth - p->marks[--p->mark_count], err);
            p->at += status == ZV_OK;
        } else {
            return ZV_OK;
        }
        if (status != ZV_OK) {
            return status;
        }
    }
}
