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
    struct zv_safetensors_tensor *tensors; /* in the arena; data_offset from the data's start */
    size_t count;
    struct zv_safetensors_pair *metadata; /* in the arena */
    size_t metadata_count;
    uint64_t data_end; /* largest end of a tensor, from the start of the data */
    bool in_order;     /* every tensor begins where the one before it ends, the first at 0 */
};

/*
 * Reads text, the N bytes after the length. Each tensor is checked by itself: size against shape
 * and dtype, name not in names yet, which gets them all.
 */
enum zv_status zv_safetensors_header_read(struct zv_safetensors_header *to, struct zv_slice text,
                                          struct zv_name_set *names, struct zv_arena *arena,
                                          struct zv_error *err);

#endif
