#include "format/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"
#include "base/memory.h"

/* As in json_tree: values wait on the stack until the container they belong to closes. */
struct builder {
    yaml_parser_t parser;
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_yaml_value *stack;
    size_t count;
    size_t capacity;
    size_t total;
    size_t starts[ZV_YAML_MAX_DEPTH]; /* stack position of each open container's first member */
    size_t depth;
    bool has_key; /* the key of the value to come is read */
    struct zv_slice key;
    bool done; /* a document was read */
};

static uint32_t line_of(const yaml_mark_t *mark)
{
    return (uint32_t)mark->line + 1; /* the input has a limit */
}

static enum zv_status fail_event(struct builder *builder, const yaml_event_t *event,
                                 const char *what)
{
    return zv_fail_line(builder->err, ZV_E_SYNTAX, line_of(&event->start_mark), "YAML: %s", what);
}

static enum zv_status fail_parser(struct builder *builder)
{
    const yaml_parser_t *const parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return zv_fail_memory(builder->err, "a YAML document");
    }
    const bool reader = parser->error == YAML_READER_ERROR;
    const uint64_t line = reader ? parser->mark.line + 1 : parser->problem_mark.line + 1;
    return zv_fail_line(builder->err, ZV_E_SYNTAX, line, "YAML: %s",
                        parser->problem != NULL ? parser->problem : "not to be read");
}

static struct zv_yaml_value *container(const struct builder *builder)
{
    return builder->depth == 0 ? NULL : &builder->stack[builder->starts[builder->depth - 1] - 1];
}

static enum zv_status check_key(struct builder *builder, struct zv_slice key, uint32_t line)
{
    const size_t first = builder->starts[builder->depth - 1];
    if (builder->count - first >= ZV_YAML_MAX_KEYS) {
        return zv_fail_line(builder->err, ZV_E_LIMIT, line, "YAML: more than %d keys in one map",
                            ZV_YAML_MAX_KEYS);
    }
    for (size_t i = first; i < builder->count; i++) {
        if (zv_slice_same(builder->stack[i].key, key)) {
            return zv_fail_line(builder->err, ZV_E_SYNTAX, line,
                                "YAML: the key \"%.*s\" is there twice in one map",
                                (int)(key.length < 100 ? key.length : 100), key.at);
        }
    }
    return ZV_OK;
}

static enum zv_status push(struct builder *builder, struct zv_yaml_value value,
                           const yaml_event_t *event)
{
    value.line = line_of(&event->start_mark);
    value.column = (uint32_t)event->start_mark.column + 1;
    value.key = builder->key;
    builder->key = (struct zv_slice){0};
    builder->has_key = false;
    if (builder->total == ZV_YAML_MAX_VALUES) {
        return zv_fail_line(builder->err, ZV_E_LIMIT, value.line, "YAML: more than %d values",
                            ZV_YAML_MAX_VALUES);
    }
    builder->total++;
    if (builder->count == builder->capacity) {
        const size_t capacity = builder->capacity == 0 ? 64 : builder->capacity * 2;
        struct zv_yaml_value *const larger =
            zv_memory_resize(builder->stack, capacity * sizeof *larger);
        if (larger == NULL) {
            return zv_fail_memory(builder->err, "a YAML document");
        }
        builder->stack = larger;
        builder->capacity = capacity;
    }
    builder->stack[builder->count++] = value;
    return ZV_OK;
}

static bool says_null(struct zv_slice text)
{
    return text.length == 0 || zv_slice_equal(text, "~") || zv_slice_equal(text, "null");
}

static enum zv_status add_scalar(struct builder *builder, const yaml_event_t *event)
{
    const size_t length = event->data.scalar.length;
    const char *const copy =
        zv_arena_copy(builder->arena, (const char *)event->data.scalar.value, length);
    if (copy == NULL) {
        return zv_fail_memory(builder->err, "a YAML document");
    }
    const struct zv_slice text = {copy, length};
    const struct zv_yaml_value *const parent = container(builder);
    if (memchr(copy, 0, length) != NULL) {
        return fail_event(builder, event, "a text with a NUL character");
    }
    if (parent != NULL && parent->kind == ZV_YAML_MAP && !builder->has_key) {
        builder->has_key = true;
        builder->key = text;
        return check_key(builder, text, line_of(&event->start_mark));
    }
    const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const bool null = plain && says_null(text);
    return push(builder,
                (struct zv_yaml_value){.kind = null ? ZV_YAML_NULL : ZV_YAML_TEXT,
                                       .quoted = !plain,
                                       .text = null ? (struct zv_slice){0} : text},
                event);
}

static enum zv_status open_container(struct builder *builder, const yaml_event_t *event,
                                     enum zv_yaml_kind kind)
{
    const struct zv_yaml_value *const parent = container(builder);
    if (parent != NULL && parent->kind == ZV_YAML_MAP && !builder->has_key) {
        return fail_event(builder, event, "a key that is no text");
    }
    if (builder->depth == ZV_YAML_MAX_DEPTH) {
        return zv_fail_line(builder->err, ZV_E_LIMIT, line_of(&event->start_mark),
                            "YAML: more than %d levels", ZV_YAML_MAX_DEPTH);
    }
    const enum zv_status status = push(builder, (struct zv_yaml_value){.kind = kind}, event);
    builder->starts[builder->depth++] = builder->count;
    return status;
}

