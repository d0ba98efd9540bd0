/*
 * A second result of a verb, written while it works: it appears whole under its name when closed,
 * or not at all. "-" is standard output, which gets it whole or not at all too.
 */
#ifndef ZIRVE_CLI_RESULT_FILE_H
#define ZIRVE_CLI_RESULT_FILE_H

#include <stdio.h>

#include "base/stream.h"
#include "zirve/error.h"

struct result_file {
    struct zv_sink sink;
    FILE *file; /* NULL when not open */
    const char *path;
    char temporary[4096]; /* its name for now; "" for one without a name */
};

/* Errors: ZV_E_EXISTS, ZV_E_IO, with where = path. path NULL opens nothing. */
enum zv_status result_file_open(struct result_file *to, const char *path, struct zv_error *err);

/* Gives the file its name. Errors: ZV_E_EXISTS, ZV_E_IO. */
enum zv_status result_file_keep(struct result_file *file, struct zv_error *err);

/* Drops what was not kept; always call it. */
void result_file_close(struct result_file *file);

#endif
