/* Dates without times: days since 1970-01-01, written 2026-11-29. */
#ifndef ZIRVE_BASE_DATE_H
#define ZIRVE_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { ZV_DATE_TEXT = 16 };
#define ZV_DATE_NONE INT32_MIN

/* Exactly YYYY-MM-DD, of a day that exists in the years 1970 to 9999. */
bool zv_date_parse(struct zv_slice text, int32_t *days);
void zv_date_print(char to[ZV_DATE_TEXT], int32_t days); /* "unknown" for ZV_DATE_NONE */
int32_t zv_date_today(void);                             /* UTC */

#endif
