#include "base/slice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

struct zv_slice zv_slice_of(const char *text)
{
    return (struct zv_slice){text, text != NULL ? strlen(text) : 0};
}

bool zv_slice_equal(struct zv_slice slice, const char *text)
{
    /* most texts that are not the same begin otherwise */
    return slice.length == 0 ? text[0] == 0
                             : slice.at[0] == text[0] && slice.length == strlen(text) &&
                                   memcmp(slice.at, text, slice.length) == 0;
}

bool zv_slice_same_option(struct zv_slice a, struct zv_slice b)
{
    if (a.length != b.length) {
        return false;
    }
    for (size_t i = 0; i < a.length; i++) {
        const char left = a.at[i] == '_' ? '-' : a.at[i];
        const char right = b.at[i] == '_' ? '-' : b.at[i];
        if (left != right) {
            return false;
        }
    }
    return true;
}

bool zv_slice_equal_nocase(struct zv_slice slice, const char *text)
{
    if (slice.length != strlen(text)) {
        return false;
    }
    for (size_t i = 0; i < slice.length; i++) {
        if (lower(slice.at[i]) != lower(text[i])) {
            return false;
        }
    }
    return true;
}

bool zv_slice_starts(struct zv_slice slice, const char *prefix)
{
    const size_t length = strlen(prefix);
    return slice.length >= length && (length == 0 || memcmp(slice.at, prefix, length) == 0);
}

bool zv_slice_ends(struct zv_slice slice, const char *suffix)
{
    const size_t length = strlen(suffix);
    return slice.length >= length &&
           (length == 0 || memcmp(slice.at + slice.length - length, suffix, length) == 0);
}

bool zv_slice_contains(struct zv_slice slice, const char *text)
{
    const size_t length = strlen(text);
    return length == 0 ||
           (slice.length >= length && memmem(slice.at, slice.length, text, length) != NULL);
}

struct zv_slice zv_slice_trim(struct zv_slice slice)
{
    while (slice.length != 0 && is_space(slice.at[0])) {
        slice.at++;
        slice.length--;
    }
    while (slice.length != 0 && is_space(slice.at[slice.length - 1])) {
        slice.length--;
    }
    return slice;
}

struct zv_slice zv_slice_cut(struct zv_slice *rest, char at)
{
    const char *const found = rest->length == 0 ? NULL : memchr(rest->at, at, rest->length);
    struct zv_slice part = *rest;
    if (found == NULL) {
        *rest = (struct zv_slice){rest->at != NULL ? rest->at + rest->length : NULL, 0};
        return part;
    }
    part.length = (size_t)(found - rest->at);
    rest->at += part.length + 1;
    rest->length -= part.length + 1;
    return part;
}

bool zv_slice_line(struct zv_slice *rest, struct zv_slice *line)
{
    if (rest->length == 0) {
        return false;
    }
    *line = zv_slice_cut(rest, '\n');
    if (line->length != 0 && line->at[line->length - 1] == '\r') {
        line->length--;
    }
    return true;
}

bool zv_slice_word(struct zv_slice *rest, struct zv_slice *word)
{
    while (rest->length != 0 && is_space(rest->at[0])) {
        rest->at++;
        rest->length--;
    }
    *word = (struct zv_slice){rest->at, 0};
    while (rest->length != 0 && !is_space(rest->at[0])) {
        rest->at++;
        rest->length--;
        word->length++;
    }
    return word->length != 0;
}

bool zv_slice_u64(struct zv_slice slice, uint64_t *to)
{
    enum { SAFE_DIGITS = 19 }; /* that many always fit */
    uint64_t value = 0;
    size_t i = 0;
    for (; i < slice.length && i < SAFE_DIGITS; i++) {
        const unsigned digit = (unsigned char)slice.at[i] - (unsigned)'0';
        if (digit > 9) {
            return false;
        }
        value = value * 10 + digit;
    }
    for (; i < slice.length; i++) {
        const unsigned digit = (unsigned char)slice.at[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *to = value;
    return slice.length != 0;
}

bool zv_slice_double(struct zv_slice slice, double *to)
{
    char text[64];
    if (slice.length == 0 || slice.length >= sizeof text || is_space(slice.at[0])) {
        return false;
    }
    for (size_t i = 0; i < slice.length; i++) {
        if (strchr("0123456789+-.eE", slice.at[i]) == NULL || slice.at[i] == 0) {
            return false; /* no hexadecimal, no infinity, no NaN */
        }
    }
    memcpy(text, slice.at, slice.length);
    text[slice.length] = 0;
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (*end != 0 || errno == ERANGE || !isfinite(value)) {
        return false;
    }
    *to = value;
    return true;
}

bool zv_slice_fixed(struct zv_slice slice, unsigned digits, uint64_t *to)
{
    struct zv_slice fraction = slice;
    const struct zv_slice whole = zv_slice_cut(&fraction, '.');
    const bool has_point = whole.length != slice.length;
    uint64_t value = 0;
    if (!zv_slice_u64(whole, &value) || (has_point && fraction.length == 0)) {
        return false;
    }
    for (unsigned i = 0; i < digits; i++) {
        const unsigned c = i < fraction.length ? (unsigned char)fraction.at[i] : '0';
        const unsigned digit = c - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    for (size_t i = digits; i < fraction.length; i++) {
        if (fraction.at[i] != '0') {
            return false;
        }
    }
    *to = value;
    return true;
}
