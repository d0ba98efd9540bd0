/* What a result of the lab exercise does not say. Each sentence with the results it belongs to. */
#include <stdio.h>
#include <string.h>

#include "report/report_measure.h"

static bool always(const struct report_measure *result)
{
    return result->run_count != 0;
}

static bool any(const struct report_measure *result, bool (*is)(const struct measure_run *run))
{
    for (size_t i = 0; i < result->run_count; i++) {
        if (is(&result->runs[i])) {
            return true;
        }
    }
    return false;
}

static bool run_is_emulated(const struct measure_run *run)
{
    return run->device.is_emulated;
}

static bool run_has_pool(const struct measure_run *run)
{
    return run->policy == ZV_POLICY_ASYNC;
}

static bool run_is_inference(const struct measure_run *run)
{
    return !run->condition.trains;
}

static bool run_trains(const struct measure_run *run)
{
    return run->condition.trains;
}

static bool run_is_partial(const struct measure_run *run)
{
    return !run->is_complete;
}

static bool run_empties(const struct measure_run *run)
{
    return run->condition.empties_cache;
}

static bool run_is_loop(const struct measure_run *run)
{
    return run->condition.is_unsynchronised;
}

static bool run_is_hip(const struct measure_run *run)
{
    return run->device.backend != NULL && strcmp(run->device.backend, "HIP") == 0;
}

static bool is_emulated(const struct report_measure *result)
{
    return any(result, run_is_emulated);
}

static bool has_pool(const struct report_measure *result)
{
    return any(result, run_has_pool);
}

static bool is_inference(const struct report_measure *result)
{
    return any(result, run_is_inference);
}

static bool trains(const struct report_measure *result)
{
    return any(result, run_trains);
}

static bool is_partial(const struct report_measure *result)
{
    return any(result, run_is_partial);
}

static bool empties(const struct report_measure *result)
{
    return any(result, run_empties);
}

static bool has_no_loop(const struct report_measure *result)
{
    return !any(result, run_is_loop);
}

static bool is_hip(const struct report_measure *result)
{
    return any(result, run_is_hip);
}

static bool has_devices(const struct report_measure *result)
{
    return result->device_count > 1;
}

static bool has_processes(const struct report_measure *result)
{
    return result->processes > 1;
}

static const struct {
    bool (*applies)(const struct report_measure *result);
    const char *text;
} cautions[] = {
    {is_emulated,
     "Emulated: the counters of the allocator on a card that is not there. Nothing was "
     "computed and nothing was timed; no card was measured."},
    {always,
     "allocated and reserved are two counters of the same memory: they are not added. A peak "
     "is the largest value since its phase began; the difference of two peaks is no "
     "difference at one instant, and peak less baseline is not the volume of temporaries."},
    {always, "context is a dimension of this small network and no language model's length: no "
             "conclusion on what another model needs or whether a card has room for it."},
    {always, "A gap between these counters and a reading of the system alone proves no leak."},
    {is_inference, "cold_forward is not the start of a server."},
    {trains, "A failure in evaluation or export is not mended by a smaller training batch."},
    {has_pool,
     "With a stream-ordered pool the reserved peak may be an upper bound; ours is a model "
     "of that pool."},
    {is_partial, "A partial peak is not the need: the failed phase shows its last values."},
    {empties, "empty_cache frees no live tensor, and calling it between phases changed the "
              "conditions: compare with nothing that did not."},
    {has_no_loop, "Waiting at phase boundaries can change the usual overlap: --unsynchronised runs "
                  "the whole loop once more without them."},
    {has_processes, "Repeats within one process are no new processes; their order is as listed."},
    {has_devices, "Each device has its own readings: several GPUs are not one pool."},
    {is_hip, "HIP answers here; PyTorch calls such a device torch.cuda too."},
};

const char *report_measure_caution(const struct report_measure *result, size_t index)
{
    for (size_t i = 0; i < sizeof cautions / sizeof cautions[0]; i++) {
        if (cautions[i].applies(result) && index-- == 0) {
            return cautions[i].text;
        }
    }
    return NULL;
}

bool report_measure_is_complete(const struct report_measure *result)
{
    return !is_partial(result);
}

void report_measure_device(char to[REPORT_MEASURE_DEVICE], const struct measure_run *run)
{
    if (run->device.backend == NULL) { /* its process died */
        (void)snprintf(to, REPORT_MEASURE_DEVICE, "unknown");
    } else {
        zv_device_name_print(to, run->device.index);
    }
}

static void raise(struct zv_reading *to, struct zv_reading reading)
{
    if (reading.known && (!to->known || reading.value > to->value)) {
        *to = reading;
    }
}

void report_measure_peaks(const struct measure_run *run, struct zv_reading *allocated,
                          struct zv_reading *reserved)
{
    *allocated = (struct zv_reading){0};
    *reserved = (struct zv_reading){0};
    for (size_t i = 0; i < run->phase_count; i++) {
        raise(allocated, run->phases[i].peak_allocated);
        raise(reserved, run->phases[i].peak_reserved);
    }
}
