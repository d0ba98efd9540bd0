/* Runs of bytes inside JSON, found many at a time. Room-internal. */
#ifndef ZIRVE_FORMAT_JSON_SCAN_H
#define ZIRVE_FORMAT_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { JSON_SCAN_PAD = 16 }; /* bytes that must be readable behind the NUL that ends a scan */

/* Whether length bytes hold only valid escapes and UTF-8. */
bool json_is_text(const char *text, size_t length);

/* RFC 8259: [-] (0 | digits not starting with 0) [. digits] [(e|E) [+|-] digits] */
bool json_is_number(const char *p, const char *end);

static inline bool json_is_number_char(unsigned char c)
{
    return (unsigned)(c - '0') < 10 || c == '-' || c == '+' || c == '.' || (c | 0x20) == 'e';
}

/*
 * The first byte from p on that ends a run of plain string bytes: a quote, a backslash, a control
 * character. *high collects whether bytes above 0x7f were seen (perhaps a few behind the end).
 */
static inline const unsigned char *json_skip_plain(const unsigned char *p, uint64_t *high)
{
#ifdef __SSE2__
    for (;; p += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i ends =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                         _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes));
        const unsigned found = (unsigned)_mm_movemask_epi8(ends);
        *high |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes);
        if (found != 0) {
            return p + __builtin_ctz(found);
        }
    }
#else
    while (*p >= 0x20 && *p != '"' && *p != '\\') {
        *high |= *p & 0x80U;
        p++;
    }
    return p;
#endif
}

/* The quote that ends a string of plain ASCII from p on, without escapes; NULL if another byte or
 * end comes first. Reads nothing from end on. */
static inline const char *json_plain_end(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i ends =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                         _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20))); /* signed: above 0x7f too */
        const unsigned found = (unsigned)_mm_movemask_epi8(ends);
        if (found != 0) {
            p += __builtin_ctz(found);
            return *p == '"' ? p : NULL;
        }
    }
#endif
    for (; p < end && *p != '"'; p++) {
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7f || *p == '\\') {
            return NULL;
        }
    }
    return p < end ? p : NULL;
}

/* The first byte from p on that is no white space. */
static inline const unsigned char *json_skip_space(const unsigned char *p)
{
    if (*p > ' ') {
        return p;
    }
    if (*p == ' ' && p[1] > ' ') {
        return p + 1;
    }
#ifdef __SSE2__
    for (;; p += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i blank =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'))));
        const unsigned other = ~(unsigned)_mm_movemask_epi8(blank) & 0xffff;
        if (other != 0) {
            return p + __builtin_ctz(other);
        }
    }
#else
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') {
        p++;
    }
    return p;
#endif
}

#endif
