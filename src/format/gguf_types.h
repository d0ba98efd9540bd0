/*
 * Tensor types of GGUF: how many bytes a row of so many elements takes. One table for ggml and for
 * the forks whose files are met in practice (data/gguf_types.tsv names the source of each row).
 *
 *   row    = row_bytes + elements / block_elements * block_bytes
 *   tensor = tensor_bytes + rows * row
 */
#ifndef ZIRVE_FORMAT_GGUF_TYPES_H
#define ZIRVE_FORMAT_GGUF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct zv_gguf_type {
    uint32_t id;
    const char *name;        /* "Q4_K" */
    uint32_t block_elements; /* 0: the type was removed before its size mattered to anybody */
    uint32_t block_bytes;
    uint32_t row_bytes;    /* in front of every row: the row scale of some ik_llama.cpp types */
    uint32_t tensor_bytes; /* once a tensor: the scale of I2_S */
};

/* NULL when the id is not in the table. */
const struct zv_gguf_type *zv_gguf_type_find(uint32_t id);

/* By name, any case ("q4_k"); NULL when there is none. */
const struct zv_gguf_type *zv_gguf_type_named(struct zv_slice name);

/* All of them, by rising id. */
size_t zv_gguf_type_count(void);
const struct zv_gguf_type *zv_gguf_type_at(size_t index);

/* Bytes of rows * row_elements; false on overflow, a part of a block, or a type without a size. */
bool zv_gguf_type_bytes(const struct zv_gguf_type *type, uint64_t row_elements, uint64_t rows,
                        uint64_t *bytes);

#endif
