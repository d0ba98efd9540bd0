#include "step/peak.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "step/program_run.h"

enum { MAX_SETTINGS = 64 };

/* ---- what is open ---- */

static bool is_stated(const struct zv_step_request *request, struct zv_slice name)
{
    for (size_t i = 0; i < request->setting_count; i++) {
        if (zv_slice_same(request->settings[i].name, name)) {
            return true;
        }
    }
    return false;
}

static enum zv_status find_open(const struct zv_step *step, const struct zv_step_request *request,
                                struct zv_step_peak *to, size_t *combinations, struct zv_error *err)
{
    *combinations = 1;
    for (size_t i = 0; i < step->link.setting_count; i++) {
        const struct step_link_setting *const setting = &step->link.settings[i];
        if (!setting->used || setting->value.length == 0 ||
            memchr(setting->value.at, '|', setting->value.length) == NULL ||
            is_stated(request, setting->name)) {
            continue;
        }
        if (to->open_count == ZV_STEP_OPEN) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d settings are open", ZV_STEP_OPEN);
        }
        to->open[to->open_count++] =
            (struct zv_step_open_setting){.name = setting->name, .values = setting->value};
        size_t values = 1;
        for (size_t k = 0; k < setting->value.length; k++) {
            values += setting->value.at[k] == '|';
        }
        *combinations *= values;
        if (*combinations > ZV_STEP_MAX_RUNS) {
            return zv_fail(err, ZV_E_LIMIT, "what is open makes more than %d cases: state some",
                           ZV_STEP_MAX_RUNS);
        }
    }
    return ZV_OK;
}

/* The settings of one combination: the stated ones and a value for each open one. */
static size_t combine(const struct zv_step_request *request, const struct zv_step_peak *peak,
                      size_t combination, struct zv_step_setting settings[MAX_SETTINGS])
{
    size_t count = 0;
    for (; count < request->setting_count; count++) {
        settings[count] = request->settings[count];
    }
    for (size_t i = 0; i < peak->open_count; i++) {
        struct zv_slice rest = peak->open[i].values;
        struct zv_slice values[16];
        size_t given = 0;
        while (rest.length != 0 && given < 16) {
            values[given++] = zv_slice_trim(zv_slice_cut(&rest, '|'));
        }
        settings[count++] = (struct zv_step_setting){peak->open[i].name,
                                                     values[given != 0 ? combination % given : 0]};
        combination /= given != 0 ? given : 1;
    }
    return count;
}

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

static void note_settings(struct zv_step_peak *to, const struct zv_step_setting *settings,
                          size_t stated, bool high)
{
    for (size_t i = 0; i < to->open_count; i++) {
        if (high) {
            to->open[i].highest = settings[stated + i].value;
        } else {
            to->open[i].lowest = settings[stated + i].value;
        }
    }
}

static uint64_t size_of(const struct zv_step_result *result)
{
    return result->out_of_memory ? UINT64_MAX : result->peak_allocated_bytes;
}

enum zv_status zv_step_peak(const struct zv_step *step, const struct zv_step_request *request,
                            struct zv_step_peak *to, struct zv_error *err)
{
    struct zv_step_setting settings[MAX_SETTINGS + ZV_STEP_OPEN];
    size_t combinations;
    size_t highest = 0;
    *to = (struct zv_step_peak){.runs = 0};
    if (request->setting_count > MAX_SETTINGS - ZV_STEP_OPEN) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d settings", MAX_SETTINGS - ZV_STEP_OPEN);
    }
    enum zv_status status = find_open(step, request, to, &combinations, err);
    struct zv_step_request one = *request;
    one.on_event = NULL;
    one.settings = settings;
    for (size_t i = 0; status == ZV_OK && i < combinations; i++) {
        struct zv_step_result result;
        one.setting_count = combine(request, to, i, settings);
        status = zv_step_run(step, &one, &result, err);
        if (status == ZV_OK && (i == 0 || size_of(&result) < size_of(&to->low))) {
            to->low = result;
            note_settings(to, settings, request->setting_count, false);
        }
        if (status == ZV_OK && (i == 0 || size_of(&result) > size_of(&to->high))) {
            to->high = result;
            highest = i;
            note_settings(to, settings, request->setting_count, true);
        }
        to->runs++;
    }
    if (status != ZV_OK) {
        return status;
    }
    to->when =
        (struct zv_step_when){.event = to->high.peak_event,
                              .in_backward = to->high.peak_in_backward,
                              .layer = (int64_t)(to->high.peak_label >> STEP_LABEL_LAYER) - 1,
                              .operation = step_label_name(to->high.peak_label)};
    struct look look = {.peak = to, .on_event = request->on_event, .context = request->context};
    struct zv_step_result again;
    one.setting_count = combine(request, to, highest, settings);
    one.on_event = request->on_event != NULL ? pass_on : NULL;
    one.context = &look;
    one.watch_event = to->high.peak_event;
    one.on_watch = look_around;
    return zv_step_run(step, &one, &again, err);
}
