/* What a file that is to be explained is: a record of events, or a text that says why it stopped.
 */
#ifndef ZIRVE_CLI_EXPLAIN_FILE_H
#define ZIRVE_CLI_EXPLAIN_FILE_H

#include "base/file.h"
#include "cli/output.h"
#include "explain/record.h"

/*
 * Opens the record in the file at path ('-': standard input). *is_text: it is no record; nothing
 * was read. What begins like JSON may be a log all the same: a line of {...} after the other, or
 * what zirve run kept. The file must outlive the record; close both, after a failure too. Errors
 * with the path.
 */
enum zv_status explain_open(struct zv_record *record, const char *path,
                            const struct zv_record_options *record_options, struct zv_file *file,
                            bool *is_text, struct zv_error *err);

/* What a text says of memory that ran out, written to out. ZV_E_UNSUPPORTED: nothing. */
enum zv_status explain_text(const char *path, struct zv_slice text, struct output *out,
                            struct zv_error *err);

#endif
