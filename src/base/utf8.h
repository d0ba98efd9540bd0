/* UTF-8: which bytes make a character. */
#ifndef ZIRVE_BASE_UTF8_H
#define ZIRVE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed sequence of two to four bytes at p (p < end), or 0: ASCII, a stray
 * continuation byte, an overlong form, a surrogate, or cut off by end. */
size_t zv_utf8_length(const unsigned char *p, const unsigned char *end);

/* Writes code (no surrogate, at most 0x10FFFF) to `to` and returns the length, 1 to 4. */
size_t zv_utf8_put(char to[4], uint32_t code);

#endif
