/* What changed between two heaps: who holds more, who holds less. */
#ifndef ZIRVE_EXPLAIN_DIFFERENCE_H
#define ZIRVE_EXPLAIN_DIFFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "explain/groups.h"

struct zv_changed {
    struct zv_slice label;
    uint64_t before_bytes;
    uint64_t after_bytes;
    uint64_t before_blocks;
    uint64_t after_blocks;
};

struct zv_difference {
    struct zv_changed *at; /* largest change first, then by label */
    size_t count;
    struct zv_trace_usage before;
    struct zv_trace_usage after;
    enum zv_trace_known before_known;
    enum zv_trace_known after_known;
};

/* Groups of the same kind by label. In the arena; the labels are those of the groups. Errors:
 * ZV_E_NOMEM. */
enum zv_status zv_difference_make(struct zv_difference *difference, const struct zv_groups *before,
                                  const struct zv_groups *after, struct zv_arena *arena,
                                  struct zv_error *err);

#endif
