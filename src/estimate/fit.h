/*
 * Fit: does what the ledger says go into what a card allows?
 *
 * A calculation can prove that a job does not fit; it never proves that a job runs. Judged on the
 * device group that needs most, against the lowest reading of what a runtime can allocate.
 */
#ifndef ZIRVE_ESTIMATE_FIT_H
#define ZIRVE_ESTIMATE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "card/card.h"
#include "zirve/error.h"
#include "zirve/quantity.h"

enum zv_verdict {
    ZV_FITS,       /* by calculation: expected ≤ lowest capacity, nothing unknown */
    ZV_FITS_NOT,   /* what is known alone exceeds the highest capacity */
    ZV_CANNOT_TELL /* between the two, or something is unknown */
};

struct zv_fit_limits {
    uint64_t in_use_bytes;        /* of the card, by others */
    uint64_t fraction_millionths; /* that the runtime may use; 1000000 = all */
};

struct zv_fit {
    enum zv_verdict verdict;
    int scope;           /* the device group that decides */
    uint64_t usable_low; /* bytes: capacity, less what others use, at most the runtime's share */
    uint64_t usable_high;
    bool over;       /* expected > usable_low: margin is what is missing */
    uint64_t margin; /* |usable_low - expected| */
    struct zv_total total;
};

/* Errors: ZV_E_OVERFLOW. A ledger without device groups is ZV_E_BUG. */
enum zv_status zv_fit_judge(struct zv_fit *fit, const struct zv_ledger *ledger,
                            const struct zv_capacity *capacity, const struct zv_fit_limits *limits,
                            struct zv_error *err);

const char *zv_verdict_name(enum zv_verdict verdict); /* "fits", "does not fit", "cannot tell" */

#endif
