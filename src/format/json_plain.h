/* Members of objects as programs write them, read straight from the text: no token at a time. */
#ifndef ZIRVE_FORMAT_JSON_PLAIN_H
#define ZIRVE_FORMAT_JSON_PLAIN_H

#include <stdbool.h>

#include "base/slice.h"

struct zv_json_plain {
    struct zv_slice key; /* without quotes, pieces of the text */
    struct zv_slice value;
    const char *end; /* behind the value's closing quote */
};

/*
 * Reads , "key": "value" at `at`, comma included: blanks and line feeds where they stand here, at
 * most one blank before the value, ASCII without escapes. False for whatever else, right or wrong:
 * the reader of JSON has to look at it, and goes on at `end` with zv_json_jump otherwise.
 */
bool zv_json_plain_pair(struct zv_json_plain *pair, const char *at, const char *end);

#endif
