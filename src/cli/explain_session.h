/* What zirve explain has read and made of it; shared by the files of the verb. */
#ifndef ZIRVE_CLI_EXPLAIN_SESSION_H
#define ZIRVE_CLI_EXPLAIN_SESSION_H

#include <regex.h>

#include "explain/placement.h"
#include "report/report_explain.h"

enum { EXPLAIN_GROUPS = 8 };

struct explain_session {
    struct zv_arena arena;
    struct zv_record record;
    struct zv_record before; /* of --diff */
    struct zv_cause cause;
    struct zv_heap cause_heap;
    struct zv_heap heap;
    struct report_groups groups[EXPLAIN_GROUPS];
    struct zv_groups holders; /* at the verdict's instant by frame; of a timeline by category */
    struct zv_groups roles;
    struct zv_heap_parts parts;
    size_t group_count;
    struct zv_against against;
    bool has_against;
    bool has_habits;
    struct zv_habits habits;
    bool has_placement;
    struct zv_placement placement;
    uint64_t capacity_bytes;
    uint32_t top;
    regex_t pattern;
    bool has_pattern;
};

static inline struct zv_grouping explain_grouping(const struct explain_session *session,
                                                  unsigned which)
{
    return (struct zv_grouping){(enum zv_group_by)which,
                                session->has_pattern ? &session->pattern : NULL};
}

#endif
