#include "step/step_cases.h"

#include <string.h>

#include "base/fail.h"

/* The text of a stated setting; empty when nobody stated it. */
static struct zv_slice stated(const struct zv_step_request *request, struct zv_slice name)
{
    struct zv_slice value = {NULL, 0};
    for (size_t i = 0; i < request->setting_count; i++) {
        if (zv_slice_same(request->settings[i].name, name)) {
            value = request->settings[i].value;
        }
    }
    return value;
}

static enum zv_status add_open(struct step_cases *cases, size_t index, struct zv_slice text,
                               struct zv_error *err)
{
    if (cases->open_count == ZV_STEP_OPEN) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings are open: state some", ZV_STEP_OPEN);
    }
    struct step_open *const open = &cases->open[cases->open_count++];
    *open = (struct step_open){
        .name = cases->step->link.settings[index].name, .text = text, .index = index};
    struct zv_slice rest = text;
    while (rest.length != 0) {
        if (open->count == STEP_MAX_VALUES) {
            return zv_fail(err, ZV_E_LIMIT, "%.*s: more than %d alternatives",
                           (int)open->name.length, open->name.at, STEP_MAX_VALUES);
        }
        open->values[open->count++] = zv_slice_trim(zv_slice_cut(&rest, '|'));
    }
    cases->combinations *= open->count;
    return cases->combinations <= STEP_MAX_COMBINATIONS
               ? ZV_OK
               : zv_fail(err, ZV_E_LIMIT, "what is open makes more than %d cases: state some",
                         STEP_MAX_COMBINATIONS);
}

enum zv_status step_cases_begin(struct step_cases *cases, const struct zv_step *step,
                                const struct zv_step_request *request, struct zv_error *err)
{
    *cases = (struct step_cases){.step = step, .request = request, .combinations = 1};
    if (request->setting_count > STEP_MAX_STATED) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings", STEP_MAX_STATED);
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < step->link.setting_count; i++) {
        struct zv_slice text = stated(request, step->link.settings[i].name);
        if (text.length == 0) {
            text = step->link.settings[i].value;
        }
        if (text.length != 0 && memchr(text.at, '|', text.length) != NULL) {
            status = add_open(cases, i, text, err);
        }
    }
    return status;
}

struct step_choice step_cases_choice(const struct step_cases *cases, size_t combination)
{
    struct step_choice choice = {{0}};
    for (size_t i = 0; i < cases->open_count; i++) {
        choice.value[i] = (uint8_t)(combination % cases->open[i].count);
        combination /= cases->open[i].count;
    }
    return choice;
}

const struct step_known *step_cases_find(const struct step_cases *cases,
                                         const struct step_choice *choice)
{
    for (size_t k = 0; k < cases->known_count; k++) {
        const struct step_known *const known = &cases->known[k];
        bool same = true;
        for (size_t i = 0; same && i < cases->open_count; i++) {
            same = !step_setting_is_in(&known->asked, cases->open[i].index) ||
                   known->choice.value[i] == choice->value[i];
        }
        if (same) {
            return known;
        }
    }
    return NULL;
}

struct zv_step_request step_cases_request(struct step_cases *cases,
                                          const struct step_choice *choice)
{
    struct zv_step_request one = *cases->request;
    size_t count = 0;
    for (; count < one.setting_count; count++) {
        cases->settings[count] = one.settings[count];
    }
    for (size_t i = 0; i < cases->open_count; i++) {
        cases->settings[count++] = (struct zv_step_setting){
            .name = cases->open[i].name, .value = cases->open[i].values[choice->value[i]]};
    }
    one.settings = cases->settings;
    one.setting_count = count;
    return one;
}

enum zv_status step_cases_run(struct step_cases *cases, const struct step_choice *choice,
                              struct zv_step_result *result, struct zv_error *err)
{
    if (cases->known_count == ZV_STEP_MAX_RUNS) {
        return zv_fail(err, ZV_E_LIMIT, "what is open makes more than %d cases: state some",
                       ZV_STEP_MAX_RUNS);
    }
    struct zv_step_request one = step_cases_request(cases, choice);
    one.on_event = NULL;
    const enum zv_status status = zv_step_run(cases->step, &one, result, err);
    if (status == ZV_OK) {
        cases->known[cases->known_count++] =
            (struct step_known){*choice, result->asked,
                                result->out_of_memory ? UINT64_MAX : result->peak_allocated_bytes,
                                result->peak_reserved_bytes};
        for (size_t i = 0; i < cases->step->link.setting_count; i++) {
            if (step_setting_is_in(&result->asked, i)) {
                step_setting_put(&cases->asked, i);
            }
        }
    }
    return status;
}
