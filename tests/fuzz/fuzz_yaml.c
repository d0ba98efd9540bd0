/*
 * Any bytes as YAML: a tree within the limits or an error, and the same each time. Every key of a
 * map is found again, at its own value.
 */
#include <stdlib.h>

#include "format/yaml.h"

static size_t walk(const struct zv_yaml_value *value, size_t depth)
{
    size_t count = 1;
    if (depth > ZV_YAML_MAX_DEPTH || value->line == 0 || value->column == 0) {
        abort();
    }
    for (size_t i = 0; i < zv_yaml_count(value); i++) {
        const struct zv_yaml_value *const item = zv_yaml_item(value, i);
        if (value->kind == ZV_YAML_MAP && zv_yaml_find(value, item->key.at) != item) {
            abort();
        }
        count += walk(item, depth + 1);
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t counts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_yaml_value *root;
        const struct zv_slice text = {(const char *)data, size};
        const enum zv_status status = zv_yaml_read(&root, text, &arena, &err);
        if ((status == ZV_OK) != (root != NULL) || (status != ZV_OK && err.status != status)) {
            abort();
        }
        counts[i] = status == ZV_OK ? walk(root, 0) : 0;
        zv_arena_free(&arena);
    }
    if (counts[0] != counts[1] || counts[0] > ZV_YAML_MAX_VALUES) {
        abort();
    }
    return 0;
}
