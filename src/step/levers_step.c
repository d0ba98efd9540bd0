/* What would lower a step's peak: settings changed one at a time. */
#include <stdlib.h>

#include "base/fail.h"
#include "step/peak.h"
#include "step/step_cases.h"

static const struct lever {
    const char *setting;
    const char *value;
    const char *what;
} levers[] = {
    {"checkpoint", "true", "recompute each layer in the backward pass"},
    {"optimizer", "adamw_fused", "a fused optimizer: no temporary copy of all parameters"},
    {"optimizer", "sgd", "an optimizer without states"},
    {"full", "false", "train LoRA adapters only"},
    {"weights", "bf16", "weights, gradients and states in bf16"},
    {"autocast", "bf16", "activations in bf16 by autocast"},
    {"chunks", "8", "the output projection and the loss in chunks"},
    {"shift_copies", "false", "no copy of the logits for the loss"},
};
enum { LEVERS = sizeof levers / sizeof *levers };
_Static_assert((int)LEVERS <= (int)ZV_STEP_LEVERS, "room for all of them");

/* The value that the highest peak has; empty when the program does not use the setting. */
static struct zv_slice value_of(const struct zv_step *step, const struct zv_step_request *request,
                                const struct zv_step_peak *peak, const char *name)
{
    struct zv_slice value = {NULL, 0};
    const int index = step_link_setting(&step->link, zv_slice_of(name));
    if (index >= 0 && (peak->high.asked >> index & 1) != 0) {
        value = step->link.settings[index].value;
    }
    for (size_t i = 0; i < peak->open_count; i++) {
        if (zv_slice_equal(peak->open[i].name, name)) {
            value = peak->open[i].highest;
        }
    }
    for (size_t i = 0; i < request->setting_count; i++) {
        if (zv_slice_equal(request->settings[i].name, name)) {
            value = request->settings[i].value;
        }
    }
    return value;
}

/* The settings of the highest peak with one of them changed. */
static size_t change(const struct zv_step_request *request, const struct zv_step_peak *peak,
                     const struct lever *lever, struct zv_step_setting *to)
{
    size_t count = 0;
    for (size_t i = 0; i < request->setting_count; i++) {
        if (!zv_slice_equal(request->settings[i].name, lever->setting)) {
            to[count++] = request->settings[i];
        }
    }
    for (size_t i = 0; i < peak->open_count; i++) {
        if (!zv_slice_equal(peak->open[i].name, lever->setting)) {
            to[count++] = (struct zv_step_setting){.name = peak->open[i].name,
                                                   .value = peak->open[i].highest};
        }
    }
    to[count++] = (struct zv_step_setting){.name = zv_slice_of(lever->setting),
                                           .value = zv_slice_of(lever->value)};
    return count;
}

static int larger_first(const void *a, const void *b)
{
    const struct zv_step_lever *const x = a;
    const struct zv_step_lever *const y = b;
    return (x->saved_bytes < y->saved_bytes) - (x->saved_bytes > y->saved_bytes);
}

enum zv_status zv_step_levers(const struct zv_step *step, const struct zv_step_request *request,
                              const struct zv_step_peak *peak,
                              struct zv_step_lever to[ZV_STEP_LEVERS], size_t *count,
                              struct zv_error *err)
{
    struct zv_step_setting settings[STEP_MAX_STATED + ZV_STEP_OPEN + 1];
    struct zv_step_request one = *request;
    one.settings = settings;
    one.on_event = NULL;
    one.allocator.capacity_bytes = UINT64_C(1) << 47; /* what it would take, whatever the card */
    *count = 0;
    uint64_t now = peak->high.peak_allocated_bytes;
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < LEVERS; i++) {
        const struct zv_slice value = value_of(step, request, peak, levers[i].setting);
        struct zv_step_result result;
        if (value.length == 0 || zv_slice_equal(value, levers[i].value)) {
            continue;
        }
        one.setting_count = change(request, peak, &levers[i], settings);
        struct zv_error refused = {0};
        const enum zv_status ran = zv_step_run(step, &one, &result, &refused);
        if (ran == ZV_E_NOMEM) {
            status = zv_fail_memory(err, "a step");
        }
        /* a lever that the program refuses is none */
        if (ran == ZV_OK && result.peak_allocated_bytes < now) {
            to[(*count)++] =
                (struct zv_step_lever){.setting = zv_slice_of(levers[i].setting),
                                       .value = zv_slice_of(levers[i].value),
                                       .what = levers[i].what,
                                       .peak_allocated_bytes = result.peak_allocated_bytes,
                                       .saved_bytes = now - result.peak_allocated_bytes};
        }
    }
    qsort(to, *count, sizeof *to, larger_first);
    return status;
}
