#include "step/region.h"

#include <string.h>

#include "step/op_table.h"

enum { FEW = 64 };

static const char *const names[STEP_KEEPS_UNARY] = {
    "mm",  "addmm", "bmm", "baddbmm", "convolution", "flash",   "efficient",  "add",
    "sub", "mul",   "div", "to",      "dropout",     "softmax", "layer_norm", "max",
};

const char *step_keeps_name(size_t index)
{
    if (index < STEP_KEEPS_UNARY) {
        return names[index];
    }
    const char *const unary = step_unary_name((uint32_t)(index - STEP_KEEPS_UNARY));
    return index < STEP_KEEPS_COUNT && *unary != 0 ? unary : NULL;
}

int step_keeps_find(struct zv_slice name)
{
    size_t at = 0;
    const char *of = step_keeps_name(at);
    while (of != NULL && !zv_slice_equal(name, of)) {
        of = step_keeps_name(++at);
    }
    return of != NULL ? (int)at : -1;
}

/* ---- life ---- */

struct step_region *step_region_new(struct step_engine *e)
{
    struct step_region *region = e->unused_regions;
    if (region == NULL) {
        region = zv_arena_alloc(e->arena, sizeof *region);
        if (region == NULL) {
            step_fail(e, ZV_E_NOMEM, "no host memory for a checkpoint");
            return NULL;
        }
        *region = (struct step_region){.refs = 1};
        return region;
    }
    e->unused_regions = region->next;
    *region = (struct step_region){.refs = 1,
                                   .holders = region->holders,
                                   .capacity = region->capacity,
                                   .kept = region->kept,
                                   .kept_capacity = region->kept_capacity};
    return region;
}

static void drop_kept(struct step_engine *e, struct step_kept *kept)
{
    if (kept->t != NULL) {
        kept->t->storage->saved--;
        step_clear(e, &kept->t);
    }
}

void step_region_drop(struct step_engine *e, struct step_region *region)
{
    if (region == NULL || --region->refs != 0) {
        return;
    }
    for (size_t i = 0; i < region->kept_count; i++) {
        drop_kept(e, &region->kept[i]);
    }
    if (region->again != NULL) {
        step_again_drop(e, region->again);
    }
    region->next = e->unused_regions;
    e->unused_regions = region;
}

/* Room for one more in an array of the arena, twice as long as before. */
static void *grown(struct step_engine *e, void *old, size_t count, size_t *capacity, size_t each)
{
    if (count < *capacity) {
        return old;
    }
    const size_t more = *capacity == 0 ? FEW : *capacity * 2;
    char *const array = zv_arena_array(e->arena, more, each);
    if (array == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for a checkpoint");
        return NULL;
    }
    if (count != 0) {
        memcpy(array, old, count * each);
    }
    *capacity = more;
    return array;
}

/* ---- saved tensors ---- */

static void hold(struct step_engine *e, struct step_node *node, size_t slot)
{
    struct step_region *const region = e->region;
    struct step_holder *const holders =
        grown(e, region->holders, region->count, &region->capacity, sizeof *holders);
    if (holders == NULL) {
        return;
    }
    region->holders = holders;
    holders[region->count++] = (struct step_holder){node, (uint32_t)slot};
    node->region = region;
    node->holder[slot] = (uint32_t)region->count;
    region->refs++;
}

/* The last one ends the run: what saved it, and all that called that, go no further. */
static void give(struct step_engine *e, const struct step_tensor *t)
{
    struct step_region *const region = e->region;
    if (region->filled == region->count) {
        return;
    }
    const struct step_holder *const to = &region->holders[region->filled++];
    if (to->node != NULL) {
        struct step_tensor *const copy = step_detach(e, t);
        to->node->saved[to->slot] = copy;
        if (copy != NULL) {
            copy->storage->saved++;
        }
    }
    e->stopped = region->filled == region->count;
}

void step_region_save(struct step_engine *e, struct step_node *node, size_t slot,
                      const struct step_tensor *t)
{
    if (t == NULL || !step_ok(e)) {
        return;
    }
    if (e->region->runs_again) {
        give(e, t);
    } else {
        hold(e, node, slot);
    }
}

void step_region_fill(struct step_engine *e, struct step_region *region)
{
    if (region->is_filled) {
        return;
    }
    const uint32_t label_before = e->label;
    struct step_region *const around = e->region;
    e->region = region;
    region->is_filled = true;
    region->runs_again = true;
    memset(region->seen, 0, sizeof region->seen);
    region->run(e, region);
    e->region = around;
    e->label = label_before;
    if (step_ok(e) && region->filled != region->count) {
        step_fail(e, ZV_E_BUG, "a checkpoint saves %zu tensors, and %zu when it is run again",
                  region->count, region->filled);
    }
}

void step_region_release(struct step_engine *e, struct step_node *node, size_t slot)
{
    node->region->holders[node->holder[slot] - 1].node = NULL;
    node->holder[slot] = 0;
    step_region_drop(e, node->region);
}

/* ---- results that are kept ---- */

static bool is_kept(const struct step_region *region, uint32_t operation)
{
    const uint32_t every = region->policy != NULL ? region->policy->every[operation] : 0;
    return every != 0 && (region->seen[operation] - 1) % every == 0;
}

struct step_tensor *step_region_take_more(struct step_engine *e, uint32_t operation)
{
    struct step_region *const region = e->region;
    for (size_t i = 0; i < region->kept_count; i++) {
        struct step_kept *const kept = &region->kept[i];
        if (kept->operation == operation && kept->t != NULL) {
            struct step_tensor *const t = kept->t;
            kept->t = NULL;
            t->storage->saved--;
            return t;
        }
    }
    return NULL;
}

struct step_tensor *step_region_take(struct step_engine *e, uint32_t operation)
{
    struct step_region *const region = e->region;
    if (!step_ok(e)) {
        return NULL;
    }
    region->seen[operation]++;
    return region->runs_again && is_kept(region, operation) ? step_region_take_more(e, operation)
                                                            : NULL;
}

void step_region_keep(struct step_engine *e, uint32_t operation, const struct step_tensor *result)
{
    struct step_region *const region = e->region;
    if (region->runs_again || !is_kept(region, operation) || result == NULL) {
        return;
    }
    struct step_kept *const kept =
        grown(e, region->kept, region->kept_count, &region->kept_capacity, sizeof *kept);
    struct step_tensor *const copy = kept != NULL ? step_detach(e, result) : NULL;
    if (copy != NULL) {
        region->kept = kept;
        kept[region->kept_count++] = (struct step_kept){operation, copy};
        copy->storage->saved++;
    }
}
