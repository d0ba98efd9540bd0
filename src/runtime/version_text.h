/* Version texts as people write them, and their order. */
#ifndef ZIRVE_RUNTIME_VERSION_TEXT_H
#define ZIRVE_RUNTIME_VERSION_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum version_form {
    VERSION_NONE,    /* empty or "latest" */
    VERSION_BUILD,   /* b10809 */
    VERSION_NUMBERS, /* 0.19.0 */
    VERSION_DAY      /* 2025-05-03 */
};

struct version {
    enum version_form form;
    uint64_t build;
    uint64_t part[3]; /* major, minor, patch; missing ones are 0 */
    unsigned parts;   /* how many were written */
    int64_t day;      /* days since 1970-01-01, when has_day */
    bool has_day;
};

/* False when text is no version. builds: plain digits are a build number. */
bool version_read(struct version *to, struct zv_slice text, bool builds);

/* "2025-05-03" or "2025-05" (its first day) as days since 1970-01-01. */
bool version_day(struct zv_slice text, int64_t *day);

/* Negative, 0 or positive as a comes before, with or after b; both in numbers. */
int version_compare(const struct version *a, const struct version *b);

/* "2025-05-03" of a day; to holds 16 bytes. */
void version_day_print(char to[16], int64_t day);

#endif
