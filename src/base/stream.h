/* Streams: where bytes come from and where they go, without naming files. */
#ifndef ZIRVE_BASE_STREAM_H
#define ZIRVE_BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/error.h"

/* Fills at most size bytes; returns the count, 0 at the end, -1 on failure. */
typedef ptrdiff_t zv_read_fn(void *source, unsigned char *to, size_t size);

/* A zv_read_fn over memory: source is a struct zv_slice, from whose front the bytes are cut. */
ptrdiff_t zv_read_slice(void *source, unsigned char *to, size_t size);

/* Takes bytes; a failure is remembered and everything after it is dropped: check once, at the end.
 */
struct zv_sink {
    bool (*write)(void *context, const char *data, size_t size);
    void *context;
    bool failed;
    uint64_t written; /* bytes accepted */
};

void zv_sink_write(struct zv_sink *sink, const char *data, size_t size);
void zv_sink_text(struct zv_sink *sink, const char *text);
void zv_sink_print(struct zv_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void zv_sink_repeat(struct zv_sink *sink, char c, size_t count);

#endif
