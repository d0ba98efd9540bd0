/* Slices: a view of bytes that somebody else owns, and exact parsing of what they say. */
#ifndef ZIRVE_BASE_SLICE_H
#define ZIRVE_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct zv_slice {
    const char *at;
    size_t length;
};

/* Of ASCII, whatever the locale. */
static inline bool zv_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool zv_is_letter(char c) /* of a name: _ is one */
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Inline, as most that are compared differ in length. */
static inline bool zv_slice_same(struct zv_slice a, struct zv_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

struct zv_slice zv_slice_of(const char *text); /* NULL gives the empty slice */
bool zv_slice_equal(struct zv_slice slice, const char *text);
bool zv_slice_same_option(struct zv_slice a, struct zv_slice b);     /* '_' and '-' are the same */
bool zv_slice_equal_nocase(struct zv_slice slice, const char *text); /* ASCII only */
bool zv_slice_starts(struct zv_slice slice, const char *prefix);
bool zv_slice_ends(struct zv_slice slice, const char *suffix);
bool zv_slice_contains(struct zv_slice slice, const char *text);
struct zv_slice zv_slice_trim(struct zv_slice slice); /* ASCII white space off both ends */

/* Cuts off everything before the first `at` (not included in either part); whole slice if none. */
struct zv_slice zv_slice_cut(struct zv_slice *rest, char at);

/* Cuts the next line, without its newline or carriage return; false when rest is empty. */
bool zv_slice_line(struct zv_slice *rest, struct zv_slice *line);

/* Cuts the next run without white space; false when there is none. */
bool zv_slice_word(struct zv_slice *rest, struct zv_slice *word);

/* Decimal digits only, the whole slice, no sign; false on anything else or above UINT64_MAX. */
bool zv_slice_u64(struct zv_slice slice, uint64_t *to);

/* A finite decimal number, the whole slice, '.' as the point whatever the locale. Never for bytes.
 */
bool zv_slice_double(struct zv_slice slice, double *to);

/*
 * A non-negative decimal ("1.5", "12", "0.95") as value * 10^digits, exactly; false when it has
 * more significant decimals than digits, is no plain decimal, or does not fit.
 */
bool zv_slice_fixed(struct zv_slice slice, unsigned digits, uint64_t *to);

#endif
