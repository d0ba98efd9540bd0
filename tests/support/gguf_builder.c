#include "support/gguf_builder.h"

#include <stdlib.h>
#include <string.h>

enum { TENSORS_AT = 8, PAIRS_AT = 16 };

void gguf_put(struct gguf_builder *gguf, const void *bytes, size_t size)
{
    if (!zv_buffer_append(&gguf->bytes, bytes, size)) {
        abort();
    }
}

void gguf_put_u8(struct gguf_builder *gguf, uint8_t value)
{
    gguf_put(gguf, &value, sizeof value);
}

void gguf_put_u32(struct gguf_builder *gguf, uint32_t value)
{
    gguf_put(gguf, &value, sizeof value);
}

void gguf_put_u64(struct gguf_builder *gguf, uint64_t value)
{
    gguf_put(gguf, &value, sizeof value);
}

void gguf_put_string(struct gguf_builder *gguf, const char *text)
{
    gguf_put_u64(gguf, strlen(text));
    gguf_put(gguf, text, strlen(text));
}

void gguf_put_array(struct gguf_builder *gguf, enum zv_gguf_value_type element, uint64_t count)
{
    gguf_put_u32(gguf, (uint32_t)element);
    gguf_put_u64(gguf, count);
}

void gguf_begin(struct gguf_builder *gguf, uint32_t version)
{
    *gguf = (struct gguf_builder){.bytes.limit = 1 << 30};
    gguf_put(gguf, "GGUF", 4);
    gguf_put_u32(gguf, version);
    gguf_put_u64(gguf, 0);
    gguf_put_u64(gguf, 0);
}

void gguf_key(struct gguf_builder *gguf, const char *key, enum zv_gguf_value_type type)
{
    gguf_put_string(gguf, key);
    gguf_put_u32(gguf, (uint32_t)type);
    gguf->pairs++;
}

void gguf_tensor(struct gguf_builder *gguf, const char *name, uint32_t dims, const uint64_t *shape,
                 uint32_t type, uint64_t offset)
{
    gguf_put_string(gguf, name);
    gguf_put_u32(gguf, dims);
    gguf_put(gguf, shape, dims * sizeof *shape);
    gguf_put_u32(gguf, type);
    gguf_put_u64(gguf, offset);
    gguf->tensors++;
}

struct zv_slice gguf_finish(struct gguf_builder *gguf, size_t alignment, size_t data_bytes)
{
    memcpy(gguf->bytes.data + TENSORS_AT, &gguf->tensors, sizeof gguf->tensors);
    memcpy(gguf->bytes.data + PAIRS_AT, &gguf->pairs, sizeof gguf->pairs);
    const size_t over = gguf->bytes.size % alignment;
    const size_t zeros = (over != 0 ? alignment - over : 0) + data_bytes;
    char *const to = zv_buffer_reserve(&gguf->bytes, zeros);
    if (to == NULL) {
        abort();
    }
    memset(to, 0, zeros);
    gguf->bytes.size += zeros;
    return (struct zv_slice){gguf->bytes.data, gguf->bytes.size};
}
