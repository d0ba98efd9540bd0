#include "format/gguf_types.h"

#include "base/checked.h"

/* Generated from data/gguf_types.tsv by tools/gguf_types.awk, by rising id. */
static const struct zv_gguf_type types[] = {
#include "format/gguf_types_rows.inc"
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const struct zv_gguf_type *zv_gguf_type_find(uint32_t id)
{
    size_t low = 0;
    size_t high = TYPE_COUNT;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (types[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < TYPE_COUNT && types[low].id == id ? &types[low] : NULL;
}

const struct zv_gguf_type *zv_gguf_type_named(struct zv_slice name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (zv_slice_equal_nocase(name, types[i].name)) {
            return &types[i];
        }
    }
    return NULL;
}

size_t zv_gguf_type_count(void)
{
    return TYPE_COUNT;
}

const struct zv_gguf_type *zv_gguf_type_at(size_t index)
{
    return index < TYPE_COUNT ? &types[index] : NULL;
}

bool zv_gguf_type_bytes(const struct zv_gguf_type *type, uint64_t row_elements, uint64_t rows,
                        uint64_t *bytes)
{
    if (type->block_elements == 0 || row_elements % type->block_elements != 0) {
        return false;
    }
    uint64_t size;
    return zv_mul(row_elements / type->block_elements, type->block_bytes, &size) &&
           zv_add(size, type->row_bytes, &size) && zv_mul(size, rows, &size) &&
           zv_add(size, type->tensor_bytes, bytes);
}
