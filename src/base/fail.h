/* Filling in a struct zv_error: the first cause wins, later calls only add what is still missing.
 */
#ifndef ZIRVE_BASE_FAIL_H
#define ZIRVE_BASE_FAIL_H

#include <stdint.h>

#include "base/slice.h"
#include "zirve/error.h"

/* Records the failure in err (may be NULL) unless one is recorded already; returns status. */
enum zv_status zv_fail(struct zv_error *err, enum zv_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As zv_fail, at a byte offset of the input. */
enum zv_status zv_fail_at(struct zv_error *err, enum zv_status status, uint64_t offset,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* As zv_fail, at a 1-based line of the input. */
enum zv_status zv_fail_line(struct zv_error *err, enum zv_status status, uint64_t line,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Out of host memory while doing what; returns ZV_E_NOMEM. */
enum zv_status zv_fail_memory(struct zv_error *err, const char *what);

/* Names the file or option the failure concerns, if err has none yet. Returns err's status. */
enum zv_status zv_fail_where(struct zv_error *err, const char *where);
enum zv_status zv_fail_in(struct zv_error *err, struct zv_slice where); /* the same */

#endif
