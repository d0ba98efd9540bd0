#include "format/safetensors.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "format/safetensors_header.h"

enum { LENGTH_BYTES = 8 };

#define DTYPE(name, bits)                                                                          \
    {                                                                                              \
        name, sizeof(name) - 1, bits                                                               \
    }

static const struct {
    const char *name;
    uint32_t length;
    uint32_t bits;
} dtypes[ZV_SAFETENSORS_TYPES] = {
    DTYPE("BF16", 16),   DTYPE("F32", 32),    DTYPE("F16", 16),    DTYPE("F8_E4M3", 8),
    DTYPE("F8_E5M2", 8), DTYPE("F8_E8M0", 8), DTYPE("U8", 8),      DTYPE("I8", 8),
    DTYPE("I32", 32),    DTYPE("I64", 64),    DTYPE("BOOL", 8),    DTYPE("F64", 64),
    DTYPE("F4", 4),      DTYPE("F6_E2M3", 6), DTYPE("F6_E3M2", 6), DTYPE("I16", 16),
    DTYPE("U16", 16),    DTYPE("U32", 32),    DTYPE("U64", 64),    DTYPE("C64", 64),
};

uint32_t zv_safetensors_type(struct zv_slice dtype)
{
    for (uint32_t i = 0; i < ZV_SAFETENSORS_TYPES; i++) {
        if (dtype.length == dtypes[i].length &&
            memcmp(dtype.at, dtypes[i].name, dtypes[i].length) == 0) {
            return i + 1;
        }
    }
    return 0;
}

uint32_t zv_safetensors_type_bits(uint32_t type)
{
    return type != 0 && type <= ZV_SAFETENSORS_TYPES ? dtypes[type - 1].bits : 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct zv_safetensors_tensor *const *const left = a;
    const struct zv_safetensors_tensor *const *const right = b;
    if ((*left)->data_offset != (*right)->data_offset) {
        return (*left)->data_offset < (*right)->data_offset ? -1 : 1;
    }
    return ((*left)->bytes > (*right)->bytes) - ((*left)->bytes < (*right)->bytes);
}

/* "name" for messages: as much of it as fits. */
static int shown(const struct zv_safetensors_tensor *tensor)
{
    return tensor->name.length < 160 ? (int)tensor->name.length : 160;
}

static enum zv_status fail_tile(const struct zv_safetensors_tensor *tensor, uint64_t end,
                                struct zv_error *err)
{
    const bool overlaps = tensor->data_offset < end;
    return zv_fail_at(err, ZV_E_SYNTAX, tensor->header_offset,
                      "tensor \"%.*s\" begins at byte %" PRIu64 " of the data, %s at %" PRIu64,
                      shown(tensor), tensor->name.at, tensor->data_offset,
                      overlaps ? "inside another that ends" : "after a hole that begins", end);
}

/* Whether the tensors, sorted by where they begin, leave no hole and never overlap. */
static enum zv_status check_tiles(const struct zv_safetensors_header *header, struct zv_error *err)
{
    if (header->in_order) {
        return ZV_OK;
    }
    const struct zv_safetensors_tensor **const sorted =
        zv_memory_alloc(header->count * sizeof(struct zv_safetensors_tensor *));
    if (sorted == NULL) {
        return zv_fail_memory(err, "the order of tensors in a file");
    }
    for (size_t i = 0; i < header->count; i++) {
        sorted[i] = &header->tensors[i];
    }
    qsort(sorted, header->count, sizeof(struct zv_safetensors_tensor *), by_offset);
    enum zv_status status = ZV_OK;
    uint64_t end = 0;
    for (size_t i = 0; i < header->count && status == ZV_OK; i++) {
        if (sorted[i]->data_offset != end) {
            status = fail_tile(sorted[i], end, err);
        }
        end += sorted[i]->bytes;
    }
    zv_memory_free(sorted);
    return status;
}

/* The file must end where its last tensor does. */
static enum zv_status check_length(const struct zv_safetensors_header *header, uint64_t start,
                                   uint64_t length, struct zv_error *err)
{
    const uint64_t data = length - start;
    if (header->data_end > data) {
        return zv_fail_at(err, ZV_E_SYNTAX, length,
                          "the file is truncated: its header describes %" PRIu64
                          " bytes of data after byte %" PRIu64 ", there are %" PRIu64,
                          header->data_end, start, data);
    }
    if (header->data_end < data) {
        return zv_fail_at(err, ZV_E_SYNTAX, start + header->data_end,
                          "%" PRIu64 " bytes follow the last tensor", data - header->data_end);
    }
    return ZV_OK;
}

static void finish(struct zv_safetensors *file, const struct zv_safetensors_header *header)
{
    for (size_t i = 0; i < header->count; i++) {
        header->tensors[i].data_offset += file->header_bytes;
    }
    file->tensors = header->tensors;
    file->tensor_count = header->count;
    file->metadata = header->metadata;
    file->metadata_count = header->metadata_count;
    file->data_bytes = header->data_end;
}

/* The JSON text, whose length the first eight bytes give. */
static enum zv_status find_text(struct zv_slice input, struct zv_slice *text, struct zv_error *err)
{
    if (input.length < LENGTH_BYTES) {
        return zv_fail_at(err, ZV_E_SYNTAX, input.length,
                          "no safetensors file: it ends inside the length of its header");
    }
    const uint64_t length = zv_le64(input.at);
    const uint64_t left = input.length - LENGTH_BYTES;
    if (length > left) {
        return zv_fail_at(err, ZV_E_SYNTAX, 0,
                          "no safetensors file, or a truncated one: a header of %" PRIu64
                          " bytes is announced, %" PRIu64 " follow",
                          length, left);
    }
    if (length > ZV_SAFETENSORS_MAX_HEADER) {
        return zv_fail_at(err, ZV_E_LIMIT, 0,
                          "a safetensors header of %" PRIu64 " bytes, at most %d are read", length,
                          ZV_SAFETENSORS_MAX_HEADER);
    }
    *text = (struct zv_slice){input.at + LENGTH_BYTES, (size_t)length};
    return ZV_OK;
}

enum zv_status zv_safetensors_read_part(struct zv_safetensors *file, struct zv_slice input,
                                        struct zv_name_set *names, struct zv_arena *arena,
                                        struct zv_error *err)
{
    *file = (struct zv_safetensors){0};
    struct zv_slice text = {0};
    enum zv_status status = find_text(input, &text, err);
    if (status != ZV_OK) {
        return status;
    }
    struct zv_safetensors_header header;
    file->header_bytes = LENGTH_BYTES + text.length;
    status = zv_safetensors_header_read(&header, text, names, arena, err);
    status = status == ZV_OK ? check_tiles(&header, err) : status;
    status =
        status == ZV_OK ? check_length(&header, file->header_bytes, input.length, err) : status;
    if (status == ZV_OK) {
        finish(file, &header);
    }
    return status;
}

enum zv_status zv_safetensors_read(struct zv_safetensors *file, struct zv_slice input,
                                   struct zv_arena *arena, struct zv_error *err)
{
    struct zv_name_set names = {0};
    const enum zv_status status = zv_safetensors_read_part(file, input, &names, arena, err);
    zv_name_set_free(&names);
    return status;
}
