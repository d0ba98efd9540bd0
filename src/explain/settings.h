/*
 * Settings worth trying, in the words of PYTORCH_ALLOC_CONF, and which one next: first those of one
 * kind each, then the best of two kinds that may help each other.
 */
#ifndef ZIRVE_EXPLAIN_SETTINGS_H
#define ZIRVE_EXPLAIN_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "zirve/arena.h"
#include "zirve/error.h"

/* What came of one. */
struct zv_tried {
    const char *conf;
    uint64_t failures; /* requests */
    uint64_t reserved_bytes;
    uint64_t calls; /* of the driver */
};

/* Fewest failures, then least reserved, then fewest calls; 0: they came to the same. */
int zv_tried_order(const struct zv_tried *a, const struct zv_tried *b);

/*
 * *conf is what to try after what was tried (in that order; the settings as they were among them);
 * NULL: no more. It lives in the arena or for ever. Errors: ZV_E_NOMEM.
 */
enum zv_status zv_setting_next(const char **conf, const struct zv_tried *tried, size_t count,
                               struct zv_arena *arena, struct zv_error *err);

#endif
