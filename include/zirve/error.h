/*
 * Errors: a status code plus one human sentence, filled in once, where the failure is first seen.
 *
 * Every fallible function of the library returns a zv_status and takes a struct zv_error as its
 * last parameter (which may be NULL). The library never prints, exits or aborts; the caller shows
 * `where`, the position and `text` on one line. Status values are pinned: they never change
 * meaning.
 */
#ifndef ZIRVE_ERROR_H
#define ZIRVE_ERROR_H

#include <stdint.h>

/* name, value, short sentence, exit code of the command */
#define ZV_STATUS_LIST(X)                                                                          \
    X(ZV_OK, 0, "ok", 0)                                                                           \
    X(ZV_E_USAGE, 1, "the request makes no sense", 64)                                             \
    X(ZV_E_NOMEM, 2, "out of host memory", 70)                                                     \
    X(ZV_E_IO, 3, "the operating system refused a read or a write", 3)                             \
    X(ZV_E_SYNTAX, 4, "the input is not in the format it claims", 3)                               \
    X(ZV_E_LIMIT, 5, "the input is over a documented limit", 3)                                    \
    X(ZV_E_UNSUPPORTED, 6, "the input is valid but not supported", 4)                              \
    X(ZV_E_NOT_FOUND, 7, "no such thing", 3)                                                       \
    X(ZV_E_EXISTS, 8, "the result exists and is not overwritten", 3)                               \
    X(ZV_E_OVERFLOW, 9, "a figure does not fit in 64 bits", 3)                                     \
    X(ZV_E_DEVICE, 10, "no usable device", 2)                                                      \
    X(ZV_E_BUG, 11, "an internal rule was broken", 70)

enum zv_status {
#define ZV_STATUS_ENUM(name, value, sentence, exit_code) name = (value),
    ZV_STATUS_LIST(ZV_STATUS_ENUM)
#undef ZV_STATUS_ENUM
};

/* What went wrong. Zero-initialise before use; the first failure recorded is kept. */
struct zv_error {
    enum zv_status status;
    int has_offset;  /* whether offset is meant */
    uint64_t offset; /* byte offset in the input */
    uint64_t line;   /* 1-based line of the input, 0 when it has no lines */
    char where[256]; /* the file or option it concerns, "" when unknown */
    char text[512];  /* one sentence: what is wrong and what was expected */
};

/* The short sentence of a status; never NULL, also for values that are no status. */
const char *zv_status_sentence(enum zv_status status);

/* The exit code that the zirve command ends with for a status (70 for values that are no status).
 */
int zv_status_exit_code(enum zv_status status);

#endif
