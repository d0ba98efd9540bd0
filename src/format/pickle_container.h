/* Tuples, lists and dicts of a pickle: their cells and items, and what is folded. Room-internal. */
#ifndef ZIRVE_FORMAT_PICKLE_CONTAINER_H
#define ZIRVE_FORMAT_PICKLE_CONTAINER_H

#include "format/pickle_stack.h"

/* An unused cell gets these bits; *to: its number. */
enum zv_status pickle_new_cell(struct zv_pickle *p, uint64_t bits, uint32_t *to,
                               struct zv_error *err);

/* Somebody else knows the container from now on: its cell stays. */
void pickle_know(struct zv_pickle_cell *cell);

/* A new list or dict, empty and fresh, at the top of the stack, where there is room. */
enum zv_status pickle_push_empty(struct zv_pickle *p, enum zv_pickle_kind kind,
                                 struct zv_error *err);

/* Puts the topmost count values, which are above a container, into it. */
enum zv_status pickle_fill(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                           struct zv_error *err);

/* A new fresh container; memo: the entry plus 1 where it is put aside, which is there and free; 0:
 * nowhere. */
enum zv_status pickle_make_put(struct zv_pickle *p, enum zv_pickle_kind kind, size_t memo,
                               struct zv_pickle_value *to, struct zv_error *err);

/* The container on the stack takes a batch that was offered to be folded: the handle, or the items
 * when there is none. */
enum zv_status pickle_take(struct zv_pickle *p, struct zv_pickle_value *container,
                           const struct zv_pickle_batch *batch, struct zv_pickle_value handle,
                           struct zv_error *err);

/* The topmost count values become a new container. */
enum zv_status pickle_gather(struct zv_pickle *p, enum zv_pickle_kind kind, size_t count,
                             struct zv_error *err);

void pickle_free_items(struct zv_pickle *p);

#endif
