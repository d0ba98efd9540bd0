#include "format/json_scan.h"

#include "base/utf8.h"

static size_t escape_length(const unsigned char *p, const unsigned char *end)
{
    if (end - p < 2 || p[1] == 0 || strchr("\"\\/bfnrtu", p[1]) == NULL) {
        return 0;
    }
    if (p[1] != 'u') {
        return 2;
    }
    for (int i = 2; i < 6; i++) {
        if (end - p <= i || p[i] == 0 || strchr("0123456789abcdefABCDEF", p[i]) == NULL) {
            return 0;
        }
    }
    return 6;
}

bool json_is_text(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char *const end = p + length;
    while (p < end) {
        size_t step = 1;
        if (*p == '\\') {
            step = escape_length(p, end);
        } else if (*p >= 0x80) {
            step = zv_utf8_length(p, end);
        }
        if (step == 0) {
            return false;
        }
        p += step;
    }
    return true;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && (unsigned)(*p - '0') < 10) {
        p++;
    }
    return p;
}

bool json_is_number(const char *p, const char *end)
{
    if (p < end && *p == '-') {
        p++;
    }
    const char *q = skip_digits(p, end);
    if (q == p || (*p == '0' && q - p > 1)) {
        return false;
    }
    if (q < end && *q == '.') {
        p = q + 1;
        q = skip_digits(p, end);
        if (q == p) {
            return false;
        }
    }
    if (q < end && (*q | 0x20) == 'e') {
        p = q + 1;
        if (p < end && (*p == '+' || *p == '-')) {
            p++;
        }
        q = skip_digits(p, end);
        if (q == p) {
            return false;
        }
    }
    return q == end;
}
