/* Two runs, request by request: text and JSON ("zirve.replay_against/1"). */
#ifndef ZIRVE_REPORT_REPORT_REQUESTS_H
#define ZIRVE_REPORT_REPORT_REQUESTS_H

#include "base/stream.h"
#include "report/style.h"
#include "trace/requests.h"

struct report_requests {
    struct report_run {
        const char *name;             /* of the file */
        const struct zv_trace *trace; /* NULL: an op list */
        const uint32_t *user_frames;  /* by stack; NULL: an op list */
        struct zv_request_list requests;
    } runs[2];
    struct zv_request_comparison comparison;
};

void report_requests_text(struct zv_sink *sink, const struct report_style *style,
                          const struct report_requests *both);
void report_requests_json(struct zv_sink *sink, const struct report_requests *both);

#endif
