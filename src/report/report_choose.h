/* A choice as text and as JSON ("zirve.choose/1"). */
#ifndef ZIRVE_REPORT_REPORT_CHOOSE_H
#define ZIRVE_REPORT_REPORT_CHOOSE_H

#include "base/stream.h"
#include "decide/choose.h"
#include "report/style.h"
#include "zirve/error.h"

struct report_choose {
    const struct zv_choice *choice;
    const char *subject;    /* the job, ledger or record */
    size_t top;             /* candidates shown of each state */
    struct zv_arena *arena; /* for the judgements' texts */
};

/* Errors: ZV_E_NOMEM. */
enum zv_status report_choose_text(struct zv_sink *sink, const struct report_style *style,
                                  const struct report_choose *report, struct zv_error *err);
enum zv_status report_choose_json(struct zv_sink *sink, const struct report_choose *report,
                                  struct zv_error *err);

#endif
