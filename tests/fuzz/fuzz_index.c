/*
 * Any bytes as model.safetensors.index.json: what is read as it comes is refused, or says the same,
 * as the whole file as a tree.
 */
#include <stdlib.h>
#include <string.h>

#include "format/json_tree.h"
#include "model/model_index.h"

/* What the tree says: whether it is an index, its tensors and its shards. */
static bool read_tree(struct zv_slice text, struct zv_arena *arena, struct model_index *to)
{
    const struct zv_json_value *root;
    *to = (struct model_index){0};
    if (zv_json_tree_read(&root, text, ZV_JSON_ALLOW_NONFINITE, arena, NULL) != ZV_OK) {
        return false;
    }
    const struct zv_json_value *const map = zv_json_find(root, "weight_map");
    bool good = zv_json_is(map, ZV_JSON_IS_OBJECT) && zv_json_count(map) != 0;
    for (size_t i = 0; good && i < zv_json_count(map); i++) {
        struct zv_slice name = {0};
        struct zv_strmap_entry *entry;
        good = zv_json_string(zv_json_item(map, i), &name) && name.length != 0 &&
               memchr(name.at, '/', name.length) == NULL;
        if (good && zv_strmap_add(&to->shards, name, 0, &entry) == ZV_STRMAP_NOMEM) {
            abort();
        }
    }
    to->tensor_count = zv_json_count(map);
    to->has_total_size =
        zv_json_u64(zv_json_find(zv_json_find(root, "metadata"), "total_size"), &to->total_size);
    return good && to->shards.count <= MODEL_MAX_FILES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_slice text = {(const char *)data, size};
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct model_index index;
    struct model_index tree;
    const bool good = read_tree(text, &arena, &tree);
    const enum zv_status status = model_index_parse(&index, text, &arena, &err);
    if ((status == ZV_OK) != good || (status != ZV_OK && err.text[0] == 0) ||
        (err.has_offset && err.offset > size)) {
        abort();
    }
    if (good &&
        (index.tensor_count != tree.tensor_count || index.has_total_size != tree.has_total_size ||
         (index.has_total_size && index.total_size != tree.total_size) ||
         index.shards.count != tree.shards.count)) {
        abort();
    }
    for (size_t i = 0; good && i < tree.shards.count; i++) {
        if (!zv_slice_same(index.shards.entries[i].key, tree.shards.entries[i].key)) {
            abort();
        }
    }
    model_index_close(&index);
    model_index_close(&tree);
    zv_arena_free(&arena);
    return 0;
}
