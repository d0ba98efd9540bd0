/* A job file among the operands: its settings become options of zirve estimate, as if typed. */
#ifndef ZIRVE_CLI_JOB_INPUT_H
#define ZIRVE_CLI_JOB_INPUT_H

#include "cli/options.h"
#include "job/job_file.h"
#include "zirve/arena.h"

/* Zero-initialise; close also after a failure. */
struct job_input {
    struct zv_arena arena;
    struct zv_job_file file;
    const char *path;
};

/* By its name: .yaml or .yml. */
bool job_input_is(const char *path);

/* Reads the file. Errors: as zv_file_open and zv_job_file_read, with where = path. */
enum zv_status job_input_open(struct job_input *input, const char *path, struct zv_error *err);

/*
 * Adds the file's settings to args, whose verb is estimate: what is given there already wins. The
 * operands become the model's path, from the file's folder. Errors: ZV_E_SYNTAX with the line.
 */
enum zv_status job_input_apply(struct job_input *input, struct arguments *args,
                               struct zv_error *err);

void job_input_close(struct job_input *input);

#endif
