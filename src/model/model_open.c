#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "model/model_reader.h"

__attribute__((format(printf, 3, 0))) static void
add_line(struct model_reader *reader, struct model_lines *lines, const char *format, va_list args)
{
    char text[512];
    (void)vsnprintf(text, sizeof text, format, args);
    for (char *c = text; *c != 0; c++) { /* names come from files: nothing for a terminal */
        *c = (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c;
    }
    const char *const copy = zv_arena_copy(reader->arena, text, strlen(text));
    if (copy != NULL && lines->count < MODEL_MAX_LINES) {
        lines->at[lines->count++] = copy;
    }
}

void model_note(struct model_reader *reader, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(reader, &reader->notes, format, args);
    va_end(args);
}

void model_unknown(struct model_reader *reader, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(reader, &reader->unknown, format, args);
    va_end(args);
}

enum zv_status model_map(struct model_reader *reader, const char *path, struct zv_slice *bytes,
                         struct zv_error *err)
{
    struct zv_model_files *const files = reader->files;
    if (files->count == MODEL_MAX_FILES) {
        (void)zv_fail(err, ZV_E_LIMIT, "a model of more than %d files", MODEL_MAX_FILES);
        return zv_fail_where(err, path);
    }
    if (files->count == files->capacity) {
        const size_t capacity = files->capacity == 0 ? 8 : files->capacity * 2;
        struct zv_file *const at = zv_memory_resize(files->at, capacity * sizeof *at);
        if (at == NULL) {
            return zv_fail_memory(err, "open files");
        }
        files->at = at;
        files->capacity = capacity;
    }
    struct zv_file *const file = &files->at[files->count];
    const bool given = reader->given != NULL && strcmp(path, reader->given) == 0;
    const enum zv_status status =
        given ? zv_file_open(file, path, err) : zv_file_open_found(file, path, err);
    if (status == ZV_OK) {
        *bytes = zv_file_slice(&files->at[files->count++]);
    }
    return status;
}

/* An object in bytes, or an error with where = path. */
static enum zv_status read_json(struct model_reader *reader, const char *path,
                                struct zv_slice bytes, const struct zv_json_value **root,
                                struct zv_error *err)
{
    enum zv_status status =
        zv_json_tree_read(root, bytes, ZV_JSON_ALLOW_NONFINITE, reader->arena, err);
    if (status == ZV_OK && !zv_json_is(*root, ZV_JSON_IS_OBJECT)) {
        status = zv_fail_at(err, ZV_E_SYNTAX, (*root)->offset, "%s where an object belongs",
                            zv_json_kind_name(*root));
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    return status;
}

enum zv_status model_map_json(struct model_reader *reader, const char *path,
                              const struct zv_json_value **root, struct zv_error *err)
{
    struct zv_slice bytes = {0};
    const enum zv_status status = model_map(reader, path, &bytes, err);
    return status == ZV_OK ? read_json(reader, path, bytes, root, err) : status;
}

const char *model_path(struct model_reader *reader, const char *folder, struct zv_slice name)
{
    const size_t length = strlen(folder);
    const bool slash = length == 0 || folder[length - 1] == '/';
    return zv_arena_print(reader->arena, "%s%s%.*s", folder, slash ? "" : "/", (int)name.length,
                          name.at);
}

enum zv_status model_total(struct zv_model *model, struct zv_error *err)
{
    model->parameters = 0;
    model->tensor_bytes = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        const uint64_t copies = zv_tensor_copies(tensor);
        uint64_t elements;
        uint64_t bytes;
        if (!zv_mul(tensor->elements, copies, &elements) ||
            !zv_mul(tensor->bytes, copies, &bytes) ||
            !zv_add(model->parameters, elements, &model->parameters) ||
            !zv_add(model->tensor_bytes, bytes, &model->tensor_bytes)) {
            return zv_fail(err, ZV_E_OVERFLOW, "the tensors together exceed 2^64 bytes");
        }
    }
    return ZV_OK;
}

static enum zv_status open_config(struct model_reader *reader, const char *path,
                                  struct zv_error *err)
{
    const struct zv_json_value *root;
    const enum zv_status status = model_map_json(reader, path, &root, err);
    return status == ZV_OK ? model_read_config(reader, path, root, err) : status;
}

enum content { CONTENT_JSON, CONTENT_GGUF, CONTENT_SAFETENSORS, CONTENT_PICKLE };

/* What a file is by its first bytes, whatever its name. Those of a pipe are read only once: it
 * holds a configuration. */
static enum content content_of(const char *path)
{
    unsigned char head[9] = {0};
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const bool regular = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const ssize_t size = regular ? read(fd, head, sizeof head) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (size == (ssize_t)sizeof head && memcmp(head, "GGUF", 4) == 0) {
        return CONTENT_GGUF;
    }
    if (size >= 4 && (memcmp(head, "PK\003\004", 4) == 0 || memcmp(head, "\200\002", 2) == 0)) {
        return CONTENT_PICKLE;
    }
    return size == (ssize_t)sizeof head && head[8] == '{' && head[0] != '{' && head[7] == 0
               ? CONTENT_SAFETENSORS
               : CONTENT_JSON;
}

static enum zv_status open_by_content(struct model_reader *reader, const char *path,
                                      struct zv_error *err)
{
    switch (strcmp(path, "-") == 0 ? CONTENT_JSON : content_of(path)) {
    case CONTENT_GGUF:
        return model_read_gguf(reader, path, err);
    case CONTENT_SAFETENSORS:
        return model_read_weights_file(reader, path, err);
    case CONTENT_PICKLE:
        (void)zv_fail(err, ZV_E_UNSUPPORTED,
                      "a PyTorch pickle, which is not read: name the folder with its config.json");
        return zv_fail_where(err, path);
    case CONTENT_JSON:
        break;
    }
    return open_config(reader, path, err);
}

static enum zv_status open_path(struct model_reader *reader, const char *path, struct zv_error *err)
{
    const struct zv_slice name = zv_slice_of(path);
    struct stat info;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return model_read_folder(reader, path, err);
    }
    if (zv_slice_ends(name, ".gguf")) {
        return model_read_gguf(reader, path, err);
    }
    if (zv_slice_ends(name, ".safetensors")) {
        return model_read_weights_file(reader, path, err);
    }
    if (zv_slice_ends(name, ".safetensors.index.json")) {
        return model_read_index(reader, path, err);
    }
    return open_by_content(reader, path, err);
}

