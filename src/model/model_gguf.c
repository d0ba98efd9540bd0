#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "model/family_model.h"
#include "model/gguf_keys.h"
#include "model/model_reader.h"

enum { SPLIT_TAIL = sizeof "-00001-of-00002.gguf" - 1, SPLIT_LIMIT = 1024 };

/* The file's name without "-00001-of-00002.gguf"; false when it does not end so. */
static bool split_stem(const char *path, struct zv_slice *stem)
{
    const size_t length = strlen(path);
    if (length <= SPLIT_TAIL) {
        return false;
    }
    const char *const tail = path + length - SPLIT_TAIL;
    uint64_t ignored;
    if (tail[0] != '-' || !zv_slice_u64((struct zv_slice){tail + 1, 5}, &ignored) ||
        strncmp(tail + 6, "-of-", 4) != 0 ||
        !zv_slice_u64((struct zv_slice){tail + 10, 5}, &ignored)) {
        return false;
    }
    *stem = (struct zv_slice){path, length - SPLIT_TAIL};
    return strcmp(tail + 15, ".gguf") == 0;
}

static enum zv_status read_file(struct model_reader *reader, const char *path, struct zv_gguf *file,
                                struct zv_error *err)
{
    struct zv_slice bytes;
    enum zv_status status = model_map(reader, path, &bytes, err);
    if (status != ZV_OK) {
        return status;
    }
    reader->model->file_bytes += bytes.length;
    status = zv_gguf_read(file, bytes, reader->arena, err);
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    return status;
}

/* Every file of a split model, in order; *first is read already and tells how many there are. */
static enum zv_status read_splits(struct model_reader *reader, const char *path,
                                  struct zv_gguf *files, uint32_t count, struct zv_error *err)
{
    struct zv_slice stem;
    if (!split_stem(path, &stem)) {
        (void)zv_fail(err, ZV_E_NOT_FOUND,
                      "part %u of %u of a split model, but the name does not end in "
                      "-NNNNN-of-NNNNN.gguf, so the other parts cannot be found",
                      files[0].split_no + 1U, count);
        return zv_fail_where(err, path);
    }
    reader->model->file_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *const part = zv_arena_print(reader->arena, "%.*s-%05u-of-%05u.gguf",
                                                (int)stem.length, stem.at, i + 1U, count);
        if (part == NULL) {
            return zv_fail_memory(err, "a path");
        }
        struct zv_error cause = {0};
        const enum zv_status status = read_file(reader, part, &files[i], &cause);
        if (status == ZV_E_IO) {
            (void)zv_fail(err, ZV_E_NOT_FOUND, "part %u of %u of a split model is missing: %s",
                          i + 1U, count, cause.text);
            return zv_fail_where(err, part);
        }
        if (status != ZV_OK) {
            if (err != NULL && err->status == ZV_OK) {
                *err = cause;
            }
            return status;
        }
        if (files[i].split_no != i || files[i].split_count != count) {
            (void)zv_fail(err, ZV_E_SYNTAX, "says it is part %u of %u, its name says %u of %u",
                          files[i].split_no + 1U, files[i].split_count, i + 1U, count);
            return zv_fail_where(err, part);
        }
    }
    return ZV_OK;
}

/* ---- tensors ---- */

static void read_tensor(struct model_reader *reader, const struct zv_gguf_tensor *from,
                        struct zv_tensor *to)
{
    const int64_t layer = tensor_layer_of(from->name);
    const struct tensor_place place = tensor_parts_find(&reader->parts, from->name);
    *to = (struct zv_tensor){
        .name = from->name,
        .dtype = zv_dtype_of_gguf(from->type_id),
        .dims = (uint8_t)from->dims,
        .elements = from->elements,
        .bytes = from->bytes,
        .layer = layer >= 0 && (size_t)layer < reader->model->layer_count ? (int32_t)layer : -1,
        .part = place.part,
        .split = place.split,
        .linear = place.linear && from->dims >= 2,
    };
    for (uint32_t i = 0; i < from->dims; i++) { /* a GGUF names the row length first */
        to->shape[i] = from->shape[from->dims - 1 - i];
    }
    if (layer >= 0 && to->layer < 0 && reader->model->layer_count != 0 && reader->model->causal &&
        place.part != ZV_PART_VISION && place.part != ZV_PART_ENCODER) {
        to->part = ZV_PART_DRAFT; /* a layer beyond those that generate: next-token prediction */
    }
    if (zv_slice_starts(from->name, "enc.")) {
        to->layer = -1;
    }
}

