#include "model/gguf_keys.h"

#include <stdio.h>

static struct model_value from_gguf(const struct zv_gguf_value *gguf, struct zv_slice key)
{
    struct model_value value = {.kind = VALUE_ABSENT, .key = key};
    if (gguf == NULL) {
        return value;
    }
    value.offset = gguf->offset;
    value.has_offset = true;
    if (gguf->type == ZV_GGUF_STRING) {
        value.kind = VALUE_TEXT;
        (void)zv_gguf_string(gguf, &value.text);
    } else if (gguf->type == ZV_GGUF_ARRAY) {
        value.kind = VALUE_LIST;
        value.node = gguf;
    } else if (zv_gguf_i64(gguf, &value.number)) {
        value.kind = VALUE_INTEGER;
    } else {
        value = model_value_bad("is no whole number of 63 bits", &value);
    }
    return value;
}

static struct model_value gguf_find(const struct model_keys *keys, struct zv_slice path)
{
    const struct gguf_keys *const gguf = keys->root;
    char key[256];
    const bool whole = path.length != 0 && path.at[0] == '/';
    const int length = whole
                           ? snprintf(key, sizeof key, "%.*s", (int)path.length - 1, path.at + 1)
                           : snprintf(key, sizeof key, "%.*s.%.*s", (int)gguf->architecture.length,
                                      gguf->architecture.at, (int)path.length, path.at);
    const bool fits = length > 0 && (size_t)length < sizeof key;
    return from_gguf(fits ? zv_gguf_find(gguf->file, key) : NULL, path);
}

static size_t element_bytes(enum zv_gguf_value_type type)
{
    switch ((int)type) {
    case ZV_GGUF_U8:
    case ZV_GGUF_I8:
    case ZV_GGUF_BOOL:
        return 1;
    case ZV_GGUF_U16:
    case ZV_GGUF_I16:
        return 2;
    case ZV_GGUF_U32:
    case ZV_GGUF_I32:
    case ZV_GGUF_F32:
        return 4;
    case ZV_GGUF_U64:
    case ZV_GGUF_I64:
    case ZV_GGUF_F64:
        return 8;
    default:
        return 0; /* strings and arrays: no table asks for one of them */
    }
}

static struct model_value gguf_item(const struct model_keys *keys, const struct model_value *list,
                                    uint64_t index)
{
    (void)keys;
    const struct zv_gguf_value *const array = list->node;
    const size_t size = element_bytes(array->element_type);
    if (size == 0 || index >= array->count) {
        return model_value_bad("is a list of no numbers", list);
    }
    const struct zv_gguf_value element = {
        .type = array->element_type,
        .offset = array->offset,
        .bytes = {array->bytes.at + index * size, size},
    };
    return from_gguf(&element, list->key);
}

static uint64_t gguf_count(const struct model_keys *keys, const struct model_value *list)
{
    (void)keys;
    return zv_gguf_count(list->node);
}

struct model_keys model_keys_gguf(const struct gguf_keys *keys)
{
    return (struct model_keys){gguf_find, gguf_item, gguf_count, keys, keys};
}
