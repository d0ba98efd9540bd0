/*
 * Any bytes: a tree that is read, written and read again must be the same tree, and every member
 * must be found under its key.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "format/json_tree.h"
#include "format/json_writer.h"

enum { MAX_DEPTH = 256 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void write_scalar(struct zv_json_writer *json, const struct zv_json_value *value)
{
    bool truth = false;
    struct zv_slice text;
    switch (value->kind) {
    case ZV_JSON_IS_NULL:
        zv_json_write_null(json);
        break;
    case ZV_JSON_IS_BOOL:
        must(zv_json_bool(value, &truth));
        zv_json_write_bool(json, truth);
        break;
    case ZV_JSON_IS_NUMBER:
        zv_json_write_number(json, value->u.text);
        break;
    case ZV_JSON_IS_STRING:
        must(zv_json_string(value, &text));
        zv_json_write_slice(json, text);
        break;
    case ZV_JSON_IS_ARRAY:
    case ZV_JSON_IS_OBJECT:
        abort();
    }
}

static void end_container(struct zv_json_writer *json, const struct zv_json_value *container)
{
    if (container->kind == ZV_JSON_IS_OBJECT) {
        zv_json_end_object(json);
    } else {
        zv_json_end_array(json);
    }
}

static bool begin_container(struct zv_json_writer *json, const struct zv_json_value *value)
{
    if (value->kind == ZV_JSON_IS_OBJECT) {
        zv_json_begin_object(json);
    } else if (value->kind == ZV_JSON_IS_ARRAY) {
        zv_json_begin_array(json);
    } else {
        write_scalar(json, value);
        return false;
    }
    return true;
}

static void write_tree(struct zv_json_writer *json, const struct zv_json_value *root)
{
    const struct zv_json_value *open[MAX_DEPTH];
    size_t next[MAX_DEPTH] = {0};
    size_t depth = 0;
    if (begin_container(json, root)) {
        open[depth++] = root;
    }
    while (depth != 0) {
        const struct zv_json_value *const container = open[depth - 1];
        const struct zv_json_value *const item = zv_json_item(container, next[depth - 1]++);
        if (item == NULL) {
            end_container(json, container);
            depth--;
            continue;
        }
        if (container->kind == ZV_JSON_IS_OBJECT) {
            must(zv_json_find_slice(container, item->key) == item);
            zv_json_write_key_slice(json, item->key);
        }
        if (begin_container(json, item)) {
            must(depth < MAX_DEPTH);
            next[depth] = 0;
            open[depth++] = item;
        }
    }
    zv_json_finish(json);
}

static bool same_text(struct zv_slice a, struct zv_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static void compare(const struct zv_json_value *a, const struct zv_json_value *b)
{
    must(a != NULL && b != NULL && a->kind == b->kind && same_text(a->key, b->key));
    must(zv_json_count(a) == zv_json_count(b));
    if (a->kind == ZV_JSON_IS_STRING || a->kind == ZV_JSON_IS_NUMBER) {
        must(same_text(a->u.text, b->u.text));
    }
    bool first = false;
    bool second = false;
    must(zv_json_bool(a, &first) == zv_json_bool(b, &second) && first == second);
}

static void compare_trees(const struct zv_json_value *a, const struct zv_json_value *b)
{
    const struct zv_json_value *open[MAX_DEPTH][2];
    size_t next[MAX_DEPTH] = {0};
    size_t depth = 1;
    open[0][0] = a;
    open[0][1] = b;
    compare(a, b);
    while (depth != 0) {
        const size_t i = next[depth - 1]++;
        const struct zv_json_value *const left = zv_json_item(open[depth - 1][0], i);
        const struct zv_json_value *const right = zv_json_item(open[depth - 1][1], i);
        if (left == NULL) {
            must(right == NULL);
            depth--;
            continue;
        }
        compare(left, right);
        if (zv_json_count(left) != 0) {
            next[depth] = 0;
            open[depth][0] = left;
            open[depth++][1] = right;
        }
    }
}

static void check(const struct zv_json_value *root, enum zv_json_option option,
                  struct zv_arena *arena)
{
    struct zv_buffer buffer = {.limit = 1 << 28};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    struct zv_json_writer json = {.sink = &sink};
    const struct zv_json_value *again;
    write_tree(&json, root);
    must(!sink.failed);
    const struct zv_slice written = {buffer.data, buffer.size};
    must(zv_json_tree_read(&again, written, option, arena, NULL) == ZV_OK);
    compare_trees(root, again);
    zv_buffer_free(&buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_slice input = {(const char *)data, size};
    for (int i = 0; i < 2; i++) {
        const enum zv_json_option option = i == 0 ? ZV_JSON_STRICT : ZV_JSON_ALLOW_NONFINITE;
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_json_value *root;
        const enum zv_status status = zv_json_tree_read(&root, input, option, &arena, &err);
        must(status == err.status && (root != NULL) == (status == ZV_OK));
        must(status == ZV_OK || (err.has_offset && err.offset <= size));
        if (status == ZV_OK) {
            check(root, option, &arena);
        }
        zv_arena_free(&arena);
    }
    return 0;
}
