/*
 * Job file: the workload sheet as people write it, in YAML ("zirve.job/1", docs/JOBS.md).
 *
 *   file ──► tree ──► settings   what zirve estimate takes: option and value
 *                ├──► sizes      what a proof must have processed: context, concurrency …
 *                └──► fields     every value under its path ("quality.criterion"), to show, compare
 *
 * needs and evidence are read by room decide, from the tree. A key that is not known is refused:
 * a misspelt size would otherwise be a size that nobody checks.
 */
#ifndef ZIRVE_JOB_JOB_FILE_H
#define ZIRVE_JOB_JOB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "format/yaml.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum { ZV_JOB_FILE_MAX_FIELDS = 512, ZV_JOB_FILE_MAX_SETTINGS = 128, ZV_JOB_FILE_MAX_SIZES = 16 };

/* An option of zirve estimate that the file sets. */
struct zv_job_setting {
    const char *option; /* "context", as written after estimate: or as a key stands for it */
    const char *value;  /* NULL: a flag that is set */
    uint32_t line;
    uint32_t column;
};

/* A declared size: a run that processed less proves nothing about the job. */
struct zv_job_size {
    const char *name; /* "context" */
    uint64_t value;
};

struct zv_job_field {
    const char *path; /* "inputs.seed", "resident.0.bytes" */
    struct zv_slice text;
    uint32_t line;
};

struct zv_job_file {
    const struct zv_yaml_value *root;
    const char *model_path; /* as written; NULL: by hand, or none */
    bool by_hand;           /* model.parameters stands for the model */
    uint64_t days;          /* the job takes, 0 not given */
    struct zv_job_setting settings[ZV_JOB_FILE_MAX_SETTINGS];
    size_t setting_count;
    struct zv_job_size sizes[ZV_JOB_FILE_MAX_SIZES];
    size_t size_count;
    struct zv_job_field fields[ZV_JOB_FILE_MAX_FIELDS];
    size_t field_count;
};

#define ZV_JOB_SCHEMA "zirve.job/1"

/* Whether a text looks like a job file: its first key is schema, and that is a job. */
bool zv_job_file_is(struct zv_slice text);

/* Fills file; strings live in arena. Errors, with the line: ZV_E_SYNTAX, ZV_E_LIMIT,
 * ZV_E_UNSUPPORTED for another schema version, ZV_E_NOMEM. */
enum zv_status zv_job_file_read(struct zv_job_file *file, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err);

/* The value under a path, empty when there is none. */
struct zv_slice zv_job_file_field(const struct zv_job_file *file, const char *path);

/* The first text of a list of any texts: names a size by which a proof is checked. 0: not declared.
 */
uint64_t zv_job_file_size(const struct zv_job_file *file, const char *name);

/* The names a proof may give sizes by, NULL at the end. */
extern const char *const zv_job_size_names[];

#endif
