#include "model/config_value.h"

#include "format/json_tree.h"

struct model_value model_value_integer(int64_t number)
{
    return (struct model_value){.kind = VALUE_INTEGER, .number = number};
}

struct model_value model_value_text(struct zv_slice text)
{
    return (struct model_value){.kind = VALUE_TEXT, .text = text};
}

struct model_value model_value_bad(const char *why, const struct model_value *from)
{
    struct model_value bad = {.kind = VALUE_BAD, .text = zv_slice_of(why)};
    if (from != NULL) {
        bad.key = from->key;
        bad.offset = from->offset;
        bad.has_offset = from->has_offset;
    }
    return bad;
}

bool model_value_true(const struct model_keys *keys, const struct model_value *value)
{
    switch (value->kind) {
    case VALUE_INTEGER:
        return value->number != 0;
    case VALUE_TEXT:
        return value->text.length != 0;
    case VALUE_LIST:
        return keys->count(keys, value) != 0;
    case VALUE_OBJECT:
        return true;
    case VALUE_ABSENT:
    case VALUE_NULL:
    case VALUE_BAD:
        break;
    }
    return false;
}

/* ---- JSON ---- */

static struct model_value from_json(const struct zv_json_value *json, struct zv_slice key)
{
    struct model_value value = {.kind = VALUE_ABSENT, .key = key};
    if (json == NULL) {
        return value;
    }
    value.offset = json->offset;
    value.has_offset = true;
    bool truth = false;
    switch (json->kind) {
    case ZV_JSON_IS_NULL:
        value.kind = VALUE_NULL;
        break;
    case ZV_JSON_IS_BOOL:
        value.kind = VALUE_INTEGER;
        value.number = zv_json_bool(json, &truth) && truth;
        break;
    case ZV_JSON_IS_NUMBER:
        value.kind = VALUE_INTEGER;
        if (!zv_json_i64(json, &value.number)) {
            value = model_value_bad("is no whole number of 64 bits", &value);
            value.has_fraction = zv_json_double(json, &value.fraction);
        }
        break;
    case ZV_JSON_IS_STRING:
        value.kind = VALUE_TEXT;
        (void)zv_json_string(json, &value.text);
        break;
    case ZV_JSON_IS_ARRAY:
        value.kind = VALUE_LIST;
        value.node = json;
        break;
    case ZV_JSON_IS_OBJECT:
        value.kind = VALUE_OBJECT;
        value.node = json;
        break;
    }
    return value;
}

static struct model_value json_find(const struct model_keys *keys, struct zv_slice path)
{
    const struct zv_json_value *at = keys->at;
    struct zv_slice rest = path;
    if (rest.length != 0 && rest.at[0] == '/') {
        at = keys->root;
        rest = (struct zv_slice){rest.at + 1, rest.length - 1};
    }
    while (rest.length != 0 && at != NULL) {
        at = zv_json_find_slice(at, zv_slice_cut(&rest, '.'));
    }
    return from_json(at, path);
}

static struct model_value json_item(const struct model_keys *keys, const struct model_value *list,
                                    uint64_t index)
{
    (void)keys;
    return from_json(zv_json_item(list->node, (size_t)index), list->key);
}

static uint64_t json_count(const struct model_keys *keys, const struct model_value *list)
{
    (void)keys;
    return zv_json_count(list->node);
}

struct model_keys model_keys_json(const struct zv_json_value *root, const struct zv_json_value *at)
{
    return (struct model_keys){json_find, json_item, json_count, root, at};
}

/* ---- nothing ---- */

static struct model_value empty_find(const struct model_keys *keys, struct zv_slice path)
{
    (void)keys;
    return (struct model_value){.kind = VALUE_ABSENT, .key = path};
}

static struct model_value empty_item(const struct model_keys *keys, const struct model_value *list,
                                     uint64_t index)
{
    (void)keys, (void)list, (void)index;
    return (struct model_value){.kind = VALUE_ABSENT};
}

static uint64_t empty_count(const struct model_keys *keys, const struct model_value *list)
{
    (void)keys, (void)list;
    return 0;
}

struct model_keys model_keys_empty(void)
{
    return (struct model_keys){empty_find, empty_item, empty_count, NULL, NULL};
}
