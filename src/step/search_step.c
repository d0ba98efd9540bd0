/* The largest value of a setting with which a step goes in. */
#include <inttypes.h>
#include <stdio.h>

#include "base/bisect.h"
#include "base/fail.h"
#include "step/peak.h"
#include "step/step_cases.h"

struct asking {
    struct zv_step_search *search;
    const struct zv_step *step;
    const struct zv_step_request *request;
    struct step_choice worst; /* that ran out last: the next value is tried with it first */
};

/* Whether all combinations go in; the first that does not ends it. */
static enum zv_status goes_in(struct asking *asking, const struct zv_step_request *request,
                              bool *fits, struct zv_error *err)
{
    struct step_cases cases;
    *fits = true;
    enum zv_status status = step_cases_begin(&cases, asking->step, request, err);
    for (size_t i = 0; status == ZV_OK && *fits && i <= cases.combinations; i++) {
        const struct step_choice choice = i == 0 ? asking->worst : step_cases_choice(&cases, i - 1);
        struct zv_step_result result;
        if (step_cases_find(&cases, &choice) != NULL) {
            continue;
        }
        status = step_cases_run(&cases, &choice, &result, err);
        asking->search->runs++;
        if (status == ZV_OK && result.out_of_memory) {
            *fits = false;
            asking->worst = choice;
            asking->search->next_request_bytes = result.oom_bytes;
        }
    }
    return status;
}

static enum zv_status ask(void *context, uint64_t value, enum zv_trial *trial, struct zv_error *err)
{
    struct asking *const asking = context;
    struct zv_step_setting settings[STEP_MAX_STATED];
    struct zv_step_request one = *asking->request;
    struct zv_error cause = {0};
    char text[24];
    bool fits = false;
    if (one.setting_count >= STEP_MAX_STATED) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings", STEP_MAX_STATED);
    }
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    for (size_t i = 0; i < one.setting_count; i++) {
        settings[i] = one.settings[i];
    }
    settings[one.setting_count++] =
        (struct zv_step_setting){.name = asking->search->setting, .value = zv_slice_of(text)};
    one.settings = settings;
    enum zv_status status = goes_in(asking, &one, &fits, &cause);
    if (status == ZV_E_OVERFLOW && value != asking->search->from) {
        status = ZV_OK; /* more than 2^63 bytes do not fit either */
    }
    *trial = fits && status == ZV_OK ? ZV_TRIAL_PASSES : ZV_TRIAL_PASSES_NOT;
    if (status != ZV_OK && err != NULL) {
        *err = cause;
    }
    return status;
}

enum zv_status zv_step_find_largest(const struct zv_step *step,
                                    const struct zv_step_request *request,
                                    struct zv_step_search *to, struct zv_error *err)
{
    enum { CONFIRMED = 2 };
    struct asking asking = {.search = to, .step = step, .request = request, .worst = {{0}}};
    struct zv_bisect bisect = {.from = to->from, .to = to->limit, .ask = ask, .context = &asking};
    enum zv_status status = zv_bisect_run(&bisect, err);
    const uint64_t missing = to->next_request_bytes;
    if (status == ZV_OK && bisect.found && !bisect.at_limit) {
        status = zv_bisect_confirm(&bisect, CONFIRMED, err);
    }
    to->next_request_bytes = missing;
    to->found = bisect.found;
    to->at_limit = bisect.at_limit;
    to->value = bisect.found ? bisect.value : to->from;
    to->contrary = bisect.contrary;
    to->contrary_value = bisect.contrary_value;
    to->values = bisect.asked_count;
    return status;
}
