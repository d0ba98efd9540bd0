/*
 * From a log: what a runtime said when it started, as a ledger.
 *
 *   log ──► job: its facts fill what nobody gave                         zv_log_fill_job
 *   log ──► ledger of readings, each device for itself                   zv_from_log
 *   log + estimate ──► readings take the place of calculated items of the same kind; both side by
 *                      side in comparisons; what no reading covers stays as it was calculated
 *
 * A reading is measured: its basis names the line and the precision it was printed to. What the
 * device held beside the readings is an item of its own, "unaccounted": measured when the log says
 * enough, otherwise unknown, never 0.
 *
 * Not here: reading the log (room runtime), a live device (room probe).
 */
#ifndef ZIRVE_ESTIMATE_FROM_LOG_H
#define ZIRVE_ESTIMATE_FROM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "estimate/estimate.h"
#include "job/job.h"
#include "runtime/log_start.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum { FROM_LOG_MAX_DEVICES = ZV_JOB_MAX_DEVICES, FROM_LOG_MAX_ROWS = 64, FROM_LOG_ALL = -2 };

/* A figure of the job's engine beside the log's. */
struct zv_log_row {
    const char *id;      /* "weights", "kv_cache", "state", "activations", "output_buffer",
                            "context", "graphs", "kv_tokens" */
    const char *name;    /* for people: "weights" */
    int scope;           /* device group, ZV_SCOPE_HOST, or FROM_LOG_ALL: all cards together */
    bool tokens;         /* a count of tokens, not bytes */
    enum zv_known known; /* how the calculated figure is known */
    uint64_t calculated;
    uint64_t measured;
    uint64_t half_unit; /* the measured figure is exact to plus or minus this */
};

/* What the log says of one device as a whole; NULL where it does not. */
struct zv_log_device {
    struct zv_slice name; /* "CUDA0", "TP1"; empty when the log names none */
    const struct zv_reading *total;
    const struct zv_reading *free_before; /* before the model was loaded */
    const struct zv_reading *free_after;
};

struct zv_from_log {
    const struct zv_log *log;
    struct zv_estimate estimate; /* the ledger: readings, then what they do not cover */
    struct zv_log_device devices[FROM_LOG_MAX_DEVICES]; /* one for each group of the ledger */
    size_t device_count;
    struct zv_log_row rows[FROM_LOG_MAX_ROWS];
    size_t row_count;
};

/* Sets in job what the log states and job does not. Slices point where the log's do. */
void zv_log_fill_job(struct zv_job *job, const struct zv_log *log);

struct zv_log_input {
    const struct zv_log *log;
    const struct zv_estimate *calculated; /* of the same job, NULL without a model */
    const struct zv_runtime_rules *rules; /* that it was calculated by, or NULL */
};

/*
 * All of from lives in arena or points into the input. Errors: ZV_E_LIMIT (more than
 * FROM_LOG_MAX_DEVICES devices), ZV_E_OVERFLOW, ZV_E_NOMEM.
 */
enum zv_status zv_from_log(struct zv_from_log *from, const struct zv_log_input *input,
                           struct zv_arena *arena, struct zv_error *err);

/* Half of the last digit of a figure as printed, in its unit: "0.005" for "2440.00 MiB". */
void zv_reading_precision(char to[16], const struct zv_reading *reading);

/* " MiB" where the figure was printed in a table without its unit, "" otherwise. */
const char *zv_reading_unit(const struct zv_reading *reading);

/* Room-internal: what a device holds beside its readings (from_log_rest.c). */
enum zv_status from_log_unaccounted(struct zv_from_log *from, struct zv_error *err);

/* Room-internal: readings beside calculated items (from_log_compare.c). */
enum zv_status from_log_merge(struct zv_from_log *from, const struct zv_log_input *input,
                              struct zv_error *err);

/* Room-internal: the kinds in which readings and items are compared. */
enum from_log_kind {
    LOG_WEIGHTS,
    LOG_CACHE,
    LOG_STATE,
    LOG_ACTIVATIONS,
    LOG_OUTPUT,
    LOG_CONTEXT,
    LOG_GRAPHS,
    LOG_OTHER,
    LOG_KINDS
};

#endif
