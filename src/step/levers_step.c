/* What would lower a step's peak: settings changed one at a time, then together until it goes in.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "step/peak.h"
#include "step/step_cases.h"

#define WITHOUT_END (UINT64_C(1) << 47) /* what it would take, whatever the card */

static const struct row {
    const char *setting;
    const char *value;
    const char *what;
} rows[] = {
    {"checkpoint", "true", "recompute each layer in the backward pass"},
    {"optimizer", "adamw_fused", "a fused optimizer: no temporary copy of all parameters"},
    {"optimizer", "adamw_8bit", "the optimizer's states in 8 bits (bitsandbytes)"},
    {"optimizer", "paged_adamw_8bit",
     "states in 8 bits, the large ones in managed memory, which "
     "the host holds where the card is full"},
    {"optimizer", "adafactor", "a row and a column of states for each matrix"},
    {"optimizer", "sgd", "an optimizer without states"},
    {"in_backward", "true",
     "each gradient used and freed in the backward pass, with one "
     "micro-batch an optimizer step"},
    {"full", "false", "train LoRA adapters only"},
    {"weights", "bf16", "weights, gradients and states in bf16"},
    {"autocast", "bf16", "activations in bf16 by autocast"},
    {"loss", "fused", "the loss without logits (Liger's fused linear cross entropy)"},
    {"chunks", "8", "the output projection and the loss in chunks"},
    {"shift_copies", "false", "no copy of the logits for the loss"},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)ZV_STEP_LEVERS, "room for all of them");

/* A step that is run with other settings than it was asked for. */
struct trial {
    const struct zv_step *step;
    const struct zv_step_request *request;
    const struct zv_step_peak *peak; /* on a card without end */
    struct zv_step_setting settings[STEP_MAX_STATED + ZV_STEP_OPEN + ZV_STEP_LEVERS];
    size_t count;
};

/* The value that the highest peak has; empty when the program does not use the setting. */
static struct zv_slice value_of(const struct trial *trial, const char *name)
{
    const struct zv_step_peak *const peak = trial->peak;
    struct zv_slice value = {NULL, 0};
    const int index = step_link_setting(&trial->step->link, zv_slice_of(name));
    if (index >= 0 && step_setting_is_in(&peak->high.asked, (size_t)index)) {
        value = trial->step->link.settings[index].value;
    }
    for (size_t i = 0; i < peak->open_count; i++) {
        if (zv_slice_equal(peak->open[i].name, name)) {
            value = peak->open[i].highest;
        }
    }
    for (size_t i = 0; i < trial->request->setting_count; i++) {
        if (zv_slice_equal(trial->request->settings[i].name, name)) {
            value = trial->request->settings[i].value;
        }
    }
    return value;
}

static void set(struct trial *trial, struct zv_slice name, struct zv_slice value)
{
    size_t at = 0;
    while (at < trial->count && !zv_slice_same(trial->settings[at].name, name)) {
        at++;
    }
    trial->settings[at] = (struct zv_step_setting){.name = name, .value = value};
    trial->count += at == trial->count;
}

/* The settings of the highest peak. */
static void begin(struct trial *trial)
{
    trial->count = 0;
    for (size_t i = 0; i < trial->request->setting_count; i++) {
        set(trial, trial->request->settings[i].name, trial->request->settings[i].value);
    }
    for (size_t i = 0; i < trial->peak->open_count; i++) {
        set(trial, trial->peak->open[i].name, trial->peak->open[i].highest);
    }
}

static enum zv_status run(const struct trial *trial, uint64_t capacity_bytes,
                          struct zv_step_result *result, struct zv_error *err)
{
    struct zv_step_request one = *trial->request;
    struct zv_error refused = {0};
    one.settings = trial->settings;
    one.setting_count = trial->count;
    one.on_event = NULL;
    one.allocator.capacity_bytes = capacity_bytes;
    const enum zv_status status = zv_step_run(trial->step, &one, result, &refused);
    return status == ZV_E_NOMEM ? zv_fail_memory(err, "a step") : status;
}

/* Whether the step with these settings goes into the card. A lever that the program refuses is
 * none. */
static enum zv_status goes_in(const struct trial *trial, bool *fits, struct zv_error *err)
{
    struct zv_step_result result;
    const enum zv_status status =
        run(trial, trial->request->allocator.capacity_bytes, &result, err);
    *fits = status == ZV_OK && !result.out_of_memory;
    return status == ZV_E_NOMEM ? status : ZV_OK;
}

static int larger_first(const void *a, const void *b)
{
    const struct zv_step_lever *const x = a;
    const struct zv_step_lever *const y = b;
    return (x->saved_bytes < y->saved_bytes) - (x->saved_bytes > y->saved_bytes);
}

