#include "explain/settings.h"

#include <stdbool.h>
#include <string.h>

#include "base/fail.h"

enum kind { EXPANDABLE, SPLIT, ROUNDUP, COLLECT };

static const struct {
    enum kind kind;
    const char *conf;
} singles[] = {
    {EXPANDABLE, "expandable_segments:True"},
    {SPLIT, "max_split_size_mb:64"},
    {SPLIT, "max_split_size_mb:128"},
    {SPLIT, "max_split_size_mb:256"},
    {SPLIT, "max_split_size_mb:512"},
    {ROUNDUP, "roundup_power2_divisions:4"},
    {ROUNDUP, "roundup_power2_divisions:8"},
    {ROUNDUP, "roundup_power2_divisions:16"},
    {COLLECT, "garbage_collection_threshold:0.8"},
};

/* Blocks of an expandable segment are never oversized: a limit of splitting changes nothing there.
 */
static const enum kind pairs[][2] = {
    {EXPANDABLE, ROUNDUP}, {SPLIT, ROUNDUP}, {EXPANDABLE, COLLECT}, {SPLIT, COLLECT}};

int zv_tried_order(const struct zv_tried *a, const struct zv_tried *b)
{
    if (a->failures != b->failures) {
        return a->failures < b->failures ? -1 : 1;
    }
    if (a->reserved_bytes != b->reserved_bytes) {
        return a->reserved_bytes < b->reserved_bytes ? -1 : 1;
    }
    return (a->calls > b->calls) - (a->calls < b->calls);
}

static const struct zv_tried *find(const struct zv_tried *tried, size_t count, const char *conf)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(tried[i].conf, conf) == 0) {
            return &tried[i];
        }
    }
    return NULL;
}

/* The best one of a kind; NULL: none was tried. */
static const struct zv_tried *best(const struct zv_tried *tried, size_t count, enum kind kind)
{
    const struct zv_tried *found = NULL;
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
        const struct zv_tried *const one =
            singles[i].kind == kind ? find(tried, count, singles[i].conf) : NULL;
        if (one != NULL && (found == NULL || zv_tried_order(one, found) < 0)) {
            found = one;
        }
    }
    return found;
}

enum zv_status zv_setting_next(const char **conf, const struct zv_tried *tried, size_t count,
                               struct zv_arena *arena, struct zv_error *err)
{
    *conf = NULL;
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
        if (find(tried, count, singles[i].conf) == NULL) {
            *conf = singles[i].conf;
            return ZV_OK;
        }
    }
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct zv_tried *const first = best(tried, count, pairs[i][0]);
        const struct zv_tried *const second = best(tried, count, pairs[i][1]);
        if (first == NULL || second == NULL) {
            continue;
        }
        const char *const both = zv_arena_print(arena, "%s,%s", first->conf, second->conf);
        if (both == NULL) {
            return zv_fail_memory(err, "settings");
        }
        if (find(tried, count, both) == NULL) {
            *conf = both;
            return ZV_OK;
        }
    }
    return ZV_OK;
}
