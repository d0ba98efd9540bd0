/*
 * Sheet: a record on one page, as rows that text, HTML, JSON and a comparison share.
 *
 *   section     label                        value            known
 *   job         sizes.context                8192                         a variable
 *   calculated  expected of one card         19.04 GiB        calculated
 *   measured    run-1 generation reserved_peak  19.6 GiB      measured    null when not read
 *   decision    admissible                   2
 *
 * What is calculated, measured, emulated, assumed and unknown is never in one row.
 */
#ifndef ZIRVE_DECIDE_SHEET_H
#define ZIRVE_DECIDE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decide/attachment.h"
#include "decide/choose.h"
#include "decide/evidence.h"
#include "decide/job_record.h"
#include "format/json_tree.h"
#include "job/job_file.h"
#include "zirve/arena.h"
#include "zirve/error.h"

struct zv_sheet_row {
    const char *section;
    const char *label;
    const char *value; /* NULL: bytes, or unknown when there are none */
    const char *known; /* NULL: a declaration */
    const char *note;  /* what the figure must not be read without; NULL: nothing */
    bool has_bytes;
    uint64_t bytes;
    bool variable; /* what a comparison may change one of */
};

struct zv_sheet {
    const char *title;
    struct zv_sheet_row *rows;
    size_t count;
    size_t capacity;
    struct zv_arena *arena;
};

/* What the attachments of a record say. */
struct zv_content {
    struct zv_job_file job;
    struct zv_evidence_list evidence; /* of the job file and of evidence entries */
    struct zv_required required;      /* known: an estimate is attached */
    bool has_weights;
    uint64_t weights_bytes;               /* of one card, from the estimate */
    const struct zv_json_value *decision; /* the latest zirve.choose/1, or NULL */
    struct zv_attachment *results;        /* unpacked, in the order of the entries */
    size_t result_count;
};

/* Reads what choose, check and show need. Attachments that changed are an error. Errors: those of
 * reading each, with where; ZV_E_SYNTAX without a job. */
enum zv_status zv_content_read(struct zv_content *content, const struct zv_job_record *record,
                               struct zv_arena *arena, struct zv_error *err);

/* Missing readings, claims without a document, parts of the sheet left open. Errors: ZV_E_NOMEM. */
enum zv_status zv_content_check(struct zv_findings *findings, const struct zv_content *content,
                                const struct zv_job_record *record, struct zv_arena *arena,
                                struct zv_error *err);

/* Zero-initialise sheet, set arena. Errors: ZV_E_NOMEM. */
enum zv_status zv_sheet_job(struct zv_sheet *sheet, const struct zv_job_file *job,
                            struct zv_error *err);
enum zv_status zv_sheet_record(struct zv_sheet *sheet, const struct zv_content *content,
                               const struct zv_job_record *record, struct zv_error *err);

/* NULL when the sheet has no such row. */
const struct zv_sheet_row *zv_sheet_find(const struct zv_sheet *sheet, const char *section,
                                         const char *label);

/* ---- comparing ---- */

enum { ZV_COMPARE_MAX = 8, ZV_COMPARE_MAX_REASONS = 16 };

struct zv_comparison {
    const struct zv_sheet *sheets;
    size_t sheet_count;
    const struct zv_sheet_row **rows; /* one for each label, of whichever sheet has it */
    size_t row_count;
    const char *variables[ZV_COMPARE_MAX_REASONS]; /* labels that differ */
    size_t variable_count;                         /* all of them, also past the array */
    const char *reasons[ZV_COMPARE_MAX_REASONS];   /* why it is no comparison */
    size_t reason_count;
    bool crosses_backends; /* CUDA here, HIP there */
};

/* Aligns the sheets and says what differs. Errors: ZV_E_NOMEM. */
enum zv_status zv_compare(struct zv_comparison *comparison, const struct zv_sheet *sheets,
                          size_t count, struct zv_arena *arena, struct zv_error *err);

#endif
