#include "format/gguf_tensors.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"

/* "name" for messages: as much of it as fits. */
static int shown(const struct zv_gguf_tensor *tensor)
{
    return tensor->name.length < 160 ? (int)tensor->name.length : 160;
}

static bool take_shape(struct gguf_cursor *cursor, struct zv_gguf_tensor *tensor)
{
    for (uint32_t i = 0; i < ZV_GGUF_MAX_DIMS; i++) {
        tensor->shape[i] = 1;
    }
    for (uint32_t i = 0; i < tensor->dims; i++) {
        if (!gguf_take_u64(cursor, &tensor->shape[i])) {
            return false;
        }
    }
    return true;
}

static enum zv_status count_elements(struct zv_gguf_tensor *tensor, struct zv_error *err)
{
    tensor->elements = 1;
    for (uint32_t i = 0; i < tensor->dims; i++) {
        if (tensor->shape[i] == 0) {
            return zv_fail_at(err, ZV_E_SYNTAX, tensor->info_offset,
                              "GGUF: tensor \"%.*s\" has a dimension of 0", shown(tensor),
                              tensor->name.at);
        }
        if (!zv_mul(tensor->elements, tensor->shape[i], &tensor->elements) ||
            tensor->elements > INT64_MAX) {
            return zv_fail_at(err, ZV_E_OVERFLOW, tensor->info_offset,
                              "GGUF: tensor \"%.*s\": the product of its shape does not fit",
                              shown(tensor), tensor->name.at);
        }
    }
    return ZV_OK;
}

static enum zv_status count_bytes(struct zv_gguf_tensor *tensor, struct zv_error *err)
{
    const struct zv_gguf_type *const type = zv_gguf_type_find(tensor->type_id);
    tensor->type = type;
    if (type == NULL) {
        return ZV_OK;
    }
    if (type->block_elements == 0) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, tensor->info_offset,
                          "GGUF: tensor \"%.*s\" has type %s, which was removed from the format in "
                          "2023: convert the model again",
                          shown(tensor), tensor->name.at, type->name);
    }
    const uint64_t row = tensor->shape[0];
    if (row % type->block_elements != 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, tensor->info_offset,
                          "GGUF: tensor \"%.*s\": rows of %" PRIu64
                          " are no whole blocks of %" PRIu32 " (%s)",
                          shown(tensor), tensor->name.at, row, type->block_elements, type->name);
    }
    if (!zv_gguf_type_bytes(type, row, tensor->elements / row, &tensor->bytes)) {
        return zv_fail_at(err, ZV_E_OVERFLOW, tensor->info_offset,
                          "GGUF: tensor \"%.*s\": its bytes do not fit in 64 bits", shown(tensor),
                          tensor->name.at);
    }
    return ZV_OK;
}

enum zv_status gguf_take_tensor(struct gguf_cursor *cursor, struct zv_gguf_tensor *tensor,
                                bool *complete, struct zv_error *err)
{
    *complete = false;
    tensor->info_offset = cursor->offset;
    if (!gguf_take_string(cursor, &tensor->name) || !gguf_take_u32(cursor, &tensor->dims)) {
        return ZV_OK;
    }
    if (tensor->dims > ZV_GGUF_MAX_DIMS) {
        return zv_fail_at(err, ZV_E_SYNTAX, tensor->info_offset,
                          "GGUF: tensor \"%.*s\" has %" PRIu32 " dimensions, at most %d are "
                          "possible",
                          shown(tensor), tensor->name.at, tensor->dims, ZV_GGUF_MAX_DIMS);
    }
    if (!take_shape(cursor, tensor) || !gguf_take_u32(cursor, &tensor->type_id) ||
        !gguf_take_u64(cursor, &tensor->data_offset)) {
        return ZV_OK;
    }
    *complete = true;
    const enum zv_status status = count_elements(tensor, err);
    return status == ZV_OK ? count_bytes(tensor, err) : status;
}

