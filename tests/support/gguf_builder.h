/*
 * Small GGUF files in memory, right or wrong as a test wants them. Free builder.bytes at the end.
 *
 *     struct gguf_builder gguf;
 *     gguf_begin(&gguf, 3);
 *     gguf_key(&gguf, "general.alignment", ZV_GGUF_U32);
 *     gguf_put_u32(&gguf, 64);
 *     gguf_tensor(&gguf, "a.weight", 2, (uint64_t[]){32, 2}, 8, 0);
 *     struct zv_slice file = gguf_finish(&gguf, 64, 68);
 */
#ifndef ZIRVE_TESTS_GGUF_BUILDER_H
#define ZIRVE_TESTS_GGUF_BUILDER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "format/gguf.h"

struct gguf_builder {
    struct zv_buffer bytes;
    uint64_t tensors;
    uint64_t pairs;
};

void gguf_begin(struct gguf_builder *gguf, uint32_t version);

/* A key and the type of its value, which must be put next. */
void gguf_key(struct gguf_builder *gguf, const char *key, enum zv_gguf_value_type type);
void gguf_put(struct gguf_builder *gguf, const void *bytes, size_t size);
void gguf_put_u8(struct gguf_builder *gguf, uint8_t value);
void gguf_put_u32(struct gguf_builder *gguf, uint32_t value);
void gguf_put_u64(struct gguf_builder *gguf, uint64_t value);
void gguf_put_string(struct gguf_builder *gguf, const char *text);
void gguf_put_array(struct gguf_builder *gguf, enum zv_gguf_value_type element, uint64_t count);

void gguf_tensor(struct gguf_builder *gguf, const char *name, uint32_t dims, const uint64_t *shape,
                 uint32_t type, uint64_t offset);

/* Writes the counts, pads to alignment and appends data_bytes zeros. */
struct zv_slice gguf_finish(struct gguf_builder *gguf, size_t alignment, size_t data_bytes);

#endif
