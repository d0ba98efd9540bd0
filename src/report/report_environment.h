/* What a machine is: devices, where they were looked for, settings, Pythons. Schema
 * zirve.environment/1 (docs/FORMATS.md). */
#ifndef ZIRVE_REPORT_REPORT_ENVIRONMENT_H
#define ZIRVE_REPORT_REPORT_ENVIRONMENT_H

#include "base/stream.h"
#include "probe/probe.h"
#include "report/style.h"

struct report_environment {
    const struct zv_environment *env;
    const char *asked;                   /* "cuda:0", NULL: every device */
    const struct zv_probed_device *only; /* the one that was asked for, NULL: all, also when there
                                     is no such device */
    bool usable;                         /* the answer: what was asked for can compute */
};

void report_environment_text(struct zv_sink *sink, const struct report_style *style,
                             const struct report_environment *machine);
void report_environment_json(struct zv_sink *sink, const struct report_environment *machine);

/*
 * As OpenMetrics 1.0 text, which node_exporter's textfile collector reads too: base units, gauges
 * only (the collector knows no type info), every series once. A reading that is not known has no
 * series. Emulated devices are marked by zirve_environment_emulated 1.
 */
void report_environment_metrics(struct zv_sink *sink, const struct report_environment *machine);

#endif
