/*
 * Output: where a verb's result goes. Results on standard output (or -o FILE), words on standard
 * error. A FILE appears whole when the verb is done, or not at all.
 */
#ifndef ZIRVE_CLI_OUTPUT_H
#define ZIRVE_CLI_OUTPUT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/stream.h"
#include "cli/options.h"
#include "report/style.h"
#include "zirve/error.h"

struct output {
    struct zv_sink sink; /* the result; of text only what is printable passes */
    struct zv_sink raw;  /* where the sink hands it on */
    struct report_style style;
    bool json;
    int exit_code;    /* the answer: 0 yes, 1 no, 6 cannot tell */
    const char *path; /* -o FILE, NULL for standard output */
    struct zv_buffer buffer;
    struct zv_error parked; /* a failure of the sink */
};

/* Sets up from the common options. Errors: ZV_E_USAGE, ZV_E_EXISTS (before any work is done). */
enum zv_status output_open(struct output *out, const struct arguments *args, struct zv_error *err);

/* The result goes to standard output after all: the verb writes the file of -o itself. */
void output_to_stdout(struct output *out);

/* Flushes, or creates the file. Errors: ZV_E_IO, ZV_E_EXISTS. */
enum zv_status output_close(struct output *out, struct zv_error *err);

/* "zirve: FILE: byte N: text" on standard error. */
void output_error(const char *verb, const struct zv_error *err);

/* A warning or note on standard error, one line, shown once the result begins: a failure drops it.
 */
void output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
