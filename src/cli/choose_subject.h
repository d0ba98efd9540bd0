/*
 * What zirve choose is asked about: a job file, an estimate that was kept, or a record; with the
 * evidence that comes with it. Zero-initialise; close also after a failure.
 */
#ifndef ZIRVE_CLI_CHOOSE_SUBJECT_H
#define ZIRVE_CLI_CHOOSE_SUBJECT_H

#include "cli/estimate_session.h"
#include "cli/job_input.h"
#include "decide/choose.h"

struct choose_subject {
    struct zv_arena arena;
    struct job_input input;
    bool has_job;
    struct zv_required required;
    struct zv_needs needs;
    struct zv_evidence_list evidence;
};

/* Errors: those of reading each, with where. today: documents and needs are held against it. */
enum zv_status choose_subject_open(struct choose_subject *subject, const char *path, int32_t today,
                                   struct zv_error *err);

/* Adds the documents of a zirve.evidence/1 file. */
enum zv_status choose_subject_evidence(struct choose_subject *subject, const char *path,
                                       struct zv_error *err);

void choose_subject_close(struct choose_subject *subject);

#endif
