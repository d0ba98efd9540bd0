/* Figures: named integers of one simulation, in the order they are reported. */
#ifndef ZIRVE_KV_FIGURES_H
#define ZIRVE_KV_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum { KV_MAX_FIGURES = 24 };

struct kv_figures {
    size_t count;
    struct kv_figure {
        const char *name;
        uint64_t value;
    } at[KV_MAX_FIGURES];
};

void kv_figures_add(struct kv_figures *figures, const char *name, uint64_t value);

/* NULL when there is none of this name. */
const uint64_t *kv_figures_find(const struct kv_figures *figures, struct zv_slice name);

#endif
