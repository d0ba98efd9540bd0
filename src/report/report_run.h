/* What became of a command. Text and JSON ("zirve.run/1"). */
#ifndef ZIRVE_REPORT_REPORT_RUN_H
#define ZIRVE_REPORT_REPORT_RUN_H

#include "base/stream.h"
#include "format/json_writer.h"
#include "launch/launch.h"
#include "launch/tries.h"
#include "report/style.h"

struct report_run {
    const struct zv_launch *launch;
    const struct zv_launched *launched;
};

void report_run_text(struct zv_sink *sink, const struct report_style *style,
                     const struct report_run *run);
void report_run_json(struct zv_sink *sink, const struct report_run *run);

/* A search by tries ("zirve.run_search/1"). */
void report_tries_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_tries *tries);
void report_tries_json(struct zv_sink *sink, const struct zv_tries *tries);

/* "out of device memory, exit status 1, 12.3 s" */
enum { REPORT_RUN_END = 160 };
void report_run_end(char to[REPORT_RUN_END], const struct zv_launched *launched);

/* Members of an open object that tell one launch. */
void report_launched_json(struct zv_json_writer *json, const struct zv_launched *launched);
void report_command_json(struct zv_json_writer *json, char *const *command);

#endif
