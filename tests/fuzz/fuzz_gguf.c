/*
 * Any bytes: when a file is accepted, every tensor lies aligned inside it and no two share a byte,
 * every value of every array can be walked to its end, and keys and names differ.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/gguf.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool same_text(struct zv_slice a, struct zv_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static void check_scalar(const struct zv_gguf_value *value)
{
    uint64_t u64 = 0;
    int64_t i64 = 0;
    double real = 0;
    struct zv_slice text;
    if (zv_gguf_u64(value, &u64) && zv_gguf_i64(value, &i64)) {
        must((int64_t)u64 == i64 && i64 >= 0);
    }
    must(!zv_gguf_double(value, &real) || isfinite(real));
    must(zv_gguf_string(value, &text) == (value->type == ZV_GGUF_STRING));
}

/* All elements, depth first. */
static void check_value(const struct zv_gguf_value *value, size_t size)
{
    struct zv_gguf_walk open[ZV_GGUF_MAX_NESTING];
    size_t depth = 0;
    check_scalar(value);
    if (value->type == ZV_GGUF_ARRAY) {
        open[depth++] = zv_gguf_walk(value);
    }
    while (depth != 0) {
        struct zv_gguf_walk *const walk = &open[depth - 1];
        const uint64_t left = walk->left;
        struct zv_gguf_value element;
        if (!zv_gguf_next(walk, &element)) {
            must(left == 0 && walk->rest.length == 0);
            depth--;
            continue;
        }
        must(walk->left == left - 1 && element.offset <= size);
        check_scalar(&element);
        if (element.type == ZV_GGUF_ARRAY) {
            must(depth < ZV_GGUF_MAX_NESTING);
            open[depth++] = zv_gguf_walk(&element);
        }
    }
}

static void check_tensors(const struct zv_gguf *file, size_t size)
{
    for (size_t i = 0; i < file->tensor_count; i++) {
        const struct zv_gguf_tensor *const tensor = &file->tensors[i];
        const uint64_t end = tensor->data_offset + tensor->bytes;
        must(tensor->data_offset >= file->data_offset && end >= tensor->data_offset);
        must(end <= size && end <= file->data_end);
        must((tensor->data_offset - file->data_offset) % file->alignment == 0);
        must(tensor->elements != 0);
        for (size_t k = 0; k < i; k++) {
            const struct zv_gguf_tensor *const other = &file->tensors[k];
            must(!same_text(tensor->name, other->name));
            must(end <= other->data_offset ||
                 other->data_offset + other->bytes <= tensor->data_offset);
        }
    }
}

static void check(const struct zv_gguf *file, size_t size)
{
    must(file->data_end <= size && file->header_bytes <= size);
    must(file->split_count == 0 || file->split_no < file->split_count);
    for (size_t i = 0; i < file->pair_count; i++) {
        check_value(&file->pairs[i].value, size);
        for (size_t k = 0; k < i; k++) {
            must(!same_text(file->pairs[i].key, file->pairs[k].key));
        }
    }
    check_tensors(file, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_gguf file;
    const struct zv_slice input = {(const char *)data, size};
    const enum zv_status status = zv_gguf_read(&file, input, &arena, &err);
    must(status == err.status);
    must(status == ZV_OK || (err.has_offset && err.offset <= size));
    if (status == ZV_OK) {
        check(&file, size);
    }
    zv_arena_free(&arena);
    return 0;
}