static enum zv_status close_container(struct builder *builder)
{
    struct zv_yaml_value *const value = container(builder);
    const size_t start = builder->starts[--builder->depth];
    const size_t count = builder->count - start;
    struct zv_yaml_value *const items = zv_arena_array(builder->arena, count, sizeof *items);
    if (items == NULL) {
        return zv_fail_memory(builder->err, "a YAML document");
    }
    if (count != 0) {
        memcpy(items, value + 1, count * sizeof *items);
    }
    value->items = (struct zv_yaml_items){items, count};
    builder->count = start;
    return ZV_OK;
}

static bool is_decorated(const yaml_event_t *event)
{
    switch ((int)event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL || event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL || event->data.mapping_start.tag != NULL;
    default:
        return event->type == YAML_ALIAS_EVENT;
    }
}

static enum zv_status add_event(struct builder *builder, const yaml_event_t *event)
{
    if (is_decorated(event)) {
        return fail_event(builder, event,
                          "anchors (&), aliases (*) and tags (!) are not taken: write the value "
                          "out, or in quotes when it starts with such a character");
    }
    switch ((int)event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return builder->done ? fail_event(builder, event, "a second document in the file") : ZV_OK;
    case YAML_DOCUMENT_END_EVENT:
        builder->done = true;
        return ZV_OK;
    case YAML_SCALAR_EVENT:
        return add_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(builder, event, ZV_YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return open_container(builder, event, ZV_YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(builder);
    default:
        return ZV_OK;
    }
}

static enum zv_status build(struct builder *builder)
{
    enum zv_status status = ZV_OK;
    bool at_end = false;
    while (status == ZV_OK && !at_end) {
        yaml_event_t event;
        if (yaml_parser_parse(&builder->parser, &event) == 0) {
            return fail_parser(builder);
        }
        at_end = event.type == YAML_STREAM_END_EVENT;
        status = add_event(builder, &event);
        yaml_event_delete(&event);
    }
    return status;
}

enum zv_status zv_yaml_read(const struct zv_yaml_value **root, struct zv_slice input,
                            struct zv_arena *arena, struct zv_error *err)
{
    static const struct zv_yaml_value nothing = {.line = 1, .column = 1};
    *root = NULL;
    if (input.length > ZV_YAML_MAX_BYTES) {
        return zv_fail(err, ZV_E_LIMIT, "YAML: %zu bytes, at most %d are read", input.length,
                       ZV_YAML_MAX_BYTES);
    }
    struct builder builder = {.arena = arena, .err = err};
    if (yaml_parser_initialize(&builder.parser) == 0) {
        return zv_fail_memory(err, "a YAML document");
    }
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)input.at, input.length);
    enum zv_status status = build(&builder);
    if (status == ZV_OK && builder.count == 0) {
        *root = &nothing;
    } else if (status == ZV_OK) {
        struct zv_yaml_value *const copy = zv_arena_alloc(arena, sizeof *copy);
        if (copy == NULL) {
            status = zv_fail_memory(err, "a YAML document");
        } else {
            *copy = builder.stack[0];
            *root = copy;
        }
    }
    yaml_parser_delete(&builder.parser);
    zv_memory_free(builder.stack);
    return status;
}

const struct zv_yaml_value *zv_yaml_find(const struct zv_yaml_value *map, const char *key)
{
    if (map == NULL || map->kind != ZV_YAML_MAP) {
        return NULL;
    }
    for (size_t i = 0; i < map->items.count; i++) {
        if (zv_slice_equal(map->items.at[i].key, key)) {
            return &map->items.at[i];
        }
    }
    return NULL;
}

size_t zv_yaml_count(const struct zv_yaml_value *value)
{
    return value != NULL ? value->items.count : 0;
}

const struct zv_yaml_value *zv_yaml_item(const struct zv_yaml_value *value, size_t position)
{
    return position < zv_yaml_count(value) ? &value->items.at[position] : NULL;
}

bool zv_yaml_text(const struct zv_yaml_value *value, struct zv_slice *to)
{
    if (value == NULL || value->kind != ZV_YAML_TEXT) {
        return false;
    }
    *to = value->text;
    return true;
}

bool zv_yaml_bool(const struct zv_yaml_value *value, bool *to)
{
    static const char *const words[] = {"false", "no", "off", "true", "yes", "on"};
    for (size_t i = 0; value != NULL && value->kind == ZV_YAML_TEXT && i < 6; i++) {
        if (zv_slice_equal_nocase(value->text, words[i])) {
            *to = i >= 3;
            return true;
        }
    }
    return false;
}

const char *zv_yaml_kind_name(const struct zv_yaml_value *value)
{
    static const char *const names[] = {"nothing", "a text", "a list", "a map"};
    return names[value != NULL ? value->kind : ZV_YAML_NULL];
}

enum zv_status zv_yaml_fail(const struct zv_yaml_value *at, struct zv_error *err,
                            enum zv_status status, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return zv_fail_line(err, status, at->line, "column %u: %s", at->column, text);
}
