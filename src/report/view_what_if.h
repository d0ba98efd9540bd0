/* A record's requests under other settings, as a chart and a table of a page. Room-internal. */
#ifndef ZIRVE_REPORT_VIEW_WHAT_IF_H
#define ZIRVE_REPORT_VIEW_WHAT_IF_H

#include "report/html_array.h"
#include "report/report_view.h"

enum { VIEW_CURVES = 5 }; /* drawn: the run as it was, and the best of the others */

struct view_what_if {
    struct html_series series[VIEW_CURVES];
    const struct report_replay *runs[VIEW_CURVES];
    size_t count;
};

void view_what_if_write(struct html_page *page, struct view_what_if *what_if,
                        const struct report_view *view);

/* One object of the page's charts. */
void view_what_if_json(struct html_page *page, const struct view_what_if *what_if,
                       const struct report_view *view);

#endif
