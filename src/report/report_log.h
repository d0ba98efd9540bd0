/* A start log beside an estimate: what it said, and where the two differ. Parts of
 * report_estimate_text and report_estimate_json. */
#ifndef ZIRVE_REPORT_REPORT_LOG_H
#define ZIRVE_REPORT_REPORT_LOG_H

#include "base/stream.h"
#include "estimate/from_log.h"
#include "format/json_writer.h"
#include "report/style.h"

/* Which log and what job it states. */
void report_log_head(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_from_log *from);

/* Devices as wholes, calculated beside measured, how it ended. */
void report_log_text(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_from_log *from);

/* The member "log" of the open object. */
void report_log_json(struct zv_json_writer *json, const struct zv_from_log *from);

#endif
