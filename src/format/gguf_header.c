#include "format/gguf_header.h"

#include "base/checked.h"
#include "base/little_endian.h"

static void advance(struct gguf_cursor *cursor, size_t bytes)
{
    cursor->rest.at += bytes;
    cursor->rest.length -= bytes;
    cursor->offset += bytes;
}

bool gguf_take_u32(struct gguf_cursor *cursor, uint32_t *to)
{
    if (cursor->rest.length < sizeof *to) {
        return false;
    }
    *to = zv_le32(cursor->rest.at);
    advance(cursor, sizeof *to);
    return true;
}

bool gguf_take_u64(struct gguf_cursor *cursor, uint64_t *to)
{
    if (cursor->rest.length < sizeof *to) {
        return false;
    }
    *to = zv_le64(cursor->rest.at);
    advance(cursor, sizeof *to);
    return true;
}

bool gguf_take_string(struct gguf_cursor *cursor, struct zv_slice *to)
{
    if (cursor->rest.length < sizeof(uint64_t)) {
        return false;
    }
    const uint64_t length = zv_le64(cursor->rest.at);
    if (length > cursor->rest.length - sizeof length) {
        return false;
    }
    *to = (struct zv_slice){cursor->rest.at + sizeof length, (size_t)length};
    advance(cursor, sizeof length + (size_t)length);
    return true;
}

/* Skips count strings. A vocabulary has hundreds of thousands, so this loop only adds lengths. */
static bool skip_strings(struct gguf_cursor *cursor, uint64_t count)
{
    const char *p = cursor->rest.at;
    size_t left = cursor->rest.length;
    uint64_t length = 0;
    while (count != 0 && left >= sizeof length) {
        length = zv_le64(p);
        if (length > left - sizeof length) {
            break;
        }
        p += sizeof length + (size_t)length;
        left -= sizeof length + (size_t)length;
        count--;
    }
    advance(cursor, cursor->rest.length - left);
    return count == 0;
}

/* Skips count values of a type that is no array. */
static enum gguf_taken skip_flat(struct gguf_cursor *cursor, uint32_t type, uint64_t count)
{
    if (type == ZV_GGUF_STRING) {
        return skip_strings(cursor, count) ? GGUF_TAKEN : GGUF_CUT_OFF;
    }
    const uint32_t size = gguf_type_bytes(type);
    uint64_t bytes;
    if (size == 0) {
        return GGUF_UNKNOWN_TYPE;
    }
    if (!zv_mul(count, size, &bytes) || bytes > cursor->rest.length) {
        return GGUF_CUT_OFF;
    }
    advance(cursor, (size_t)bytes);
    return GGUF_TAKEN;
}

/* Skips count arrays, which may hold arrays. Every one of them takes bytes, so this ends. */
static enum gguf_taken skip_arrays(struct gguf_cursor *cursor, uint64_t count)
{
    uint64_t left[ZV_GGUF_MAX_NESTING] = {count}; /* arrays still to come on each level */
    unsigned depth = 0;
    for (;;) {
        if (left[depth] == 0) {
            if (depth == 0) {
                return GGUF_TAKEN;
            }
            depth--;
            continue;
        }
        left[depth]--;
        uint32_t type;
        uint64_t elements;
        if (!gguf_take_u32(cursor, &type) || !gguf_take_u64(cursor, &elements)) {
            return GGUF_CUT_OFF;
        }
        if (type != ZV_GGUF_ARRAY) {
            const enum gguf_taken taken = skip_flat(cursor, type, elements);
            if (taken != GGUF_TAKEN) {
                return taken;
            }
        } else if (depth + 2 >= ZV_GGUF_MAX_NESTING) {
            return GGUF_TOO_DEEP;
        } else {
            left[++depth] = elements;
        }
    }
}

static enum gguf_taken take_array(struct gguf_cursor *cursor, struct zv_gguf_value *to)
{
    uint32_t type;
    if (!gguf_take_u32(cursor, &type) || !gguf_take_u64(cursor, &to->count)) {
        return GGUF_CUT_OFF;
    }
    if (type > ZV_GGUF_F64) {
        return GGUF_UNKNOWN_TYPE;
    }
    to->element_type = (enum zv_gguf_value_type)type;
    to->offset = cursor->offset;
    to->bytes = cursor->rest;
    const enum gguf_taken taken =
        type == ZV_GGUF_ARRAY ? skip_arrays(cursor, to->count) : skip_flat(cursor, type, to->count);
    to->bytes.length -= cursor->rest.length;
    return taken;
}

enum gguf_taken gguf_take_value(struct gguf_cursor *cursor, uint32_t type, struct zv_gguf_value *to)
{
    if (type > ZV_GGUF_F64) {
        return GGUF_UNKNOWN_TYPE;
    }
    *to = (struct zv_gguf_value){.type = (enum zv_gguf_value_type)type, .offset = cursor->offset};
    if (type == ZV_GGUF_ARRAY) {
        return take_array(cursor, to);
    }
    if (type == ZV_GGUF_STRING) {
        return gguf_take_string(cursor, &to->bytes) ? GGUF_TAKEN : GGUF_CUT_OFF;
    }
    to->bytes = (struct zv_slice){cursor->rest.at, gguf_type_bytes(type)};
    return skip_flat(cursor, type, 1);
}
