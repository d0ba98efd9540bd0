/* What the best placement would need: three peaks apart, plans, their states ("zirve.place/1"). */
#ifndef ZIRVE_REPORT_REPORT_PLACE_H
#define ZIRVE_REPORT_REPORT_PLACE_H

#include "base/stream.h"
#include "explain/placement.h"
#include "report/style.h"

struct report_place {
    const struct zv_record *record;       /* NULL: blocks from a CSV */
    const struct zv_placement *placement; /* of the record */
    const struct zv_place_result *result; /* of a CSV */
    size_t blocks;                        /* of a CSV */
    size_t fixed_blocks;
    uint64_t capacity_bytes; /* 0: not asked */
    const char *capacity_name;
};

/* Whether it fits: yes by a plan, no by the bound, or unknown. */
enum report_place_fit { REPORT_PLACE_FITS, REPORT_PLACE_DOES_NOT, REPORT_PLACE_UNKNOWN };
uint64_t report_place_height(const struct report_place *place);
uint64_t report_place_bound(const struct report_place *place);
enum report_place_fit report_place_fit(const struct report_place *place);

void report_place_text(struct zv_sink *sink, const struct report_style *style,
                       const struct report_place *place);
void report_place_json(struct zv_sink *sink, const struct report_place *place);

/*
 * The plan as a page: its blocks, time by address. Errors: ZV_E_UNSUPPORTED (a time or an address
 * from 2^53 on), ZV_E_USAGE (no block), ZV_E_NOMEM.
 */
enum zv_status report_place_html(struct zv_sink *sink, const struct report_style *style,
                                 const struct report_place *place,
                                 const struct zv_place_block *blocks, size_t count,
                                 struct zv_error *err);

/* One paragraph of the text, for other reports: what a perfect plan would have needed. */
void report_placement_line(struct zv_sink *sink, const struct report_style *style,
                           const struct zv_placement *placement);

#endif
