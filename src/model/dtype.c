#include "model/dtype.h"

#include "base/checked.h"
#include "format/gguf_types.h"

struct plain_type {
    enum zv_dtype dtype;
    const char *name;
    uint8_t elements; /* of one block */
    uint8_t bytes;
};

/* F4: two values a byte. */
static const struct plain_type plain_types[] = {
    {ZV_DTYPE_F64, "f64", 1, 8},          {ZV_DTYPE_F32, "f32", 1, 4},
    {ZV_DTYPE_F16, "f16", 1, 2},          {ZV_DTYPE_BF16, "bf16", 1, 2},
    {ZV_DTYPE_F8_E4M3, "fp8_e4m3", 1, 1}, {ZV_DTYPE_F8_E5M2, "fp8_e5m2", 1, 1},
    {ZV_DTYPE_F8_E8M0, "fp8_e8m0", 1, 1}, {ZV_DTYPE_F4, "fp4", 2, 1},
    {ZV_DTYPE_I64, "i64", 1, 8},          {ZV_DTYPE_I32, "i32", 1, 4},
    {ZV_DTYPE_I16, "i16", 1, 2},          {ZV_DTYPE_I8, "i8", 1, 1},
    {ZV_DTYPE_U64, "u64", 1, 8},          {ZV_DTYPE_U32, "u32", 1, 4},
    {ZV_DTYPE_U16, "u16", 1, 2},          {ZV_DTYPE_U8, "u8", 1, 1},
    {ZV_DTYPE_BOOL, "bool", 1, 1},        {ZV_DTYPE_C64, "c64", 1, 8},
};

struct alias {
    const char *name;
    enum zv_dtype dtype;
};

/* Spellings of PyTorch, safetensors, vLLM and people; any case, "torch." taken off before. */
static const struct alias aliases[] = {
    {"float64", ZV_DTYPE_F64},
    {"double", ZV_DTYPE_F64},
    {"float32", ZV_DTYPE_F32},
    {"float", ZV_DTYPE_F32},
    {"fp32", ZV_DTYPE_F32},
    {"float16", ZV_DTYPE_F16},
    {"half", ZV_DTYPE_F16},
    {"fp16", ZV_DTYPE_F16},
    {"bfloat16", ZV_DTYPE_BF16},
    {"float8_e4m3fn", ZV_DTYPE_F8_E4M3},
    {"float8_e4m3", ZV_DTYPE_F8_E4M3},
    {"float8_e4m3fnuz", ZV_DTYPE_F8_E4M3},
    {"f8_e4m3", ZV_DTYPE_F8_E4M3},
    {"f8_e4m3fnuz", ZV_DTYPE_F8_E4M3},
    {"fp8_e4m3fn", ZV_DTYPE_F8_E4M3},
    {"fp8", ZV_DTYPE_F8_E4M3},
    {"f8", ZV_DTYPE_F8_E4M3},
    {"float8", ZV_DTYPE_F8_E4M3},
    {"float8_e5m2", ZV_DTYPE_F8_E5M2},
    {"f8_e5m2", ZV_DTYPE_F8_E5M2},
    {"f8_e5m2fnuz", ZV_DTYPE_F8_E5M2},
    {"float8_e8m0fnu", ZV_DTYPE_F8_E8M0},
    {"f8_e8m0", ZV_DTYPE_F8_E8M0},
    {"f4", ZV_DTYPE_F4},
    {"float4_e2m1fn_x2", ZV_DTYPE_F4},
    {"int64", ZV_DTYPE_I64},
    {"int32", ZV_DTYPE_I32},
    {"int16", ZV_DTYPE_I16},
    {"int8", ZV_DTYPE_I8},
    {"uint64", ZV_DTYPE_U64},
    {"uint32", ZV_DTYPE_U32},
    {"uint16", ZV_DTYPE_U16},
    {"uint8", ZV_DTYPE_U8},
    {"complex64", ZV_DTYPE_C64},
};

static const struct plain_type *plain(enum zv_dtype dtype)
{
    for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++) {
        if (plain_types[i].dtype == dtype) {
            return &plain_types[i];
        }
    }
    return NULL;
}

