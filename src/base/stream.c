#include "base/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/slice.h"

ptrdiff_t zv_read_slice(void *source, unsigned char *to, size_t size)
{
    struct zv_slice *const slice = source;
    const size_t count = slice->length < size ? slice->length : size;
    if (count != 0) {
        memcpy(to, slice->at, count);
        slice->at += count;
        slice->length -= count;
    }
    return (ptrdiff_t)count;
}

void zv_sink_write(struct zv_sink *sink, const char *data, size_t size)
{
    if (sink->failed || size == 0) {
        return;
    }
    if (sink->write(sink->context, data, size)) {
        sink->written += size;
    } else {
        sink->failed = true;
    }
}

void zv_sink_text(struct zv_sink *sink, const char *text)
{
    zv_sink_write(sink, text, strlen(text));
}

void zv_sink_print(struct zv_sink *sink, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0) {
        sink->failed = true;
    } else if ((size_t)length < sizeof text) {
        zv_sink_write(sink, text, (size_t)length);
    } else {
        char *const longer = zv_memory_alloc((size_t)length + 1);
        if (longer == NULL) {
            sink->failed = true;
            return;
        }
        va_start(args, format);
        (void)vsnprintf(longer, (size_t)length + 1, format, args);
        va_end(args);
        zv_sink_write(sink, longer, (size_t)length);
        zv_memory_free(longer);
    }
}

void zv_sink_repeat(struct zv_sink *sink, char c, size_t count)
{
    char run[64];
    memset(run, c, sizeof run);
    while (count != 0) {
        const size_t part = count < sizeof run ? count : sizeof run;
        zv_sink_write(sink, run, part);
        count -= part;
    }
}
