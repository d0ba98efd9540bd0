/* Outcomes of replays side by side, as text and as JSON ("zirve.replay/1"). */
#ifndef ZIRVE_REPORT_REPORT_REPLAY_H
#define ZIRVE_REPORT_REPORT_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "allocator/conformance.h"
#include "allocator/replay.h"
#include "base/stream.h"
#include "explain/placement.h"
#include "explain/record.h"
#include "explain/settings.h"
#include "report/style.h"

struct report_replay {
    enum zv_policy policy; /* in force */
    enum zv_torch_profile profile;
    const char *conf;
    const char *card; /* its name, NULL for a size given by hand */
    uint64_t capacity_bytes;
    uint64_t baseline_bytes;
    struct zv_replay_outcome outcome;
    const struct zv_record *record; /* whose requests they are; NULL: an op list */
    size_t order;                   /* in which it was asked for; 0: the settings as they were */
    uint64_t oom_event;             /* 1-based event of the record where it first ran out */
};

struct report_replay_case {
    const char *name;
    struct zv_conformance result;
};

void report_replays_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_replay *runs, size_t count);
/* Of runs whose settings were searched for, ranked. */
struct report_replay_advice {
    bool is_cut;                          /* the budget was used up */
    const struct zv_placement *placement; /* a perfect plan of the same requests; NULL: not known */
};

/* with_stats: memory_stats() of every run too. advice: NULL for settings that were asked for. */
void report_replays_json(struct zv_sink *sink, const struct report_replay *runs, size_t count,
                         bool with_stats, const struct report_replay_advice *advice);

/* Calls of the driver, all kinds together. */
uint64_t report_replay_calls(const struct report_replay *run);

/* Best first: fewest requests that fail, least reserved, fewest driver calls. */
void report_replay_rank(struct report_replay *runs, size_t count);

/* The same for the search of settings. */
struct zv_tried report_replay_tried(const struct report_replay *run);

/* Settings ranked, those that came to the same together, and the perfect plan. */
void report_replay_advice_text(struct zv_sink *sink, const struct report_style *style,
                               const struct report_replay *runs, size_t count,
                               const struct report_replay_advice *advice);

void report_replay_cases_text(struct zv_sink *sink, const struct report_replay_case *cases,
                              size_t count);
/* "zirve.replay_case/1" */
void report_replay_cases_json(struct zv_sink *sink, const struct report_replay_case *cases,
                              size_t count);

#endif
