/* A record as one page to look at and move through, and what the page holds ("zirve.view/1"). */
#ifndef ZIRVE_REPORT_REPORT_VIEW_H
#define ZIRVE_REPORT_REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stream.h"
#include "explain/lives.h"
#include "explain/what_if.h"
#include "report/report_explain.h"
#include "report/report_replay.h"
#include "report/style.h"

struct report_view {
    struct zv_slice file; /* its name, for the title */
    const struct report_explain *explain;
    const struct zv_lives *lives;
    const struct report_replay *runs; /* other settings, best first */
    size_t run_count;                 /* 0: not tried */
    const struct zv_curve *curves;    /* by the order of the runs */
};

/* Errors: ZV_E_NOMEM; the sink remembers its own. */
enum zv_status report_view_html(struct zv_sink *sink, const struct report_style *style,
                                const struct report_view *view, struct zv_error *err);
void report_view_json(struct zv_sink *sink, const struct report_view *view);

#endif
