/* A growable byte buffer with a mandatory maximum. Zero-initialise, set limit, free when done. */
#ifndef ZIRVE_BASE_BUFFER_H
#define ZIRVE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stream.h"

struct zv_buffer {
    char *data; /* NUL-terminated once anything was appended */
    size_t size;
    size_t capacity;
    size_t limit; /* bytes; appending past it fails */
};

/* Appends all of it or nothing. */
bool zv_buffer_append(struct zv_buffer *buffer, const char *data, size_t size);

/* Room for size more bytes after the current end, or NULL; add to buffer->size what was used. */
char *zv_buffer_reserve(struct zv_buffer *buffer, size_t size);

void zv_buffer_free(struct zv_buffer *buffer);

/* A sink that appends to buffer. */
struct zv_sink zv_buffer_sink(struct zv_buffer *buffer);

#endif
