#include "trace/golden_case.h"

#include "base/fail.h"
#include "format/json_tree.h"

/* An unsigned member; absent is fine unless it is required. */
static enum zv_status read_u64(const struct zv_json_value *object, const char *key, bool required,
                               bool *known, uint64_t *to, struct zv_error *err)
{
    const struct zv_json_value *const value = zv_json_find(object, key);
    *known = value != NULL;
    if (value == NULL && !required) {
        return ZV_OK;
    }
    if (!zv_json_u64(value, to)) {
        return zv_fail(err, ZV_E_SYNTAX, "%s: expected a whole number, got %s", key,
                       zv_json_kind_name(value));
    }
    return ZV_OK;
}

static enum zv_status read_text(const struct zv_json_value *object, const char *key,
                                const char **to, struct zv_error *err)
{
    struct zv_slice text;
    const struct zv_json_value *const value = zv_json_find(object, key);
    if (!zv_json_string(value, &text)) {
        return zv_fail(err, ZV_E_SYNTAX, "%s: expected a string, got %s", key,
                       zv_json_kind_name(value));
    }
    *to = text.at; /* NUL-terminated, in the arena */
    return ZV_OK;
}

static enum zv_status read_peaks(struct zv_golden_case *to, const struct zv_json_value *peaks,
                                 struct zv_error *err)
{
    static const struct {
        const char *key;
        enum zv_stat stat;
    } names[] = {{"allocated", ZV_STAT_ALLOCATED_BYTES},
                 {"reserved", ZV_STAT_RESERVED_BYTES},
                 {"active", ZV_STAT_ACTIVE_BYTES},
                 {"requested", ZV_STAT_REQUESTED_BYTES},
                 {"inactive_split", ZV_STAT_INACTIVE_SPLIT_BYTES},
                 {"segments", ZV_STAT_SEGMENT}};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == ZV_OK; i++) {
        struct zv_golden_peak *const peak = &to->peaks[names[i].stat];
        status = read_u64(peaks, names[i].key, false, &peak->known, &peak->value, err);
    }
    return status;
}

enum zv_status zv_golden_case_read(struct zv_golden_case *to, struct zv_slice json,
                                   struct zv_arena *arena, struct zv_error *err)
{
    *to = (struct zv_golden_case){0};
    const struct zv_json_value *root;
    const char *allocator = "";
    bool known;
    enum zv_status status = zv_json_tree_read(&root, json, ZV_JSON_STRICT, arena, err);
    if (status == ZV_OK) {
        status = read_text(root, "allocator", &allocator, err);
    }
    if (status == ZV_OK && !zv_torch_profile_parse(allocator, &to->profile)) {
        status = zv_fail(err, ZV_E_UNSUPPORTED, "allocator: expected PyTorch 2.1 or later");
    }
    if (status == ZV_OK) {
        status = read_text(root, "alloc_conf", &to->conf, err);
    }
    if (status == ZV_OK) {
        status = read_u64(root, "capacity_bytes", true, &known, &to->capacity_bytes, err);
    }
    if (status == ZV_OK) {
        status = read_u64(root, "baseline_bytes", false, &known, &to->baseline_bytes, err);
    }
    if (status == ZV_OK) {
        status = read_u64(root, "ooms", false, &to->ooms_known, &to->ooms, err);
    }
    if (status == ZV_OK) {
        status = read_u64(root, "ops", false, &to->operations_known, &to->operations, err);
    }
    return status == ZV_OK ? read_peaks(to, zv_json_find(root, "expected_peaks"), err) : status;
}
