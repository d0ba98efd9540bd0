/* The JSON of a safetensors header, one entry at a time; part of format/safetensors. */
#ifndef ZIRVE_FORMAT_SAFETENSORS_HEADER_H
#define ZIRVE_FORMAT_SAFETENSORS_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "format/safetensors.h"
#include "zirve/arena.h"
#include "zirve/error.h"

struct zv_safetensors_header {
    struct zv_safetensors_tensor *tensors; /* data_offset from the start of the data */
    size_t count;
    struct zv_safetensors_pair *metadata; /* in the arena */
    size_t metadata_count;
    uint64_t data_end; /* largest end of a tensor, from the start of the data */
    bool in_order;     /* every tensor begins where the one before it ends, the first at 0 */
};

/*
 * Reads text, the N bytes after the length. Each tensor is checked by itself: size against shape
 * and dtype, name not seen before. Free to->tensors with zv_memory_free, also after a failure.
 */
enum zv_status zv_safetensors_header_read(struct zv_safetensors_header *to, struct zv_slice text,
                                          struct zv_arena *arena, struct zv_error *err);

#endif
