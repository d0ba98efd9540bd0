/*
 * Record: what was declared, calculated, measured and decided about one job, with the raw files.
 *
 *   FOLDER/0001.json              an entry: kind, date, attachment with its SHA-256,
 *   FOLDER/0002.json              the SHA-256 of the entry before it
 *   FOLDER/files/0001-job.yaml    the attachments, copied in
 *
 * Entries are only ever added, each in a file of its own that is never overwritten; a changed
 * attachment or entry is found by its hash. What a record says as a sheet is in sheet.h.
 */
#ifndef ZIRVE_DECIDE_JOB_RECORD_H
#define ZIRVE_DECIDE_JOB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_entry_kind {
    ZV_ENTRY_JOB,
    ZV_ENTRY_ESTIMATE,
    ZV_ENTRY_MEASUREMENT,
    ZV_ENTRY_EMULATION,
    ZV_ENTRY_EXPLAIN,
    ZV_ENTRY_RUN,
    ZV_ENTRY_EVIDENCE,
    ZV_ENTRY_ENVIRONMENT,
    ZV_ENTRY_DECISION,
    ZV_ENTRY_LOG,
    ZV_ENTRY_DOCUMENT,
    ZV_ENTRY_KINDS
};

enum { ZV_RECORD_MAX_ENTRIES = 9999 };

struct zv_entry {
    uint32_t number; /* 1-based */
    enum zv_entry_kind kind;
    struct zv_slice date;     /* it was added */
    struct zv_slice name;     /* of the attachment, as it was called */
    struct zv_slice file;     /* below the record: "files/0001-job.yaml" */
    struct zv_slice sha256;   /* of the attachment */
    struct zv_slice previous; /* SHA-256 of the entry before; empty for the first */
    struct zv_slice note;
    struct zv_slice known; /* how what it holds is known; empty: as its kind says */
    uint64_t bytes;
};

struct zv_job_record {
    const char *path;
    struct zv_entry *entries;
    size_t count;
};

/* Something to mend. */
struct zv_finding {
    bool tampered; /* an entry or attachment is not what was put in */
    const char *where;
    const char *text;
};

struct zv_findings {
    struct zv_finding *items;
    size_t count;
    size_t capacity;
};

const char *zv_entry_kind_name(enum zv_entry_kind kind);
bool zv_entry_kind_parse(struct zv_slice name, enum zv_entry_kind *to);

/* How what an entry holds is known: "calculated", "measured" ... */
const char *zv_entry_known(const struct zv_entry *entry);

/* The kind by the schema that the file states; ZV_ENTRY_KINDS when it states none that is known.
 * What says of itself that it is emulated is no measurement. */
enum zv_entry_kind zv_entry_kind_of(struct zv_slice content);

/* Reads the text of entry number; its texts live in the arena. Errors: ZV_E_SYNTAX,
 * ZV_E_UNSUPPORTED (another schema), ZV_E_NOMEM. */
enum zv_status zv_entry_read(struct zv_entry *entry, struct zv_slice text, uint32_t number,
                             struct zv_arena *arena, struct zv_error *err);

/* Makes an empty folder. Errors: ZV_E_EXISTS, ZV_E_IO, with where = path. */
enum zv_status zv_job_record_create(const char *path, struct zv_error *err);

/* Reads the entries. Errors: ZV_E_NOT_FOUND (no record there), ZV_E_SYNTAX, ZV_E_LIMIT. */
enum zv_status zv_job_record_read(struct zv_job_record *record, const char *path,
                                  struct zv_arena *arena, struct zv_error *err);

/*
 * Adds an entry with its attachment, after those that record has; added (name, kind, date, note,
 * known) says which. Errors: ZV_E_EXISTS when somebody else added one meanwhile, ZV_E_IO,
 * ZV_E_LIMIT.
 */
enum zv_status zv_job_record_add(const struct zv_job_record *record, const struct zv_entry *added,
                                 struct zv_slice content, struct zv_error *err);

/* The attachment of an entry, opened; close it. Errors: as zv_file_open; ZV_E_SYNTAX when it is
 * not what was put in. */
enum zv_status zv_job_record_open(struct zv_file *file, const struct zv_job_record *record,
                                  const struct zv_entry *entry, struct zv_arena *arena,
                                  struct zv_error *err);

/* The latest entry of a kind, or NULL. */
const struct zv_entry *zv_job_record_latest(const struct zv_job_record *record,
                                            enum zv_entry_kind kind);

/* Adds a finding; where and text live in the arena. Errors: ZV_E_NOMEM. */
enum zv_status zv_findings_add(struct zv_findings *findings, struct zv_finding finding,
                               struct zv_arena *arena, struct zv_error *err);

/* Entries and attachments against their hashes; files that no entry names. Errors: ZV_E_NOMEM. */
enum zv_status zv_job_record_verify(struct zv_findings *findings,
                                    const struct zv_job_record *record, struct zv_arena *arena,
                                    struct zv_error *err);

#endif
