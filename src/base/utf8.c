#include "base/utf8.h"

#include <assert.h>

size_t zv_utf8_length(const unsigned char *p, const unsigned char *end)
{
    static const unsigned min[5] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = *p < 0xC2 ? 0 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : *p < 0xF5 ? 4 : 0;
    if (n == 0 || (size_t)(end - p) < n) {
        return 0;
    }
    unsigned code = *p & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = (code << 6) | (p[i] & 0x3FU);
    }
    return code < min[n] || code > 0x10FFFF || (code >> 11) == 0x1B ? 0 : n;
}

size_t zv_utf8_put(char to[4], uint32_t code)
{
    assert(code <= 0x10FFFF && (code >> 11) != 0x1B);
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        to[i] = (char)(0x80U | (code & 0x3FU));
        code >>= 6;
    }
    static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    to[0] = (char)(lead[n] | code);
    return n;
}
