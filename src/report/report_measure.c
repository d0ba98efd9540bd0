#include "report/report_measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

enum { CELL = 32, LINE = 1024 };

/* "25,246,564,352", or in the one unit asked for; "unknown". */
static void put_bytes(char to[CELL], const struct report_style *style, struct zv_reading reading)
{
    char digits[CELL];
    if (!reading.known) {
        (void)snprintf(to, CELL, "unknown");
        return;
    }
    if (style->units == REPORT_UNITS_ONE) {
        char text[ZV_BYTES_TEXT];
        zv_bytes_print_number(text, reading.value, style->unit, 2);
        (void)snprintf(to, CELL, "%.31s", text);
        return;
    }
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, reading.value);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0) {
            to[at++] = ',';
        }
        to[at++] = digits[i];
    }
    to[at] = 0;
}

static void put_duration(char to[CELL], struct zv_reading duration)
{
    if (!duration.known) {
        (void)snprintf(to, CELL, "unknown");
    } else if (duration.value < UINT64_C(10000000)) {
        (void)snprintf(to, CELL, "%" PRIu64 " us", duration.value / 1000);
    } else {
        (void)snprintf(to, CELL, "%" PRIu64 " ms", duration.value / 1000000);
    }
}

static bool same_reading(struct zv_reading a, struct zv_reading b)
{
    return a.known == b.known && (!a.known || a.value == b.value);
}

/* Whether a phase repeats the one before it, counter by counter. */
static bool is_repeat(const struct zv_phase *phase, const struct zv_phase *before)
{
    return strcmp(phase->name, before->name) == 0 && phase->succeeded && before->succeeded &&
           same_reading(phase->peak_allocated, before->peak_allocated) &&
           same_reading(phase->peak_reserved, before->peak_reserved) &&
           same_reading(phase->after.allocated, before->after.allocated) &&
           same_reading(phase->after.reserved, before->after.reserved);
}

static void put_row(struct zv_sink *sink, const struct report_style *style,
                    const struct zv_phase *phase, size_t count)
{
    char name[ZV_PHASE_NAME + CELL];
    char cells[4][CELL];
    put_bytes(cells[0], style, phase->peak_allocated);
    put_bytes(cells[1], style, phase->after.allocated);
    put_bytes(cells[2], style, phase->peak_reserved);
    put_bytes(cells[3], style, phase->after.reserved);
    (void)snprintf(name, sizeof name, count > 1 ? "%s x%zu" : "%s", phase->name, count);
    zv_sink_print(sink, "  %-16s %14s %14s | %14s %14s\n", name, cells[0], cells[1], cells[2],
                  cells[3]);
}

static void put_table(struct zv_sink *sink, const struct report_style *style,
                      const struct measure_run *run)
{
    char heading[128];
    const char *const unit = style->units == REPORT_UNITS_ONE ? zv_unit_name(style->unit) : "bytes";
    (void)snprintf(heading, sizeof heading, "  %-16s %29s | %29s", unit, "allocated     ",
                   "reserved      ");
    report_bold(sink, style, heading);
    (void)snprintf(heading, sizeof heading, "  %-16s %14s %14s | %14s %14s", "phase", "peak",
                   "at its end", "peak", "at its end");
    zv_sink_text(sink, "\n");
    report_bold(sink, style, heading);
    zv_sink_text(sink, "\n");
    for (size_t i = 0; i < run->phase_count;) {
        size_t count = 1;
        while (i + count < run->phase_count &&
               is_repeat(&run->phases[i + count], &run->phases[i])) {
            count++;
        }
        put_row(sink, style, &run->phases[i], count);
        i += count;
    }
}

static void put_times(struct zv_sink *sink, const struct report_style *style,
                      const struct measure_run *run)
{
    char line[LINE] = "time:";
    size_t at = strlen(line);
    if (run->device.is_emulated || run->phase_count == 0) {
        return; /* the cautions say that nothing was timed */
    }
    for (size_t i = 0; i < run->phase_count; i++) {
        char duration[CELL];
        put_duration(duration, run->phases[i].duration_ns);
        const int length = snprintf(line + at, sizeof line - at, "%s %s %s", i == 0 ? "" : ",",
                                    run->phases[i].name, duration);
        if (length < 0 || (size_t)length >= sizeof line - at - 16) {
            (void)snprintf(line + at, sizeof line - at, ", ...");
            break;
        }
        at += (size_t)length;
    }
    report_fold(sink, style, 2, 0, line);
}

