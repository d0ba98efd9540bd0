/* An estimate as text and as JSON ("zirve.estimate/1"). */
#ifndef ZIRVE_REPORT_REPORT_ESTIMATE_H
#define ZIRVE_REPORT_REPORT_ESTIMATE_H

#include <stdbool.h>

#include "base/stream.h"
#include "estimate/advise.h"
#include "estimate/estimate.h"
#include "estimate/fit.h"
#include "estimate/from_log.h"
#include "estimate/search.h"
#include "format/json_writer.h"
#include "report/style.h"

struct report_estimate {
    const struct zv_estimate *estimate;
    const struct zv_model *model;  /* as it is loaded */
    const struct zv_model *stored; /* as the files have it */
    const struct zv_job *job;
    const struct zv_runtime_rules *rules;
    const struct zv_capacity *capacity; /* NULL: no card was named */
    const struct zv_fit *fit;
    const struct zv_fit_limits *limits;
    const struct zv_advice *advice; /* NULL: not asked for */
    const struct zv_search *search; /* NULL: not asked for; the estimate is of its value */
    const struct zv_from_log *log;  /* NULL: no start log; the model may then be NULL */
    bool verbose;                   /* the basis of every item */
};

void report_estimate_text(struct zv_sink *sink, const struct report_style *style,
                          const struct report_estimate *report);
void report_estimate_json(struct zv_sink *sink, const struct report_estimate *report);

/* Parts of the two above: report->advice and report->search are there. The JSON is the member
 * "levers" or "search" of the open object. */
void report_levers_text(struct zv_sink *sink, const struct report_style *style,
                        const struct report_estimate *report);
void report_levers_json(struct zv_json_writer *json, const struct zv_advice *advice);
void report_search_text(struct zv_sink *sink, const struct report_style *style,
                        const struct report_estimate *report);
void report_search_json(struct zv_json_writer *json, const struct zv_search *search);

/* ---- by numbers ---- */

enum { REPORT_MAX_FORMATS = 16 };

/* One row a format: the same values at other bits, the same reserve. */
struct report_numbers {
    struct zv_numbers numbers[REPORT_MAX_FORMATS]; /* they differ in bits or sequences */
    struct zv_ledger ledgers[REPORT_MAX_FORMATS];
    struct zv_fit fits[REPORT_MAX_FORMATS];
    size_t count;
    const struct zv_capacity *capacity; /* NULL: no card was named */
};

void report_numbers_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_numbers *report);
void report_numbers_json(struct zv_sink *sink, const struct report_numbers *report);

/* 7000000000 as "7,000,000,000". */
void report_count(char to[32], uint64_t value);

#endif