static enum zv_status read_tensors(struct model_reader *reader, const struct zv_gguf *files,
                                   size_t count, struct zv_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += files[i].tensor_count;
    }
    if (total > MODEL_MAX_TENSORS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
    }
    struct zv_tensor *const tensors = zv_arena_array(reader->arena, total, sizeof *tensors);
    if (tensors == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    size_t unknown = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < files[i].tensor_count; t++, at++) {
            read_tensor(reader, &files[i].tensors[t], &tensors[at]);
            unknown += tensors[at].dtype == ZV_DTYPE_UNKNOWN;
        }
    }
    reader->model->tensors = tensors;
    reader->model->tensor_count = total;
    if (unknown != 0) {
        model_unknown(reader, "element type of %zu tensors: not in our table of GGUF types",
                      unknown);
    }
    return ZV_OK;
}

/* What the keys leave open and the tensors say. */
static void facts_from_tensors(struct model_reader *reader)
{
    struct zv_model *const model = reader->model;
    bool head = false;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        head |= zv_slice_equal(tensor->name, "output.weight");
        if (zv_slice_equal(tensor->name, "token_embd.weight") && tensor->dims == 2) {
            if (model->vocab != 0 && model->vocab != tensor->shape[0]) {
                model_note(reader, "vocab_size says %llu, token_embd.weight has %llu rows",
                           (unsigned long long)model->vocab, (unsigned long long)tensor->shape[0]);
            }
            model->vocab = tensor->shape[0];
        }
    }
    model->tied = !head && model->causal;
}

/* ---- layers ---- */

static enum zv_status try_family(struct model_reader *reader, const struct gguf_keys *keys,
                                 const char *table, struct zv_error *err)
{
    const struct family_request request = {
        .keys = model_keys_gguf(keys),
        .model_type = table != NULL ? zv_slice_of(table) : keys->architecture,
        .gguf = true,
        .places = &reader->parts,
    };
    struct zv_error cause = {0};
    struct zv_model model = *reader->model;
    const enum zv_status status = family_model_build(&model, &request, reader->arena, &cause);
    if (status == ZV_OK) {
        *reader->model = model;
    } else if (status == ZV_E_SYNTAX && !cause.has_offset && cause.where[0] == 0) {
        model_unknown(reader, "layers, caches and states: %s", cause.text); /* a key is missing */
    } else {
        if (err != NULL && err->status == ZV_OK) {
            *err = cause;
        }
        return status;
    }
    return ZV_OK;
}

static enum zv_status read_layers(struct model_reader *reader, const struct zv_gguf *file,
                                  struct zv_error *err)
{
    struct zv_model *const model = reader->model;
    struct gguf_keys keys = {.file = file};
    (void)zv_gguf_string(zv_gguf_find(file, "general.architecture"), &keys.architecture);
    (void)zv_gguf_string(zv_gguf_find(file, "general.name"), &model->name);
    model->family = keys.architecture;
    if (keys.architecture.length == 0) {
        model_unknown(reader, "layers, caches and states: no general.architecture");
        return ZV_OK;
    }
    model->causal = true;
    enum zv_status status = try_family(reader, &keys, NULL, err);
    if (status == ZV_OK && !model->family_known && reader->unknown.count == 0) {
        status = try_family(reader, &keys, "usual", err);
        model_note(reader,
                   "no family table serves the architecture \"%.*s\": layers are taken from the "
                   "usual keys, each as full attention",
                   (int)model->family.length, model->family.at);
        model->family_known = false;
    }
    return status;
}

enum zv_status model_read_gguf(struct model_reader *reader, const char *path, struct zv_error *err)
{
    reader->model->source = ZV_SOURCE_GGUF;
    struct zv_gguf single = {0};
    struct zv_gguf *files = &single;
    size_t count = 1;
    enum zv_status status = read_file(reader, path, &single, err);
    if (status == ZV_OK && single.split_count > 1) {
        count = single.split_count;
        if (count > SPLIT_LIMIT) {
            (void)zv_fail(err, ZV_E_LIMIT, "a model of more than %d files", SPLIT_LIMIT);
            return zv_fail_where(err, path);
        }
        files = zv_arena_array(reader->arena, count, sizeof *files);
        if (files == NULL) {
            return zv_fail_memory(err, "a split model");
        }
        files[0] = single;
        status = read_splits(reader, path, files, single.split_count, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    struct zv_gguf *const kept = zv_arena_alloc(reader->arena, sizeof *kept);
    if (kept == NULL) {
        return zv_fail_memory(err, "a model");
    }
    *kept = files[0];
    status = read_layers(reader, kept, err);
    if (status == ZV_OK) {
        status = read_tensors(reader, files, count, err);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
        return status;
    }
    facts_from_tensors(reader);
    return ZV_OK;
}