static void put_device_free(struct zv_sink *sink, const struct report_style *style,
                            const struct measure_run *run)
{
    char first[CELL];
    char last[CELL];
    if (run->phase_count == 0) {
        return;
    }
    put_bytes(first, style, run->phases[0].before.free);
    put_bytes(last, style, run->phases[run->phase_count - 1].after.free);
    zv_sink_print(sink, "  free on the device: %s before, %s after\n", first, last);
}

static void put_device(struct zv_sink *sink, const struct report_style *style,
                       const struct measure_run *run)
{
    const struct zv_device_facts *const device = &run->device;
    char name[REPORT_MEASURE_DEVICE];
    char bytes[REPORT_BYTES_TEXT];
    char compute[64] = "";
    char line[LINE];
    if (device->backend == NULL) {
        zv_sink_text(sink, "a device that was not opened\n");
        return;
    }
    report_measure_device(name, run);
    report_bytes(bytes, style, device->memory_bytes);
    if (device->compute_major != 0) {
        (void)snprintf(compute, sizeof compute, "; compute capability %u.%u%s",
                       device->compute_major, device->compute_minor,
                       device->assumes_compute ? " (assumed)" : "");
    }
    (void)snprintf(line, sizeof line, "%s  %s%s%s; %s driver %d; %s%s", name, device->name,
                   device->is_emulated ? ", EMULATED by " : "", device->emulated_by,
                   device->backend, device->driver_version, bytes, compute);
    zv_make_printable(line);
    report_fold(sink, style, 2, 2, line);
    (void)snprintf(line, sizeof line, "allocator: zirve, policy %s, profile %s, settings %s; %s",
                   zv_policy_name(run->policy), zv_torch_profile_name(run->condition.profile),
                   run->condition.conf != NULL ? run->condition.conf : "none",
                   device->has_vmm ? "the device has virtual memory management"
                                   : "plain allocations: no virtual memory management");
    report_fold(sink, style, 2, 0, line);
    zv_sink_print(sink, "  kernels: %s\n", measure_check_name(run->check));
}

static void put_failure(struct zv_sink *sink, const struct report_style *style,
                        const struct measure_run *run)
{
    char line[LINE];
    if (!run->is_complete) {
        (void)snprintf(line, sizeof line, "FAILED in %s: %s", run->failed_phase, run->message);
        report_fold(sink, style, 2, 0, line);
    }
}

static void put_whole(struct zv_sink *sink, const struct report_style *style,
                      const struct measure_run *run)
{
    put_device(sink, style, run);
    zv_sink_text(sink, "\n");
    put_table(sink, style, run);
    zv_sink_text(sink, "\n");
    put_device_free(sink, style, run);
    put_times(sink, style, run);
    put_failure(sink, style, run);
}

/* The instrumented run of the same device in an earlier process, for the loop without boundaries.
 */
static const struct measure_run *instrumented(const struct report_measure *result, size_t index)
{
    const size_t devices = result->device_count != 0 ? result->device_count : 1;
    const struct measure_run *const run = &result->runs[index % devices];
    return run->condition.is_unsynchronised ? NULL : run;
}

static struct zv_reading sum_of_times(const struct measure_run *run)
{
    struct zv_reading sum = {0, run->phase_count != 0};
    for (size_t i = 0; i < run->phase_count; i++) {
        sum.known = sum.known && run->phases[i].duration_ns.known;
        sum.value += run->phases[i].duration_ns.value;
    }
    return sum;
}

static void put_peaks(struct zv_sink *sink, const struct report_style *style, const char *name,
                      const struct measure_run *run)
{
    struct zv_reading allocated;
    struct zv_reading reserved;
    char cells[3][CELL];
    report_measure_peaks(run, &allocated, &reserved);
    put_bytes(cells[0], style, allocated);
    put_bytes(cells[1], style, reserved);
    put_duration(cells[2], sum_of_times(run));
    zv_sink_print(sink, "  %-18s %18s | %18s | %s\n", name, cells[0], cells[1], cells[2]);
}

static void put_loop(struct zv_sink *sink, const struct report_style *style,
                     const struct report_measure *result, size_t index)
{
    const struct measure_run *const run = &result->runs[index];
    const struct measure_run *const beside = instrumented(result, index);
    char name[REPORT_MEASURE_DEVICE];
    report_measure_device(name, run);
    zv_sink_print(sink, "\n%s: the whole loop without phase boundaries, in a process of its own\n",
                  name);
    zv_sink_print(sink, "  %-18s %18s | %18s | %s\n", "", "allocated peak", "reserved peak",
                  "time");
    put_peaks(sink, style, "whole loop", run);
    if (beside != NULL) {
        put_peaks(sink, style, "the phases above", beside);
    }
    put_failure(sink, style, run);
}

