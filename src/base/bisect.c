#include "base/bisect.h"

#include "base/checked.h"
#include "base/fail.h"

static enum zv_status ask(struct zv_bisect *bisect, uint64_t value, enum zv_trial *trial,
                          struct zv_error *err)
{
    if (bisect->asked_count == ZV_BISECT_MAX_ASKED) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d tries", ZV_BISECT_MAX_ASKED);
    }
    bisect->asked[bisect->asked_count++] = value;
    const enum zv_status status = bisect->ask(bisect->context, value, trial, err);
    if (status == ZV_OK) {
        bisect->stopped = *trial == ZV_TRIAL_STOP;
    }
    return status;
}

/* Doubles a value that passes until one does not, or the end is reached. *above: that one. */
static enum zv_status widen(struct zv_bisect *bisect, uint64_t *above, struct zv_error *err)
{
    while (bisect->value < bisect->to) {
        const uint64_t next = bisect->value <= bisect->to / 2 ? bisect->value * 2 : bisect->to;
        enum zv_trial trial = ZV_TRIAL_STOP;
        const enum zv_status status = ask(bisect, next, &trial, err);
        if (status != ZV_OK || trial == ZV_TRIAL_STOP) {
            return status;
        }
        if (trial == ZV_TRIAL_PASSES_NOT) {
            *above = next;
            return ZV_OK;
        }
        bisect->value = next;
    }
    bisect->at_limit = true;
    return ZV_OK;
}

static enum zv_status narrow(struct zv_bisect *bisect, uint64_t above, struct zv_error *err)
{
    while (above - bisect->value > 1) {
        const uint64_t middle = bisect->value + (above - bisect->value) / 2;
        enum zv_trial trial = ZV_TRIAL_STOP;
        const enum zv_status status = ask(bisect, middle, &trial, err);
        if (status != ZV_OK || trial == ZV_TRIAL_STOP) {
            return status;
        }
        *(trial == ZV_TRIAL_PASSES ? &bisect->value : &above) = middle;
    }
    return ZV_OK;
}

enum zv_status zv_bisect_run(struct zv_bisect *bisect, struct zv_error *err)
{
    enum zv_trial trial = ZV_TRIAL_STOP;
    uint64_t above = 0;
    if (bisect->from == 0 || bisect->to < bisect->from) {
        return zv_fail(err, ZV_E_USAGE, "an empty range to search");
    }
    enum zv_status status = ask(bisect, bisect->from, &trial, err);
    if (status != ZV_OK || trial != ZV_TRIAL_PASSES) {
        return status;
    }
    bisect->found = true;
    bisect->value = bisect->from;
    status = widen(bisect, &above, err);
    if (status != ZV_OK || bisect->stopped || bisect->at_limit) {
        return status;
    }
    return narrow(bisect, above, err);
}

static bool was_asked(const struct zv_bisect *bisect, uint64_t value)
{
    for (size_t i = 0; i < bisect->asked_count; i++) {
        if (bisect->asked[i] == value) {
            return true;
        }
    }
    return false;
}

/* Values evenly within first to last, which all should pass, or all not. */
static enum zv_status confirm_side(struct zv_bisect *bisect, uint64_t first, uint64_t last,
                                   unsigned count, struct zv_error *err)
{
    for (unsigned i = 1; first <= last && i <= count && !bisect->contrary && !bisect->stopped;
         i++) {
        enum zv_trial trial = ZV_TRIAL_STOP;
        uint64_t step = 0;
        (void)zv_mul_div(last - first, i, count, &step); /* i <= count: it fits */
        const uint64_t value = first + step;
        if (was_asked(bisect, value)) {
            continue;
        }
        const enum zv_status status = ask(bisect, value, &trial, err);
        if (status != ZV_OK) {
            return status;
        }
        const enum zv_trial expected =
            value <= bisect->value ? ZV_TRIAL_PASSES : ZV_TRIAL_PASSES_NOT;
        if (trial != ZV_TRIAL_STOP && trial != expected) {
            bisect->contrary = true;
            bisect->contrary_value = value;
        }
    }
    return ZV_OK;
}

enum zv_status zv_bisect_confirm(struct zv_bisect *bisect, unsigned count, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    if (bisect->stopped) {
        return ZV_OK;
    }
    if (bisect->found && bisect->value > bisect->from) {
        status = confirm_side(bisect, bisect->from, bisect->value - 1, count, err);
    }
    const uint64_t above = bisect->found ? bisect->value + 1 : bisect->from;
    if (status == ZV_OK && !bisect->at_limit) {
        status = confirm_side(bisect, above, bisect->to, count, err);
    }
    return status;
}
