/* A request trace under paging policies, and verified rows, as text and JSON ("zirve.kv/1"). */
#ifndef ZIRVE_REPORT_REPORT_KV_H
#define ZIRVE_REPORT_REPORT_KV_H

#include "base/stream.h"
#include "kv/budget.h"
#include "kv/compare.h"
#include "kv/verify.h"
#include "report/style.h"

enum {
    REPORT_KV_NAME = 32,
    REPORT_KV_MAX_RUNS = 24,
    REPORT_KV_POINTS = 60 /* of an occupancy, in text and JSON */
};

/* The same memory: one model, card and settings. */
struct report_kv_scenario {
    const char *name;                  /* what differs from the others, "" when there is one */
    const struct zv_kv_budget *budget; /* NULL: pages were given by hand */
    const char *card;
    struct zv_kv_facts facts; /* with the requests that this context refuses */
    uint64_t context_tokens;
    uint64_t replicas; /* that requests are dealt to in turn; figures as zv_kv_run has them */
    struct {
        char name[REPORT_KV_NAME];
        struct zv_kv_run run;
        const struct zv_kv_search *search; /* NULL: not asked for */
    } runs[REPORT_KV_MAX_RUNS];
    size_t run_count;
    bool has_prefixes;
    uint64_t prefix_capacity; /* ids */
    struct kv_figures prefixes[KV_PREFIX_COUNT];
};

struct report_kv {
    const char *trace;
    const char *rules; /* "of vLLM 0.33.0", one phrase */
    const struct report_kv_scenario *scenarios;
    size_t count;
    bool occupancy; /* text: a line of it below every policy */
};

void report_kv_text(struct zv_sink *sink, const struct report_style *style,
                    const struct report_kv *report);
void report_kv_json(struct zv_sink *sink, const struct report_kv *report);

/* Occupancy over time as a page. Errors: ZV_E_NOMEM; the sink remembers its own. */
enum zv_status report_kv_html(struct zv_sink *sink, const struct report_style *style,
                              const struct report_kv *report, struct zv_error *err);

void report_kv_verify_text(struct zv_sink *sink, const struct zv_kv_verify *verify, bool verbose);
void report_kv_verify_json(struct zv_sink *sink, const struct zv_kv_verify *verify);

#endif
