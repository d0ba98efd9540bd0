/*
 * From full precision to a scheme: each linear weight becomes the tensors that a checkpoint of the
 * scheme holds for it. Layouts: docs/FORMULAS.md, "Quantised weights".
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "model/family_model.h"
#include "model/model_reader.h"
#include "model/quant_select.h"

enum { BNB_BLOCK = 64, BNB_NESTED_BLOCK = 256, MOST_OUTPUTS = 8, POOL_BYTES = 64 * 1024 };

struct writer {
    const struct zv_quant *quant;
    struct quant_selector selector;
    enum zv_dtype dtype; /* of scales that take the model's */
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_tensor *tensors; /* NULL while counting */
    size_t count;
    uint64_t total; /* what they stand for */
    uint64_t unfit; /* weights whose width the group does not divide */
    const struct zv_tensor *from;
    char *pool; /* names */
    size_t pool_left;
    bool failed;
};

/* stem and ending, many names in one block. */
static bool spell(struct writer *writer, struct zv_slice stem, const char *ending,
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

/* One tensor of the scheme: stem + ending, shape of dims. A weight keeps the values, others none.
 */
static void put(struct writer *writer, const char *ending, enum zv_dtype dtype, bool weight,
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

static void put1(struct writer *writer, const char *ending, enum zv_dtype dtype, uint64_t a)
{
    put(writer, ending, dtype, false, 1, &a);
}

/* count matrices of a by b: two dimensions, or three for fused experts. */
static void put2(struct writer *writer, const char *ending, enum zv_dtype dtype, bool weight,
                 const uint64_t shape[3])
{
    const bool fused = shape[0] != 1;
    put(writer, ending, dtype, weight, fused ? 3 : 2, fused ? shape : shape + 1);
}

/* The state that bitsandbytes saves beside a weight: JSON text whose length depends on the shape.
 */
static uint64_t state_bytes(const struct writer *writer, const struct quant_matrix *matrix)
{
    static const char form[] =
        "{\"quant_type\": \"nf4\", \"blocksize\": 64, \"dtype\": \"%s\", \"shape\": [%llu, %llu]}";
    static const char nested[] =
        ", \"nested_blocksize\": 256, \"nested_dtype\": \"float32\", \"nested_offset\": ";
    const char *const dtype = writer->dtype == ZV_DTYPE_F16    ? "float16"
                              : writer->dtype == ZV_DTYPE_BF16 ? "bfloat16"
                                                               : "float32";
    char text[256];
    const int length = snprintf(text, sizeof text, form, dtype, (unsigned long long)matrix->rows,
                                (unsigned long long)matrix->columns);
    const uint64_t offset_digits = 19; /* of a double's usual text */
    return (uint64_t)length + (writer->quant->double_quant ? sizeof nested - 1 + offset_digits : 0);
}

static void bnb4(struct writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t values = writer->from->elements;
    const uint64_t blocks = zv_ceil_div(values, BNB_BLOCK);
    const uint64_t packed[2] = {zv_ceil_div(values, 2), 1};
    const bool nested = writer->quant->double_quant;
    put(writer, ".weight", ZV_DTYPE_U8, true, 2, packed);
    put1(writer, ".weight.absmax", nested ? ZV_DTYPE_U8 : ZV_DTYPE_F32, blocks);
    put1(writer, ".weight.quant_map", ZV_DTYPE_F32, 16);
    if (nested) {
        put1(writer, ".weight.nested_absmax", ZV_DTYPE_F32, zv_ceil_div(blocks, BNB_NESTED_BLOCK));
        put1(writer, ".weight.nested_quant_map", ZV_DTYPE_F32, 256);
    }
    const bool fp4 = zv_slice_equal(writer->quant->name, "fp4");
    put1(writer,
         fp4 ? ".weight.quant_state.bitsandbytes__fp4" : ".weight.quant_state.bitsandbytes__nf4",
         ZV_DTYPE_U8, state_bytes(writer, matrix));
}

static void bnb8(struct writer *writer, const struct quant_matrix *matrix)
{
    put(writer, ".weight", ZV_DTYPE_I8, true, writer->from->dims, writer->from->shape);
    put1(writer, ".SCB", ZV_DTYPE_F32, matrix->rows);
    put(writer, ".weight_format", ZV_DTYPE_U8, false, 0, NULL);
}

static uint64_t groups_of(const struct writer *writer, const struct quant_matrix *matrix)
{
    return writer->quant->group == 0 ? 1 : zv_ceil_div(matrix->columns, writer->quant->group);
}

static void gptq(struct writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t bits = writer->quant->bits;
    const uint64_t groups = groups_of(writer, matrix);
    const uint64_t packed[3] = {1, matrix->columns / 32 * bits, matrix->rows};
    const uint64_t zeros[3] = {1, groups, matrix->rows / 32 * bits};
    const uint64_t scales[3] = {1, groups, matrix->rows};
    put2(writer, ".qweight", ZV_DTYPE_I32, true, packed);
    put2(writer, ".qzeros", ZV_DTYPE_I32, false, zeros);
    put2(writer, ".scales", ZV_DTYPE_F16, false, scales);
    put1(writer, ".g_idx", ZV_DTYPE_I32, matrix->columns);
}

static void awq(struct writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t bits = writer->quant->bits;
    const uint64_t groups = groups_of(writer, matrix);
    const uint64_t packed[3] = {1, matrix->columns, matrix->rows / 32 * bits};
    const uint64_t zeros[3] = {1, groups, matrix->rows / 32 * bits};
    const uint64_t scales[3] = {1, groups, matrix->rows};
    put2(writer, ".qweight", ZV_DTYPE_I32, true, packed);
    put2(writer, ".qzeros", ZV_DTYPE_I32, false, zeros);
    put2(writer, ".scales", ZV_DTYPE_F16, false, scales);
}

static void scale(struct writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t channel[3] = {matrix->count, matrix->rows, 1};
    const enum zv_dtype dtype =
        writer->quant->layout == ZV_LAYOUT_COMPRESSED ? writer->dtype : ZV_DTYPE_F32;
    if (writer->quant->per_channel) {
        put2(writer, ".weight_scale", dtype, false, channel);
    } else if (writer->quant->layout == ZV_LAYOUT_MODELOPT) {
        put(writer, ".weight_scale", dtype, false, 0, NULL);
    } else {
        put1(writer, ".weight_scale", dtype, matrix->count);
    }
    if (writer->quant->static_input) {
        put(writer, ".input_scale", dtype, false, writer->quant->layout != ZV_LAYOUT_MODELOPT,
            &matrix->count);
    }
}

static void fp8(struct writer *writer, const struct quant_matrix *matrix)
{
    const struct zv_quant *const quant = writer->quant;
    put(writer, ".weight", ZV_DTYPE_F8_E4M3, true, writer->from->dims, writer->from->shape);
    if (quant->block_rows != 0) {
        const uint64_t blocks[3] = {matrix->count, zv_ceil_div(matrix->rows, quant->block_rows),
                                    zv_ceil_div(matrix->columns, quant->block_columns)};
        const bool compressed = quant->layout == ZV_LAYOUT_COMPRESSED;
        put2(writer, compressed ? ".weight_scale" : ".weight_scale_inv",
             compressed ? writer->dtype : ZV_DTYPE_F32, false, blocks);
        return;
    }
    scale(writer, matrix);
}

static void integer(struct writer *writer, const struct quant_matrix *matrix)
{
    const struct zv_quant *const quant = writer->quant;
    const uint64_t groups = groups_of(writer, matrix);
    if (quant->bits == 8 && quant->group == 0) {
        put(writer, ".weight", ZV_DTYPE_I8, true, writer->from->dims, writer->from->shape);
        scale(writer, matrix);
        return;
    }
    const uint64_t packed[3] = {matrix->count, matrix->rows, matrix->columns / 32 * quant->bits};
    const uint64_t scales[3] = {matrix->count, matrix->rows, groups};
    const uint64_t zeros[3] = {matrix->count, matrix->rows / 32 * quant->bits, groups};
    put2(writer, ".weight_packed", ZV_DTYPE_I32, true, packed);
    put2(writer, ".weight_scale", writer->dtype, false, scales);
    put1(writer, ".weight_shape", ZV_DTYPE_I64, 2);
    if (quant->zero_point) {
        put2(writer, ".weight_zero_point", ZV_DTYPE_I32, false, zeros);
    }
    if (quant->act_order) {
        put1(writer, ".weight_g_idx", ZV_DTYPE_I32, matrix->columns);
    }
}

static void nvfp4(struct writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t packed[3] = {matrix->count, matrix->rows, matrix->columns / 2};
    const uint64_t scales[3] = {matrix->count, matrix->rows, matrix->columns / 16};
    if (writer->quant->layout == ZV_LAYOUT_MODELOPT) {
        put2(writer, ".weight", ZV_DTYPE_U8, true, packed);
        put2(writer, ".weight_scale", ZV_DTYPE_F8_E4M3, false, scales);
        put(writer, ".weight_scale_2", ZV_DTYPE_F32, false, 0, NULL);
        put(writer, ".input_scale", ZV_DTYPE_F32, false, 0, NULL);
        return;
    }
    put2(writer, ".weight_packed", ZV_DTYPE_U8, true, packed);
    put2(writer, ".weight_scale", ZV_DTYPE_F8_E4M3, false, scales);
    put1(writer, ".weight_global_scale", ZV_DTYPE_F32, matrix->count);
    if (writer->quant->static_input) {
        put1(writer, ".input_global_scale", ZV_DTYPE_F32, matrix->count);
    }
}

static void mxfp4(struct writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t blocks = matrix->columns / 32;
    const bool fused = writer->from->dims == 3;
    if (fused) {
        const uint64_t packed[4] = {matrix->count, matrix->rows, blocks, 16};
        put(writer, "_blocks", ZV_DTYPE_U8, true, 4, packed);
        put(writer, "_scales", ZV_DTYPE_U8, false, 3, packed);
        return;
    }
    const uint64_t packed[3] = {1, matrix->rows, matrix->columns / 2};
    const uint64_t scales[3] = {1, matrix->rows, blocks};
    put2(writer, ".weight_packed", ZV_DTYPE_U8, true, packed);
    put2(writer, ".weight_scale", ZV_DTYPE_U8, false, scales);
}

/* Whether the scheme's words and groups divide the matrix. */
static bool divides(const struct zv_quant *quant, const struct quant_matrix *matrix)
{
    const uint64_t group = quant->group != 0 ? quant->group : 1;
    switch (quant->method) {
    case ZV_QUANT_GPTQ:
        return matrix->columns % 32 == 0 && matrix->rows % 32 == 0;
    case ZV_QUANT_AWQ:
        return matrix->rows % 32 == 0 && matrix->columns % group == 0;
    case ZV_QUANT_INT:
        return (quant->bits == 8 && quant->group == 0) ||
               (matrix->columns % 32 == 0 && matrix->columns % group == 0 &&
                (!quant->zero_point || matrix->rows % 32 == 0));
    case ZV_QUANT_MXFP4:
        return matrix->columns % 32 == 0;
    case ZV_QUANT_NVFP4:
        return matrix->columns % 16 == 0;
    case ZV_QUANT_NONE:
    case ZV_QUANT_BNB4:
    case ZV_QUANT_BNB8:
    case ZV_QUANT_FP8:
    case ZV_QUANT_UNKNOWN:
        break;
    }
    return true;
}

static void write_scheme(struct writer *writer, const struct quant_matrix *matrix)
{
    switch (writer->quant->method) {
    case ZV_QUANT_BNB4:
        bnb4(writer, matrix);
        break;
    case ZV_QUANT_BNB8:
        bnb8(writer, matrix);
        break;
    case ZV_QUANT_GPTQ:
        gptq(writer, matrix);
        break;
    case ZV_QUANT_AWQ:
        awq(writer, matrix);
        break;
    case ZV_QUANT_FP8:
        fp8(writer, matrix);
        break;
    case ZV_QUANT_INT:
        integer(writer, matrix);
        break;
    case ZV_QUANT_MXFP4:
        mxfp4(writer, matrix);
        break;
    case ZV_QUANT_NVFP4:
        nvfp4(writer, matrix);
        break;
    case ZV_QUANT_NONE:
    case ZV_QUANT_UNKNOWN:
        break;
    }
}

/* The scales of a quantised cache stand beside the key projection. */
static void write_kv_scales(struct writer *writer)
{
    static const char ending[] = ".k_proj.weight";
    struct zv_tensor beside = *writer->from;
    if (!writer->quant->kv_scales || !zv_slice_ends(beside.name, ending)) {
        return;
    }
    beside.name.length -= sizeof ending - 1;
    const struct zv_tensor *const weight = writer->from;
    writer->from = &beside;
    put1(writer, ".k_scale", writer->dtype, 1);
    put1(writer, ".v_scale", writer->dtype, 1);
    writer->from = weight;
}

static void write_one(struct writer *writer, const struct zv_tensor *from)
{
    struct quant_matrix matrix;
    writer->from = from;
    const bool taken = quant_takes(&writer->selector, from, &matrix);
    if (taken && divides(writer->quant, &matrix)) {
        write_scheme(writer, &matrix);
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
static void write_tensor(struct writer *writer, const struct zv_tensor *from)
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

static enum zv_status write_all(struct writer *writer, const struct zv_model *from)
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
    struct writer writer = {
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