static const struct zv_gguf_type *block_type(enum zv_dtype dtype)
{
    return dtype >= ZV_DTYPE_GGML && dtype < ZV_DTYPE_LIMIT
               ? zv_gguf_type_find((uint32_t)dtype - ZV_DTYPE_GGML)
               : NULL;
}

/* GGUF's numbers for types that are no blocks are the plain types themselves. */
enum zv_dtype zv_dtype_of_gguf(uint32_t id)
{
    static const struct {
        uint32_t id;
        enum zv_dtype dtype;
    } same[] = {{0, ZV_DTYPE_F32},  {1, ZV_DTYPE_F16},  {24, ZV_DTYPE_I8},  {25, ZV_DTYPE_I16},
                {26, ZV_DTYPE_I32}, {27, ZV_DTYPE_I64}, {28, ZV_DTYPE_F64}, {30, ZV_DTYPE_BF16}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        if (same[i].id == id) {
            return same[i].dtype;
        }
    }
    const bool known = id < ZV_DTYPE_LIMIT - ZV_DTYPE_GGML && zv_gguf_type_find(id) != NULL;
    return known ? (enum zv_dtype)(ZV_DTYPE_GGML + id) : ZV_DTYPE_UNKNOWN;
}

enum zv_dtype zv_dtype_parse(struct zv_slice name)
{
    if (zv_slice_starts(name, "torch.")) {
        name = (struct zv_slice){name.at + 6, name.length - 6};
    }
    for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++) {
        if (zv_slice_equal_nocase(name, plain_types[i].name)) {
            return plain_types[i].dtype;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (zv_slice_equal_nocase(name, aliases[i].name)) {
            return aliases[i].dtype;
        }
    }
    const struct zv_gguf_type *const type = zv_gguf_type_named(name);
    return type != NULL ? zv_dtype_of_gguf(type->id) : ZV_DTYPE_UNKNOWN;
}

/* GGUF's names are upper case in the format and lower case wherever people write them. */
static const char *const block_names[] = {
    [2] = "q4_0",   [3] = "q4_1",    [6] = "q5_0",     [7] = "q5_1",    [8] = "q8_0",
    [9] = "q8_1",   [10] = "q2_K",   [11] = "q3_K",    [12] = "q4_K",   [13] = "q5_K",
    [14] = "q6_K",  [15] = "q8_K",   [16] = "iq2_xxs", [17] = "iq2_xs", [18] = "iq3_xxs",
    [19] = "iq1_s", [20] = "iq4_nl", [21] = "iq3_s",   [22] = "iq2_s",  [23] = "iq4_xs",
    [29] = "iq1_m", [34] = "tq1_0",  [35] = "tq2_0",   [39] = "mxfp4",
};

const char *zv_dtype_name(enum zv_dtype dtype)
{
    const struct plain_type *const type = plain(dtype);
    if (type != NULL) {
        return type->name;
    }
    const struct zv_gguf_type *const block = block_type(dtype);
    if (block == NULL) {
        return "unknown";
    }
    const bool listed =
        block->id < sizeof block_names / sizeof *block_names && block_names[block->id] != NULL;
    return listed ? block_names[block->id] : block->name;
}

bool zv_dtype_block(enum zv_dtype dtype, uint64_t *elements, uint64_t *bytes)
{
    const struct plain_type *const type = plain(dtype);
    const struct zv_gguf_type *const block = type == NULL ? block_type(dtype) : NULL;
    if (type == NULL && (block == NULL || block->block_elements == 0)) {
        return false;
    }
    *elements = type != NULL ? type->elements : block->block_elements;
    *bytes = type != NULL ? type->bytes : block->block_bytes;
    return true;
}

bool zv_dtype_bytes(enum zv_dtype dtype, uint64_t elements, uint64_t *bytes)
{
    const struct zv_gguf_type *const block = block_type(dtype);
    if (block != NULL) {
        return zv_gguf_type_bytes(block, elements, 1, bytes);
    }
    uint64_t block_elements;
    uint64_t block_bytes;
    return zv_dtype_block(dtype, &block_elements, &block_bytes) && elements % block_elements == 0 &&
           zv_mul(elements / block_elements, block_bytes, bytes);
}
