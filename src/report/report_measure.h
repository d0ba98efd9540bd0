/* Runs of the lab exercise as text and JSON (zirve.measure/1, docs/FORMATS.md). */
#ifndef ZIRVE_REPORT_REPORT_MEASURE_H
#define ZIRVE_REPORT_REPORT_MEASURE_H

#include "base/device_name.h"
#include "base/stream.h"
#include "measure/measure.h"
#include "report/style.h"

/* What a search for the largest size found. */
struct report_measure_search {
    const char *dimension;   /* "batch"; NULL: no search */
    uint64_t largest_passed; /* 0: none */
    uint64_t smallest_failed;
    bool stopped; /* a try failed for another reason than memory: no answer */
};

struct report_measure {
    const struct measure_run *runs; /* in the order they were made */
    size_t run_count;
    size_t device_count; /* runs of one process follow each other */
    uint32_t processes;
    struct report_measure_search search;
};

bool report_measure_is_complete(const struct report_measure *result);
void report_measure_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_measure *result);
void report_measure_json(struct zv_sink *sink, const struct report_measure *result);

/* Cautions that apply to a result, one at a time from index 0 on; NULL after the last. */
const char *report_measure_caution(const struct report_measure *result, size_t index);

/* "cuda:0" of a run's device. */
enum { REPORT_MEASURE_DEVICE = ZV_DEVICE_NAME_TEXT };
void report_measure_device(char to[REPORT_MEASURE_DEVICE], const struct measure_run *run);

/* The run's largest peaks over its phases. */
void report_measure_peaks(const struct measure_run *run, struct zv_reading *allocated,
                          struct zv_reading *reserved);

#endif
