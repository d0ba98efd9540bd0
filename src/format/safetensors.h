/*
 * safetensors: what one file holds, without touching the data.
 *
 *   0        8                    8 + N                                   end of file
 *   | N: u64 | JSON header, N bytes | tensor | tensor | ... | tensor |
 *                                   ^ data_offsets count from here
 *
 * A file is only accepted when it is complete and its tensors tile the data area: in whatever order
 * the header names them, no two overlap, no byte is left over, and each is as long as its shape and
 * dtype say. A truncated download is therefore an error that says how long the file should be.
 *
 * Names point into the input, so it must stay mapped as long as they are used. What a dtype or a
 * name means belongs to room model.
 */
#ifndef ZIRVE_FORMAT_SAFETENSORS_H
#define ZIRVE_FORMAT_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/name_set.h"
#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    ZV_SAFETENSORS_MAX_HEADER = 512 * 1024 * 1024, /* bytes; the reference reader stops at 100 MB */
    ZV_SAFETENSORS_MAX_TENSORS = 4 * 1024 * 1024,
    ZV_SAFETENSORS_MAX_DIMS = 8,
    ZV_SAFETENSORS_TYPES = 20 /* of elements that the format has */
};

struct zv_safetensors_tensor {
    struct zv_slice name;
    struct zv_slice dtype; /* as written: "BF16" */
    uint32_t type;         /* 1 to ZV_SAFETENSORS_TYPES; 0 when it is none of the format's */
    uint32_t bits;         /* of one element; 0 when the dtype is none of the format's */
    uint32_t dims;         /* 0 for a scalar */
    uint64_t shape[ZV_SAFETENSORS_MAX_DIMS];
    uint64_t elements;      /* product of the shape; 1 for a scalar */
    uint64_t bytes;         /* of data; from the offsets, which agree with the shape if bits != 0 */
    uint64_t data_offset;   /* in the file */
    uint64_t header_offset; /* of its entry in the header, for messages */
    struct zv_name_place place; /* of its name among those that were read */
};

struct zv_safetensors_pair {
    struct zv_slice key;
    struct zv_slice value;
};

struct zv_safetensors {
    const struct zv_safetensors_tensor *tensors; /* in the order of the header */
    size_t tensor_count;
    const struct zv_safetensors_pair *metadata; /* __metadata__, in its order */
    size_t metadata_count;
    uint64_t header_bytes; /* 8 + N: where the data starts */
    uint64_t data_bytes;   /* sum over the tensors */
};

/*
 * Reads the header of a whole, mapped file. Errors, with the byte offset: ZV_E_SYNTAX (not
 * safetensors, truncated, tensors that do not tile, duplicate names), ZV_E_LIMIT, ZV_E_OVERFLOW,
 * ZV_E_NOMEM. Memory: twice the header, thrice when names are short.
 * Format: https://huggingface.co/docs/safetensors ("Format")
 */
enum zv_status zv_safetensors_read(struct zv_safetensors *file, struct zv_slice input,
                                   struct zv_arena *arena, struct zv_error *err);

/*
 * The same of one file of several that hold a model together. names has the names of those read
 * before and gets this one's; one that is there already is an error (ZV_E_SYNTAX). What names
 * points into must outlive it.
 */
enum zv_status zv_safetensors_read_part(struct zv_safetensors *file, struct zv_slice input,
                                        struct zv_name_set *names, struct zv_arena *arena,
                                        struct zv_error *err);

/* The number of a dtype as written ("BF16") and the bits of its elements; 0 for others. */
uint32_t zv_safetensors_type(struct zv_slice dtype);
uint32_t zv_safetensors_type_bits(uint32_t type);

#endif
