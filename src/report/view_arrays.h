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
    uint64_t unit; /* addresses and bytes of blocks and spans are multiples of it */
    bool has_times;
    struct html_series times; /* microseconds since the first event, of each instant */
};

/* users: for each stack its user's frame (zv_user_frames). Errors: ZV_E_NOMEM. */
enum zv_status view_arrays_write(struct html_page *page, struct view_arrays *arrays,
                                 const struct zv_record *record, const struct zv_lives *lives,
                                 const uint32_t *users, struct zv_error *err);

#endif
