/*
 * From full precision to a scheme: each linear weight becomes the tensors that a checkpoint of the
 * scheme holds for it (quant_layout.c).
 */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "model/family_model.h"
#include "model/model_reader.h"
#include "model/quant_layout.h"

enum { MOST_OUTPUTS = 8, POOL_BYTES = 64 * 1024 };

/* stem and ending, many names in one block. */
static bool spell(struct quant_writer *writer, struct zv_slice stem, const char *ending,
                  struct zv_slice *to)
{
    const size_t tail = strlen(ending);
    const size_t length = stem.length + tail;
    if (writer->pool_left < length) {
        const size_t block = length > POOL_BYTES ? length : POOL_BYTES;
        writer->pool = zv_arena_alloc(writer->arena, block);
        writer->pool_left = writer->pool != NULL ? block : 0;
    }
    if (writer->pool == NULL) {
        return false;
    }
    memcpy(writer->pool, stem.at, stem.length);
    memcpy(writer->pool + stem.length, ending, tail);
    *to = (struct zv_slice){writer->pool, length};
    writer->pool += length;
    writer->pool_left -= length;
    return true;
}

void quant_put(struct quant_writer *writer, const char *ending, enum zv_dtype dtype, bool weight,
               uint8_t dims, const uint64_t *shape)
{
    writer->total += zv_tensor_copies(writer->from);
    if (writer->tensors == NULL) {
        writer->count++;
        return;
    }
    struct zv_tensor *const tensor = &writer->tensors[writer->count++];
    struct zv_slice stem = writer->from->name;
    if (zv_slice_ends(stem, ".weight")) {
        stem.length -= sizeof ".weight" - 1;
    }
    *tensor = *writer->from;
    const bool named = spell(writer, stem, ending, &tensor->name);
    tensor->dtype = dtype;
    tensor->dims = dims;
    uint64_t stored = 1;
    bool fits = named;
    memset(tensor->shape, 0, sizeof tensor->shape);
    for (uint8_t i = 0; i < dims; i++) {
        fits = fits && zv_mul(stored, shape[i], &stored);
    }
    if (weight) { /* its logical shape, whatever it is packed into */
        tensor->dims = writer->from->dims;
        memcpy(tensor->shape, writer->from->shape, sizeof tensor->shape);
    } else if (dims != 0) {
        memcpy(tensor->shape, shape, dims * sizeof *shape);
    }
    fits = fits && zv_dtype_bytes(dtype, stored, &tensor->bytes);
    tensor->metadata = !weight;
    tensor->linear = weight;
    tensor->elements = weight ? writer->from->elements : 0;
    writer->failed = writer->failed || !fits;
}

void quant_put1(struct quant_writer *writer, const char *ending, enum zv_dtype dtype, uint64_t a)
{
    quant_put(writer, ending, dtype, false, 1, &a);
}

/* The scales of a quantised cache stand beside the key projection. */
static void write_kv_scales(struct quant_writer *writer)
{
    static const char ending[] = ".k_proj.weight";
    struct zv_tensor beside = *writer->from;
    if (!writer->quant->kv_scales || !zv_slice_ends(beside.name, ending)) {
        return;
    }
    beside.name.length -= sizeof ending - 1;
    const struct zv_tensor *const weight = writer->from;
    writer->from = &beside;
    quant_put1(writer, ".k_scale", writer->dtype, 1);
    quant_put1(writer, ".v_scale", writer->dtype, 1);
    writer->from = weight;
}

static void write_one(struct quant_writer *writer, const struct zv_tensor *from)
{
    struct quant_matrix matrix;
    writer->from = from;
    const bool taken = quant_takes(&writer->selector, from, &matrix);
    if (taken && quant_divides(writer->quant, &matrix)) {
        quant_write(writer, &matrix);
        write_kv_scales(writer);
        return;
    }
    writer->unfit += taken ? zv_tensor_copies(from) : 0;
    writer->total += zv_tensor_copies(from);
    if (writer->tensors != NULL) {
        writer->tensors[writer->count] = *from;
    }
    writer->count++;
}

