#include "format/json_text.h"

#include <stdint.h>

#include "base/utf8.h"

static uint32_t read_hex(const char *p)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned char c = (unsigned char)p[i];
        code = code << 4 | (c <= '9' ? c - (uint32_t)'0' : (c | 0x20U) - (uint32_t)'a' + 10U);
    }
    return code;
}

/* The character at p, which is on "\u"; *step is the length of its escapes, 0 when it has none. */
static uint32_t read_unicode(const char *p, const char *end, size_t *step)
{
    const uint32_t first = read_hex(p + 2);
    *step = 6;
    if ((first >> 11) != 0x1B) {
        *step = first == 0 ? 0 : 6;
        return first;
    }
    if (first < 0xDC00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        const uint32_t second = read_hex(p + 8);
        if ((second >> 10) == 0x37) {
            *step = 12;
            return 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF);
        }
    }
    *step = 0;
    return 0;
}

static char plain_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c; /* quote, slash, backslash */
    }
}

bool zv_json_text_decode(struct zv_slice raw, char *to, size_t *length)
{
    const char *p = raw.at;
    const char *const end = raw.at + raw.length;
    char *q = to;
    while (p < end) {
        if (*p != '\\') {
            *q++ = *p++;
        } else if (p[1] != 'u') {
            *q++ = plain_escape(p[1]);
            p += 2;
        } else {
            size_t step;
            const uint32_t code = read_unicode(p, end, &step);
            if (step == 0) {
                return false;
            }
            q += zv_utf8_put(q, code);
            p += step;
        }
    }
    *length = (size_t)(q - to);
    return true;
}
