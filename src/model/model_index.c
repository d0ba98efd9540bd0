#include "model/model_index.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/name_set.h"
#include "format/json_plain.h"
#include "format/json_reader.h"
#include "format/json_text.h"

enum { WINDOW = 64 * 1024 };

/* One reading. A slice of the text is the reader's token as long as it has no escapes. */
struct reading {
    struct zv_json_reader json;
    struct zv_slice text;
    struct zv_arena *arena;
    struct zv_error *err;
    struct model_index *to;
    struct zv_name_set names;
    struct zv_slice last; /* name of a shard: the next tensor is mostly in the same */
    size_t map_begin;     /* weight_map's value, brackets included */
    size_t map_end;
};

static enum zv_status fail_token(const struct reading *reading)
{
    const struct zv_error *const from = &reading->json.err;
    return from->has_offset ? zv_fail_at(reading->err, from->status, from->offset, "%s", from->text)
                            : zv_fail(reading->err, from->status, "%s", from->text);
}

/* The current key or string: a piece of the input, or decoded in the arena if it has escapes. */
static enum zv_status take_text(const struct reading *reading, struct zv_slice *to)
{
    const struct zv_json_reader *const json = &reading->json;
    *to = (struct zv_slice){reading->text.at + json->offset + 1, json->length};
    if (!json->has_escape) {
        return ZV_OK;
    }
    const struct zv_slice raw = *to;
    char *const copy = zv_arena_alloc(reading->arena, json->length + 1);
    if (copy == NULL) {
        return zv_fail_memory(reading->err, "a name in an index");
    }
    to->at = copy;
    return zv_json_text_decode(raw, copy, &to->length)
               ? ZV_OK
               : zv_fail_at(reading->err, ZV_E_SYNTAX, json->offset,
                            "JSON: a string with a NUL character or half a surrogate pair");
}

static enum zv_status add_tensor(struct reading *reading, struct zv_slice name, uint64_t offset)
{
    struct zv_name_place place;
    switch (zv_name_set_add(&reading->names, name, &place)) {
    case ZV_NAME_ADDED:
        reading->to->tensor_count++;
        return ZV_OK;
    case ZV_NAME_EXISTS:
        return zv_fail_at(reading->err, ZV_E_SYNTAX, offset,
                          "JSON: the key \"%.*s\" is there twice in one object",
                          name.length < 200 ? (int)name.length : 200, name.at);
    case ZV_NAME_NOMEM:
        break;
    }
    return zv_fail_memory(reading->err, "tensor names");
}

static enum zv_status add_shard(struct reading *reading, struct zv_slice name, uint64_t offset)
{
    struct zv_strmap_entry *entry;
    if (name.length != 0 && zv_slice_same(name, reading->last)) {
        return ZV_OK;
    }
    if (name.length == 0 || memchr(name.at, '/', name.length) != NULL) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, offset, "no name of a file beside it");
    }
    if (zv_strmap_add(&reading->to->shards, name, 0, &entry) == ZV_STRMAP_NOMEM) {
        return zv_fail_memory(reading->err, "shard names");
    }
    reading->last = name;
    return reading->to->shards.count <= MODEL_MAX_FILES
               ? ZV_OK
               : zv_fail(reading->err, ZV_E_LIMIT, "a model of more than %d files",
                         MODEL_MAX_FILES);
}

/* The key that is the current token, and its value. */
static enum zv_status read_pair(struct reading *reading)
{
    struct zv_slice name = {0};
    enum zv_status status = take_text(reading, &name);
    status = status == ZV_OK ? add_tensor(reading, name, reading->json.offset) : status;
    if (status != ZV_OK) {
        return status;
    }
    const enum zv_json_token token = zv_json_next(&reading->json);
    if (token == ZV_JSON_ERROR) {
        return fail_token(reading);
    }
    name = (struct zv_slice){0};
    status = token == ZV_JSON_STRING ? take_text(reading, &name) : ZV_OK;
    return status == ZV_OK ? add_shard(reading, name, reading->json.offset) : status;
}

/* The plain pairs behind the string that is the current token. */
static enum zv_status read_plain(struct reading *reading)
{
    const char *const text = reading->text.at;
    const char *at = text + reading->json.offset + reading->json.length + 2;
    enum zv_status status = ZV_OK;
    struct zv_json_plain pair;
    while (status == ZV_OK && zv_json_plain_pair(&pair, at, text + reading->text.length)) {
        status = add_tensor(reading, pair.key, (uint64_t)(pair.key.at - 1 - text));
        status = status == ZV_OK
                     ? add_shard(reading, pair.value, (uint64_t)(pair.value.at - 1 - text))
                     : status;
        at = pair.end;
    }
    zv_json_jump(&reading->json, (uint64_t)(at - text));
    return status;
}

