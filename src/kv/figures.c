#include "kv/figures.h"

#include <assert.h>

void kv_figures_add(struct kv_figures *figures, const char *name, uint64_t value)
{
    assert(figures->count < KV_MAX_FIGURES);
    figures->at[figures->count++] = (struct kv_figure){name, value};
}

const uint64_t *kv_figures_find(const struct kv_figures *figures, struct zv_slice name)
{
    for (size_t i = 0; i < figures->count; i++) {
        if (zv_slice_equal(name, figures->at[i].name)) {
            return &figures->at[i].value;
        }
    }
    return NULL;
}
