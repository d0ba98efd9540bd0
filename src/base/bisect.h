/*
 * Bisection: the largest value that passes, where what passes ends somewhere and does not begin
 * again. Values are doubled from the first until one does not pass, then halved between: few tries,
 * and small ones first.
 *
 *     from ── 2·from ── 4·from ── ... not! ── between ── between ── value | value + 1 not
 *
 * What comes out is asked on both sides. That nothing above passes again is the caller's
 * knowledge; zv_bisect_confirm asks more values where it is none.
 */
#ifndef ZIRVE_BASE_BISECT_H
#define ZIRVE_BASE_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/error.h"

enum zv_trial {
    ZV_TRIAL_PASSES,
    ZV_TRIAL_PASSES_NOT,
    ZV_TRIAL_STOP /* neither: there is no answer to be had */
};

/* Tries one value. Errors end the search. */
typedef enum zv_status zv_bisect_ask(void *context, uint64_t value, enum zv_trial *trial,
                                     struct zv_error *err);

enum { ZV_BISECT_MAX_ASKED = 256 }; /* 64 doublings, 64 halvings, and those that confirm */

struct zv_bisect {
    uint64_t from; /* at least 1 */
    uint64_t to;   /* at least from */
    zv_bisect_ask *ask;
    void *context;

    bool found;     /* false: not even from passes, or it stopped before */
    bool at_limit;  /* to passes */
    bool stopped;   /* by a trial; value is the largest that passed until then */
    uint64_t value; /* the largest that passes */
    bool contrary;  /* a value did not go with that: what passes has no one end */
    uint64_t contrary_value;
    uint64_t asked[ZV_BISECT_MAX_ASKED]; /* in order */
    size_t asked_count;
};

/* Errors: ZV_E_USAGE (an empty range), those of ask. */
enum zv_status zv_bisect_run(struct zv_bisect *bisect, struct zv_error *err);

/*
 * Asks up to count more values, evenly between from and value, and as many between value and to,
 * leaving out those that were asked. Stops at the first that contradicts. Errors: those of ask.
 */
enum zv_status zv_bisect_confirm(struct zv_bisect *bisect, unsigned count, struct zv_error *err);

#endif