/* The pairs of weight_map, whose bracket is the current token. */
static enum zv_status read_map(struct reading *reading)
{
    enum zv_status status = ZV_OK;
    enum zv_json_token token;
    while (status == ZV_OK && (token = zv_json_next(&reading->json)) == ZV_JSON_KEY) {
        status = read_pair(reading);
        status = status == ZV_OK ? read_plain(reading) : status;
    }
    if (status != ZV_OK || token != ZV_JSON_OBJECT_END) {
        return status != ZV_OK ? status : fail_token(reading);
    }
    reading->map_end = (size_t)reading->json.offset + 1;
    return ZV_OK;
}

static bool is_weight_map(const struct zv_json_reader *json)
{
    char decoded[6 * sizeof "weight_map"]; /* every character as \uXXXX */
    struct zv_slice key = {json->text, json->length};
    if (json->has_escape) {
        if (key.length > sizeof decoded || !zv_json_text_decode(key, decoded, &key.length)) {
            return false;
        }
        key.at = decoded;
    }
    return json->depth == 1 && zv_slice_equal(key, "weight_map");
}

/* Every token; the first weight_map of the root is taken in. */
static enum zv_status read_tokens(struct reading *reading)
{
    enum zv_status status = ZV_OK;
    bool next = false; /* the value to come is weight_map's */
    while (status == ZV_OK) {
        const enum zv_json_token token = zv_json_next(&reading->json);
        if (token == ZV_JSON_END) {
            return ZV_OK;
        }
        if (token == ZV_JSON_ERROR) {
            return fail_token(reading);
        }
        if (next && token == ZV_JSON_OBJECT_BEGIN) {
            reading->map_begin = (size_t)reading->json.offset;
            status = read_map(reading);
        }
        next = token == ZV_JSON_KEY && reading->map_end == 0 && is_weight_map(&reading->json);
    }
    return status;
}

static enum zv_status stream(struct reading *reading)
{
    struct zv_slice rest = reading->text;
    enum zv_status status = zv_json_open(&reading->json, zv_read_slice, &rest, WINDOW,
                                         2 * reading->text.length + WINDOW);
    reading->json.allow_nonfinite = true;
    status = status == ZV_OK ? read_tokens(reading) : fail_token(reading);
    zv_json_close(&reading->json);
    zv_name_set_free(&reading->names);
    return status;
}

/* All but what weight_map holds, as a tree: it is small. */
static enum zv_status read_rest(struct reading *reading, const struct zv_json_value **root)
{
    const size_t cut = reading->map_end != 0 ? reading->map_end - reading->map_begin - 2 : 0;
    const size_t before = cut != 0 ? reading->map_begin + 1 : reading->text.length;
    const size_t after = reading->text.length - before - cut;
    char *const copy = zv_memory_alloc(before + after + 1);
    if (copy == NULL) {
        return zv_fail_memory(reading->err, "an index");
    }
    memcpy(copy, reading->text.at, before);
    memcpy(copy + before, reading->text.at + before + cut, after);
    const enum zv_status status =
        zv_json_tree_read(root, (struct zv_slice){copy, before + after}, ZV_JSON_ALLOW_NONFINITE,
                          reading->arena, reading->err);
    zv_memory_free(copy);
    if (status != ZV_OK && reading->err != NULL && reading->err->has_offset &&
        reading->err->offset >= before) {
        reading->err->offset += cut;
    }
    return status;
}

static enum zv_status take_rest(struct reading *reading)
{
    const struct zv_json_value *root = NULL;
    const enum zv_status status = read_rest(reading, &root);
    if (root == NULL) {
        return status;
    }
    if (!zv_json_is(root, ZV_JSON_IS_OBJECT)) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, root->offset, "%s where an object belongs",
                          zv_json_kind_name(root));
    }
    if (reading->to->tensor_count == 0) {
        return zv_fail_at(reading->err, ZV_E_SYNTAX, root->offset, "an index without weight_map");
    }
    reading->to->has_total_size = zv_json_u64(
        zv_json_find(zv_json_find(root, "metadata"), "total_size"), &reading->to->total_size);
    return ZV_OK;
}

enum zv_status model_index_parse(struct model_index *index, struct zv_slice text,
                                 struct zv_arena *arena, struct zv_error *err)
{
    struct reading reading = {.text = text, .arena = arena, .err = err, .to = index};
    *index = (struct model_index){0};
    if (text.length > ZV_JSON_TREE_MAX_BYTES) {
        return zv_fail(err, ZV_E_LIMIT, "an index of %zu bytes, at most %d are read", text.length,
                       ZV_JSON_TREE_MAX_BYTES);
    }
    const enum zv_status status = stream(&reading);
    return status == ZV_OK ? take_rest(&reading) : status;
}

enum zv_status model_index_read(struct model_index *index, struct model_reader *reader,
                                const char *path, struct zv_error *err)
{
    struct zv_slice text;
    *index = (struct model_index){0};
    enum zv_status status = model_map(reader, path, &text, err);
    if (status == ZV_OK) {
        status = model_index_parse(index, text, reader->arena, err);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    return status;
}

void model_index_close(struct model_index *index)
{
    zv_strmap_free(&index->shards);
}
