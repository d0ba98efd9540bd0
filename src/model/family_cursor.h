/* A line of a family's table being read: words and signs. */
#ifndef ZIRVE_MODEL_FAMILY_CURSOR_H
#define ZIRVE_MODEL_FAMILY_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct family_cursor {
    struct zv_slice rest;
    uint64_t line;
};

/* Skips blanks; whether the word (or sign) stands next, and past it when it does. */
bool family_cursor_is(struct family_cursor *cursor, const char *word);
bool family_cursor_take(struct family_cursor *cursor, const char *word);
bool family_cursor_at_end(struct family_cursor *cursor);

/* Blanks, then the run without blanks. */
struct zv_slice family_cursor_word(struct family_cursor *cursor);

/* Letters, digits and dots; path: a / at the start as well. Empty when none stands here. */
struct zv_slice family_cursor_name(struct family_cursor *cursor, bool path);

void family_cursor_skip(struct family_cursor *cursor, size_t count);

#endif
