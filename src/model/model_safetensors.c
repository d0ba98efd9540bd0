#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/strmap.h"
#include "format/safetensors.h"
#include "model/family_model.h"
#include "model/model_reader.h"

static void convert(struct model_reader *reader, const struct zv_safetensors_tensor *from,
                    struct zv_tensor *to)
{
    const struct tensor_place place = tensor_parts_find(&reader->parts, from->name);
    *to = (struct zv_tensor){
        .name = from->name,
        .dtype = zv_dtype_parse(from->dtype),
        .dims = (uint8_t)(from->dims < ZV_TENSOR_MAX_DIMS ? from->dims : ZV_TENSOR_MAX_DIMS),
        .elements = place.rebuilt ? 0 : from->elements,
        .bytes = from->bytes,
        .layer = -1,
        .part = place.part,
        .split = place.split,
        .linear = place.linear && from->dims >= 2,
        .rebuilt = place.rebuilt,
    };
    for (uint32_t i = 0; i < from->dims; i++) {
        if (i < ZV_TENSOR_MAX_DIMS) {
            to->shape[i] = from->shape[i];
        } else { /* the product is known to fit: elements is one of them */
            to->shape[ZV_TENSOR_MAX_DIMS - 1] *= from->shape[i];
        }
    }
}

/* Names that an earlier file has already are told apart from a second copy of a model. */
static enum zv_status remember(struct zv_strmap *names, const struct zv_tensor *tensor,
                               struct zv_error *err)
{
    struct zv_strmap_entry *entry;
    switch (zv_strmap_add(names, tensor->name, 1, &entry)) {
    case ZV_STRMAP_ADDED:
        return ZV_OK;
    case ZV_STRMAP_EXISTS:
        return zv_fail(err, ZV_E_SYNTAX, "%.*s is in another file of the model too",
                       (int)tensor->name.length, tensor->name.at);
    case ZV_STRMAP_NOMEM:
        break;
    }
    return zv_fail_memory(err, "tensor names");
}

static enum zv_status read_headers(struct model_reader *reader, const char *const *paths,
                                   size_t count, struct zv_safetensors *files, struct zv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct zv_slice bytes;
        enum zv_status status = model_map(reader, paths[i], &bytes, err);
        if (status == ZV_OK) {
            reader->model->file_bytes += bytes.length;
            status = zv_safetensors_read(&files[i], bytes, reader->arena, err);
        }
        if (status != ZV_OK) {
            (void)zv_fail_where(err, paths[i]);
            return status;
        }
    }
    return ZV_OK;
}

static enum zv_status convert_all(struct model_reader *reader, const char *const *paths,
                                  const struct zv_safetensors *files, size_t count,
                                  struct model_tensors *to, struct zv_error *err)
{
    struct zv_strmap names = {0};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        for (size_t t = 0; status == ZV_OK && t < files[i].tensor_count; t++) {
            struct zv_tensor *const tensor = &to->at[to->count++];
            convert(reader, &files[i].tensors[t], tensor);
            if (count > 1) { /* one file has no duplicates: its reader looked */
                status = remember(&names, tensor, err);
            }
        }
        if (status != ZV_OK) {
            (void)zv_fail_where(err, paths[i]);
        }
    }
    zv_strmap_free(&names);
    return status;
}

enum zv_status model_read_safetensors(struct model_reader *reader, const char *const *paths,
                                      size_t count, struct model_tensors *to, struct zv_error *err)
{
    *to = (struct model_tensors){0};
    reader->model->source = ZV_SOURCE_SAFETENSORS;
    struct zv_safetensors *const files = zv_arena_array(reader->arena, count, sizeof *files);
    if (files == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    enum zv_status status = read_headers(reader, paths, count, files, err);
    size_t total = 0;
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        total += files[i].tensor_count;
    }
    if (total > MODEL_MAX_TENSORS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
    }
    if (status == ZV_OK) {
        to->at = zv_arena_array(reader->arena, total, sizeof *to->at);
        status = to->at != NULL ? convert_all(reader, paths, files, count, to, err)
                                : zv_fail_memory(err, "tensors");
    }
    return status;
}
