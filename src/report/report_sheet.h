/* A record's sheet as text, HTML and JSON ("zirve.sheet/1"), its findings, and sheets side by side
 * ("zirve.compare/1"). */
#ifndef ZIRVE_REPORT_REPORT_SHEET_H
#define ZIRVE_REPORT_REPORT_SHEET_H

#include "base/stream.h"
#include "decide/sheet.h"
#include "report/style.h"

void report_sheet_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_sheet *sheet);
/* Errors: ZV_E_NOMEM. */
enum zv_status report_sheet_html(struct zv_sink *sink, const struct report_style *style,
                                 const struct zv_sheet *sheet, struct zv_error *err);
void report_sheet_json(struct zv_sink *sink, const struct zv_sheet *sheet);

void report_findings_text(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_findings *findings);
void report_findings_json(struct zv_sink *sink, const struct zv_findings *findings);

struct report_compare {
    const struct zv_comparison *comparison;
    const char *const *names; /* one for each sheet */
    bool exploratory;
};

void report_compare_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_compare *report);
void report_compare_json(struct zv_sink *sink, const struct report_compare *report);

#endif
