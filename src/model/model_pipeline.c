/*
 * A diffusers pipeline: model_index.json names the parts, each is a model of its own in a folder.
 * All weights together are one model without a cache; names get the part's name in front.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "model/family_model.h"
#include "model/model_reader.h"

enum { PARTS_LIMIT = 32 };

struct pipeline {
    struct model_reader *reader;
    const char *folder;
    struct zv_model parts[PARTS_LIMIT];
    struct zv_slice names[PARTS_LIMIT];
    size_t count;
    size_t tensors;
};

static enum zv_part part_of(struct zv_slice name, enum zv_part own)
{
    if (zv_slice_starts(name, "unet") || zv_slice_starts(name, "transformer") ||
        zv_slice_starts(name, "prior") || zv_slice_starts(name, "controlnet")) {
        return ZV_PART_DENOISER;
    }
    if (zv_slice_starts(name, "vae") || zv_slice_starts(name, "vqvae") ||
        zv_slice_starts(name, "movq")) {
        return ZV_PART_VAE;
    }
    if (zv_slice_starts(name, "text_encoder")) {
        return ZV_PART_ENCODER;
    }
    return zv_slice_starts(name, "image_encoder") ? ZV_PART_VISION : own;
}

/* A part with weights: ["library", "Class"], neither null, and a folder with a config or tensors.
 */
static bool is_part(struct model_reader *reader, const char *folder,
                    const struct zv_json_value *item, const char **path)
{
    struct stat info;
    if (!zv_json_is(item, ZV_JSON_IS_ARRAY) ||
        !zv_json_is(zv_json_item(item, 1), ZV_JSON_IS_STRING) ||
        memchr(item->key.at, '/', item->key.length) != NULL || zv_slice_equal(item->key, "..")) {
        return false;
    }
    *path = model_path(reader, folder, item->key);
    const char *const config =
        *path != NULL ? model_path(reader, *path, zv_slice_of("config.json")) : NULL;
    return config != NULL && stat(config, &info) == 0;
}

static enum zv_status read_part(struct pipeline *pipeline, const struct zv_json_value *item,
                                const char *path, struct zv_error *err)
{
    struct model_reader *const whole = pipeline->reader;
    struct zv_model *const model = &pipeline->parts[pipeline->count];
    struct model_reader reader = {
        .model = model, .files = whole->files, .arena = whole->arena, .parts = whole->parts};
    const enum zv_status status = model_read_folder(&reader, path, err);
    whole->parts = reader.parts; /* it remembers names */
    for (size_t i = 0; status == ZV_OK && i < reader.notes.count; i++) {
        model_note(whole, "%.*s: %s", (int)item->key.length, item->key.at, reader.notes.at[i]);
    }
    if (status == ZV_OK && model->tensor_count != 0 && model->source == ZV_SOURCE_CONFIG &&
        model->dtype == ZV_DTYPE_UNKNOWN) {
        model_note(whole, "%.*s: its config names no element type: sizes are those of float32",
                   (int)item->key.length, item->key.at);
    }
    if (status == ZV_OK && model->tensor_count == 0) {
        model_unknown(whole, "weights of %.*s: no table serves \"%.*s\" and there are no tensors",
                      (int)item->key.length, item->key.at, (int)model->family.length,
                      model->family.at);
    }
    if (status == ZV_OK) {
        pipeline->names[pipeline->count++] = item->key;
        pipeline->tensors += model->tensor_count;
    }
    return status;
}

static enum zv_status read_parts(struct pipeline *pipeline, const struct zv_json_value *index,
                                 struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < zv_json_count(index); i++) {
        const struct zv_json_value *const item = zv_json_item(index, i);
        const char *path;
        if (!is_part(pipeline->reader, pipeline->folder, item, &path)) {
            continue;
        }
        if (pipeline->count == PARTS_LIMIT) {
            return zv_fail(err, ZV_E_LIMIT, "a pipeline of more than %d parts", PARTS_LIMIT);
        }
        status = read_part(pipeline, item, path, err);
    }
    return status;
}

