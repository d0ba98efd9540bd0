#include "explain/against.h"

#include "base/checked.h"
#include "base/fail.h"
#include "format/json_tree.h"

const char *zv_against_name(enum zv_against_row row)
{
    static const char *const names[] = {
        "weights, cache, inputs", "gradients",          "optimizer states", "activations",
        "others of the estimate", "rounding of blocks", "allocated",        "cached, not in use",
        "outside the allocator"};
    return (unsigned)row < ZV_AGAINST_COUNT ? names[row] : "";
}

static bool text_is(const struct zv_json_value *item, const char *key, const char *expected)
{
    struct zv_slice text;
    return zv_json_string(zv_json_find(item, key), &text) && zv_slice_equal(text, expected);
}

static enum zv_against_row row_of(const struct zv_json_value *item)
{
    if (text_is(item, "group", "weights") || text_is(item, "group", "cache")) {
        return ZV_AGAINST_RESIDENT;
    }
    if (text_is(item, "group", "activations")) {
        return ZV_AGAINST_ACTIVATIONS;
    }
    if (text_is(item, "id", "gradients")) {
        return ZV_AGAINST_GRADIENTS;
    }
    if (text_is(item, "id", "optimizer")) {
        return ZV_AGAINST_OPTIMIZER;
    }
    return text_is(item, "group", "runtime") ? ZV_AGAINST_OUTSIDE : ZV_AGAINST_OTHER;
}

/* The group of devices that needs most: the one that decides. */
static const struct zv_json_value *fullest(const struct zv_json_value *totals)
{
    const struct zv_json_value *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < zv_json_count(totals); i++) {
        const struct zv_json_value *const total = zv_json_item(totals, i);
        uint64_t bytes = 0;
        (void)zv_json_u64(zv_json_find(total, "expected_bytes"), &bytes);
        if (best == NULL || bytes > most) {
            best = total;
            most = bytes;
        }
    }
    return best;
}

/* An item whose bytes are not known makes its row unknown, never 0. */
static bool add_item(struct zv_against *against, const struct zv_json_value *item)
{
    struct zv_against_figure *const figure = &against->rows[row_of(item)].estimated;
    uint64_t bytes = 0;
    if (!zv_json_u64(zv_json_find(item, "bytes"), &bytes)) {
        figure->known = false;
        return true;
    }
    return zv_add(figure->bytes, bytes, &figure->bytes);
}

static enum zv_status read_estimate(struct zv_against *against, const struct zv_json_value *root,
                                    struct zv_error *err)
{
    const struct zv_json_value *const items = zv_json_find(root, "items");
    const struct zv_json_value *const total = fullest(zv_json_find(root, "totals"));
    uint64_t scope = 0;
    if (text_is(root, "schema", "zirve.step/1")) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "a step run op by op has no items to compare: expected the output of 'zirve "
                       "estimate --json' without --framework");
    }
    if (!text_is(root, "schema", "zirve.estimate/1")) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "no estimate: expected the output of 'zirve estimate --json'");
    }
    (void)zv_json_u64(zv_json_find(total, "scope"), &scope);
    (void)zv_json_string(zv_json_find(total, "phase"), &against->phase);
    for (int row = 0; row < ZV_AGAINST_ROUNDING; row++) {
        against->rows[row].estimated.known = true;
    }
    against->rows[ZV_AGAINST_OUTSIDE].estimated.known = true;
    for (size_t i = 0; i < zv_json_count(items); i++) {
        const struct zv_json_value *const item = zv_json_item(items, i);
        struct zv_slice phase = {0};
        uint64_t its = 0;
        const bool bound = zv_json_string(zv_json_find(item, "phase"), &phase);
        if (!zv_json_u64(zv_json_find(item, "scope"), &its) || its != scope ||
            (bound && !zv_slice_same(phase, against->phase))) {
            continue;
        }
        if (!add_item(against, item)) {
            return zv_fail(err, ZV_E_OVERFLOW, "an estimate of more than 2^64 bytes");
        }
    }
    return ZV_OK;
}

/* Items inside the allocator only. */
static enum zv_status sum_estimate(struct zv_against *against, struct zv_error *err)
{
    struct zv_against_figure *const sum = &against->rows[ZV_AGAINST_SUM].estimated;
    sum->known = true;
    for (int row = 0; row <= ZV_AGAINST_OTHER; row++) {
        const struct zv_against_figure *const one = &against->rows[row].estimated;
        sum->known = sum->known && one->known;
        if (!zv_add(sum->bytes, one->bytes, &sum->bytes)) {
            return zv_fail(err, ZV_E_OVERFLOW, "an estimate of more than 2^64 bytes");
        }
    }
    return ZV_OK;
}

static void add_roles(struct zv_against *against, const struct zv_groups *roles)
{
    for (size_t i = 0; i < roles->count; i++) {
        const struct zv_slice label = roles->at[i].label;
        enum zv_against_row row = ZV_AGAINST_RESIDENT;
        row = zv_slice_equal(label, "optimizer")  ? ZV_AGAINST_OPTIMIZER
              : zv_slice_equal(label, "backward") ? ZV_AGAINST_GRADIENTS
              : zv_slice_equal(label, "forward")  ? ZV_AGAINST_ACTIVATIONS
                                                  : ZV_AGAINST_RESIDENT;
        against->rows[row].recorded.bytes += roles->at[i].requested_bytes;
        against->roles_told = against->roles_told || row != ZV_AGAINST_RESIDENT;
    }
    for (int row = 0; row <= ZV_AGAINST_ACTIVATIONS; row++) {
        against->rows[row].recorded.known = against->roles_told;
    }
}

static void add_heap(struct zv_against *against, const struct zv_heap *heap)
{
    const struct zv_trace_usage *const usage = &heap->usage;
    against->rows[ZV_AGAINST_ROUNDING].recorded =
        (struct zv_against_figure){true, usage->active_bytes - usage->requested_bytes};
    against->rows[ZV_AGAINST_SUM].recorded = (struct zv_against_figure){true, usage->active_bytes};
    against->rows[ZV_AGAINST_CACHED].recorded =
        (struct zv_against_figure){true, usage->reserved_bytes - usage->active_bytes};
}

enum zv_status zv_against_make(struct zv_against *against, struct zv_slice json,
                               const struct zv_record *record, const struct zv_heap *heap,
                               struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *root = NULL;
    struct zv_groups roles;
    *against = (struct zv_against){.known = record->trace.known};
    enum zv_status status = zv_json_tree_read(&root, json, ZV_JSON_STRICT, arena, err);
    status = status == ZV_OK ? read_estimate(against, root, err) : status;
    status = status == ZV_OK ? sum_estimate(against, err) : status;
    status = status == ZV_OK ? zv_groups_make(&roles, record, heap,
                                              (struct zv_grouping){.by = ZV_GROUP_ROLE}, arena, err)
                             : status;
    if (status != ZV_OK) {
        return status;
    }
    add_roles(against, &roles);
    add_heap(against, heap);
    return ZV_OK;
}
