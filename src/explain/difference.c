#include "explain/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/strmap.h"

static uint64_t size_of(const struct zv_changed *changed)
{
    return changed->before_bytes > changed->after_bytes
               ? changed->before_bytes - changed->after_bytes
               : changed->after_bytes - changed->before_bytes;
}

static int by_change(const void *a, const void *b)
{
    const struct zv_changed *const left = a;
    const struct zv_changed *const right = b;
    if (size_of(left) != size_of(right)) {
        return size_of(left) > size_of(right) ? -1 : 1;
    }
    const size_t length =
        left->label.length < right->label.length ? left->label.length : right->label.length;
    const int order = length == 0 ? 0 : memcmp(left->label.at, right->label.at, length);
    return order != 0 ? order
                      : (left->label.length > right->label.length) -
                            (left->label.length < right->label.length);
}

static struct zv_changed *find(struct zv_difference *difference, struct zv_strmap *map,
                               struct zv_slice label)
{
    struct zv_strmap_entry *entry;
    switch (zv_strmap_add(map, label, difference->count, &entry)) {
    case ZV_STRMAP_NOMEM:
        return NULL;
    case ZV_STRMAP_ADDED:
        difference->at[difference->count++] = (struct zv_changed){.label = label};
        break;
    case ZV_STRMAP_EXISTS:
        break;
    }
    return &difference->at[entry->value];
}

enum zv_status zv_difference_make(struct zv_difference *difference, const struct zv_groups *before,
                                  const struct zv_groups *after, struct zv_arena *arena,
                                  struct zv_error *err)
{
    struct zv_strmap map = {0};
    *difference = (struct zv_difference){0};
    difference->at = zv_arena_array(arena, before->count + after->count, sizeof *difference->at);
    bool fine = difference->at != NULL;
    for (size_t i = 0; i < before->count && fine; i++) {
        struct zv_changed *const changed = find(difference, &map, before->at[i].label);
        fine = changed != NULL;
        if (fine) {
            changed->before_bytes += before->at[i].bytes;
            changed->before_blocks += before->at[i].blocks;
        }
    }
    for (size_t i = 0; i < after->count && fine; i++) {
        struct zv_changed *const changed = find(difference, &map, after->at[i].label);
        fine = changed != NULL;
        if (fine) {
            changed->after_bytes += after->at[i].bytes;
            changed->after_blocks += after->at[i].blocks;
        }
    }
    zv_strmap_free(&map);
    if (!fine) {
        return zv_fail_memory(err, "a difference");
    }
    qsort(difference->at, difference->count, sizeof *difference->at, by_change);
    return ZV_OK;
}
