/* What zirve replay runs: every combination of the settings and cards that were asked for, and what
 * --advise tries next. */
#ifndef ZIRVE_CLI_REPLAY_PLAN_H
#define ZIRVE_CLI_REPLAY_PLAN_H

#include "cli/card_files.h"
#include "cli/replay_record.h"
#include "explain/placement.h"
#include "report/report_replay.h"

enum { REPLAY_RUNS = 64 };
#define REPLAY_NO_LIMIT (UINT64_C(1) << 48) /* bytes of a card without end */

struct replay_budget {
    uint64_t replays; /* 0: no limit */
    uint64_t microseconds;
    bool is_time;
};

struct replay_runs {
    struct report_replay at[REPLAY_RUNS];
    size_t count;
    struct zv_arena arena;
    struct card_files cards;
    bool has_cards;
    struct replay_record record;
    struct replay_budget budget;
    bool has_placement;
    struct zv_placement placement; /* of the requests, for --advise */
    bool advises;                  /* --advise: what to try next follows from what was tried */
    bool is_cut;                   /* more would have been tried, had the budget allowed it */
};

/* Sets the first runs from the options. Errors: ZV_E_USAGE and those of card files. */
enum zv_status replay_plan(struct replay_runs *runs, const struct arguments *args,
                           struct zv_error *err);

/* What --budget says; nothing when it is not there. */
enum zv_status replay_budget_read(struct replay_budget *to, const struct arguments *args,
                                  struct zv_error *err);

/* Microseconds of a clock that only goes forward. */
uint64_t replay_now_us(void);

/* One run more, when there is a setting worth it and budget; begin is when the first one began. */
enum zv_status replay_plan_next(struct replay_runs *runs, uint64_t begin, struct zv_error *err);

#endif
