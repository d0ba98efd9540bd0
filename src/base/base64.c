#include "base/base64.h"

static void put_group(struct zv_base64 *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits = (unsigned)to->bytes[0] << 16 | (unsigned)to->bytes[1] << 8 | to->bytes[2];
    char *const text = to->text + to->size;
    text[0] = digits[bits >> 18];
    text[1] = digits[bits >> 12 & 63];
    text[2] = to->count > 1 ? digits[bits >> 6 & 63] : '=';
    text[3] = to->count > 2 ? digits[bits & 63] : '=';
    to->size += 4;
    to->count = 0;
    to->bytes[1] = 0;
    to->bytes[2] = 0;
    if (to->size == sizeof to->text) {
        zv_sink_write(to->sink, to->text, to->size);
        to->size = 0;
    }
}

void zv_base64_put(struct zv_base64 *to, unsigned char byte)
{
    to->bytes[to->count++] = byte;
    if (to->count == 3) {
        put_group(to);
    }
}

void zv_base64_end(struct zv_base64 *to)
{
    if (to->count != 0) {
        put_group(to);
    }
    zv_sink_write(to->sink, to->text, to->size);
    to->size = 0;
}
