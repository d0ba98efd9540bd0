/*
 * The lists of a snapshot: frames become a stack, records that follow each other a run; other lists
 * are kept. Room-internal.
 */
#ifndef ZIRVE_TRACE_SNAPSHOT_LIST_H
#define ZIRVE_TRACE_SNAPSHOT_LIST_H

#include "trace/snapshot_fold.h"

/* Of a batch of list items, at least one. Errors: ZV_E_SYNTAX, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status snapshot_fold_list(struct fold *fold, const struct zv_pickle_batch *batch,
                                  struct zv_pickle_value *handle, struct zv_error *err);

/* Whether value is a list of records of this kind that follow each other in the table. An empty
 * list is one. */
bool fold_run(const struct zv_pickle *pickle, struct zv_pickle_value value, enum fold_kind kind,
              uint32_t *first, uint32_t *count);

#endif
