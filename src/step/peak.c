#include "step/peak.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "step/program_run.h"
#include "step/step_cases.h"

/* ---- what is live ---- */

struct look {
    struct zv_step_peak *peak;
    step_event_fn *on_event;
    void *context;
    uint64_t seen_layers[ZV_STEP_HOLDERS]; /* a bit for each of the first 64 layers */
};

static struct zv_step_holder *holder_of(struct look *look, const struct step_storage *storage)
{
    struct zv_step_peak *const peak = look->peak;
    const struct zv_slice name = step_label_name(storage->label);
    const bool saved = storage->saved != 0;
    for (size_t i = 0; i < peak->holder_count; i++) {
        if (peak->holders[i].saved == saved && zv_slice_same(peak->holders[i].operation, name)) {
            return &peak->holders[i];
        }
    }
    if (peak->holder_count == ZV_STEP_HOLDERS) {
        return &peak->holders[ZV_STEP_HOLDERS - 1];
    }
    peak->holders[peak->holder_count] = (struct zv_step_holder){.operation = name, .saved = saved};
    return &peak->holders[peak->holder_count++];
}

/* layer: the number + 1, 0: none. Those beyond the last place share it. */
static void count_layer(struct zv_step_peak *peak, const struct step_storage *storage,
                        uint32_t layer)
{
    const size_t place = layer < ZV_STEP_LAYERS ? layer : ZV_STEP_LAYERS - 1;
    struct zv_step_layer *const of = &peak->layers[place];
    peak->layer_count = place + 1 > peak->layer_count ? place + 1 : peak->layer_count;
    of->bytes[storage->saved != 0 ? ZV_STEP_SAVED : ZV_STEP_TEMPORARY] += storage->bytes;
    of->tensors++;
}

static void count_storage(struct look *look, const struct step_storage *storage)
{
    struct zv_step_peak *const peak = look->peak;
    peak->held[storage->purpose] += storage->bytes;
    if (storage->purpose != STEP_ACTIVATION || storage->bytes == 0) {
        return;
    }
    if (storage->saved != 0) {
        peak->saved_bytes += storage->bytes;
    } else {
        peak->temporary_bytes += storage->bytes;
    }
    struct zv_step_holder *const holder = holder_of(look, storage);
    const uint32_t layer = storage->label >> STEP_LABEL_LAYER;
    count_layer(peak, storage, layer);
    const uint64_t bit = layer != 0 ? UINT64_C(1) << (layer % 64) : 0;
    uint64_t *const seen = &look->seen_layers[holder - peak->holders];
    holder->layers += (*seen & bit) == 0 && bit != 0;
    *seen |= bit;
    holder->bytes += storage->bytes;
    holder->count++;
}

static int larger_first(const void *a, const void *b)
{
    const struct zv_step_holder *const x = a;
    const struct zv_step_holder *const y = b;
    return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static void look_around(struct step_engine *e, void *context)
{
    struct look *const look = context;
    struct zv_step_peak *const peak = look->peak;
    uint64_t asked = 0;
    for (const struct step_storage *s = e->live.next; s != &e->live; s = s->next) {
        count_storage(look, s);
        asked += s->bytes;
    }
    peak->rounding_bytes = zv_allocator_usage(e->allocator).allocated_bytes - asked;
    qsort(peak->holders, peak->holder_count, sizeof *peak->holders, larger_first);
}

static void pass_on(void *context, const struct step_event *event)
{
    const struct look *const look = context;
    if (look->on_event != NULL) {
        look->on_event(look->context, event);
    }
}

/* ---- the runs ---- */

static uint64_t size_of(const struct zv_step_result *result)
{
    return result->out_of_memory ? UINT64_MAX : result->peak_allocated_bytes;
}

/* What is allocated decides, then what is reserved. */
static bool is_less(const struct zv_step_result *a, const struct zv_step_result *b)
{
    return size_of(a) != size_of(b)
               ? size_of(a) < size_of(b)
               : !a->out_of_memory && a->peak_reserved_bytes < b->peak_reserved_bytes;
}

static void widen(uint64_t range[2], uint64_t value, bool first)
{
    range[0] = first || value < range[0] ? value : range[0];
    range[1] = first || value > range[1] ? value : range[1];
}

static enum zv_status run_all(struct step_cases *cases, struct zv_step_peak *to,
                              struct step_choice *lowest, struct step_choice *highest,
                              struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < cases->combinations; i++) {
        const struct step_choice choice = step_cases_choice(cases, i);
        struct zv_step_result result;
        if (step_cases_find(cases, &choice) != NULL) {
            continue;
        }
        status = step_cases_run(cases, &choice, &result, err);
        if (status == ZV_OK && (to->runs == 0 || is_less(&result, &to->low))) {
            to->low = result;
            *lowest = choice;
        }
        if (status == ZV_OK && (to->runs == 0 || is_less(&to->high, &result))) {
            to->high = result;
            *highest = choice;
        }
        if (status == ZV_OK && !result.out_of_memory) {
            const bool first = to->runs == to->out_of_memory_runs;
            widen(to->active_bytes, result.peak_active_bytes, first);
            widen(to->reserved_bytes, result.peak_reserved_bytes, first);
        }
        to->out_of_memory_runs += status == ZV_OK && result.out_of_memory;
        to->runs++;
    }
    return status;
}

