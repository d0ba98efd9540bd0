/*
 * Pattern: a regular expression (POSIX extended) that an input gave, held to what it may cost.
 * Repeats are expanded when compiled, so that three of {1,255} in one another take gigabytes;
 * references back make a match exponential. Neither stands in a pattern of names.
 */
#ifndef ZIRVE_BASE_PATTERN_H
#define ZIRVE_BASE_PATTERN_H

#include <regex.h>

#include "zirve/error.h"

enum { ZV_PATTERN_MAX_COST = 32 * 1024 }; /* bytes of the expression with its repeats written out */

/* Errors: ZV_E_USAGE (no regular expression), ZV_E_LIMIT (its repeats), ZV_E_UNSUPPORTED (a
 * reference back). regfree it when ZV_OK. */
enum zv_status zv_pattern_compile(regex_t *regex, const char *text, struct zv_error *err);

#endif