/* Experts that the scheme's list does not treat alike are written one by one. */
static void write_tensor(struct quant_writer *writer, const struct zv_tensor *from)
{
    if (quant_takes_alike(&writer->selector, from)) {
        write_one(writer, from);
        return;
    }
    for (uint32_t copy = 0; copy <= from->more && writer->total <= MODEL_MAX_TENSORS; copy++) {
        char name[ZV_TENSOR_NAME];
        struct zv_tensor one = zv_tensor_copy(from, copy, name);
        const bool kept = writer->tensors == NULL || spell(writer, one.name, "", &one.name);
        writer->failed = writer->failed || !kept;
        write_one(writer, &one);
    }
    writer->from = from;
}

static enum zv_status write_all(struct quant_writer *writer, const struct zv_model *from)
{
    for (size_t i = 0; i < from->tensor_count; i++) {
        write_tensor(writer, &from->tensors[i]);
        if (writer->total > MODEL_MAX_TENSORS) {
            return zv_fail(writer->err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
        }
    }
    const size_t count = writer->count;
    writer->tensors = zv_arena_array(writer->arena, count + MOST_OUTPUTS, sizeof *writer->tensors);
    if (writer->tensors == NULL) {
        return zv_fail_memory(writer->err, "quantised tensors");
    }
    writer->count = 0;
    writer->total = 0;
    writer->unfit = 0;
    for (size_t i = 0; i < from->tensor_count; i++) {
        write_tensor(writer, &from->tensors[i]);
    }
    return writer->failed ? zv_fail(writer->err, ZV_E_OVERFLOW,
                                    "the quantised tensors exceed 2^64 bytes or the host's memory")
                          : ZV_OK;
}

static enum zv_status check(const struct zv_model *from, const struct zv_quant *quant,
                            struct zv_error *err)
{
    if (from->tensor_count == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "the model's tensors are not known");
    }
    if (from->quant.method != ZV_QUANT_NONE) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "the model is quantised already");
    }
    if (quant->method == ZV_QUANT_NONE || quant->method == ZV_QUANT_UNKNOWN ||
        ((quant->method == ZV_QUANT_GPTQ || quant->method == ZV_QUANT_AWQ ||
          quant->method == ZV_QUANT_INT) &&
         (quant->bits == 0 || quant->bits > 8))) {
        return zv_fail(err, ZV_E_UNSUPPORTED, "\"%.*s\" is no scheme whose sizes are known",
                       (int)quant->name.length, quant->name.at);
    }
    for (size_t i = 0; i < from->tensor_count; i++) {
        if (from->tensors[i].metadata || from->tensors[i].dtype >= ZV_DTYPE_GGML) {
            return zv_fail(err, ZV_E_UNSUPPORTED, "the model is quantised already (%.*s)",
                           (int)from->tensors[i].name.length, from->tensors[i].name.at);
        }
    }
    return ZV_OK;
}

/* One more note behind those of the model. */
static bool add_note(struct zv_model *model, struct zv_arena *arena, const char *note)
{
    const char **const notes = zv_arena_array(arena, model->note_count + 1, sizeof *notes);
    if (notes == NULL || note == NULL) {
        return false;
    }
    if (model->note_count != 0) {
        memcpy(notes, model->notes, model->note_count * sizeof *notes);
    }
    notes[model->note_count++] = note;
    model->notes = notes;
    return true;
}

enum zv_status zv_model_requantize(struct zv_model *to, const struct zv_model *from,
                                   const struct zv_quant *quant, struct zv_arena *arena,
                                   struct zv_error *err)
{
    enum zv_status status = check(from, quant, err);
    if (status != ZV_OK) {
        return status;
    }
    struct quant_writer writer = {
        .quant = quant,
        .dtype = from->dtype != ZV_DTYPE_UNKNOWN ? from->dtype : ZV_DTYPE_F16,
        .arena = arena,
        .err = err,
    };
    status = quant_select_open(&writer.selector, quant, (size_t)zv_model_tensors(from), arena, err);
    if (status == ZV_OK) {
        status = write_all(&writer, from);
    }
    quant_select_close(&writer.selector);
    if (status != ZV_OK) {
        return status;
    }
    *to = *from;
    to->tensors = writer.tensors;
    to->tensor_count = writer.count;
    to->quant = *quant;
    if (writer.unfit != 0 &&
        !add_note(to, arena,
                  zv_arena_print(
                      arena, "%llu weights stay in their type: %.*s does not divide them",
                      (unsigned long long)writer.unfit, (int)quant->name.length, quant->name.at))) {
        return zv_fail_memory(err, "notes");
    }
    return model_total(to, err);
}
