#include "format/pickle_stack.h"

#include <string.h>

#include "base/memory.h"
#include "format/pickle_container.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_repeat.h"
#include "format/pickle_shape.h"

enum { MANY = 1 << 12 }; /* from here on tables grow by less at a time */
enum { FIRST_STACK = 1024, FIRST_MARKS = 64, MAX_MARKS = 1 << 20 };

enum zv_status pickle_grow(void **array, size_t *capacity, size_t count, size_t size,
                           const struct zv_pickle *p, struct zv_error *err)
{
    if (count > ZV_PICKLE_MAX_VALUES) {
        return zv_fail_at(err, ZV_E_LIMIT, pickle_offset(p),
                          "more than %d values of a pickle at once", ZV_PICKLE_MAX_VALUES);
    }
    size_t grown = *capacity == 0 ? FIRST_STACK : *capacity;
    while (grown < count) {
        grown += grown < MANY ? grown / 2 : grown / 8;
    }
    void *const to = zv_memory_resize(*array, grown * size);
    if (to == NULL) {
        return zv_fail_memory(err, "a pickle");
    }
    *array = to;
    *capacity = grown;
    return ZV_OK;
}

enum zv_status pickle_grow_stack(struct zv_pickle *p, struct zv_error *err)
{
    void *stack = p->stack;
    const enum zv_status status =
        pickle_grow(&stack, &p->stack_capacity, p->depth + 1, sizeof *p->stack, p, err);
    p->stack = stack;
    return status;
}

/* How many memo entries there will be when the file goes on as it began, at most four times those
 * that are there. */
static size_t likely_entries(const struct zv_pickle *p, size_t index)
{
    const size_t bytes_each = (size_t)pickle_offset(p) / (index + 1) + 1;
    const size_t more = pickle_left(p) / bytes_each;
    const size_t most = 3 * index;
    return index < MANY ? index + 1 : index + 1 + (more < most ? more : most);
}

static enum zv_status grow_memo(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    if (index > p->input.length) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p),
                          "memo entry %zu of a pickle that has not as many bytes", index);
    }
    void *memo = p->memo;
    const size_t before = p->memo_capacity;
    const enum zv_status status =
        pickle_grow(&memo, &p->memo_capacity, likely_entries(p, index), sizeof *p->memo, p, err);
    p->memo = memo;
    if (status == ZV_OK) {
        memset(p->memo + before, 0, (p->memo_capacity - before) * sizeof *p->memo);
    }
    return status;
}

enum zv_status pickle_underflow(const struct zv_pickle *p, struct zv_error *err)
{
    return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "%s finds too few values on the stack",
                      pickle_opcodes[*p->at].name);
}

enum zv_status pickle_push_mark(struct zv_pickle *p, struct zv_error *err)
{
    if (p->mark_count == p->mark_capacity) {
        const size_t capacity = p->mark_capacity == 0 ? FIRST_MARKS : p->mark_capacity * 2;
        size_t *const marks =
            capacity > MAX_MARKS ? NULL : zv_memory_resize(p->marks, capacity * sizeof *marks);
        if (marks == NULL) {
            return capacity > MAX_MARKS ? zv_fail_at(err, ZV_E_LIMIT, pickle_offset(p),
                                                     "more than %d levels", MAX_MARKS)
                                        : zv_fail_memory(err, "marks of a pickle");
        }
        p->marks = marks;
        p->mark_capacity = capacity;
    }
    p->marks[p->mark_count++] = p->depth;
    return ZV_OK;
}

enum zv_status pickle_pop_mark(struct zv_pickle *p, size_t below, size_t *count,
                               struct zv_error *err)
{
    if (p->mark_count == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, pickle_offset(p), "%s without a MARK before it",
                          pickle_opcodes[*p->at].name);
    }
    const size_t mark = p->marks[--p->mark_count];
    if (mark > p->depth || mark < below) {
        return pickle_underflow(p, err);
    }
    *count = p->depth - mark;
    return ZV_OK;
}

void pickle_duplicate(struct zv_pickle *p)
{
    struct zv_pickle_value *const top = &p->stack[p->depth - 1];
    if (pickle_is_container(*top)) {
        pickle_know(pickle_cell(p, *top));
    }
    *top = pickle_settle(p, *top);
    p->stack[p->depth++] = *top;
}

/* A memo entry is overwritten. */
static void overwrite(struct zv_pickle *p, uint32_t entry)
{
    pickle_forget_repeats(p);
    pickle_forget_shapes(p);
    if (pickle_entry_value(entry).bits == 0) {
        pickle_know(&p->cells[entry - 1]);
    }
}

/* The entry for a value that is put aside at index. */
static enum zv_status make_entry(struct zv_pickle *p, struct zv_pickle_value *top, size_t index,
                                 uint32_t *entry, struct zv_error *err)
{
    if (pickle_is_container(*top)) {
        struct zv_pickle_cell *const cell = pickle_cell(p, *top);
        if (cell->bits == pickle_fresh(zv_pickle_kind(*top)) && index < PICKLE_MEMO_MOST) {
            cell->bits |= (uint64_t)(index + 1) << 5;
        } else {
            pickle_know(cell);
        }
        *entry = (uint32_t)zv_pickle_payload(*top) + 1;
        return ZV_OK;
    }
    *top = pickle_settle(p, *top);
    *entry = pickle_entry_of(*top);
    if (*entry != 0) {
        return ZV_OK;
    }
    uint32_t cell = 0;
    const enum zv_status status = pickle_new_cell(p, top->bits, &cell, err);
    *entry = cell + 1;
    return status;
}

enum zv_status pickle_put(struct zv_pickle *p, size_t index, struct zv_error *err)
{
    uint32_t entry = 0;
    if (p->depth == 0) {
        return pickle_underflow(p, err);
    }
    enum zv_status status = index >= p->memo_capacity ? grow_memo(p, index, err) : ZV_OK;
    if (status == ZV_OK && p->memo[index] != 0) {
        overwrite(p, p->memo[index]);
    }
    status = status == ZV_OK ? make_entry(p, &p->stack[p->depth - 1], index, &entry, err) : status;
    if (status == ZV_OK) {
        p->memo_count += p->memo[index] == 0;
        p->memo[index] = entry;
    }
    return status;
}

struct zv_pickle_value pickle_memo(struct zv_pickle *p, size_t index)
{
    const uint32_t entry = index < p->memo_capacity ? p->memo[index] : 0;
    const struct zv_pickle_value value = pickle_entry_value(entry);
    if (entry == 0 || value.bits != 0) {
        return value;
    }
    struct zv_pickle_cell *const cell = &p->cells[entry - 1];
    pickle_know(cell);
    const unsigned kind = pickle_cell_kind(*cell);
    return kind >= ZV_PICKLE_TUPLE && kind <= ZV_PICKLE_DICT
               ? pickle_make((enum zv_pickle_kind)kind, entry - 1)
               : (struct zv_pickle_value){cell->bits};
}

void zv_pickle_close(struct zv_pickle *p)
{
    pickle_free_items(p);
    zv_memory_free(p->stack);
    zv_memory_free(p->marks);
    zv_memory_free(p->memo);
    zv_memory_free(p->cells);
    zv_memory_free(p->repeats);
    zv_memory_free(p->shapes);
    *p = (struct zv_pickle){0};
}
