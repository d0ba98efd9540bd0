#include "base/printable.h"

#include <string.h>

#include "base/utf8.h"

/* Line separators and the marks of direction of Unicode's UAX 9 that take three bytes. */
static bool is_mark(const unsigned char *p)
{
    const unsigned code = ((p[0] & 0xFU) << 12) | ((p[1] & 0x3FU) << 6) | (p[2] & 0x3FU);
    return (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t zv_printable_length(const unsigned char *p, const unsigned char *end)
{
    if (*p < 0x80) {
        return *p >= 0x20 && *p != 0x7F;
    }
    const size_t length = zv_utf8_length(p, end);
    const bool control = length == 2 && ((p[0] == 0xC2 && p[1] < 0xA0) || /* C1 */
                                         (p[0] == 0xD8 && p[1] == 0x9C)); /* U+061C */
    return control || (length == 3 && is_mark(p)) ? 0 : length;
}

void zv_make_printable(char *text)
{
    unsigned char *p = (unsigned char *)text;
    const unsigned char *const end = p + strlen(text);
    while (p < end) {
        const size_t length = zv_printable_length(p, end);
        if (length == 0) {
            *p = '?';
        }
        p += length == 0 ? 1 : length;
    }
}

void zv_sink_printable(struct zv_sink *sink, const char *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    const unsigned char *const end = p + size;
    while (size != 0 && p < end) {
        const unsigned char *const start = p;
        size_t length = 1;
        while (p < end && length != 0) {
            length = *p == '\n' || *p == '\t' ? 1 : zv_printable_length(p, end);
            p += length;
        }
        zv_sink_write(sink, (const char *)start, (size_t)(p - start));
        if (length == 0) {
            zv_sink_write(sink, "?", 1);
            p++;
        }
    }
}
