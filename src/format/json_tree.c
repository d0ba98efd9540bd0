#include "format/json_tree.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/stream.h"
#include "base/strmap.h"
#include "format/json_reader.h"
#include "format/json_text.h"

enum { FIRST_WINDOW = 16 * 1024, FIRST_STACK = 64, INDEX_ABOVE = 8 };

/*
 * Values wait on the stack until the container they belong to closes; then they move into the arena
 * in one piece. The container itself is the value below its first member.
 */
struct builder {
    struct zv_json_reader reader;
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_json_value *stack;
    size_t count;
    size_t capacity;
    size_t total; /* values seen */
    size_t
        starts[ZV_JSON_MAX_DEPTH]; /* stack position of the first member of each open container */
    size_t depth;
    struct zv_slice key;  /* of the value to come */
    struct zv_slice last; /* string: the next one often says the same (an index's file names) */
};

/*
 * An object with more than INDEX_ABOVE members has a hash table behind them in the same piece of
 * memory: slots hold position + 1, 0 is free. Its size follows from the count.
 */
static size_t slot_count(size_t members)
{
    size_t slots = 16;
    while (members > INDEX_ABOVE && slots < members * 2) {
        slots *= 2;
    }
    return members > INDEX_ABOVE ? slots : 0;
}

static const uint32_t *slots_of(struct zv_json_items items)
{
    return (const uint32_t *)(const void *)(items.at + items.count);
}

