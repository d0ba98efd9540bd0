/*
 * GGUF: what one file holds, without touching the data.
 *
 *   | "GGUF" version | tensors: u64 | pairs: u64 | key/value pairs | tensor infos | pad | data
 *                                                                                      ^ offsets
 *                                                                                        from here
 *
 * Versions 2 and 3, little-endian. Values stay where they are: a pair knows its type and where its
 * bytes lie, so that a vocabulary of 150,000 strings costs one walk and no memory. Keys, names and
 * strings point into the input, so it must stay mapped as long as they are used.
 *
 * What a key or a name means belongs to room model; which files belong together too (split.no).
 */
#ifndef ZIRVE_FORMAT_GGUF_H
#define ZIRVE_FORMAT_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "format/gguf_types.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    ZV_GGUF_MAX_HEADER = 128 * 1024 * 1024, /* bytes before the data */
    ZV_GGUF_MAX_ENTRIES = 1024 * 1024,      /* tensors, and pairs */
    ZV_GGUF_MAX_DIMS = 4,
    ZV_GGUF_MAX_NESTING = 8 /* arrays in arrays */
};

/* The numbers are the format's. */
enum zv_gguf_value_type {
    ZV_GGUF_U8 = 0,
    ZV_GGUF_I8 = 1,
    ZV_GGUF_U16 = 2,
    ZV_GGUF_I16 = 3,
    ZV_GGUF_U32 = 4,
    ZV_GGUF_I32 = 5,
    ZV_GGUF_F32 = 6,
    ZV_GGUF_BOOL = 7,
    ZV_GGUF_STRING = 8,
    ZV_GGUF_ARRAY = 9,
    ZV_GGUF_U64 = 10,
    ZV_GGUF_I64 = 11,
    ZV_GGUF_F64 = 12,
};

struct zv_gguf_value {
    enum zv_gguf_value_type type;
    enum zv_gguf_value_type element_type; /* ARRAY */
    uint64_t count;                       /* ARRAY: elements */
    uint64_t offset;                      /* in the file, for messages */
    struct zv_slice bytes; /* scalar: its bytes; STRING: its text; ARRAY: its elements as stored */
};

struct zv_gguf_pair {
    struct zv_slice key;
    struct zv_gguf_value value;
};

struct zv_gguf_tensor {
    struct zv_slice name;
    const struct zv_gguf_type *type; /* NULL when type_id is not in the table */
    uint32_t type_id;
    uint32_t dims;
    uint64_t shape[ZV_GGUF_MAX_DIMS]; /* as in the file: the row length first; 1 beyond dims */
    uint64_t elements;
    uint64_t bytes;       /* without padding; for an unknown type all up to the next tensor */
    uint64_t data_offset; /* in the file */
    uint64_t info_offset; /* of its entry in the header, for messages */
};

struct zv_gguf {
    uint32_t version;
    uint64_t alignment;
    const struct zv_gguf_pair *pairs; /* in the order of the file */
    size_t pair_count;
    const struct zv_gguf_tensor *tensors; /* in the order of the file */
    size_t tensor_count;
    uint64_t header_bytes;  /* up to the padding before the data */
    uint64_t data_offset;   /* where the data starts */
    uint64_t data_end;      /* where the last tensor ends, at most the file's length */
    uint32_t split_no;      /* this file's place among split_count, from 0 */
    uint32_t split_count;   /* 0 when the model is not split */
    uint64_t split_tensors; /* of all files together, 0 when not said */
};

/*
 * Reads the header of a whole, mapped file. Errors, with the byte offset: ZV_E_SYNTAX (no GGUF,
 * truncated, duplicate keys or names, tensors that overlap or leave the file, a dimension of 0),
 * ZV_E_UNSUPPORTED (version 1, big-endian, GGML files older than GGUF, removed tensor types),
 * ZV_E_LIMIT, ZV_E_OVERFLOW, ZV_E_NOMEM. Memory: about 200 bytes for each tensor and each pair.
 * Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
enum zv_status zv_gguf_read(struct zv_gguf *file, struct zv_slice input, struct zv_arena *arena,
                            struct zv_error *err);

/* NULL when there is no such key. */
const struct zv_gguf_value *zv_gguf_find(const struct zv_gguf *file, const char *key);

/* In all of these value may be NULL, and a value of another kind gives false. */

/* Any integer type or BOOL, if it fits. */
bool zv_gguf_u64(const struct zv_gguf_value *value, uint64_t *to);
bool zv_gguf_i64(const struct zv_gguf_value *value, int64_t *to);
bool zv_gguf_double(const struct zv_gguf_value *value, double *to); /* F32, F64, finite; integers */
bool zv_gguf_bool(const struct zv_gguf_value *value, bool *to);     /* BOOL only */
bool zv_gguf_string(const struct zv_gguf_value *value, struct zv_slice *to);

/* Elements of an array; 0 for anything else. */
uint64_t zv_gguf_count(const struct zv_gguf_value *value);

/*
 * Walks an array of any type:
 *
 *     struct zv_gguf_walk walk = zv_gguf_walk(array);
 *     struct zv_gguf_value element;
 *     while (zv_gguf_next(&walk, &element)) ...
 */
struct zv_gguf_walk {
    enum zv_gguf_value_type type;
    uint64_t left;
    uint64_t offset;
    struct zv_slice rest;
};

struct zv_gguf_walk zv_gguf_walk(const struct zv_gguf_value *array);
bool zv_gguf_next(struct zv_gguf_walk *walk, struct zv_gguf_value *element);

/* "u32", "string", "array". */
const char *zv_gguf_type_word(enum zv_gguf_value_type type);

#endif
