/*
 * Dicts of the same keys in the same order as an earlier one: in a large file nearly all of them.
 * Room-internal.
 *
 * The bytes of a key say which text it fetches as long as no memo entry is overwritten; so the
 * keys of an earlier dict are compared and not looked up. What differs is learnt anew from there
 * on. At any byte that is none of the usual the machine is where it would be without this.
 */
#ifndef ZIRVE_FORMAT_PICKLE_SHAPE_H
#define ZIRVE_FORMAT_PICKLE_SHAPE_H

#include "format/pickle.h"
#include "format/pickle_stack.h"

/* Whether the topmost value is a dict that nobody else knows, empty yet. */
static inline bool pickle_is_fresh_dict(const struct zv_pickle *p, struct zv_pickle_value value)
{
    return zv_pickle_kind(value) == ZV_PICKLE_DICT &&
           pickle_cell(p, value)->bits << 59 == (UINT64_C(1) << 4 | PICKLE_FRESH) << 59;
}

/* At a MARK above a fresh dict: runs it and the dicts that follow, as far as they are usual; at
 * least the mark. Errors as pickle_fill, and ZV_E_NOMEM. */
enum zv_status pickle_run_dicts(struct zv_pickle *p, struct zv_error *err);

/* A memo entry is overwritten: the bytes of a key no longer tell. */
void pickle_forget_shapes(struct zv_pickle *p);

#endif