/* One line for a run beside the one shown whole. */
static void put_short(struct zv_sink *sink, const struct report_style *style,
                      const struct measure_run *run)
{
    char name[128];
    char device[REPORT_MEASURE_DEVICE];
    struct zv_reading allocated;
    struct zv_reading reserved;
    char cells[2][CELL];
    const struct measure_condition *const c = &run->condition;
    report_measure_device(device, run);
    report_measure_peaks(run, &allocated, &reserved);
    put_bytes(cells[0], style, allocated);
    put_bytes(cells[1], style, reserved);
    (void)snprintf(name, sizeof name, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, c->batch, c->context,
                   c->width);
    zv_sink_print(sink, "  %3u %-7s %-20s %-9s %15s | %15s\n", run->process, device, name,
                  run->is_complete ? "complete" : "FAILED", cells[0], cells[1]);
}

static size_t count_instrumented(const struct report_measure *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->run_count; i++) {
        count += !result->runs[i].condition.is_unsynchronised;
    }
    return count;
}

static void put_list(struct zv_sink *sink, const struct report_style *style,
                     const struct report_measure *result)
{
    char heading[128];
    (void)snprintf(heading, sizeof heading, "  process     %-20s           %15s | %15s",
                   "batch context width", "allocated peak", "reserved peak");
    zv_sink_text(sink, "\n");
    report_bold(sink, style, heading);
    zv_sink_text(sink, "\n");
    for (size_t i = 0; i < result->run_count; i++) {
        if (!result->runs[i].condition.is_unsynchronised) {
            put_short(sink, style, &result->runs[i]);
            put_failure(sink, style, &result->runs[i]);
        }
    }
}

static void put_search(struct zv_sink *sink, const struct report_style *style,
                       const struct report_measure *result)
{
    const struct report_measure_search *const search = &result->search;
    char line[LINE];
    char failed[CELL + 32] = "; nothing failed up to the limit of this program";
    if (search->smallest_failed != 0) {
        (void)snprintf(failed, sizeof failed, ", %" PRIu64 " the smallest that failed",
                       search->smallest_failed);
    }
    if (search->largest_passed != 0) {
        (void)snprintf(line, sizeof line, "%s: %" PRIu64 " is the largest that passed%s%s",
                       search->dimension, search->largest_passed, failed,
                       search->stopped ? "; STOPPED by a failure that was not for memory" : "");
    } else {
        (void)snprintf(line, sizeof line, "%s: nothing passed%s%s", search->dimension, failed,
                       search->stopped ? "; STOPPED by a failure that was not for memory" : "");
    }
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0, line);
}

void report_measure_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_measure *result)
{
    const struct measure_condition *const c = &result->runs[0].condition;
    char line[LINE];
    const bool is_single = result->search.dimension == NULL;
    (void)snprintf(line, sizeof line,
                   "batch %" PRIu64 ", context %" PRIu64 ", width %" PRIu64
                   ", depth %u, %s: %" PRIu64 " parameters, %" PRIu64
                   " bytes; %s%s; warmup %u, repeats %u; empty_cache %s",
                   c->batch, c->context, c->width, c->depth, measure_dtype_name(c->dtype),
                   measure_parameters(c), measure_parameters(c) * measure_dtype_bytes(c->dtype),
                   c->trains ? "training with " : "inference",
                   c->trains ? measure_optimizer_name(c->optimizer) : "", c->warmup, c->repeats,
                   c->empties_cache ? "between phases" : "never called");
    report_fold(sink, style, 0, 0, line);
    for (size_t i = 0; i < result->device_count && is_single; i++) {
        zv_sink_text(sink, "\n");
        put_whole(sink, style, &result->runs[i]);
    }
    if (!is_single) {
        zv_sink_text(sink, "\n");
        put_device(sink, style, &result->runs[0]);
    }
    for (size_t i = 0; i < result->run_count; i++) {
        if (result->runs[i].condition.is_unsynchronised) {
            put_loop(sink, style, result, i);
        }
    }
    if (count_instrumented(result) > result->device_count || !is_single) {
        put_list(sink, style, result);
    }
    if (!is_single) {
        put_search(sink, style, result);
    }
    zv_sink_text(sink, "\n");
    for (size_t i = 0; report_measure_caution(result, i) != NULL; i++) {
        report_fold(sink, style, 0, 0, report_measure_caution(result, i));
    }
}
