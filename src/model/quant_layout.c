/* The tensors of each scheme for one weight. Sources: docs/FORMULAS.md, "Quantised weights". */
#include "model/quant_layout.h"

#include <stdio.h>

#include "base/checked.h"

enum { BNB_BLOCK = 64, BNB_NESTED_BLOCK = 256 };

/* count matrices of a by b: two dimensions, or three for fused experts. */
static void put2(struct quant_writer *writer, const char *ending, enum zv_dtype dtype, bool weight,
                 const uint64_t shape[3])
{
    const bool fused = shape[0] != 1;
    quant_put(writer, ending, dtype, weight, fused ? 3 : 2, fused ? shape : shape + 1);
}

/* The state that bitsandbytes saves beside a weight: JSON text whose length depends on the shape.
 */
static uint64_t state_bytes(const struct quant_writer *writer, const struct quant_matrix *matrix)
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

static void bnb4(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t values = writer->from->elements;
    const uint64_t blocks = zv_ceil_div(values, BNB_BLOCK);
    const uint64_t packed[2] = {zv_ceil_div(values, 2), 1};
    const bool nested = writer->quant->double_quant;
    quant_put(writer, ".weight", ZV_DTYPE_U8, true, 2, packed);
    quant_put1(writer, ".weight.absmax", nested ? ZV_DTYPE_U8 : ZV_DTYPE_F32, blocks);
    quant_put1(writer, ".weight.quant_map", ZV_DTYPE_F32, 16);
    if (nested) {
        quant_put1(writer, ".weight.nested_absmax", ZV_DTYPE_F32,
                   zv_ceil_div(blocks, BNB_NESTED_BLOCK));
        quant_put1(writer, ".weight.nested_quant_map", ZV_DTYPE_F32, 256);
    }
    const bool fp4 = zv_slice_equal(writer->quant->name, "fp4");
    quant_put1(writer,
               fp4 ? ".weight.quant_state.bitsandbytes__fp4"
                   : ".weight.quant_state.bitsandbytes__nf4",
               ZV_DTYPE_U8, state_bytes(writer, matrix));
}

static void bnb8(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    quant_put(writer, ".weight", ZV_DTYPE_I8, true, writer->from->dims, writer->from->shape);
    quant_put1(writer, ".SCB", ZV_DTYPE_F32, matrix->rows);
    quant_put(writer, ".weight_format", ZV_DTYPE_U8, false, 0, NULL);
}

static uint64_t groups_of(const struct quant_writer *writer, const struct quant_matrix *matrix)
{
    return writer->quant->group == 0 ? 1 : zv_ceil_div(matrix->columns, writer->quant->group);
}

static void gptq(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t bits = writer->quant->bits;
    const uint64_t groups = groups_of(writer, matrix);
    const uint64_t packed[3] = {1, matrix->columns / 32 * bits, matrix->rows};
    const uint64_t zeros[3] = {1, groups, matrix->rows / 32 * bits};
    const uint64_t scales[3] = {1, groups, matrix->rows};
    put2(writer, ".qweight", ZV_DTYPE_I32, true, packed);
    put2(writer, ".qzeros", ZV_DTYPE_I32, false, zeros);
    put2(writer, ".scales", ZV_DTYPE_F16, false, scales);
    quant_put1(writer, ".g_idx", ZV_DTYPE_I32, matrix->columns);
}

static void awq(struct quant_writer *writer, const struct quant_matrix *matrix)
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

static void scale(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t channel[3] = {matrix->count, matrix->rows, 1};
    const enum zv_dtype dtype =
        writer->quant->layout == ZV_LAYOUT_COMPRESSED ? writer->dtype : ZV_DTYPE_F32;
    if (writer->quant->per_channel) {
        put2(writer, ".weight_scale", dtype, false, channel);
    } else if (writer->quant->layout == ZV_LAYOUT_MODELOPT) {
        quant_put(writer, ".weight_scale", dtype, false, 0, NULL);
    } else {
        quant_put1(writer, ".weight_scale", dtype, matrix->count);
    }
    if (writer->quant->static_input) {
        quant_put(writer, ".input_scale", dtype, false, writer->quant->layout != ZV_LAYOUT_MODELOPT,
                  &matrix->count);
    }
}

static void fp8(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const struct zv_quant *const quant = writer->quant;
    quant_put(writer, ".weight", ZV_DTYPE_F8_E4M3, true, writer->from->dims, writer->from->shape);
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

static void integer(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const struct zv_quant *const quant = writer->quant;
    const uint64_t groups = groups_of(writer, matrix);
    if (quant->bits == 8 && quant->group == 0) {
        quant_put(writer, ".weight", ZV_DTYPE_I8, true, writer->from->dims, writer->from->shape);
        scale(writer, matrix);
        return;
    }
    const uint64_t packed[3] = {matrix->count, matrix->rows, matrix->columns / 32 * quant->bits};
    const uint64_t scales[3] = {matrix->count, matrix->rows, groups};
    const uint64_t zeros[3] = {matrix->count, matrix->rows / 32 * quant->bits, groups};
    put2(writer, ".weight_packed", ZV_DTYPE_I32, true, packed);
    put2(writer, ".weight_scale", writer->dtype, false, scales);
    quant_put1(writer, ".weight_shape", ZV_DTYPE_I64, 2);
    if (quant->zero_point) {
        put2(writer, ".weight_zero_point", ZV_DTYPE_I32, false, zeros);
    }
    if (quant->act_order) {
        quant_put1(writer, ".weight_g_idx", ZV_DTYPE_I32, matrix->columns);
    }
}

static void nvfp4(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t packed[3] = {matrix->count, matrix->rows, matrix->columns / 2};
    const uint64_t scales[3] = {matrix->count, matrix->rows, matrix->columns / 16};
    if (writer->quant->layout == ZV_LAYOUT_MODELOPT) {
        put2(writer, ".weight", ZV_DTYPE_U8, true, packed);
        put2(writer, ".weight_scale", ZV_DTYPE_F8_E4M3, false, scales);
        quant_put(writer, ".weight_scale_2", ZV_DTYPE_F32, false, 0, NULL);
        quant_put(writer, ".input_scale", ZV_DTYPE_F32, false, 0, NULL);
        return;
    }
    put2(writer, ".weight_packed", ZV_DTYPE_U8, true, packed);
    put2(writer, ".weight_scale", ZV_DTYPE_F8_E4M3, false, scales);
    quant_put1(writer, ".weight_global_scale", ZV_DTYPE_F32, matrix->count);
    if (writer->quant->static_input) {
        quant_put1(writer, ".input_global_scale", ZV_DTYPE_F32, matrix->count);
    }
}

static void mxfp4(struct quant_writer *writer, const struct quant_matrix *matrix)
{
    const uint64_t blocks = matrix->columns / 32;
    const bool fused = writer->from->dims == 3;
    if (fused) {
        const uint64_t packed[4] = {matrix->count, matrix->rows, blocks, 16};
        quant_put(writer, "_blocks", ZV_DTYPE_U8, true, 4, packed);
        quant_put(writer, "_scales", ZV_DTYPE_U8, false, 3, packed);
        return;
    }
    const uint64_t packed[3] = {1, matrix->rows, matrix->columns / 2};
    const uint64_t scales[3] = {1, matrix->rows, blocks};
    put2(writer, ".weight_packed", ZV_DTYPE_U8, true, packed);
    put2(writer, ".weight_scale", ZV_DTYPE_U8, false, scales);
}

bool quant_divides(const struct zv_quant *quant, const struct quant_matrix *matrix)
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

void quant_write(struct quant_writer *writer, const struct quant_matrix *matrix)
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