static enum zv_status join(struct pipeline *pipeline, struct zv_error *err)
{
    struct model_reader *const reader = pipeline->reader;
    if (pipeline->tensors > MODEL_MAX_TENSORS) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
    }
    struct zv_tensor *const tensors =
        zv_arena_array(reader->arena, pipeline->tensors, sizeof *tensors);
    if (tensors == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    size_t at = 0;
    for (size_t i = 0; i < pipeline->count; i++) {
        const struct zv_model *const part = &pipeline->parts[i];
        const struct zv_slice name = pipeline->names[i];
        for (size_t t = 0; t < part->tensor_count; t++) {
            struct zv_tensor *const tensor = &tensors[at++];
            *tensor = part->tensors[t];
            const char *const whole =
                zv_arena_print(reader->arena, "%.*s.%.*s", (int)name.length, name.at,
                               (int)tensor->name.length, tensor->name.at);
            if (whole == NULL) {
                return zv_fail_memory(err, "tensor names");
            }
            tensor->name = zv_slice_of(whole);
            tensor->number_at = (uint16_t)(tensor->number_at + name.length + 1);
            tensor->part = part_of(name, tensor->part);
            tensor->layer = -1;
            tensor->split = ZV_SPLIT_NONE;
        }
    }
    reader->model->tensors = tensors;
    reader->model->tensor_count = at;
    return ZV_OK;
}

/* Of the denoiser its type and width, of the largest text encoder its layers. */
static void take_facts(struct pipeline *pipeline)
{
    struct zv_model *const model = pipeline->reader->model;
    size_t largest = 0;
    for (size_t i = 0; i < pipeline->count; i++) {
        const struct zv_model *const part = &pipeline->parts[i];
        model->file_bytes += part->file_bytes;
        if (part->source == ZV_SOURCE_SAFETENSORS) {
            model->source = ZV_SOURCE_SAFETENSORS;
        }
        if (part_of(pipeline->names[i], ZV_PART_OTHER) == ZV_PART_DENOISER) {
            model->hidden = part->hidden;
            model->dtype = part->dtype;
        }
        if (part_of(pipeline->names[i], ZV_PART_OTHER) == ZV_PART_ENCODER &&
            part->layer_count * part->hidden > largest) {
            largest = part->layer_count * part->hidden;
            model->encoder_layers = part->layers;
            model->encoder_layer_count = part->layer_count;
            model->encoder_hidden = part->hidden;
            model->max_source = part->max_context;
        }
    }
}

enum zv_status model_read_pipeline(struct model_reader *reader, const char *folder,
                                   struct zv_error *err)
{
    const char *const path = model_path(reader, folder, zv_slice_of("model_index.json"));
    struct pipeline *const pipeline = zv_arena_alloc(reader->arena, sizeof *pipeline);
    const struct zv_json_value *index;
    if (path == NULL || pipeline == NULL) {
        return zv_fail_memory(err, "a pipeline");
    }
    enum zv_status status = model_map_json(reader, path, &index, err);
    if (status != ZV_OK) {
        return status;
    }
    struct zv_model *const model = reader->model;
    (void)zv_json_string(zv_json_find(index, "_class_name"), &model->family);
    model->name = model->family;
    *pipeline = (struct pipeline){.reader = reader, .folder = folder};
    status = read_parts(pipeline, index, err);
    if (status == ZV_OK && pipeline->count == 0) {
        status = zv_fail(err, ZV_E_NOT_FOUND, "a pipeline none of whose parts is there");
    }
    if (status == ZV_OK) {
        status = join(pipeline, err);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
        return status;
    }
    model->diffusion = true;
    model->family_known = reader->unknown.count == 0;
    take_facts(pipeline);
    model_unknown(reader, "activations: they depend on the resolution, the steps' batch and the "
                          "attention in use");
    return ZV_OK;
}