/* What this setting alone makes: how low the highest peak could be with another value of it. */
static void note_width(const struct step_cases *cases, const struct step_choice *highest,
                       size_t open, struct zv_step_open_setting *to)
{
    const struct step_known *const top = step_cases_find(cases, highest);
    struct step_choice other = *highest;
    for (size_t i = 0; i < cases->open[open].count && top->allocated_bytes != UINT64_MAX; i++) {
        other.value[open] = (uint8_t)i;
        const struct step_known *const known = step_cases_find(cases, &other);
        const uint64_t less = top->allocated_bytes - known->allocated_bytes;
        const uint64_t less_reserved =
            top->reserved_bytes - (known->reserved_bytes < top->reserved_bytes
                                       ? known->reserved_bytes
                                       : top->reserved_bytes);
        if (less > to->width_bytes ||
            (less == to->width_bytes && less_reserved >= to->reserved_width_bytes)) {
            to->lowest = cases->open[open].values[i];
            to->width_bytes = less;
            to->reserved_width_bytes = less_reserved;
        }
    }
}

/* The open settings that some run asked for, those that make the interval wide first. */
static void note_open(const struct step_cases *cases, const struct step_choice *lowest,
                      const struct step_choice *highest, struct zv_step_peak *to)
{
    for (size_t i = 0; i < cases->open_count; i++) {
        const struct step_open *const open = &cases->open[i];
        struct zv_step_open_setting one = {.name = open->name,
                                           .values = open->text,
                                           .lowest = open->values[lowest->value[i]],
                                           .highest = open->values[highest->value[i]]};
        if (!step_setting_is_in(&cases->asked, open->index)) {
            continue;
        }
        note_width(cases, highest, i, &one);
        size_t at = to->open_count++;
        for (; at != 0 && to->open[at - 1].width_bytes < one.width_bytes; at--) {
            to->open[at] = to->open[at - 1];
        }
        to->open[at] = one;
    }
}

/* Settings that nobody stated and that a framework sets itself. */
static void note_defaults(const struct step_cases *cases, struct zv_step_peak *to)
{
    const struct step_link *const link = &cases->step->link;
    for (size_t i = 0; i < link->setting_count && to->default_count < ZV_STEP_DEFAULTS; i++) {
        const struct step_link_setting *const setting = &link->settings[i];
        bool stated = setting->basis.length == 0 || !step_setting_is_in(&cases->asked, i);
        for (size_t k = 0; !stated && k < cases->request->setting_count; k++) {
            stated = zv_slice_same(cases->request->settings[k].name, setting->name);
        }
        if (!stated) {
            to->defaults[to->default_count++] =
                (struct zv_step_default){setting->name, setting->value, setting->basis};
        }
    }
}

/* A figure that leaves out what was stated answers another question. A run that stopped for lack
 * of memory may not have come to what would have asked. */
static enum zv_status check_asked(const struct step_cases *cases, const struct zv_step_peak *peak,
                                  struct zv_error *err)
{
    const struct zv_step_request *const request = cases->request;
    for (size_t i = 0; peak->out_of_memory_runs == 0 && i < request->setting_count; i++) {
        const struct zv_step_setting *const setting = &request->settings[i];
        const int index = step_link_setting(&cases->step->link, setting->name);
        if (index >= 0 && !step_setting_is_in(&cases->asked, (size_t)index)) {
            const bool by_name = setting->option == NULL || strcmp(setting->option, "--set") == 0;
            return zv_fail(err, ZV_E_USAGE,
                           "%s%s%.*s: with the other settings the step never asks "
                           "for it: leave it out",
                           setting->option != NULL ? setting->option : "",
                           setting->option == NULL ? ""
                           : by_name               ? " "
                                                   : " sets ",
                           (int)setting->name.length, setting->name.at);
        }
    }
    return ZV_OK;
}

enum zv_status zv_step_peak(const struct zv_step *step, const struct zv_step_request *request,
                            struct zv_step_peak *to, struct zv_error *err)
{
    struct step_cases cases;
    struct step_choice lowest = {{0}};
    struct step_choice highest = {{0}};
    *to = (struct zv_step_peak){.runs = 0};
    enum zv_status status = step_cases_begin(&cases, step, request, err);
    if (status == ZV_OK) {
        status = run_all(&cases, to, &lowest, &highest, err);
    }
    if (status == ZV_OK) {
        status = check_asked(&cases, to, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (to->low.out_of_memory) { /* all of them: what they came to */
        widen(to->active_bytes, to->low.peak_active_bytes, true);
        widen(to->reserved_bytes, to->low.peak_reserved_bytes, true);
    }
    note_open(&cases, &lowest, &highest, to);
    note_defaults(&cases, to);
    to->when =
        (struct zv_step_when){.event = to->high.peak_event,
                              .in_backward = to->high.peak_in_backward,
                              .layer = (int64_t)(to->high.peak_label >> STEP_LABEL_LAYER) - 1,
                              .operation = step_label_name(to->high.peak_label)};
    struct look look = {.peak = to, .on_event = request->on_event, .context = request->context};
    struct zv_step_result again;
    struct zv_step_request one = step_cases_request(&cases, &highest);
    one.on_event = request->on_event != NULL ? pass_on : NULL;
    one.context = &look;
    one.watch_event = to->high.peak_event;
    one.on_watch = look_around;
    return zv_step_run(step, &one, &again, err);
}