static bool same_key(struct zv_slice a, struct zv_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static size_t probe(struct zv_json_items items, const uint32_t *slots, struct zv_slice key)
{
    const size_t mask = slot_count(items.count) - 1;
    size_t slot = zv_strmap_hash(key) & mask;
    while (slots[slot] != 0 && !same_key(items.at[slots[slot] - 1].key, key)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static const struct zv_json_value *find_in_few(const struct zv_json_value *items, size_t count,
                                               struct zv_slice key)
{
    for (size_t i = 0; i < count; i++) {
        if (same_key(items[i].key, key)) {
            return &items[i];
        }
    }
    return NULL;
}

static enum zv_status fail_duplicate(struct builder *builder, const struct zv_json_value *value)
{
    const int shown = value->key.length < 200 ? (int)value->key.length : 200;
    return zv_fail_at(builder->err, ZV_E_SYNTAX, value->offset,
                      "JSON: the key \"%.*s\" is there twice in one object; this is the value of "
                      "the second",
                      shown, value->key.at);
}

static enum zv_status check_few(struct builder *builder, struct zv_json_items items)
{
    for (size_t i = 1; i < items.count; i++) {
        if (find_in_few(items.at, i, items.at[i].key) != NULL) {
            return fail_duplicate(builder, &items.at[i]);
        }
    }
    return ZV_OK;
}

static enum zv_status build_index(struct builder *builder, struct zv_json_items items,
                                  uint32_t *slots)
{
    for (size_t i = 0; i < items.count; i++) {
        const size_t slot = probe(items, slots, items.at[i].key);
        if (slots[slot] != 0) {
            return fail_duplicate(builder, &items.at[i]);
        }
        slots[slot] = (uint32_t)(i + 1);
    }
    return ZV_OK;
}

static enum zv_status fail_reader(struct builder *builder)
{
    const struct zv_error *const from = &builder->reader.err;
    return from->has_offset ? zv_fail_at(builder->err, from->status, from->offset, "%s", from->text)
                            : zv_fail(builder->err, from->status, "%s", from->text);
}

/* The reader's text, decoded, in the arena. */
static enum zv_status copy_text(struct builder *builder, struct zv_slice *to)
{
    const struct zv_json_reader *const reader = &builder->reader;
    const struct zv_slice raw = {reader->text, reader->length};
    char *const copy = zv_arena_copy(builder->arena, raw.at, raw.length);
    if (copy == NULL) {
        return zv_fail_memory(builder->err, "a JSON string");
    }
    *to = (struct zv_slice){copy, raw.length};
    if (reader->has_escape) {
        if (!zv_json_text_decode(raw, copy, &to->length)) {
            return zv_fail_at(builder->err, ZV_E_SYNTAX, reader->offset,
                              "JSON: a string with a NUL character or half a surrogate pair");
        }
        copy[to->length] = 0;
    }
    return ZV_OK;
}

static enum zv_status push(struct builder *builder, struct zv_json_value value)
{
    value.offset = (uint32_t)builder->reader.offset;
    value.key = builder->key;
    builder->key = (struct zv_slice){0};
    if (builder->total == ZV_JSON_TREE_MAX_VALUES) {
        return zv_fail_at(builder->err, ZV_E_LIMIT, value.offset, "JSON: more than %d values",
                          ZV_JSON_TREE_MAX_VALUES);
    }
    builder->total++;
    if (builder->count == builder->capacity) {
        const size_t capacity = builder->capacity == 0 ? FIRST_STACK : builder->capacity * 2;
        struct zv_json_value *const larger =
            zv_memory_resize(builder->stack, capacity * sizeof *larger);
        if (larger == NULL) {
            return zv_fail_memory(builder->err, "a JSON tree");
        }
        builder->stack = larger;
        builder->capacity = capacity;
    }
    builder->stack[builder->count++] = value;
    return ZV_OK;
}

static enum zv_status open_container(struct builder *builder, enum zv_json_kind kind)
{
    const enum zv_status status = push(builder, (struct zv_json_value){.kind = kind});
    if (status == ZV_OK) {
        builder->starts[builder->depth++] = builder->count;
    }
    return status;
}

static enum zv_status close_container(struct builder *builder)
{
    const size_t start = builder->starts[--builder->depth];
    struct zv_json_value *const container = &builder->stack[start - 1];
    const size_t count = builder->count - start;
    builder->count = start;
    if (count == 0) {
        return ZV_OK;
    }
    const bool is_object = container->kind == ZV_JSON_IS_OBJECT;
    const size_t slots = is_object ? slot_count(count) : 0;
    struct zv_json_value *const items = zv_arena_alloc(
        builder->arena, count * sizeof *items + slots * sizeof(uint32_t)); /* both are bounded */
    if (items == NULL) {
        return zv_fail_memory(builder->err, "a JSON tree");
    }
    memcpy(items, container + 1, count * sizeof *items);
    container->u.items = (struct zv_json_items){items, count};
    if (!is_object) {
        return ZV_OK;
    }
    return slots == 0
               ? check_few(builder, container->u.items)
               : build_index(builder, container->u.items, (uint32_t *)(void *)(items + count));
}

static enum zv_status add_text(struct builder *builder, enum zv_json_kind kind)
{
    struct zv_json_value value = {.kind = kind, .u.text = builder->last};
    const struct zv_json_reader *const reader = &builder->reader;
    const struct zv_slice raw = {reader->text, reader->length};
    enum zv_status status = ZV_OK;
    if (reader->has_escape || raw.length == 0 || !zv_slice_same(raw, builder->last)) {
        status = copy_text(builder, &value.u.text);
        builder->last = value.u.text;
    }
    return status == ZV_OK ? push(builder, value) : status;
}

static enum zv_status add_token(struct builder *builder, enum zv_json_token token)
{
    switch (token) {
    case ZV_JSON_OBJECT_BEGIN:
        return open_container(builder, ZV_JSON_IS_OBJECT);
    case ZV_JSON_ARRAY_BEGIN:
        return open_container(builder, ZV_JSON_IS_ARRAY);
    case ZV_JSON_OBJECT_END:
    case ZV_JSON_ARRAY_END:
        return close_container(builder);
    case ZV_JSON_KEY:
        return copy_text(builder, &builder->key);
    case ZV_JSON_STRING:
        return add_text(builder, ZV_JSON_IS_STRING);
    case ZV_JSON_NUMBER:
        builder->reader.has_escape = false;
        return add_text(builder, ZV_JSON_IS_NUMBER);
    case ZV_JSON_TRUE:
    case ZV_JSON_FALSE:
        return push(builder, (struct zv_json_value){.kind = ZV_JSON_IS_BOOL,
                                                    .u.truth = token == ZV_JSON_TRUE});
    case ZV_JSON_NULL:
        return push(builder, (struct zv_json_value){.kind = ZV_JSON_IS_NULL});
    case ZV_JSON_END:
    case ZV_JSON_ERROR:
        break;
    }
    return fail_reader(builder);
}

static enum zv_status build(struct builder *builder, const struct zv_json_value **root)
{
    enum zv_status status = ZV_OK;
    while (status == ZV_OK) {
        const enum zv_json_token token = zv_json_next(&builder->reader);
        if (token == ZV_JSON_END) {
            break;
        }
        status = add_token(builder, token);
    }
    if (status != ZV_OK) {
        return status;
    }
    struct zv_json_value *const copy = zv_arena_alloc(builder->arena, sizeof *copy);
    if (copy == NULL) {
        return zv_fail_memory(builder->err, "a JSON tree");
    }
    *copy = builder->stack[0];
    *root = copy;
    return ZV_OK;
}

enum zv_status zv_json_tree_read(const struct zv_json_value **root, struct zv_slice input,
                                 enum zv_json_option option, struct zv_arena *arena,
                                 struct zv_error *err)
{
    *root = NULL;
    if (input.length > ZV_JSON_TREE_MAX_BYTES) {
        return zv_fail(err, ZV_E_LIMIT, "JSON: %zu bytes, at most %d are read", input.length,
                       ZV_JSON_TREE_MAX_BYTES);
    }
    struct builder builder = {.arena = arena, .err = err};
    const size_t window = input.length < FIRST_WINDOW ? input.length + 16 : FIRST_WINDOW;
    struct zv_slice rest = input;
    enum zv_status status =
        zv_json_open(&builder.reader, zv_read_slice, &rest, window, 2 * input.length + window);
    if (status == ZV_OK) {
        builder.reader.allow_nonfinite = option == ZV_JSON_ALLOW_NONFINITE;
        status = build(&builder, root);
    } else {
        status = fail_reader(&builder);
    }
    zv_json_close(&builder.reader);
    zv_memory_free(builder.stack);
    return status;
}

const struct zv_json_value *zv_json_find_slice(const struct zv_json_value *object,
                                               struct zv_slice key)
{
    if (!zv_json_is(object, ZV_JSON_IS_OBJECT)) {
        return NULL;
    }
    const struct zv_json_items items = object->u.items;
    if (items.count <= INDEX_ABOVE) {
        return find_in_few(items.at, items.count, key);
    }
    const uint32_t *const slots = slots_of(items);
    const uint32_t found = slots[probe(items, slots, key)];
    return found != 0 ? &items.at[found - 1] : NULL;
}

const struct zv_json_value *zv_json_find(const struct zv_json_value *object, const char *key)
{
    return zv_json_find_slice(object, zv_slice_of(key));
}

size_t zv_json_count(const struct zv_json_value *value)
{
    const bool holds = zv_json_is(value, ZV_JSON_IS_ARRAY) || zv_json_is(value, ZV_JSON_IS_OBJECT);
    return holds ? value->u.items.count : 0;
}

const struct zv_json_value *zv_json_item(const struct zv_json_value *value, size_t position)
{
    return position < zv_json_count(value) ? &value->u.items.at[position] : NULL;
}

bool zv_json_is(const struct zv_json_value *value, enum zv_json_kind kind)
{
    return value != NULL && value->kind == kind;
}

bool zv_json_u64(const struct zv_json_value *value, uint64_t *to)
{
    return zv_json_is(value, ZV_JSON_IS_NUMBER) && zv_json_number_u64(value->u.text, to);
}

bool zv_json_i64(const struct zv_json_value *value, int64_t *to)
{
    return zv_json_is(value, ZV_JSON_IS_NUMBER) && zv_json_number_i64(value->u.text, to);
}

bool zv_json_double(const struct zv_json_value *value, double *to)
{
    return zv_json_is(value, ZV_JSON_IS_NUMBER) && zv_slice_double(value->u.text, to);
}

bool zv_json_bool(const struct zv_json_value *value, bool *to)
{
    if (!zv_json_is(value, ZV_JSON_IS_BOOL)) {
        return false;
    }
    *to = value->u.truth;
    return true;
}

bool zv_json_string(const struct zv_json_value *value, struct zv_slice *to)
{
    if (!zv_json_is(value, ZV_JSON_IS_STRING)) {
        return false;
    }
    *to = value->u.text;
    return true;
}

const char *zv_json_kind_name(const struct zv_json_value *value)
{
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a string", "a list",        "an object"};
    return value != NULL ? names[value->kind] : "nothing";
}
