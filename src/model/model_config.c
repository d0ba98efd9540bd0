#include <string.h>

#include "base/fail.h"
#include "model/family_model.h"
#include "model/model_reader.h"

static struct zv_slice member_text(const struct zv_json_value *object, const char *key)
{
    struct zv_slice text = {0};
    (void)zv_json_string(zv_json_find(object, key), &text);
    return text;
}

/* torch_dtype, which newer files call dtype; of the text model when the file itself has none. */
static enum zv_dtype declared_dtype(const struct zv_json_value *root)
{
    static const char *const inner[] = {"text_config", "llm_config", "thinker_config", "decoder"};
    enum zv_dtype dtype = ZV_DTYPE_UNKNOWN;
    const struct zv_json_value *at = root;
    for (size_t i = 0; dtype == ZV_DTYPE_UNKNOWN && i <= sizeof inner / sizeof *inner; i++) {
        const struct zv_slice old = member_text(at, "torch_dtype");
        const struct zv_slice new = member_text(at, "dtype");
        dtype = old.length != 0   ? zv_dtype_parse(old)
                : new.length != 0 ? zv_dtype_parse(new)
                                  : ZV_DTYPE_UNKNOWN;
        at = i < sizeof inner / sizeof *inner ? zv_json_find(root, inner[i]) : NULL;
    }
    return dtype;
}

/* Without a table: layers only when every usual key is there (data/families/usual.family). */
static enum zv_status read_usual(struct model_reader *reader, struct family_request *request,
                                 struct zv_error *err)
{
    struct zv_model *const model = reader->model;
    const struct zv_slice family = model->family;
    struct zv_error ignored = {0};
    request->model_type = zv_slice_of("usual");
    request->class_name = (struct zv_slice){0};
    request->with_tensors = false;
    struct zv_model usual = *model;
    const enum zv_status status = family_model_build(&usual, request, reader->arena, &ignored);
    if (status == ZV_E_NOMEM || status == ZV_E_LIMIT) {
        if (err != NULL) {
            *err = ignored;
        }
        return status;
    }
    if (status == ZV_OK) {
        usual.family_known = false;
        *model = usual;
        model_note(reader,
                   "no family table serves \"%.*s\": layers are taken from the usual keys of "
                   "config.json, each as full attention",
                   (int)family.length, family.at);
    } else {
        model_unknown(reader,
                      "layers, caches and states: no family table serves \"%.*s\" and the usual "
                      "keys are not all there (%s)",
                      (int)family.length, family.at, ignored.text);
    }
    model_unknown(reader, "weights by config alone: no family table serves \"%.*s\"",
                  (int)family.length, family.at);
    return ZV_OK;
}

static enum zv_status read_family(struct model_reader *reader, const struct zv_json_value *root,
                                  struct zv_error *err)
{
    struct zv_model *const model = reader->model;
    const enum zv_dtype dtype = model->dtype != ZV_DTYPE_UNKNOWN ? model->dtype : ZV_DTYPE_F32;
    struct family_request request = {
        .keys = model_keys_json(root, root),
        .model_type = model->family,
        .dtype = dtype,
        .with_tensors = true,
        .places = &reader->parts,
    };
    (void)zv_json_string(zv_json_item(zv_json_find(root, "architectures"), 0), &request.class_name);
    if (request.class_name.length == 0) { /* a part of a diffusion pipeline */
        request.class_name = member_text(root, "_class_name");
    }
    if (model->family.length == 0 && request.class_name.length == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, root->offset,
                          "neither model_type nor architectures says what the model is");
    }
    if (model->family.length == 0) {
        model->family = request.class_name;
    }
    enum zv_status status = family_model_build(model, &request, reader->arena, err);
    if (status == ZV_OK && !model->family_known) {
        status = read_usual(reader, &request, err);
    }
    return status;
}

/* The calculated tensors as the checkpoint holds them. */
static enum zv_status apply_quant(struct model_reader *reader, const struct zv_quant *quant,
                                  struct zv_error *err)
{
    struct zv_model *const model = reader->model;
    if (model->tensor_count != 0 && quant->method != ZV_QUANT_UNKNOWN) {
        struct zv_model quantised;
        const enum zv_status status =
            zv_model_requantize(&quantised, model, quant, reader->arena, err);
        if (status != ZV_OK) {
            return status;
        }
        for (size_t i = 0; i < quantised.note_count; i++) {
            model_note(reader, "%s", quantised.notes[i]);
        }
        *model = quantised;
    }
    if (quant->method == ZV_QUANT_UNKNOWN) {
        model_unknown(reader, "quantised weights: the scheme \"%.*s\" is not known",
                      (int)quant->name.length, quant->name.at);
    }
    model->quant = *quant;
    return ZV_OK;
}

enum zv_status model_read_config(struct model_reader *reader, const char *path,
                                 const struct zv_json_value *root, struct zv_error *err)
{
    struct zv_model *const model = reader->model;
    model->family = member_text(root, "model_type");
    if (model->name.length == 0) {
        model->name = member_text(root, "_name_or_path");
    }
    model->dtype = declared_dtype(root);
    (void)zv_json_u64(zv_json_find(root, "num_nextn_predict_layers"), &reader->draft_layers);
    enum zv_status status = read_family(reader, root, err);
    struct zv_quant quant = {0};
    if (status == ZV_OK) {
        status = model_read_quant(reader, root, &quant, err);
    }
    if (status == ZV_OK && quant.method != ZV_QUANT_NONE) {
        status = apply_quant(reader, &quant, err);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    return status;
}
