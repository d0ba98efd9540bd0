/* How much memory lies in segments that hold at least one block, at its peak. Room-internal. */
#ifndef ZIRVE_EXPLAIN_NON_EMPTY_H
#define ZIRVE_EXPLAIN_NON_EMPTY_H

#include "explain/placement.h"

/* Fills in non_empty_bytes, non_empty_event, has_expandable. Errors: ZV_E_NOMEM. */
enum zv_status non_empty_peak(struct zv_placement *placement, const struct zv_lives *lives,
                              struct zv_arena *arena, struct zv_error *err);

#endif
