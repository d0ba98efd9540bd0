/* The tables of a record as arrays of a page. Room-internal. */
#ifndef ZIRVE_REPORT_VIEW_ARRAYS_H
#define ZIRVE_REPORT_VIEW_ARRAYS_H

#include "explain/lives.h"
#include "explain/record.h"
#include "report/html_array.h"

struct view_arrays {
    size_t blocks;
    size_t spans;
    size_t frames;
    size_t stacks;
    size_t roles;
    size_t scopes; /* only with labels.scopes */
    uint64_t unit; /* addresses and bytes of blocks and spans are multiples of it */
    bool has_times;
    struct html_series times; /* microseconds since the first event, of each instant */
};

/* What explain says of stacks and events. */
struct view_labels {
    const uint32_t *users;  /* zv_user_frames */
    const uint8_t *roles;   /* zv_roles */
    const uint32_t *scopes; /* zv_scopes; NULL: the record has no annotations */
};

/* Errors: ZV_E_NOMEM. */
enum zv_status view_arrays_write(struct html_page *page, struct view_arrays *arrays,
                                 const struct zv_record *record, const struct zv_lives *lives,
                                 const struct view_labels *labels, struct zv_error *err);

#endif