static enum zv_status place(const struct zv_gguf *file, struct zv_gguf_tensor *tensor,
                            uint64_t file_bytes, struct zv_error *err)
{
    uint64_t end;
    if (tensor->data_offset % file->alignment != 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, tensor->info_offset,
                          "GGUF: tensor \"%.*s\" begins at %" PRIu64
                          " of the data, which is no multiple of %" PRIu64,
                          shown(tensor), tensor->name.at, tensor->data_offset, file->alignment);
    }
    if (!zv_add(tensor->data_offset, file->data_offset, &tensor->data_offset) ||
        !zv_add(tensor->data_offset, tensor->bytes, &end)) {
        return zv_fail_at(err, ZV_E_OVERFLOW, tensor->info_offset,
                          "GGUF: tensor \"%.*s\" ends beyond 2^64", shown(tensor), tensor->name.at);
    }
    if (end > file_bytes) {
        return zv_fail_at(err, ZV_E_SYNTAX, tensor->info_offset,
                          "GGUF: truncated: tensor \"%.*s\" ends at byte %" PRIu64
                          ", the file at %" PRIu64,
                          shown(tensor), tensor->name.at, end, file_bytes);
    }
    return ZV_OK;
}

static int by_offset(const void *a, const void *b)
{
    const struct zv_gguf_tensor *const *const left = a;
    const struct zv_gguf_tensor *const *const right = b;
    if ((*left)->data_offset != (*right)->data_offset) {
        return (*left)->data_offset < (*right)->data_offset ? -1 : 1;
    }
    return ((*left)->info_offset > (*right)->info_offset) -
           ((*left)->info_offset < (*right)->info_offset);
}

/* Each tensor ends before the next begins; one of unknown type takes all the room up to there. */
static enum zv_status check_overlaps(struct zv_gguf *file, struct zv_gguf_tensor *const *sorted,
                                     uint64_t file_bytes, struct zv_error *err)
{
    file->data_end = file->data_offset < file_bytes ? file->data_offset : file_bytes;
    for (size_t i = 0; i < file->tensor_count; i++) {
        struct zv_gguf_tensor *const tensor = sorted[i];
        const bool is_last = i + 1 == file->tensor_count;
        const uint64_t limit = is_last ? file_bytes : sorted[i + 1]->data_offset;
        if (tensor->type == NULL) {
            tensor->bytes = limit - tensor->data_offset;
        }
        if (tensor->bytes > limit - tensor->data_offset) {
            return zv_fail_at(err, ZV_E_SYNTAX, sorted[i + 1]->info_offset,
                              "GGUF: tensor \"%.*s\" begins at byte %" PRIu64
                              ", inside another that ends at %" PRIu64,
                              shown(sorted[i + 1]), sorted[i + 1]->name.at, limit,
                              tensor->data_offset + tensor->bytes);
        }
        file->data_end = tensor->data_offset + tensor->bytes;
    }
    return ZV_OK;
}

enum zv_status gguf_place_tensors(struct zv_gguf *file, struct zv_gguf_tensor *tensors,
                                  uint64_t file_bytes, struct zv_error *err)
{
    struct zv_gguf_tensor **const sorted =
        zv_memory_alloc(file->tensor_count * sizeof(struct zv_gguf_tensor *));
    if (sorted == NULL) {
        return zv_fail_memory(err, "the order of tensors in a file");
    }
    enum zv_status status = ZV_OK;
    bool in_order = true;
    for (size_t i = 0; i < file->tensor_count && status == ZV_OK; i++) {
        sorted[i] = &tensors[i];
        status = place(file, &tensors[i], file_bytes, err);
        in_order = in_order && (i == 0 || tensors[i - 1].data_offset <= tensors[i].data_offset);
    }
    if (status == ZV_OK && !in_order) {
        qsort(sorted, file->tensor_count, sizeof(struct zv_gguf_tensor *), by_offset);
    }
    status = status == ZV_OK ? check_overlaps(file, sorted, file_bytes, err) : status;
    zv_memory_free(sorted);
    return status;
}