static bool keep_lines(struct model_reader *reader, const struct model_lines *lines,
                       const char *const **to, size_t *count)
{
    const char **const copy = zv_arena_array(reader->arena, lines->count, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, lines->at, lines->count * sizeof *copy);
    *to = copy;
    *count = lines->count;
    return true;
}

static enum zv_status finish(struct model_reader *reader, const char *path, struct zv_error *err)
{
    struct zv_model *const model = reader->model;
    if (model->source == ZV_SOURCE_CONFIG && model->dtype == ZV_DTYPE_UNKNOWN &&
        model->tensor_count != 0) {
        model_note(reader, "config.json names no torch_dtype: sizes are those of float32, which "
                           "PyTorch takes then");
    }
    if (model->source == ZV_SOURCE_CONFIG && reader->draft_layers != 0) {
        model_note(
            reader,
            "published files also hold %llu layer%s of multi-token prediction, not counted from "
            "a config alone",
            (unsigned long long)reader->draft_layers, reader->draft_layers == 1 ? "" : "s");
    }
    const enum zv_status status = model_total(model, err);
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
        return status;
    }
    return keep_lines(reader, &reader->unknown, &model->unknown, &model->unknown_count) &&
                   keep_lines(reader, &reader->notes, &model->notes, &model->note_count)
               ? ZV_OK
               : zv_fail_memory(err, "notes");
}

enum zv_status zv_model_open(struct zv_model *model, struct zv_model_files **files,
                             const char *path, struct zv_arena *arena, struct zv_error *err)
{
    *model = (struct zv_model){0};
    *files = zv_memory_alloc(sizeof **files);
    if (*files == NULL) {
        return zv_fail_memory(err, "a model");
    }
    **files = (struct zv_model_files){0};
    struct model_reader reader = {.model = model, .files = *files, .arena = arena, .given = path};
    enum zv_status status = tensor_parts_open(&reader.parts, arena, err);
    if (status == ZV_OK) {
        status = open_path(&reader, path, err);
    }
    if (status == ZV_OK) {
        status = finish(&reader, path, err);
    }
    tensor_parts_close(&reader.parts);
    if (status != ZV_OK) {
        zv_model_close(*files);
        *files = NULL;
        *model = (struct zv_model){0};
    }
    return status;
}

enum zv_status zv_model_read_text(struct zv_model *model, const char *name, struct zv_slice text,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct model_reader reader = {.model = model, .arena = arena};
    const struct zv_json_value *root = NULL;
    *model = (struct zv_model){0};
    enum zv_status status = tensor_parts_open(&reader.parts, arena, err);
    if (status == ZV_OK) {
        status = read_json(&reader, name, text, &root, err);
    }
    if (status == ZV_OK) {
        status = model_read_config(&reader, name, root, err);
    }
    if (status == ZV_OK) {
        status = finish(&reader, name, err);
    }
    tensor_parts_close(&reader.parts);
    if (status != ZV_OK) {
        *model = (struct zv_model){0};
    }
    return status;
}

void zv_model_close(struct zv_model_files *files)
{
    if (files == NULL) {
        return;
    }
    for (size_t i = 0; i < files->count; i++) {
        zv_file_close(&files->at[i]);
    }
    zv_memory_free(files->at);
    zv_memory_free(files);
}

const char *zv_part_name(enum zv_part part)
{
    static const char *const names[ZV_PART_COUNT] = {
        [ZV_PART_OTHER] = "other",
        [ZV_PART_EMBEDDING] = "token embedding",
        [ZV_PART_POSITION] = "position embedding",
        [ZV_PART_HEAD] = "output projection",
        [ZV_PART_NORM] = "norms",
        [ZV_PART_ATTENTION] = "attention",
        [ZV_PART_MLP] = "MLP",
        [ZV_PART_ROUTER] = "expert router",
        [ZV_PART_EXPERT] = "routed experts",
        [ZV_PART_SHARED_EXPERT] = "shared experts",
        [ZV_PART_STATE] = "state mixers",
        [ZV_PART_ENCODER] = "encoder",
        [ZV_PART_VISION] = "vision or audio tower",
        [ZV_PART_PROJECTOR] = "projector",
        [ZV_PART_ADAPTER] = "adapter",
        [ZV_PART_DRAFT] = "multi-token prediction",
        [ZV_PART_DENOISER] = "denoiser",
        [ZV_PART_VAE] = "VAE",
    };
    return (unsigned)part < ZV_PART_COUNT ? names[part] : "unknown";
}
