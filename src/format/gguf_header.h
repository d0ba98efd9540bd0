/* Taking GGUF values off the front of a header, with every length checked; part of format/gguf. */
#ifndef ZIRVE_FORMAT_GGUF_HEADER_H
#define ZIRVE_FORMAT_GGUF_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "format/gguf.h"

struct gguf_cursor {
    struct zv_slice rest;
    uint64_t offset; /* of rest in the file */
};

/* What stopped a value from being taken; the cursor is then where the trouble is. */
enum gguf_taken {
    GGUF_TAKEN,
    GGUF_CUT_OFF,      /* ends before it is complete, or claims more than there is */
    GGUF_UNKNOWN_TYPE, /* a value type the format does not have */
    GGUF_TOO_DEEP,     /* more than ZV_GGUF_MAX_NESTING arrays in one another */
};

/* Bytes of a value of fixed size; 0 for strings, arrays and unknown types. */
uint32_t gguf_type_bytes(uint32_t type);

bool gguf_take_u32(struct gguf_cursor *cursor, uint32_t *to);
bool gguf_take_u64(struct gguf_cursor *cursor, uint64_t *to);

/* A length and that many bytes. */
bool gguf_take_string(struct gguf_cursor *cursor, struct zv_slice *to);

/* A value whose type was read before. */
enum gguf_taken gguf_take_value(struct gguf_cursor *cursor, uint32_t type,
                                struct zv_gguf_value *to);

#endif
