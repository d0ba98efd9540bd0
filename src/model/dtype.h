/*
 * Element types: bits per value, or a block of values in so many bytes (GGUF's quantised types).
 * One table for every format's spelling; sizes from the format definitions (docs/FORMULAS.md).
 */
#ifndef ZIRVE_MODEL_DTYPE_H
#define ZIRVE_MODEL_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum zv_dtype {
    ZV_DTYPE_UNKNOWN,
    ZV_DTYPE_F64,
    ZV_DTYPE_F32,
    ZV_DTYPE_F16,
    ZV_DTYPE_BF16,
    ZV_DTYPE_F8_E4M3,
    ZV_DTYPE_F8_E5M2,
    ZV_DTYPE_F8_E8M0,
    ZV_DTYPE_F4,
    ZV_DTYPE_I64,
    ZV_DTYPE_I32,
    ZV_DTYPE_I16,
    ZV_DTYPE_I8,
    ZV_DTYPE_U64,
    ZV_DTYPE_U32,
    ZV_DTYPE_U16,
    ZV_DTYPE_U8,
    ZV_DTYPE_BOOL,
    ZV_DTYPE_C64,
    ZV_DTYPE_GGML, /* ZV_DTYPE_GGML + id: the block types of GGUF (format/gguf) */
    ZV_DTYPE_LIMIT = ZV_DTYPE_GGML + 512
};

/* "bfloat16", "BF16", "torch.bfloat16", "bf16", "q8_0", "fp8_e4m3" …; ZV_DTYPE_UNKNOWN if none. */
enum zv_dtype zv_dtype_parse(struct zv_slice name);
/* The type of a GGUF tensor by its number there; ZV_DTYPE_UNKNOWN if the table does not have it. */
enum zv_dtype zv_dtype_of_gguf(uint32_t id);
const char *zv_dtype_name(enum zv_dtype dtype); /* "bf16", "q8_0"; "unknown" */

/* Values and bytes of one block: (1, 2) for f16, (32, 34) for q8_0. False for unknown types. */
bool zv_dtype_block(enum zv_dtype dtype, uint64_t *elements, uint64_t *bytes);

/* Bytes of a row of elements; false on overflow, unknown type, or a part of a block. */
bool zv_dtype_bytes(enum zv_dtype dtype, uint64_t elements, uint64_t *bytes);

#endif