static enum zv_status try_row(struct trial *trial, const struct row *row, struct zv_step_advice *to,
                              struct zv_error *err)
{
    const struct zv_slice value = value_of(trial, row->setting);
    struct zv_step_result result;
    if (value.length == 0 || zv_slice_equal(value, row->value)) {
        return ZV_OK;
    }
    begin(trial);
    set(trial, zv_slice_of(row->setting), zv_slice_of(row->value));
    const enum zv_status status = run(trial, WITHOUT_END, &result, err);
    if (status != ZV_OK || result.peak_allocated_bytes >= to->needed_bytes) {
        return status == ZV_E_NOMEM ? status : ZV_OK;
    }
    struct zv_step_lever *const lever = &to->levers[to->count++];
    *lever = (struct zv_step_lever){.setting = zv_slice_of(row->setting),
                                    .value = zv_slice_of(row->value),
                                    .what = row->what,
                                    .peak_allocated_bytes = result.peak_allocated_bytes,
                                    .managed_bytes = result.managed_bytes,
                                    .saved_bytes = to->needed_bytes - result.peak_allocated_bytes};
    return to->runs_out ? goes_in(trial, &lever->fits, err) : ZV_OK;
}

/* The settings of the highest peak with the levers that are pulled, but for one of them. */
static void pull(struct trial *trial, const struct zv_step_advice *to, size_t but)
{
    begin(trial);
    for (size_t i = 0; i < to->together_count; i++) {
        if (i != but) {
            const struct zv_step_lever *const lever = &to->levers[to->together[i]];
            set(trial, lever->setting, lever->value);
        }
    }
}

static bool is_pulled(const struct zv_step_advice *to, struct zv_slice setting)
{
    bool pulled = false;
    for (size_t i = 0; i < to->together_count; i++) {
        pulled |= zv_slice_same(to->levers[to->together[i]].setting, setting);
    }
    return pulled;
}

/* Without those that are not needed for it. */
static enum zv_status let_go(struct trial *trial, struct zv_step_advice *to, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < to->together_count;) {
        bool fits = false;
        pull(trial, to, i);
        status = goes_in(trial, &fits, err);
        if (fits) {
            to->together_count--;
            memmove(&to->together[i], &to->together[i + 1],
                    (to->together_count - i) * sizeof to->together[0]);
        } else {
            i++;
        }
    }
    return status;
}

/* The largest lever of each setting, one after the other, until the step goes in. */
static enum zv_status pull_together(struct trial *trial, struct zv_step_advice *to,
                                    struct zv_error *err)
{
    struct zv_step_result result;
    enum zv_status status = ZV_OK;
    bool fits = false;
    for (size_t i = 0; status == ZV_OK && !fits && i < to->count; i++) {
        if (!is_pulled(to, to->levers[i].setting)) {
            to->together[to->together_count++] = i;
            pull(trial, to, ZV_STEP_LEVERS);
            status = goes_in(trial, &fits, err);
        }
    }
    if (status == ZV_OK && fits) {
        status = let_go(trial, to, err);
        pull(trial, to, ZV_STEP_LEVERS);
        status = status == ZV_OK ? run(trial, WITHOUT_END, &result, err) : status;
        to->together_bytes = status == ZV_OK ? result.peak_allocated_bytes : 0;
    }
    return status;
}

enum zv_status zv_step_levers(const struct zv_step *step, const struct zv_step_request *request,
                              const struct zv_step_peak *peak, struct zv_step_advice *to,
                              struct zv_error *err)
{
    struct trial trial = {.step = step, .request = request, .peak = peak};
    struct zv_step_request whole = *request;
    *to = (struct zv_step_advice){.runs_out = peak->high.out_of_memory};
    enum zv_status status = ZV_OK;
    if (to->runs_out) { /* the figures until it ran out say little of the whole */
        whole.on_event = NULL;
        whole.allocator.capacity_bytes = WITHOUT_END;
        status = zv_step_peak(step, &whole, &to->whole, err);
        trial.peak = &to->whole;
    }
    to->needed_bytes = trial.peak->high.peak_allocated_bytes;
    bool alone = false;
    for (size_t i = 0; status == ZV_OK && i < ROWS; i++) {
        status = try_row(&trial, &rows[i], to, err);
    }
    qsort(to->levers, to->count, sizeof *to->levers, larger_first);
    for (size_t i = 0; i < to->count; i++) {
        alone |= to->levers[i].fits;
    }
    return status == ZV_OK && to->runs_out && !alone ? pull_together(&trial, to, err) : status;
}
