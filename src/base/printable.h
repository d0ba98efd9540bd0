/*
 * Printable: what of a hostile text may reach a terminal. Names come from files that anybody may
 * have written; a control character in one could rewrite what stands on the screen, and a
 * direction mark could show it in another order. Neither may pass, nor what is no UTF-8.
 */
#ifndef ZIRVE_BASE_PRINTABLE_H
#define ZIRVE_BASE_PRINTABLE_H

#include <stddef.h>

#include "base/stream.h"

/* Bytes of the first character at p (p < end), 0 when it must not be shown: C0 and C1 controls,
 * DEL, line and paragraph separators, marks of direction, a byte that is no UTF-8. */
size_t zv_printable_length(const unsigned char *p, const unsigned char *end);

/* Every byte that must not be shown becomes '?', a line break too; text ends with 0. */
void zv_make_printable(char *text);

/* Writes a text of several lines so: line breaks and tabs stay, other such bytes become '?'. */
void zv_sink_printable(struct zv_sink *sink, const char *data, size_t size);

#endif
