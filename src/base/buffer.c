#include "base/buffer.h"

#include <string.h>

#include "base/memory.h"

char *zv_buffer_reserve(struct zv_buffer *buffer, size_t size)
{
    size_t needed;
    if (__builtin_add_overflow(buffer->size, size, &needed) || needed > buffer->limit) {
        return NULL;
    }
    if (needed >= buffer->capacity) {
        size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity * 2;
        capacity = capacity <= needed ? needed + 1 : capacity;
        char *const larger = zv_memory_resize(buffer->data, capacity);
        if (larger == NULL) {
            return NULL;
        }
        buffer->data = larger;
        buffer->capacity = capacity;
    }
    buffer->data[needed] = 0;
    return buffer->data + buffer->size;
}

bool zv_buffer_append(struct zv_buffer *buffer, const char *data, size_t size)
{
    char *const to = zv_buffer_reserve(buffer, size);
    if (to == NULL) {
        return false;
    }
    if (size != 0) { /* data may be NULL then, which memcpy forbids */
        memcpy(to, data, size);
    }
    buffer->size += size;
    return true;
}

void zv_buffer_free(struct zv_buffer *buffer)
{
    zv_memory_free(buffer->data);
    *buffer = (struct zv_buffer){.limit = buffer->limit};
}

static bool append_to_buffer(void *context, const char *data, size_t size)
{
    struct zv_buffer *const buffer = context;
    return zv_buffer_append(buffer, data, size);
}

struct zv_sink zv_buffer_sink(struct zv_buffer *buffer)
{
    return (struct zv_sink){.write = append_to_buffer, .context = buffer};
}
