/* What the values of GGUF pairs say: readers of bytes whose lengths zv_gguf_read has checked. */
#include <math.h>
#include <string.h>

#include "base/little_endian.h"
#include "format/gguf.h"
#include "format/gguf_header.h"

uint32_t gguf_type_bytes(uint32_t type)
{
    static const unsigned char bytes[] = {
        [ZV_GGUF_U8] = 1,   [ZV_GGUF_I8] = 1,  [ZV_GGUF_U16] = 2, [ZV_GGUF_I16] = 2,
        [ZV_GGUF_U32] = 4,  [ZV_GGUF_I32] = 4, [ZV_GGUF_F32] = 4, [ZV_GGUF_BOOL] = 1,
        [ZV_GGUF_U64] = 8,  [ZV_GGUF_I64] = 8, [ZV_GGUF_F64] = 8, [ZV_GGUF_STRING] = 0,
        [ZV_GGUF_ARRAY] = 0};
    return type < sizeof bytes ? bytes[type] : 0;
}

const char *zv_gguf_type_word(enum zv_gguf_value_type type)
{
    static const char *const words[] = {
        [ZV_GGUF_U8] = "u8",       [ZV_GGUF_I8] = "i8",     [ZV_GGUF_U16] = "u16",
        [ZV_GGUF_I16] = "i16",     [ZV_GGUF_U32] = "u32",   [ZV_GGUF_I32] = "i32",
        [ZV_GGUF_F32] = "f32",     [ZV_GGUF_BOOL] = "bool", [ZV_GGUF_STRING] = "string",
        [ZV_GGUF_ARRAY] = "array", [ZV_GGUF_U64] = "u64",   [ZV_GGUF_I64] = "i64",
        [ZV_GGUF_F64] = "f64"};
    return (size_t)type < sizeof words / sizeof words[0] ? words[type] : "unknown type";
}

/* An integer as its two's complement in 64 bits; *is_negative when it is below 0. */
static bool read_integer(const struct zv_gguf_value *value, uint64_t *to, bool *is_negative)
{
    const char *const p = value->bytes.at;
    int64_t signed_value = 0;
    *is_negative = false;
    switch (value->type) {
    case ZV_GGUF_U8:
    case ZV_GGUF_BOOL:
        *to = (unsigned char)*p;
        return true;
    case ZV_GGUF_U16:
        *to = zv_le16(p);
        return true;
    case ZV_GGUF_U32:
        *to = zv_le32(p);
        return true;
    case ZV_GGUF_U64:
        *to = zv_le64(p);
        return true;
    case ZV_GGUF_I8:
        signed_value = (unsigned char)*p;
        signed_value -= signed_value > INT8_MAX ? 256 : 0;
        break;
    case ZV_GGUF_I16:
        signed_value = (int16_t)zv_le16(p);
        break;
    case ZV_GGUF_I32:
        signed_value = (int32_t)zv_le32(p);
        break;
    case ZV_GGUF_I64:
        signed_value = (int64_t)zv_le64(p);
        break;
    case ZV_GGUF_F32:
    case ZV_GGUF_STRING:
    case ZV_GGUF_ARRAY:
    case ZV_GGUF_F64:
        return false;
    }
    *is_negative = signed_value < 0;
    *to = (uint64_t)signed_value;
    return true;
}

bool zv_gguf_u64(const struct zv_gguf_value *value, uint64_t *to)
{
    uint64_t bits;
    bool is_negative;
    if (value == NULL || !read_integer(value, &bits, &is_negative) || is_negative) {
        return false;
    }
    *to = bits;
    return true;
}

bool zv_gguf_i64(const struct zv_gguf_value *value, int64_t *to)
{
    uint64_t bits;
    bool is_negative;
    if (value == NULL || !read_integer(value, &bits, &is_negative) ||
        (!is_negative && bits > INT64_MAX)) {
        return false;
    }
    *to = (int64_t)bits;
    return true;
}

bool zv_gguf_double(const struct zv_gguf_value *value, double *to)
{
    if (value == NULL) {
        return false;
    }
    uint64_t bits;
    bool is_negative;
    double result;
    if (value->type == ZV_GGUF_F32) {
        const uint32_t word = zv_le32(value->bytes.at);
        float single;
        memcpy(&single, &word, sizeof single);
        result = (double)single;
    } else if (value->type == ZV_GGUF_F64) {
        const uint64_t word = zv_le64(value->bytes.at);
        memcpy(&result, &word, sizeof result);
    } else if (read_integer(value, &bits, &is_negative)) {
        result = is_negative ? (double)(int64_t)bits : (double)bits;
    } else {
        return false;
    }
    if (!isfinite(result)) {
        return false;
    }
    *to = result;
    return true;
}

bool zv_gguf_bool(const struct zv_gguf_value *value, bool *to)
{
    if (value == NULL || value->type != ZV_GGUF_BOOL) {
        return false;
    }
    *to = *value->bytes.at != 0;
    return true;
}

bool zv_gguf_string(const struct zv_gguf_value *value, struct zv_slice *to)
{
    if (value == NULL || value->type != ZV_GGUF_STRING) {
        return false;
    }
    *to = value->bytes;
    return true;
}

uint64_t zv_gguf_count(const struct zv_gguf_value *value)
{
    return value != NULL && value->type == ZV_GGUF_ARRAY ? value->count : 0;
}

struct zv_gguf_walk zv_gguf_walk(const struct zv_gguf_value *array)
{
    if (array == NULL || array->type != ZV_GGUF_ARRAY) {
        return (struct zv_gguf_walk){0};
    }
    return (struct zv_gguf_walk){array->element_type, array->count, array->offset, array->bytes};
}

bool zv_gguf_next(struct zv_gguf_walk *walk, struct zv_gguf_value *element)
{
    if (walk->left == 0) {
        return false;
    }
    walk->left--;
    struct gguf_cursor cursor = {.rest = walk->rest, .offset = walk->offset};
    const bool whole = gguf_take_value(&cursor, walk->type, element) == GGUF_TAKEN;
    walk->left = whole ? walk->left : 0; /* cannot be: the reader saw all of it */
    walk->rest = cursor.rest;
    walk->offset = cursor.offset;
    return whole;
}
