#include "estimate/fit.h"

#include "base/checked.h"
#include "base/fail.h"

const char *zv_verdict_name(enum zv_verdict verdict)
{
    static const char *const names[] = {"fits", "does not fit", "cannot tell"};
    return names[verdict];
}

static uint64_t usable(uint64_t capacity, const struct zv_fit_limits *limits)
{
    uint64_t share = capacity;
    const uint64_t free = limits->in_use_bytes < capacity ? capacity - limits->in_use_bytes : 0;
    (void)zv_mul_div(capacity, limits->fraction_millionths, 1000000, &share);
    return free < share ? free : share;
}

static enum zv_verdict verdict_of(const struct zv_fit *fit)
{
    if (fit->total.at_least > fit->usable_high) {
        return ZV_FITS_NOT;
    }
    return fit->total.unknown == 0 && fit->total.expected <= fit->usable_low ? ZV_FITS
                                                                             : ZV_CANNOT_TELL;
}

/* Worse first: a group that cannot fit decides, then one that cannot be told, then the fullest. */
static bool is_worse(const struct zv_fit *a, const struct zv_fit *b)
{
    static const int rank[] = {[ZV_FITS] = 0, [ZV_CANNOT_TELL] = 1, [ZV_FITS_NOT] = 2};
    if (rank[a->verdict] != rank[b->verdict]) {
        return rank[a->verdict] > rank[b->verdict];
    }
    return a->total.expected > b->total.expected;
}

enum zv_status zv_fit_judge(struct zv_fit *fit, const struct zv_ledger *ledger,
                            const struct zv_capacity *capacity, const struct zv_fit_limits *limits,
                            struct zv_error *err)
{
    if (ledger->group_count == 0) {
        return zv_fail(err, ZV_E_BUG, "a ledger without devices");
    }
    for (size_t i = 0; i < ledger->group_count; i++) {
        struct zv_fit one = {
            .scope = (int)i,
            .usable_low = usable(capacity->low, limits),
            .usable_high = usable(capacity->high, limits),
        };
        const enum zv_status status = zv_ledger_total(ledger, (int)i, &one.total, err);
        if (status != ZV_OK) {
            return status;
        }
        one.over = one.total.expected > one.usable_low;
        one.margin =
            one.over ? one.total.expected - one.usable_low : one.usable_low - one.total.expected;
        one.verdict = verdict_of(&one);
        if (i == 0 || is_worse(&one, fit)) {
            *fit = one;
        }
    }
    return ZV_OK;
}
